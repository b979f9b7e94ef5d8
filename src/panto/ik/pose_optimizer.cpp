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

constexpr double kLongestStep = 0.3;  // [rad] of a joint in one step; longer ones may end at the wrong limit
constexpr double kRecovery = 1e-3;   // share of the potential that a step with lengthened residuals must save
constexpr double kRounding = 2e-15;  // of V + sqrt(V): effect on V of rotations rounded to 1e-16
constexpr double kFirstDamping = 1e-2, kMoreDamping = 8.0, kLessDamping = 0.15, kLeastDamping = 1e-5,
                 kMostDamping = 1e9;
constexpr double kFirstShift = 1e-3, kMoreShift = 10.0, kLessShift = 0.1;
constexpr int kShifts = 4, kLongestPause = 8;
constexpr double kSlow = 0.1;  // share of the gradient that a step may leave before Newton's step is tried

const PoseOptimizerOptions& checked_budget(const PoseOptimizerOptions& options) {
  if (!(options.tolerance > 0.0 && std::isfinite(options.tolerance)))
    throw ConfigError("option 'tolerance' is " + std::to_string(options.tolerance) + ", must be > 0");
  if (options.max_iterations < 1)
    throw ConfigError("option 'max_iterations' is " + std::to_string(options.max_iterations) +
                      ", must be >= 1");
  return options;
}

// No pull to the rest pose: coordinates that no target determines keep their values. The damping only keeps
// pivots away from zero.
DampingOptions light_damping() {
  DampingOptions damping;
  damping.determined = 0.0;
  damping.undetermined = 1e-8;
  damping.singular = 1e-6;
  damping.rest_rate = 0.0;
  return damping;
}

}  // namespace

PoseOptimizer::PoseOptimizer(const Model& model, const std::vector<Target>& rows,
                             const PoseOptimizerOptions& options, bool balls, const OwnTargets& own)
    : model_(&model),
      options_(checked_budget(options)),
      rows_(model, own.rows),
      problem_(model, rows, light_damping(), balls, own),
      potential_(model, problem_, rows),
      reach_(model, problem_.blocks(), LimitOptions{}),
      integrator_(problem_, reach_, Integration::SO3),
      tree_solver_(problem_.tree),
      solution_(problem_.tree),
      lower_(model.lower()),
      upper_(model.upper()),
      box_lower_(problem_.blocks().lanes(), -kInfinity),
      box_upper_(problem_.blocks().lanes(), kInfinity),
      longest_(problem_.blocks().lanes(), kInfinity),
      ball_(problem_.blocks().lanes()),
      spoken_of_(problem_.blocks().lanes()),
      slope_(spoken_of_),
      held_(spoken_of_),
      moved_(spoken_of_),
      kinematics_(model),
      newton_(model),
      slope_of_dof_(Eigen::VectorXd::Zero(model.dof())),
      held_dof_(at(model.dof()), 0),
      trial_(panto::rest_state(model)) {
  const Blocks& blocks = problem_.blocks();
  for (std::size_t b = 0; b < at(blocks.count()); ++b) ball_(0, b) = problem_.is_ball(b) ? 1.0 : 0.0;
  for (std::size_t dof = 0; dof < held_dof_.size(); ++dof) {
    const std::size_t slot = at(blocks.slot_of_dof[dof]), lane = LaneArray<3>::lane(slot);
    spoken_of_[slot] = rows_.speaks_of(static_cast<int>(dof)) ? 1.0 : 0.0;
    if (!problem_.is_ball(lane) && blocks.slider[lane] == 0) longest_[slot] = kLongestStep;
  }
}

void PoseOptimizer::set_box(const Eigen::VectorXd& lower, const Eigen::VectorXd& upper) noexcept {
  lower_ = lower;
  upper_ = upper;
  const std::vector<int>& slot_of_dof = problem_.blocks().slot_of_dof;
  for (std::size_t dof = 0; dof < slot_of_dof.size(); ++dof) {
    const auto slot = at(slot_of_dof[dof]);
    if (problem_.is_ball_slot(slot)) continue;
    box_lower_[slot] = lower[static_cast<Eigen::Index>(dof)];
    box_upper_[slot] = upper[static_cast<Eigen::Index>(dof)];
  }
}

namespace {

// Finds joints that press against the box, except those that rows hold back already. Returns the largest
// slope of the others, with a ball's as one vector; `pressing`: number of the former with a slope above
// `tolerance`.
PANTO_WIDE double largest_slope(const LaneArray<3>& raw, const LaneArray<3>& slope, const LaneArray<3>& s,
                                const LaneArray<3>& lower, const LaneArray<3>& upper,
                                const LaneArray<3>& spoken_of, const LaneArray<1>& ball, double tolerance,
                                LaneArray<3>& held, int& pressing) noexcept {
  double largest[kLanes] = {}, count[kLanes] = {};
  for (std::size_t c = 0; c < slope.chunk_count(); ++c) {
    const Chunk<3>&x = s.chunk(c), &low = lower.chunk(c), &high = upper.chunk(c), &own = spoken_of.chunk(c);
    const Chunk<3>&all = raw.chunk(c), &left = slope.chunk(c);
    const Chunk<1>& is_ball = ball.chunk(c);
    Chunk<3>& out = held.chunk(c);
#pragma GCC ivdep
    for (std::size_t l = 0; l < kLanes; ++l) {
      const auto free_part = [&](std::size_t k) PANTO_INLINE_LAMBDA {
        const double g = left.v[k][l], by = all.v[k][l];
        const double at_low = x.v[k][l] <= low.v[k][l] ? 1.0 : 0.0,
                     at_high = x.v[k][l] >= high.v[k][l] ? 1.0 : 0.0;
        const double down = g > 0.0 ? at_low : 0.0, up = g < 0.0 ? at_high : 0.0;
        const double at_any = at_low > at_high ? at_low : at_high, resting = g == 0.0 ? at_any : 0.0;
        const double holds = own.v[k][l] != 0.0 ? resting : down + up;
        out.v[k][l] = holds;
        count[l] += std::abs(by) > tolerance ? holds : 0.0;
        return holds != 0.0 ? 0.0 : std::abs(g);
      };
      const double a = free_part(0), b = free_part(1), d = free_part(2);
      const double of_two = a > b ? a : b, of_three = of_two > d ? of_two : d;
      const double norm = std::sqrt(a * a + b * b + d * d), mine = is_ball.v[0][l] != 0.0 ? norm : of_three;
      largest[l] = mine > largest[l] ? mine : largest[l];
    }
  }
  const double sum = sum_of(count);
  pressing = static_cast<int>(sum);
  return *std::max_element(std::begin(largest), std::end(largest));
}

}  // namespace

// Removes the rows' part from the slope of their joints. Returns the number of rows that press.
int PoseOptimizer::project_rows(const State& state) noexcept {
  const std::vector<int>& slot_of_dof = problem_.blocks().slot_of_dof;
  for (std::size_t dof = 0; dof < slot_of_dof.size(); ++dof)
    slope_of_dof_[static_cast<Eigen::Index>(dof)] = slope_[at(slot_of_dof[dof])];
  const int count = rows_.project(lower_, upper_, state.s, slope_of_dof_);
  for (std::size_t dof = 0; dof < slot_of_dof.size(); ++dof) {
    if (rows_.speaks_of(static_cast<int>(dof)))
      slope_[at(slot_of_dof[dof])] = slope_of_dof_[static_cast<Eigen::Index>(dof)];
  }
  return count;
}

// Computes the projected gradient at `state`, the pose of problem and potential: without what bounds and rows
// hold back. For a ball joint it is the torque.
void PoseOptimizer::measure(const Targets& targets, const State& state) noexcept {
  problem_.set_rows(targets, state);
  potential_.update_gradient();
  if (problem_.own().any()) {
    problem_.own().descend(false);
    problem_.own().load(problem_.tree);
    potential_.add_gradient(problem_.own());
  }
  slope_ = potential_.joints();
  active_ = rows_.empty() ? 0 : project_rows(state);
  int pressing = 0;
  const double of_joints =
      largest_slope(potential_.joints(), slope_, problem_.kinematics().position(), box_lower_, box_upper_,
                    spoken_of_, ball_, options_.tolerance, held_, pressing);
  active_ += pressing;
  gradient_ = std::max({potential_.base_linear().cwiseAbs().maxCoeff(),
                        potential_.base_angular().cwiseAbs().maxCoeff(), of_joints});
}

bool PoseOptimizer::read(const OwnTargets& own) noexcept {
  rows_.set_bounds(own.rows);
  return problem_.own().read(own);
}

// Returns the potential at `state`, the pose of the problem.
double PoseOptimizer::value_at(const State& state) noexcept {
  const double value = potential_.update(state);
  if (!problem_.own().any()) return value;
  problem_.own().place(problem_.kinematics(), state.p_WB);
  return value + problem_.own().potential();
}

// Returns the potential at `state`.
double PoseOptimizer::begin_at(const Targets& targets, const State& state) noexcept {
  problem_.set_pose(state);
  const double value = value_at(state);
  measure(targets, state);
  return value;
}

namespace {

// Bounds on a step from joints at `s`: the box, and at most `longest`.
PANTO_WIDE void bound_step(const LaneArray<3>& s, const LaneArray<3>& lower, const LaneArray<3>& upper,
                           const LaneArray<3>& longest, LaneArray<3>& down, LaneArray<3>& up) noexcept {
  const double *x = s.data(), *low = lower.data(), *high = upper.data(), *most = longest.data();
  double *d = down.data(), *u = up.data();
  const std::size_t n = s.flat_size();
#pragma GCC ivdep
  for (std::size_t i = 0; i < n; ++i) {
    const double below = low[i] - x[i], above = high[i] - x[i], way = most[i];
    d[i] = below > -way ? below : -way;
    u[i] = above < way ? above : way;
  }
}

// Clips values beyond the box by rounding, and puts held joints exactly on it.
PANTO_WIDE void stand_on_box(const LaneArray<3>& s, const LaneArray<3>& lower, const LaneArray<3>& upper,
                             const LaneArray<3>& down, const LaneArray<3>& up, const LaneArray<3>& side,
                             LaneArray<3>& moved) noexcept {
  const double *x = s.data(), *low = lower.data(), *high = upper.data(), *d = down.data(), *u = up.data();
  const double* held = side.data();
  double* m = moved.data();
  const std::size_t n = s.flat_size();
#pragma GCC ivdep
  for (std::size_t i = 0; i < n; ++i) {
    const double bottom = low[i], top = high[i], end = m[i];
    const double above = end > bottom ? end : bottom, inside = above < top ? above : top;
    const double sunk = d[i] == bottom - x[i] && held[i] < 0.0 ? bottom : inside;
    m[i] = u[i] == top - x[i] && held[i] > 0.0 ? top : sunk;
  }
}

}  // namespace

// `trial_`: the pose after the step; the problem is there afterwards
bool PoseOptimizer::propose(double mu, bool far, const State& state) noexcept {
  TreeProblem& tree = problem_.tree;
  potential_.ask(tree, far);
  if (problem_.own().any()) problem_.own().descend(far);
  problem_.own().load(tree);
  const LaneArray<3>& s = problem_.kinematics().position();
  bound_step(s, box_lower_, box_upper_, longest_, tree.lower, tree.upper);
  rows_.step_bounds(state.s, tree.rows.lower, tree.rows.upper);
  if (mu > 0.0) problem_.add_damping(mu);
  if (tree_solver_.solve(tree, solution_) == TreeStatus::Failed) return false;
  solves_ += solution_.solves;
  monotone_ = monotone_ || solution_.monotone;
  const LaneArray<3>& held = tree_solver_.working_set();
  integrator_.advance(state, problem_, solution_, held, 1.0, trial_);
  moved_ = integrator_.moved();
  stand_on_box(s, box_lower_, box_upper_, tree.lower, tree.upper, held, moved_);
  problem_.blocks().scatter(moved_, trial_.s);
  if (rows_.empty()) {
    problem_.set_pose(trial_, moved_);
  } else {
    rows_.meet(lower_, upper_, trial_.s);
    problem_.set_pose(trial_);
  }
  return true;
}

// Newton's step on the joints that do not press against the box, along the rows that press; if the potential
// is not convex, with the shift that makes it so.
bool PoseOptimizer::propose_newton(const Targets& targets, const State& state, double& shift) noexcept {
  kinematics_.update(state);
  newton_.update(targets, kinematics_);
  for (int r = 0; r < rows_.size(); ++r) {
    if (rows_.presses(r)) newton_.hold(rows_.coefficients(r));
  }
  const Tree& tree = model_->tree();
  for (int i = 1; i < tree.size(); ++i) {
    const int dof = tree.dof[at(i)];
    const auto slot = at(problem_.blocks().slot_of_dof[at(dof)]);
    const bool ball = problem_.is_ball_slot(slot);
    held_dof_[at(dof)] = held_[slot] != 0.0 ? 1 : 0;
    slope_of_dof_[dof] =
        ball ? kinematics_.joint_axis()[at(i)].dot(to_eigen(vec3(slope_, LaneArray<3>::lane(slot))))
             : slope_[slot];
  }
  bool solved = false;
  for (int attempt = 0; attempt < kShifts && !solved; ++attempt) {
    solved =
        newton_.solve(potential_.base_linear(), potential_.base_angular(), slope_of_dof_, held_dof_, shift);
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
  problem_.set_pose(trial_);
  return true;
}

// A lower potential is better; if it is flat to rounding, a smaller gradient. Lengthened residuals are no
// gradient: they must lower the potential. `value`: the potential before; afterwards that of the better pose.
bool PoseOptimizer::trial_is_better(const Targets& targets, bool far, double& value) noexcept {
  const double trial_value = value_at(trial_), before = gradient_;
  const double rounding = kRounding * (value + std::sqrt(value));
  const bool lower = trial_value < value - (far ? kRecovery * value : rounding);
  if (!lower && (far || !(trial_value <= value + rounding))) return false;
  measure(targets, trial_);
  if (!lower && gradient_ >= before) return false;
  value = trial_value;
  return true;
}

PoseOutcome PoseOptimizer::minimise(const Targets& targets, const Eigen::VectorXd& lower,
                                    const Eigen::VectorXd& upper, State& state) noexcept {
  set_box(lower, upper);
  if (!read(targets.own)) return PoseOutcome::Failed;
  state.s = state.s.cwiseMax(lower).cwiseMin(upper);
  rows_.meet(lower, upper, state.s);
  tree_solver_.reset();
  iterations_ = solves_ = 0;
  monotone_ = false;
  if (!potential_.take(targets)) return PoseOutcome::Failed;
  double value = begin_at(targets, state);
  const bool exact_curvature = !problem_.own().any();  // Newton's matrix only includes measured targets
  for (Mode mode;;) {
    const bool far = mode.recovery.ready() && any_far();
    if (gradient_ <= options_.tolerance && !far) return PoseOutcome::Converged;
    if (iterations_ >= options_.max_iterations) return PoseOutcome::Cap;
    ++iterations_;
    mode.newton.pass();
    mode.recovery.pass();
    const double before = gradient_;
    const bool newton = exact_curvature && mode.slow && !far && mode.newton.ready() &&
                        propose_newton(targets, state, mode.shift);
    if (!newton && !propose(mode.mu, far, state)) return PoseOutcome::Failed;
    if (trial_is_better(targets, far, value)) {
      state.p_WB = trial_.p_WB;
      state.R_WB = trial_.R_WB;
      state.s = trial_.s;
      mode.succeeded(newton, !far && gradient_ > kSlow * before);
      continue;
    }
    begin_at(targets, state);
    if (!mode.failed(newton, far)) return PoseOutcome::Stalled;
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
    newton.wait = left_much ? 1 : 0;  // the other step in between
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
