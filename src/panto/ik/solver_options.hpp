#pragma once
// The methods by name, and their options in one place, with units, ranges and defaults.

#include <Eigen/Core>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "panto/model/model.hpp"

namespace panto {

/// How fast a joint may run towards its limit, d = distance left.
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
  double tanh_gain = 0.5;  ///< Tanh: K_g [1/rad]; > 0. Larger: the joint runs closer before it slows down
  bool tanh_discrete_condition = true;  ///< Tanh: K_g is cut to 1/(v_max dt), beyond which it would cross the
                                        ///< limit (theory, section 1.5)
};

/// Local damping (decision 3): part of the problem's definition, given to every oracle.
struct DampingOptions {
  double determined =
      1e-6;  ///< joints whose own child link has an orientation target [1/rad^2 of weight 1]; >= 0
  double undetermined = 1e-4;  ///< all others, towards (s_rest - s) * rest_rate; > 0
  double rest_rate = 1.0;      ///< [1/s]; >= 0
  double singular = 1e-2;      ///< spherical triple at |det S| <= singular_below; falls by a C1 cubic to 0 at
                               ///< |det S| >= regular_above
  double singular_below = 0.05;
  double regular_above = 0.3;
  /// >= 0: while the targets stand still, joints are damped by so much of what the residuals behind them can
  /// bend the cost by, the gain of a step times the sum of w |r| and w |e| lever: what targets that cannot be
  /// reached need in order to come to rest. Towards zero; the pull to the rest pose stays what it is.
  double residual = 0.0;
  double still_speed = 0.1;       ///< [rad/s], [m/s], > 0: half of that where the fastest target is so fast
  std::optional<double> uniform;  ///< paper mode: this one for all joints and the base, towards zero
};

enum class Integration : unsigned char {
  SO3,             ///< exponential map for the base and for free spherical triples
  EulerBaumgarte,  ///< paper mode: R' = S(w) R + R A, A = rho/2 ((R'R)^-1 - I), rho dt = 1; joints by s + s'
                   ///< dt
};

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

struct PoseOptimizerOptions {
  /// Largest component of the projected gradient at which a pose counts as found [weight]; > 0
  double tolerance = 1e-10;
  /// Steps tried, accepted or not; >= 1. A time budget is given as this number: budget / time of one step.
  int max_iterations = 200;
};

struct InstantaneousOptions {
  PoseOptimizerOptions optimizer;
  /// Joints move at most by their speed limit times the interval; else speed limits only bound the velocities
  /// that are reported, and a pose may be far from the one before.
  bool limit_speed = false;
};

struct PairwiseOptions {
  PoseOptimizerOptions optimizer;  ///< of pairs that have no closed form
  /// Joints move at most by speed limit x interval, as `InstantaneousOptions::limit_speed`.
  bool limit_speed = false;
};

enum class JacobianDamping : unsigned char {
  Plain,     ///< none: the pseudo-inverse of numerical rank, whose velocities grow without bound near a
             ///< singular pose
  Constant,  ///< lambda everywhere  [Wampler 1986]
  Adaptive,  ///< lambda^2 (1 - sigma/sigma_0)^2 for sigma < sigma_0  [Nakamura & Hanafusa 1986], with the
             ///< smallest singular value for the manipulability  [Maciejewski & Klein 1988]
};

struct DampedJacobianOptions {
  JacobianDamping damping = JacobianDamping::Adaptive;
  double lambda = 0.1;  ///< [sqrt of the weight], > 0. Larger: slower and calmer near singular poses
  double singular_below =
      0.1;  ///< sigma_0, > 0: from where on the adaptive damping falls to (almost) nothing
};

enum class ModularLaw : unsigned char {
  DriftFree,  ///< angles from every sample by themselves; only the first angle of a module near its singular
              ///< direction remembers  (theory, section 2.4)
  Rates,      ///< the paper's: rates with feedback, integrated; drifts where noise moves around a singular
              ///< direction
};

/// Limits of all joints, in the order of State::s [rad].
struct JointRanges {
  Eigen::VectorXd lower, upper;
};

/// One module by hand: what the axes leave open.
struct ModuleDescription {
  std::vector<std::string> joints;  ///< one to three in series, proximal first
  /// d_j: direction of the link, in the frame of the last joint's child link; perpendicular to the last
  /// joint's axis unless there are three. Unset: along the next joint's axis if that tells it, else towards
  /// the next joint, else the centre of mass.
  std::optional<Eigen::Vector3d> direction = std::nullopt;
};

struct ModularOptions {
  ModularLaw law = ModularLaw::DriftFree;
  std::optional<double> epsilon;  ///< eps_0, >= 0; unset: 0.11, and 2 for Rates
  double inner = 0.01;            ///< beta_1, >= 0
  std::optional<double> outer;    ///< beta_2, > beta_1; unset: 0.25, and 0.1 for Rates
  double gain = 5.0;              ///< k of Rates [1/s], >= 0
  /// With LimitLaw::None, what still tells a branch from its twin half a turn away: limits that the motion is
  /// brought into afterwards. Unset: the nearer branch.
  std::optional<JointRanges> ranges;
  std::vector<ModuleDescription> modules = {};  ///< by hand; all other joints are grouped by their axes
};

enum class SolverKind : unsigned char {
  Dynamical,       ///< velocities corrected by the pose error, one iteration per sample; the default
  Instantaneous,   ///< whole body, every sample to convergence
  Pairwise,        ///< every sample, each pair of targeted links on its own
  DampedJacobian,  ///< velocities as Dynamical, inverted by a dense damped pseudo-inverse: the baseline
  Modular,         ///< every sample, module by module from the base outwards
};

/// "dynamical", "instantaneous", "pairwise", "damped-jacobian", "modular".
[[nodiscard]] const char* to_string(SolverKind kind) noexcept;
/// Whether the method takes own targets and rows: the dynamical and the instantaneous one do.
[[nodiscard]] bool takes_own_targets(SolverKind kind) noexcept;
/// Returns what to say of a method that does not: its name, and those that do.
[[nodiscard]] std::string no_own_targets(SolverKind kind);
/// All of them, in this order.
[[nodiscard]] const std::vector<SolverKind>& solver_kinds();
/// The kind of that name. @throws ConfigError that lists the valid ones and the nearest.
[[nodiscard]] SolverKind solver_kind(std::string_view name);

/// Options of all methods. What they share (weights, gains, velocity source, limits, gaps, alignment) is
/// `dynamical`; the rest is one method's own.
struct SolverOptions {
  DynamicalOptions dynamical = {};
  InstantaneousOptions instantaneous = {};
  PairwiseOptions pairwise = {};
  DampedJacobianOptions damped_jacobian = {};
  ModularOptions modular = {};
};

}  // namespace panto
