#pragma once
// What every job of the command is watched with, and how it ends.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/panto/interruption.hpp"
#include "apps/panto/progress.hpp"
#include "panto/tracking/observer.hpp"

namespace panto::app {

/// Prints notes for people on stderr, from the one at `already` on.
void say(const std::vector<std::string>& notes, std::size_t already = 0);
/// Prints one note.
void say_note(std::string_view note);

/// A job that prints its notes, shows its progress on a terminal and ends in order at Ctrl-C.
class Job {
 public:
  Job();
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  /// Notes, progress, clock and counter of allocations; outputs are added by who has them. It refers to this
  /// object.
  Observer observer;

 private:
  Interruption interruption_;
  Progress progress_;
};

/// Says on stderr how a damaged recording ended, of which `frames` were used. Returns the exit code of the
/// job: `complete`: every output is, with every frame.
[[nodiscard]] int finish(const std::optional<std::string>& damage, std::int64_t frames, bool complete);

}  // namespace panto::app
