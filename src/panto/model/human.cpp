#include "panto/model/human.hpp"
#include "panto/base/index.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <string>

#include "panto/math/degrees.hpp"
#include "panto/math/elementary.hpp"

namespace panto {
namespace {

using enum HumanSegment::Index;

using Eigen::Matrix3d;
using Eigen::Vector3d;

// ---- limits -----------------------------------------------------------------------------------------------

/// Range of one axis [deg]; both zero: the axis is fixed.
struct Range {
  double lower = 0.0;
  double upper = 0.0;
  [[nodiscard]] bool turns() const { return lower != 0.0 || upper != 0.0; }
};

/// Ranges about x, y, z of the joint between a segment and its parent.
using JointRange = std::array<Range, 3>;

/// Right-hand and central ranges [deg] by segment: robotology/human-gazebo, the 48-dof models, identical for
/// all subjects. The left side mirrors x and z.
constexpr JointRange clinical_range(int segment) {
  constexpr Range none{};
  switch (segment) {
    case L5:
    case L3:
    case T12:
      return {Range{-35, 35}, Range{-30, 75}, none};
    case T8:
      return {Range{-20, 20}, Range{-15, 40}, Range{-35, 35}};
    case Neck:
      return {Range{-35, 35}, Range{-55, 90}, Range{-70, 70}};
    case Head:
      return {Range{-35, 35}, Range{-25, 10}, none};
    case RightShoulder:
      return {Range{-45, 5}, none, none};
    case RightUpperArm:
      return {Range{-135, 90}, Range{-90, 90}, Range{-45, 180}};
    case RightForeArm:
      return {none, Range{-90, 85}, Range{0, 145}};
    case RightHand:
      return {Range{-50, 60}, none, Range{-30, 20}};
    case RightUpperLeg:
      return {Range{-45, 30}, Range{-120, 15}, Range{-45, 45}};
    case RightLowerLeg:
      return {none, Range{0, 135}, Range{-40, 30}};
    case RightFoot:
      return {Range{-35, 45}, Range{-30, 50}, Range{-25, 50}};
    case RightToe:
      // Departure: human-gazebo has -10..90. A positive turn about y lowers the tip of the toes, so that
      // range bends them 90 deg down and only 10 deg up. The real joint does the opposite: 70-80 deg up
      // (push-off needs 40 and more), 30-45 deg down (AAOS; Norkin and White).
      return {none, Range{-80, 45}, none};
    default:
      return {none, none, none};
  }
}

constexpr bool is_left(int segment) {
  return (segment >= LeftShoulder && segment <= LeftHand) || (segment >= LeftUpperLeg && segment <= LeftToe);
}

/// Returns the same segment of the right side.
constexpr int right_of(int segment) {
  if (segment >= LeftShoulder && segment <= LeftHand) return segment - LeftShoulder + RightShoulder;
  if (segment >= LeftUpperLeg && segment <= LeftToe) return segment - LeftUpperLeg + RightUpperLeg;
  return segment;
}

JointRange range_of(int segment) {
  JointRange range = clinical_range(right_of(segment));
  if (is_left(segment)) {
    for (const std::size_t axis : {std::size_t{0}, std::size_t{2}}) {
      if (range[axis].turns()) range[axis] = {-range[axis].upper, -range[axis].lower};
    }
  }
  return range;
}

constexpr double kHuman48Speed = 30.0;  // [rad/s]

// ---- proportions ------------------------------------------------------------------------------------------

/// Origins of the right and central segments in their parents, as fractions of height: limbs, hips and
/// shoulders are the means of seven subjects of human-gazebo (thigh .275, shank .250, upper arm .168, forearm
/// .138, between the hips .105, between the shoulders .204); the ball of the foot is subject 1's; its height
/// above the sole is the ankle's .039 [Drillis and Contini 1966]. The spine is subject 1's times 0.9753,
/// because the mean legs are longer.
Vector3d origin_fraction(int segment) {
  constexpr double spine = 0.9753 / 1.68;
  switch (segment) {
    case L5:
      return {0.0, 0.0, 0.0985 * spine};
    case L3:
      return {0.0, 0.0, 0.0951 * spine};
    case T12:
    case T8:
      return {0.0, 0.0, 0.0859 * spine};
    case Neck:
      return {0.0, 0.0, 0.1198 * spine};
    case Head:
      return {0.0, 0.0, 0.0892 * spine};
    case RightShoulder:
      return {0.0, -0.0171, 0.0671 * spine};
    case RightUpperArm:
      return {0.0, -0.0849, 0.0};
    case RightForeArm:
      return {0.0, -0.168, 0.0};
    case RightHand:
      return {0.0, -0.138, 0.0};
    case RightUpperLeg:
      return {0.0, -0.0525, 0.0006};
    case RightLowerLeg:
      return {0.0, 0.0, -0.275};
    case RightFoot:
      return {0.0, 0.0, -0.250};
    case RightToe:
      return {0.0861, 0.0, -0.0390};
    default:
      return Vector3d::Zero();
  }
}

/// Far ends of the last segments, as fractions of height (subject 1; the hand is Drillis and Contini's).
Vector3d end_fraction(int segment) {
  switch (segment) {
    case Head:
      return {0.0, 0.0, 0.1780 * 0.9753 / 1.68};
    case RightHand:
      return {0.0, -0.108, 0.0};
    case RightToe:
      return {0.0358, 0.0, 0.0};
    default:
      return Vector3d::Zero();
  }
}

Vector3d mirrored(const Vector3d& v) { return {v.x(), -v.y(), v.z()}; }

// ---- masses -----------------------------------------------------------------------------------------------

/// Share of the body's mass [ami-iit/mvnx-to-urdf].
constexpr double mass_fraction(int segment) {
  switch (right_of(segment)) {
    case Pelvis:
      return 0.080;
    case L5:
    case L3:
    case T12:
      return 0.102;
    case T8:
      return 0.040;
    case Neck:
      return 0.012;
    case Head:
      return 0.036;
    case RightShoulder:
      return 0.031;
    case RightUpperArm:
      return 0.030;
    case RightForeArm:
      return 0.020;
    case RightHand:
      return 0.006;
    case RightUpperLeg:
      return 0.125;
    case RightLowerLeg:
      return 0.0365;
    case RightFoot:
      return 0.0130;
    default:
      return 0.0015;
  }
}

/// Where the mass of a segment sits along its axis, as fractions of its length: centre from the near end,
/// radii of gyration about the centre, across and along the axis.
struct Distribution {
  double centre;
  double across;
  double along;
};

/// Limbs and head: de Leva's adjustment of Zatsiorsky, mean of both sexes and of the two radii across; the
/// head is vertex to gonion, which is about the joint C1. Foot: Dempster's, ankle to ball.
constexpr Distribution distribution(int segment) {
  switch (right_of(segment)) {
    case Head:
      return {0.4065, 0.3568, 0.3150};
    case RightUpperArm:
      return {0.5763, 0.2730, 0.1530};
    case RightForeArm:
      return {0.4567, 0.2648, 0.1075};
    case RightHand:
      return {0.3526, 0.2438, 0.1690};
    case RightUpperLeg:
      return {0.3854, 0.3478, 0.1555};
    case RightLowerLeg:
      return {0.4374, 0.2568, 0.0970};
    case RightFoot:
      return {0.5000, 0.4750, 0.1650};
    default:
      return {0.5, 0.0, 0.0};
  }
}

/// Segments without a table are elliptic cylinders about their axis: full widths along x and along the third
/// direction, as fractions of height. The trunk is as wide as the hips (.191, Drillis and Contini) and 0.6 of
/// that deep.
struct Section {
  double depth = 0.0;
  double width = 0.0;
};

constexpr Section section(int segment) {
  switch (right_of(segment)) {
    case Pelvis:
    case L5:
    case L3:
    case T12:
    case T8:
      return {0.115, 0.191};
    case Neck:
      return {0.070, 0.070};
    case RightShoulder:
      return {0.060, 0.060};
    case RightToe:
      return {0.015, 0.050};
    default:
      return {};
  }
}

/// Returns the next segment outwards, at which a segment's axis points; -1 when there is none.
constexpr int next_segment(int segment) {
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

/// Returns m (k_u^2 on axis u, ...) for an orthogonal frame (u, a, b) with moments I_u, I_a, I_b.
Matrix3d inertia_in_frame(const Matrix3d& frame, const Vector3d& moments) {
  const Matrix3d I = frame * moments.asDiagonal() * frame.transpose();
  return 0.5 * (I + I.transpose());
}

/// Columns: the axis, then the two directions across it; the second is as near to x as possible.
Matrix3d frame_about(const Vector3d& axis) {
  Matrix3d frame;
  frame.col(0) = axis.normalized();
  const Vector3d x = std::abs(frame.col(0).x()) < 0.9 ? Vector3d::UnitX() : Vector3d::UnitZ();
  frame.col(1) = (x - x.dot(frame.col(0)) * frame.col(0)).normalized();
  frame.col(2) = frame.col(0).cross(frame.col(1));
  return frame;
}

Link body_link(const SubjectDimensions& subject, int segment) {
  const int next = next_segment(segment);
  Vector3d axis = next < 0 ? subject.end[at(segment)] : subject.origin[at(next)];
  // a segment without length still gets a size, so that the inertia stays positive definite
  const double shortest = 0.01 * subject.height;
  if (axis.norm() < shortest) axis = shortest * Vector3d::UnitZ();

  Link link;
  link.name = std::string(kHumanSegmentNames[at(segment)]);
  link.mass = mass_fraction(segment) * subject.mass;
  const Distribution part = distribution(segment);
  link.com = part.centre * axis;
  const double length2 = axis.squaredNorm();
  Vector3d moments;
  if (part.across > 0.0) {
    const double across = part.across * part.across * length2;
    moments = Vector3d(part.along * part.along * length2, across, across);
  } else {
    // solid elliptic cylinder: semi-axes a and b across, length L
    const double a2 = power(0.5 * section(segment).depth * subject.height, 2);
    const double b2 = power(0.5 * section(segment).width * subject.height, 2);
    moments = Vector3d((a2 + b2) / 4.0, b2 / 4.0 + length2 / 12.0, a2 / 4.0 + length2 / 12.0);
  }
  link.inertia = inertia_in_frame(frame_about(axis), link.mass * moments);
  return link;
}

// ---- checks -----------------------------------------------------------------------------------------------

/// Formats to the millimetre, independent of the locale; for messages only.
[[nodiscard]] std::string number(double value) {
  if (!std::isfinite(value)) return "not finite";
  if (std::abs(value) > 1e12) return "huge";
  const long long thousandths = std::llround(std::abs(value) * 1000.0);
  std::string digits = std::to_string(thousandths % 1000);
  digits.insert(0, 3 - digits.size(), '0');
  return (value < 0.0 ? "-" : "") + std::to_string(thousandths / 1000) + "." + digits;
}

void check_range(const char* what, double value, double lowest, double highest, const char* unit) {
  if (value >= lowest && value <= highest) return;
  throw ModelError("subject: " + std::string(what) + " is " + number(value) + "; it must be " +
                   number(lowest) + " .. " + number(highest) + " " + unit);
}

void check_length(const char* what, int segment, const Vector3d& v) {
  constexpr double longest = 3.0;
  if (v.allFinite() && v.norm() < longest) return;
  throw ModelError("subject: the " + std::string(what) + " of " +
                   std::string(kHumanSegmentNames[at(segment)]) + " is (" + number(v.x()) + ", " +
                   number(v.y()) + ", " + number(v.z()) + "); it must be finite and shorter than 3 m");
}

void check(const SubjectDimensions& subject) {
  check_range("height", subject.height, 0.3, 3.0, "m");
  check_range("mass", subject.mass, 2.0, 400.0, "kg");
  for (int i = 0; i < kHumanSegmentCount; ++i) {
    if (i != Pelvis) check_length("origin", i, subject.origin[at(i)]);
    if (next_segment(i) < 0) check_length("end", i, subject.end[at(i)]);
  }
}

// ---- models -----------------------------------------------------------------------------------------------

/// All human-gazebo models name the joint of the shoulder girdle as MVNX version 3 does; so do we.
std::string joint_base_name(int segment) {
  if (segment == RightShoulder) return "jRightC7Shoulder";
  if (segment == LeftShoulder) return "jLeftC7Shoulder";
  return std::string(kHumanJointNames[at(segment)]);
}

/// Adds the turning axes of the joint between a segment and its parent, massless links in between, and the
/// segment.
void add_joint(ModelSpec& spec, const SubjectDimensions& subject, int segment, const JointRange& range,
               double speed) {
  constexpr std::array<const char*, 3> suffix{"_rotx", "_roty", "_rotz"};
  constexpr double rad = kDegree;
  const std::string child(kHumanSegmentNames[at(segment)]);
  std::string parent(kHumanSegmentNames[at(kHumanSegmentParent[at(segment)])]);
  const auto axes = std::count_if(range.begin(), range.end(), [](const Range& r) { return r.turns(); });
  int done = 0;
  for (int axis = 0; axis < 3; ++axis) {
    if (!range[at(axis)].turns()) continue;
    ++done;
    Joint joint;
    joint.name = joint_base_name(segment) + suffix[at(axis)];
    joint.type = JointType::Revolute;
    joint.parent = parent;
    joint.child = done == axes ? child : child + "_f" + std::to_string(done);
    if (done == 1) joint.p_PJ = subject.origin[at(segment)];
    joint.axis = Vector3d::Unit(axis);
    joint.lower = range[at(axis)].lower * rad;
    joint.upper = range[at(axis)].upper * rad;
    joint.velocity = speed;
    if (done < axes) spec.links.push_back({joint.child, 0.0, Vector3d::Zero(), Matrix3d::Zero()});
    parent = joint.child;
    spec.joints.push_back(std::move(joint));
  }
  spec.links.push_back(body_link(subject, segment));
}

/// Adds the segments in MVN's order, outwards along spine, arms and legs. Model supplies the rest pose: zero,
/// moved inside the limits.
template <typename RangeOf>
Model build(const char* name, const SubjectDimensions& subject, RangeOf ranges, double speed) {
  check(subject);
  ModelSpec spec;
  spec.name = name;
  spec.links.push_back(body_link(subject, Pelvis));
  for (int segment = Pelvis + 1; segment < kHumanSegmentCount; ++segment) {
    add_joint(spec, subject, segment, ranges(segment), speed);
  }
  return Model(std::move(spec));
}

}  // namespace

SubjectDimensions scaled_subject(double height, double mass) {
  SubjectDimensions subject;
  subject.height = height;
  subject.mass = mass;
  for (int segment = 0; segment < kHumanSegmentCount; ++segment) {
    const Vector3d origin = origin_fraction(right_of(segment)) * height;
    const Vector3d end = end_fraction(right_of(segment)) * height;
    subject.origin[at(segment)] = is_left(segment) ? mirrored(origin) : origin;
    subject.end[at(segment)] = is_left(segment) ? mirrored(end) : end;
  }
  check(subject);
  return subject;
}

Model human66(const SubjectDimensions& subject) {
  const auto free = [](int) {
    constexpr Range turn{-kInfinity, kInfinity};
    return JointRange{turn, turn, turn};
  };
  return build("human66", subject, free, kInfinity);
}

Model human48(const SubjectDimensions& subject) { return build("human48", subject, range_of, kHuman48Speed); }

}  // namespace panto
