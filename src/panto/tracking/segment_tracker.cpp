#include "panto/tracking/segment_tracker.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "panto/base/finite_options.hpp"
#include "panto/ik/target_velocity.hpp"
#include "panto/math/lanes.hpp"
#include "panto/math/so3.hpp"

namespace panto {
namespace {

constexpr double kVersine170 = 1.98480775301220805937;  // 1 - cos(170 deg)
constexpr double kSlowest = 0.5;                        // [s] between samples that make one stream
constexpr double kLargestWeight = 1e9;                  // [1/m^2] as of own targets

TargetDefaults target_defaults(const DynamicalOptions& options) {
  return {options.orientation_weight, options.position_weight, options.orientation_gain,
          options.position_gain};
}

// The row of every position that own targets weigh.
std::vector<std::size_t> followed_rows(const OwnTargets& own, const std::vector<Target>& rows,
                                       const Model& model) {
  std::vector<std::size_t> found;
  for (const FollowedPosition& followed : own.followed) {
    const int link = model.link_index(followed.link);
    const auto row = std::find_if(rows.begin(), rows.end(),
                                  [&](const Target& r) { return r.link == link && r.position_weight > 0.0; });
    if (row == rows.end())
      throw ConfigError("own weight of link '" + followed.link +
                        "': it follows no position of the recording; use a position target");
    found.push_back(static_cast<std::size_t>(row - rows.begin()));
  }
  return found;
}

}  // namespace

SegmentTracker::SegmentTracker(const Model& model, const AttachmentMap& map, const DynamicalOptions& options,
                               const std::vector<std::string>& segments)
    : SegmentTracker(model, map, SolverKind::Dynamical, SolverOptions{options}, segments) {}

SegmentTracker::SegmentTracker(const Model& model, const AttachmentMap& map, SolverKind kind,
                               const SolverOptions& options, const std::vector<std::string>& segments,
                               const OwnTargetsOption& own)
    : model_(&model),
      options_(options.dynamical),
      attachments_(map, model, segments, target_defaults(options_)),
      declared_(own.targets),
      update_(own.update),
      followed_rows_(followed_rows(own.targets, attachments_.rows(), model)),
      solver_(make_solver(kind, model, attachments_.rows(), options, own.targets)),
      aligner_(model, attachments_.rows(), options_, own.targets),
      kinematics_(model),
      report_(solver_->last_report()),
      drifts_(kind == SolverKind::Dynamical && options_.integration == Integration::EulerBaumgarte),
      goal_(panto::rest_state(model)),
      speed_(JointLimits(model, options_.limits).speed()) {
  attachments_.set_lanes(solver_->row_of_lane());
  targets_ = attachments_.targets();
  targets_.own = own.targets;
  check_finite("options", {{"return_speed", options_.return_speed}, {"return_turn", options_.return_turn}});
  if (!(options_.return_speed > 0.0) || !(options_.return_turn > 0.0))
    throw ConfigError("options `return_speed` and `return_turn` must be > 0");
}

void SegmentTracker::reset() noexcept {
  started_ = returning_ = false;
  stuck_for_ = interval_ = 0.0;
}

void SegmentTracker::weigh(Targets& targets) const noexcept {
  if (targets.own.followed.size() != followed_rows_.size()) return;
  for (std::size_t k = 0; k < followed_rows_.size(); ++k) {
    const std::size_t row = followed_rows_[k];
    const double weight = targets.own.followed[k].weight;
    const bool valid = weight > 0.0 && weight <= kLargestWeight;
    targets.rows[row].position_weight = valid ? weight : attachments_.rows()[row].position_weight;
  }
}

// Sets the values of own targets for a sample.
StepStatus SegmentTracker::ask(const SegmentSample& sample, const State& state) noexcept {
  if (update_) update_(sample, state, targets_.own);
  if (!same_counts(targets_.own, declared_)) return StepStatus::SizeMismatch;
  weigh(targets_);
  return StepStatus::Solved;
}

StepStatus SegmentTracker::resume(const SegmentSample& sample, const State& state) noexcept {
  StepStatus status = attachments_.apply(sample, targets_);
  if (status == StepStatus::Solved) status = ask(sample, state);
  if (status != StepStatus::Solved) return status;
  solver_->prime(targets_);
  started_ = true;
  returning_ = false;
  stuck_for_ = 0.0;
  return status;
}

// Handles the first sample, or the first after a gap.
StepStatus SegmentTracker::begin(State& state, bool gap) noexcept {
  attachments_.complete(targets_);
  started_ = begun_ = true;
  stuck_for_ = 0.0;
  drifting_ = state.R_WB;
  drifting_at_ = targets_.t;
  if (options_.align) {
    if (!solver_->find_pose(targets_, state)) aligner_.align(targets_, state);
    solver_->set_velocities(targets_, state);
  } else {
    state.t = targets_.t;
    state.v_WB.setZero();
    state.w_WB.setZero();
    state.sdot.setZero();
  }
  solver_->prime(targets_);

  kinematics_.update(state);
  report_residuals(targets_, kinematics_, report_);
  aligner_.report(targets_.own, state, report_);
  report_.active_bounds = report_.solves = report_.fallback_level = report_.clamped = 0;
  report_.aligned = options_.align;
  report_.ambiguous = options_.align && aligner_.ambiguous();
  if (report_.ambiguous) ++ambiguous_starts_;
  report_.clock_gap = gap;
  return StepStatus::Solved;
}

namespace {

// Counts the values above a limit; NaN does not count.
PANTO_WIDE std::int64_t count_above(const double* x, std::size_t n, double limit) noexcept {
  std::int64_t count = 0;  // same width as double, so that the loop vectorises
  for (std::size_t i = 0; i < n; ++i) count += static_cast<std::int64_t>(x[i] > limit);
  return count;
}

}  // namespace

// A residual that stays near 180 degrees is not a solution.
StepStatus SegmentTracker::watch(StepStatus status, double dt) noexcept {
  if (!advanced(status)) return status;
  const std::vector<double>& versine = solver_->last_report().versine;
  stuck_for_ = count_above(versine.data(), versine.size(), kVersine170) > 0 ? stuck_for_ + dt : 0.0;
  return stuck_for_ > options_.stuck_after ? StepStatus::Stuck : status;
}

StepStatus SegmentTracker::step(const SegmentSample& sample, State& state) noexcept {
  const StepStatus applied = attachments_.apply(sample, targets_);
  if (applied != StepStatus::Solved) return applied;
  if (state.s.size() != model_->dof() || state.sdot.size() != model_->dof()) return StepStatus::SizeMismatch;
  if (const StepStatus asked = ask(sample, state); asked != StepStatus::Solved) return asked;
  const auto informs = [](const Target& row) { return row.has_orientation || row.has_position; };
  const bool informed = std::any_of(targets_.rows.begin(), targets_.rows.end(), informs);
  if (!informed && (!started_ || !targets_.own.has_targets())) return StepStatus::NoTarget;
  if (!started_) return begin(state, false);
  if (targets_.t <= state.t) return StepStatus::TimeNotAdvancing;
  const double dt = to_seconds(targets_.t - state.t);
  const bool gap = dt > options_.max_interval || sample.cut;
  const double usual = std::min(std::exchange(interval_, dt), kSlowest);  // a slow stream moves in long steps
  if (!informed && gap) return StepStatus::NoTarget;
  if (!returning_ && !(gap && options_.limited_return && options_.align)) return advance(dt, gap, state);

  if (!returning_) goal_ = state;
  const Eigen::Vector3d p_goal = goal_.p_WB;
  const Eigen::Matrix3d R_goal = goal_.R_WB;
  const StepStatus status = advance(dt, gap, goal_);
  if (!advanced(status)) return status;
  Carried carried;  // what the person itself moves, unless the goal was found anew
  if (returning_ && !gap) carried = {goal_.p_WB - p_goal, so3::log(goal_.R_WB * R_goal.transpose())};
  returning_ = true;
  approach(std::min(dt, std::max(options_.max_interval, usual)), carried, state);
  return status;
}

StepStatus SegmentTracker::advance(double dt, bool gap, State& state) noexcept {
  if (gap) return begin(state, true);
  const StepStatus status = drifts_ ? step_drifting(state) : solver_->step(targets_, state);
  if (advanced(status)) begun_ = false;
  return watch(status, dt);
}

// Moves joints on a straight line, which stays inside all limits and coupled rows because both ends do; and
// the base, besides as the person moves, on another.
void SegmentTracker::approach(double dt, const Carried& carried, State& state) noexcept {
  const Eigen::Matrix3d R_before = state.R_WB;
  const Eigen::Vector3d p_before = state.p_WB;
  state.p_WB += carried.way;
  state.R_WB = so3::exp(carried.turn) * state.R_WB;
  const Eigen::Vector3d way = goal_.p_WB - state.p_WB, turn = so3::log(goal_.R_WB * state.R_WB.transpose());
  const double base_steps =
      std::max(way.norm() / (options_.return_speed * dt), turn.norm() / (options_.return_turn * dt));
  double joint_steps = 0.0;
  for (Eigen::Index i = 0; i < state.s.size(); ++i)
    joint_steps =
        std::max(joint_steps, std::abs(goal_.s[i] - state.s[i]) / (speed_[static_cast<std::size_t>(i)] * dt));
  report_.returning = base_steps > 1.0 || joint_steps > 1.0;
  if (!report_.returning) {
    state = goal_;
    returning_ = false;
    return;
  }
  state.t = goal_.t;
  if (joint_steps > 1.0) {
    state.sdot = (goal_.s - state.s) / (joint_steps * dt);
    state.s += (goal_.s - state.s) / joint_steps;
  } else {
    state.s = goal_.s;
    state.sdot = goal_.sdot;
  }
  const double base_share = 1.0 / std::max(base_steps, 1.0);
  state.p_WB += base_share * way;
  state.R_WB = so3::project(so3::exp(base_share * turn) * state.R_WB);
  state.v_WB = (state.p_WB - p_before) / dt;
  state.w_WB = so3::log(state.R_WB * R_before.transpose()) / dt;

  kinematics_.update(state);
  const StepReport& own = begun_ ? report_ : solver_->last_report();
  report_.active_bounds = own.active_bounds;
  report_.solves = own.solves;
  report_.fallback_level = own.fallback_level;
  report_.clamped = own.clamped;
  report_.aligned = report_.clock_gap = report_.ambiguous = false;
  attachments_.complete(targets_);
  report_residuals(targets_, kinematics_, report_);
  aligner_.report(targets_.own, state, report_);
}

// Euler with Baumgarte lets the base attitude drift off SO(3) and back; the returned State is a rotation
// nevertheless.
StepStatus SegmentTracker::step_drifting(State& state) noexcept {
  const Eigen::Matrix3d R_WB = state.R_WB;
  if (drifting_at_ == state.t) state.R_WB = drifting_;
  const StepStatus status = solver_->step(targets_, state);
  drifting_ = state.R_WB;
  drifting_at_ = state.t;
  state.R_WB = advanced(status) ? so3::project(state.R_WB) : R_WB;
  return status;
}

}  // namespace panto
