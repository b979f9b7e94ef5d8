#pragma once
// The console of a live run: what is typed there arms, re-aligns, marks, calibrates, records.

#include <optional>
#include <string>
#include <vector>

#include "panto/bridge/run_operator.hpp"
#include "panto/live/arming.hpp"
#include "panto/live/wish.hpp"

namespace panto::app {

class Console {
 public:
  explicit Console(bool armed) : arming_(armed), said_(armed) {}

  [[nodiscard]] const live::Arming& arming() const noexcept { return arming_; }
  /// Says whether the robots may move, and how to change it. Without robots only a terminal is read.
  void begin(bool robots);
  /// Takes what was typed, and the wishes of others; looks after the stream; call ten times a second or more.
  /// Says what changes. `refused`: why a robot moves no more. `granting`: grants other wishes; may be null.
  void watch(live::StreamState stream, const std::string& refused, std::vector<live::Wish> others = {},
             bridge::RunOperator* granting = nullptr);
  /// Returns whether the robots may move; unset without robots.
  [[nodiscard]] std::optional<bool> armed() const noexcept {
    return robots_ ? std::optional(arming_.armed()) : std::nullopt;
  }
  /// Returns ", armed", ", disarmed", or nothing without robots.
  [[nodiscard]] const char* status() const noexcept {
    return !robots_ ? "" : arming_.armed() ? ", armed" : ", disarmed";
  }

 private:
  void read_lines(std::vector<live::Wish>& wishes);
  live::Arming arming_;
  std::string typed_;
  bool said_;
  bool robots_ = false, ended_ = true;  // ended: nothing more can be typed
};

}  // namespace panto::app
