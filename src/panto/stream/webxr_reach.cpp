#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "panto/math/directions.hpp"
#include "panto/math/so3.hpp"
#include "panto/math/vector_math.hpp"
#include "panto/model/measured_subject.hpp"
#include "panto/stream/person_items.hpp"
#include "panto/stream/webxr_body.hpp"

namespace panto::stream {
namespace {

using enum HumanSegment::Index;
using Eigen::Matrix3d;
using Eigen::Vector3d;
using Place = WebxrPlace;

constexpr double kEyes = 0.936;                  // of the height [Drillis and Contini 1966]
constexpr double kEyesAhead = 0.05;              // of the head's joint, of the height
constexpr double kLowest = 1.1, kHighest = 2.2;  // [m], of the eyes
constexpr double kTurnTime = 0.7;                // [s] in which the trunk turns after the head
constexpr double kPalm = 0.4;                    // of the hand's length, from the wrist
constexpr double kSteep = 0.9;  // |z| of a head that looks up or down: its heading is not known

// columns: the axes of a wrist, or of a controller's grip, in the hand's own axes
Matrix3d wrist_axes(int side) noexcept {
  const double sign = along_y(side);
  return (Matrix3d() << sign, 0, 0, 0, 0, -sign, 0, 1, 0).finished();
}
Matrix3d grip_axes(int side) noexcept {
  const double sign = along_y(side);
  return (Matrix3d() << 0, 0, -1, 0, -sign, 0, -sign, 0, 0).finished();
}

}  // namespace

std::optional<SubjectDimensions> WebxrReach::person(double eyes) {
  if (!(eyes >= kLowest && eyes <= kHighest)) return std::nullopt;
  return scaled_subject(eyes / kEyes);
}

void WebxrReach::pose(const WebxrFrame& frame, const SubjectDimensions& person, double dt,
                      PersonPose& pose) noexcept {
  pose.turned.reset();
  pose.placed.reset();
  const Matrix3d head = webxr_head(frame);
  const Vector3d ahead = head.col(0);
  if (std::abs(ahead.z()) < kSteep || !known_) {
    const double seen = atan2(ahead.y(), ahead.x());
    const double share = known_ ? 1.0 - exp_decay(-std::max(dt, 0.0) / kTurnTime) : 1.0;
    const SinCos off = sincos(seen - heading_);
    heading_ += share * atan2(off.sin, off.cos);
    known_ = true;
  }
  const Matrix3d trunk = so3::about_axis(2, heading_);
  for (const int segment : {Pelvis, L5, L3, T12, T8, RightShoulder, LeftShoulder}) pose.turn(segment, trunk);
  pose.turn(Head, head);
  pose.turn(Neck, part_of_turn(trunk, head, 0.5));

  const auto over_pelvis = height_over_pelvis(person.origin);
  const double eyes_up = kEyes * person.height - standing_height(person) - over_pelvis[Head];
  const Vector3d& eyes = frame.pose[at(Place::Viewer)].p;
  const Vector3d joint = eyes - head * Vector3d(kEyesAhead * person.height, 0.0, eyes_up);
  const Vector3d base = joint - pose.R[Neck] * person.origin[Head];
  pose.place(Head, joint);
  pose.place(Neck, base);
  pose.place(Pelvis, base - Vector3d(0.0, 0.0, over_pelvis[Neck]));
  for (const int side : {0, 1}) {
    const int shoulder = of_side(RightShoulder, side);
    pose.place(shoulder, base + trunk * (person.origin[at(shoulder)] - person.origin[Neck]));
    arm(frame, person, side, pose);
    leg(person, side, pose);
  }
}

void WebxrReach::arm(const WebxrFrame& frame, const SubjectDimensions& person, int side,
                     PersonPose& pose) const noexcept {
  const int wrist = webxr_hand(Place::LeftWrist, side);
  const int grip = webxr_grip(side);
  const bool bare = frame.has.test(at(wrist));
  if (!bare && !frame.has.test(at(grip))) return;
  const double sign = along_y(side);
  const WebxrPose& held = frame.pose[at(bare ? wrist : grip)];
  const Matrix3d hand = held.R * (bare ? wrist_axes(side) : grip_axes(side)).transpose();
  const int last = of_side(RightHand, side);
  Vector3d end = held.p;
  if (!bare) end -= hand * Vector3d(0.0, sign * kPalm * person.end[at(last)].norm(), 0.0);
  const Matrix3d& trunk = pose.R[T8];
  const Vector3d shoulder =
      pose.p[at(of_side(RightShoulder, side))] + trunk * person.origin[at(of_side(RightUpperArm, side))];
  const Vector3d hang = trunk * Vector3d(-0.3, 0.4 * sign, -1.0);
  const Vector3d elbow = middle_joint(shoulder, end, person.origin[at(of_side(RightForeArm, side))].norm(),
                                      person.origin[at(last)].norm(), hang);
  pose.set_arm(side, shoulder, elbow, end, sign * (end - elbow).cross(elbow - shoulder), hand);
}

void WebxrReach::leg(const SubjectDimensions& person, int side, PersonPose& pose) const noexcept {
  const Matrix3d& trunk = pose.R[Pelvis];
  const auto bone = [&](int right_segment) -> const Vector3d& {
    return person.origin[at(of_side(right_segment, side))];
  };
  const Vector3d hip = pose.p[Pelvis] + trunk * bone(RightUpperLeg);
  Vector3d ankle(hip.x(), hip.y(), -bone(RightToe).z());
  const Vector3d knee =
      middle_joint(hip, ankle, bone(RightLowerLeg).norm(), bone(RightFoot).norm(), trunk.col(0));
  pose.set_leg(side, hip, knee, ankle, trunk.col(1));
  pose.turn(of_side(RightFoot, side), trunk);
}

}  // namespace panto::stream
