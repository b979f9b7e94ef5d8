#include "panto/api/check.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "panto/evaluation/report_card.hpp"

namespace panto {

std::vector<ReportValue> report_values(const ReportCard& card) {
  std::vector<ReportValue> values;
  const auto add = [&](std::string key, std::optional<double> number) {
    if (number && !std::isfinite(*number)) number.reset();
    values.push_back({std::move(key), number, std::nullopt});
  };
  const auto add_count = [&](std::string key, std::optional<std::int64_t> count) {
    add(std::move(key), count ? std::optional(static_cast<double>(*count)) : std::nullopt);
  };
  add_count("frames", card.frames);
  add("rate_hz", card.rate_hz);
  add("duration_s", card.duration_s);
  add_count("recording_faults", card.recording_faults);
  add_count("recording_remarks", card.recording_remarks);
  add("mnte_mean", card.mnte_mean);
  add("angle_mean_deg", card.angle_mean_deg);
  add("angle_p99_deg", card.angle_p99_deg);
  add("angle_max_deg", card.angle_max_deg);
  add("omega_rmse_rad_s", card.omega_rmse_rad_s);
  add("position_rmse_m", card.position_rmse_m);
  add("origin_mean_m", card.origin_mean_m);
  add("origin_max_m", card.origin_max_m);
  add_count("limit_violations", card.limit_violations);
  add("limit_violation_max_rad", card.limit_violation_max_rad);
  add("saturated_share", card.saturated_share);
  add("step_p50_us", card.step_p50_us);
  add("step_p99_us", card.step_p99_us);
  add("step_max_us", card.step_max_us);
  add_count("allocations", card.allocations);
  for (std::size_t i = 0; i < card.status_counts.size(); ++i)
    add_count(std::string("status_counts.") + to_string(static_cast<StepStatus>(i)), card.status_counts[i]);
  for (std::size_t i = 0; i < card.fallback_counts.size(); ++i)
    add_count("fallback_counts[" + std::to_string(i) + "]", card.fallback_counts[i]);
  add("jerk_rms_rad_s3", card.jerk_rms_rad_s3);
  const auto hash = card.state_hash ? std::optional(hash_text(*card.state_hash)) : std::nullopt;
  values.push_back({"state_hash", std::nullopt, hash});
  return values;
}

CheckReport check(const std::vector<ReportValue>& values, const std::vector<Threshold>& thresholds,
                  const CheckOptions& options) {
  CheckReport report;
  for (CheckResult& result : check_report(thresholds, values)) {
    const bool failed = result.outcome == CheckOutcome::Failed ||
                        (result.outcome == CheckOutcome::Absent && !options.absent_passes);
    std::string worst = failed && options.worst ? options.worst(result.value.key) : std::string();
    report.checks.push_back({std::move(result), failed, std::move(worst)});
    report.failed += failed ? 1 : 0;
  }
  return report;
}

CheckReport check(const ReportCard& card, const std::vector<Threshold>& thresholds,
                  const CheckOptions& options) {
  return check(report_values(card), thresholds, options);
}

void check_keys(const std::vector<Threshold>& thresholds) {
  ReportCard blank;
  blank.fallback_counts = {0};
  (void)check_report(thresholds, report_values(blank));
}

MapCheck check(const robot::Map& map, const Model& model) {
  MapCheck result;
  result.faults = robot::check_robot_map(map, model);
  result.usable = result.faults.empty() || !result.faults.front().error;
  return result;
}

}  // namespace panto
