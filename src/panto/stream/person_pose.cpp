#include "panto/stream/person_pose.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "panto/math/directions.hpp"
#include "panto/math/so3.hpp"
#include "panto/math/vector_math.hpp"

namespace panto::stream {
namespace {

using enum HumanSegment::Index;
using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr double kHingeTime = 0.01;        // [s]; see keypoints/limb_twist.hpp
constexpr double kReferenceWeight = 1e-3;  // of the axis where nothing else is known
constexpr double kStraight = 0.14;         // sine of a bend of 8 deg: less does not show its plane
constexpr double kLeastStep = 1e-3, kLargestStep = 0.1;  // [s]

}  // namespace

int of_side(int right_segment, int side) noexcept {
  if (side == 0) return right_segment;
  return right_segment >= RightUpperLeg ? right_segment - RightUpperLeg + LeftUpperLeg
                                        : right_segment - RightShoulder + LeftShoulder;
}

void PersonPose::turn(int segment, const Matrix3d& orientation) noexcept {
  turned.set(at(segment), orientation.allFinite());
  if (orientation.allFinite()) R[at(segment)] = orientation;
}

void PersonPose::place(int segment, const Vector3d& origin) noexcept {
  placed.set(at(segment), origin.allFinite());
  if (origin.allFinite()) p[at(segment)] = origin;
}

void PersonPose::turn_spine() noexcept {
  int step = 1;
  for (const int segment : {L5, L3, T12}) turn(segment, part_of_turn(R[Pelvis], R[T8], 0.25 * step++));
}

void PersonPose::set_arm(int side, const Vector3d& shoulder, const Vector3d& elbow, const Vector3d& wrist,
                         const Vector3d& hinge, const Matrix3d& R_hand) noexcept {
  const double sign = along_y(side);
  turn(of_side(RightUpperArm, side), frame_along(1, sign * (elbow - shoulder), 2, hinge));
  const Vector3d forearm = sign * (wrist - elbow);
  // the wrist bends, but does not twist
  turn(of_side(RightForeArm, side),
       R_hand.allFinite() ? frame_along(1, forearm, 0, R_hand.col(0)) : frame_along(1, forearm, 2, hinge));
  turn(of_side(RightHand, side), R_hand);
  place(of_side(RightUpperArm, side), shoulder);
  place(of_side(RightForeArm, side), elbow);
  place(of_side(RightHand, side), wrist);
}

void PersonPose::set_leg(int side, const Vector3d& hip, const Vector3d& knee, const Vector3d& ankle,
                         const Vector3d& hinge) noexcept {
  turn(of_side(RightUpperLeg, side), frame_along(2, hip - knee, 1, hinge));
  turn(of_side(RightLowerLeg, side), frame_along(2, knee - ankle, 1, hinge));
  place(of_side(RightUpperLeg, side), hip);
  place(of_side(RightLowerLeg, side), knee);
  place(of_side(RightFoot, side), ankle);
}

Vector3d middle_joint(const Vector3d& root, Vector3d& end, double upper, double lower,
                      const Vector3d& pole) noexcept {
  const Vector3d way = end - root;
  const double far = std::clamp(way.norm(), std::abs(upper - lower) + 1e-3, upper + lower - 1e-4);
  const Vector3d u = way.norm() > 1e-6 ? Vector3d(way.normalized()) : Vector3d(-Vector3d::UnitZ());
  end = root + far * u;
  const double along = (far * far + upper * upper - lower * lower) / (2.0 * far);
  const double aside = std::sqrt(std::max(upper * upper - along * along, 0.0));
  const Vector3d off = pole - u * u.dot(pole);
  return root + along * u + aside * (off.norm() > 1e-6 ? Vector3d(off.normalized()) : across(u));
}

Vector3d LimbHinge::next(const Vector3d& bone, const Vector3d& normal, const Vector3d& reference,
                         double dt) noexcept {
  const auto perpendicular = [&](const Vector3d& v) { return Vector3d(v - bone * bone.dot(v)); };
  const double sine = normal.norm();
  const bool bent = sine > kStraight;
  if (!known_) {
    const Vector3d first = perpendicular(bent ? normal : reference);
    axis_ = first.norm() > 1e-6 ? Vector3d(first.normalized()) : across(bone);
    known_ = true;
  } else {
    const Vector3d carried = perpendicular(least_turn(bone_, bone) * axis_).normalized();
    const auto angle_to = [&](const Vector3d& v) {
      const Vector3d to = perpendicular(v);
      return to.norm() > 1e-6 ? atan2(bone.dot(carried.cross(to)), carried.dot(to)) : 0.0;
    };
    const double step = std::clamp(dt, kLeastStep, kLargestStep);
    const double of_plane = bent ? step * sine * sine : 0.0, of_reference = step * kReferenceWeight;
    const double angle = (of_plane * angle_to(normal) + of_reference * angle_to(reference)) /
                         (of_plane + of_reference + kHingeTime * kHingeTime / step);
    axis_ = so3::exp(angle * bone) * carried;
  }
  bone_ = bone;
  return axis_;
}

}  // namespace panto::stream
