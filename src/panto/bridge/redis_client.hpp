#pragma once
// Sets keys of a Redis server.

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "panto/live/robot.hpp"

namespace panto::bridge {

/// The program must ignore SIGPIPE, as the command does.
class RedisClient {
 public:
  /// Connects within a second. @throws ConfigError where Panto was built without Redis, Error when no server
  /// answers.
  explicit RedisClient(const live::UdpAddress& at);
  ~RedisClient();
  RedisClient(const RedisClient&) = delete;
  RedisClient& operator=(const RedisClient&) = delete;

  /// Sets keys to values, all in one round trip of 0.1 s at most. After a failure it connects again, once a
  /// second; until then it fails at once. Returns whether the server took all.
  bool set(std::span<const std::pair<std::string_view, std::string_view>> pairs) noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace panto::bridge
