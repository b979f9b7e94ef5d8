#include "panto/model/muscle_coordinates.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <sstream>
#include <utility>

#include "panto/math/euler.hpp"
#include "panto/math/so3.hpp"
#include "panto/math/vector_math.hpp"

namespace panto {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using enum HumanSegment::Index;

constexpr double kQuarter = std::numbers::pi / 2.0;
constexpr double kFarthest =
    2.8;                     // [rad] of a ball's middle angle: an arm over the head; beyond, another branch
constexpr int kRounds = 12;  // of two axes: each leaves less than a tenth of the error

// Axes of the right side in the models' bodies: X forward, Y up, Z right. All three models have them, but for
// the knee and the toes.
const Vector3d kAnkle(-0.10501355, -0.17402245, 0.97912632), kSubtalar(0.78717961, 0.60474746, -0.12094949);
const Vector3d kToes(-0.5809544, 0.0, 0.81393611);
const Vector3d kElbow(0.22604696, 0.022269, 0.97386183), kPronation(0.05639803, 0.99840646, 0.001952);
const Vector3d kKneeOfRajagopal(0.0, -0.070711, -0.997497);  // positive in flexion; in the others negative

// Middle of the hips in the pelvis, and their distance from it [m].
struct Hips {
  Vector3d middle;
  double half = 0.0;
};
Hips hips_of(MuscleModel model) {
  if (model == MuscleModel::Rajagopal) return {{-0.056276, -0.07849, 0.0}, 0.07726};
  return {{-0.0707, -0.0661, 0.0}, 0.0835};
}

// From the models' axes to ours: x forward, y left, z up.
Matrix3d from_opensim() {
  Matrix3d R;
  R << 1, 0, 0, 0, 0, -1, 0, 1, 0;
  return R;
}

// A mirrored axis turns its mirrored joint by the same angle.
Vector3d mirrored(const Vector3d& axis) { return {-axis.x(), -axis.y(), axis.z()}; }

// The angle about `axis` that comes nearest to R.
double turn_about(const Vector3d& axis, const Matrix3d& R) {
  return atan2(2.0 * axis.dot(so3::vee_skew(R)), R.trace() - axis.dot(R * axis));
}

// The angles about two axes, the first outermost, that come nearest to R.
std::pair<double, double> about_two(const Vector3d& a, const Vector3d& b, const Matrix3d& R) {
  double first = 0.0, second = 0.0;
  for (int round = 0; round < kRounds; ++round) {
    first = turn_about(a, R * so3::exp(-second * b));
    second = turn_about(b, so3::exp(-first * a) * R);
  }
  return {first, second};
}

// A forearm turned about its bones so that the wrist's two axes come nearest to the hand: most skeletons turn
// the hand alone, where people turn the forearm. `R`: the hand in the forearm.
double turn_of_forearm(const Matrix3d& R) {
  const Vector3d along = kPronation.normalized();
  // begins with the axes as if they were square, the middle one within a quarter turn
  double turn = euler::from_rotation(R, {1, 2, 0})[0];
  for (int round = 0; round < kRounds; ++round) {
    const auto [flex, deviation] =
        about_two(Vector3d::UnitZ(), Vector3d::UnitX(), so3::exp(-turn * along) * R);
    turn = turn_about(
        along,
        R * (so3::exp(flex * Vector3d::UnitZ()) * so3::exp(deviation * Vector3d::UnitX())).transpose());
  }
  return turn;
}

}  // namespace

MuscleCoordinates::MuscleCoordinates(MuscleModel model, double half_hips)
    : labels_{"pelvis_tilt", "pelvis_list", "pelvis_rotation", "pelvis_tx", "pelvis_ty", "pelvis_tz"} {
  const Hips hips = hips_of(model);
  hips_ = half_hips / hips.half * hips.middle;
  for (const bool right : {true, false}) add_leg(model, right);
  add("lumbar_extension lumbar_bending lumbar_rotation", {Pelvis, T8});
  if (model != MuscleModel::Gait2392)
    for (const bool right : {true, false}) add_arm(right);
  values_.assign(labels_.size(), 0.0);
  // where all coordinates are zero arms hang, and palms look ahead
  R_SB_.fill(from_opensim());
  for (const bool right : {true, false}) {
    const double side = right ? 1.0 : -1.0;
    const Matrix3d hangs = so3::about_axis(0, side * kQuarter).transpose() * from_opensim();
    const Matrix3d ahead = hangs * so3::about_axis(1, side * kQuarter);
    R_SB_[right ? RightUpperArm : LeftUpperArm] = hangs;
    for (const int segment : right ? std::array{RightForeArm, RightHand} : std::array{LeftForeArm, LeftHand})
      R_SB_[static_cast<std::size_t>(segment)] = ahead;
  }
}

// `names`: of the joint's coordinates, in the order of its axes
void MuscleCoordinates::add(const std::string& names, const Joint& joint) {
  std::istringstream words(names);
  for (std::string name; words >> name;)
    labels_.push_back(joint.parent == Pelvis && joint.child == T8 ? name
                                                                  : name + (joint.side > 0.0 ? "_r" : "_l"));
  Joint& added = joints_.emplace_back(joint);
  for (Vector3d* axis : {&added.a, &added.b}) {
    axis->normalize();  // the files round them; a zero stays
    if (joint.side < 0.0) *axis = mirrored(*axis);
  }
}

void MuscleCoordinates::add_leg(MuscleModel model, bool right) {
  const double side = right ? 1.0 : -1.0;
  const auto of = [right](int one, int other) { return right ? one : other; };
  const int thigh = of(RightUpperLeg, LeftUpperLeg), shank = of(RightLowerLeg, LeftLowerLeg);
  const int foot = of(RightFoot, LeftFoot);
  const bool rajagopal = model == MuscleModel::Rajagopal;
  add("hip_flexion hip_adduction hip_rotation", {Pelvis, thigh, 3, side});
  add("knee_angle", {thigh, shank, 1, side, rajagopal ? kKneeOfRajagopal : Vector3d::UnitZ()});
  add("ankle_angle subtalar_angle", {shank, foot, 2, side, kAnkle, kSubtalar});
  add("mtp_angle", {foot, of(RightToe, LeftToe), 1, side, rajagopal ? -kToes : kToes});
}

void MuscleCoordinates::add_arm(bool right) {
  const double side = right ? 1.0 : -1.0;
  const auto of = [right](int one, int other) { return right ? one : other; };
  const int upper = of(RightUpperArm, LeftUpperArm), fore = of(RightForeArm, LeftForeArm);
  add("arm_flex arm_add arm_rot", {T8, upper, 3, side});
  add("elbow_flex pro_sup", {upper, fore, 2, side, kElbow, kPronation, kQuarter});
  add("wrist_flex wrist_dev", {fore, of(RightHand, LeftHand), 2, side, Vector3d::UnitZ(), Vector3d::UnitX()});
}

// `R`: the child in the parent, in the model's axes; `angles`: of the pose before
void MuscleCoordinates::measure(const Joint& joint, const Matrix3d& R, double* angles) const noexcept {
  if (joint.axes == 3) {
    // a left joint's are those of its mirror image
    const Vector3d signs(1.0, joint.side, joint.side);
    const Vector3d before = Vector3d(angles[0], angles[1], angles[2]).cwiseProduct(signs);
    Vector3d zxy = begun_ ? euler::nearest(R, euler::ZXY, before) : euler::from_rotation(R, euler::ZXY);
    if (joint.parent != joint.child) {  // a person may turn round and round, a shoulder may not
      if (std::abs(zxy.y()) > kFarthest) zxy = euler::from_rotation(R, euler::ZXY);
      for (const int i : {0, 2}) zxy[i] = euler::unwrap(zxy[i], 0.0);
    }
    Eigen::Map<Vector3d>{angles} = zxy.cwiseProduct(signs);
    return;
  }
  if (joint.axes == 1) {
    angles[0] = turn_about(joint.a, R);
    return;
  }
  const auto [first, second] = about_two(joint.a, joint.b, R);
  angles[0] = first;
  angles[1] = euler::unwrap(second, joint.around);
}

std::span<const double> MuscleCoordinates::update(std::span<const Matrix3d, kHumanSegmentCount> R_WS,
                                                  const Vector3d& p_hips) noexcept {
  const Matrix3d R_OW = from_opensim().transpose();
  std::array<Matrix3d, kHumanSegmentCount> bodies;
  for (std::size_t i = 0; i < bodies.size(); ++i) bodies[i] = R_OW * R_WS[i] * R_SB_[i];
  // forearms take the turn of their hands; left ones are mirrored
  for (const bool right : {true, false}) {
    Matrix3d& fore = bodies[right ? RightForeArm : LeftForeArm];
    const Eigen::DiagonalMatrix<double, 3> mirror(1.0, 1.0, right ? 1.0 : -1.0);
    const Matrix3d hand = fore.transpose() * bodies[right ? RightHand : LeftHand];
    const double turn = turn_of_forearm(mirror * hand * mirror);
    fore = fore * so3::exp(turn * (right ? kPronation : mirrored(kPronation)).normalized());
  }
  const Matrix3d& R_OP = bodies[Pelvis];
  measure({}, R_OP, values_.data());
  Eigen::Map<Vector3d>{values_.data() + 3} = R_OW * p_hips - R_OP * hips_;
  double* next = values_.data() + 6;
  for (const Joint& joint : joints_) {
    const auto parent = static_cast<std::size_t>(joint.parent), child = static_cast<std::size_t>(joint.child);
    measure(joint, bodies[parent].transpose() * bodies[child], next);
    next += joint.axes;
  }
  begun_ = true;
  return values_;
}

}  // namespace panto
