// Alignment of hands: the family's frame, fingers, knuckles, the rest pose. What hangs on a hand need not be
// a finger.

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "panto/base/index.hpp"
#include "panto/base/words.hpp"
#include "panto/math/degrees.hpp"
#include "panto/math/directions.hpp"
#include "panto/math/so3.hpp"
#include "panto/math/vector_math.hpp"
#include "panto/rig/alignment.hpp"

namespace panto::rig {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr double kBonesAgree = 5.0 * kDegree;  // bones against the family's axes
constexpr double kElsewhere = 35.0 * kDegree;  // what hangs on a hand against the forearm at rest
constexpr double kHingeAgrees = 40.0 * kDegree;
constexpr double kMostBent = 50.0 * kDegree;  // of a wrist in the mean
constexpr double kTurned = 5.0 * kDegree;     // fingers in the mean against those of the rest pose

// which finger a joint's name means, from the thumb's side: 1 index .. 4 little; 0: none
int finger_of(const std::string& name) {
  constexpr std::array<std::array<std::string_view, 2>, 4> names{
      {{"index", "fore"}, {"middle", "mid"}, {"ring", "ring"}, {"pinky", "little"}}};
  for (const std::string& word : words_of_name(name)) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (word == names[i][0] || word == names[i][1]) return static_cast<int>(i) + 1;
    }
  }
  return 0;
}

bool has_finger_name(const std::string& name) {
  const std::vector<std::string> words = words_of_name(name);
  return finger_of(name) > 0 || std::any_of(words.begin(), words.end(), [](const std::string& word) {
           return word.starts_with("finger") || word == "metacarpal" || word == "carpal" || word == "hand";
         });
}

}  // namespace

// The family's frame of a hand fits where its forearm's bone and hinge, and the hand's own end, agree with
// it.
bool Alignment::align_hand_by_family(int segment) {
  const int forearm = segment - 1;
  const FamilyFrame *own = find_frame(family_, segment), *before = find_frame(family_, forearm);
  if (own == nullptr || before == nullptr || !clip_->has(forearm)) return false;
  const Matrix3d R_JS = rotation_of(*own), R_before = rotation_of(*before);
  const Vector3d bone = clip_->seen_from(clip_->joint(forearm), clip_->joint(segment));
  if (const double off = angle_between(bone, R_before * limb_axis(forearm)); off > kBonesAgree)
    return veto(segment, "the forearm lies " + degrees_text(off) + " off");
  const Offset& aligned = offsets_[at(forearm)];
  if (aligned.valid && aligned.confidence >= 0.9) {
    if (const double off = so3::distance(aligned.R_JS, R_before); off > kHingeAgrees)
      return veto(segment, "the elbow's hinge is " + degrees_text(off) + " off");
  }
  if (const auto end = clip_->far_end(segment)) {
    if (const double off = angle_between(*end, R_JS * limb_axis(segment)); off > kElsewhere)
      return veto(segment, "the hand points " + degrees_text(off) + " off");
  }
  Vector3d hand = Vector3d::Zero();
  for (int k = 0; k < clip_->frame_count(); ++k) {
    hand += (clip_->R_WJ(k, clip_->joint(forearm)) * R_before).transpose() *
            (clip_->R_WJ(k, clip_->joint(segment)) * R_JS * limb_axis(segment));
  }
  if (const double bent = angle_between(hand, limb_axis(segment)); !(bent < kMostBent))
    return veto(segment, "the wrist would be bent by " + degrees_text(bent) + " in the mean");
  set(segment, R_JS, 0.95, std::string(family_->source));
  return true;
}

// The direction of the hand in its joint: fingers, unless they move or only something held is there; then the
// rest pose, in which hands are straight.
std::optional<Vector3d> Alignment::hand_bone(int segment, std::string* reason) const {
  const int joint = clip_->joint(segment), forearm = segment - 1;
  const auto end = clip_->far_end(segment);
  if (rest_.kind == RestPose::Other || !clip_->has(forearm)) return end;
  const Matrix3d R_JW = clip_->R_WJ(kRest, joint).transpose();
  const Vector3d wrist = clip_->p_WJ(kRest, joint), along = R_JW * (wrist - clip_->p_WS(kRest, forearm));
  if (!end) {
    *reason = "no fingers; along the forearm in the rest pose";
    return along;
  }
  bool fingers = false;
  Vector3d at_rest = Vector3d::Zero();
  for (const JointEnd& base : clip_->joint_ends(joint, false)) {
    const std::string& name = clip_->skeleton().joints[at(base.joint)].name;
    if (base.joint == joint || !has_finger_name(name) || is_no_direction(name)) continue;
    fingers = true;
    at_rest += R_JW * (clip_->p_WJ(kRest, base.joint) - wrist);
  }
  if (fingers && angle_between(*end, at_rest) > kTurned) {
    *reason = "the fingers' base turns; fingers as in the rest pose";
    return at_rest;
  }
  if (const double off = angle_between(*end, along); !fingers && off > kElsewhere) {
    *reason = "child joints point " + degrees_text(off) + " off the forearm; along it in the rest pose";
    return along;
  }
  return end;
}

// Without a rest pose, the row of knuckles from the little finger to the index shows the hand's forward axis.
bool Alignment::align_hand_by_knuckles(int segment) {
  if (rest_.kind != RestPose::Other) return false;
  const auto end = clip_->far_end(segment);
  if (!end) return false;
  Vector3d first = Vector3d::Zero(), last = first;
  int lowest = 0, highest = 0;
  for (const JointEnd& base : clip_->joint_ends(clip_->joint(segment), true)) {
    const int finger = finger_of(clip_->skeleton().joints[at(base.joint)].name);
    if (finger == 0) continue;
    if (lowest == 0 || finger < lowest) {
      lowest = finger;
      first = base.place;
    }
    if (finger > highest) {
      highest = finger;
      last = base.place;
    }
  }
  if (highest < lowest + 2) return false;
  set(segment, frame_from(limb_axis(segment), end->normalized(), Vector3d::UnitX(), first - last), 0.75,
      "bone; knuckles from the index to the little finger");
  return true;
}

void Alignment::align_hand(int segment) {
  if (!clip_->has(segment) || offsets_[at(segment)].valid) return;
  if (exact_) return align_exactly(segment);
  if (align_hand_by_family(segment) || align_hand_by_knuckles(segment)) return;
  std::string reason;
  const auto bone = hand_bone(segment, &reason);
  if (!bone || reason.empty()) return align_bone(segment, {});
  const Vector3d along = bone->normalized();
  set(segment, frame_from(limb_axis(segment), along, hinge_axis(segment), rest_twist(segment, along)), 0.65,
      std::move(reason));
}

}  // namespace panto::rig
