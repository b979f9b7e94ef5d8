#include "panto/ik/alignment.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>

#include "panto/base/index.hpp"
#include "panto/ik/target_velocity.hpp"
#include "panto/math/euler.hpp"
#include "panto/math/vector_math.hpp"

namespace panto {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kOnTheWay = 1e-3;        // decrease of the cost that ends a step towards the targets
constexpr double kElsewhere = 1.3705e-3;  // 1 - cos(3 deg): a link further away makes another pose
constexpr double kNotTheSame = 1.5e-6;    // 1 - cos(0.1 deg)
constexpr double kNearTwin = 1.0;         // [rad] by which limits may separate a joint from its twin
constexpr double kPerpendicular = 0.1;    // cosine of nearly perpendicular axes
constexpr double kAboutAsGood = 0.05;     // [weight] a higher cost that is worth a warning
constexpr double kAsGoodTwin = 0.01;      // [weight] the same for the other branch of a triple
constexpr double kMuchBetter = 0.5;       // [weight] a lower cost: as of one link that is off by 60 deg
constexpr double kNearRest = 1e-4;  // [1/rad^2] among similar ends, prefers the one nearest to the rest pose
constexpr double kDrawn = 2.0;      // [rad] random starts are within this distance of the rest pose

LimitOptions reach_in_one_step() {
  LimitOptions options;
  options.law = LimitLaw::Exact;
  return options;
}

// the admissible angle (mod 2 pi) nearest to `wanted` on the circle; in case of a tie, the one nearest to
// `near`
double admissible_angle(double wanted, double lower, double upper, double near) noexcept {
  const double inside = euler::unwrap(wanted, std::clamp(near, lower, upper));
  for (const double turns : {0.0, 1.0, -1.0}) {
    const double candidate = inside + 2.0 * kPi * turns;
    if (candidate >= lower && candidate <= upper) return candidate;
  }
  const double to_lower = std::abs(euler::unwrap(wanted - lower, 0.0)),
               to_upper = std::abs(euler::unwrap(wanted - upper, 0.0));
  return to_lower < to_upper ? lower : upper;
}

Eigen::Matrix3d rotation(const Tree& tree, int body, double s) noexcept {
  return tree.R_PJ[at(body)] * so3::exp(s * tree.axis[at(body)]);
}

void stop(Time t, State& state) noexcept {
  state.t = t;
  state.v_WB.setZero();
  state.w_WB.setZero();
  state.sdot.setZero();
}

// The rest pose and random poses around it, from a generator of our own: the same everywhere.
std::vector<Eigen::VectorXd> drawn_starts(const Model& model, int count) {
  std::vector<Eigen::VectorXd> starts(at(count), model.rest());
  std::uint64_t word = 0x9e3779b97f4a7c15ULL;
  for (std::size_t k = 1; k < starts.size(); ++k) {
    for (int i = 0; i < model.dof(); ++i) {
      word = word * 6364136223846793005ULL + 1442695040888963407ULL;
      const double unit = static_cast<double>(word >> 11U) * 0x1p-53;
      const double wanted = model.rest()[i] + kDrawn * (2.0 * unit - 1.0);
      starts[k][i] = std::clamp(wanted, model.lower()[i], model.upper()[i]);
    }
  }
  return starts;
}

}  // namespace

Aligner::Aligner(const Model& model, const std::vector<Target>& rows, const DynamicalOptions& options,
                 const OwnTargets& own)
    : model_(&model),
      kinematics_(model),
      trial_kinematics_(model),
      led_kinematics_(model),
      problem_(model, rows, options.damping, free_balls(options), own),
      limits_(model, reach_in_one_step()),
      row_limits_(model, reach_in_one_step(), limits_.speed(), own.rows),
      projection_(row_limits_.positions()),
      no_row_left_out_(at(row_limits_.positions().size()), 0),
      reach_(model, problem_.blocks(), LimitOptions{}),
      integrator_(problem_, reach_, Integration::SO3),
      tree_solver_(problem_.tree),
      solution_(problem_.tree),
      angular_(rows.size(), Eigen::Vector3d::Zero()),
      linear_(angular_),
      R_(at(model.tree().size()), Eigen::Matrix3d::Identity()),
      lower_(Eigen::VectorXd::Zero(model.dof())),
      upper_(lower_),
      trial_(panto::rest_state(model)),
      steps_(options.align_steps),
      decrease_(options.align_decrease),
      path_(model, rows),
      begun_(trial_),
      best_(trial_),
      led_(trial_) {
  if (options.align_starts < 1)
    throw ConfigError("option 'align_starts' is " + std::to_string(options.align_starts) + ", must be >= 1");
  if (options.align_steps < 0)
    throw ConfigError("option 'align_steps' is " + std::to_string(options.align_steps) + ", must be >= 0");
  if (!(options.align_decrease > 0.0 && std::isfinite(options.align_decrease)))
    throw ConfigError("option 'align_decrease' must be > 0");
  if (options.align_starts > 1) starts_ = drawn_starts(model, options.align_starts);
  row_of_body_.assign(R_.size(), -1);
  double largest = 0.0;
  for (std::size_t j = 0; j < rows.size(); ++j) {
    largest = std::max({largest, rows[j].orientation_weight > 0.0 ? rows[j].orientation_gain : 0.0,
                        rows[j].position_weight > 0.0 ? rows[j].position_gain : 0.0});
    int& row = row_of_body_[at(model.frame(rows[j].link).body)];
    if (rows[j].orientation_weight > 0.0 && row < 0) row = static_cast<int>(j);
  }
  gain_scale_ = largest > 0.0 ? 1.0 / largest : 0.0;
  if (steps_ > 0 && !starts_.empty()) find_triples();
}

void Aligner::find_triples() {
  const Tree& tree = model_->tree();
  for (int last = 1; last < tree.size(); ++last) {
    const int middle = tree.parent[at(last)], first = middle > 0 ? tree.parent[at(middle)] : 0;
    if (first <= 0 || row_of_body_[at(last)] < 0) continue;
    if (row_of_body_[at(middle)] >= 0 || row_of_body_[at(first)] >= 0) continue;
    const auto turns = [&](int body) { return tree.type[at(body)] == JointType::Revolute; };
    if (!turns(first) || !turns(middle) || !turns(last)) continue;
    const Eigen::Matrix3d& R2 = tree.R_PJ[at(middle)];
    const Eigen::Vector3d e1 = tree.axis[at(first)], e2 = R2 * tree.axis[at(middle)],
                          e3 = R2 * tree.R_PJ[at(last)] * tree.axis[at(last)];
    if (std::abs(e1.dot(e2)) > kPerpendicular || std::abs(e2.dot(e3)) > kPerpendicular) continue;
    const double mu = atan2(e3.dot(e1), e3.dot(e1.cross(e2)));
    triples_.push_back({{tree.dof[at(first)], tree.dof[at(middle)], tree.dof[at(last)]}, kPi - 2.0 * mu});
  }
}

const Target* Aligner::row_of(const Targets& targets, int body) const noexcept {
  const int j = row_of_body_[at(body)];
  return j >= 0 && targets.rows[at(j)].has_orientation ? &targets.rows[at(j)] : nullptr;
}

void Aligner::align(const Targets& targets, State& state) noexcept {
  ambiguous_ = false;
  row_limits_.set_bounds(targets.own.rows);
  (void)problem_.own().read(targets.own);  // the counts were checked before
  if (steps_ > 0) {
    align_along(targets, state);
    if (!starts_.empty()) compare(targets, state);
  } else if (!starts_.empty()) {
    align_best(targets, state);
  } else {
    align_once(targets, state);
  }
}

void Aligner::report(const OwnTargets& own, const State& state, StepReport& report) noexcept {
  if (problem_.own().empty() || !problem_.own().read(own)) return;
  problem_.set_pose(state);
  problem_.own().place(problem_.kinematics(), state.p_WB);
  problem_.own().report(report.own_error);
}

double Aligner::potential(const Targets& targets, const State& state) noexcept {
  kinematics_.update(state);
  const double measured = cost(targets, kinematics_);
  if (problem_.own().empty() || !problem_.own().read(targets.own)) return measured;
  return measured + own_cost(state);
}

// Leads the pose from rest, whose own targets are met exactly, to the targets in steps that a continuous
// motion could take: of several minima, this finds the one of such a motion. On the way, `state` only
// provides the base.
void Aligner::align_along(const Targets& targets, State& state) noexcept {
  stop(targets.t, state);
  state.s = model_->rest();
  place_base(targets, state);
  meet_rows(state);
  place_base_position(targets, state);
  kinematics_.update(state);
  path_.set_ends(kinematics_, targets);
  for (int k = 1; k < steps_; ++k) {
    const Targets& here = path_.at_share(static_cast<double>(k) / steps_);
    polish(here, state, kMaxStepIterations, kOnTheWay);
  }
  polish(targets, state, kMaxIterations, decrease_);
}

// Keeps the pose reached from rest, unless one from `starts_` is much better: then the way has ended in a
// corner. Any other pose of similar or better cost is worth a warning.
void Aligner::compare(const Targets& targets, State& state) noexcept {
  led_ = state;
  led_kinematics_.update(led_);
  const double led = cost(targets, led_kinematics_);
  double least = kInfinity;
  for (const Eigen::VectorXd& start : starts_) {
    state.s = start;
    align_once(targets, state);
    if (!is_elsewhere(targets, kElsewhere)) continue;
    const double value = cost(targets, kinematics_);
    if (!(value < least)) continue;
    least = value;
    best_ = state;
  }
  ambiguous_ = least < led + kAboutAsGood || best_twin(targets, state) < led + kAsGoodTwin;
  state = least < led - kMuchBetter ? best_ : led_;
}

// Lowest cost of poses with triples on their other Euler branch, as far as limits allow, whose links are not
// exactly as in the pose that was reached. Such a pose may be near and yet start another motion. Twins
// without a limit have the same links.
double Aligner::best_twin(const Targets& targets, State& state) noexcept {
  double least = kInfinity;
  for (const Triple& triple : triples_) {
    state = led_;
    double off = 0.0;
    for (int k = 0; k < 3; ++k) {
      const int dof = triple.dof[at(k)];
      const double wanted = k == 1 ? triple.mirror - led_.s[dof] : led_.s[dof] + kPi;
      const double lower = model_->lower()[dof], upper = model_->upper()[dof];
      state.s[dof] = admissible_angle(wanted, lower, upper, model_->rest()[dof]);
      off = std::max(off, std::abs(euler::unwrap(wanted - state.s[dof], 0.0)));
    }
    if (off > kNearTwin) continue;
    meet_rows(state);
    polish(targets, state, kMaxIterations, decrease_);
    if (is_elsewhere(targets, kNotTheSame)) least = std::min(least, cost(targets, kinematics_));
  }
  return least;
}

// Whether a link with a target is elsewhere than in the pose reached from rest.
bool Aligner::is_elsewhere(const Targets& targets, double versine) const noexcept {
  return std::any_of(targets.rows.begin(), targets.rows.end(), [this, versine](const Target& row) {
    const double trace = kinematics_.R_WL(row.link).cwiseProduct(led_kinematics_.R_WL(row.link)).sum();
    return 0.5 * (3.0 - trace) > versine;
  });
}

// Takes the best of the poses reached from `starts_`.
void Aligner::align_best(const Targets& targets, State& state) noexcept {
  begun_ = state;
  double least = kInfinity;
  for (const Eigen::VectorXd& start : starts_) {
    state = begun_;
    state.s = start;
    align_once(targets, state);
    const double value = cost(targets, kinematics_) + kNearRest * (state.s - model_->rest()).squaredNorm();
    if (!(value < least)) continue;
    least = value;
    best_ = state;
  }
  state = best_;
}

void Aligner::align_once(const Targets& targets, State& state) noexcept {
  stop(targets.t, state);
  state.s = state.s.cwiseMax(model_->lower()).cwiseMin(model_->upper());
  place_base(targets, state);
  solve_groups(targets, state);
  meet_rows(state);
  place_base_position(targets, state);
  polish(targets, state, kMaxIterations, decrease_);
}

void Aligner::place_base(const Targets& targets, State& state) noexcept {
  state.R_WB = so3::polar_step(state.R_WB);
  if (model_->floating_base()) {
    // the base's own target; if missing, that of the nearest body with one, with the joints in between as
    // they are (limited ones at rest, so that limits do not decide the base's orientation)
    int body = 0;
    while (body < model_->tree().size() && row_of(targets, body) == nullptr) ++body;
    if (body < model_->tree().size()) {
      const Target* row = row_of(targets, body);
      trial_.R_WB.setIdentity();
      trial_.p_WB.setZero();
      for (int i = 0; i < model_->dof(); ++i) {
        const bool limited = model_->lower()[i] > -kInfinity || model_->upper()[i] < kInfinity;
        trial_.s[i] = limited ? model_->rest()[i] : state.s[i];
      }
      trial_kinematics_.update(trial_);
      state.R_WB = row->R_WF * trial_kinematics_.R_WL(row->link).transpose();
    }
  }
  R_[0] = state.R_WB;
}

// Solves every joint or triple whose own body has a target, given the bodies before it.
void Aligner::solve_groups(const Targets& targets, State& state) noexcept {
  const Tree& tree = model_->tree();
  for (std::size_t g = 0; g < tree.groups.size(); ++g) {
    const JointGroup& group = tree.groups[g];
    int first = 0;
    for (int k = 0; k < group.count; ++k) {
      // joints up to the next body with a target rotate together
      const int body = group.body[at(k)];
      const Target* row = row_of(targets, body);
      if (row == nullptr) continue;
      const Eigen::Matrix3d R_WB = row->R_WF * model_->frame(row->link).R_BL.transpose();
      const int parent = tree.parent[at(group.body[at(first)])];
      // own targets have fixed the bodies between the group's start and `first`
      const Eigen::Matrix3d R_PC = R_[at(parent)].transpose() * R_WB;
      if (first == 0 && k == 2 && group.spherical) {
        solve_triple(group, R_PC, state);
      } else {
        std::array<double, 3> s{};
        for (int m = first; m <= k; ++m) s[at(m - first)] = state.s[tree.dof[at(group.body[at(m)])]];
        (void)ascend(&group.body[at(first)], k - first + 1, R_PC, s.data());
        for (int m = first; m <= k; ++m) state.s[tree.dof[at(group.body[at(m)])]] = s[at(m - first)];
      }
      for (int m = first; m <= k; ++m) {
        const int b = group.body[at(m)];
        R_[at(b)] = R_[at(tree.parent[at(b)])] * rotation(tree, b, state.s[tree.dof[at(b)]]);
      }
      first = k + 1;
    }
    for (int m = first; m < group.count; ++m) {
      const int b = group.body[at(m)];
      const double s = tree.type[at(b)] == JointType::Revolute ? state.s[tree.dof[at(b)]] : 0.0;
      R_[at(b)] = R_[at(tree.parent[at(b)])] * rotation(tree, b, s);
    }
  }
}

// Closed form on the branch nearest to the state. If limits forbid it, the best of both branches and the rest
// pose, each clamped and improved joint by joint; that choice does not depend on the state.
void Aligner::solve_triple(const JointGroup& group, const Eigen::Matrix3d& R_PC, State& state) noexcept {
  const Tree& tree = model_->tree();
  std::array<int, 3> dof{};
  Eigen::Vector3d near, rest, lower, upper;
  for (int k = 0; k < 3; ++k) {
    dof[at(k)] = tree.dof[at(group.body[at(k)])];
    near[k] = state.s[dof[at(k)]];
    rest[k] = model_->rest()[dof[at(k)]];
    lower[k] = model_->lower()[dof[at(k)]];
    upper[k] = model_->upper()[dof[at(k)]];
  }
  const Eigen::Vector3d mu{0.0, group.mu, 0.0};
  const bool unlimited = lower.maxCoeff() == -kInfinity && upper.minCoeff() == kInfinity;
  Eigen::Vector3d best =
      euler::nearest(group.A * R_PC * group.B, euler::XYZ, (unlimited ? near : rest) + mu) - mu;
  if (!unlimited && ((best - lower).minCoeff() < 0.0 || (upper - best).minCoeff() < 0.0)) {
    const Eigen::Vector3d other =
        euler::nearest_branch(Eigen::Vector3d(best[0] + kPi, kPi - (best[1] + group.mu), best[2] + kPi),
                              rest + Eigen::Vector3d(kPi, group.mu, kPi));
    double best_trace = -2.0;
    const Eigen::Vector3d first = best;
    for (const Eigen::Vector3d& start : {first, Eigen::Vector3d(other - mu), rest}) {
      Eigen::Vector3d s;
      for (int k = 0; k < 3; ++k) s[k] = admissible_angle(start[k], lower[k], upper[k], rest[k]);
      const double trace = ascend(group.body.data(), 3, R_PC, s.data());
      if (trace > best_trace + 1e-9) {
        best_trace = trace;
        best = s;
      }
    }
  }
  for (int k = 0; k < 3; ++k) state.s[dof[at(k)]] = best[k];
}

// Cyclic coordinate ascent of tr(R_PC' R(s)) inside the limits: each joint's optimum has a closed form.
// Returns the trace.
double Aligner::ascend(const int* bodies, int count, const Eigen::Matrix3d& R_PC, double* s) const noexcept {
  const Tree& tree = model_->tree();
  double trace = -1.0;
  const int sweeps = count == 1 ? 1 : 40;
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    const double before = trace;
    for (int k = 0; k < count; ++k) {
      const int body = bodies[k];
      if (tree.type[at(body)] != JointType::Revolute) continue;
      Eigen::Matrix3d L = Eigen::Matrix3d::Identity(), M = Eigen::Matrix3d::Identity();
      for (int m = 0; m < k; ++m) L = L * rotation(tree, bodies[m], s[m]);
      L = L * tree.R_PJ[at(body)];
      for (int m = k + 1; m < count; ++m) M = M * rotation(tree, bodies[m], s[m]);
      // tr(Q Rot(a, s)) = a'Qa + cos s (tr Q - a'Qa) - 2 sin s a.vee_skew(Q)
      const Eigen::Matrix3d Q = M * R_PC.transpose() * L;
      const Eigen::Vector3d& a = tree.axis[at(body)];
      const double along = a.dot(Q * a), c = Q.trace() - along, d = -2.0 * a.dot(so3::vee_skew(Q));
      const int dof = tree.dof[at(body)];
      s[k] = admissible_angle(atan2(d, c), model_->lower()[dof], model_->upper()[dof], s[k]);
      const SinCos sc = panto::sincos(s[k]);
      trace = along + sc.cos * c + sc.sin * d;
    }
    if (trace - before < 1e-14) break;
  }
  return trace;
}

// Moves the joints, found without coupled rows, to the nearest ones that meet rows and limits. If the rows
// contradict the limits, the joints stay.
void Aligner::meet_rows(State& state) noexcept {
  if (row_limits_.empty()) return;
  (void)projection_.project(row_limits_.positions(), model_->lower().data(), model_->upper().data(),
                            no_row_left_out_, state.s.data());
}

void Aligner::place_base_position(const Targets& targets, State& state) noexcept {
  if (!model_->floating_base()) return;
  kinematics_.update(state);
  // a position target on the base decides; else the mean of all others
  Eigen::Vector3d sum = Eigen::Vector3d::Zero();
  double weight = 0.0;
  for (const Target& row : targets.rows) {
    if (!row.has_position || !(row.position_weight > 0.0)) continue;
    const bool base = model_->frame(row.link).body == 0;
    const double w = row.position_weight * (base ? 1e6 : 1.0);
    sum += w * (row.p_WF - kinematics_.p_WL(row.link));
    weight += w;
  }
  if (weight > 0.0) state.p_WB += sum / weight;
}

double Aligner::cost(const Targets& targets, const Kinematics& kinematics) const noexcept {
  double sum = 0.0;
  for (const Target& row : targets.rows) {
    if (row.has_orientation && row.orientation_weight > 0.0) {
      const double versine = 0.5 * (3.0 - row.R_WF.cwiseProduct(kinematics.R_WL(row.link)).sum());
      sum += row.orientation_weight * row.orientation_gain * gain_scale_ * versine;
    }
    if (row.has_position && row.position_weight > 0.0) {
      sum += 0.5 * row.position_weight * row.position_gain * gain_scale_ *
             (row.p_WF - kinematics.p_WL(row.link)).squaredNorm();
    }
  }
  return sum;
}

void Aligner::set_residuals(const Targets& targets) noexcept {
  for (std::size_t j = 0; j < targets.rows.size(); ++j) {
    const Target& row = targets.rows[j];
    if (row.has_orientation) {
      angular_[j] =
          row.orientation_gain * gain_scale_ * orientation_residual(row.R_WF, kinematics_.R_WL(row.link));
    }
    if (row.has_position)
      linear_[j] = row.position_gain * gain_scale_ * (row.p_WF - kinematics_.p_WL(row.link));
  }
  problem_.set_velocities(angular_, linear_, targets);
}

// Cost of own targets, with targets and problem placed at `state`.
double Aligner::own_cost(const State& state) noexcept {
  if (!problem_.own().any()) return 0.0;
  problem_.set_pose(state);
  problem_.own().place(problem_.kinematics(), state.p_WB);
  return problem_.own().potential(gain_scale_);
}

// Levenberg-Marquardt on the tree kernel: the step is a "velocity" over one unit of time, its bounds the
// distances to the limits.
void Aligner::polish(const Targets& targets, State& state, int iterations, double converged) noexcept {
  kinematics_.update(state);
  double value = cost(targets, kinematics_) + own_cost(state), mu = 0.0;
  tree_solver_.reset();
  for (int iteration = 0; iteration < iterations && value > 1e-20; ++iteration) {
    problem_.set_pose(state);
    problem_.set_rows(targets, state);
    set_residuals(targets);
    if (problem_.own().any()) {
      problem_.own().place(problem_.kinematics(), state.p_WB);
      problem_.own().descend(true, gain_scale_);
    }
    problem_.own().load(problem_.tree);
    limits_.velocity_bounds(state.s, 1.0, lower_, upper_);
    problem_.set_bounds(lower_, upper_);
    row_limits_.rate_bounds(state.s, 1.0, problem_.tree.rows.lower, problem_.tree.rows.upper);
    problem_.add_joint_damping(mu);
    problem_.clear_references();
    if (tree_solver_.solve(problem_.tree, solution_) == TreeStatus::Failed) return;
    integrator_.advance(state, problem_, solution_, tree_solver_.working_set(), 1.0, trial_);
    trial_kinematics_.update(trial_);
    const double trial_value = cost(targets, trial_kinematics_) + own_cost(trial_);
    if (!(trial_value < value)) {
      if (mu > 1e3) return;
      mu = std::max(4.0 * mu, 1e-4);
      continue;
    }
    const bool done = value - trial_value <= converged * value;
    value = trial_value;
    mu *= 0.25;
    if (mu < 1e-9) mu = 0.0;
    state.p_WB = trial_.p_WB;
    state.R_WB = trial_.R_WB;
    state.s = trial_.s;
    kinematics_.update(state);
    if (done) return;
  }
}

}  // namespace panto
