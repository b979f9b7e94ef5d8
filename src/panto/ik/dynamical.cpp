#include "panto/ik/dynamical.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "panto/base/index.hpp"
#include "panto/math/so3.hpp"
#include "panto/math/vector_math.hpp"

namespace panto {
namespace {

constexpr double kCos150 = -0.86602540378443864676;
constexpr double kSin150 = 0.5;
constexpr double kDampedRetry = 1e-2;  // added to every lambda when the exact problem has no finite answer

const DynamicalOptions& checked(const DynamicalOptions& options) {
  const auto check = [](double value, const char* name, const char* range, bool right) {
    if (!right)
      throw ConfigError(std::string("option '") + name + "' is " + std::to_string(value) + ", must be " +
                        range);
  };
  check(options.max_interval, "max_interval", "> 0 [s]", options.max_interval > 0.0);
  check(options.max_extrapolation, "max_extrapolation", ">= 0 [s]", options.max_extrapolation >= 0.0);
  check(options.stuck_after, "stuck_after", ">= 0 [s]", options.stuck_after >= 0.0);
  const DampingOptions& damping = options.damping;
  check(damping.undetermined, "damping.undetermined", "> 0", damping.undetermined > 0.0);
  check(damping.determined, "damping.determined", ">= 0", damping.determined >= 0.0);
  check(damping.singular, "damping.singular", ">= 0", damping.singular >= 0.0);
  check(damping.rest_rate, "damping.rest_rate", ">= 0 [1/s]", damping.rest_rate >= 0.0);
  check(damping.regular_above, "damping.regular_above", "> damping.singular_below",
        damping.regular_above > damping.singular_below);
  if (damping.uniform) check(*damping.uniform, "damping.uniform", "> 0", *damping.uniform > 0.0);
  return options;
}

bool is_finite(const Target& row) noexcept {
  // a NaN or an infinity anywhere makes the sum not finite
  double sum = 0.0;
  if (row.has_orientation) sum += row.R_WF.sum();
  if (row.has_position) sum += row.p_WF.sum();
  if (row.has_angular_velocity) sum += row.w_WF.sum();
  if (row.has_linear_velocity) sum += row.v_WF.sum();
  return std::isfinite(sum);
}

}  // namespace

Eigen::Vector3d orientation_residual(const Eigen::Matrix3d& R_target, const Eigen::Matrix3d& R,
                                     bool recover) noexcept {
  // with the columns h of R and t of R_target: vee(sk(R_target R')) = sum h x t / 2, tr(R_target R') = sum
  // h.t
  const Eigen::Vector3d r = 0.5 * (R.col(0).cross(R_target.col(0)) + R.col(1).cross(R_target.col(1)) +
                                   R.col(2).cross(R_target.col(2)));
  if (!recover || 0.5 * (R.cwiseProduct(R_target).sum() - 1.0) > kCos150) return r;
  const Eigen::Vector3d v = so3::log(R_target * R.transpose());
  return (kSin150 / v.norm()) * v;
}

DynamicalSolver::DynamicalSolver(const Model& model, const std::vector<Target>& rows,
                                 const DynamicalOptions& options)
    : model_(&model),
      options_(checked(options)),
      kinematics_(model),
      problem_(model, rows, options.damping, free_balls(options)),
      limits_(model, options.limits),
      row_limits_(model, options.limits, limits_.speed()),
      integrator_(model, options.integration),
      tree_solver_(problem_.tree),
      solution_(tree_solver_.make_solution()),
      end_solution_(solution_),
      lower_(Eigen::VectorXd::Zero(model.dof())),
      upper_(lower_),
      angular_(rows.size(), Eigen::Vector3d::Zero()),
      linear_(angular_),
      clamp_rate_(at(model.tree().size()), 0.0),
      next_(rest_state(model)) {
  previous_.rows = rows;
  report_.versine.assign(rows.size(), 0.0);
  report_.origin_error = report_.versine;
}

StepStatus DynamicalSolver::check(const Targets& targets, const State& state) const noexcept {
  if (targets.rows.size() != previous_.rows.size() || state.s.size() != model_->dof() ||
      state.sdot.size() != model_->dof()) {
    return StepStatus::SizeMismatch;
  }
  if (targets.t <= state.t) return StepStatus::TimeNotAdvancing;
  bool any = false;
  for (const Target& row : targets.rows) {
    if (!is_finite(row)) return StepStatus::TargetNotFinite;
    any = any || row.has_orientation || row.has_position;
  }
  return any ? StepStatus::Solved : StepStatus::NoTarget;
}

double DynamicalSolver::effective_gain(double gain, double dt) const noexcept {
  return options_.gain_law == GainLaw::Fixed ? gain : (1.0 - exp_decay(-gain * dt)) / dt;
}

// Mean velocity of the interval: of the rates measured at its two ends if it is short, else of the two poses.
// Where there is no pose before, the rate at hand counts for `max_extrapolation` of the interval.
Eigen::Vector3d DynamicalSolver::angular_velocity(const Target& now, const Target& before, double dt,
                                                  bool from_previous) const noexcept {
  const bool both = from_previous && before.has_orientation;
  if (now.has_angular_velocity && options_.velocity == VelocitySource::Measured) {
    if (options_.pairing == Pairing::Printed) return now.w_WF;
    if (!both) return std::min(1.0, options_.max_extrapolation / dt) * now.w_WF;
    if (before.has_angular_velocity && dt <= options_.max_extrapolation)
      return 0.5 * (before.w_WF + now.w_WF);
  }
  return both ? Eigen::Vector3d(so3::log(now.R_WF * before.R_WF.transpose()) / dt) : Eigen::Vector3d::Zero();
}

Eigen::Vector3d DynamicalSolver::linear_velocity(const Target& now, const Target& before, double dt,
                                                 bool from_previous) const noexcept {
  const bool both = from_previous && before.has_position;
  if (now.has_linear_velocity && options_.velocity == VelocitySource::Measured) {
    if (options_.pairing == Pairing::Printed) return now.v_WF;
    if (!both) return std::min(1.0, options_.max_extrapolation / dt) * now.v_WF;
    if (before.has_linear_velocity && dt <= options_.max_extrapolation) return 0.5 * (before.v_WF + now.v_WF);
  }
  return both ? Eigen::Vector3d((now.p_WF - before.p_WF) / dt) : Eigen::Vector3d::Zero();
}

// v* = v + K r, residual and feed-forward of the same interval. A row without a previous sample is compared
// with the model moved along by the feed-forward.
void DynamicalSolver::correct_velocities(const Targets& targets, double dt, bool from_previous) noexcept {
  const bool printed = options_.pairing == Pairing::Printed;
  for (std::size_t j = 0; j < targets.rows.size(); ++j) {
    const Target& now = targets.rows[j];
    const Target& before = previous_.rows[j];
    if (now.has_orientation) {
      const Eigen::Vector3d w = angular_velocity(now, before, dt, from_previous);
      const Eigen::Matrix3d R = kinematics_.R_WL(now.link);
      Eigen::Vector3d r;
      if (printed) {
        r = orientation_residual(now.R_WF, R, false);
      } else if (from_previous && before.has_orientation) {
        r = orientation_residual(before.R_WF, R);
      } else {
        r = orientation_residual(now.R_WF, so3::exp(dt * w) * R);
      }
      angular_[j] = w + effective_gain(now.orientation_gain, dt) * r;
    }
    if (now.has_position && now.position_weight > 0.0) {
      const Eigen::Vector3d v = linear_velocity(now, before, dt, from_previous);
      const Eigen::Vector3d p = kinematics_.p_WL(now.link);
      Eigen::Vector3d r;
      if (printed) {
        r = now.p_WF - p;
      } else if (from_previous && before.has_position) {
        r = before.p_WF - p;
      } else {
        r = now.p_WF - (p + dt * v);
      }
      linear_[j] = v + effective_gain(now.position_gain, dt) * r;
    }
  }
}

// The chain of fallbacks: exact, monotone, feasible at the cap, rows relaxed, damped, held.
bool DynamicalSolver::invert() noexcept {
  const TreeStatus status = tree_solver_.solve(problem_.tree, solution_);
  report_.fallback_level = status == TreeStatus::Relaxed    ? 3
                           : status == TreeStatus::Feasible ? 2
                           : solution_.monotone             ? 1
                                                            : 0;
  if (status == TreeStatus::Failed) {
    report_.fallback_level = 4;
    for (double& lambda : problem_.tree.lambda) lambda += kDampedRetry;
    problem_.tree.base_linear_lambda += kDampedRetry;
    problem_.tree.base_angular_lambda += kDampedRetry;
    if (tree_solver_.solve(problem_.tree, solution_) == TreeStatus::Failed) {
      report_.fallback_level = 5;
      return false;
    }
  }
  report_.active_bounds = solution_.active;
  report_.solves = solution_.solves;
  return true;
}

// Velocities at t_k itself: the same factorisation with the rates of that instant instead of the interval's
// means. Where the source has no rates, or in paper mode, the interval's mean is published.
void DynamicalSolver::publish_velocities(const Targets& targets, State& next) noexcept {
  const Tree& bodies = model_->tree();
  const bool instant =
      options_.velocity == VelocitySource::Measured && options_.pairing == Pairing::SameInterval;
  bool any = false;
  for (std::size_t j = 0; instant && j < targets.rows.size(); ++j) {
    const Target& row = targets.rows[j];
    if (row.has_orientation && row.has_angular_velocity) angular_[j] = row.w_WF, any = true;
    if (row.has_position && row.has_linear_velocity) linear_[j] = row.v_WF, any = true;
  }
  const TreeSolution* solution = &solution_;
  if (any) {
    problem_.set_velocities(angular_, linear_, targets);
    for (std::size_t i = 1; i < clamp_rate_.size(); ++i) clamp_rate_[i] = solution_.rate[i];
    tree_solver_.resolve(problem_.tree, clamp_rate_, end_solution_);
    keep_coupled_rates();
    solution = &end_solution_;
  }
  next.v_WB = solution->v_origin[0];
  next.w_WB = solution->omega[0];
  for (std::size_t g = 0; g < bodies.groups.size(); ++g) {
    const JointGroup& group = bodies.groups[g];
    if (problem_.is_ball(static_cast<int>(g))) {
      const int parent = bodies.parent[at(group.body[0])], d0 = bodies.dof[at(group.body[0])],
                d1 = bodies.dof[at(group.body[1])], d2 = bodies.dof[at(group.body[2])];
      const Eigen::Vector3d w = integrator_.body_rotation()[at(parent)].transpose() *
                                (solution->omega[at(group.last())] - solution->omega[at(parent)]);
      const TripleAngles& angles = integrator_.triple_angles(static_cast<int>(g));
      const Eigen::Vector3d rates =
          triple_rates(group, angles, w, triple_damping(angles.cos_b, options_.damping));
      next.sdot[d0] = rates[0];
      next.sdot[d1] = rates[1];
      next.sdot[d2] = rates[2];
      continue;
    }
    for (int k = 0; k < group.count; ++k) {
      const int body = group.body[at(k)], dof = bodies.dof[at(body)];
      next.sdot[dof] = std::clamp(solution->rate[at(body)], -limits_.speed()[dof], limits_.speed()[dof]);
    }
  }
}

// Rates of coupled joints at the instant obey the rows that the step obeyed, unless one of them is faster
// than it may be: then all of them keep the interval's means, which obey both.
void DynamicalSolver::keep_coupled_rates() noexcept {
  const Tree& bodies = model_->tree();
  bool fast = false;
  for (const int i : problem_.tree.rows.entry)
    fast = fast || std::abs(end_solution_.rate[at(i)]) > limits_.speed()[bodies.dof[at(i)]];
  if (!fast) return;
  for (const int i : problem_.tree.rows.entry) end_solution_.rate[at(i)] = solution_.rate[at(i)];
}

void DynamicalSolver::fill_report(const Targets& targets) noexcept {
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t j = 0; j < targets.rows.size(); ++j) {
    const Target& row = targets.rows[j];
    const LinkFrame& frame = model_->frame(row.link);
    const Eigen::Matrix3d& R_WB = integrator_.body_rotation()[at(frame.body)];
    // tr(R_target' R_WB R_BL)
    const double trace =
        frame.at_body ? row.R_WF.cwiseProduct(R_WB).sum() : row.R_WF.cwiseProduct(R_WB * frame.R_BL).sum();
    report_.versine[j] = row.has_orientation ? std::max(0.0, 0.5 * (3.0 - trace)) : unknown;
    const Eigen::Vector3d p_WF = integrator_.body_position()[at(frame.body)] + R_WB * frame.p_BL;
    report_.origin_error[j] = row.has_position ? (row.p_WF - p_WF).norm() : unknown;
  }
  report_.clamped = integrator_.clamped();
  report_.aligned = false;
  report_.clock_gap = false;
}

void DynamicalSolver::prime(const Targets& targets) noexcept {
  if (targets.rows.size() != previous_.rows.size()) return;
  previous_.t = targets.t;
  std::copy(targets.rows.begin(), targets.rows.end(), previous_.rows.begin());
  has_previous_ = true;
}

void DynamicalSolver::set_velocities(const Targets& targets, State& state) noexcept {
  const auto rates = [](const Target& row) { return row.has_angular_velocity || row.has_linear_velocity; };
  if (options_.velocity == VelocitySource::Differenced ||
      std::none_of(targets.rows.begin(), targets.rows.end(), rates))
    return;

  // rows without a rate ask for nothing
  for (std::size_t j = 0; j < targets.rows.size(); ++j) {
    const Target& row = targets.rows[j];
    angular_[j] = row.has_angular_velocity ? row.w_WF : Eigen::Vector3d(Eigen::Vector3d::Zero());
    linear_[j] = row.has_linear_velocity ? row.v_WF : Eigen::Vector3d(Eigen::Vector3d::Zero());
  }
  kinematics_.update(state);
  problem_.set_rows(targets, kinematics_);
  problem_.set_geometry(kinematics_, state);
  problem_.set_velocities(angular_, linear_, targets);
  upper_ = limits_.speed();
  lower_ = -upper_;
  problem_.set_bounds(lower_, upper_);
  row_limits_.speed_bounds(problem_.tree.rows.lower, problem_.tree.rows.upper);
  if (!invert()) return;
  integrator_.advance(state, kinematics_, problem_, solution_, tree_solver_.working_set(), 0.0, next_);
  publish_velocities(targets, next_);
  if (!next_.sdot.allFinite() || !next_.v_WB.allFinite() || !next_.w_WB.allFinite()) return;
  state.v_WB = next_.v_WB;
  state.w_WB = next_.w_WB;
  state.sdot = next_.sdot;
}

StepStatus DynamicalSolver::step(const Targets& targets, State& state) noexcept {
  if (const StepStatus status = check(targets, state); status != StepStatus::Solved) return status;
  const double dt = to_seconds(targets.t - state.t);
  const bool from_previous = has_previous_ && previous_.t == state.t;

  // where the model is now
  kinematics_.update(state);
  problem_.set_rows(targets, kinematics_);
  problem_.set_geometry(kinematics_, state);

  // corrected target velocities, v* = v + K r   [Rapetti 2020] Eq. (8)
  correct_velocities(targets, dt, from_previous);
  problem_.set_velocities(angular_, linear_, targets);

  // nu = argmin |v* - J nu|^2 under the limits   Eq. (10)-(12)
  limits_.velocity_bounds(state.s, dt, lower_, upper_);
  problem_.set_bounds(lower_, upper_);
  row_limits_.rate_bounds(state.s, dt, problem_.tree.rows.lower, problem_.tree.rows.upper);
  if (!invert()) return StepStatus::NumericalFailure;

  // q(t_k) = q(t_{k-1}) advanced by nu for dt, rotations kept on SO(3)
  next_.t = targets.t;
  integrator_.advance(state, kinematics_, problem_, solution_, tree_solver_.working_set(), dt, next_);
  publish_velocities(targets, next_);
  if (!is_valid(next_, *model_) && options_.integration == Integration::SO3)
    return StepStatus::NumericalFailure;

  fill_report(targets);
  state.t = next_.t;
  state.p_WB = next_.p_WB;
  state.R_WB = next_.R_WB;
  state.s = next_.s;
  state.v_WB = next_.v_WB;
  state.w_WB = next_.w_WB;
  state.sdot = next_.sdot;
  prime(targets);
  return report_.active_bounds > 0 ? StepStatus::Saturated : StepStatus::Solved;
}

}  // namespace panto
