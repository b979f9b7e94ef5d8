// The figures of a robot's motion as a table for people.

#include <algorithm>
#include <numeric>
#include <string>

#include "panto/base/index.hpp"
#include "panto/base/text.hpp"
#include "panto/report/table_text.hpp"
#include "panto/report/tables.hpp"

namespace panto {
namespace {

using table::number;
using table::row;
constexpr std::size_t kShownJoints = 5, kShownPairs = 5;

std::string percent(std::optional<double> share) {
  if (share) *share *= 100.0;
  return number(share);
}

std::string millimetres(const std::optional<double>& value) {
  return number(value, 1e3 * table::kMetreRounding);
}

std::string count(std::int64_t value) { return std::to_string(value); }

// The joints that are on a limit for longest.
std::string joints_on_limits(const RobotFigures& figures, const Model& model) {
  std::vector<int> order(figures.joint_on_limit_share.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return figures.joint_on_limit_share[at(a)] > figures.joint_on_limit_share[at(b)];
  });
  std::string text;
  for (std::size_t i = 0; i < std::min(order.size(), kShownJoints); ++i) {
    const double share = figures.joint_on_limit_share[at(order[i])];
    const bool still = figures.frames > 1 && at(order[i]) < figures.joint_moved.size() &&
                       figures.joint_moved[at(order[i])] == 0;
    if (share > 0.0)
      text += row("  " + model.joint_names()[at(order[i])], {percent(share)}, still ? "%, never moves" : "%");
  }
  return text;
}

std::string with_moment(const std::string& unit, const std::optional<double>& at_s) {
  return unit + (at_s ? ", at " + decimals(*at_s, 2) + " s" : "");
}

std::string figure(const std::optional<double>& value) { return number(value, 1e-6); }

std::string base(const BaseFigures& f) {
  if (!f.base_tilt_median_deg) return "";
  std::string text = "\n" + row("base, beyond the person", {"", "p99", "max"}, "");
  text += row("  speed", {"", figure(f.base_speed_excess_p99_m_s), figure(f.base_speed_excess_max_m_s)},
              with_moment("m/s", f.base_speed_excess_max_at_s));
  text += row("  acceleration",
              {"", figure(f.base_acceleration_excess_p99_m_s2), figure(f.base_acceleration_excess_max_m_s2)},
              with_moment("m/s^2", f.base_acceleration_excess_max_at_s));
  text += row("", {"median", "p95", "max"}, "");
  text += row("  lean off the person's",
              {figure(f.base_tilt_median_deg), figure(f.base_tilt_p95_deg), figure(f.base_tilt_max_deg)},
              with_moment("deg", f.base_tilt_max_at_s));
  return text + row("  heading off the person's",
                    {figure(f.base_heading_median_deg), figure(f.base_heading_p95_deg),
                     figure(f.base_heading_max_deg)},
                    with_moment("deg", f.base_heading_max_at_s));
}

std::string limbs(const LimbFigures& f) {
  if (!f.limb_direction_mean_deg) return "";
  std::string text = "\n" + row("", {"mean", "p95", "max"}, "");
  text += row(
      "directions of limbs",
      {figure(f.limb_direction_mean_deg), figure(f.limb_direction_p95_deg), figure(f.limb_direction_max_deg)},
      with_moment("deg", f.limb_direction_max_at_s));
  text += "  worst " + f.limb_direction_max_limb + "\n";
  text += row("  over 60 deg, longest", {figure(f.limb_over_60_longest_s)},
              with_moment("s", f.limb_over_60_longest_at_s));
  return text + (f.limb_over_60_longest_limb.empty() ? "" : "  of " + f.limb_over_60_longest_limb + "\n");
}

std::string floor(const FloorFigures& f) {
  if (!f.body_under_10mm_share) return "";
  std::string text =
      "\n" + row("body 10 mm under the floor", {percent(f.body_under_10mm_share)}, "% of the frames");
  text += row("  deepest", {figure(f.body_under_max_mm)}, with_moment("mm", f.body_under_max_at_s));
  if (!f.body_under_max_part.empty()) text += "  of " + f.body_under_max_part + "\n";
  return text + row("no part near it, longest", {figure(f.body_floating_longest_s)},
                    with_moment("s", f.body_floating_longest_at_s));
}

std::string feet(const RobotFigures& f) {
  std::string text = "\n" + row("", {"median", "p95", "max"}, "");
  text += row("foot skate in stance",
              {millimetres(f.foot_skate_median_mm_s), millimetres(f.foot_skate_p95_mm_s),
               millimetres(f.foot_skate_max_mm_s)},
              "mm/s");
  text += row("stance soles over floor",
              {millimetres(f.foot_float_median_mm), "", millimetres(f.foot_float_max_mm)}, "mm");
  text += "\n" + row("", {"mean", "share, %", "max"}, "");
  text += row("soles under the floor",
              {millimetres(f.foot_penetration_mean_mm), percent(f.foot_penetration_share),
               millimetres(f.foot_penetration_max_mm)},
              "mm");
  text +=
      row("hand distance error",
          {millimetres(f.hand_distance_error_mean_mm), "", millimetres(f.hand_distance_error_max_mm)}, "mm");
  text += row("  where hands touch", {"", "", millimetres(f.hand_distance_close_max_mm)}, "mm");
  if (f.hand_body_frames == 0) return text;
  text += "\n" + row("hands on the body, error", {"frames", "mean", "max"}, "");
  for (const RobotFigures::Touch& touch : f.hand_body)
    text += row("  " + touch.name,
                {count(touch.frames), millimetres(touch.mean_mm), millimetres(touch.max_mm)}, "mm");
  return text;
}

std::string limits(const RobotFigures& f, const Model& model) {
  std::string text = "\n" + row("", {"count", "largest"}, "");
  text +=
      row("position limits broken", {count(f.limit_violations), number(f.limit_violation_max_rad)}, "rad");
  text += row("speed limits broken", {count(f.velocity_violations), number(f.velocity_violation_max_rad_s)},
              "rad/s");
  text += row("coupled rows broken", {count(f.row_violations), number(f.row_violation_max)}, "");
  text += row("a joint on its limit", {percent(f.on_limit_share)}, "% of the frames");
  return text + joints_on_limits(f, model);
}

}  // namespace

std::string format_table(const RobotFigures& f, const Model& model) {
  std::string text = row("feet in stance", {percent(f.stance_share)}, "%");
  text += row("soles near the floor", {percent(f.foot_near_floor_share)}, "%");
  text += base(f.base) + limbs(f.limbs) + floor(f.floor) + feet(f) + limits(f, model);
  text += "\n" + row("joint jerk, RMS", {number(f.jerk_rms_rad_s3, 1e-6)}, "rad/s^3");
  text += row("joint acceleration, RMS", {number(f.joint_acceleration_rms_rad_s2, 1e-6)}, "rad/s^2");
  text += row("joint acceleration, max", {number(f.joint_acceleration_max_rad_s2, 1e-6)},
              with_moment("rad/s^2", f.joint_acceleration_max_at_s));
  if (!f.joint_acceleration_max_joint.empty()) text += "  of " + f.joint_acceleration_max_joint + "\n";
  text += row("  at touch-down", {number(f.touch_down_acceleration_max_rad_s2, 1e-6)}, "rad/s^2");
  if (f.obstacle_share) {
    text += "\n" + row("in an obstacle", {percent(f.obstacle_share)}, "% of the frames");
    text += row("  deepest", {number(f.obstacle_max_mm)}, "mm") +
            (f.obstacle_max_pair.empty() ? "" : "  of " + f.obstacle_max_pair + "\n");
  }
  text += "\n" + row("limbs that overlap", {percent(f.overlap_share)}, "% of the frames");
  for (std::size_t i = 0; i < std::min(f.overlaps.size(), kShownPairs); ++i)
    text += row("  " + f.overlaps[i].name, {count(f.overlaps[i].frames), number(f.overlaps[i].max_mm)},
                "frames, mm");
  if (f.overlaps.size() > kShownPairs)
    text +=
        "  and " + counted(static_cast<std::int64_t>(f.overlaps.size() - kShownPairs), "other pair") + "\n";
  return text;
}

}  // namespace panto
