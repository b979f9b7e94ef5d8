#pragma once
// Serves Foxglove's WebSocket protocol to viewers: Foxglove, Lichtblick, the live page.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "panto/base/time.hpp"
#include "panto/bridge/foxglove_protocol.hpp"

namespace panto::bridge {

/// How messages of a channel wait for a viewer that is slow.
enum class Waiting : std::uint8_t {
  Newest,  ///< a new message replaces a waiting one, and the server counts it
  Kept,    ///< the same, and a new subscriber gets the last message
  All,     ///< all messages wait, and a new subscriber gets the last ten; if more than 1 MiB waits for a
           ///< viewer, the server closes it (1013)
};

struct ServedChannel {
  FoxgloveChannel channel;
  Waiting waiting = Waiting::Newest;
};

/// One thread serves all viewers, at most 16. A viewer's messages are at most 64 KiB. The server answers a
/// bad request with a warning. It closes a viewer after more than 32 bad requests, or after 20 s without an
/// answer to a ping.
class FoxgloveServer {
 public:
  static constexpr std::size_t kMostViewers = 16;

  /// `token`: what a page must say for any wish but to disarm; `wished`: gets them, on the server's thread.
  FoxgloveServer(std::string name, std::vector<ServedChannel> channels, std::string token,
                 std::function<void(const live::Wish&)> wished);
  /// Tells every viewer that the server stops.
  ~FoxgloveServer();
  FoxgloveServer(const FoxgloveServer&) = delete;
  FoxgloveServer& operator=(const FoxgloveServer&) = delete;

  /// Takes over a connection whose upgrade request was checked. `handle`: its socket, which the server
  /// closes; `head`: the bytes received so far.
  void adopt(int handle, std::string head);
  /// Sends a message to all subscribers. Any thread may call it. `date`: [ns] since 1970.
  void publish(std::uint32_t channel, Time date, std::string message);
  /// Returns whether to publish on a channel: true if somebody subscribes, and always for a channel that
  /// keeps messages for later subscribers.
  [[nodiscard]] bool wanted(std::uint32_t channel) const noexcept;
  [[nodiscard]] std::size_t viewers() const noexcept;
  [[nodiscard]] std::int64_t replaced() const noexcept;  ///< messages that a newer one replaced

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace panto::bridge
