// Computes segments from points, frame by frame; setup.cpp finds the constants.

#include "panto/keypoints/keypoints.hpp"

#include <Eigen/Geometry>

#include "panto/base/index.hpp"
#include "panto/math/directions.hpp"
#include "panto/math/so3.hpp"

namespace panto::keypoints {
namespace {

using enum HumanSegment::Index;
using enum Landmark::Index;

using Eigen::Matrix3d;
using Eigen::Vector3d;

// right arms point along -y, left arms along +y
double along_y(int side) { return side == 0 ? -1.0 : 1.0; }

int of_side(int right_segment, int side) {
  if (side == 0) return right_segment;
  return right_segment >= RightUpperLeg ? right_segment - RightUpperLeg + LeftUpperLeg
                                        : right_segment - RightShoulder + LeftShoulder;
}

Vector3d middle(const BodyPoints& points, Landmark::Index landmark) {
  return 0.5 * (points[at(sided(landmark, 0))] + points[at(sided(landmark, 1))]);
}

// vector from the right landmark to the left one
Vector3d to_the_left(const BodyPoints& points, Landmark::Index landmark) {
  return points[at(sided(landmark, 1))] - points[at(sided(landmark, 0))];
}

}  // namespace

// the joint at the origin of each segment, as a Landmark; -1 if points do not give it
int KeypointBody::origin_of(int segment) noexcept {
  switch (segment) {
    case Pelvis:
      return HipsMiddle;
    case L5:
      return SpineLow;
    case L3:
      return SpineMiddle;
    case T12:
      return SpineHigh;
    case T8:
      return SpineTop;
    case Neck:
      return NeckBase;
    case Head:
      return HeadJoint;
    default:
      break;
  }
  const bool left = (segment >= LeftShoulder && segment <= LeftHand) || segment >= LeftUpperLeg;
  const int right = !left                     ? segment
                    : segment >= LeftUpperLeg ? segment - LeftUpperLeg + RightUpperLeg
                                              : segment - LeftShoulder + RightShoulder;
  constexpr std::array arm{CollarJoint, ShoulderJoint, ElbowJoint, WristJoint};
  constexpr std::array leg{HipJoint, KneeJoint, AnkleJoint, BallPoint};
  const Landmark::Index joint =
      right >= RightUpperLeg ? leg[at(right - RightUpperLeg)] : arm[at(right - RightShoulder)];
  return sided(joint, left ? 1 : 0);
}

void KeypointBody::segments(int frame, std::vector<SegmentMotion>& segments) const {
  BodyPoints points;
  Frames R;
  points_.points(frame, points);
  frames(frame, points, R);
  segments.resize(kHumanSegmentCount);
  for (int i = 0; i < kHumanSegmentCount; ++i) {
    SegmentMotion& segment = segments[at(i)] = {};
    if (R[at(i)].allFinite() && so3::is_rotation(R[at(i)], 1e-6)) {
      segment.R_WS = R[at(i)];
      segment.has_orientation = true;
    }
    const Vector3d& origin = points[at(origin_of(i))];
    // the joints of chest and neck are known only as far as the set names them
    if (origin.allFinite()) {
      segment.p_WS = origin;
      segment.has_position = true;
    }
  }
}

void KeypointBody::frames(int frame, const BodyPoints& points, Frames& R) const {
  Matrix3d none;
  none.setConstant(no_point()[0]);
  R.fill(none);
  trunk_frames(frame, points, R);
  for (const int side : {0, 1}) {
    arm_frames(frame, side, points, R);
    leg_frames(frame, side, points, R);
  }
  head_frames(points, R);

  // orientations given by the file take precedence over those from points
  for (int i = 0; i < kHumanSegmentCount; ++i) {
    if (given_[at(i)] < 0) continue;
    const Eigen::Vector4d q = clip_.orientation(frame, given_[at(i)]);
    R[at(i)] = q.allFinite() && q.norm() > 0.5
                   ? Matrix3d(points_.R_WF() * so3::from_quaternion_wxyz(q) * points_.R_WF().transpose())
                   : none;
  }
  // the spine between pelvis and chest turns evenly
  constexpr std::array<int, 3> spine{L5, L3, T12};
  for (std::size_t i = 0; i < spine.size(); ++i) {
    if (given_[at(spine[i])] < 0)
      R[at(spine[i])] = part_of_turn(R[Pelvis], R[T8], 0.25 * static_cast<double>(i + 1));
  }
  if (follows_spine_) follow_spine(points, R);
  if (given_[Neck] < 0 && !(has(HeadJoint) && has(NeckBase))) R[Neck] = part_of_turn(R[T8], R[Head], 0.5);
}

// If joints between pelvis and chest have points, corrects the even turn so that the joints match the points.
void KeypointBody::follow_spine(const BodyPoints& points, Frames& R) const {
  int first = L5;
  Vector3d here =
      has(SpineLow) ? points[SpineLow] : Vector3d(points[HipsMiddle] + R[Pelvis] * subject_.origin[L5]);
  for (const int joint : {int{L3}, int{T12}, int{T8}}) {
    if (!has(origin_of(joint))) continue;
    const Vector3d& there = points[at(origin_of(joint))];
    Vector3d now = Vector3d::Zero();
    for (int i = first; i < joint; ++i) now += R[at(i)] * subject_.origin[at(i + 1)];
    const double shortest = kSamePlace * points_.height();
    if (now.norm() > shortest && (there - here).norm() > shortest) {
      const Matrix3d turn = least_turn(now.normalized(), (there - here).normalized());
      for (int i = first; i < joint; ++i) {
        if (given_[at(i)] < 0) R[at(i)] = turn * R[at(i)];
      }
    }
    first = joint;
    here = there;
  }
}

void KeypointBody::trunk_frames(int frame, const BodyPoints& points, Frames& R) const {
  const Vector3d shoulders = to_the_left(points, ShoulderJoint);
  if (!has(HipsMiddle)) {
    // upper body only: assumed upright
    R[Pelvis] = R[T8] = frame_along(2, Vector3d::UnitZ(), 1, shoulders);
    return;
  }
  RigidPose markers;
  if (points_.pelvis(frame, markers)) {
    R[Pelvis] = markers.R * pelvis_turn_;
  } else {
    const Vector3d across = has_both(HipJoint) ? to_the_left(points, HipJoint) : shoulders;
    const Vector3d up = high_hips_         ? Vector3d(points[HipsMiddle] - middle(points, HipJoint))
                        : !has(low_spine_) ? Vector3d(Vector3d::UnitZ())  // legs only: assumed upright
                                           : Vector3d(points[low_spine_] - points[HipsMiddle]);
    R[Pelvis] = frame_along(1, across, 2, up) * pelvis_turn_;
  }
  R[T8] = frame_along(2, points[NeckBase] - points[high_spine_], 1, shoulders) * chest_turn_;
}

Matrix3d KeypointBody::raw_head(const Matrix3d& R_WT, const BodyPoints& points) const {
  const bool front = has_both(HeadFrontMarker), ears = has_both(EarPoint), eyes = has_both(EyePoint);
  if (front && has_both(HeadBackMarker))
    return frame_along(1, to_the_left(points, HeadFrontMarker), 0,
                       middle(points, HeadFrontMarker) - middle(points, HeadBackMarker));
  if (front && has(HeadTop))
    return frame_along(1, to_the_left(points, HeadFrontMarker), 2,
                       points[HeadTop] - middle(points, HeadFrontMarker));
  if (ears && (eyes || has(Nose)))
    return frame_along(1, to_the_left(points, EarPoint), 0,
                       (eyes ? middle(points, EyePoint) : points[Nose]) - middle(points, EarPoint));
  if (eyes && has(Nose))
    return frame_along(1, to_the_left(points, EyePoint), 2, middle(points, EyePoint) - points[Nose]);
  if (has(HeadTop))
    return frame_along(2, points[HeadTop] - points[has(HeadJoint) ? HeadJoint : NeckBase], 1, R_WT.col(1));
  return Matrix3d::Constant(no_point()[0]);
}

void KeypointBody::head_frames(const BodyPoints& points, Frames& R) const {
  R[Head] = raw_head(R[T8], points) * head_turn_;
  if (has(HeadJoint) && has(NeckBase))
    R[Neck] = frame_along(2, points[HeadJoint] - points[NeckBase], 1, R[T8].col(1)) * neck_turn_;
}

void KeypointBody::arm_frames(int frame, int side, const BodyPoints& points, Frames& R) const {
  const auto point = [&](Landmark::Index landmark) -> const Vector3d& {
    return points[at(sided(landmark, side))];
  };
  const auto has_own = [&](Landmark::Index landmark) { return has(sided(landmark, side)); };
  const Vector3d& hinge = points_.hinges(2 + side)[at(frame)];
  const double sign = along_y(side);

  const Vector3d collar = has_own(CollarJoint)
                              ? point(CollarJoint)
                              : Vector3d(points[NeckBase] + R[T8] * collar_in_chest_[at(side)]);
  R[at(of_side(RightShoulder, side))] =
      frame_along(1, sign * (point(ShoulderJoint) - collar), 2, R[T8].col(2));
  R[at(of_side(RightUpperArm, side))] =
      frame_along(1, sign * (point(ElbowJoint) - point(ShoulderJoint)), 2, hinge);

  // the thumb points forward in the T-pose
  const Vector3d forearm = sign * (point(WristJoint) - point(ElbowJoint));
  const bool wrist = has_own(WristRadialMarker) && has_own(WristUlnarMarker);
  const Vector3d to_thumb = point(WristRadialMarker) - point(WristUlnarMarker);
  Matrix3d& R_forearm = R[at(of_side(RightForeArm, side))];
  R_forearm = wrist ? frame_along(1, forearm, 0, thumb_side_[at(side)] * to_thumb)
                    : frame_along(1, forearm, 2, hinge);

  const Vector3d hand = sign * (point(HandPoint) - point(WristJoint));
  if (has_own(IndexPoint) && has_own(LittlePoint)) {
    R[at(of_side(RightHand, side))] = frame_along(1, hand, 0, point(IndexPoint) - point(LittlePoint));
  } else {
    R[at(of_side(RightHand, side))] = frame_along(1, hand, 2, R_forearm.col(2));
  }
}

void KeypointBody::leg_frames(int frame, int side, const BodyPoints& points, Frames& R) const {
  const auto point = [&](Landmark::Index landmark) -> const Vector3d& {
    return points[at(sided(landmark, side))];
  };
  const Vector3d& hinge = points_.hinges(side)[at(frame)];
  R[at(of_side(RightUpperLeg, side))] = frame_along(2, point(HipJoint) - point(KneeJoint), 1, hinge);
  R[at(of_side(RightLowerLeg, side))] = frame_along(2, point(KneeJoint) - point(AnkleJoint), 1, hinge);
  R[at(of_side(RightFoot, side))] = raw_foot(side, points) * foot_turn_[at(side)];
}

Vector3d KeypointBody::toes(int side, const BodyPoints& points) const {
  const auto point = [&](Landmark::Index landmark) -> const Vector3d& {
    return points[at(sided(landmark, side))];
  };
  if (has(sided(BallPoint, side))) return point(BallPoint);
  if (has(sided(SmallToePoint, side)) && has(sided(BigToePoint, side)))
    return 0.5 * (point(SmallToePoint) + point(BigToePoint));
  return point(has(sided(ToeTipPoint, side)) ? ToeTipPoint : BigToePoint);
}

Matrix3d KeypointBody::raw_foot(int side, const BodyPoints& points) const {
  const auto point = [&](Landmark::Index landmark) -> const Vector3d& {
    return points[at(sided(landmark, side))];
  };
  const Vector3d toes = this->toes(side, points);
  if (!has(sided(HeelPoint, side)))
    return frame_along(0, toes - point(AnkleJoint), 2, point(KneeJoint) - point(AnkleJoint));
  // the ankle is above the line from heel to toes
  const Vector3d forward = toes - point(HeelPoint), up = point(AnkleJoint) - point(HeelPoint);
  return frame_along(0, forward, 1, up.cross(forward));
}

}  // namespace panto::keypoints
