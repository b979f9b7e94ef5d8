#pragma once
// The console of a live run.

#include <optional>
#include <string>
#include <vector>

#include "panto/live/arming.hpp"
#include "panto/live/wish.hpp"

namespace panto::app {

class Console {
 public:
  explicit Console(bool armed) : arming_(armed) {}

  [[nodiscard]] live::Arming& arming() noexcept { return arming_; }
  /// Says whether the robots may move, and how to change it. Without robots only a terminal is read.
  void begin(bool robots);
  /// Returns what was typed.
  [[nodiscard]] std::vector<live::Wish> read();
  static void say(const std::vector<std::string>& lines);
  /// Returns whether the robots may move; unset without robots.
  [[nodiscard]] std::optional<bool> armed() const noexcept {
    return robots_ ? std::optional(arming_.armed()) : std::nullopt;
  }
  /// Returns ", armed", ", disarmed", or nothing without robots.
  [[nodiscard]] const char* status() const noexcept {
    return !robots_ ? "" : arming_.armed() ? ", armed" : ", disarmed";
  }

 private:
  live::Arming arming_;
  std::string typed_;
  bool robots_ = false, ended_ = true;  // ended: nothing more can be typed
};

}  // namespace panto::app
