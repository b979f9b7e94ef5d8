#pragma once
// Publishes messages by ZeroMQ, to whoever subscribes.

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "panto/live/robot.hpp"

namespace panto::bridge {

class ZmqPublisher {
 public:
  /// Waits for subscribers at tcp://host:port; port 0 takes a free one.
  /// @throws ConfigError where Panto was built without ZeroMQ, Error for an address that cannot be bound.
  explicit ZmqPublisher(const live::UdpAddress& at);
  ~ZmqPublisher();
  ZmqPublisher(const ZmqPublisher&) = delete;
  ZmqPublisher& operator=(const ZmqPublisher&) = delete;

  /// Sends one message of one part, without waiting: a subscriber that is slow misses it. Returns false when
  /// the system did not take it.
  bool send(std::span<const std::byte> message) noexcept;
  [[nodiscard]] std::uint16_t port() const noexcept { return port_; }

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
  std::uint16_t port_ = 0;
};

}  // namespace panto::bridge
