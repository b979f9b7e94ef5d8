#include "panto/ik/pose_optimizer.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "panto/base/index.hpp"
#include "panto/ik/target_velocity.hpp"
#include "panto/math/so3.hpp"
#include "panto/math/vector_math.hpp"

namespace panto {
namespace {

constexpr double kCos150 = -0.86602540378443864676;
constexpr double kLongestTurn = 0.3;  // [rad] of a joint in one step; longer ones end behind the wrong limit
constexpr double kRecovery = 1e-3;   // share of the potential that a step with lengthened residuals must save
constexpr double kRounding = 2e-15;  // of V + sqrt(V): what rotations rounded to 1e-16 do to the potential V
constexpr double kFirstDamping = 1e-2, kMoreDamping = 8.0, kLessDamping = 0.15, kLeastDamping = 1e-5,
                 kMostDamping = 1e9;
constexpr double kFirstShift = 1e-3, kMoreShift = 10.0, kLessShift = 0.1;
constexpr int kShifts = 4, kLongestPause = 8;
constexpr double kSlow = 0.1;  // share of the gradient that a step may leave before Newton's step is tried

const PoseOptimizerOptions& checked_budget(const PoseOptimizerOptions& options) {
  if (!(options.tolerance > 0.0))
    throw ConfigError("option 'tolerance' is " + std::to_string(options.tolerance) + ", must be > 0");
  if (options.max_iterations < 1)
    throw ConfigError("option 'max_iterations' is " + std::to_string(options.max_iterations) +
                      ", must be >= 1");
  return options;
}

// No pull to the rest pose: what no target determines keeps its value. Damping that only keeps pivots away
// from zero.
DampingOptions light_damping() {
  DampingOptions damping;
  damping.determined = 0.0;
  damping.undetermined = 1e-8;
  damping.singular = 1e-6;
  damping.rest_rate = 0.0;
  return damping;
}

double cosine(const Target& row, const Kinematics& kinematics) noexcept {
  return 0.5 * (row.R_WF.cwiseProduct(kinematics.R_WL(row.link)).sum() - 1.0);
}

}  // namespace

PoseOptimizer::PoseOptimizer(const Model& model, const std::vector<Target>& rows,
                             const PoseOptimizerOptions& options, bool balls)
    : model_(&model),
      options_(checked_budget(options)),
      kinematics_(model),
      trial_kinematics_(model),
      potential_(model),
      newton_(model),
      rows_(model),
      problem_(model, rows, light_damping(), balls),
      integrator_(model, problem_, Integration::SO3),
      tree_solver_(problem_.tree),
      solution_(problem_.tree),
      weighted_{0, rows},
      angular_(rows.size(), Eigen::Vector3d::Zero()),
      linear_(angular_),
      lower_(model.lower()),
      upper_(model.upper()),
      down_(Eigen::VectorXd::Zero(model.dof())),
      up_(down_),
      slope_(down_),
      held_(at(model.dof()), 0),
      trial_(panto::rest_state(model)) {}

// Whether a joint presses against the box.
bool PoseOptimizer::is_held(int dof, const State& state) const noexcept {
  const bool low = state.s[dof] <= lower_[dof], high = state.s[dof] >= upper_[dof];
  if (rows_.speaks_of(dof)) return (low || high) && slope_[dof] == 0.0;
  return (slope_[dof] > 0.0 && low) || (slope_[dof] < 0.0 && high);
}

// The projected gradient: what bounds and rows hold back does not count. A ball joint's is its torque, which
// does not vanish in the gimbal lock of its angles.
void PoseOptimizer::measure(const Targets& targets, const Kinematics& kinematics,
                            const State& state) noexcept {
  potential_.update_gradient(targets, kinematics);
  gradient_ = std::max(potential_.base_linear().cwiseAbs().maxCoeff(),
                       potential_.base_angular().cwiseAbs().maxCoeff());
  slope_ = potential_.joints();
  active_ = rows_.empty() ? 0 : rows_.project(lower_, upper_, state.s, slope_);
  const Tree& tree = model_->tree();
  for (std::size_t g = 0; g < tree.groups.size(); ++g) {
    const JointGroup& group = tree.groups[g];
    if (problem_.is_ball_slot(slot_of(tree.dof[at(group.body[0])]))) {
      gradient_ = std::max(gradient_, potential_.torque(group.body[0], kinematics).norm());
      continue;
    }
    for (int k = 0; k < group.count; ++k) {
      const int dof = tree.dof[at(group.body[at(k)])];
      const bool held = is_held(dof, state);
      held_[at(dof)] = held ? 1 : 0;
      if (!held) gradient_ = std::max(gradient_, std::abs(slope_[dof]));
      if (held && std::abs(potential_.joints()[dof]) > options_.tolerance) ++active_;
    }
  }
}

bool PoseOptimizer::any_far(const Targets& targets) const noexcept {
  return std::any_of(targets.rows.begin(), targets.rows.end(), [&](const Target& row) {
    return row.has_orientation && row.orientation_weight > 0.0 && cosine(row, kinematics_) <= kCos150;
  });
}

// Curvature of 1 - cos(theta): cos(theta) along the axis, (1 + cos(theta))/2 across. One number between them,
// sin(theta)/theta, becomes the row's weight, and the wanted velocity is divided by it: the gradient stays
// exact, and a row that stands alone is met by one step from any angle.
void PoseOptimizer::weigh(const Targets& targets, bool recover) noexcept {
  for (std::size_t j = 0; j < targets.rows.size(); ++j) {
    const Target& row = targets.rows[j];
    if (row.has_orientation) {
      const Eigen::Vector3d r = orientation_residual(row.R_WF, kinematics_.R_WL(row.link), recover);
      const double sine = r.norm(), angle = atan2(sine, std::max(cosine(row, kinematics_), kCos150));
      const double share = angle > 1e-4 ? std::max(sine / angle, 0.19) : 1.0;
      weighted_.rows[j].orientation_weight = share * row.orientation_weight;
      angular_[j] = r / share;
    }
    if (row.has_position) linear_[j] = row.p_WF - kinematics_.p_WL(row.link);
  }
}

// `trial_`: the pose that the step leads to
bool PoseOptimizer::propose(const Targets& targets, double mu, bool far, const State& state) noexcept {
  weigh(targets, far);
  problem_.set_pose(state);
  problem_.set_rows(weighted_, state);
  problem_.set_velocities(angular_, linear_, weighted_);
  const Tree& tree = model_->tree();
  for (int i = 1; i < tree.size(); ++i) {
    const int dof = tree.dof[at(i)];
    const double longest = tree.type[at(i)] == JointType::Prismatic ? kInfinity : kLongestTurn;
    down_[dof] = std::max(lower_[dof] - state.s[dof], -longest);
    up_[dof] = std::min(upper_[dof] - state.s[dof], longest);
  }
  problem_.set_bounds(down_, up_);
  rows_.step_bounds(state.s, problem_.tree.rows.lower, problem_.tree.rows.upper);
  problem_.add_damping(mu);  // zero too: the next `set_rows` then looks at the weights again
  if (tree_solver_.solve(problem_.tree, solution_) == TreeStatus::Failed) return false;
  solves_ += solution_.solves;
  monotone_ = monotone_ || solution_.monotone;
  const LaneArray<3>& held = tree_solver_.working_set();
  integrator_.advance(state, problem_, solution_, held, 1.0, trial_);
  // what is beyond the box by rounding, and what is held by it, stands on it to the last bit
  for (int dof = 0; dof < model_->dof(); ++dof) {
    const double side = held[slot_of(dof)];
    trial_.s[dof] = std::clamp(trial_.s[dof], lower_[dof], upper_[dof]);
    if (side < 0 && down_[dof] == lower_[dof] - state.s[dof]) trial_.s[dof] = lower_[dof];
    if (side > 0 && up_[dof] == upper_[dof] - state.s[dof]) trial_.s[dof] = upper_[dof];
  }
  rows_.meet(lower_, upper_, trial_.s);
  trial_kinematics_.update(trial_);
  return true;
}

// Newton's step on the joints that do not press against the box, along the rows that press; where the
// potential is not convex, with as large a shift as makes it so.
bool PoseOptimizer::propose_newton(const Targets& targets, const State& state, double& shift) noexcept {
  newton_.update(targets, kinematics_);
  for (int r = 0; r < rows_.size(); ++r) {
    if (rows_.presses(r)) newton_.hold(rows_.coefficients(r));
  }
  bool solved = false;
  for (int attempt = 0; attempt < kShifts && !solved; ++attempt) {
    solved = newton_.solve(potential_, slope_, held_, shift);
    if (!solved) shift = std::max(kMoreShift * shift, kFirstShift);
  }
  if (!solved) return false;
  shift = shift > kFirstShift ? kLessShift * shift : 0.0;
  const Eigen::VectorXd& step = newton_.step();
  trial_.p_WB = state.p_WB;
  trial_.R_WB = state.R_WB;
  if (model_->floating_base()) {
    trial_.p_WB += step.head<3>();
    trial_.R_WB = so3::polar_step(so3::exp(step.segment<3>(3)) * state.R_WB);
  }
  trial_.s = state.s + step.tail(model_->dof());
  trial_.s = trial_.s.cwiseMax(lower_).cwiseMin(upper_);
  rows_.meet(lower_, upper_, trial_.s);
  trial_kinematics_.update(trial_);
  return true;
}

// A lower potential is better; where that is flat to rounding, a smaller gradient. Lengthened residuals are
// no gradient: they must pay. `value`: the potential at `state`, afterwards that of the better one.
bool PoseOptimizer::trial_is_better(const Targets& targets, const State& state, bool far,
                                    double& value) noexcept {
  const double trial_value = PosePotential::value(targets, trial_kinematics_), before = gradient_;
  const double rounding = kRounding * (value + std::sqrt(value));
  const bool lower = trial_value < value - (far ? kRecovery * value : rounding);
  if (!lower && (far || !(trial_value <= value + rounding))) return false;
  measure(targets, trial_kinematics_, trial_);
  if (!lower && gradient_ >= before) {
    measure(targets, kinematics_, state);
    return false;
  }
  value = trial_value;
  return true;
}

PoseOutcome PoseOptimizer::minimise(const Targets& targets, const Eigen::VectorXd& lower,
                                    const Eigen::VectorXd& upper, State& state) noexcept {
  lower_ = lower;
  upper_ = upper;
  std::copy(targets.rows.begin(), targets.rows.end(), weighted_.rows.begin());
  state.s = state.s.cwiseMax(lower).cwiseMin(upper);
  rows_.meet(lower, upper, state.s);
  tree_solver_.reset();
  iterations_ = solves_ = 0;
  monotone_ = false;
  kinematics_.update(state);
  measure(targets, kinematics_, state);
  double value = PosePotential::value(targets, kinematics_);
  for (Mode mode;;) {
    const bool far = mode.recovery.ready() && any_far(targets);
    if (gradient_ <= options_.tolerance && !far) return PoseOutcome::Converged;
    if (iterations_ >= options_.max_iterations) return PoseOutcome::Cap;
    ++iterations_;
    mode.newton.pass();
    mode.recovery.pass();
    const double before = gradient_;
    const bool newton =
        mode.slow && !far && mode.newton.ready() && propose_newton(targets, state, mode.shift);
    if (!newton && !propose(targets, mode.mu, far, state)) return PoseOutcome::Failed;
    if (trial_is_better(targets, state, far, value)) {
      state.p_WB = trial_.p_WB;
      state.R_WB = trial_.R_WB;
      state.s = trial_.s;
      std::swap(kinematics_, trial_kinematics_);
      mode.succeeded(newton, !far && gradient_ > kSlow * before);
    } else if (!mode.failed(newton, far)) {
      return PoseOutcome::Stalled;
    }
  }
}

void PoseOptimizer::Means::failed() noexcept {
  wait = pause;
  pause = std::min(2 * pause, kLongestPause);
}

void PoseOptimizer::Mode::succeeded(bool by_newton, bool left_much) noexcept {
  slow = left_much || by_newton;
  if (by_newton) {
    newton.pause = 1;
    newton.wait = left_much ? 1 : 0;  // the other way in between
  } else {
    mu = mu > kLeastDamping ? kLessDamping * mu : 0.0;
  }
}

bool PoseOptimizer::Mode::failed(bool by_newton, bool far) noexcept {
  if (by_newton) {
    newton.failed();
    shift = std::max(kMoreShift * shift, kFirstShift);
  } else if (far) {
    recovery.failed();
  } else {
    mu = std::max(kMoreDamping * mu, kFirstDamping);
  }
  return mu <= kMostDamping;
}

}  // namespace panto
