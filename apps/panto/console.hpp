#pragma once
// The console of a run that moves robots: what is typed there arms and disarms them.

#include <string>

#include "panto/live/arming.hpp"

namespace panto::app {

class Console {
 public:
  explicit Console(bool armed) : arming_(armed), said_(armed) {}

  [[nodiscard]] const live::Arming& arming() const noexcept { return arming_; }
  /// Says whether the robots may move, and how to change it.
  void begin() const;
  /// Takes what was typed and looks after the stream; call ten times a second or more. Says what changes.
  void watch(live::StreamState stream);
  /// Returns ", armed" or ", disarmed".
  [[nodiscard]] const char* status() const noexcept { return arming_.armed() ? ", armed" : ", disarmed"; }

 private:
  void take_lines();
  live::Arming arming_;
  std::string typed_;
  bool said_;
  bool ended_ = false;  // nothing more can be typed
};

}  // namespace panto::app
