#pragma once
// Checks figures of a report against thresholds: 'angle_p99_deg>2,limit_violations>0' means "fail if ...".

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "panto/evaluation/figures.hpp"

namespace panto {

enum class Comparison : unsigned char { Greater, GreaterEqual, Less, LessEqual, Equal, NotEqual };
[[nodiscard]] const char* to_string(Comparison comparison) noexcept;

/// "Fail when `key` `comparison` `limit`."
struct Threshold {
  std::string key;  ///< as written
  Comparison comparison = Comparison::Greater;
  std::string limit;             ///< as written
  std::optional<double> number;  ///< of the limit, if it is a number
};

/// Parses "angle_p99_deg>2, limit_violations > 0": one or more thresholds, separated by commas. Operators >
/// >= < <= == !=; limits are finite.
/// @throws ConfigError naming the invalid piece and the valid form.
[[nodiscard]] std::vector<Threshold> parse_thresholds(std::string_view text);

enum class CheckOutcome : unsigned char { Passed, Failed, Absent };
[[nodiscard]] const char* to_string(CheckOutcome outcome) noexcept;

/// Result of one threshold.
struct CheckResult {
  Threshold threshold;
  CheckOutcome outcome = CheckOutcome::Passed;  ///< Absent: the figure is unknown in the report
  ReportValue value;                            ///< with the report's key
};

/// Checks a report against thresholds. Keys ignore case; "counts.1" equals "counts[1]". An index beyond the
/// end of a list of counts is 0, up to the levels of ReportBuilder: reports omit trailing zeros. Texts allow
/// only == and !=. @throws ConfigError for an unknown key (with the nearest) and for ordering texts.
[[nodiscard]] std::vector<CheckResult> check_report(const std::vector<Threshold>& thresholds,
                                                    const std::vector<ReportValue>& report);

/// Default thresholds of `panto check`: there are frames, the recording has no error, every frame was solved
/// and none got stuck, limits are kept, and 99 of 100 orientations are within 5 degrees.
inline constexpr std::string_view kDefaultThresholds =
    "frames<1,recording_faults>0,angle_p99_deg>5,limit_violations>0,status_counts.stuck>0,status_counts."
    "target_not_finite>0,"
    "status_counts.no_target>0,status_counts.time_not_advancing>0,status_counts.size_mismatch>0,"
    "status_counts.numerical_failure>0";

/// The same for a robot, beside `verdict_limits::kRobotLimits`, above which its verdict is not "Good".
inline constexpr std::string_view kRobotThresholds =
    "frames<1,recording_faults>0,limit_violations>0,velocity_violations>0,row_violations>0,"
    "status_counts.stuck>0,status_counts.target_not_finite>0,status_counts.no_target>0,"
    "status_counts.time_not_advancing>0,status_counts.size_mismatch>0,status_counts.numerical_failure>0";

/// Returns the default thresholds of a report: a robot's if it has `followable_mean_deg`, without those on
/// figures that the report leaves empty, as of feet that never stand, or lacks.
[[nodiscard]] std::vector<Threshold> default_thresholds(const std::vector<ReportValue>& report);

}  // namespace panto
