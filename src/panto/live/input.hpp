#pragma once
// A live stream at a UDP port: datagrams of one sender, as samples.

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "panto/live/pacer.hpp"
#include "panto/live/source.hpp"
#include "panto/live/udp_socket.hpp"
#include "panto/stream/sample_stream.hpp"

namespace panto::live {

/// Listens to the first sender of usable datagrams, and to another one when that was silent for 2 s; to all
/// senders where a protocol gathers several.
template <typename Sample>
class LiveInput final : public LiveSource<Sample> {
 public:
  LiveInput(UdpSocket socket, std::unique_ptr<stream::SampleStream<Sample>> decoder)
      : socket_(std::move(socket)), decoder_(std::move(decoder)) {}

  /// Takes datagrams until one completes a sample; waits at most `milliseconds` for each.
  bool next(int milliseconds) override {
    for (int taken = 0; taken < kMostAtOnce; ++taken) {
      UdpPeer peer;
      std::optional<std::size_t> size = socket_.receive(space_, &peer);
      if (!size && socket_.wait(milliseconds)) size = socket_.receive(space_, &peer);
      if (!size) return false;
      const Time now = monotonic_now();
      if (take({space_.data(), *size}, peer, now)) return true;
    }
    return false;
  }

  /// Gets every datagram of the sender, a number for the sender, and when it arrived, before it is decoded.
  std::function<void(std::span<const std::byte>, std::uint64_t, Time)> tap;

  [[nodiscard]] const stream::SampleStream<Sample>& decoder() const noexcept override { return *decoder_; }
  [[nodiscard]] Time arrival() const noexcept override { return arrival_; }
  [[nodiscard]] std::int64_t foreign() const noexcept override { return foreign_; }
  [[nodiscard]] std::uint16_t port() const noexcept { return socket_.port(); }

 private:
  static constexpr int kMostAtOnce = 4096;
  static constexpr Time kSilence = 2'000'000'000;  // [ns]

  bool take(std::span<const std::byte> datagram, const UdpPeer& peer, Time now) {
    if (decoder_->gathers()) return take_one_of_many(datagram, peer, now);
    const bool own = sender_ && peer == *sender_;
    if (sender_ && !own && now - heard_ < kSilence) {
      ++foreign_;
      return false;
    }
    if (tap && own) tap(datagram, 0, now);
    const stream::Brought brought = decoder_->take(datagram, now);
    if (brought == stream::Brought::Refused) return false;
    if (tap && !own) tap(datagram, 0, now);
    sender_ = peer;
    heard_ = now;
    if (brought != stream::Brought::Sample) return false;
    arrival_ = now;
    return true;
  }

  bool take_one_of_many(std::span<const std::byte> datagram, const UdpPeer& peer, Time now) {
    const std::uint64_t sender = number_of(peer);
    if (tap) tap(datagram, sender, now);
    const stream::Brought brought = decoder_->take_from(sender, datagram, now);
    if (const auto answer = decoder_->reply(); !answer.empty()) (void)socket_.send_to(peer, answer);
    if (brought != stream::Brought::Sample) return false;
    arrival_ = now;
    return true;
  }

  // FNV-1a of the address and port
  static std::uint64_t number_of(const UdpPeer& peer) noexcept {
    std::uint64_t number = 0xcbf29ce484222325U;
    for (unsigned i = 0; i < peer.size; ++i)
      number = (number ^ std::to_integer<std::uint64_t>(peer.bytes[i])) * 0x100000001b3U;
    return number;
  }

  UdpSocket socket_;
  std::unique_ptr<stream::SampleStream<Sample>> decoder_;
  std::array<std::byte, 65536> space_;
  std::optional<UdpPeer> sender_;
  Time heard_ = 0, arrival_ = 0;
  std::atomic<std::int64_t> foreign_{0};
};

}  // namespace panto::live
