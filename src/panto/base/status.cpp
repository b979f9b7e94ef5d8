#include "panto/base/status.hpp"

namespace panto {

const char* to_string(StepStatus status) noexcept {
  switch (status) {
    case StepStatus::Solved:
      return "solved";
    case StepStatus::Saturated:
      return "saturated";
    case StepStatus::Stuck:
      return "stuck";
    case StepStatus::TargetNotFinite:
      return "target_not_finite";
    case StepStatus::NoTarget:
      return "no_target";
    case StepStatus::TimeNotAdvancing:
      return "time_not_advancing";
    case StepStatus::SizeMismatch:
      return "size_mismatch";
    case StepStatus::NumericalFailure:
      return "numerical_failure";
  }
  return "unknown";
}

const char* to_string(ReadStatus status) noexcept {
  switch (status) {
    case ReadStatus::Sample:
      return "sample";
    case ReadStatus::EndOfMotion:
      return "end_of_motion";
    case ReadStatus::TimedOut:
      return "timed_out";
    case ReadStatus::Malformed:
      return "malformed";
  }
  return "unknown";
}

const char* to_string(WriteStatus status) noexcept {
  switch (status) {
    case WriteStatus::Written:
      return "written";
    case WriteStatus::Dropped:
      return "dropped";
  }
  return "unknown";
}

}  // namespace panto
