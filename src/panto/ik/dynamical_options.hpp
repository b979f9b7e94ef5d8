#pragma once
// Defaults of the dynamical method, in one place, with units and ranges.

#include "panto/ik/integrate.hpp"
#include "panto/ik/joint_limits.hpp"
#include "panto/ik/velocity_problem.hpp"

namespace panto {

/// Where the feed-forward velocities come from.
enum class VelocitySource : unsigned char {
  Measured,     ///< the sample's rates where it has them, else differenced
  Differenced,  ///< always the difference of the last two samples
};

/// Which interval residual and feed-forward belong to.
enum class Pairing : unsigned char {
  SameInterval,  ///< residual at t_{k-1}, mean velocity of (t_{k-1}, t_k)   (theory, section 1.4, "pairing
                 ///< B")
  Printed,       ///< [Rapetti 2020] Eq. (9): residual and velocity at t_k; leads by one sample
};

/// How the gain becomes a step.
enum class GainLaw : unsigned char {
  Exponential,  ///< K_eff = (1 - e^(-K dt))/dt: stable for every K and dt
  Fixed,        ///< K as printed: stable for K dt < 2
};

struct DynamicalOptions {
  // targets, where the attachment does not say otherwise
  double orientation_gain = 20.0;   ///< K [1/s], >= 0. Larger: faster correction, more noise
  double position_gain = 20.0;      ///< K [1/s], >= 0
  double orientation_weight = 1.0;  ///< [1/rad^2], > 0
  double position_weight = 25.0;    ///< [1/m^2], > 0. 25: 0.2 m counts like 1 rad

  // time
  double max_interval = 0.1;        ///< [s], > 0: after a longer gap the pose is aligned anew
  double max_extrapolation = 0.05;  ///< [s], >= 0: over longer intervals poses are differenced

  VelocitySource velocity = VelocitySource::Measured;
  LimitOptions limits;
  DampingOptions damping;
  Pairing pairing = Pairing::SameInterval;
  GainLaw gain_law = GainLaw::Exponential;
  Integration integration = Integration::SO3;
  bool ball_joints = true;  ///< spherical triples without limits move on SO(3)
  /// The velocity problem is written down also where nobody needs it (`settled_solver`): for oracles.
  bool keep_problem = false;

  // never collapse
  bool align = true;  ///< find the pose anew at the first sample and after a gap
  /// From so many poses that an alignment begins at, >= 1, the best end is taken. 1: the State's own joints.
  /// More: the rest pose and drawn ones, always the same, so that the State has no say. For chains of joints
  /// that no closed form solves.
  int align_starts = 1;
  /// The pose is led from rest to the targets in so many steps, >= 0; 0: found at once. Of several local
  /// minima a motion that began at rest would be in this one. `align_starts` then says how many other poses
  /// are tried: for a minimum that is much lower, and to report that there is another about as low.
  int align_steps = 0;
  /// After a gap or a cut the pose found anew is approached in a straight line, no joint faster than its
  /// speed limit, instead of taken at once: for what cannot jump.
  bool limited_return = false;
  double return_speed = 1.5;  ///< ... and the base [m/s], > 0
  double return_turn = 3.0;   ///< [rad/s], > 0
  double stuck_after = 0.2;   ///< [s] with a residual beyond 170 degrees before the status says `Stuck`
};

/// Ball joints have no rates of their own to bound: a speed limit for all joints keeps triples as three
/// joints.
[[nodiscard]] inline bool free_balls(const DynamicalOptions& options) {
  return options.ball_joints && options.limits.speed_limit == kInfinity;
}

/// For a humanoid robot: slower position gain, braking limits, no jump after a gap.
[[nodiscard]] inline DynamicalOptions robot_options() {
  DynamicalOptions options;
  options.position_gain = 10.0;
  options.limits.law = LimitLaw::Braking;
  options.limits.speed_limit = 10.0;
  options.limited_return = true;
  options.align_starts = 8;
  options.align_steps = 12;
  options.damping.residual = 0.5;
  return options;
}

/// As the paper prints it, for its figures: Eq. (9) pairing, fixed K, tanh limits with K_g = 0.5, uniform
/// damping 1e-8, Euler with Baumgarte. The frames stay corrected: the literal ones do not converge (theory,
/// section 1.1).
[[nodiscard]] inline DynamicalOptions paper_mode() {
  DynamicalOptions options;
  options.pairing = Pairing::Printed;
  options.gain_law = GainLaw::Fixed;
  options.limits.law = LimitLaw::Tanh;
  options.limits.tanh_gain = 0.5;
  options.limits.tanh_discrete_condition = false;
  options.limits.speed_limit = 10.0;
  options.damping.uniform = 1e-8;
  options.integration = Integration::EulerBaumgarte;
  options.ball_joints = false;
  options.align = false;
  return options;
}

}  // namespace panto
