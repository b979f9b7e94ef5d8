#include "panto/ik/pairwise.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>

#include "panto/base/index.hpp"
#include "panto/ik/module_laws.hpp"
#include "panto/math/euler.hpp"
#include "panto/math/so3.hpp"
#include "panto/math/vector_math.hpp"

namespace panto {
namespace {

constexpr double kPi = std::numbers::pi;

// The chain of a pair as a model of its own with a fixed first body.
Model chain_model(const Model& model, const std::vector<int>& bodies) {
  const Tree& tree = model.tree();
  ModelSpec spec;
  spec.name = model.name() + ": chain";
  spec.floating_base = false;
  spec.links = {{"0"}};
  spec.rest = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(bodies.size()));
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    const std::size_t i = at(bodies[k]);
    const int dof = tree.dof[i];
    Joint joint;
    joint.parent = std::to_string(k);
    joint.child = joint.name = std::to_string(k + 1);
    joint.type = tree.type[i];
    joint.R_PJ = tree.R_PJ[i];
    joint.p_PJ = tree.p_PJ[i];
    joint.axis = tree.axis[i];
    joint.lower = model.lower()[dof];
    joint.upper = model.upper()[dof];
    spec.rest[static_cast<Eigen::Index>(k)] = model.rest()[dof];
    spec.links.push_back({joint.child});
    spec.joints.push_back(joint);
  }
  return Model(spec);
}

// one orientation target on the last link
std::vector<Target> chain_rows(std::size_t links) {
  Target row;
  row.link = static_cast<int>(links);
  row.has_orientation = true;
  return {row};
}

int level_of(PoseOutcome outcome, bool monotone) noexcept {
  if (outcome == PoseOutcome::Converged) return monotone ? 1 : 0;
  return outcome == PoseOutcome::Cap ? 2 : outcome == PoseOutcome::Stalled ? 3 : 4;
}

}  // namespace

struct PairwiseSolver::ChainProblem {
  ChainProblem(const Model& whole, const std::vector<int>& bodies, const PoseOptimizerOptions& options)
      : model(chain_model(whole, bodies)),
        targets{0, chain_rows(bodies.size())},
        optimizer(model, targets.rows, options),
        state(panto::rest_state(model)) {}

  Model model;
  Targets targets;
  PoseOptimizer optimizer;
  State state;
};

PairwiseSolver::PairwiseSolver(const Model& model, const std::vector<Target>& rows,
                               const DynamicalOptions& motion, const PairwiseOptions& options)
    : model_(&model),
      R_(at(model.tree().size()), Eigen::Matrix3d::Identity()),
      kinematics_(model),
      velocities_(model, rows, motion),
      base_(model, rows),
      limits_(model, motion.limits),
      rows_(model),
      limit_speed_(options.limit_speed),
      lower_(model.lower()),
      upper_(model.upper()),
      previous_(rows),
      next_(panto::rest_state(model)) {
  report_.versine.assign(rows.size(), 0.0);
  report_.origin_error = report_.versine;
  make_pairs(options);
}

PairwiseSolver::~PairwiseSolver() = default;

int PairwiseSolver::closed_form_count() const noexcept {
  return static_cast<int>(
      std::count_if(pairs_.begin(), pairs_.end(), [](const Pair& pair) { return pair.chain == nullptr; }));
}

void PairwiseSolver::make_pairs(const PairwiseOptions& options) {
  const Tree& tree = model_->tree();
  // from the base outwards: a joint belongs to the first pair that can use it
  std::vector<unsigned char> taken(at(tree.size()), 0);
  taken[0] = 1;
  for (int body = 1; body < tree.size(); ++body) {
    if (base_.row_index(body) < 0) continue;
    Pair pair;
    pair.row = base_.row_index(body);
    for (pair.anchor = body; taken[at(pair.anchor)] == 0; pair.anchor = tree.parent[at(pair.anchor)]) {
      pair.bodies.push_back(pair.anchor);
    }
    std::reverse(pair.bodies.begin(), pair.bodies.end());
    for (const int b : pair.bodies) taken[at(b)] = 1;

    bool limited = false;
    for (const int b : pair.bodies) {
      const int dof = tree.dof[at(b)];
      limited = limited || model_->lower()[dof] > -kInfinity || model_->upper()[dof] < kInfinity;
    }
    const int g = tree.group[at(body)];
    const JointGroup& group = tree.groups[at(g)];
    if (group.spherical && pair.bodies.size() == 3 &&
        std::equal(pair.bodies.begin(), pair.bodies.end(), group.body.begin()))
      pair.group = g;
    if (pair.group < 0 || limited)
      pair.chain = std::make_unique<ChainProblem>(*model_, pair.bodies, options.optimizer);
    pairs_.push_back(std::move(pair));
  }
  for (int body = 1; body < tree.size(); ++body) {
    if (taken[at(body)] == 0 || tree.type[at(body)] == JointType::Prismatic)
      free_joints_.push_back(tree.dof[at(body)]);
  }
}

void PairwiseSolver::place_body(int body) noexcept {
  const Tree& tree = model_->tree();
  const std::size_t i = at(body);
  R_[i] = R_[at(tree.parent[i])] * tree.R_PJ[i];
  if (tree.type[i] == JointType::Revolute) R_[i] *= so3::exp(next_.s[tree.dof[i]] * tree.axis[i]);
}

// Finds the angles of a spherical triple: the Euler branch nearest to the current one if it is inside the
// limits, else the other one. Returns false if neither is.
bool PairwiseSolver::solve_triple(const JointGroup& group, const Eigen::Matrix3d& R_AC) noexcept {
  const Tree& tree = model_->tree();
  std::array<int, 3> dof{};
  for (int k = 0; k < 3; ++k) dof[at(k)] = tree.dof[at(group.body[at(k)])];
  const Eigen::Vector3d mu{0.0, group.mu, 0.0}, near{next_.s[dof[0]], next_.s[dof[1]], next_.s[dof[2]]};
  const Eigen::Matrix3d R = group.plain ? R_AC : Eigen::Matrix3d(group.A * R_AC * group.B);
  Eigen::Vector3d first = euler::nearest(R, euler::XYZ, near + mu);
  // near gimbal lock the first angle loses digits; the others compensate
  const Eigen::Matrix3d rest = so3::about_axis(0, -first[0]) * R;
  first[1] = euler::unwrap(atan2(rest(0, 2), rest(2, 2)), first[1]);
  first[2] = euler::unwrap(atan2(rest(1, 0), rest(1, 1)), first[2]);
  first -= mu;
  const Eigen::Vector3d other{first[0] + kPi, kPi - first[1] - 2.0 * group.mu, first[2] + kPi};
  for (const Eigen::Vector3d& wanted : {first, other}) {
    Eigen::Vector3d angles;
    double beyond = 0.0;
    for (int k = 0; k < 3; ++k) {
      angles[k] = wanted[k];
      beyond += turn_inside(angles[k], model_->lower()[dof[at(k)]], model_->upper()[dof[at(k)]], near[k]);
    }
    if (beyond > 0.0) continue;
    for (int k = 0; k < 3; ++k) next_.s[dof[at(k)]] = angles[k];
    return true;
  }
  return false;
}

// Gauss-Newton on the chain alone, from its current pose.
void PairwiseSolver::search(Pair& pair, const Eigen::Matrix3d& R_AC) noexcept {
  const Tree& tree = model_->tree();
  ChainProblem& chain = *pair.chain;
  for (std::size_t k = 0; k < pair.bodies.size(); ++k)
    chain.state.s[static_cast<Eigen::Index>(k)] = next_.s[tree.dof[at(pair.bodies[k])]];
  chain.targets.rows[0].R_WF = R_AC;
  const PoseOutcome outcome =
      chain.optimizer.minimise(chain.targets, chain.model.lower(), chain.model.upper(), chain.state);
  report_.solves += chain.optimizer.solves();
  report_.active_bounds += chain.optimizer.active();
  report_.fallback_level = std::max(report_.fallback_level, level_of(outcome, chain.optimizer.monotone()));
  for (std::size_t k = 0; k < pair.bodies.size(); ++k)
    next_.s[tree.dof[at(pair.bodies[k])]] = chain.state.s[static_cast<Eigen::Index>(k)];
}

void PairwiseSolver::solve(Pair& pair, const Eigen::Matrix3d& R_AC) noexcept {
  if (pair.group >= 0 && solve_triple(model_->tree().groups[at(pair.group)], R_AC)) return;
  if (pair.chain != nullptr) search(pair, R_AC);
}

void PairwiseSolver::place_pair(Pair& pair, const Targets& targets) noexcept {
  const int last = pair.bodies.back();
  const Target* row = base_.row_of(targets, last);
  Eigen::Matrix3d R_WC = Eigen::Matrix3d::Identity();
  if (row != nullptr) {
    R_WC = row->R_WF * model_->frame(row->link).R_BL.transpose();
    solve(pair, R_[at(pair.anchor)].transpose() * R_WC);
  }
  // nothing hangs on the middle body of a triple
  if (row == nullptr || pair.group < 0) {
    for (const int body : pair.bodies) place_body(body);
  }
  // the next pair hangs on the target, not on the pose reached
  if (row != nullptr) R_[at(last)] = R_WC;
}

// Applies what spans pairs: rows that couple joints, and the speed limits over an interval.
void PairwiseSolver::move_inside(const State& state, double dt) noexcept {
  lower_ = model_->lower();
  upper_ = model_->upper();
  if (limit_speed_) {
    limits_.narrow(state.s, dt, lower_, upper_);
    next_.s = next_.s.cwiseMax(lower_).cwiseMin(upper_);
  }
  rows_.meet(lower_, upper_, next_.s);
}

StepStatus PairwiseSolver::step(const Targets& targets, State& state) noexcept {
  if (const StepStatus status = check_step(targets, previous_.size(), state, *model_);
      status != StepStatus::Solved)
    return status;
  const double dt = to_seconds(targets.t - state.t);
  report_.active_bounds = report_.solves = report_.fallback_level = 0;
  next_ = state;
  next_.t = targets.t;
  next_.s = next_.s.cwiseMax(model_->lower()).cwiseMin(model_->upper());
  for (const int dof : free_joints_) next_.s[dof] = model_->rest()[dof];

  base_.orient(targets, kinematics_, next_);
  R_[0] = next_.R_WB;
  for (Pair& pair : pairs_) place_pair(pair, targets);
  move_inside(state, dt);
  const bool placed = base_.move(targets, next_);
  kinematics_.update(next_);
  if (!placed) base_.move_by_others(targets, kinematics_, next_);
  if (report_.fallback_level == 4 || !is_valid(next_, *model_) ||
      !velocities_.set(targets, previous_, state.t, dt, next_)) {
    report_.fallback_level = 4;
    return StepStatus::NumericalFailure;
  }
  report_residuals(targets, kinematics_, report_);
  report_.solves += velocities_.solves();
  report_.clamped = 0;
  report_.aligned = report_.clock_gap = false;
  state = next_;
  prime(targets);
  return report_.active_bounds > 0 ? StepStatus::Saturated : StepStatus::Solved;
}

void PairwiseSolver::set_velocities(const Targets& targets, State& state) noexcept {
  (void)velocities_.set(targets, state);
}

}  // namespace panto
