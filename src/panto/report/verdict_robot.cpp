// Verdicts on motions of a robot.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "panto/api/imitate.hpp"
#include "panto/api/retarget.hpp"
#include "panto/base/text.hpp"
#include "panto/report/judgement.hpp"
#include "panto/report/report.hpp"

namespace panto {

using namespace verdict_limits;

namespace {

using report::amount;
using report::Judgement;

constexpr double kAngleRounding = 1e-6, kLengthRounding = 1e-3;  // [deg], [mm]

std::string in_frames(double share) { return amount(100.0 * share, "% of the frames"); }

std::string at_moment(const std::optional<double>& at_s, const char* word = " at ") {
  return at_s ? word + decimals(*at_s, 2) + " s" : "";
}

void judge_limits(const RetargetResult& result, Judgement& judgement) {
  const auto broken = [&](std::int64_t count, const char* what) {
    if (count == 0) return;
    judgement.unreliable(counted(count, what) + " broken");
    if (!result.scaling) judgement.remedy(Remedy::ScaleIntoLimits);
  };
  broken(result.figures.limit_violations, "position limit");
  broken(result.figures.velocity_violations, "speed limit");
  broken(result.figures.row_violations, "coupled limit");
}

// what follows the person, in words
std::string where_it_can_follow(const RetargetResult& result) {
  return result.posed ? "where the character can follow" : "where the robot can follow";
}

std::string error_row(const RetargetResult& result) { return "error " + where_it_can_follow(result); }

// where the whole body is wrong: feet that pull at it, or a skeleton or robot that is understood wrongly
void suggest_for_body(const RetargetResult& result, Judgement& judgement) {
  if (result.feet == FeetMode::Hold)
    judgement.remedy(Remedy::PlanFeet);
  else
    judgement.remedy(Remedy::InspectBoth);
}

void judge_limbs(const RetargetResult& result, Judgement& judgement) {
  const LimbFigures& limbs = result.figures.limbs;
  const FollowingFigures& following = result.following;
  bool bad = false;
  if (limbs.limb_direction_max_deg && limbs.limb_over_60_longest_s)
    bad |= judgement.hold(
        limbs.limb_over_60_longest_s, kLimbLost,
        limbs.limb_direction_max_limb == limbs.limb_over_60_longest_limb
            ? limbs.limb_direction_max_limb + " " + amount(*limbs.limb_direction_max_deg, "deg") + " off" +
                  at_moment(limbs.limb_direction_max_at_s) + " (over 60 deg for " +
                  amount(*limbs.limb_over_60_longest_s, "s") + ")"
            : limbs.limb_over_60_longest_limb + " over 60 deg off for " +
                  amount(*limbs.limb_over_60_longest_s, "s") + at_moment(limbs.limb_over_60_longest_at_s));
  if (!following.collapsed_link.empty())
    bad |= judgement.hold(following.collapsed_longest_s, kCollapsed,
                          following.collapsed_link + " is more than 90 deg off for up to " +
                              amount(following.collapsed_longest_s, "s"));
  if (following.followable_mean_deg)
    bad |= judgement.hold(following.followable_mean_deg, kFollowableMean,
                          "links are " + amount(*following.followable_mean_deg, "deg") + " off on average " +
                              where_it_can_follow(result));
  if (following.followable_p99_deg)
    bad |= judgement.hold(following.followable_p99_deg, kFollowableP99,
                          "1 % of the orientations are more than " +
                              amount(*following.followable_p99_deg, "deg") + " off" +
                              (following.worst_link.empty() ? "" : ", worst " + following.worst_link));
  if (bad) suggest_for_body(result, judgement);
}

void judge_base(const RetargetResult& result, bool fixed, Judgement& judgement) {
  const BaseFigures& base = result.figures.base;
  bool bad = false;
  if (base.base_speed_excess_max_m_s) {
    bad |= judgement.hold(base.base_speed_excess_max_m_s, kBaseFaster,
                          "the base moves " + amount(*base.base_speed_excess_max_m_s, "m/s") +
                              " faster than the person" + at_moment(base.base_speed_excess_max_at_s));
  } else if (result.card
                 .base_excess_max_m_s) {  // a fixed base: a link that follows a position, such as a hand
    judgement.hold(result.card.base_excess_max_m_s, kBaseExcess,
                   std::string(fixed ? "a link" : "the base") + " moves up to " +
                       amount(*result.card.base_excess_max_m_s, "m/s") + " faster than the person");
  }
  if (base.base_acceleration_excess_p99_m_s2)
    bad |= judgement.hold(base.base_acceleration_excess_p99_m_s2, kBaseJolt,
                          "the base jolts by " + amount(*base.base_acceleration_excess_p99_m_s2, "m/s^2") +
                              " beyond the person (99 %), most" +
                              at_moment(base.base_acceleration_excess_max_at_s));
  if (bad && result.feet == FeetMode::Hold)
    judgement.remedy(Remedy::PlanFeet);
  else if (bad && !result.smoothed && !result.scaling && !result.posed)
    judgement.remedy(Remedy::Smooth);
  // `off`: "the trunk leans", "off the person's"; the median and 95 %
  const auto turned = [&](const std::array<const char*, 2>& off, const std::optional<double>& median,
                          const FigureLimit& usual, const std::optional<double>& p95, const FigureLimit& most,
                          const std::optional<double>& at_s) {
    const auto text = [&](double angle) { return off[0] + (" " + amount(angle, "deg") + " ") + off[1]; };
    bool over = median && judgement.hold(median, usual, text(*median) + " in the median");
    if (p95) over |= judgement.hold(p95, most, text(*p95) + " (95 %), most" + at_moment(at_s));
    return over;
  };
  const bool leans = turned({"the trunk leans", "off the person's"}, base.base_tilt_median_deg, kTiltMedian,
                            base.base_tilt_p95_deg, kTiltMost, base.base_tilt_max_at_s);
  const bool faces =
      turned({"the base faces", "off the person"}, base.base_heading_median_deg, kHeadingMedian,
             base.base_heading_p95_deg, kHeadingMost, base.base_heading_max_at_s);
  if (leans || faces) suggest_for_body(result, judgement);
}

void judge_floor(const RetargetResult& result, Judgement& judgement) {
  const RobotFigures& f = result.figures;
  bool bad = false;
  for (const std::string& what : result.not_judged) judgement.care(what);
  if (f.foot_unplanted_share)
    judgement.hold(f.foot_unplanted_share, kUnplanted,
                   "no foot is found standing although soles are near the floor in " +
                       in_frames(*f.foot_unplanted_share) +
                       ": there they are not planted, and sliding is not judged");
  if (f.foot_skate_p95_mm_s)
    bad |= judgement.hold(f.foot_skate_p95_mm_s, kSkate,
                          "stance feet slide at " + amount(*f.foot_skate_p95_mm_s, "mm/s") + " (95 %)");
  if (f.foot_penetration_max_mm)
    bad |= judgement.hold(f.foot_penetration_max_mm, kPenetration,
                          "soles are up to " + amount(*f.foot_penetration_max_mm, "mm") + " under the floor");
  if (f.foot_float_median_mm)
    bad |= judgement.hold(f.foot_float_median_mm, kFloat,
                          "stance feet float " + amount(*f.foot_float_median_mm, "mm") + " over the floor");
  if (f.floor.body_under_10mm_share)
    bad |= judgement.hold(f.floor.body_under_10mm_share, kBodyUnder,
                          "the body is under the floor in " + in_frames(*f.floor.body_under_10mm_share) +
                              ", deepest " + f.floor.body_under_max_part + ", " +
                              amount(f.floor.body_under_max_mm.value_or(0.0), "mm") +
                              at_moment(f.floor.body_under_max_at_s));
  if (f.floor.body_under_max_mm)
    bad |= judgement.hold(f.floor.body_under_max_mm, kBodyDeepest,
                          f.floor.body_under_max_part + " " + amount(*f.floor.body_under_max_mm, "mm") +
                              " under the floor" + at_moment(f.floor.body_under_max_at_s));
  if (f.floor.body_floating_longest_s &&
      judgement.hold(f.floor.body_floating_longest_s, kBodyFloats,
                     "the body floats over the floor for " + amount(*f.floor.body_floating_longest_s, "s") +
                         at_moment(f.floor.body_floating_longest_at_s, " from ")))
    judgement.remedy(Remedy::Ground);
  if (bad && result.feet != FeetMode::Plant) judgement.remedy(Remedy::PlanFeet);
}

void judge_joints(const RetargetResult& result, Judgement& judgement) {
  if (result.posed) return;
  const RobotFigures& f = result.figures;
  const bool free = !result.smoothed && !result.scaling;
  if (f.joint_acceleration_rms_rad_s2 &&
      judgement.hold(f.joint_acceleration_rms_rad_s2, kJointJolt,
                     "joints jerk: " + amount(*f.joint_acceleration_rms_rad_s2, "rad/s^2") + " rms, most " +
                         f.joint_acceleration_max_joint + at_moment(f.joint_acceleration_max_at_s)) &&
      free)
    judgement.remedy(Remedy::Smooth);
  if (f.joint_on_limit_max_share &&
      judgement.hold(
          f.joint_on_limit_max_share, kOnLimit,
          f.joint_on_limit_max_joint + " is on its limit in " + in_frames(*f.joint_on_limit_max_share)) &&
      free)
    judgement.remedy(Remedy::ScaleIntoLimits);
  if (f.overlap_share)
    judgement.hold(f.overlap_share, kOverlap, "limbs overlap in " + in_frames(*f.overlap_share));
  if (f.obstacle_share)
    judgement.hold(f.obstacle_share, kInObstacle,
                   "the body is in an obstacle in " + in_frames(*f.obstacle_share) + ", deepest " +
                       f.obstacle_max_pair + ", " + amount(f.obstacle_max_mm.value_or(0.0), "mm"));
}

std::optional<double> percent(std::optional<double> share) {
  if (share) *share *= 100.0;
  return share;
}

// the first five matter most where none is over its limit
void add_figures(const RetargetResult& result, const Model& model, Judgement& judgement) {
  const RobotFigures& f = result.figures;
  judgement.figure({error_row(result), result.following.followable_mean_deg, "deg", kFollowableMean.care,
                    kAngleRounding, "mean"});
  judgement.figure(
      {"feet slide in stance, 95 %", f.foot_skate_p95_mm_s, "mm/s", kSkate.care, kLengthRounding, ""});
  if (f.foot_penetration_max_mm || !f.foot_skate_p95_mm_s)
    judgement.figure({"soles under the floor, deepest", f.foot_penetration_max_mm, "mm", kPenetration.care,
                      kLengthRounding, ""});
  const std::optional<double>& faster =
      f.base.base_speed_excess_max_m_s ? f.base.base_speed_excess_max_m_s : result.card.base_excess_max_m_s;
  if (faster)
    judgement.figure({model.floating_base() ? "base faster than the person, at most"
                                            : "link faster than the person, at most",
                      std::max(0.0, *faster), "m/s", kBaseFaster.care, 1e-6, ""});
  judgement.figure({"a limb over 60 deg off, longest", f.limbs.limb_over_60_longest_s, "s", kLimbLost.care,
                    1e-6, f.limbs.limb_over_60_longest_limb});
  if (!result.posed)
    judgement.figure({"time on a limit, worst joint", percent(f.joint_on_limit_max_share), "%",
                      100.0 * kOnLimit.care, 0.0,
                      f.joint_on_limit_max_joint.empty() ? "no joint" : f.joint_on_limit_max_joint});
  if (f.base.base_acceleration_excess_p99_m_s2)
    judgement.figure({"base jolts beyond the person, 99 %",
                      std::max(0.0, *f.base.base_acceleration_excess_p99_m_s2), "m/s^2", kBaseJolt.care, 1e-6,
                      ""});
  judgement.figure(
      {"lean off the person's, median", f.base.base_tilt_median_deg, "deg", kTiltMedian.care, 1e-6, ""});
  judgement.figure(
      {"lean off the person's, 95 %", f.base.base_tilt_p95_deg, "deg", kTiltMost.care, 1e-6, ""});
  judgement.figure({"heading off the person's, median", f.base.base_heading_median_deg, "deg",
                    kHeadingMedian.care, 1e-6, ""});
  judgement.figure(
      {"heading off the person's, 95 %", f.base.base_heading_p95_deg, "deg", kHeadingMost.care, 1e-6, ""});
  judgement.figure({"body under the floor, frames", percent(f.floor.body_under_10mm_share), "%",
                    100.0 * kBodyUnder.care, 0.0, f.floor.body_under_max_part});
  judgement.figure(
      {"stance feet over the floor, median", f.foot_float_median_mm, "mm", kFloat.care, kLengthRounding, ""});
  judgement.figure(
      {"no part near the floor, longest", f.floor.body_floating_longest_s, "s", kBodyFloats.care, 1e-6, ""});
  if (!result.posed)
    judgement.figure({"joint acceleration, rms", f.joint_acceleration_rms_rad_s2, "rad/s^2", kJointJolt.care,
                      1e-6, f.joint_acceleration_max_joint});
  judgement.figure({"limbs that overlap, frames", percent(f.overlap_share), "%", 100.0 * kOverlap.care, 0.0,
                    f.overlaps.empty() ? "" : f.overlaps.front().name});
  if (f.obstacle_share)
    judgement.figure({"in an obstacle, frames", percent(f.obstacle_share), "%", 100.0 * kInObstacle.care, 0.0,
                      f.obstacle_max_pair});
  if (f.limbs.limb_direction_max_deg)
    judgement.figure({"worst limb direction",
                      f.limbs.limb_direction_max_deg,
                      "deg",
                      {},
                      kAngleRounding,
                      f.limbs.limb_direction_max_limb + at_moment(f.limbs.limb_direction_max_at_s)});
}

}  // namespace

Verdict verdict_of(const RetargetResult& result, const Model& model) {
  Judgement judgement;
  judge_limits(result, judgement);
  report::judge_run(result, judgement);
  judge_limbs(result, judgement);
  judge_base(result, !model.floating_base(), judgement);
  judge_floor(result, judgement);
  judge_joints(result, judgement);
  add_figures(result, model, judgement);
  const auto& error = result.following.followable_mean_deg;
  return judgement.verdict(std::string(result.posed ? "posed like the person" : "within all limits") +
                               (error ? ", " + amount(*error, "deg", kAngleRounding) + " off on average " +
                                            where_it_can_follow(result)
                                      : ""),
                           error_row(result));
}

Verdict verdict_of(const ImitateResult& result, const Model& model) {
  Judgement judgement;
  if (result.gestures.empty()) {
    judgement.unreliable("no gesture was found");
    return judgement.verdict("");
  }
  std::int64_t good = 0;
  const GestureResult* slowest = &result.gestures.front();
  for (const GestureResult& gesture : result.gestures) {
    const Verdict one = verdict_of(gesture.result, model);
    good += one.grade == Verdict::Grade::Good ? 1 : 0;
    const std::size_t begin = one.sentence.find(' ', std::string(word_of(one.grade)).size()) + 1;
    const std::string why = "gesture " + std::to_string(gesture.recorded.number) + ": " +
                            one.sentence.substr(begin, one.sentence.size() - begin - 1);
    if (one.grade == Verdict::Grade::Unreliable) judgement.unreliable(why);
    if (one.grade == Verdict::Grade::Care) judgement.care(why);
    if (gesture.result.scaling && slowest->result.scaling &&
        gesture.result.scaling->time.stretch > slowest->result.scaling->time.stretch)
      slowest = &gesture;
  }
  judgement.figure({"gestures", static_cast<double>(result.gestures.size()), "", {}, 0.0, ""});
  judgement.figure({"of them good", static_cast<double>(good), "", {}, 0.0, ""});
  if (slowest->result.scaling &&
      slowest->result.scaling->time.stretch >= 1.0005)  // three decimals say more than 1
    judgement.figure({"slowed down for speed limits, at most",
                      slowest->result.scaling->time.stretch,
                      "times",
                      {},
                      0.0,
                      "gesture " + std::to_string(slowest->recorded.number)});
  return judgement.verdict(counted(std::ssize(result.gestures), "gesture") + " within the robot's limits");
}

}  // namespace panto
