#pragma once
// Thresholds on the figures of a report: 'angle_p99_deg>2,limit_violations>0' read as "fail on ...".

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
  std::optional<double> number;  ///< of the limit, where it is one
};

/// "angle_p99_deg>2, limit_violations > 0": one or more, separated by commas. Operators > >= < <= == !=;
/// limits are finite.
/// @throws ConfigError naming the piece that is not one and what would be right.
[[nodiscard]] std::vector<Threshold> parse_thresholds(std::string_view text);

enum class CheckOutcome : unsigned char { Passed, Failed, Absent };
[[nodiscard]] const char* to_string(CheckOutcome outcome) noexcept;

/// What became of one threshold.
struct CheckResult {
  Threshold threshold;
  CheckOutcome outcome = CheckOutcome::Passed;  ///< Absent: the report does not know the figure
  ReportValue value;                            ///< under the report's own key
};

/// Holds a report against thresholds. Keys are equal without regard to case; "counts.1" is "counts[1]". An
/// index beyond the end of a list of counts is 0, as far as ReportBuilder counts: reports leave trailing
/// zeros out. Texts are compared by == and != alone. @throws ConfigError for a key that the report does not
/// have (with the nearest) and for an order of texts.
[[nodiscard]] std::vector<CheckResult> check_report(const std::vector<Threshold>& thresholds,
                                                    const std::vector<ReportValue>& report);

/// What `panto check` holds a report against when nothing else is said: there are frames, the recording has
/// no fault, each frame was answered and none got stuck, limits are kept, and 99 of 100 orientations are
/// within 5 degrees.
inline constexpr std::string_view kDefaultThresholds =
    "frames<1,recording_faults>0,angle_p99_deg>5,limit_violations>0,status_counts.stuck>0,status_counts."
    "target_not_finite>0,"
    "status_counts.no_target>0,status_counts.time_not_advancing>0,status_counts.size_mismatch>0,"
    "status_counts.numerical_failure>0";

}  // namespace panto
