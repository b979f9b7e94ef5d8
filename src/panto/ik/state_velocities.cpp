#include "panto/ik/state_velocities.hpp"

#include <algorithm>

#include "panto/base/index.hpp"
#include "panto/math/so3.hpp"

namespace panto {
namespace {

// a pose that was found pulls nothing to the rest pose
DampingOptions without_rest(DampingOptions damping) {
  damping.rest_rate = 0.0;
  return damping;
}

}  // namespace

StateVelocities::StateVelocities(const Model& model, const std::vector<Target>& rows,
                                 const DynamicalOptions& options)
    : model_(&model),
      source_(options.velocity),
      problem_(model, rows, without_rest(checked(options).damping), false),
      limits_(model, options.limits),
      tree_solver_(problem_.tree),
      solution_(tree_solver_.make_solution()),
      rates_{0, rows},
      angular_(rows.size(), Eigen::Vector3d::Zero()),
      linear_(angular_),
      lower_(Eigen::VectorXd::Zero(model.dof())),
      upper_(lower_),
      sdot_(lower_) {}

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
                          const Kinematics& kinematics, State& state) noexcept {
  for (std::size_t j = 0; j < targets.rows.size(); ++j)
    take_rates(j, targets.rows[j], previous.row(j, since), dt);
  return invert(kinematics, state);
}

bool StateVelocities::set(const Targets& targets, const Kinematics& kinematics, State& state) noexcept {
  for (std::size_t j = 0; j < targets.rows.size(); ++j) take_rates(j, targets.rows[j], nullptr, 1.0);
  return invert(kinematics, state);
}

bool StateVelocities::invert(const Kinematics& kinematics, State& state) noexcept {
  problem_.set_rows(rates_, kinematics);
  problem_.set_geometry(kinematics, state);
  problem_.set_velocities(angular_, linear_, rates_);
  for (int i = 0; i < model_->dof(); ++i) {
    const double speed = limits_.speed()[i];
    lower_[i] = state.s[i] <= model_->lower()[i] ? 0.0 : -speed;
    upper_[i] = state.s[i] >= model_->upper()[i] ? 0.0 : speed;
  }
  problem_.set_bounds(lower_, upper_);
  tree_solver_.reset();  // what went before leaves no trace
  if (tree_solver_.solve(problem_.tree, solution_) == TreeStatus::Failed) return false;
  const Tree& tree = model_->tree();
  for (int i = 1; i < tree.size(); ++i) {
    const int dof = tree.dof[at(i)];
    sdot_[dof] = std::clamp(solution_.rate[at(i)], lower_[dof], upper_[dof]);
  }
  if (!sdot_.allFinite() || !solution_.v_origin[0].allFinite() || !solution_.omega[0].allFinite())
    return false;
  state.v_WB = solution_.v_origin[0];
  state.w_WB = solution_.omega[0];
  state.sdot = sdot_;
  return true;
}

}  // namespace panto
