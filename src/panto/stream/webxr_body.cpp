#include "panto/stream/webxr_body.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <vector>

#include "panto/math/directions.hpp"
#include "panto/math/so3.hpp"
#include "panto/math/vector_math.hpp"
#include "panto/model/measured_subject.hpp"

namespace panto::stream {
namespace {

using enum HumanSegment::Index;
using Eigen::Matrix3d;
using Eigen::Vector3d;
using Place = WebxrPlace;

constexpr double kLeastSpine = 0.08;  // [m] of spine that shows where the pelvis points
constexpr double kLeastTriangle =
    0.015;                            // [m]: the height of ankle, subtalar joint and ball that shows a roll
constexpr double kUpright = 0.906;    // cosine of 25 deg
constexpr double kSameHeight = 0.06;  // [m] between the feet of a person who stands

const Vector3d& place(const WebxrFrame& frame, int which) noexcept { return frame.pose[at(which)].p; }

bool knuckles(const WebxrFrame& frame, int side) noexcept {
  for (const int joint : {Place::LeftWrist, Place::LeftIndex, Place::LeftMiddle, Place::LeftLittle})
    if (!frame.has.test(at(webxr_hand(joint, side)))) return false;
  return true;
}

Matrix3d hand_of_knuckles(const WebxrFrame& frame, int side) noexcept {
  const auto at_joint = [&](int left) { return place(frame, webxr_hand(left, side)); };
  return frame_along(1, along_y(side) * (at_joint(Place::LeftMiddle) - at_joint(Place::LeftWrist)), 0,
                     at_joint(Place::LeftIndex) - at_joint(Place::LeftLittle));
}

// The upright frame that looks as `R` does.
Matrix3d levelled(const Matrix3d& R) noexcept { return frame_along(2, Vector3d::UnitZ(), 0, R.col(0)); }

}  // namespace

// Frames of trunk and feet as the points lie, before their neutral turns.
struct WebxrJoints::Raw {
  Vector3d hips;
  Matrix3d pelvis, chest, neck;
  std::array<Matrix3d, 2> foot;

  explicit Raw(const WebxrFrame& frame) noexcept {
    const auto left_of = [&](int left, int right) -> Vector3d {
      return place(frame, left) - place(frame, right);
    };
    const int hip = Place::LeftUpperLeg, shoulder = Place::LeftArmUpper;
    hips = 0.5 * (place(frame, hip) + place(frame, webxr_leg(hip, 0)));
    const Vector3d& top = place(frame, Place::SpineUpper);
    const Vector3d& base = place(frame, Place::Neck);
    const Vector3d& middle = place(frame, Place::SpineMiddle);
    const bool apart = frame.has.test(Place::SpineMiddle) && (middle - hips).norm() > kLeastSpine;
    pelvis = frame_along(1, left_of(hip, webxr_leg(hip, 0)), 2, (apart ? middle : top) - hips);
    chest = frame_along(2, base - top, 1, left_of(shoulder, webxr_arm(shoulder, 0)));
    neck = frame_along(2, place(frame, Place::Head) - base, 1, chest.col(1));
    for (const int side : {0, 1}) {
      const auto leg = [&](int left) -> const Vector3d& { return place(frame, webxr_leg(left, side)); };
      const Vector3d& ankle = leg(Place::LeftAnkle);
      const Vector3d ahead = leg(Place::LeftBall) - ankle, up = ankle - leg(Place::LeftSubtalar);
      const bool shows_roll = frame.has.test(at(webxr_leg(Place::LeftSubtalar, side))) &&
                              up.cross(ahead).norm() > kLeastTriangle * ahead.norm();
      foot[at(side)] = shows_roll ? frame_along(0, ahead, 1, up.cross(ahead))
                                  : frame_along(0, ahead, 2, leg(Place::LeftLowerLeg) - ankle);
    }
  }
};

// An average foot stands level while its line from ankle to ball goes down.
std::array<Matrix3d, 2> WebxrJoints::usual_foot_turns() {
  const Vector3d ball = scaled_subject(1.75).origin[RightToe];
  const Matrix3d level = so3::about_axis(1, -atan2(-ball.z(), ball.x()));
  return {level, level};
}

bool WebxrJoints::has(const WebxrFrame& frame) noexcept {
  for (const int joint : {Place::Hips, Place::SpineUpper, Place::Neck, Place::Head})
    if (!frame.has.test(at(joint))) return false;
  for (const int side : {0, 1}) {
    for (const int joint : {Place::LeftCollar, Place::LeftArmUpper, Place::LeftArmLower})
      if (!frame.has.test(at(webxr_arm(joint, side)))) return false;
    for (const int joint : {Place::LeftUpperLeg, Place::LeftLowerLeg, Place::LeftAnkle, Place::LeftBall})
      if (!frame.has.test(at(webxr_leg(joint, side)))) return false;
    if (!frame.has.test(at(webxr_hand(Place::LeftWrist, side)))) return false;
  }
  return true;
}

void WebxrJoints::become_neutral(const WebxrFrame& frame, const Raw& raw) noexcept {
  const Vector3d& left = place(frame, Place::LeftBall);
  const Vector3d& right = place(frame, webxr_leg(Place::LeftBall, 0));
  if (!(raw.pelvis(2, 2) > kUpright && raw.chest(2, 2) > kUpright)) return;
  if (!(std::abs(left.z() - right.z()) < kSameHeight)) return;
  for (const int side : {0, 1}) {
    const Vector3d& hip = place(frame, webxr_leg(Place::LeftUpperLeg, side));
    const Vector3d& ankle = place(frame, webxr_leg(Place::LeftAnkle, side));
    if (!((hip - ankle).normalized().z() > kUpright)) return;
  }
  const auto turn = [](const Matrix3d& R) { return Matrix3d(R.transpose() * levelled(R)); };
  pelvis_turn_ = turn(raw.pelvis);
  chest_turn_ = turn(raw.chest);
  neck_turn_ = turn(raw.neck);
  for (const int side : {0, 1}) foot_turn_[at(side)] = turn(raw.foot[at(side)]);
  neutral_ = became_neutral_ = true;
}

void WebxrJoints::forget_hinges() noexcept {
  for (const int side : {0, 1}) {
    elbow_[at(side)].forget();
    knee_[at(side)].forget();
  }
}

void WebxrJoints::pose(const WebxrFrame& frame, double dt, PersonPose& person) noexcept {
  person.turned.reset();
  person.placed.reset();
  became_neutral_ = false;
  const Raw raw(frame);
  if (!neutral_) become_neutral(frame, raw);
  person.turn(Pelvis, raw.pelvis * pelvis_turn_);
  person.turn(T8, raw.chest * chest_turn_);
  person.turn(Neck, raw.neck * neck_turn_);
  person.place(Pelvis, raw.hips);
  person.place(Neck, place(frame, Place::Neck));
  person.place(Head, place(frame, Place::Head));
  if (frame.has.test(Place::Viewer)) person.turn(Head, webxr_head(frame));
  if (!person.turned.test(Pelvis) || !person.turned.test(T8)) return;
  person.turn_spine();
  for (const int side : {0, 1}) {
    const auto arm = [&](int left) -> const Vector3d& { return place(frame, webxr_arm(left, side)); };
    const auto leg = [&](int left) -> const Vector3d& { return place(frame, webxr_leg(left, side)); };
    const double sign = along_y(side);
    const Vector3d& wrist = place(frame, webxr_hand(Place::LeftWrist, side));
    const Vector3d upper = (arm(Place::LeftArmLower) - arm(Place::LeftArmUpper)).normalized();
    const Vector3d fore = (wrist - arm(Place::LeftArmLower)).normalized();
    const Vector3d hang = least_turn(sign * person.R[T8].col(1), upper) * person.R[T8].col(2);
    const Vector3d elbow_axis = elbow_[at(side)].next(upper, sign * fore.cross(upper), hang, dt);
    person.turn(
        of_side(RightShoulder, side),
        frame_along(1, sign * (arm(Place::LeftArmUpper) - arm(Place::LeftCollar)), 2, person.R[T8].col(2)));
    person.place(of_side(RightShoulder, side), arm(Place::LeftCollar));
    const Matrix3d R_hand =
        knuckles(frame, side) ? hand_of_knuckles(frame, side) : Matrix3d::Constant(std::nan("")).eval();
    person.set_arm(side, arm(Place::LeftArmUpper), arm(Place::LeftArmLower), wrist, elbow_axis, R_hand);

    const Vector3d thigh = (leg(Place::LeftLowerLeg) - leg(Place::LeftUpperLeg)).normalized();
    const Vector3d shank = (leg(Place::LeftAnkle) - leg(Place::LeftLowerLeg)).normalized();
    const Vector3d knee_axis = knee_[at(side)].next(thigh, thigh.cross(shank), person.R[Pelvis].col(1), dt);
    person.set_leg(side, leg(Place::LeftUpperLeg), leg(Place::LeftLowerLeg), leg(Place::LeftAnkle),
                   knee_axis);
    person.turn(of_side(RightFoot, side), raw.foot[at(side)] * foot_turn_[at(side)]);
  }
}

std::optional<SubjectDimensions> WebxrJoints::person(const WebxrFrame& frame) {
  const SubjectDimensions average = scaled_subject(1.75);
  const auto apart = [&](int a, int b) { return (place(frame, a) - place(frame, b)).norm(); };
  SubjectPoints points;
  points.origin = average.origin;
  const auto scale = [&](int segment, double measured, double usual) {
    points.origin[at(segment)] = average.origin[at(segment)] * (measured / usual);
  };
  const Raw raw(frame);
  const double trunk = (place(frame, Place::Neck) - raw.hips).norm();
  const double usual_trunk = height_over_pelvis(average.origin)[Neck];
  for (const int segment : {L5, L3, T12, T8, Neck}) scale(segment, trunk, usual_trunk);
  scale(Head, apart(Place::Head, Place::Neck), average.origin[Head].norm());
  const double shoulders = apart(Place::LeftArmUpper, webxr_arm(Place::LeftArmUpper, 0));
  const double usual_shoulders = 2.0 * (average.origin[LeftShoulder].y() + average.origin[LeftUpperArm].y());
  for (const int side : {0, 1}) {
    const auto arm = [&](int left) { return webxr_arm(left, side); };
    const auto leg = [&](int left) { return webxr_leg(left, side); };
    const auto bone = [&](int right_segment, double measured) {
      const int segment = of_side(right_segment, side);
      scale(segment, measured, average.origin[at(segment)].norm());
    };
    const int shoulder = of_side(RightShoulder, side);
    scale(shoulder, shoulders, usual_shoulders);
    points.origin[at(shoulder)].z() = average.origin[at(shoulder)].z() * trunk / usual_trunk;
    scale(of_side(RightUpperArm, side), shoulders, usual_shoulders);
    bone(RightForeArm, apart(arm(Place::LeftArmLower), arm(Place::LeftArmUpper)));
    bone(RightHand, apart(webxr_hand(Place::LeftWrist, side), arm(Place::LeftArmLower)));
    bone(RightUpperLeg, 0.5 * apart(Place::LeftUpperLeg, webxr_leg(Place::LeftUpperLeg, 0)));
    bone(RightLowerLeg, apart(leg(Place::LeftLowerLeg), leg(Place::LeftUpperLeg)));
    bone(RightFoot, apart(leg(Place::LeftAnkle), leg(Place::LeftLowerLeg)));
    bone(RightToe, apart(leg(Place::LeftBall), leg(Place::LeftAnkle)));
  }
  std::vector<std::string> notes;
  return measured_subject(points, notes);
}

}  // namespace panto::stream
