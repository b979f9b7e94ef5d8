#include "panto/api/robot_run.hpp"

#include <algorithm>
#include <numbers>

#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/base/text.hpp"
#include "panto/ik/solver_options.hpp"
#include "panto/io/bvh_character.hpp"
#include "panto/recording/person_reader.hpp"
#include "panto/recording/trackable.hpp"
#include "panto/retarget/solve_recording.hpp"
#include "panto/robot/touch_weights.hpp"
#include "panto/targets/measured_joints.hpp"
#include "panto/tracking/frame_bridge.hpp"
#include "panto/tracking/hanging_arms.hpp"
#include "panto/tracking/segment_tracker.hpp"

namespace panto {
namespace {

// Refuses a robot that the method cannot follow; uses the dynamical method instead where any is allowed.
void choose_method(const Model& model, const Recording& recording, RetargetOptions& options, Notes& notes) {
  const auto make = [&] {
    (void)SegmentTracker(model, recording.info().attachments, options.solver, options.method,
                         recording.names(), {options.own.targets, {}});
  };
  try {
    make();
  } catch (const MethodError& error) {
    const std::string reason = error.what();
    if (!options.any_method) throw MethodError(reason + "; use the dynamical solver");
    notes.add("warning: " + reason + "; used the dynamical solver instead");
    options.solver = SolverKind::Dynamical;
    make();
  }
}

std::optional<Eigen::Vector3d> place_of(const SegmentSample& person, std::optional<std::size_t> entry) {
  if (!entry || *entry >= person.segments.size() || !person.segments[*entry].has_position) return {};
  return person.segments[*entry].p_WS;
}

// Refuses what only a solver can do.
void check_posed(const Robot& robot, const RetargetOptions& options) {
  if (!robot.character) return;
  if (options.scale || options.smooth || !options.own.targets.empty() || options.own.update)
    throw ConfigError(
        "a character is posed, not solved: it takes no scaling, no smoothing and no own targets");
  if (options.feet != FeetMode::Plant && options.feet != FeetMode::Off)
    throw ConfigError(
        "feet of a character are planted or follow the person's orientations: use `plant` or `off`");
}

// Watches a run of the robot.
class Watch {
 public:
  Watch(const RobotRun& run, RetargetResult& result)
      : result_(&result),
        stays_(run.robot.character && !run.robot.character->travels),
        guessed_up_(run.kept->info().rig && rig::sure_of_up(run.kept->info().rig->map) < rig::kGuessedUp),
        judge_(run.robot.model, run.map, run.robot.reasons, run.pairs, run.clip.recording->names(),
               run.clip.recording->skeleton(), run.clip.feet, judged(run),
               obstacles_of(run.options, run.map)) {}

  RobotJudge& judge() noexcept { return judge_; }
  void conclude(Notes& notes) {
    const RobotVerdict verdict = judge_.verdict();
    result_->following = verdict.following;
    result_->figures = verdict.figures;
    result_->not_judged = judge_.notes();
    if (stays_)
      result_->not_judged.emplace_back(
          "the character's file has no position channels and keeps the body in one place: its way is judged, "
          "but not written");
    if (guessed_up_)
      result_->not_judged.emplace_back("which way is up is a guess: who lies or crouches is stood up");
    result_->figures.unjudged = std::ssize(result_->not_judged);
    if (result_->ambiguous_starts > 0)
      notes.add(
          counted(result_->ambiguous_starts, "start") +
          " at a pose that the robot can take in several ways: the motion may differ if the clip is cut");
  }

 private:
  static RobotFiguresOptions judged(const RobotRun& run) {
    const RetargetOptions& options = run.options;
    RobotFiguresOptions judged;
    judged.settle = settle_time(options.settle);
    judged.overlaps = options.collisions != Collisions::Off;
    if (!run.robot.character) judged.speed_limit = options.method.dynamical.limits.speed_limit;
    return judged;
  }

  RetargetResult* result_;
  bool stays_;       // a character's file holds no way
  bool guessed_up_;  // how the person stands is not known
  RobotJudge judge_;
};

std::vector<std::string> segments_of(const Recording& recording) {
  std::vector<std::string> segments;
  for (const Attachment& a : recording.info().attachments.attachments) segments.push_back(a.link);
  return segments;
}

// the links of a map that follow any segment, or one of these
std::vector<int> followed_links(const Robot& robot, const std::vector<std::string>* segments) {
  std::vector<int> links;
  for (const Attachment& a : robot.map.attachments.attachments) {
    if (segments == nullptr || std::find(segments->begin(), segments->end(), a.segment) != segments->end())
      links.push_back(robot.model.link_index(a.link));
  }
  return links;
}

bool has_own(const RetargetOptions& options) noexcept {
  const OwnTargets& own = options.own.targets;
  return !own.empty() || (options.own.update && !own.followed.empty());  // an update of nothing does nothing
}

}  // namespace

std::optional<Robot> with_hanging_arms(const Robot& robot, const std::vector<std::string>& segments) {
  const std::vector<int> followed = followed_links(robot, &segments);
  if (followed.size() == robot.map.attachments.attachments.size()) return {};
  robot::Skeleton skeleton(robot.model, robot.map, scaled_subject(1.75), human_segment_names());
  SegmentSample standing;
  standing.segments.resize(human_segment_names().size());
  skeleton.pose(standing_person(), standing);
  std::optional<Model> model = with_hanging_arms(robot.model, robot.map.attachments, standing, followed);
  if (!model) return {};
  return Robot{std::move(*model), robot.map, robot.reasons, robot.notes, robot.character};
}

void check_own(const Robot& robot, const RetargetOptions& options) {
  const OwnTargets& own = options.own.targets;
  check_own(own, robot.model, options.solver);
  if (options.scale && !own.empty())
    throw ConfigError(
        "own targets exclude scaling into the limits, which moves joints after they are solved");
  if (options.smooth && !own.rows.empty())
    throw ConfigError(
        "own joint rows exclude smoothing, which keeps only the model's coupled rows: choose one of them");
}

bool clears(const RetargetOptions& options) noexcept {
  return options.collisions == Collisions::Avoid && !has_own(options);
}

std::vector<Obstacle> obstacles_of(const RetargetOptions& options, const robot::Map& map) {
  std::vector<Obstacle> all = options.obstacles;
  all.insert(all.end(), map.obstacles.begin(), map.obstacles.end());
  return all;
}

void check_own_carried(const RetargetOptions& options, bool carried) {
  if (carried && has_own(options))
    throw ConfigError(
        "own targets are facts of the world, but this robot is solved relative to its base: use a base that "
        "floats");
}

RobotRun::RobotRun(Recording& recording, const Robot& followed, const RetargetOptions& wanted, bool gestures,
                   Notes& notes)
    : options(wanted),
      hanging(with_hanging_arms(followed, segments_of(recording))),
      robot(hanging ? *hanging : followed),
      map(followed.map),
      watch(wanted.own) {
  check_posed(robot, options);
  if (robot.character) options.collisions = Collisions::Off;  // its shape is unknown
  check_own(robot, options);
  if (options.feet == FeetMode::Plant && has_own(options)) {
    options.feet = FeetMode::Hold;
    notes.add(
        "own targets hold while the motion is solved, and planning the feet would change it afterwards: feet "
        "in stance are held instead");
  }
  notes.take(recording);
  check_trackable(recording);
  std::vector<std::string> doubts;
  const SubjectDimensions subject =
      options.subject ? *options.subject : subject_of(recording.info(), {}, {}, doubts);
  notes.add(doubts);
  if (options.relative) map.relative = *options.relative;
  if (options.raise_touch_gain) raise_touch_gain(map);
  recording.rewind();
  kept = std::make_unique<KeptRecording>(recording);
  kept->rewind();
  check_followed(*kept, robot.model, map, gestures);
  clip = make_robot_clip(*kept, robot.model, map, subject, options.feet, robot.character != nullptr);
  check_own_carried(options, clip.recording->carried());
  notes.add(clip.feet.contacts.notes);
  if (!obstacles_of(options, map).empty() && !clears(options))
    notes.add("obstacles are judged, not avoided: avoiding needs collisions avoided and no own targets");
  notes.take(*clip.recording);
  std::vector<std::string> bridged;
  bridge_frames(clip.recording->info().rate_hz, options.method.dynamical, bridged);
  notes.add(bridged);
  if (!robot.character) choose_method(robot.model, *clip.recording, options, notes);
  const AttachmentMap& attached = clip.recording->info().attachments;
  pairs = tracked_pairs(attached, clip.recording->names(), robot.model);
  own = robot::with_touch_weights(watch.option(), attached, clip.recording->names(),
                                  options.method.dynamical.position_weight);
}

void name_unmeasured(const RobotRun& run, TrackResult& result) {
  const Model& model = run.robot.model;
  result.part = part_of_person(*run.kept);
  result.unmeasured_joints = names_of_joints(
      model, unmeasured_joints(model, links_of(run.pairs), followed_links(run.robot, nullptr)));
}

void run_solved(RobotRun& run, const SolvedClip& solved, const Observer& observer, Notes& notes,
                RetargetResult& result) {
  RobotRecording& recording = *run.clip.recording;
  PlaybackTracker playback(solved);
  Watch watch(run, result);
  const auto pelvis = entry_of(recording.names(), HumanSegment::Pelvis);
  const auto facts = [&](const SegmentSample&) {
    return FrameFacts{playback.record(), true, &recording.person(), &recording.person()};
  };
  const auto judge = [&](const SegmentSample& sample, StepStatus status, const State& state) {
    watch.judge().add(sample, status, state, recording.skeleton().touches(), recording.frame(),
                      place_of(recording.person(), pelvis));
  };
  run_judged({run.robot.model,
              recording,
              playback,
              recording,
              recording.names(),
              recording.info().frames,
              run.options.settle,
              run.options.keep_motion,
              facts,
              judge,
              {},
              solved.motion.contacts},
             observer, notes, result);
  watch.conclude(notes);
}

void run_scaled(RobotRun& run, ScaledClip& scaled, const Observer& observer, Notes& notes,
                RetargetResult& result) {
  RobotRecording& recording = *run.clip.recording;
  Watch watch(run, result);
  const auto pelvis = entry_of(recording.names(), HumanSegment::Pelvis);
  const auto facts = [&](const SegmentSample&) {
    return FrameFacts{scaled.record(), !scaled.repeats(), nullptr, &scaled.person()};
  };
  const auto judge = [&](const SegmentSample& sample, StepStatus status, const State& state) {
    watch.judge().add(sample, status, state, scaled.touches(), scaled.frame(),
                      pelvis ? scaled.person_place(*pelvis) : std::nullopt);
  };
  run_judged({run.robot.model, scaled, scaled, recording, recording.names(), scaled.frames(),
              run.options.settle, run.options.keep_motion, facts, judge, scaled.persons(), scaled.contacts()},
             observer, notes, result);
  watch.conclude(notes);
  result.scaling = scaled.report();
}

namespace {

// Returns the joints that turn on and on, half a turn beyond a limit and farther, as at gimbal lock: scaling
// would leave hardly any of their motion.
std::string winding_joints(const FreeClip& clip, const Model& robot) {
  std::string names;
  for (int j = 0; j < robot.dof(); ++j) {
    const auto beyond = [&](const State& state) {
      return std::max(robot.lower()[j] - state.s[j], state.s[j] - robot.upper()[j]) > std::numbers::pi;
    };
    if (!std::any_of(clip.motion.states.begin(), clip.motion.states.end(), beyond)) continue;
    names += (names.empty() ? "" : ", ") + robot.joint_names()[at(j)];
  }
  return names;
}

// Solves within limits of position, forwards and backwards, but without those of speed.
std::shared_ptr<FreeClip> solve_within(RobotRun& run, SolverOptions method, const Observer& observer) {
  method.dynamical.limits.law = robot_solver_options().dynamical.limits.law;
  RobotRecording& recording = *run.clip.recording;
  const SolveOptions options{run.options.solver, method, FeetMode::Off, std::nullopt, true, run.own};
  const Observer solving = part_of(observer, {1, 2, 4}), keeping = part_of(observer, {3, 1, 4});
  const SolvedRecording solved =
      solve_recording(recording, without_speed_limits(run.robot.model), run.clip.feet, options, solving);
  PlaybackTracker playback(solved.clip);
  auto clip =
      std::make_shared<FreeClip>(playback, rest_state(run.robot.model), recording, run.robot.model, keeping);
  clip->ambiguous_starts = solved.ambiguous_starts;
  return clip;
}

// Solves without limits and coupled rows; limits only choose between branches.
std::shared_ptr<FreeClip> solve_without(RobotRun& run, SolverOptions method, const Observer& observer) {
  method.modular.ranges = JointRanges{run.robot.model.lower(), run.robot.model.upper()};
  RobotRecording& recording = *run.clip.recording;
  const Model free = without_limits(run.robot.model);
  SegmentTracker tracker(free, recording.info().attachments, run.options.solver, method, recording.names(),
                         run.own);
  const Observer solving = part_of(observer, {0, 1, 4});
  auto clip = std::make_shared<FreeClip>(tracker, tracker.rest_state(), recording, run.robot.model, solving);
  clip->ambiguous_starts = tracker.ambiguous_starts();
  return clip;
}

}  // namespace

std::shared_ptr<const FreeClip> solve_free(RobotRun& run, const Observer& observer, Notes& notes) {
  SolverOptions method = run.options.method;
  run.options.scale->time.speed_limit = method.dynamical.limits.speed_limit;
  method.dynamical.limits.speed_limit = kInfinity;
  RobotRecording& recording = *run.clip.recording;
  std::shared_ptr<FreeClip> clip = solve_without(run, method, observer);
  const std::string winding = winding_joints(*clip, run.robot.model);
  if (run.options.two_way && !winding.empty()) {
    recording.rewind();
    clip = solve_within(run, method, observer);
    notes.add("without limits these joints would keep turning: " + winding +
              "; solved within their limits, so that scaling leaves their motion");
  }
  if (run.robot.model.floating_base())
    clip->motion.contacts =
        person_contacts(run.robot.model, recording.skeleton(), run.clip.feet, recording.plan(), clip->motion);
  run.watch.check();
  notes.add(run.watch.note());
  if (clip->samples.empty()) throw FormatError(recording.info().path + ": none of its frames can be solved");
  return clip;
}

std::unique_ptr<ScaledClip> scale_part(const RobotRun& run, const std::shared_ptr<const FreeClip>& clip,
                                       int first, int last, const Observer& observer, Notes& notes) {
  auto scaled =
      std::make_unique<ScaledClip>(clip, run.robot.model, *run.options.scale, first, last, observer);
  for (std::string warning :
       {slow_warning(*scaled, run.robot.model), still_warning(*scaled, run.robot.model)})
    if (!warning.empty()) notes.add(std::move(warning));
  return scaled;
}

}  // namespace panto
