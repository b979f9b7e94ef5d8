#include "panto/api/retarget.hpp"

#include <algorithm>

#include "panto/api/character.hpp"
#include "panto/api/robot_run.hpp"
#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/base/text.hpp"
#include "panto/retarget/solve_recording.hpp"
#include "panto/tracking/segment_tracker.hpp"

namespace panto {
namespace {

constexpr WorkPart kSolving{0, 6, 7}, kJudging{6, 1, 7};  // about as long as they take

std::optional<ClearMotionOptions> clearing(const RobotRun& run) {
  if (!clears(run.options) || run.robot.character) return {};
  ClearMotionOptions clearing;
  clearing.obstacles = obstacles_of(run.options, run.map);
  return clearing;
}

void retarget_scaled(RobotRun& run, const Observer& observer, Notes& notes, RetargetResult& result) {
  const Observer solving = part_of(observer, kSolving), judging = part_of(observer, kJudging);
  const std::shared_ptr<const FreeClip> clip = solve_free(run, solving, notes);
  result.ambiguous_starts = clip->ambiguous_starts;
  const auto scaled = scale_part(run, clip, 0, static_cast<int>(clip->samples.size()) - 1, judging, notes);
  RobotRecording& recording = *run.clip.recording;
  if (run.options.feet == FeetMode::Plant && run.robot.model.floating_base()) {
    PlantMotionOptions planting;
    planting.speed_limit = run.options.scale->time.speed_limit;
    notes.add(scaled->plant(run.robot.model, recording.skeleton(), run.clip.feet,
                            base_wishes(recording, run.clip.feet.contacts.ground), planting));
  }
  if (std::optional<ClearMotionOptions> options = clearing(run)) {
    options->speed_limit = run.options.scale->time.speed_limit;
    notes.add(scaled->clear(run.robot.model, recording.skeleton(), *options));
  }
  run_scaled(run, *scaled, judging, notes, result);
  if (!clip->problem.empty()) result.damage = clip->problem;
  result.frames_used = static_cast<std::int64_t>(clip->samples.size());
}

// A stance that the start or the end cuts has another anchor than the whole one.
void find_cut_stances(const PersonFeet& feet, RetargetResult& result) {
  if (feet.t.empty()) return;
  result.feet_from = feet.t.front();
  result.feet_until = feet.t.back();
  const int last = static_cast<int>(feet.t.size()) - 1;
  for (const FootContacts& foot : feet.contacts.feet) {
    for (const PlantedInterval& stance : foot.planted) {
      if (stance.first <= 1) result.feet_from = std::max(*result.feet_from, feet.t[at(stance.last)]);
      if (stance.last >= last - 1) result.feet_until = std::min(*result.feet_until, feet.t[at(stance.first)]);
    }
  }
}

void retarget_solved(RobotRun& run, const Observer& observer, Notes& notes, RetargetResult& result) {
  const RetargetOptions& options = run.options;
  const Observer solving = part_of(observer, kSolving), judging = part_of(observer, kJudging);
  SolvedRecording solved = solve_recording(
      *run.clip.recording, run.robot.model, run.clip.feet,
      {options.solver, options.method, options.feet, options.smooth, options.two_way, run.own, clearing(run),
       run.robot.character ? posing_of(run.robot, run.kept->info(), *run.clip.recording) : nullptr},
      solving);
  run.watch.check();
  notes.add(run.watch.note());
  notes.add(solved.notes);
  result.ambiguous_starts = solved.ambiguous_starts;
  result.rerouted_at = std::move(solved.rerouted_at);
  for (const TwoWayTracker::Stuck& stuck : solved.stuck)
    result.stuck.push_back({stuck.t, run.robot.model.joint_names()[at(stuck.joint)]});
  if (options.feet == FeetMode::Plant) find_cut_stances(run.clip.feet, result);
  run_solved(run, solved.clip, judging, notes, result);
}

// Feet are planted and limbs moved apart after the motion was smoothed or scaled.
void note_beyond(const RetargetOptions& options, const RobotFigures& figures, Notes& notes) {
  const auto note = [&](const std::optional<double>& most, double limit, const std::string& what,
                        const std::string& unit, const std::string& where) {
    if (most && *most > 1.01 * limit)
      notes.add("planted feet or limbs moved apart take joints beyond the " + what +
                " asked for: " + digits(*most, 3) + " " + unit + " instead of " + digits(limit, 3) + where);
  };
  if (options.smooth || options.scale)
    note(figures.joint_acceleration_max_rad_s2,
         options.smooth ? options.smooth->max_acceleration : options.scale->time.max_acceleration,
         "acceleration", "rad/s^2", ", " + figures.joint_acceleration_max_joint + " most");
  if (options.smooth) note(figures.jerk_max_rad_s3, options.smooth->max_jerk, "jerk", "rad/s^3", "");
}

}  // namespace

SolverKind method_for(const Robot& robot, const RetargetOptions& options) {
  if (!options.any_method || robot.character) return options.solver;
  std::vector<std::string> segments;
  for (const Attachment& a : robot.map.attachments.attachments) segments.push_back(a.segment);
  try {
    (void)SegmentTracker(robot.model, robot.map.attachments, options.solver, options.method, segments);
    return options.solver;
  } catch (const MethodError&) {
    return SolverKind::Dynamical;
  }
}

std::vector<TrackedPair> followed_pairs(Recording& recording, const Robot& robot,
                                        const RetargetOptions& options) {
  const std::vector<std::string> names = PersonReader(recording).names();
  robot::Map map = followed_map(robot.map, robot.model, options.feet);
  std::erase_if(map.attachments.attachments, [&](const Attachment& a) {
    return std::find(names.begin(), names.end(), a.segment) == names.end();
  });
  return tracked_pairs(map.attachments, names, robot.model);
}

RetargetResult retarget(Recording& recording, const Robot& robot, const RetargetOptions& options,
                        const Observer& observer) {
  if (options.smooth && options.scale)
    throw ConfigError(
        "smoothing and scaling into the limits exclude each other (smoothing keeps limits frame by frame): "
        "choose one");
  Notes notes(observer);
  RobotRun run(recording, robot, options, false, notes);
  RetargetResult result;
  result.pairs = run.pairs;
  name_unmeasured(run, result);
  result.solver = run.options.solver;
  result.feet = run.options.feet;
  result.smoothed = run.options.smooth.has_value();
  result.posed = run.robot.character != nullptr;
  (run.options.scale ? retarget_scaled : retarget_solved)(run, observer, notes, result);
  note_beyond(run.options, result.figures, notes);
  result.notes = std::move(notes).all();
  return result;
}

}  // namespace panto
