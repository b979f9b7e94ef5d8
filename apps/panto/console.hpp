#pragma once
// The console of a live run: what is typed there arms and disarms its robots.

#include <optional>
#include <string>

#include "panto/live/arming.hpp"

namespace panto::app {

class Console {
 public:
  explicit Console(bool armed) : arming_(armed), said_(armed) {}

  [[nodiscard]] const live::Arming& arming() const noexcept { return arming_; }
  /// Says whether the robots may move, and how to change it. A run without robots does not call it: the
  /// console then does nothing.
  void begin();
  /// Takes what was typed and looks after the stream; call ten times a second or more. Says what changes.
  void watch(live::StreamState stream);
  /// Arms or disarms, as a typed line does.
  void ask(bool arm);
  /// Returns whether the robots may move; unset without robots.
  [[nodiscard]] std::optional<bool> armed() const noexcept {
    return begun_ ? std::optional(arming_.armed()) : std::nullopt;
  }
  /// Returns ", armed", ", disarmed", or nothing without robots.
  [[nodiscard]] const char* status() const noexcept {
    return !begun_ ? "" : arming_.armed() ? ", armed" : ", disarmed";
  }

 private:
  void take_lines();
  live::Arming arming_;
  std::string typed_;
  bool said_;
  bool begun_ = false, ended_ = false;  // ended: nothing more can be typed
};

}  // namespace panto::app
