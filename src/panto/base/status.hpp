#pragma once
// Status values of loops. Loops never throw: `read`, `step` and `write` are noexcept and return one of these.

#include <cstdint>
#include <vector>

namespace panto {

/// Outcome of one `step()` of a tracker or solver.
enum class StepStatus : std::uint8_t {
  Solved,            ///< The state was advanced; no bound was active.
  Saturated,         ///< The state was advanced; a limit holds at least one joint.
  Stuck,             ///< The state was advanced, but a residual was near 180 degrees for longer than the
                     ///< tracker allows: do not use the result.
  TargetNotFinite,   ///< A measured value is NaN, infinite, or not a rotation. State unchanged.
  NoTarget,          ///< Nothing in the sample is valid. State unchanged.
  TimeNotAdvancing,  ///< The sample is not newer than the state. State unchanged.
  SizeMismatch,      ///< Sample or state belongs to another tracker. State unchanged.
  NumericalFailure,  ///< No fallback gave a finite solution. State unchanged.
};

/// Returns true when the state after `step()` may drive a robot or a character.
[[nodiscard]] constexpr bool usable(StepStatus status) noexcept {
  return status == StepStatus::Solved || status == StepStatus::Saturated;
}

/// Returns true when `step()` advanced the state.
[[nodiscard]] constexpr bool advanced(StepStatus status) noexcept {
  return usable(status) || status == StepStatus::Stuck;
}

/// Outcome of reading one sample.
enum class ReadStatus : std::uint8_t { Sample, EndOfMotion, TimedOut, Malformed };

/// Outcome of writing one state.
enum class WriteStatus : std::uint8_t { Written, Dropped };

inline constexpr int kStepStatusCount = 8;

[[nodiscard]] const char* to_string(StepStatus status) noexcept;
[[nodiscard]] const char* to_string(ReadStatus status) noexcept;
[[nodiscard]] const char* to_string(WriteStatus status) noexcept;

/// What the last `step()` met. Angles and distances are those that remain after it, against the sample of the
/// same instant.
struct StepReport {
  std::vector<double>
      versine;  ///< 1 - cos(residual angle) by target row; NaN where the row had no orientation
  std::vector<double>
      origin_error;  ///< distance of the link's origin from its target by row [m]; NaN where unknown
  /// What is left of own targets [m], [rad]: positions, orientations, directions, then of every relative
  /// target its place and its orientation; over the axes that count. NaN where one is off.
  std::vector<double> own_error;
  int active_bounds = 0;  ///< joints, and coupled rows that are no equalities, held by a bound
  int solves = 0;         ///< working sets that were solved for, by the tree solver or the settled one
  /// 0 exact by block pivoting, 1 exact by the monotone method, 2 its cap: feasible, 3 coupled rows that
  /// cannot be met (a start outside them) relaxed, 4 damped retry, 5 nothing finite: state held.
  int fallback_level = 0;
  int clamped = 0;         ///< joints that integration moved back to a limit
  bool aligned = false;    ///< the pose was found anew and not by a step
  bool clock_gap = false;  ///< the sample came later than the longest interval that a step spans
  bool returning = false;  ///< on the way to a pose found after a gap, not faster than the limits allow
  bool ambiguous = false;  ///< it was aligned, and another pose would be about as good: see `Aligner`
};

}  // namespace panto
