#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

namespace panto::app {

/// One line on stderr with the time left, and only if that is a terminal.
class Progress {
 public:
  Progress();
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Shows what is done, at most ten times a second.
  void show(std::int64_t done, std::optional<std::int64_t> of);
  /// Removes the line of any job, so that something else can be printed.
  static void clear();

 private:
  using Clock = std::chrono::steady_clock;
  inline static bool visible_ = false;  // a terminal has one such line
  bool terminal_ = false;
  std::int64_t last_ = 0;
  Clock::time_point begun_ = Clock::now(), shown_ = begun_;
};

}  // namespace panto::app
