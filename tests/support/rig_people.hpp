#pragma once
// People of many sizes who walk, run, stand, sit, kneel, bow and lie: human66 driven by our own synthesis, so
// that every segment's true pose is known. What rigs that nobody recorded for us are made to move like.

#include <Eigen/Geometry>
#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "panto/base/index.hpp"
#include "panto/math/so3.hpp"
#include "panto/model/human.hpp"
#include "panto/model/kinematics.hpp"
#include "panto/synthesis/synthesis.hpp"
#include "tests/support/rig_variants.hpp"

namespace panto::test {

constexpr double kDegree = M_PI / 180.0;

/// What somebody does for the whole clip.
enum class Act : unsigned char { Walk, FastWalk, Run, Backwards, Turn, Stand, TStart, Sit, Kneel, Bow, Lie };
constexpr std::array<std::string_view, 11> kActNames{
    "walk", "fast walk", "run", "backwards", "turn", "stand", "tstart", "sit", "kneel", "bow", "lie"};

/// True poses of the 23 segments at one instant: z up, metres.
struct SegmentPoses {
  std::array<Eigen::Matrix3d, kHumanSegmentCount> R;
  std::array<Eigen::Vector3d, kHumanSegmentCount> p;
};

/// How the skeleton that will be measured is built, as far as it limits the body's movement.
struct BodyPlan {
  int spine = 4;  ///< joints above the pelvis, 1 to 5
  bool clavicles = true;
};

struct Performance {
  SubjectDimensions subject;
  Act act = Act::Walk;
  std::vector<SegmentPoses> frames;
  std::vector<double> times;
  SegmentPoses tpose, apose, npose;
  std::string how;
};

/// 1.0 to 2.1 m; long or short legs and arms, broad or narrow hips and shoulders, sides that differ by some
/// millimetres. Children have the larger heads and shorter legs that they have.
inline SubjectDimensions random_person(Rng& rng) {
  const double height = below(rng, 3) > 0 ? uniform(rng, 1.5, 1.95) : uniform(rng, 1.0, 2.1);
  SubjectDimensions subject = scaled_subject(height);
  const double child = std::clamp((1.5 - height) / 0.5, 0.0, 1.0);
  const double legs = uniform(rng, 0.9, 1.1) - 0.08 * child, arms = uniform(rng, 0.9, 1.1);
  const double hips = uniform(rng, 0.75, 1.4), shoulders = uniform(rng, 0.85, 1.15);
  const double thigh = uniform(rng, 0.94, 1.06);
  for (const int right : {1, 0}) {
    const int leg = right != 0 ? HumanSegment::RightUpperLeg : HumanSegment::LeftUpperLeg,
              arm = right != 0 ? HumanSegment::RightUpperArm : HumanSegment::LeftUpperArm;
    subject.origin[at(leg)].y() *= hips;
    subject.origin[at(leg + 1)] *= legs * thigh;
    subject.origin[at(leg + 2)] *= legs / thigh;
    subject.origin[at(arm)].y() *= shoulders;
    for (const int segment : {arm + 1, arm + 2}) subject.origin[at(segment)] *= arms;
  }
  subject.origin[HumanSegment::Head] *= 1.0 + 0.3 * child;
  subject.end[HumanSegment::Head] *= 1.0 + 0.3 * child;
  std::normal_distribution<double> millimetres(0.0, 0.002);
  for (int segment = HumanSegment::LeftShoulder; segment < kHumanSegmentCount; ++segment) {
    for (int k = 0; k < 3; ++k) subject.origin[at(segment)][k] += millimetres(rng);
  }
  return subject;
}

/// One person acting.
class Actor {
 public:
  Actor(const SubjectDimensions& subject, Act act, const BodyPlan& plan, Rng& rng)
      : subject_(subject),
        model_(human66(subject)),
        kinematics_(model_),
        act_(act),
        plan_(plan),
        moves_(make_synthesis(motion_of(act), model_)),
        gestures_(make_synthesis("reach", model_)),
        begin_(uniform(rng, 0.0, 8.0)),
        haste_(uniform(rng, 0.7, 2.0)),
        depth_(uniform(rng, 0.8, 1.1)),
        side_(below(rng, 4)),
        turn_rate_(uniform(rng, 1.0, 2.5)) {}

  Performance perform(double duration, double rate_hz) {
    Performance show;
    show.subject = subject_;
    show.act = act_;
    const auto total = std::max(2, static_cast<int>(std::lround(duration * rate_hz)));
    const int kept = std::min(300, total);
    for (int i = 0; i < kept; ++i) {
      const double t = std::floor(static_cast<double>(i) * (total - 1) / (kept - 1)) / rate_hz;
      show.times.push_back(t);
      show.frames.push_back(poses(state_at(t, duration)));
    }
    show.tpose = poses(held(0.0));
    show.apose = poses(held(0.25 * M_PI));
    show.npose = poses(held(0.5 * M_PI));
    show.how = std::string(kActNames[static_cast<std::size_t>(act_)]) + " " +
               std::to_string(std::lround(100.0 * subject_.height)) + " cm";
    return show;
  }

 private:
  static std::string_view motion_of(Act act) {
    switch (act) {
      case Act::Walk:
      case Act::Backwards:
      case Act::Turn:
      case Act::TStart:
        return "walk";
      case Act::FastWalk:
        return "fast_walk";
      case Act::Run:
        return "run";
      default:
        return "npose";
    }
  }

  double& angle(State& state, const std::string& joint) { return state.s[model_.joint_index(joint)]; }

  void set_both(State& state, const std::string& joint, double value) {
    angle(state, "jRight" + joint) = value;
    angle(state, "jLeft" + joint) = value;
  }

  // a still pose with the arms turned down by `hang` [rad]
  State held(double hang) {
    State state = make_synthesis("npose", model_).state(0);
    angle(state, "jRightShoulder_rotx") = hang;
    angle(state, "jLeftShoulder_rotx") = -hang;
    return state;
  }

  // arms, trunk and head of somebody who reaches for things
  void gesture(State& state, double t) {
    const State reach = gestures_.state(from_seconds(begin_ + haste_ * t));
    for (const char* joint : {"Shoulder_rotx", "Shoulder_rotz", "Elbow_rotz"}) {
      for (const std::string side : {"jRight", "jLeft"})
        angle(state, side + joint) = reach.s[model_.joint_index(side + joint)];
    }
    // palms turn
    angle(state, "jRightElbow_roty") = 0.4 * std::sin(1.3 * haste_ * t);
    angle(state, "jLeftElbow_roty") = 0.4 * std::sin(1.1 * haste_ * t + begin_);
    for (const char* joint : {"jL5S1_roty", "jT9T8_rotz", "jT1C7_rotz"})
      angle(state, joint) = reach.s[model_.joint_index(joint)];
  }

  State state_at(double t, double duration) {
    const double phase = begin_ + (act_ == Act::Backwards ? duration - t : t);
    State state = moves_.state(from_seconds(phase));
    const double shift = moves_.state(from_seconds(begin_)).p_WB.x();
    state.p_WB.x() -= shift;
    switch (act_) {
      case Act::Turn:
        state.p_WB.x() = 0.0;
        state.R_WB = so3::about_axis(2, turn_rate_ * t) * state.R_WB;
        break;
      case Act::TStart:
        // stands in a T-pose for the first third
        if (t < duration / 3.0) state = held(0.0);
        break;
      case Act::Stand:
      case Act::Sit:
      case Act::Kneel:
      case Act::Bow:
      case Act::Lie:
        gesture(state, t);
        settle(state, t);
        break;
      default:
        break;
    }
    keep_to_plan(state);
    return state;
  }

  // legs and trunk of those who do not walk
  void settle(State& state, double t) {
    const double shank = subject_.origin[HumanSegment::RightFoot].norm(),
                 thigh = subject_.origin[HumanSegment::RightLowerLeg].norm();
    const double stir = 0.03 * std::sin(1.7 * t + begin_);
    if (act_ == Act::Sit) {
      set_both(state, "Hip_roty", -0.5 * M_PI * depth_);
      set_both(state, "Knee_roty", 0.5 * M_PI * depth_ + stir);
      state.p_WB.z() -= thigh;
    } else if (act_ == Act::Kneel) {
      set_both(state, "Knee_roty", 0.5 * M_PI * depth_ + stir);
      set_both(state, "Ankle_roty", 0.5);
      state.p_WB.z() -= shank;
    } else if (act_ == Act::Bow) {
      const double bow = depth_ * (60.0 + 15.0 * std::sin(haste_ * t)) * kDegree;
      state.R_WB = so3::about_axis(1, bow) * state.R_WB;
      set_both(state, "Hip_roty", -bow);
    } else if (act_ == Act::Lie) {
      constexpr std::array<std::pair<int, double>, 4> kSides{{{1, -0.5}, {1, 0.5}, {0, 0.5}, {0, -0.5}}};
      const auto& [axis, share] = kSides[at(side_)];
      set_both(state, "Hip_roty", side_ == 1 ? 0.0 : -0.2 * depth_ + stir);
      set_both(state, "Knee_roty", 0.25 * depth_ + stir);
      state.R_WB = so3::about_axis(axis, share * M_PI) * state.R_WB;
      state.p_WB.z() = 0.08 * subject_.height;
    }
  }

  // A spine of fewer joints turns at those alone; without clavicles shoulders stay on the chest.
  void keep_to_plan(State& state) {
    const std::array<std::string, 4> joints{"jL5S1", "jL4L3", "jL1T12", "jT9T8"};
    for (std::size_t k = 0; k < 4; ++k) {
      if (spine_turns(plan_.spine, static_cast<int>(k))) continue;
      std::size_t taker = 0;
      while (taker < 3 && !spine_turns(plan_.spine, static_cast<int>(taker))) ++taker;
      for (const char* axis : {"_rotx", "_roty", "_rotz"}) {
        double& turn = angle(state, joints[k] + axis);
        angle(state, joints[taker] + axis) += turn;
        turn = 0.0;
      }
    }
    if (plan_.clavicles) return;
    for (const char* axis : {"_rotx", "_roty", "_rotz"})
      set_both(state, std::string("C7Shoulder") + axis, 0.0);
  }

  SegmentPoses poses(const State& state) {
    kinematics_.update(state);
    SegmentPoses poses;
    for (std::size_t i = 0; i < kHumanSegmentCount; ++i) {
      const int link = model_.link_index(kHumanSegmentNames[i]);
      poses.R[i] = kinematics_.R_WL(link);
      poses.p[i] = kinematics_.p_WL(link);
    }
    return poses;
  }

 public:
  /// Does the joint below spine segment k (0: L5 .. 3: T8) turn in a spine of so many joints?
  static bool spine_turns(int joints, int k) {
    constexpr std::array<std::array<bool, 4>, 4> kTurns{{{false, true, false, false},
                                                         {true, false, false, true},
                                                         {true, false, true, true},
                                                         {true, true, true, true}}};
    return kTurns[at(std::min(joints, 4) - 1)][at(k)];
  }

 private:
  SubjectDimensions subject_;
  Model model_;
  Kinematics kinematics_;
  Act act_;
  BodyPlan plan_;
  Synthesis moves_, gestures_;
  double begin_, haste_, depth_;
  int side_;
  double turn_rate_;
};

}  // namespace panto::test
