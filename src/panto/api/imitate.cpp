#include "panto/api/imitate.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "panto/api/robot_run.hpp"
#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/base/text.hpp"
#include "panto/evaluation/limb_directions.hpp"
#include "panto/motion/segmentation.hpp"

namespace panto {
namespace {

using enum HumanSegment::Index;

// Adds a hand's position and orientation, seen from the pelvis, or from the world without one.
void add_sight(const SegmentMotion& place, const SegmentMotion& turn, const SegmentMotion* pelvis,
               PointTrack& hand) {
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  const SegmentMotion still{Eigen::Matrix3d::Identity(), Eigen::Vector3d::Zero(), {}, {}, true, true};
  const SegmentMotion& from = pelvis != nullptr ? *pelvis : still;
  hand.p.push_back(Eigen::Vector3d::Constant(unknown));
  hand.R.push_back(Eigen::Matrix3d::Constant(unknown));
  if (!from.has_orientation) return;
  if (place.has_position && from.has_position)
    hand.p.back() = from.R_WS.transpose() * (place.p_WS - from.p_WS);
  if (turn.has_orientation) hand.R.back() = from.R_WS.transpose() * turn.R_WS;
}

// The person's hands seen from the pelvis: position of each hand, orientation of the last part of the arm
// that the robot follows.
std::vector<PointTrack> hands_of(const robot::Map& map, const Model& model, const FreeClip& clip,
                                 const std::string& input) {
  constexpr std::array<std::array<HumanSegment::Index, 3>, 2> kArms{
      {{RightHand, RightForeArm, RightUpperArm}, {LeftHand, LeftForeArm, LeftUpperArm}}};
  const auto follows = [&](HumanSegment::Index segment) {
    const auto& all = map.attachments.attachments;
    return std::any_of(all.begin(), all.end(),
                       [&](const Attachment& a) { return a.segment == kHumanSegmentNames[at(segment)]; });
  };
  const std::optional<std::size_t> pelvis = entry_of(clip.names, Pelvis);
  std::vector<PointTrack> hands;
  bool arms = false;
  for (const auto& arm : kArms) {
    const auto last = std::find_if(arm.begin(), arm.end(), follows);
    if (last == arm.end()) continue;
    arms = true;
    std::optional<std::size_t> turned, placed;
    for (auto part = arm.begin(); part != arm.end(); ++part) {
      if (!placed) placed = entry_of(clip.names, *part);
      if (!turned && part >= last) turned = entry_of(clip.names, *part);
    }
    if (!turned) continue;
    hands.push_back({clip.names[*placed], {}, {}});
    for (const SegmentSample& person : clip.persons)
      add_sight(person.segments[*placed], person.segments[*turned],
                pelvis ? &person.segments[*pelvis] : nullptr, hands.back());
  }
  if (arms && hands.empty())
    throw FormatError(input + ": the recording has no arm that robot '" + model.name() +
                      "' can follow, hence no gestures; panto retarget follows the other segments");
  if (!arms)
    throw ConfigError("robot '" + model.name() +
                      "' has no arm that follows a person's: it cannot make gestures; use panto retarget");
  return hands;
}

// The speed that starts a gesture must not be below the one that ends it.
void check_speeds(const SegmentationOptions& options) {
  const auto check = [](const std::string& speed, double on, double off, const std::string& unit) {
    if (on < off)
      throw ConfigError("the " + speed + " that starts a gesture (" + digits(on, 4) + unit +
                        ") is below the one that ends it (" + digits(off, 4) + unit +
                        "): raise the first or lower the second");
  };
  check("hand speed", options.speed_on, options.speed_off, " m/s");
  check("turning rate", options.turn_on, options.turn_off, " rad/s");
}

std::string sparse_warning(const std::vector<Time>& t, const SegmentationOptions& options) {
  const double rate = static_cast<double>(t.size() - 1) / to_seconds(t.back() - t.front());
  return "warning: the recording has " + digits(rate, 3) +
         " frames a second, too few to find gestures: record at least " +
         digits(1.0 / options.longest_gap, 3) + " a second, evenly spaced, no two more than " +
         digits(options.longest_gap, 3) + " s apart";
}

std::vector<Time> stamps_of(const Motion& motion) {
  std::vector<Time> t;
  for (const State& state : motion.states) t.push_back(state.t);
  return t;
}

RecordedGesture recorded(const RobotRun& run, const FreeClip& clip, const Gesture& gesture) {
  const auto stamp = [&](int frame) { return clip.motion.states[at(frame)].t; };
  LimbDirections limbs(run.robot.model, run.pairs, clip.names);
  for (int k = gesture.first; k <= gesture.last; ++k)
    limbs.add(clip.samples[at(k)], clip.motion.states[at(k)]);
  return {gesture,
          0,
          0,
          stamp(gesture.first),
          stamp(gesture.last),
          stamp(gesture.onset),
          stamp(gesture.offset),
          limbs.report()};
}

// Scales one gesture separately, with notes of its own.
RetargetResult scale_gesture(RobotRun& run, const std::shared_ptr<const FreeClip>& clip,
                             const Gesture& gesture, const Observer& observer) {
  Notes notes(observer);
  RetargetResult result;
  result.pairs = run.pairs;
  result.solver = run.options.solver;
  result.feet = run.options.feet;
  result.ambiguous_starts = clip->ambiguous_starts;
  const auto scaled = scale_part(run, clip, gesture.first, gesture.last, observer, notes);
  run_scaled(run, *scaled, observer, notes, result);
  result.notes = std::move(notes).all();
  return result;
}

}  // namespace

RetargetOptions imitate_options() {
  RetargetOptions options;
  options.solver = SolverKind::Modular;
  options.method.dynamical.limits.law = LimitLaw::None;
  options.feet = FeetMode::Off;
  options.settle = 0.0;  // modules solve each pose from its sample alone: nothing settles
  options.scale.emplace();
  options.any_method = true;
  return options;
}

bool too_sparse(const std::vector<Time>& stamps, const SegmentationOptions& options) {
  for (std::size_t k = 1; k < stamps.size(); ++k)
    if (to_seconds(stamps[k] - stamps[k - 1]) <= options.longest_gap) return false;
  return stamps.size() > 1;
}

ImitateResult imitate(Recording& recording, const Robot& robot, const RetargetOptions& options,
                      const SegmentationOptions& segmentation, const Observer& observer,
                      const WatchGesture& watch) {
  if (!options.scale) throw ConfigError("gestures are scaled into the robot's limits: scaling must be on");
  check_speeds(segmentation);
  Notes notes(observer);
  RobotRun run(recording, robot, options, true, notes);
  const std::shared_ptr<const FreeClip> clip = solve_free(run, observer, notes);
  ImitateResult result;
  result.stamps = stamps_of(clip->motion);
  result.seconds = clip->seconds;
  result.solver = run.options.solver;
  if (!clip->problem.empty()) result.damage = clip->problem;
  const std::vector<Gesture> gestures = segment_gestures(
      result.stamps, hands_of(run.map, robot.model, *clip, recording.info().path), segmentation, clip->cuts);
  for (const Gesture& gesture : gestures) {
    RecordedGesture found = recorded(run, *clip, gesture);
    found.number = result.gestures.size() + 1;
    found.of = gestures.size();
    const GestureWatch own = watch ? watch(found, result.stamps) : GestureWatch{};
    RetargetResult scaled = scale_gesture(run, clip, gesture, own.observer);
    if (own.done) own.done(scaled);
    result.gestures.push_back({std::move(found), std::move(scaled)});
  }
  if (too_sparse(result.stamps, segmentation)) notes.add(sparse_warning(result.stamps, segmentation));
  result.notes = std::move(notes).all();
  return result;
}

}  // namespace panto
