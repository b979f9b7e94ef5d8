// Lists the figures of a robot's motion by key.

#include "panto/evaluation/robot_figures.hpp"

namespace panto {

std::vector<ReportValue> report_values(const RobotFigures& f) {
  std::vector<ReportValue> values;
  const auto add = [&](const char* key, std::optional<double> value) {
    values.push_back({key, value, std::nullopt});
  };
  const auto add_count = [&](const char* key, std::int64_t value) { add(key, static_cast<double>(value)); };
  add("foot_skate_median_mm_s", f.foot_skate_median_mm_s);
  add("foot_skate_p95_mm_s", f.foot_skate_p95_mm_s);
  add("foot_skate_max_mm_s", f.foot_skate_max_mm_s);
  add("foot_penetration_mean_mm", f.foot_penetration_mean_mm);
  add("foot_penetration_max_mm", f.foot_penetration_max_mm);
  add("foot_penetration_share", f.foot_penetration_share);
  add("foot_float_median_mm", f.foot_float_median_mm);
  add("foot_float_max_mm", f.foot_float_max_mm);
  add("stance_share", f.stance_share);
  add("hand_distance_error_mean_mm", f.hand_distance_error_mean_mm);
  add("hand_distance_error_max_mm", f.hand_distance_error_max_mm);
  add("hand_distance_close_max_mm", f.hand_distance_close_max_mm);
  add_count("hand_body_frames", f.hand_body_frames);
  add("hand_body_error_mean_mm", f.hand_body_error_mean_mm);
  add("hand_body_error_max_mm", f.hand_body_error_max_mm);
  add("jerk_rms_rad_s3", f.jerk_rms_rad_s3);
  add("joint_acceleration_max_rad_s2", f.joint_acceleration_max_rad_s2);
  add("touch_down_acceleration_max_rad_s2", f.touch_down_acceleration_max_rad_s2);
  add_count("limit_violations", f.limit_violations);
  add("limit_violation_max_rad", f.limit_violation_max_rad);
  add_count("velocity_violations", f.velocity_violations);
  add("velocity_violation_max_rad_s", f.velocity_violation_max_rad_s);
  add_count("row_violations", f.row_violations);
  add("row_violation_max", f.row_violation_max);
  add("on_limit_share", f.on_limit_share);
  add_count("overlap_frames", f.overlap_frames);
  add("overlap_share", f.overlap_share);
  add("overlap_max_mm", f.overlap_max_mm);
  return values;
}

}  // namespace panto
