#include "benchmarks/peers/kernel_velocity.hpp"

#include <cmath>

#include "panto/base/error.hpp"
#include "panto/ik/target_velocity.hpp"

namespace panto {

KernelVelocity::KernelVelocity(const Model& model, const std::vector<Target>& rows,
                               const DynamicalOptions& options)
    : model_(&model),
      options_(options),
      kinematics_(model),
      problem_(model, rows, options.damping, false),
      limits_(model, options.limits),
      solver_(problem_.tree),
      solution_(problem_.tree) {}

StepData KernelVelocity::data(const State& state, Time now) const {
  StepData data;
  data.dt = to_seconds(now - state.t);
  data.gain = (1.0 - std::exp(-options_.orientation_gain * data.dt)) / data.dt;
  data.lower = data.upper = Eigen::VectorXd::Zero(model_->dof());
  limits_.velocity_bounds(state.s, data.dt, data.lower, data.upper);
  return data;
}

// The places that know how the kernel keeps its data: here and at the end of `solve`.
Eigen::VectorXd KernelVelocity::damping(const Targets& targets, const State& state) {
  problem_.set_pose(state);
  problem_.set_rows(targets, state);
  Eigen::VectorXd lambda(model_->dof());
  for (Eigen::Index i = 0; i < lambda.size(); ++i) lambda[i] = problem_.tree.lambda.data()[slot(i)];
  return lambda;
}

std::size_t KernelVelocity::slot(Eigen::Index dof) const {
  return static_cast<std::size_t>(problem_.blocks().slot_of_dof[static_cast<std::size_t>(dof)]);
}

Velocity KernelVelocity::solve(const Targets& before, const Targets& now, const State& state) {
  const StepData step = data(state, now.t);
  kinematics_.update(state);
  problem_.set_pose(state);
  problem_.set_rows(now, state);
  std::vector<Eigen::Vector3d> angular(now.rows.size()), linear(now.rows.size());
  for (std::size_t j = 0; j < now.rows.size(); ++j) {
    const Target &from = before.rows[j], &to = now.rows[j];
    angular[j] =
        0.5 * (from.w_WF + to.w_WF) + step.gain * orientation_residual(from.R_WF, kinematics_.R_WL(to.link));
    linear[j] = 0.5 * (from.v_WF + to.v_WF) + step.gain * (from.p_WF - kinematics_.p_WL(to.link));
  }
  problem_.set_velocities(angular, linear, now);
  problem_.set_bounds(step.lower, step.upper);
  if (solver_.solve(problem_.tree, solution_) == TreeStatus::Failed)
    throw Error("the kernel found no answer");

  Velocity velocity;
  velocity.v_WB = to_eigen(vec3(solution_.v, problem_.tree.base));
  velocity.w_WB = to_eigen(vec3(solution_.omega, problem_.tree.base));
  velocity.sdot = Eigen::VectorXd::Zero(model_->dof());
  for (Eigen::Index i = 0; i < velocity.sdot.size(); ++i) velocity.sdot[i] = solution_.rate.data()[slot(i)];
  return velocity;
}

}  // namespace panto
