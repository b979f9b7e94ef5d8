#pragma once
// A UDP socket that never blocks. POSIX sockets, nothing else.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "panto/live/address.hpp"

namespace panto::live {

/// Who a datagram came from, as bytes of the system's own address.
struct UdpPeer {
  alignas(8) std::byte bytes[128];
  unsigned size = 0;
  friend bool operator==(const UdpPeer& a, const UdpPeer& b) noexcept;
};

class UdpSocket {
 public:
  /// Sends to, and hears from, one address alone. @throws Error when the host is not known.
  [[nodiscard]] static UdpSocket connected_to(const UdpAddress& address);
  /// Hears what comes to `address`, a network interface of this machine; 127.0.0.1: from this machine alone.
  /// @throws Error when the port is in use or the address is not this machine's.
  [[nodiscard]] static UdpSocket bound_to(const UdpAddress& address);

  UdpSocket(UdpSocket&& other) noexcept;
  UdpSocket& operator=(UdpSocket&& other) noexcept;
  UdpSocket(const UdpSocket&) = delete;
  UdpSocket& operator=(const UdpSocket&) = delete;
  ~UdpSocket();

  /// False when the system did not take all of it at once, or said that nobody listens to the last one.
  bool send(std::span<const std::byte> datagram) noexcept;
  bool send_to(const UdpPeer& peer, std::span<const std::byte> datagram) noexcept;

  /// Bytes of the next datagram that has come, or nothing. What is longer than `space` is reported as that
  /// and one more. `peer`, if given, gets who sent it.
  [[nodiscard]] std::optional<std::size_t> receive(std::span<std::byte> space,
                                                   UdpPeer* peer = nullptr) noexcept;

  /// Waits until something has come, at most `milliseconds`. False: nothing has.
  bool wait(int milliseconds) noexcept;

  /// Port of this end; of use after binding to port 0 of a test.
  [[nodiscard]] std::uint16_t port() const noexcept;

 private:
  explicit UdpSocket(int handle) noexcept : handle_(handle) {}
  int handle_ = -1;
};

}  // namespace panto::live
