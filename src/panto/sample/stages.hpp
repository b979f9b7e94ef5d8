#pragma once
// The three stages of a loop: a Source yields samples, a Tracker turns each into a State, a Sink takes the
// State.

#include <string>
#include <vector>

#include "panto/base/status.hpp"
#include "panto/model/state.hpp"

namespace panto {

/// Source of samples of one kind: a file, a stream, a synthesis.
template <typename Sample>
class Source {
 public:
  Source() = default;
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;
  virtual ~Source() = default;

  /// Returns the names of the measured items, in the order of the sample's entries.
  [[nodiscard]] virtual const std::vector<std::string>& names() const noexcept = 0;

  /// Reads the next sample. `sample` is valid only when the result is `ReadStatus::Sample`; after `Malformed`
  /// the source may continue.
  [[nodiscard]] virtual ReadStatus read(Sample& sample) noexcept = 0;
};

/// Turns samples of one kind into States. Owns solver and workspace; the caller owns the State.
template <typename Sample>
class Tracker {
 public:
  Tracker() = default;
  Tracker(const Tracker&) = delete;
  Tracker& operator=(const Tracker&) = delete;
  virtual ~Tracker() = default;

  /// Advances `state` to the sample's instant. noexcept, no allocation, bounded time; on failure, `state` is
  /// unchanged.
  [[nodiscard]] virtual StepStatus step(const Sample& sample, State& state) noexcept = 0;

  /// Returns residuals, active bounds and fallback level of the last step.
  [[nodiscard]] virtual const StepReport& last_report() const noexcept = 0;
};

/// Receives states: a file, a robot, a viewer.
class Sink {
 public:
  Sink() = default;
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;
  virtual ~Sink() = default;

  [[nodiscard]] virtual WriteStatus write(const State& state) noexcept = 0;
};

}  // namespace panto
