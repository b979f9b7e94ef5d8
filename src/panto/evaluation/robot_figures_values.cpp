// Lists the figures of a robot's motion by key.

#include "panto/evaluation/robot_figures.hpp"

namespace panto {

// size: one list
std::vector<ReportValue> report_values(const RobotFigures& f) {
  std::vector<ReportValue> values;
  const auto add = [&](const char* key, std::optional<double> value) {
    values.push_back({key, value, std::nullopt});
  };
  const auto add_count = [&](const char* key, std::int64_t value) { add(key, static_cast<double>(value)); };
  const auto add_name = [&](const char* key, const std::string& name) {
    values.push_back({key, std::nullopt, name.empty() ? std::nullopt : std::optional(name)});
  };
  add("base_speed_excess_p99_m_s", f.base.base_speed_excess_p99_m_s);
  add("base_speed_excess_max_m_s", f.base.base_speed_excess_max_m_s);
  add("base_speed_excess_max_at_s", f.base.base_speed_excess_max_at_s);
  add("base_acceleration_p99_m_s2", f.base.base_acceleration_p99_m_s2);
  add("base_acceleration_excess_p99_m_s2", f.base.base_acceleration_excess_p99_m_s2);
  add("base_acceleration_excess_max_m_s2", f.base.base_acceleration_excess_max_m_s2);
  add("base_acceleration_excess_max_at_s", f.base.base_acceleration_excess_max_at_s);
  add("base_tilt_median_deg", f.base.base_tilt_median_deg);
  add("base_tilt_p95_deg", f.base.base_tilt_p95_deg);
  add("base_tilt_max_deg", f.base.base_tilt_max_deg);
  add("base_tilt_max_at_s", f.base.base_tilt_max_at_s);
  add("base_heading_median_deg", f.base.base_heading_median_deg);
  add("base_heading_p95_deg", f.base.base_heading_p95_deg);
  add("base_heading_max_deg", f.base.base_heading_max_deg);
  add("base_heading_max_at_s", f.base.base_heading_max_at_s);
  add("limb_direction_mean_deg", f.limbs.limb_direction_mean_deg);
  add("limb_direction_p95_deg", f.limbs.limb_direction_p95_deg);
  add("limb_direction_max_deg", f.limbs.limb_direction_max_deg);
  add("limb_direction_max_at_s", f.limbs.limb_direction_max_at_s);
  add_name("limb_direction_max_limb", f.limbs.limb_direction_max_limb);
  add("limb_over_60_longest_s", f.limbs.limb_over_60_longest_s);
  add("limb_over_60_longest_at_s", f.limbs.limb_over_60_longest_at_s);
  add_name("limb_over_60_longest_limb", f.limbs.limb_over_60_longest_limb);
  add("body_under_10mm_share", f.floor.body_under_10mm_share);
  add("body_under_max_mm", f.floor.body_under_max_mm);
  add("body_under_max_at_s", f.floor.body_under_max_at_s);
  add_name("body_under_max_part", f.floor.body_under_max_part);
  add("body_floating_longest_s", f.floor.body_floating_longest_s);
  add("body_floating_longest_at_s", f.floor.body_floating_longest_at_s);
  add("foot_skate_median_mm_s", f.foot_skate_median_mm_s);
  add("foot_skate_p95_mm_s", f.foot_skate_p95_mm_s);
  add("foot_skate_max_mm_s", f.foot_skate_max_mm_s);
  add("foot_penetration_mean_mm", f.foot_penetration_mean_mm);
  add("foot_penetration_max_mm", f.foot_penetration_max_mm);
  add("foot_penetration_share", f.foot_penetration_share);
  add("foot_under_5mm_share", f.foot_under_5mm_share);
  add("foot_float_median_mm", f.foot_float_median_mm);
  add("foot_float_max_mm", f.foot_float_max_mm);
  add("stance_share", f.stance_share);
  add("foot_near_floor_share", f.foot_near_floor_share);
  add("foot_unplanted_share", f.foot_unplanted_share);
  add_count("unjudged", f.unjudged);
  add("hand_distance_error_mean_mm", f.hand_distance_error_mean_mm);
  add("hand_distance_error_max_mm", f.hand_distance_error_max_mm);
  add("hand_distance_close_max_mm", f.hand_distance_close_max_mm);
  add_count("hand_body_frames", f.hand_body_frames);
  add("hand_body_error_mean_mm", f.hand_body_error_mean_mm);
  add("hand_body_error_max_mm", f.hand_body_error_max_mm);
  add("jerk_rms_rad_s3", f.jerk_rms_rad_s3);
  add("jerk_max_rad_s3", f.jerk_max_rad_s3);
  add("joint_acceleration_rms_rad_s2", f.joint_acceleration_rms_rad_s2);
  add("joint_acceleration_max_rad_s2", f.joint_acceleration_max_rad_s2);
  add("joint_acceleration_max_at_s", f.joint_acceleration_max_at_s);
  add_name("joint_acceleration_max_joint", f.joint_acceleration_max_joint);
  add("touch_down_acceleration_max_rad_s2", f.touch_down_acceleration_max_rad_s2);
  add_count("limit_violations", f.limit_violations);
  add("limit_violation_max_rad", f.limit_violation_max_rad);
  add_count("velocity_violations", f.velocity_violations);
  add("velocity_violation_max_rad_s", f.velocity_violation_max_rad_s);
  add_count("row_violations", f.row_violations);
  add("row_violation_max", f.row_violation_max);
  add("on_limit_share", f.on_limit_share);
  add("joint_on_limit_max_share", f.joint_on_limit_max_share);
  add_name("joint_on_limit_max_joint", f.joint_on_limit_max_joint);
  add_count("overlap_frames", f.overlap_frames);
  add("overlap_share", f.overlap_share);
  add("overlap_max_mm", f.overlap_max_mm);
  add("obstacle_share", f.obstacle_share);
  add("obstacle_max_mm", f.obstacle_max_mm);
  add_name("obstacle_max_pair", f.obstacle_max_pair);
  return values;
}

}  // namespace panto
