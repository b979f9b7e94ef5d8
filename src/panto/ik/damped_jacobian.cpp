#include "panto/ik/damped_jacobian.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "panto/base/index.hpp"
#include "panto/ik/velocity_problem.hpp"
#include "panto/math/so3.hpp"

namespace panto {
namespace {

constexpr double kRank = 1e-9;         // singular values below this share of the largest count as zero
constexpr double kLeastShare = 1e-10;  // of the largest eigenvalue: adaptive damping if nothing is singular
constexpr double kEmptyColumn = 1e-24;

const DampedJacobianOptions& checked_damping(const DampedJacobianOptions& options) {
  const auto positive = [](double value, const char* name) {
    if (!(value > 0.0 && std::isfinite(value)))
      throw ConfigError(std::string("option '") + name + "' is " + std::to_string(value) +
                        ", must be > 0 and finite");
  };
  positive(options.lambda, "lambda");
  positive(options.singular_below, "singular_below");
  return options;
}

}  // namespace

DampedJacobianSolver::DampedJacobianSolver(const Model& model, const std::vector<Target>& rows,
                                           const DynamicalOptions& motion,
                                           const DampedJacobianOptions& options)
    : model_(&model),
      motion_(checked(motion)),
      options_(checked_damping(options)),
      kinematics_(model),
      limits_(model, motion.limits),
      rows_(model),
      previous_(rows),
      lower_(Eigen::VectorXd::Zero(model.dof())),
      upper_(lower_),
      from_(lower_),
      to_(lower_),
      next_(panto::rest_state(model)) {
  (void)VelocityProblem(model, rows, motion.damping, false);  // throws if a row is out of range
  Eigen::Index m = 0;
  const Eigen::Index n = std::max(1, model.nv());
  for (const Target& row : rows) {
    orientation_row_.push_back(row.orientation_weight > 0.0 ? m : -1);
    if (row.orientation_weight > 0.0) m += 3;
    position_row_.push_back(row.position_weight > 0.0 ? m : -1);
    if (row.position_weight > 0.0) m += 3;
  }
  m = std::max<Eigen::Index>(m, 3);
  J_link_.setZero(6, model.nv());
  J_.setZero(m, n);
  H_.setZero(n, n);
  rhs_.setZero(m);
  nu_.setZero(n);
  gradient_.setZero(n);
  // once at set-up, so that no step allocates
  cholesky_.compute(Eigen::MatrixXd::Identity(n, n));
  eigen_.compute(Eigen::MatrixXd::Identity(n, n));
  orthogonal_.compute(Eigen::MatrixXd::Identity(m, n));
  orthogonal_.setThreshold(kRank);
  report_.versine.assign(rows.size(), 0.0);
  report_.origin_error = report_.versine;
}

// J, and its normal matrix if needed. Rows of invalid quantities are zero.
void DampedJacobianSolver::linearise(const Targets& targets) noexcept {
  J_.setZero();
  H_.setZero();
  const auto add = [&](Eigen::Index first, double weight, Eigen::Index part) {
    auto rows = J_.block(first, 0, 3, J_link_.cols());
    rows = std::sqrt(weight) * J_link_.middleRows(part, 3);
    if (options_.damping == JacobianDamping::Plain) return;
    H_.topLeftCorner(J_link_.cols(), J_link_.cols())
        .selfadjointView<Eigen::Lower>()
        .rankUpdate(rows.transpose());
  };
  for (std::size_t j = 0; j < targets.rows.size(); ++j) {
    const Target& row = targets.rows[j];
    const bool turns = row.has_orientation && orientation_row_[j] >= 0,
               moves = row.has_position && position_row_[j] >= 0;
    if (!turns && !moves) continue;
    kinematics_.jacobian(row.link, J_link_);
    if (turns) add(orientation_row_[j], row.orientation_weight, 3);
    if (moves) add(position_row_[j], row.position_weight, 0);
  }
}

// Damping from the smallest singular value, without those that are zero by structure: the matrix has at most
// min(rows, columns).
void DampedJacobianSolver::adapt() noexcept {
  const Eigen::Index n = H_.cols();
  Eigen::Index rows = 0, columns = 0;
  for (Eigen::Index i = 0; i < J_.rows(); ++i) rows += J_.row(i).squaredNorm() > kEmptyColumn ? 1 : 0;
  for (Eigen::Index i = 0; i < n; ++i) columns += H_(i, i) > kEmptyColumn ? 1 : 0;
  eigen_.compute(H_, Eigen::EigenvaluesOnly);
  const Eigen::Index rank = std::min(rows, columns);
  sigma_ = rank > 0 ? std::sqrt(std::max(0.0, eigen_.eigenvalues()[n - rank])) : 0.0;
  const double share = std::max(0.0, 1.0 - sigma_ / options_.singular_below);
  damping_ = options_.lambda * options_.lambda * share * share;
  damping_ = std::max(damping_, kLeastShare * std::max(1.0, eigen_.eigenvalues()[n - 1]));
}

bool DampedJacobianSolver::factor() noexcept {
  damping_ = 0.0;
  if (options_.damping == JacobianDamping::Plain) {
    orthogonal_.compute(J_);
    return orthogonal_.maxPivot() < kInfinity;
  }
  if (options_.damping == JacobianDamping::Adaptive) {
    adapt();
  } else {
    damping_ = options_.lambda * options_.lambda;
  }
  H_.diagonal().array() += damping_;
  cholesky_.compute(H_);
  return cholesky_.info() == Eigen::Success;
}

// computes nu from rhs
void DampedJacobianSolver::invert() noexcept {
  if (options_.damping == JacobianDamping::Plain) {
    invert_plain();
    return;
  }
  gradient_.noalias() = J_.transpose() * rhs_;
  nu_ = gradient_;
  cholesky_.solveInPlace(nu_);
}

// The shortest nu of the least residual, J P = Q [T 0; 0 0] Z: Eigen's own `solve` does the same but
// allocates.
void DampedJacobianSolver::invert_plain() noexcept {
  const Eigen::MatrixXd& qtz = orthogonal_.matrixQTZ();
  const Eigen::Index m = qtz.rows(), n = qtz.cols(), rank = orthogonal_.rank();
  double workspace = 0.0;
  for (Eigen::Index k = 0; k < rank; ++k) {
    rhs_.tail(m - k).applyHouseholderOnTheLeft(qtz.col(k).tail(m - k - 1), orthogonal_.hCoeffs()[k],
                                               &workspace);
  }
  gradient_.setZero();
  gradient_.head(std::min(rank, n)) = rhs_.head(std::min(rank, n));
  auto c = gradient_.head(rank);
  qtz.topLeftCorner(rank, rank).triangularView<Eigen::Upper>().solveInPlace(c);
  if (rank < n) {
    for (Eigen::Index k = 0; k < rank; ++k) {
      std::swap(gradient_[k], gradient_[rank - 1]);
      gradient_.segment(rank - 1, n - rank + 1)
          .applyHouseholderOnTheLeft(qtz.row(k).tail(n - rank).transpose(), orthogonal_.zCoeffs()[k],
                                     &workspace);
      std::swap(gradient_[k], gradient_[rank - 1]);
    }
  }
  const auto& column = orthogonal_.colsPermutation().indices();
  for (Eigen::Index i = 0; i < n; ++i) nu_[column[i]] = gradient_[i];
}

void DampedJacobianSolver::correct(const Targets& targets, Time since, double dt) noexcept {
  rhs_.setZero();
  for (std::size_t j = 0; j < targets.rows.size(); ++j) {
    const Target& now = targets.rows[j];
    const Target* before = previous_.row(j, since);
    if (now.has_orientation && orientation_row_[j] >= 0) {
      rhs_.segment<3>(orientation_row_[j]) =
          std::sqrt(now.orientation_weight) *
          corrected_angular_velocity(now, before, kinematics_.R_WL(now.link), dt, motion_);
    }
    if (now.has_position && position_row_[j] >= 0) {
      rhs_.segment<3>(position_row_[j]) =
          std::sqrt(now.position_weight) *
          corrected_linear_velocity(now, before, kinematics_.p_WL(now.link), dt, motion_);
    }
  }
}

// Replaces the right-hand side by measured rates; returns false if there are none.
bool DampedJacobianSolver::take_rates(const Targets& targets) noexcept {
  bool any = false;
  for (std::size_t j = 0; j < targets.rows.size(); ++j) {
    const Target& row = targets.rows[j];
    if (row.has_orientation && row.has_angular_velocity && orientation_row_[j] >= 0) {
      rhs_.segment<3>(orientation_row_[j]) = std::sqrt(row.orientation_weight) * row.w_WF;
      any = true;
    }
    if (row.has_position && row.has_linear_velocity && position_row_[j] >= 0) {
      rhs_.segment<3>(position_row_[j]) = std::sqrt(row.position_weight) * row.v_WF;
      any = true;
    }
  }
  return any;
}

// advances q by nu for dt and clips joints to their bounds
void DampedJacobianSolver::integrate(double dt, const State& state) noexcept {
  const Eigen::Index first = model_->floating_base() ? 6 : 0;
  next_.p_WB = state.p_WB;
  next_.R_WB = state.R_WB;
  if (first == 6) {
    next_.p_WB += dt * nu_.head<3>();
    next_.R_WB = so3::polar_step(so3::exp(dt * nu_.segment<3>(3)) * state.R_WB);
  }
  for (int i = 0; i < model_->dof(); ++i) {
    const double rate = std::clamp(nu_[first + i], lower_[i], upper_[i]);
    report_.active_bounds += rate != nu_[first + i] ? 1 : 0;
    const double moved = state.s[i] + dt * rate;
    next_.s[i] =
        std::clamp(moved, std::min(model_->lower()[i], state.s[i]), std::max(model_->upper()[i], state.s[i]));
    report_.clamped += std::abs(next_.s[i] - moved) > 1e-12 ? 1 : 0;
  }
  if (rows_.empty()) return;
  from_ = state.s + dt * lower_;
  to_ = state.s + dt * upper_;
  rows_.meet(from_, to_, next_.s);
}

void DampedJacobianSolver::publish(State& next) noexcept {
  const Eigen::Index first = model_->floating_base() ? 6 : 0;
  next.v_WB.setZero();
  next.w_WB.setZero();
  if (first == 6) {
    next.v_WB = nu_.head<3>();
    next.w_WB = nu_.segment<3>(3);
  }
  for (int i = 0; i < model_->dof(); ++i) next.sdot[i] = std::clamp(nu_[first + i], lower_[i], upper_[i]);
  rows_.meet_rates(next.s, lower_, upper_, next.sdot);
}

StepStatus DampedJacobianSolver::step(const Targets& targets, State& state) noexcept {
  if (const StepStatus status = check_step(targets, previous_.size(), state, *model_);
      status != StepStatus::Solved)
    return status;
  const double dt = to_seconds(targets.t - state.t);
  report_.active_bounds = report_.clamped = 0;
  report_.solves = 1;
  report_.fallback_level = 0;
  kinematics_.update(state);
  linearise(targets);
  correct(targets, state.t, dt);
  if (!factor()) {
    report_.fallback_level = 4;
    return StepStatus::NumericalFailure;
  }
  invert();
  limits_.velocity_bounds(state.s, dt, lower_, upper_);
  next_.t = targets.t;
  integrate(dt, state);

  // velocities at the instant itself: the same factors with the rates measured there
  if (motion_.velocity == VelocitySource::Measured && motion_.pairing == Pairing::SameInterval) {
    correct(targets, state.t, dt);
    if (take_rates(targets)) invert();
  }
  publish(next_);
  if (!is_valid(next_, *model_)) {
    report_.fallback_level = 4;
    return StepStatus::NumericalFailure;
  }
  kinematics_.update(next_);
  report_residuals(targets, kinematics_, report_);
  report_.aligned = report_.clock_gap = false;
  state = next_;
  prime(targets);
  return report_.active_bounds > 0 ? StepStatus::Saturated : StepStatus::Solved;
}

void DampedJacobianSolver::set_velocities(const Targets& targets, State& state) noexcept {
  rhs_.setZero();
  if (motion_.velocity == VelocitySource::Differenced || !take_rates(targets)) return;
  kinematics_.update(state);
  linearise(targets);
  if (!factor()) return;
  invert();
  if (!nu_.allFinite()) return;
  std::copy(limits_.speed().begin(), limits_.speed().end(), upper_.begin());
  lower_ = -upper_;
  publish(state);
}

}  // namespace panto
