#pragma once
// What watches every job of the command, and how it ends.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/panto/interruption.hpp"
#include "apps/panto/printing.hpp"
#include "apps/panto/progress.hpp"
#include "panto/tracking/observer.hpp"

namespace panto::app {

/// A job that prints its notes, shows its progress on a terminal and ends in order at Ctrl-C.
class Job {
 public:
  Job();
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  /// Notes, progress, clock and counter of allocations; outputs are added to it. It refers to this object.
  Observer observer;

 private:
  Interruption interruption_;
  Progress progress_;
};

/// Prints on stderr how a damaged recording ended, of which `frames` were used. Returns the exit code of the
/// job. `complete`: every output is complete, with every frame.
[[nodiscard]] int finish(const std::optional<std::string>& damage, std::int64_t frames, bool complete);

}  // namespace panto::app
