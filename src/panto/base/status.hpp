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

/// Results of the last `step()`. Angles and distances are residuals after the step, against the sample of the
/// same instant.
struct StepReport {
  std::vector<double> versine;  ///< 1 - cos(residual angle) by target row; NaN without an orientation
  std::vector<double>
      origin_error;  ///< distance of the link's origin from its target by row [m]; NaN if unknown
  /// Residuals of own targets [m], [rad]: positions, orientations, directions, then position and orientation
  /// of every relative target; over axes with weight > 0. NaN if a target is off.
  std::vector<double> own_error;
  int active_bounds = 0;  ///< joints, and inequality rows, held by a bound
  int solves = 0;         ///< working sets solved, by the tree solver or the decoupled one
  /// 0 exact by block pivoting, 1 exact by the monotone method, 2 its limit: feasible, 3 coupled rows that
  /// cannot be met (a start outside them) relaxed, 4 damped retry, 5 nothing finite: state held.
  int fallback_level = 0;
  int clamped = 0;         ///< joints that integration moved back to a limit
  bool aligned = false;    ///< the pose was found by alignment, not by a step
  bool clock_gap = false;  ///< the sample came later than the longest interval of a step
  bool returning = false;  ///< on the way to a pose found after a gap, within the limits
  bool ambiguous = false;  ///< aligned, and another pose has a similar cost: see `Aligner`
};

}  // namespace panto
