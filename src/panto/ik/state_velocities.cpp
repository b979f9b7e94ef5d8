#include "panto/ik/state_velocities.hpp"

#include <algorithm>

#include "panto/base/index.hpp"
#include "panto/ik/velocity_problem.hpp"
#include "panto/math/four_lanes.hpp"
#include "panto/math/so3.hpp"

namespace panto {
namespace {

// a pose that was found has no pull to the rest pose
DampingOptions without_rest(DampingOptions damping) {
  damping.rest_rate = 0.0;
  return damping;
}

}  // namespace

StateVelocities::StateVelocities(const Model& model, const std::vector<Target>& rows,
                                 const DynamicalOptions& options, const OwnTargets& own)
    : model_(&model),
      source_(options.velocity),
      damping_(without_rest(checked(options).damping)),
      problem_(model, rows, damping_, free_balls(options), own),
      limits_(model, options.limits),
      rows_(model, own.rows),
      tree_solver_(problem_.tree),
      solution_(problem_.tree),
      rates_{0, rows},
      angular_(rows.size(), Eigen::Vector3d::Zero()),
      linear_(angular_),
      lower_(Eigen::VectorXd::Zero(model.dof())),
      upper_(lower_),
      sdot_(lower_),
      omega_before_(problem_.blocks().lanes()),
      ball_rate_(problem_.blocks().lanes()) {}

void StateVelocities::keep(const Targets& targets) noexcept {
  if (problem_.own().read(targets.own)) problem_.own().keep(targets.t);
}

void StateVelocities::read_own(const Targets& targets, double dt, bool from_before) noexcept {
  rows_.set_bounds(targets.own.rows);
  problem_.own().take_rates(dt, problem_.own().read(targets.own) && from_before);
}

void StateVelocities::take_rates(std::size_t j, const Target& now, const Target* before, double dt) noexcept {
  const bool measured = source_ == VelocitySource::Measured;
  Target& row = rates_.rows[j];
  row.has_orientation = row.has_position = false;
  if (now.has_orientation && now.has_angular_velocity && measured) {
    angular_[j] = now.w_WF;
    row.has_orientation = true;
  } else if (now.has_orientation && before != nullptr && before->has_orientation) {
    angular_[j] = so3::log(now.R_WF * before->R_WF.transpose()) / dt;
    row.has_orientation = true;
  }
  if (now.has_position && now.has_linear_velocity && measured) {
    linear_[j] = now.v_WF;
    row.has_position = true;
  } else if (now.has_position && before != nullptr && before->has_position) {
    linear_[j] = (now.p_WF - before->p_WF) / dt;
    row.has_position = true;
  }
}

bool StateVelocities::set(const Targets& targets, const PreviousTargets& previous, Time since, double dt,
                          State& state, const VelocityProblem* at_pose) noexcept {
  for (std::size_t j = 0; j < targets.rows.size(); ++j)
    take_rates(j, targets.rows[j], previous.row(j, since), dt);
  read_own(targets, dt, problem_.own().has_before(since));
  return invert(state, at_pose);
}

bool StateVelocities::set(const Targets& targets, State& state) noexcept {
  for (std::size_t j = 0; j < targets.rows.size(); ++j) take_rates(j, targets.rows[j], nullptr, 1.0);
  read_own(targets, 1.0, false);
  return invert(state, nullptr);
}

bool StateVelocities::invert(State& state, const VelocityProblem* at_pose) noexcept {
  if (at_pose != nullptr) {
    problem_.set_pose(*at_pose);
  } else {
    problem_.set_pose(state);
  }
  problem_.set_rows(rates_, state);
  problem_.set_velocities(angular_, linear_, rates_);
  problem_.own().place(problem_.kinematics(), state.p_WB);
  problem_.own().load(problem_.tree);
  for (int i = 0; i < model_->dof(); ++i) {
    const double speed = limits_.speed()[at(i)];
    lower_[i] = state.s[i] <= model_->lower()[i] ? 0.0 : -speed;
    upper_[i] = state.s[i] >= model_->upper()[i] ? 0.0 : speed;
  }
  problem_.set_bounds(lower_, upper_);
  rows_.rate_bounds(state.s, problem_.tree.rows.lower, problem_.tree.rows.upper);
  tree_solver_.reset();  // the result must not depend on previous calls
  if (tree_solver_.solve(problem_.tree, solution_) == TreeStatus::Failed) return false;
  const Blocks& blocks = problem_.blocks();
  take_lanes(blocks.lane_before, solution_.omega, omega_before_);
  triple_rates(problem_.kinematics(), solution_.omega, omega_before_, damping_, ball_rate_);
  for (int dof = 0; dof < model_->dof(); ++dof) {
    const auto slot = at(blocks.slot_of_dof[at(dof)]);
    const bool ball = problem_.is_ball_slot(slot);
    sdot_[dof] =
        ball ? ball_rate_.data()[slot] : std::clamp(solution_.rate.data()[slot], lower_[dof], upper_[dof]);
  }
  const Eigen::Vector3d v_WB = to_eigen(vec3(solution_.v, problem_.tree.base)),
                        w_WB = to_eigen(vec3(solution_.omega, problem_.tree.base));
  if (!sdot_.allFinite() || !v_WB.allFinite() || !w_WB.allFinite()) return false;
  state.v_WB = v_WB;
  state.w_WB = w_WB;
  state.sdot = sdot_;
  return true;
}

}  // namespace panto
