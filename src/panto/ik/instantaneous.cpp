#include "panto/ik/instantaneous.hpp"

#include <algorithm>

namespace panto {

InstantaneousSolver::InstantaneousSolver(const Model& model, const std::vector<Target>& rows,
                                         const DynamicalOptions& motion, const InstantaneousOptions& options,
                                         const OwnTargets& own)
    : model_(&model),
      options_(options),
      optimizer_(model, rows, options.optimizer, !options.limit_speed, own),
      velocities_(model, rows, motion, own),
      limits_(model, motion.limits),
      previous_(rows),
      lower_(model.lower()),
      upper_(model.upper()),
      next_(panto::rest_state(model)) {
  report_.versine.assign(rows.size(), 0.0);
  report_.origin_error = report_.versine;
  report_.own_error.assign(optimizer_.problem().own().size(), 0.0);
}

StepStatus InstantaneousSolver::step(const Targets& targets, State& state) noexcept {
  const StepStatus status = check_step(targets, previous_.size(), state, *model_);
  if (status != StepStatus::Solved && status != StepStatus::NoTarget) return status;
  if (!optimizer_.read(targets.own)) return StepStatus::SizeMismatch;
  if (status == StepStatus::NoTarget && !optimizer_.problem().own().any()) return status;
  const double dt = to_seconds(targets.t - state.t);

  // a joint outside its limits returns at once, or as fast as allowed
  lower_ = model_->lower();
  upper_ = model_->upper();
  if (options_.limit_speed) limits_.narrow(state.s, dt, lower_, upper_);
  next_ = state;
  next_.t = targets.t;
  const PoseOutcome outcome = optimizer_.minimise(targets, lower_, upper_, next_);
  if (outcome == PoseOutcome::Failed || !is_valid(next_, *model_) ||
      !velocities_.set(targets, previous_, state.t, dt, next_, &optimizer_.problem())) {
    report_.fallback_level = 4;
    return StepStatus::NumericalFailure;
  }
  report(targets, outcome);
  state = next_;
  prime(targets);
  return report_.active_bounds > 0 ? StepStatus::Saturated : StepStatus::Solved;
}

void InstantaneousSolver::report(const Targets& targets, PoseOutcome outcome) noexcept {
  optimizer_.report(targets, report_);
  report_.active_bounds = optimizer_.active();
  report_.solves = optimizer_.solves() + velocities_.solves();
  report_.fallback_level = outcome == PoseOutcome::Cap       ? 2
                           : outcome == PoseOutcome::Stalled ? 3
                           : optimizer_.monotone()           ? 1
                                                             : 0;
  report_.clamped = 0;
  report_.aligned = report_.clock_gap = false;
}

void InstantaneousSolver::set_velocities(const Targets& targets, State& state) noexcept {
  (void)velocities_.set(targets, state);
}

}  // namespace panto
