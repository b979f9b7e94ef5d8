#pragma once
// Status values of loops. Loops never throw: `read`, `step` and `write` are noexcept and return one of these.

#include <cstdint>

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

}  // namespace panto
