// Verdicts on motions: of a human, of a robot.

#include "panto/report/report.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "panto/api/imitate.hpp"
#include "panto/api/retarget.hpp"
#include "panto/base/index.hpp"
#include "panto/base/text.hpp"
#include "panto/math/degrees.hpp"
#include "panto/report/judgement.hpp"

namespace panto {

using namespace verdict_limits;

namespace {

using report::amount;
using report::Judgement;

constexpr double kCentresApart = 1e-3;                           // [m]; less needs no word
constexpr double kAngleRounding = 1e-6, kLengthRounding = 1e-3;  // [deg], [mm]

std::int64_t count_of(const ReportCard& card, StepStatus status) {
  return card.status_counts[static_cast<std::size_t>(status)];
}

double percent(double share) { return 100.0 * share; }

std::string in_frames(double share) { return amount(percent(share), "% of the frames"); }

// the joint that is longest on a limit; those that never move are parked there
int parked_longest(const RobotFigures& figures) {
  int longest = -1;
  for (int i = 0; i < static_cast<int>(figures.joint_on_limit_share.size()); ++i) {
    if (at(i) < figures.joint_moved.size() && figures.joint_moved[at(i)] == 0) continue;
    const double share = figures.joint_on_limit_share[at(i)];
    if (share > 0.0 && (longest < 0 || share > figures.joint_on_limit_share[at(longest)])) longest = i;
  }
  return longest;
}

// of a fixed base the figure is that of the first link that follows a position, such as a hand
void judge_base(const ReportCard& card, Judgement& judgement, bool fixed = false) {
  if (card.base_excess_max_m_s)
    judgement.hold(card.base_excess_max_m_s, kBaseExcess,
                   std::string(fixed ? "a link" : "the base") + " moves up to " +
                       amount(*card.base_excess_max_m_s, "m/s") + " faster than the person");
}

void judge_limits(const RobotFigures& figures, Judgement& judgement) {
  const auto broken = [&](std::int64_t count, const char* what) {
    if (count > 0) judgement.unreliable(counted(count, what) + " broken");
  };
  broken(figures.limit_violations, "position limit");
  broken(figures.velocity_violations, "speed limit");
  broken(figures.row_violations, "coupled limit");
}

void judge_following(const FollowingFigures& following, Judgement& judgement) {
  if (!following.collapsed_link.empty())
    judgement.hold(following.collapsed_longest_s, kCollapsed,
                   following.collapsed_link + " is more than 90 deg off for up to " +
                       amount(following.collapsed_longest_s, "s"));
  if (following.followable_mean_deg)
    judgement.hold(following.followable_mean_deg, kFollowableMean,
                   "links are " + amount(*following.followable_mean_deg, "deg") +
                       " off on average where the robot can follow");
  if (following.followable_p99_deg)
    judgement.hold(following.followable_p99_deg, kFollowableP99,
                   "1 % of the orientations are more than " + amount(*following.followable_p99_deg, "deg") +
                       " off" + (following.worst_link.empty() ? "" : ", worst " + following.worst_link));
}

void judge_feet(const RobotFigures& f, Judgement& judgement) {
  if (f.foot_skate_p95_mm_s)
    judgement.hold(f.foot_skate_p95_mm_s, kSkate,
                   "stance feet slide at " + amount(*f.foot_skate_p95_mm_s, "mm/s") + " (95 %)");
  if (f.foot_penetration_max_mm)
    judgement.hold(f.foot_penetration_max_mm, kPenetration,
                   "soles are up to " + amount(*f.foot_penetration_max_mm, "mm") + " under the floor");
}

std::string joint_name(const Model& model, int joint) {
  return joint >= 0 && joint < model.dof() ? model.joint_names()[at(joint)] : std::string();
}

void judge_joints(const RobotFigures& f, const Model& model, Judgement& judgement) {
  const int joint = parked_longest(f);
  if (joint >= 0)
    judgement.hold(
        percent(f.joint_on_limit_share[at(joint)]), kOnLimit,
        joint_name(model, joint) + " is on its limit in " + in_frames(f.joint_on_limit_share[at(joint)]));
  if (f.overlap_share)
    judgement.hold(percent(*f.overlap_share), kOverlap,
                   "limbs are in each other in " + in_frames(*f.overlap_share));
}

void add_figures(const RetargetResult& result, const Model& model, Judgement& judgement) {
  const RobotFigures& f = result.figures;
  judgement.figure({"error where the robot can follow", result.following.followable_mean_deg, "deg",
                    kFollowableMean.care, kAngleRounding, "mean"});
  judgement.figure(
      {"feet slide in stance, 95 %", f.foot_skate_p95_mm_s, "mm/s", kSkate.care, kLengthRounding, ""});
  if (f.foot_penetration_max_mm || !f.foot_skate_p95_mm_s)
    judgement.figure({"soles under the floor, deepest", f.foot_penetration_max_mm, "mm", kPenetration.care,
                      kLengthRounding, ""});
  if (result.card.base_excess_max_m_s)
    judgement.figure({model.floating_base() ? "base faster than the person, at most"
                                            : "link faster than the person, at most",
                      std::max(0.0, *result.card.base_excess_max_m_s), "m/s", kBaseExcess.care, 1e-6, ""});
  const int joint = parked_longest(f);
  judgement.figure({"time on a limit, worst joint",
                    joint < 0 ? 0.0 : percent(f.joint_on_limit_share[at(joint)]), "%", kOnLimit.care, 0.0,
                    joint < 0 ? "no joint" : joint_name(model, joint)});
}

}  // namespace

void report::judge_card(const ReportCard& card, Judgement& judgement) {
  const std::int64_t stuck = count_of(card, StepStatus::Stuck);
  const std::int64_t solved = count_of(card, StepStatus::Solved) + count_of(card, StepStatus::Saturated);
  const auto frames = static_cast<double>(std::max<std::int64_t>(card.frames, 1));
  if (card.frames == 0) judgement.unreliable("there are no frames");
  judgement.hold(static_cast<double>(stuck) / frames, kStuck,
                 counted(stuck, "frame") + " turned the wrong way round (stuck)");
  const std::int64_t unsolved = card.frames - solved - stuck;
  judgement.hold(static_cast<double>(unsolved) / frames, kUnsolved,
                 std::to_string(unsolved) + " of " + counted(card.frames, "frame") + " could not be solved");
}

void report::judge_run(const TrackResult& result, Judgement& judgement) {
  const auto error = std::find_if(result.findings.begin(), result.findings.end(),
                                  [](const Finding& f) { return f.severity == Severity::Error; });
  if (error != result.findings.end()) judgement.unreliable("the recording is wrong: " + error->text);
  judge_card(result.card, judgement);
  const auto errors = std::count_if(result.findings.begin(), result.findings.end(),
                                    [](const Finding& f) { return f.severity == Severity::Error; });
  if (result.damage || result.card.recording_faults.value_or(0) > errors)
    judgement.care("the recording is damaged; " + counted(result.card.frames, "frame") + " could be used");
  const auto warnings = std::count_if(result.findings.begin(), result.findings.end(),
                                      [](const Finding& f) { return f.severity == Severity::Warning; });
  if (warnings > 0) judgement.care("the recording is odd in places (" + counted(warnings, "warning") + ")");
}

Verdict verdict_of(const TrackResult& result) {
  const ReportCard& card = result.card;
  Judgement judgement;
  report::judge_run(result, judgement);
  judgement.hold(card.limit_violations > 0
                     ? std::optional<double>(std::max(1e-9, card.limit_violation_max_rad * kToDegrees))
                     : std::nullopt,
                 kLimitBroken,
                 counted(card.limit_violations, "joint limit") + " broken, by up to " +
                     amount(card.limit_violation_max_rad * kToDegrees, "deg", kAngleRounding));
  if (card.angle_p99_deg)
    judgement.hold(card.angle_p99_deg, kAngleP99,
                   "1 % of the orientations are more than " + amount(*card.angle_p99_deg, "deg") + " off" +
                       (card.angle_max_deg ? ", the worst " + amount(*card.angle_max_deg, "deg") : ""));
  if (card.angle_max_deg && card.angle_p99_deg.value_or(0.0) <= kAngleP99.care)
    judgement.hold(card.angle_max_deg, kAngleMax,
                   "an orientation is up to " + amount(*card.angle_max_deg, "deg") + " off");
  judge_base(card, judgement);

  judgement.figure({"orientation error, mean", card.angle_mean_deg, "deg", {}, kAngleRounding, ""});
  judgement.figure(
      {"orientation error, 99 % below", card.angle_p99_deg, "deg", kAngleP99.care, kAngleRounding, ""});
  judgement.figure(
      {"orientation error, worst", card.angle_max_deg, "deg", kAngleMax.care, kAngleRounding, ""});
  if (card.origin_mean_m)
    judgement.figure(
        {"distance of joint centres, mean", 1e3 * *card.origin_mean_m, "mm", {}, kLengthRounding, ""});
  if (card.saturated_share.value_or(0.0) > 0.0)
    judgement.figure({"frames with a joint on its limit", percent(*card.saturated_share), "%", {}, 0.0, ""});
  if (!card.angle_mean_deg)
    return judgement.verdict("all " + counted(card.frames, "frame") +
                             " solved; no orientation to compare with");
  if (*card.angle_mean_deg < kAngleRounding) {
    const double apart = card.origin_mean_m.value_or(0.0);
    if (apart >= kCentresApart)
      return judgement.verdict("all orientations are met exactly, but for rounding; joint centres are " +
                               amount(1e3 * apart, "mm") + " off on average");
    return judgement.verdict("the model follows the recording exactly, but for rounding");
  }
  return judgement.verdict("the model follows the recording within " + amount(*card.angle_mean_deg, "deg") +
                           " on average");
}

Verdict verdict_of(const RetargetResult& result, const Model& model) {
  Judgement judgement;
  judge_limits(result.figures, judgement);
  report::judge_run(result, judgement);
  judge_base(result.card, judgement, !model.floating_base());
  judge_following(result.following, judgement);
  judge_feet(result.figures, judgement);
  judge_joints(result.figures, model, judgement);
  add_figures(result, model, judgement);
  const auto& error = result.following.followable_mean_deg;
  return judgement.verdict(
      std::string("within all limits") +
      (error ? ", " + amount(*error, "deg", kAngleRounding) + " off on average where the robot can follow"
             : ""));
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
    const std::string why =
        "gesture " + std::to_string(gesture.recorded.number) + ": " +
        one.sentence.substr(one.sentence.find(": ") + 2, one.sentence.size() - one.sentence.find(": ") - 3);
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
