#include "panto/ik/dynamical.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "panto/base/index.hpp"
#include "panto/ik/target_velocity.hpp"
#include "panto/math/four_lanes.hpp"
#include "panto/math/lanes.hpp"
#include "panto/math/so3.hpp"

namespace panto {
namespace {

constexpr double kLargestDrift = 0.5;  // of R'R from I: larger, Baumgarte's correction has lost the attitude
constexpr double kDampedRetry = 1e-2;  // added to every lambda if the exact problem has no finite answer
constexpr double kLeastShare = 1e-3;   // of residual damping that is worth its time

// NaN or infinity anywhere makes the sum of the differences with itself nonzero.
PANTO_WIDE bool is_finite(const LaneArray<3>& array) noexcept {
  double sums[kLanes] = {};
  for (std::size_t c = 0; c < array.chunk_count(); ++c) {
    const Chunk<3>& x = array.chunk(c);
#pragma GCC ivdep
    for (std::size_t l = 0; l < kLanes; ++l)
      sums[l] += (x.v[0][l] - x.v[0][l]) + (x.v[1][l] - x.v[1][l]) + (x.v[2][l] - x.v[2][l]);
  }
  return sum_of(sums) == 0.0;
}

}  // namespace

DynamicalSolver::DynamicalSolver(const Model& model, const std::vector<Target>& rows,
                                 const DynamicalOptions& options, const OwnTargets& own)
    : model_(&model),
      options_(checked(options)),
      problem_(model, rows, options.damping, free_balls(options), own),
      lanes_(model, problem_.blocks(), rows),
      limits_(model, problem_.blocks(), options.limits),
      row_limits_(model, options.limits, JointLimits(model, options.limits).speed(), own.rows),
      integrator_(problem_, limits_, options.integration),
      solver_(problem_.tree),
      settled_solver_(problem_),
      solution_(problem_.tree),
      end_solution_(solution_),
      own_solution_(solution_),
      own_end_(solution_),
      place_(rows.size(), Eigen::Vector3d::Zero()),
      versine_(rows.size(), 0.0),
      omega_before_(problem_.blocks().lanes()),
      rate_(problem_.blocks().lanes()),
      next_(rest_state(model)) {
  report_.versine.assign(rows.size(), 0.0);
  report_.origin_error.assign(rows.size(), std::numeric_limits<double>::quiet_NaN());
  report_.own_error.assign(problem_.own().size(), std::numeric_limits<double>::quiet_NaN());
}

StepStatus DynamicalSolver::check(const Targets& targets, const State& state) noexcept {
  if (state.s.size() != model_->dof() || state.sdot.size() != model_->dof()) return StepStatus::SizeMismatch;
  if (targets.rows.size() == place_.size() && targets.t <= state.t) return StepStatus::TimeNotAdvancing;
  if (!problem_.own().read(targets.own)) return StepStatus::SizeMismatch;
  row_limits_.set_bounds(targets.own.rows);
  const StepStatus status = lanes_.read(targets);
  return status == StepStatus::NoTarget && problem_.own().any() ? StepStatus::Solved : status;
}

void DynamicalSolver::take_status(TreeStatus status) noexcept {
  report_.fallback_level = status == TreeStatus::Relaxed    ? 3
                           : status == TreeStatus::Feasible ? 2
                           : solution_.monotone             ? 1
                                                            : 0;
  report_.active_bounds = solution_.active;
  report_.solves = solution_.solves;
}

// The chain of fallbacks: exact, monotone, feasible at the cap, rows relaxed, damped, held.
bool DynamicalSolver::invert() noexcept {
  TreeSolution* companion = rates_at_end_ ? &end_solution_ : nullptr;
  const TreeStatus status = solver_.solve(problem_.tree, solution_, companion);
  take_status(status);
  if (status != TreeStatus::Failed) return true;
  problem_.add_damping(kDampedRetry);
  const bool finite = solver_.solve(problem_.tree, solution_, companion) != TreeStatus::Failed;
  take_status(status);
  report_.fallback_level = finite ? 4 : 5;
  return finite;
}

namespace {

// Takes the rates of triples that rotated as one, and the solution's for all others, within the speed limits.
// Returns false if one is not finite.
PANTO_WIDE bool choose_rates(const LaneArray<3>& solved, const LaneArray<1>& whole, const double* speed,
                             LaneArray<3>& rate) noexcept {
  double sums[kLanes] = {};
  for (std::size_t c = 0; c < rate.chunk_count(); ++c) {
    const Chunk<3>& by_rates = solved.chunk(c);
    const Chunk<1>& turned = whole.chunk(c);
    const double* limit = speed + c * 3 * kLanes;
    Chunk<3>& out = rate.chunk(c);
#pragma GCC ivdep
    for (std::size_t l = 0; l < kLanes; ++l) {
      const auto choose = [&](std::size_t k) {
        const double own = out.v[k][l], other = by_rates.v[k][l], top = limit[k * kLanes + l];
        const double v = turned.v[0][l] != 0.0 ? own : other;
        const double low = v < top ? v : top;
        out.v[k][l] = low > -top ? low : -top;
        return v - v;
      };
      sums[l] += choose(0) + choose(1) + choose(2);
    }
  }
  return sum_of(sums) == 0.0;
}

}  // namespace

// Returns whether the solution without bounds is the answer.
bool DynamicalSolver::accept_settled(bool inner) noexcept {
  if (!solver_.accept(problem_.tree, solution_, inner)) return false;
  report_.fallback_level = report_.active_bounds = 0;
  return true;
}

// Searches from the joints that were held last, or that are beyond their bounds. Returns false if not exact
// or not finite.
bool DynamicalSolver::search_settled() noexcept {
  const TreeStatus status = solver_.solve(problem_.tree, settled_solver_, solution_, &end_solution_);
  const int before = report_.solves;
  take_status(status);
  report_.solves += before;
  return status == TreeStatus::Exact;
}

// Solves if every body's own target determines its velocity except for conditions between neighbours. Returns
// false if not exact or if the answer is not finite.
bool DynamicalSolver::settle(double dt) noexcept {
  settled_solver_.ask({&lanes_.wanted(), &lanes_.linear()},
                      {rates_at_end_ ? &lanes_.rates() : nullptr, &lanes_.linear_rates()});
  const double* position = problem_.kinematics().position().data();
  double *lower = problem_.tree.lower.data(), *upper = problem_.tree.upper.data();
  const bool held = solver_.may_hold();
  if (!held) settled_solver_.unbound(solution_, &end_solution_);
  report_.solves = held ? 0 : 1;
  narrowed_ = !held && limits_.inner_bounds(position, dt, lower, upper) && accept_settled(true);
  if (!narrowed_) {
    limits_.velocity_bounds(position, dt, lower, upper);
    if (!held && !is_finite(solution_.rate)) return false;
    if (held || !accept_settled(false)) {
      if (!held) solver_.begin(problem_.tree, solution_.rate);
      if (!search_settled()) return false;
    }
  }
  return true;
}

// Computes v* of measured and own targets, and the rates at the sample's instant.
void DynamicalSolver::correct(const State& state, double dt) noexcept {
  problem_.place_rows(state, place_);
  lanes_.correct(problem_.kinematics(), place_, dt, lanes_.has_before(state.t), options_);
  rates_at_end_ = options_.pairing == Pairing::SameInterval && lanes_.take_rates(options_, false);
  problem_.own().place(problem_.kinematics(), state.p_WB);
  problem_.own().correct(dt, problem_.own().has_before(state.t), options_);
}

// Builds the kernel's problem.
void DynamicalSolver::build_problem(const Targets& targets, const State& state, double dt,
                                    double residual_share) noexcept {
  problem_.build(state);
  if (residual_share > 0.0) {
    lanes_.versines(problem_.kinematics(), versine_);
    problem_.damp_residuals(targets, versine_, place_, state.p_WB, dt, residual_share);
  }
  lanes_.load(lanes_.wanted(), problem_.tree.rhs);
  problem_.set_point_velocities(lanes_.linear());
  if (rates_at_end_) {  // a second question for the same solve
    lanes_.load(lanes_.rates(), problem_.tree.companion);
    problem_.set_companion_velocities(lanes_.linear_rates());
  }
  problem_.own().load(problem_.tree);
  row_limits_.rate_bounds(state.s, dt, problem_.tree.rows.lower, problem_.tree.rows.upper);
}

// Repeats the kernel's working set in the decoupled solver, bit by bit as if the search had not needed the
// kernel. Returns false if it is not the answer there.
bool DynamicalSolver::settle_again() noexcept {
  if (solver_.solve(problem_.tree, settled_solver_, own_solution_, &own_end_, true) != TreeStatus::Exact)
    return false;
  std::swap(solution_, own_solution_);
  std::swap(end_solution_, own_end_);
  return true;
}

bool DynamicalSolver::find_velocities(const Targets& targets, const State& state, double dt) noexcept {
  narrowed_ = false;
  report_.solves = 0;
  const double share = residual_share(state, dt);
  // the transpose equals the inverse only for a rotation; rates are read with it
  const bool settles = options_.integration == Integration::SO3 && share == 0.0 && settled_solver_.settles();
  settled_ = settles && settle(dt);
  if (!settled_ || options_.keep_problem) build_problem(targets, state, dt, share);
  if (settled_) {
    if (options_.keep_problem && solution_.active == 0) solution_.rho = solution_.rate;
    return true;
  }
  const int before = report_.solves;
  limits_.velocity_bounds(problem_.kinematics().position().data(), dt, problem_.tree.lower.data(),
                          problem_.tree.upper.data());
  bool finite = invert();
  if (settles && finite && report_.fallback_level <= 1) {
    settled_ = settle_again();
    if (!settled_) finite = invert();
  }
  report_.solves += before;
  return finite;
}

// Velocities at t_k itself: the same factorisation with the rates of that instant instead of the interval's
// means. If the source has no rates, or in paper mode, publishes the interval's mean.
void DynamicalSolver::publish_velocities(State& next) noexcept {
  const TreeSolution* solution = &solution_;
  if (rates_at_end_) {
    if (!settled_) {
      solver_.complete(problem_.tree, solution_, end_solution_, integrator_.all_whole());
      keep_coupled_rates();
    } else if (!integrator_.all_whole()) {
      settled_solver_.complete(end_solution_);
    }
    solution = &end_solution_;
  }
  next.v_WB = to_eigen(vec3(solution->v, problem_.tree.base));
  next.w_WB = to_eigen(vec3(solution->omega, problem_.tree.base));

  // triples that rotated as one: the rates of their angular velocity at their new pose
  problem_.set_pose(next, integrator_.moved());  // the next step begins there
  const Blocks& blocks = problem_.blocks();
  if (integrator_.any_whole()) {
    take_lanes(blocks.lane_before, solution->omega, omega_before_);
    triple_rates(problem_.kinematics(), solution->omega, omega_before_, options_.damping, rate_);
  }
  // if all triples rotated as one, the rates of the second question were not computed
  const LaneArray<3>& others = integrator_.all_whole() ? solution_.rate : solution->rate;
  rates_finite_ = choose_rates(others, integrator_.turned_whole(), limits_.speed().data(), rate_);
}

// The joints by slot, before they are scattered to `next_`.
bool DynamicalSolver::next_is_finite() const noexcept {
  return is_finite(integrator_.moved()) && rates_finite_ &&
         std::isfinite(next_.p_WB.sum() + next_.v_WB.sum() + next_.w_WB.sum());
}

// Rates of coupled joints at the instant obey the rows of the step, unless one of them exceeds its speed
// limit: then all of them keep the interval's means, which obey both.
void DynamicalSolver::keep_coupled_rates() noexcept {
  bool fast = false;
  for (const int i : problem_.tree.rows.entry)
    fast = fast || std::abs(end_solution_.rate[at(i)]) > limits_.speed()[at(i)];
  if (!fast) return;
  for (const int i : problem_.tree.rows.entry) end_solution_.rate[at(i)] = solution_.rate[at(i)];
}

void DynamicalSolver::fill_report(const Targets& targets) noexcept {
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  lanes_.versines(problem_.kinematics(), report_.versine);
  problem_.place_rows(next_, place_);
  for (const std::size_t j : problem_.point_rows()) {  // the others never have one
    const Target& row = targets.rows[j];
    report_.origin_error[j] = row.has_position ? (row.p_WF - place_[j]).norm() : unknown;
  }
  problem_.own().place(problem_.kinematics(), next_.p_WB);
  problem_.own().report(report_.own_error);
  report_.clamped = integrator_.clamped();
  report_.aligned = false;
  report_.clock_gap = false;
}

void DynamicalSolver::prime(const Targets& targets) noexcept {
  if (lanes_.read(targets) == StepStatus::Solved) lanes_.keep(targets.t);
  if (problem_.own().read(targets.own)) problem_.own().keep(targets.t);
}

void DynamicalSolver::set_velocities(const Targets& targets, State& state) noexcept {
  if (lanes_.read(targets) != StepStatus::Solved || !lanes_.take_rates(options_, true)) return;
  problem_.set_pose(state);
  problem_.set_rows(targets, state);
  problem_.own().take_rates(1.0, false);  // without own targets: their rates are not measured
  problem_.own().load(problem_.tree);
  lanes_.load(lanes_.rates(), problem_.tree.rhs);
  problem_.set_point_velocities(lanes_.linear_rates());
  for (std::size_t i = 0; i < limits_.speed().size(); ++i) {
    problem_.tree.upper.data()[i] = limits_.speed()[i];
    problem_.tree.lower.data()[i] = -limits_.speed()[i];
  }
  row_limits_.speed_bounds(problem_.tree.rows.lower, problem_.tree.rows.upper);
  rates_at_end_ = settled_ = false;
  if (!invert()) return;
  next_ = state;
  integrator_.advance(state, problem_, solution_, solver_.working_set(), 0.0, next_);
  publish_velocities(next_);
  if (!next_is_finite()) return;
  state.v_WB = next_.v_WB;
  state.w_WB = next_.w_WB;
  problem_.blocks().scatter(rate_, state.sdot);
}

// Targets that cannot be reached and stand still must lead to rest. Returns 0 if almost no damping is needed.
double DynamicalSolver::residual_share(const State& state, double dt) noexcept {
  if (!(options_.damping.residual > 0.0) || !lanes_.has_before(state.t)) return 0.0;
  const double still = lanes_.stillness(dt, options_.damping.still_speed);
  const double share =
      options_.damping.residual * std::min(still, problem_.own().stillness(dt, options_.damping.still_speed));
  return share < kLeastShare ? 0.0 : share;
}

StepStatus DynamicalSolver::step(const Targets& targets, State& state) noexcept {
  if (const StepStatus status = check(targets, state); status != StepStatus::Solved) return status;
  const double dt = to_seconds(targets.t - state.t);

  // current pose of the model
  problem_.set_pose(state);
  problem_.choose_rows(targets);

  // corrected target velocities, v* = v + K r   [Rapetti 2020] Eq. (8)
  correct(state, dt);

  // nu = argmin |v* - J nu|^2 under the limits   Eq. (10)-(12)
  if (!find_velocities(targets, state, dt)) return StepStatus::NumericalFailure;

  // q(t_k) = q(t_{k-1}) advanced by nu for dt, rotations kept on SO(3)
  next_.t = targets.t;
  integrator_.advance(state, problem_, solution_, solver_.working_set(), dt, next_);
  if (narrowed_ && integrator_.any_refused()) {  // a reading that may still be allowed
    limits_.velocity_bounds(problem_.kinematics().position().data(), dt, problem_.tree.lower.data(),
                            problem_.tree.upper.data());
    integrator_.advance(state, problem_, solution_, solver_.working_set(), dt, next_);
  }
  publish_velocities(next_);
  const bool drifts = options_.integration == Integration::EulerBaumgarte;
  if (!next_is_finite() || !so3::is_rotation(next_.R_WB, drifts ? kLargestDrift : 1e-6))
    return StepStatus::NumericalFailure;

  fill_report(targets);
  state.t = next_.t;
  state.p_WB = next_.p_WB;
  state.R_WB = next_.R_WB;
  std::copy_n(next_.s.data(), next_.s.size(), state.s.data());
  state.v_WB = next_.v_WB;
  state.w_WB = next_.w_WB;
  problem_.blocks().scatter(rate_, state.sdot);
  lanes_.keep(targets.t);
  problem_.own().keep(targets.t);
  return report_.active_bounds > 0 ? StepStatus::Saturated : StepStatus::Solved;
}

}  // namespace panto
