#pragma once
// Sends datagrams when they are due, through a network with faults if wanted.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "panto/live/pacer.hpp"
#include "panto/live/udp_socket.hpp"
#include "panto/stream/impairment.hpp"
#include "panto/stream/sample_stream.hpp"

namespace panto::live {

class DatagramSender {
 public:
  DatagramSender(UdpSocket socket, const stream::ImpairmentOptions& faults, Clock clock = system_clock());

  /// Waits until `due` [ns] after the first call, sending what was delayed in between, and sends.
  void send(const stream::Datagrams& datagrams, Time due);
  /// Sends what is still on its way.
  void finish();

  [[nodiscard]] std::int64_t sent() const noexcept { return sent_; }  ///< datagrams that left
  [[nodiscard]] std::int64_t refused() const noexcept {
    return refused_;
  }  ///< datagrams that the system dropped

 private:
  void wait_until(Time t);
  void deliver(Time now);

  UdpSocket socket_;
  stream::Impairment network_;
  Clock clock_;
  Time start_ = 0;
  bool begun_ = false;
  std::vector<std::byte> datagram_;
  std::int64_t sent_ = 0, refused_ = 0;
};

}  // namespace panto::live
