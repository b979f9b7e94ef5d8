#pragma once

#include <cstdint>
#include <optional>

namespace panto::app {

/// One line on stderr, and only if that is a terminal.
class Progress {
 public:
  explicit Progress(std::optional<std::int64_t> total);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// @throws Interrupted while an `Interruption` lives that was asked for.
  void frame();

 private:
  bool shown_ = false;
  std::optional<std::int64_t> total_;
  std::int64_t frames_ = 0;
};

}  // namespace panto::app
