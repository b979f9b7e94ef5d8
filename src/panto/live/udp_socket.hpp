#pragma once
// A UDP socket that never blocks. Needs POSIX sockets only.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "panto/live/address.hpp"

namespace panto::live {

/// Sender of a datagram, as bytes of the system's own address.
struct UdpPeer {
  alignas(8) std::byte bytes[128];
  unsigned size = 0;
  friend bool operator==(const UdpPeer& a, const UdpPeer& b) noexcept;
};

/// Returns the addresses of a host, a name or a number. @throws Error when it is not known.
[[nodiscard]] std::vector<UdpPeer> addresses_of(const std::string& host);
/// Returns whether both are the same host, whatever their ports.
[[nodiscard]] bool same_host(const UdpPeer& one, const UdpPeer& other) noexcept;

class UdpSocket {
 public:
  /// Opens a socket that sends to and receives from one address only. @throws Error when the host is unknown.
  [[nodiscard]] static UdpSocket connected_to(const UdpAddress& address);
  /// Opens a socket that receives at `address`, a network interface of this machine; 127.0.0.1: from this
  /// machine only. @throws Error when the port is in use or the address is not this machine's.
  [[nodiscard]] static UdpSocket bound_to(const UdpAddress& address);

  UdpSocket(UdpSocket&& other) noexcept;
  UdpSocket& operator=(UdpSocket&& other) noexcept;
  UdpSocket(const UdpSocket&) = delete;
  UdpSocket& operator=(const UdpSocket&) = delete;
  ~UdpSocket();

  /// Sends a datagram. Returns false when the system did not accept all of it, or reported that no program
  /// received the last one.
  bool send(std::span<const std::byte> datagram) noexcept;
  bool send_to(const UdpPeer& peer, std::span<const std::byte> datagram) noexcept;

  /// Receives the next datagram and returns its size [bytes], or nothing. Cuts one longer than `space` to the
  /// size of `space`. `peer`, if given, gets the sender.
  [[nodiscard]] std::optional<std::size_t> receive(std::span<std::byte> space,
                                                   UdpPeer* peer = nullptr) noexcept;

  /// Returns how often `receive` learnt that a datagram sent before found no receiver.
  [[nodiscard]] std::int64_t unreceived() const noexcept { return unreceived_; }

  /// Waits for a datagram, at most `milliseconds`. Returns false when none came.
  bool wait(int milliseconds) noexcept;

  /// Returns the port of this end; useful after binding to port 0 in a test.
  [[nodiscard]] std::uint16_t port() const noexcept;

 private:
  explicit UdpSocket(int handle) noexcept : handle_(handle) {}
  int handle_ = -1;
  std::int64_t unreceived_ = 0;
};

}  // namespace panto::live
