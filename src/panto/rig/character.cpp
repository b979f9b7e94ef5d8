#include "panto/rig/character.hpp"

#include <algorithm>
#include <set>

#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/math/degrees.hpp"
#include "panto/math/directions.hpp"
#include "panto/math/euler.hpp"

namespace panto::rig {
namespace {

using enum HumanSegment::Index;

using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr double kSameBone = 1.0 * kDegree;
constexpr std::array<const char*, 3> kAxisNames{"x", "y", "z"};

// The middle axis is where three angles are singular at a quarter turn: joints seldom turn so far about it.
// The first of knee and elbow is the hinge, which alone moves when a limb is placed.
constexpr euler::Sequence kArms{0, 1, 2}, kElbows{2, 0, 1}, kOthers{1, 0, 2};

// Returns the joint below which all joints of the body are; -1: none.
int carrier(const SkeletonClip& skeleton, const std::vector<int>& segment) {
  const auto above = [&](int joint) {
    std::set<int> all;
    for (; joint >= 0; joint = skeleton.joints[at(joint)].parent) all.insert(joint);
    return all;
  };
  std::set<int> common;
  bool first = true;
  for (std::size_t j = 0; j < segment.size(); ++j) {
    if (segment[j] < 0) continue;
    const std::set<int> own = above(static_cast<int>(j));
    std::set<int> both;
    std::set_intersection(own.begin(), own.end(), common.begin(), common.end(),
                          std::inserter(both, both.end()));
    common = first ? own : both;
    first = false;
  }
  return common.empty() ? -1 : *common.rbegin();  // parents come first
}

// Builds the model joint by joint.
class Builder {
 public:
  Builder(SkeletonClip skeleton, Rig rig) {
    own_.segment = segments_of_joints(rig, skeleton.joints.size());
    own_.base = carrier(skeleton, own_.segment);
    own_.skeleton = std::move(skeleton);
    own_.rig = std::move(rig);
    if (own_.base < 0)
      throw FormatError(own_.skeleton.name +
                        ": no joint carries the whole body, so it cannot follow a person");
    own_.link.assign(own_.segment.size(), -1);
    own_.R_JL.assign(own_.segment.size(), Matrix3d::Identity());
    settle_base();
  }

  CharacterModel build(const std::vector<bool>& turns) {
    spec_.name = own_.skeleton.name;
    add_link(own_.base, -1);
    for (int j = own_.base + 1; j < static_cast<int>(own_.segment.size()); ++j) {
      const int parent = link_before(j);
      if (parent >= 0 && (turns[at(j)] || own_.segment[at(j)] >= 0)) add_joints(j, parent);
    }
    for (std::string& name : inner_) {
      spec_.links.emplace_back();
      spec_.links.back().name = std::move(name);
    }
    return {std::move(own_), Model(std::move(spec_)), std::move(rest_)};
  }

 private:
  // A base that carries trunk and pelvis side by side moves like the pelvis.
  void settle_base() {
    if (own_.segment[at(own_.base)] >= 0) return set_frame(own_.base);
    const auto pelvis = std::find(own_.segment.begin(), own_.segment.end(), static_cast<int>(Pelvis));
    if (pelvis == own_.segment.end()) return;
    const auto joint = static_cast<int>(pelvis - own_.segment.begin());
    set_frame(joint);
    own_.R_JL[at(own_.base)] = rest(own_.base).transpose() * rest(joint) * own_.R_JL[at(joint)];
    std::swap(own_.segment[at(joint)], own_.segment[at(own_.base)]);
  }

  void set_frame(int joint) { own_.R_JL[at(joint)] = own_.rig.offsets[at(own_.segment[at(joint)])].R_JS; }

  [[nodiscard]] const Matrix3d& rest(int joint) const { return own_.skeleton.rest.R_FJ[at(joint)]; }

  // Returns the nearest joint with a link that carries `joint`; -1: it is not part of the body.
  [[nodiscard]] int link_before(int joint) const {
    int i = own_.skeleton.joints[at(joint)].parent;
    while (i >= 0 && own_.link[at(i)] < 0) i = own_.skeleton.joints[at(i)].parent;
    return i;
  }

  std::string fresh_name(const std::string& name) {
    std::string fresh = name;
    for (int k = 2; !used_.insert(fresh).second; ++k) fresh = name + "#" + std::to_string(k);
    return fresh;
  }

  void add_link(int joint, int parent) {
    own_.link[at(joint)] = static_cast<int>(spec_.links.size());
    own_.parent.push_back(parent < 0 ? -1 : own_.link[at(parent)]);
    own_.first_dof.push_back(static_cast<int>(rest_.size()));
    own_.order.push_back(order_of(joint));
    own_.R_rest.push_back(Matrix3d::Identity());
    spec_.links.emplace_back();
    spec_.links.back().name = fresh_name(own_.skeleton.joints[at(joint)].name);
  }

  // Adds a joint as three, which are all zero in the T-pose or, where it follows no segment, at rest.
  void add_joints(int joint, int parent) {
    const SkeletonPose& pose = own_.skeleton.rest;
    const Matrix3d R_FP = rest(parent) * own_.R_JL[at(parent)];
    if (own_.segment[at(joint)] >= 0) {
      set_frame(joint);
    } else {
      own_.R_JL[at(joint)] = rest(joint).transpose() * R_FP;
    }
    const Vector3d way = pose.p_FJ[at(joint)] - pose.p_FJ[at(parent)];
    std::string from = spec_.links[at(own_.link[at(parent)])].name;
    add_link(joint, parent);
    const std::string name = spec_.links.back().name;
    own_.R_rest.back() = R_FP.transpose() * rest(joint) * own_.R_JL[at(joint)];
    const euler::Sequence& order = own_.order.back();
    Vector3d angles = euler::from_rotation(own_.R_rest.back(), order);
    if (own_.rig.rest == RestPose::Other) angles.setZero();
    for (int k = 0; k < 3; ++k) {
      const int axis = order[at(k)];
      Joint turn;
      turn.name = name + "_rot" + kAxisNames[at(axis)];
      turn.type = JointType::Revolute;
      turn.parent = from;
      turn.child = k == 2 ? name : fresh_name(turn.name);
      turn.axis = Vector3d::Unit(axis);
      if (k == 0) turn.p_PJ = own_.rig.map.unit * (R_FP.transpose() * way);
      if (k < 2) inner_.push_back(turn.child);
      from = turn.child;
      rest_.emplace_back(turn.name, angles[k]);
      spec_.joints.push_back(std::move(turn));
    }
  }

  // Returns the axes of the three joints of one that belongs to this limb.
  [[nodiscard]] const euler::Sequence& order_of(int joint) const {
    const int own = own_.segment[at(joint)];
    if (own == RightForeArm || own == LeftForeArm) return kElbows;
    for (int i = joint; i >= 0; i = own_.skeleton.joints[at(i)].parent)
      if (const int segment = own_.segment[at(i)]; segment >= 0)
        return segment >= RightShoulder && segment <= LeftHand ? kArms : kOthers;
    return kOthers;
  }

  Character own_;
  ModelSpec spec_;
  std::vector<std::pair<std::string, double>> rest_;
  std::set<std::string> used_;
  std::vector<std::string> inner_;  // links between the three joints: after those of the skeleton's joints
};

}  // namespace

std::vector<int> segments_of_joints(const Rig& rig, std::size_t joints) {
  std::vector<int> segment(joints, -1);
  for (int i = 0; i < kHumanSegmentCount; ++i) {
    const MapEntry& entry = rig.map.segments[at(i)];
    if (entry.joint < 0 || entry.next >= 0 || !rig.offsets[at(i)].valid) continue;
    int& own = segment[at(entry.joint)];
    if (own < 0) own = i;
  }
  return segment;
}

bool same_axes(const SkeletonClip& a, const Rig& rig_a, const SkeletonClip& b, const Rig& rig_b) {
  for (int i = 0; i < kHumanSegmentCount; ++i) {
    const MapEntry &one = rig_a.map.segments[at(i)], &other = rig_b.map.segments[at(i)];
    if ((one.joint < 0) != (other.joint < 0) || (one.next < 0) != (other.next < 0)) return false;
    if (one.joint < 0) continue;
    if (a.joints[at(one.joint)].name != b.joints[at(other.joint)].name) return false;
    const auto bone = [](const SkeletonClip& clip, int joint) -> Vector3d {
      const int parent = clip.joints[at(joint)].parent;
      if (parent < 0) return Vector3d::Zero();
      return clip.rest.R_FJ[at(parent)].transpose() *
             (clip.rest.p_FJ[at(joint)] - clip.rest.p_FJ[at(parent)]);
    };
    if (angle_between(bone(a, one.joint), bone(b, other.joint)) > kSameBone) return false;
  }
  return true;
}

CharacterModel make_character(SkeletonClip skeleton, Rig rig, const std::vector<bool>& turns) {
  return Builder(std::move(skeleton), std::move(rig)).build(turns);
}

}  // namespace panto::rig
