#include "panto/live/robot_receiver.hpp"

namespace panto::live {
namespace {

constexpr int kDatagramsPerPoll = 256;

}  // namespace

RobotReceiver::RobotReceiver(const UdpAddress& address, const Model& model, const State& start, Time now,
                             const FollowerOptions& options)
    : socket_(UdpSocket::bound_to(address)),
      model_(&model),
      link_(model, PacketType::Reference),
      follower_(model, start, now, options),
      outgoing_(start) {}

void RobotReceiver::poll(Time now) noexcept {
  ReceivedDatagram datagram;
  UdpPeer from;
  for (int i = 0; i < kDatagramsPerPoll; ++i) {
    const auto size = socket_.receive(datagram, &from);
    if (!size) return;
    take(std::span<const std::byte>(datagram).first(*size), from, now);
  }
}

void RobotReceiver::take(std::span<const std::byte> datagram, const UdpPeer& from, Time now) noexcept {
  switch (link_.take(datagram, now)) {
    case LinkEvent::Refused:
      break;
    case LinkEvent::Hello:
      peer_ = from;
      break;
    case LinkEvent::Motion:
      follower_.follow(link_.state(), link_.valid(), now);
      break;
    case LinkEvent::Bye:
      follower_.stop();
      peer_.size = 0;
      break;
  }
}

WriteStatus RobotReceiver::send_measured(const State& measured) noexcept {
  if (peer_.size == 0 || !link_.ready() || !is_valid(measured, *model_)) return WriteStatus::Dropped;
  Datagram datagram;
  const PacketHeader header{PacketType::Measured, link_.header().session, seq_++, follower_.state().t};
  const std::size_t size = write_motion(header, measured, follower_.valid(), datagram);
  const bool sent = socket_.send_to(peer_, std::span<const std::byte>(datagram).first(size));
  return sent ? WriteStatus::Written : WriteStatus::Dropped;
}

}  // namespace panto::live
