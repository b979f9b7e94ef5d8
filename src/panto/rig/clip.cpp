#include "panto/rig/clip.hpp"

#include <Eigen/Geometry>
#include <Eigen/SVD>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <string_view>

#include "panto/base/index.hpp"
#include "panto/base/words.hpp"
#include "panto/math/degrees.hpp"
#include "panto/math/directions.hpp"
#include "panto/math/so3.hpp"
#include "panto/sample/skeleton.hpp"

namespace panto::rig {
namespace {

using enum HumanSegment::Index;

using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr double kNoLength = 1e-6;   // [m]
constexpr double kLongestEnd = 1.2;  // of the forearm or shank: a hand with its fingers, or a long shoe

// a thumb, a heel and what a hand holds do not point along their hand or foot
constexpr std::array<std::string_view, 24> kNoDirection{
    "thumb", "heel",   "prop",   "weapon", "sword",  "gun",    "knife",  "camera",
    "cam",   "stick",  "racket", "ball",   "object", "attach", "socket", "tool",
    "phone", "shield", "bow",    "item",   "holder", "bat",    "club",   "marker"};

// joints that only hands have
bool is_finger(const std::string& name) {
  const std::vector<std::string> words = words_of_name(name);
  return std::any_of(words.begin(), words.end(), [](const std::string& word) {
    return word.starts_with("finger") || word == "index" || word == "middle" || word == "ring" ||
           word == "pinky" || word == "little" || word == "metacarpal";
  });
}

}  // namespace

bool is_no_direction(const std::string& name) {
  const std::vector<std::string> words = words_of_name(name);
  const bool sided = std::any_of(words.begin(), words.end(), [](std::string_view word) {
    return word == "l" || word == "r" || word == "left" || word == "right";
  });
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) {
    if (word.size() == 6 && word.substr(1) == "thumb") return true;  // "lthumb"
    if (word == "ball" && sided) return false;                       // of a foot, as Unreal's ball_l
    return std::find(kNoDirection.begin(), kNoDirection.end(), word) != kNoDirection.end();
  });
}

bool is_right(int segment) noexcept {
  return (segment >= RightShoulder && segment <= RightHand) ||
         (segment >= RightUpperLeg && segment <= RightToe);
}

bool is_limb(int segment) noexcept { return !limb_axis(segment).isZero(); }

Vector3d limb_axis(int segment) noexcept {
  switch (segment) {
    case RightUpperLeg:
    case RightLowerLeg:
    case LeftUpperLeg:
    case LeftLowerLeg:
      return -Vector3d::UnitZ();
    case RightUpperArm:
    case RightForeArm:
    case RightHand:
      return -Vector3d::UnitY();
    case LeftUpperArm:
    case LeftForeArm:
    case LeftHand:
      return Vector3d::UnitY();
    default:
      return Vector3d::Zero();
  }
}

Vector3d hinge_axis(int segment) noexcept {
  return segment >= RightUpperLeg ? Vector3d::UnitY() : Vector3d::UnitZ();
}

double flexion_sign(int segment) noexcept {
  return segment >= LeftUpperArm && segment <= LeftHand ? -1.0 : 1.0;
}

int next_outwards(int segment) noexcept {
  switch (segment) {
    case Head:
    case RightHand:
    case LeftHand:
    case RightToe:
    case LeftToe:
      return -1;
    default:
      return segment + 1;
  }
}

Matrix3d frame_from(const Vector3d& a, const Vector3d& d, const Vector3d& b, const Vector3d& v) {
  Vector3d w = v - v.dot(d) * d;
  w = w.norm() > 1e-9 * v.norm() && v.norm() > 0.0 ? w.normalized() : across(d);
  Matrix3d ours, theirs;
  ours << a, b, a.cross(b);
  theirs << d, w, d.cross(w);
  return theirs * ours.transpose();
}

Clip::Clip(const SkeletonClip& clip, const Map& map)
    : clip_(&clip), map_(&map), mapped_(clip.joints.size(), 0) {
  for (const MapEntry& entry : map.segments) {
    for (const int joint : {entry.joint, entry.next}) {
      if (joint >= 0) mapped_[at(joint)] = 1;
    }
  }
}

const SkeletonPose& Clip::pose(int frame) const {
  return frame == kRest ? clip_->rest : clip_->frames[at(frame)];
}

int Clip::joint(int segment) const noexcept {
  const MapEntry& entry = map_->segments[at(segment)];
  return entry.next >= 0 ? -1 : entry.joint;
}

int Clip::start(int segment) const noexcept {
  const int first = map_->segments[at(segment)].joint;
  for (int s = kHumanSegmentParent[at(segment)]; s >= 0 && !has(segment); s = kHumanSegmentParent[at(s)]) {
    if (map_->segments[at(s)].joint == first) return -1;
  }
  return first;
}

Matrix3d Clip::R_WJ(int frame, int joint) const { return map_->R_WF * pose(frame).R_FJ[at(joint)]; }

Vector3d Clip::p_WJ(int frame, int joint) const {
  return map_->unit * (map_->R_WF * pose(frame).p_FJ[at(joint)]);
}

Vector3d Clip::seen_from(int joint, int other) const {
  Vector3d sum = Vector3d::Zero();
  for (const SkeletonPose& pose : clip_->frames)
    sum += pose.R_FJ[at(joint)].transpose() * (pose.p_FJ[at(other)] - pose.p_FJ[at(joint)]);
  return map_->unit / frame_count() * sum;
}

std::vector<JointEnd> Clip::joint_ends(int joint, bool all) const {
  std::vector<JointEnd> ends;
  // parents precede their children: joints that hang on `joint` with no mapped segment in between
  std::vector<unsigned char> open(clip_->joints.size(), 0);
  open[at(joint)] = 1;
  for (std::size_t j = at(joint); j < open.size(); ++j) {
    const SkeletonJoint& part = clip_->joints[j];
    Vector3d centre = Vector3d::Zero();
    if (j != at(joint)) {
      if (part.parent < 0 || open[at(part.parent)] == 0 || mapped_[j] != 0) continue;
      centre = seen_from(joint, static_cast<int>(j));
      const bool away = centre.norm() > kNoLength;
      if (away) ends.push_back({static_cast<int>(j), centre});
      open[j] = all || !away ? 1 : 0;
      if (open[j] == 0) continue;
    }
    for (const Vector3d& tip : part.tips) {
      Vector3d sum = Vector3d::Zero();
      for (const SkeletonPose& pose : clip_->frames)
        sum += pose.R_FJ[at(joint)].transpose() * pose.R_FJ[j] * tip;
      const Vector3d end = centre + map_->unit / frame_count() * sum;
      if (end.norm() > kNoLength) ends.push_back({static_cast<int>(j), end});
    }
  }
  return ends;
}

std::vector<Vector3d> Clip::ends_beyond(int joint, bool all) const {
  std::vector<Vector3d> ends;
  for (const JointEnd& end : joint_ends(joint, all)) ends.push_back(end.place);
  return ends;
}

std::optional<Vector3d> Clip::far_end(int segment) const {
  const int own = joint(segment);
  if (own < 0) return {};
  const int next = next_outwards(segment);
  if (next >= 0 && has(next)) {
    const Vector3d end = seen_from(own, joint(next));
    if (end.norm() > kNoLength) return end;
  }
  // ignore the thumb: it is shorter and points elsewhere; and what is longer than a hand or foot
  std::vector<JointEnd> ends = joint_ends(own, false);
  std::erase_if(ends, [&](const JointEnd& end) {
    return (end.joint != own && is_no_direction(clip_->joints[at(end.joint)].name)) ||
           end.place.norm() > longest_end(segment);
  });
  // beside fingers, joints of other names are things held
  const auto finger = [&](const JointEnd& end) {
    return end.joint != own && is_finger(clip_->joints[at(end.joint)].name);
  };
  if (std::any_of(ends.begin(), ends.end(), finger))
    std::erase_if(ends, [&](const JointEnd& end) { return !finger(end); });
  double longest = 0.0;
  for (const JointEnd& end : ends) longest = std::max(longest, end.place.norm());
  Vector3d sum = Vector3d::Zero();
  int count = 0;
  for (const JointEnd& end : ends) {
    if (end.place.norm() < 0.6 * longest) continue;
    sum += end.place;
    ++count;
  }
  if (count == 0 || !(sum.norm() / count > 0.5 * longest)) return {};
  return sum / count;
}

// hands and feet are shorter than forearms and shanks
double Clip::longest_end(int segment) const {
  const int parent = kHumanSegmentParent[at(segment)];
  const bool end = segment == RightHand || segment == LeftHand || segment == RightFoot || segment == LeftFoot;
  if (!end || !has(parent)) return std::numeric_limits<double>::infinity();
  return kLongestEnd * seen_from(joint(parent), joint(segment)).norm();
}

Vector3d Clip::middle(int frame, int right, int left) const {
  return 0.5 * (p_WS(frame, right) + p_WS(frame, left));
}

Vector3d Clip::trunk(int frame) const {
  Vector3d top = Vector3d::Zero();
  if (start(Neck) >= 0) {
    top = p_WJ(frame, start(Neck));
  } else if (has(RightUpperArm) && has(LeftUpperArm)) {
    top = middle(frame, RightUpperArm, LeftUpperArm);
  } else if (has(Head)) {
    top = p_WS(frame, Head);
  } else {
    return Vector3d::Zero();
  }
  if (has(RightUpperLeg) && has(LeftUpperLeg)) return top - middle(frame, RightUpperLeg, LeftUpperLeg);
  if (has(Pelvis)) return top - p_WS(frame, Pelvis);
  return Vector3d::Zero();
}

Vector3d Clip::leftwards(int frame) const {
  Vector3d sum = Vector3d::Zero();
  for (const auto& [right, left] :
       {std::pair<int, int>{RightUpperLeg, LeftUpperLeg}, {RightUpperArm, LeftUpperArm}}) {
    if (!has(right) || !has(left)) continue;
    const Vector3d line = p_WS(frame, left) - p_WS(frame, right);
    if (line.norm() > kNoLength) sum += line.normalized();
  }
  return sum;
}

Matrix3d Clip::heading(int frame, const Vector3d& up) const {
  return frame_from(Vector3d::UnitZ(), up.normalized(), Vector3d::UnitY(), leftwards(frame));
}

Matrix3d Clip::body(int frame) const {
  const Vector3d up = trunk(frame);
  return heading(frame, up.norm() > kNoLength ? up : Vector3d::UnitZ());
}

double Clip::uprightness(int frame) const {
  constexpr double trunk_width = 10.0 * kDegree, leg_width = 20.0 * kDegree;
  // similar to exp(-q) but uses arithmetic only, for the same bits everywhere
  const auto weight = [](double angle, double width) {
    const double q = 0.5 * angle * angle / (width * width);
    return 1.0 / (1.0 + q + 0.5 * q * q);
  };
  double value = 1.0;
  const Vector3d up = trunk(frame);
  if (up.norm() > kNoLength) value *= weight(angle_between(up, Vector3d::UnitZ()), trunk_width);
  for (const int thigh : {RightUpperLeg, LeftUpperLeg}) {
    if (!has(thigh) || !has(thigh + 1)) continue;
    const Vector3d bone = p_WS(frame, thigh + 1) - p_WS(frame, thigh);
    value *= weight(angle_between(bone, -Vector3d::UnitZ()), leg_width);
  }
  // if the person never stands upright, all frames get the same weight
  return value + 1e-6;
}

// ---- the rest pose ----------------------------------------------------------------------------------------

// thighs and shanks point down, feet forward
bool Clip::legs_stand(const Matrix3d& R_WB) const {
  const Vector3d down = -R_WB.col(2);
  for (const int side : {RightUpperLeg, LeftUpperLeg}) {
    for (const int segment : {side, side + 1, side + 2}) {
      if (!has(segment)) continue;
      const auto end = far_end(segment);
      if (!end) continue;
      const Vector3d direction = R_WJ(kRest, joint(segment)) * *end;
      const bool foot = segment == side + 2;
      if (foot ? angle_between(direction, R_WB.col(0)) > 60.0 * kDegree
               : angle_between(direction, down) > 27.0 * kDegree)
        return false;
    }
  }
  return true;
}

RestPose Clip::arm_pose(int upper_arm, const Matrix3d& R_WB) const {
  if (!has(upper_arm) || !has(upper_arm + 1)) return RestPose::Other;
  const Vector3d bone = p_WS(kRest, upper_arm + 1) - p_WS(kRest, upper_arm);
  if (has(upper_arm + 2)) {
    const Vector3d forearm = p_WS(kRest, upper_arm + 2) - p_WS(kRest, upper_arm + 1);
    if (angle_between(bone, forearm) > 30.0 * kDegree) return RestPose::Other;
  }
  const Vector3d outwards = (is_right(upper_arm) ? -1.0 : 1.0) * R_WB.col(1);
  if (angle_between(bone, outwards) < 20.0 * kDegree) return RestPose::T;
  if (angle_between(bone, -R_WB.col(2)) < 20.0 * kDegree) return RestPose::N;
  const bool beside = std::abs(bone.normalized().dot(R_WB.col(0))) < 0.4;
  return beside && bone.dot(outwards) > 0.0 && bone.dot(R_WB.col(2)) < 0.0 ? RestPose::A : RestPose::Other;
}

RestJudgement Clip::judge_rest() const {
  RestJudgement rest;
  const Vector3d up = trunk(kRest), left = leftwards(kRest);
  if (!(up.norm() > kNoLength && left.norm() > 0.5)) return rest;
  // a rest skeleton may lie in its file: any file axis can be its up axis
  Eigen::Index axis = 2;
  (void)up.cwiseAbs().maxCoeff(&axis);
  const Vector3d vertical = (up[axis] > 0.0 ? 1.0 : -1.0) * Vector3d::Unit(axis);
  if (angle_between(up, vertical) > 20.0 * kDegree) return rest;
  if (std::abs(angle_between(left, vertical) - 0.5 * std::numbers::pi) > 15.0 * kDegree) return rest;
  rest.R_WB = heading(kRest, vertical);
  if (!legs_stand(rest.R_WB)) return rest;
  if (!has(RightUpperArm) && !has(LeftUpperArm)) {
    rest.kind = has(RightUpperLeg) ? RestPose::N : RestPose::Other;
    return rest;
  }
  const RestPose right = arm_pose(RightUpperArm, rest.R_WB), left_arm = arm_pose(LeftUpperArm, rest.R_WB);
  if (right == left_arm) rest.kind = right;
  return rest;
}

}  // namespace panto::rig
