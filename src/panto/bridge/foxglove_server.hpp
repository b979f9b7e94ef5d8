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
  Newest,  ///< a new one replaces one that waits, which is counted
  Kept,    ///< so, and whoever subscribes later gets the last one
  All,     ///< all wait, and whoever subscribes later gets the last ten; a viewer for whom too much waits is
           ///< closed (1013)
};

struct ServedChannel {
  FoxgloveChannel channel;
  Waiting waiting = Waiting::Newest;
};

/// One thread serves all viewers, at most 16. A viewer's messages are at most 64 KiB. Of a request that
/// cannot be met it is told; one with more than 32 of these, or that does not answer for 20 s, is closed.
class FoxgloveServer {
 public:
  static constexpr std::size_t kMostViewers = 16;

  /// `token`: what a page must say to arm, not to disarm; `arm`: gets its wish, on the server's thread.
  FoxgloveServer(std::string name, std::vector<ServedChannel> channels, std::string token,
                 std::function<void(bool)> arm);
  /// Tells every viewer that the server goes.
  ~FoxgloveServer();
  FoxgloveServer(const FoxgloveServer&) = delete;
  FoxgloveServer& operator=(const FoxgloveServer&) = delete;

  /// Takes over a connection whose request to upgrade was checked: its socket, and the bytes that came.
  void adopt(int handle, std::string head);
  /// Sends to all that subscribe. Any thread may call it. `date`: [ns] since 1970.
  void publish(std::uint32_t channel, Time date, std::string message);
  /// Returns whether anybody subscribes: a message that nobody wants need not be made.
  [[nodiscard]] bool wanted(std::uint32_t channel) const noexcept;
  [[nodiscard]] std::size_t viewers() const noexcept;
  [[nodiscard]] std::int64_t replaced() const noexcept;  ///< messages that a newer one replaced

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace panto::bridge
