#include "panto/retarget/robot_clip.hpp"

#include <algorithm>
#include <cmath>

#include "panto/base/error.hpp"
#include "panto/ik/solver_options.hpp"
#include "panto/robot/follows.hpp"

namespace panto {
namespace {

// for feet in stance: thighs, shanks and pelvis adapt to them
constexpr double kPlantedPosition = 2500.0;   // [1/m^2]: 2 cm count like 1 rad
constexpr double kPlantedOrientation = 20.0;  // [1/rad^2]: 13 deg count like 1 rad
constexpr double kPlannedOrientation =
    0.02;                               // [1/rad^2]: planning turns the foot, shanks must not yield to it
constexpr double kPlantedGain = 100.0;  // [1/s]: corrects the error of a step before it becomes a slide

// for the trunk of a robot that floats [1/rad^2]: limbs that cannot follow must not turn it, but much heavier
// it would leave them no way out
constexpr double kTrunk = 10.0;               // a base that carries legs and arms
constexpr double kPelvis = 2.0;               // a base with a waist above
constexpr double kChest = 3.0, kBelow = 4.0;  // a base that carries the arms, and the pelvis below its waist

// for hands that touch, at most: as for feet in stance
constexpr double kTouchPosition = 2500.0;  // [1/m^2]
constexpr double kTouchGain = 45.0;        // [1/s]

constexpr double kThickest = 0.12;  // [m] of a floor above z = 0 that is the thickness of soles

bool is_hand(const Attachment& a) { return a.segment == "RightHand" || a.segment == "LeftHand"; }

// Raises the weight of hands that touch only on request: it would hold back arms that cannot follow.
robot::Map with_hands(robot::Map map) {
  for (Attachment& a : map.attachments.attachments) {
    if (!is_hand(a) || a.touch_weight) continue;
    const double own = a.position_weight.value_or(DynamicalOptions{}.position_weight);
    a.touch_weight = map.relative.firm ? std::max(kTouchPosition, own) : own;
  }
  return map;
}

// A leg of six joints can place its foot anywhere in any orientation; with fewer joints, the foot's
// orientation would drag the body.
bool places_freely(const Model& model, int link) {
  int joints = 0;
  for (int body = model.frame(link).body; body > 0;
       body = model.tree().parent[static_cast<std::size_t>(body)])
    ++joints;
  return joints >= 6;
}

// Limbs that cannot follow must not turn a floating trunk.
void hold_trunk(robot::Map& map, const Model& model) {
  if (model.base() != BaseKind::Floating) return;
  auto& all = map.attachments.attachments;
  const auto find = [&](const char* segment) {
    return std::find_if(all.begin(), all.end(), [&](const Attachment& a) { return a.segment == segment; });
  };
  const auto hold = [](Attachment& a, double weight) {
    if (a.orientation && !a.orientation_weight) a.orientation_weight = weight;
  };
  const auto pelvis = find("Pelvis"), chest = find("T8");
  const bool waist = chest != all.end();
  const bool hangs = waist && model.frame(model.link_index(chest->link)).body == 0;
  if (hangs) hold(*chest, kChest);
  if (pelvis != all.end()) hold(*pelvis, hangs ? kBelow : waist ? kPelvis : kTrunk);
}

// Feet follow positions only if asked to; other segments must not drag feet in stance.
robot::Map with_feet(robot::Map map, const Model& model, FeetMode mode) {
  // a planned base stays on its way: hands that touch the body must bend arms, not move it
  Attachment* root = map.attachments.attachments.empty() ? nullptr : &map.attachments.attachments.front();
  if (mode == FeetMode::Plant && root != nullptr && root->position && !root->position_weight)
    root->position_weight = kPlantedPosition;
  if (mode != FeetMode::Hold) hold_trunk(map, model);
  for (Attachment& a : map.attachments.attachments) {
    if (a.segment != "RightFoot" && a.segment != "LeftFoot") continue;
    a.position = mode == FeetMode::Soft || mode == FeetMode::Hold;
    if (mode == FeetMode::Plant && model.floating_base() && !a.orientation_weight)
      a.orientation_weight = kPlannedOrientation;
    if (mode != FeetMode::Hold) continue;
    if (!a.position_weight) a.position_weight = kPlantedPosition;
    if (!a.gain) a.gain = kPlantedGain;
    if (!a.orientation_weight && places_freely(model, model.link_index(a.link)))
      a.orientation_weight = kPlantedOrientation;
  }
  return map;
}

}  // namespace

robot::Map followed_map(robot::Map map, const Model& model, FeetMode feet) {
  return with_hands(with_feet(std::move(map), model, feet));
}

void raise_touch_gain(robot::Map& map) {
  if (!map.relative.firm) return;
  const DynamicalOptions usual = robot_options();
  for (Attachment& a : map.attachments.attachments) {
    if (!is_hand(a) || a.gain) continue;
    a.gain = kTouchGain;
    // in equilibrium, weight times gain decides
    a.orientation_weight =
        a.orientation_weight.value_or(usual.orientation_weight) * usual.orientation_gain / kTouchGain;
    a.position_weight = a.position_weight.value_or(usual.position_weight) * usual.position_gain / kTouchGain;
  }
}

void check_followed(Recording& recording, const Model& robot, const robot::Map& map, bool gestures) {
  const std::vector<std::string> names = PersonReader(recording).names();
  const auto& all = map.attachments.attachments;
  if (all.empty() || std::any_of(all.begin(), all.end(), [&](const Attachment& a) {
        return std::find(names.begin(), names.end(), a.segment) != names.end();
      }))
    return;
  const bool arms = gestures && std::any_of(all.begin(), all.end(), [](const Attachment& a) {
                      return a.segment.find("Arm") != std::string::npos;
                    });
  throw FormatError(recording.info().path + ": the recording has no " + (arms ? "arm" : "segment") +
                    " that robot '" + robot.name() + "' can follow" +
                    (arms ? ", so there is no gesture to imitate" : ""));
}

RobotClip make_robot_clip(Recording& recording, const Model& model, const robot::Map& map,
                          const SubjectDimensions& subject, FeetMode feet, bool character) {
  RobotClip clip;
  clip.feet = find_person_feet(recording, subject);
  recording.rewind();
  robot::SkeletonOptions skeleton;
  skeleton.keep_hands = map.relative.hands;
  skeleton.keep_body = map.relative.body;
  if (!clip.feet.sides.empty()) skeleton.floor = clip.feet.contacts.ground;
  skeleton.roll_forearms = !character;
  robot::Map followed = followed_map(map, model, feet);
  if (character && std::abs(skeleton.floor) < kThickest) {
    const robot::Skeleton posing(model, followed, subject, PersonReader(recording).names(), skeleton);
    for (auto& sole : followed.soles)
      if (sole) sole->down += posing.scale() * skeleton.floor;
  }
  FootPlan plan;
  if (feet == FeetMode::Hold && model.floating_base()) {
    robot::Skeleton posing(model, followed, subject, PersonReader(recording).names(), skeleton);
    plan = plan_feet(recording, clip.feet, posing);
    recording.rewind();
  }
  clip.recording =
      std::make_unique<RobotRecording>(recording, model, followed, subject, skeleton, std::move(plan));
  return clip;
}

}  // namespace panto
