#pragma once
// The methods by name, and all their options, with units, ranges and defaults.

#include <Eigen/Core>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "panto/model/model.hpp"

namespace panto {

/// Law for the speed of a joint towards its limit; d is the remaining distance.
enum class LimitLaw : unsigned char {
  None,     ///< speed limits only
  Exact,    ///< v <= d/dt: reaches the limit in one step, never crosses it; time-optimal
  Tanh,     ///< v <= v_max tanh(K_g d)  [Rapetti 2020] Eq. (12)
  Braking,  ///< the largest v from which max_deceleration still stops in time, in discrete time
};

struct LimitOptions {
  LimitLaw law = LimitLaw::Exact;
  double speed_limit = kInfinity;  ///< for joints whose model has none [rad/s] or [m/s]; > 0
  double max_deceleration = 50.0;  ///< Braking: [rad/s^2] or [m/s^2]; > 0. Larger: later and harder braking
  double tanh_gain = 0.5;  ///< Tanh: K_g [1/rad]; > 0. Larger: the joint slows down closer to the limit
  bool tanh_discrete_condition = true;  ///< Tanh: reduces K_g to 1/(v_max dt), beyond which the joint would
                                        ///< cross the limit (theory, section 1.5)
};

/// Local damping (decision 3): part of the problem's definition, used by every oracle too.
struct DampingOptions {
  double determined =
      1e-6;  ///< joints whose own child link has an orientation target [1/rad^2 of weight 1]; >= 0
  double undetermined = 1e-4;  ///< all others, towards (s_rest - s) * rest_rate; > 0
  double rest_rate = 1.0;      ///< [1/s]; >= 0
  double singular = 1e-2;      ///< spherical triple at |det S| <= singular_below; falls by a C1 cubic to 0 at
                               ///< |det S| >= regular_above
  double singular_below = 0.05;
  double regular_above = 0.3;
  /// >= 0: damps joints while targets stand still, by this share of the cost's curvature due to the residuals
  /// after them: the gain of a step times the sum of w |r| and w |e| lever. Targets that cannot be reached
  /// need it in order to come to rest. Towards zero; the pull to the rest pose stays the same.
  double residual = 0.0;
  double still_speed = 0.1;  ///< [rad/s], [m/s], > 0: speed of the fastest target that halves that damping
  std::optional<double> uniform;  ///< paper mode: the same damping for all joints and the base, towards zero
};

enum class Integration : unsigned char {
  SO3,             ///< exponential map for the base and for free spherical triples
  EulerBaumgarte,  ///< paper mode: R' = S(w) R + R A, A = rho/2 ((R'R)^-1 - I), rho dt = 1; joints by s + s'
                   ///< dt
};

/// Source of the feed-forward velocities.
enum class VelocitySource : unsigned char {
  Measured,     ///< the sample's rates if it has them, else differences
  Differenced,  ///< always the difference of the last two samples
};

/// Interval of residual and feed-forward.
enum class Pairing : unsigned char {
  SameInterval,  ///< residual at t_{k-1}, mean velocity of (t_{k-1}, t_k)   (theory, section 1.4, "pairing
                 ///< B")
  Printed,       ///< [Rapetti 2020] Eq. (9): residual and velocity at t_k; leads by one sample
};

/// How the gain acts over a step.
enum class GainLaw : unsigned char {
  Exponential,  ///< K_eff = (1 - e^(-K dt))/dt: stable for every K and dt
  Fixed,        ///< K as printed: stable for K dt < 2
};

struct DynamicalOptions {
  // targets, unless the attachment sets its own value
  double orientation_gain = 20.0;   ///< K [1/s], >= 0. Larger: faster correction, more noise
  double position_gain = 20.0;      ///< K [1/s], >= 0
  double orientation_weight = 1.0;  ///< [1/rad^2], > 0
  double position_weight = 25.0;    ///< [1/m^2], > 0. 25: 0.2 m counts like 1 rad

  // time
  double max_interval = 0.1;        ///< [s], > 0: after a longer gap the pose is aligned
  double max_extrapolation = 0.05;  ///< [s], >= 0: over longer intervals poses are differenced

  VelocitySource velocity = VelocitySource::Measured;
  LimitOptions limits;
  DampingOptions damping;
  Pairing pairing = Pairing::SameInterval;
  GainLaw gain_law = GainLaw::Exponential;
  Integration integration = Integration::SO3;
  bool ball_joints = true;  ///< spherical triples without limits move on SO(3)
  /// Builds the velocity problem even if no solver needs it (`settled_solver`): for oracles.
  bool keep_problem = false;

  // never collapse
  bool align = true;  ///< finds the pose from the sample alone at the first sample and after a gap
  /// Number of start poses of an alignment, >= 1; the best result is used. 1: the State's own joints. More:
  /// the rest pose and random ones, always the same, so that the State has no influence. For chains of joints
  /// without a closed form.
  int align_starts = 1;
  /// Number of steps that lead the pose from rest to the targets, >= 0; 0: found at once. Of several local
  /// minima, this finds the one of a motion that began at rest. `align_starts` is then the number of other
  /// poses that are tried: to find a much lower minimum, and to report one of similar cost.
  int align_steps = 0;
  /// Relative decrease of the cost at which the pose of an alignment is taken as found, > 0.
  double align_decrease = 1e-13;
  /// Approaches a pose found after a gap or a cut on a straight line, within the joints' speed limits,
  /// instead of jumping to it: for robots. The base does so apart from the joints.
  bool limited_return = false;
  double return_speed = 1.5;  ///< of the base, besides the person's own motion [m/s], > 0
  double return_turn = 3.0;   ///< [rad/s], > 0
  double stuck_after = 0.2;   ///< [s] with a residual beyond 170 degrees until the status is `Stuck`
};

/// Ball joints have no rates of their own to limit: a speed limit for all joints keeps triples as three
/// joints.
[[nodiscard]] inline bool free_balls(const DynamicalOptions& options) {
  return options.ball_joints && options.limits.speed_limit == kInfinity;
}

/// Returns options for a humanoid robot: slower position gain, braking limits, no jump after a gap.
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

/// Returns the method as printed in the paper, for its figures: Eq. (9) pairing, fixed K, tanh limits with
/// K_g = 0.5, uniform damping 1e-8, Euler with Baumgarte. The frames stay corrected: the printed ones do not
/// converge (theory, section 1.1).
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

struct PoseOptimizerOptions {
  /// Largest component of the projected gradient at which a pose is accepted [weight]; > 0
  double tolerance = 1e-10;
  /// Limit on steps, accepted or not; >= 1. For a time budget: budget / time of one step.
  int max_iterations = 200;
};

struct InstantaneousOptions {
  PoseOptimizerOptions optimizer;
  /// Joints move at most by their speed limit times the interval. If off, speed limits only bound the
  /// reported velocities, and a pose may be far from the previous one.
  bool limit_speed = false;
};

struct PairwiseOptions {
  PoseOptimizerOptions optimizer;  ///< of pairs without a closed form
  /// Joints move at most by speed limit x interval, as `InstantaneousOptions::limit_speed`.
  bool limit_speed = false;
};

enum class JacobianDamping : unsigned char {
  Plain,  ///< none: the pseudo-inverse of numerical rank, whose velocities grow without bound near a singular
          ///< pose
  Constant,  ///< lambda everywhere  [Wampler 1986]
  Adaptive,  ///< lambda^2 (1 - sigma/sigma_0)^2 for sigma < sigma_0  [Nakamura & Hanafusa 1986], with the
             ///< smallest singular value in place of the manipulability  [Maciejewski & Klein 1988]
};

struct DampedJacobianOptions {
  JacobianDamping damping = JacobianDamping::Adaptive;
  double lambda = 0.1;          ///< [sqrt of the weight], > 0. Larger: slower and calmer near singular poses
  double singular_below = 0.1;  ///< sigma_0, > 0: above it the adaptive damping is (almost) zero
};

enum class ModularLaw : unsigned char {
  DriftFree,  ///< angles from every sample on its own; only the first angle of a module near its singular
              ///< direction has a memory  (theory, section 2.4)
  Rates,  ///< the paper's: rates with feedback, integrated; drifts if noise moves around a singular direction
};

/// Limits of all joints, in the order of State::s [rad].
struct JointRanges {
  Eigen::VectorXd lower, upper;
};

/// A user-defined module, for choices that the axes leave open.
struct ModuleDescription {
  std::vector<std::string> joints;  ///< one to three in series, proximal first
  /// d_j: direction of the link, in the frame of the last joint's child link; perpendicular to the last
  /// joint's axis unless there are three. Unset: along the next joint's axis if that determines it, else
  /// towards the next joint, else towards the centre of mass.
  std::optional<Eigen::Vector3d> direction = std::nullopt;
};

struct ModularOptions {
  ModularLaw law = ModularLaw::DriftFree;
  std::optional<double> epsilon;  ///< eps_0, >= 0; unset: 0.11, and 2 for Rates
  double inner = 0.01;            ///< beta_1, >= 0
  std::optional<double> outer;    ///< beta_2, > beta_1; unset: 0.25, and 0.1 for Rates
  double gain = 5.0;              ///< k of Rates [1/s], >= 0
  /// With LimitLaw::None, limits that choose between a branch and its twin half a turn away: those into which
  /// the motion is scaled afterwards. Unset: the nearer branch.
  std::optional<JointRanges> ranges;
  std::vector<ModuleDescription> modules = {};  ///< user-defined; all other joints are grouped by their axes
};

enum class SolverKind : unsigned char {
  Dynamical,       ///< velocities corrected by the pose error, one iteration per sample; the default
  Instantaneous,   ///< whole body, every sample to convergence
  Pairwise,        ///< every sample, each pair of targeted links on its own
  DampedJacobian,  ///< velocities as Dynamical, inverted by a dense damped pseudo-inverse: the baseline
  Modular,         ///< every sample, module by module from the base outwards
};

/// Returns "dynamical", "instantaneous", "pairwise", "damped-jacobian" or "modular".
[[nodiscard]] const char* to_string(SolverKind kind) noexcept;
/// Returns whether the method takes own targets and rows: the dynamical and the instantaneous one do.
[[nodiscard]] bool takes_own_targets(SolverKind kind) noexcept;
/// Returns the message for a method without own targets: its name, and the methods that have them.
[[nodiscard]] std::string no_own_targets(SolverKind kind);
/// Returns all kinds, in this order.
[[nodiscard]] const std::vector<SolverKind>& solver_kinds();
/// Returns the kind of that name. @throws ConfigError that lists the valid names and the nearest.
[[nodiscard]] SolverKind solver_kind(std::string_view name);

/// Options of all methods. Shared options (weights, gains, velocity source, limits, gaps, alignment) are in
/// `dynamical`; the others belong to one method.
struct SolverOptions {
  DynamicalOptions dynamical = {};
  InstantaneousOptions instantaneous = {};
  PairwiseOptions pairwise = {};
  DampedJacobianOptions damped_jacobian = {};
  ModularOptions modular = {};
};

}  // namespace panto
