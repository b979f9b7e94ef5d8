// Reaching: the arms alternately reach three targets in front of the shoulder and return to the side.

#include <Eigen/Geometry>
#include <array>
#include <cmath>
#include <numbers>

#include "panto/math/degrees.hpp"
#include "panto/math/vector_math.hpp"
#include "panto/model/human.hpp"
#include "panto/synthesis/human_motion.hpp"

namespace panto::detail {
namespace {

using Eigen::Vector3d;
using std::numbers::pi;

/// Right shoulder about x and z and elbow about z [rad] (left: mirrored).
struct ArmPose {
  double hang = 0.0, forward = 0.0, elbow = 0.0;
};

/// Returns the pose that brings the right wrist to `target` (from the shoulder, in the girdle's axes) without
/// axial turn of the upper arm; lengths of upper arm and forearm [m]. With r the wrist at s = 0 beyond the
/// bent elbow and gamma its angle from -y, R_x(hang) R_z(forward) r = target gives
///   target = |r| (sin(gamma + forward), -cos(hang) cos(gamma + forward), -sin(hang) cos(gamma + forward)).
ArmPose reach_right(const Vector3d& target, double upper, double fore) {
  const double distance = target.norm();
  const double cosine = (distance * distance - upper * upper - fore * fore) / (2.0 * upper * fore);
  ArmPose pose;
  pose.elbow = 0.5 * pi - asin(cosine);
  const SinCos bend = sincos(pose.elbow);
  const double gamma = atan2(fore * bend.sin, upper + fore * bend.cos);
  pose.forward = asin(target.x() / distance) - gamma;
  pose.hang = atan2(-target.z(), -target.y());
  return pose;
}

/// Builds one smooth curve through key poses equally spaced over a period: a mean of the keys weighted by
/// cos^32 of half the phase from each. At a key the neighbours (a quarter period away, with four keys) weigh
/// 1.5e-5.
Curve through_keys(double hz, const std::array<double, 4>& keys) {
  constexpr int samples = 128;
  std::array<double, samples> values{};
  for (int i = 0; i < samples; ++i) {
    double sum = 0.0, total = 0.0;
    for (int k = 0; k < 4; ++k) {
      const SinCos phase = sincos(2.0 * pi * (static_cast<double>(i) / samples - 0.25 * k));
      double weight = 0.5 * (1.0 + phase.cos);
      for (int doubling = 0; doubling < 4; ++doubling) weight *= weight;  // 16th power
      sum += weight * keys[static_cast<std::size_t>(k)];
      total += weight;
    }
    values[static_cast<std::size_t>(i)] = sum / total;
  }
  return fourier_interpolation(hz, values);
}

double length_between(const Model& model, const char* from, const char* to) {
  State state;
  state.s = Eigen::VectorXd::Zero(model.dof());
  state.sdot = state.s;
  Kinematics kinematics(model);
  kinematics.update(state);
  return (kinematics.p_WL(model.link_index(to)) - kinematics.p_WL(model.link_index(from))).norm();
}

}  // namespace

Synthesis reach(const Model& model) {
  constexpr double period = 8.0, hz = 1.0 / period;
  HumanCurves joints("reach", model);
  const double upper = length_between(model, "RightUpperArm", "RightForeArm");
  const double fore = length_between(model, "RightForeArm", "RightHand");

  // at the side, then three targets as shares of the arm's length: high, wide, low
  std::array<ArmPose, 4> keys{ArmPose{80.0 * kDegree, 3.0 * kDegree, 12.0 * kDegree}};
  const std::array<Vector3d, 3> targets{Vector3d(0.80, -0.15, 0.25), Vector3d(0.55, -0.65, -0.05),
                                        Vector3d(0.70, -0.15, -0.45)};
  for (std::size_t k = 0; k < 3; ++k) keys[k + 1] = reach_right(targets[k] * (upper + fore), upper, fore);

  std::array<double, 4> hang{}, forward{}, elbow{};
  for (std::size_t k = 0; k < 4; ++k) {
    hang[k] = keys[k].hang;
    forward[k] = keys[k].forward;
    elbow[k] = keys[k].elbow;
  }
  joints.set_sides("jRightShoulder", 'x', through_keys(hz, hang), 0.5 * period);
  joints.set_sides("jRightShoulder", 'z', through_keys(hz, forward), 0.5 * period);
  joints.set_sides("jRightElbow", 'z', through_keys(hz, elbow), 0.5 * period);

  // the trunk helps a little and turns towards the arm that reaches farthest; the head follows the hand
  joints.set("jL5S1_roty", Curve(4.0 * kDegree).add({4.0 * pi * hz, -2.0 * kDegree, 0.0}));
  joints.set("jT9T8_rotz", Curve().add({2.0 * pi * hz, 0.0, 6.0 * kDegree}));
  joints.set("jT1C7_rotz", Curve().add({2.0 * pi * hz, 0.0, -12.0 * kDegree}));
  joints.fit_into_limits(period);

  BaseCurves base;
  base.position[2] = Curve(standing_height(model));
  return Synthesis("reach", model, joints.curves(), base, period);
}

}  // namespace panto::detail
