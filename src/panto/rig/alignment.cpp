#include "panto/rig/alignment.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <utility>

#include "panto/base/index.hpp"
#include "panto/math/decompositions.hpp"
#include "panto/math/degrees.hpp"
#include "panto/math/directions.hpp"
#include "panto/math/so3.hpp"
#include "panto/math/vector_math.hpp"

namespace panto::rig {
namespace {

using enum HumanSegment::Index;

using Eigen::Matrix3d;
using Eigen::Vector3d;

// a family's frame against the body's mean posture, bone and hinge
constexpr double kFamilyAgrees = 15.0 * kDegree, kFamilyBone = 5.0 * kDegree, kFamilyTwist = 40.0 * kDegree;

Vector3d mean_of(const std::vector<Vector3d>& values) {
  Vector3d sum = Vector3d::Zero();
  for (const Vector3d& v : values) sum += v;
  return sum / static_cast<double>(values.size());
}

struct Principal {
  Vector3d axis;           // along the direction of largest variance
  double deviation = 0.0;  // standard deviation along the axis
  double share = 0.0;      // of the total variance
};

Principal principal_axis(const std::vector<Vector3d>& values) {
  const Vector3d mean = mean_of(values);
  Matrix3d covariance = Matrix3d::Zero();
  for (const Vector3d& v : values) covariance += (v - mean) * (v - mean).transpose();
  covariance /= static_cast<double>(values.size());
  const SymmetricEigen<3> eigen = symmetric_eigen(covariance);
  const double largest = std::max(eigen.values[2], 0.0), trace = covariance.trace();
  return {eigen.vectors.col(2), std::sqrt(largest), trace > 0.0 ? largest / trace : 0.0};
}

}  // namespace

std::string degrees_text(double radians) {
  return std::to_string(static_cast<int>(std::lround(radians / kDegree))) + " deg";
}

// ---- knees and elbows -------------------------------------------------------------------------------------

Hinge find_hinge(const Clip& clip, int joint, const Vector3d& bone, int next, const Vector3d& next_bone) {
  const int count = clip.frame_count();
  Matrix3d sum = Matrix3d::Zero();
  std::vector<Matrix3d> R;
  std::vector<Vector3d> bends, swings, turns;
  Vector3d bend_sum = Vector3d::Zero();
  double bend_length = 0.0;
  for (int k = 0; k < count; ++k) {
    R.push_back(clip.R_WJ(k, joint).transpose() * clip.R_WJ(k, next));
    sum += R.back();
    const Vector3d f = R.back() * next_bone;
    bends.emplace_back(bone.cross(f));
    swings.emplace_back(f - f.dot(bone) * bone);
    bend_sum += bends.back();
    bend_length += bends.back().norm();
  }
  const Matrix3d mean = nearest_rotation(sum);
  for (const Matrix3d& rotation : R) turns.push_back(so3::log(rotation * mean.transpose()));

  Hinge hinge;
  const auto take = [&](Vector3d axis, double confidence, std::string reason) {
    axis -= axis.dot(bone) * bone;
    axis.normalize();
    const double side = axis.dot(bend_sum) / count;
    // a joint that bends to both sides alike does not show which way is flexion
    if (std::abs(side) < sincos(3.0 * kDegree).sin) return;
    hinge = {true, side < 0.0 ? Vector3d(-axis) : axis, Vector3d::Zero(), confidence, std::move(reason)};
  };
  const Principal turn = principal_axis(turns), swing = principal_axis(swings);
  const double bent = bend_sum.norm() / count,
               agree = bend_length > 0.0 ? bend_sum.norm() / bend_length : 0.0;
  // a small rotation range must be purer to count as a hinge
  const double purity = turn.deviation >= 8.0 * kDegree ? 0.9 : 0.97;
  if (turn.deviation >= 3.0 * kDegree && turn.share >= purity && std::abs(turn.axis.dot(bone)) < 0.3) {
    take(turn.axis, 0.95, "hinge, rotation with a standard deviation of " + degrees_text(turn.deviation));
    if (hinge.found) hinge.outer_axis = mean.transpose() * hinge.axis;
  }
  if (!hinge.found && bent >= sincos(35.0 * kDegree).sin && agree >= 0.95)
    take(bend_sum, 0.9, "bend plane, bent by " + degrees_text(asin(bent)) + " on average");
  if (!hinge.found && swing.deviation >= sincos(8.0 * kDegree).sin && swing.share >= 0.8)
    take(bone.cross(swing.axis), 0.85,
         "bend plane, standard deviation of the bend " + degrees_text(asin(swing.deviation)));
  if (!hinge.found && bent >= sincos(12.0 * kDegree).sin && agree >= 0.9)
    take(bend_sum, 0.7, "bend plane, bent by " + degrees_text(asin(bent)) + " on average");
  return hinge;
}

// ---- alignment --------------------------------------------------------------------------------------------

Alignment::Alignment(const Clip& clip, const RestJudgement& rest, const Offsets& known)
    : clip_(&clip), rest_(rest), offsets_(known) {
  for (int k = 0; k < clip.frame_count(); ++k) upright_.push_back(clip.uprightness(k));
  exact_ = has_exact_rest();
  family_ = find_family(clip.map().family);
  // proximal segments first: the distal ones are aligned against them
  for (const int segment : {Pelvis, L5, L3, T12, T8, Neck, Head, RightShoulder, LeftShoulder})
    align_posture(segment);
  for (const int limb : {RightUpperArm, LeftUpperArm, RightUpperLeg, LeftUpperLeg}) align_limb(limb);
  for (const int hand : {RightHand, LeftHand}) align_hand(hand);
  for (const int foot : {RightFoot, LeftFoot}) {
    align_foot(foot);
    align_toe(foot + 1);
  }
}

void Alignment::set(int segment, const Matrix3d& R_JS, double confidence, std::string reason) {
  Offset& offset = offsets_[at(segment)];
  if (offset.valid) return;
  offset.R_JS = R_JS;
  offset.valid = true;
  offset.confidence = confidence;
  offset.reason = std::move(reason) + vetoed_[at(segment)];
}

Matrix3d Alignment::R_WS(int frame, int segment) const {
  const MapEntry& entry = clip_->map().segments[at(segment)];
  const Offset& offset = offsets_[at(segment)];
  const Matrix3d R_WA = clip_->R_WJ(frame, entry.joint) * offset.R_JS;
  if (entry.next < 0) return R_WA;
  const Matrix3d R_WB = clip_->R_WJ(frame, entry.next) * offset.R_NS;
  return part_of_turn(R_WA, R_WB, entry.share);
}

int Alignment::measured_parent(int segment) const {
  int parent = kHumanSegmentParent[at(segment)];
  while (parent >= 0 && !offsets_[at(parent)].valid) parent = kHumanSegmentParent[at(parent)];
  return parent;
}

// Xsens' own skeleton in a T- or N-pose: its joint frames equal those of MVN bit by bit.
bool Alignment::has_exact_rest() const {
  if (clip_->map().family != "xsens" || (rest_.kind != RestPose::T && rest_.kind != RestPose::N))
    return false;
  for (int segment = 0; segment < kHumanSegmentCount; ++segment) {
    // hands have no joints of their own in MVN: what hangs on one is held
    if (!is_limb(segment) || !clip_->has(segment) || next_outwards(segment) < 0) continue;
    const auto end = clip_->far_end(segment);
    if (!end) continue;
    const bool arm = segment < HumanSegment::RightUpperLeg;
    const Vector3d axis =
        arm && rest_.kind == RestPose::N ? Vector3d(-Vector3d::UnitZ()) : limb_axis(segment);
    if (angle_between(clip_->R_WJ(kRest, clip_->joint(segment)) * *end, rest_.R_WB * axis) > 6.0 * kDegree)
      return false;
  }
  return true;
}

void Alignment::align_exactly(int segment) {
  const bool arm = is_limb(segment) && segment < HumanSegment::RightUpperLeg;
  Matrix3d R_BS = Matrix3d::Identity();
  if (arm && rest_.kind == RestPose::N)
    R_BS << 1, 0, 0, 0, 0, is_right(segment) ? -1 : 1, 0, is_right(segment) ? 1 : -1, 0;
  // file axes are body axes here: remove the rounding
  Matrix3d R_JS = clip_->R_WJ(kRest, clip_->joint(segment)).transpose() * rest_.R_WB * R_BS;
  const Matrix3d whole = R_JS.array().round();
  if ((R_JS - whole).cwiseAbs().maxCoeff() < 1e-9) R_JS = whole;
  set(segment, R_JS, 0.99, "frames of Xsens MVN: " + std::string(to_string(rest_.kind)) + "-pose at rest");
}

// ---- spine, neck, head, clavicles -------------------------------------------------------------------------

// Upright frames: these segments are oriented like the body as a whole.
Matrix3d Alignment::mean_posture(int segment, int joint) const {
  const bool clavicle = segment == RightShoulder || segment == LeftShoulder;
  const bool beside_chest = clavicle && clip_->has(T8) && offsets_[T8].valid;
  Matrix3d sum = Matrix3d::Zero();
  for (int k = 0; k < clip_->frame_count(); ++k) {
    const Matrix3d R_WB = beside_chest      ? R_WS(k, T8)
                          : segment == Head ? clip_->heading(k, Vector3d::UnitZ())
                                            : clip_->body(k);
    sum += upright_[at(k)] * clip_->R_WJ(k, joint).transpose() * R_WB;
  }
  const Matrix3d R_JS = nearest_rotation(sum);
  // the line between the hips is fixed in the pelvis; the line between the shoulders nearly so in the chest
  const int right = segment == Pelvis ? RightUpperLeg : segment == T8 ? RightUpperArm : -1;
  const int left = segment == Pelvis ? LeftUpperLeg : LeftUpperArm;
  if (right < 0 || !clip_->has(right) || !clip_->has(left)) return R_JS;
  const Vector3d line =
      clip_->seen_from(joint, clip_->joint(left)) - clip_->seen_from(joint, clip_->joint(right));
  if (!(line.norm() > 1e-3)) return R_JS;
  return frame_from(Vector3d::UnitY(), line.normalized(), Vector3d::UnitZ(), R_JS.col(2));
}

Offset Alignment::posture_of(int segment, int joint) const {
  Offset offset;
  offset.valid = true;
  offset.R_JS = mean_posture(segment, joint);
  offset.confidence = 0.6;
  offset.reason = "mean posture of the upright frames";
  if (const FamilyFrame* own = find_frame(family_, segment)) {
    const double off = so3::distance(rotation_of(*own), offset.R_JS);
    if (off < kFamilyAgrees) {
      offset.R_JS = rotation_of(*own);
      offset.confidence = 0.95;
      offset.reason = std::string(family_->source);
      return offset;
    }
    offset.reason += "; not " + std::string(family_->source) + ", " + degrees_text(off) + " off";
  }
  if (rest_.kind == RestPose::Other) return offset;
  const Matrix3d R_JS = clip_->R_WJ(kRest, joint).transpose() * rest_.R_WB;
  const double off = so3::distance(R_JS, offset.R_JS);
  if (off > 40.0 * kDegree) {
    offset.reason += "; the rest pose differs by " + degrees_text(off);
    return offset;
  }
  offset.R_JS = R_JS;
  offset.confidence = 0.9;
  offset.reason = "rest pose (" + std::string(to_string(rest_.kind)) + ")";
  return offset;
}

void Alignment::align_posture(int segment) {
  const MapEntry& entry = clip_->map().segments[at(segment)];
  if (entry.joint < 0 || offsets_[at(segment)].valid) return;
  if (exact_ && entry.next < 0) return align_exactly(segment);
  Offset offset = posture_of(segment, entry.joint);
  if (entry.next >= 0) {
    offset.R_NS = posture_of(segment, entry.next).R_JS;
    offset.reason += "; interpolated between two joints";
  }
  offsets_[at(segment)] = std::move(offset);
}

// ---- bones ------------------------------------------------------------------------------------------------

void Alignment::align_limb(int first) {
  Hinge hinge;
  if (clip_->has(first) && clip_->has(first + 1) && !exact_) {
    const auto bone = clip_->far_end(first), next_bone = clip_->far_end(first + 1);
    if (bone && next_bone)
      hinge = find_hinge(*clip_, clip_->joint(first), bone->normalized(), clip_->joint(first + 1),
                         next_bone->normalized());
  }
  align_bone(first, hinge);
  align_bone(first + 1, hinge);
}

// The hinge axis in the joint's frame, from the rest pose: the limb axis is brought there by the smallest
// rotation.
Vector3d Alignment::rest_twist(int segment, const Vector3d& bone) const {
  const Matrix3d R_WJ = clip_->R_WJ(kRest, clip_->joint(segment));
  const Matrix3d R_BS = least_turn(limb_axis(segment), rest_.R_WB.transpose() * (R_WJ * bone));
  return R_WJ.transpose() * (rest_.R_WB * (R_BS * hinge_axis(segment)));
}

// The same as the mean over the clip, with no twist against the parent segment.
Vector3d Alignment::mean_twist(int segment, const Vector3d& bone, double* share) const {
  const int parent = measured_parent(segment), joint = clip_->joint(segment);
  Vector3d sum = Vector3d::Zero();
  for (int k = 0; k < clip_->frame_count(); ++k) {
    const Matrix3d R_WJ = clip_->R_WJ(k, joint),
                   R_WP = parent >= 0 ? R_WS(k, parent) : clip_->heading(k, Vector3d::UnitZ());
    const Matrix3d R_PS = least_turn(limb_axis(segment), R_WP.transpose() * (R_WJ * bone));
    sum += R_WJ.transpose() * (R_WP * (R_PS * hinge_axis(segment)));
  }
  sum -= sum.dot(bone) * bone;
  *share = sum.norm() / clip_->frame_count();
  return sum;
}

void Alignment::align_bone(int segment, const Hinge& hinge) {
  if (!clip_->has(segment) || offsets_[at(segment)].valid) return;
  if (exact_) return align_exactly(segment);
  const auto end = clip_->far_end(segment);
  const bool outer = segment == RightForeArm || segment == LeftForeArm || segment == RightLowerLeg ||
                     segment == LeftLowerLeg;
  const bool forearm = outer && segment < HumanSegment::RightUpperLeg;
  if (!end) {  // the bone has no end: oriented like the parent segment
    Matrix3d sum = Matrix3d::Zero();
    const int parent = measured_parent(segment);
    for (int k = 0; k < clip_->frame_count(); ++k)
      sum += clip_->R_WJ(k, clip_->joint(segment)).transpose() *
             (parent >= 0 ? R_WS(k, parent) : clip_->heading(k, Vector3d::UnitZ()));
    return set(segment, nearest_rotation(sum), 0.3, "the bone has no end; aligned with the parent segment");
  }
  const Vector3d bone = end->normalized();
  const bool rested = rest_.kind != RestPose::Other;
  const std::string at_rest = "bone; twist from the rest pose (" + std::string(to_string(rest_.kind)) + ")";
  Vector3d axis;
  double confidence = 0.0, share = 0.0;
  std::string reason;
  const bool turning = outer && !hinge.outer_axis.isZero(0.0);
  if (hinge.found && (!outer || turning)) {
    axis = flexion_sign(segment) * (outer ? hinge.outer_axis : hinge.axis);
    confidence = hinge.confidence;
    reason = "bone; " + hinge.reason;
  } else if (rested && (forearm || !hinge.found)) {
    axis = rest_twist(segment, bone);
    confidence = forearm ? 0.8 : 0.7;
    reason = at_rest;
  } else {
    axis = mean_twist(segment, bone, &share);
    confidence = share * (hinge.found ? 0.9 : 0.5);
    reason = hinge.found ? "bone; hinge of the parent segment, zero mean twist"
                         : "bone; zero mean twist against the parent segment";
  }
  Matrix3d R_JS = frame_from(limb_axis(segment), bone, hinge_axis(segment), axis);
  if (take_family_twist(segment, bone, &R_JS)) {
    confidence = 0.95;
    reason = "bone; " + std::string(family_->source);
  }
  set(segment, R_JS, confidence, std::move(reason));
}

bool Alignment::veto(int segment, const std::string& why) {
  vetoed_[at(segment)] = "; not " + std::string(family_->source) + ": " + why;
  return false;
}

// The twist of a family's frame about the bone, where bone and hinge agree with it.
bool Alignment::take_family_twist(int segment, const Vector3d& bone, Matrix3d* R_JS) {
  const FamilyFrame* own = find_frame(family_, segment);
  if (own == nullptr || !vetoed_[at(segment)].empty()) return false;
  const Matrix3d R_own = rotation_of(*own);
  const Matrix3d R = frame_from(limb_axis(segment), bone, hinge_axis(segment), R_own * hinge_axis(segment));
  const double tilt = angle_between(bone, R_own * limb_axis(segment)), twist = so3::distance(R, *R_JS);
  if (tilt > kFamilyBone || twist > kFamilyTwist)
    return veto(segment, "the bone is " + degrees_text(tilt) + ", its hinge " + degrees_text(twist) + " off");
  *R_JS = R;
  return true;
}

}  // namespace panto::rig
