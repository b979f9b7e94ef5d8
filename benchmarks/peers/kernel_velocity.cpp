#include "benchmarks/peers/kernel_velocity.hpp"

#include <cmath>

#include "panto/base/index.hpp"

namespace panto {

KernelVelocity::KernelVelocity(const Model& model, const std::vector<Target>& rows,
                               const DynamicalOptions& options)
    : model_(&model),
      options_(options),
      kinematics_(model),
      problem_(model, rows, options.damping, false),
      limits_(model, options.limits),
      solver_(problem_.tree),
      solution_(solver_.make_solution()) {}

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
  kinematics_.update(state);
  problem_.set_rows(targets, kinematics_);
  problem_.set_geometry(kinematics_, state);
  const Tree& bodies = model_->tree();
  Eigen::VectorXd lambda(model_->dof());
  for (int body = 1; body < bodies.size(); ++body)
    lambda[bodies.dof[at(body)]] = problem_.tree.lambda[at(body)];
  return lambda;
}

Velocity KernelVelocity::solve(const Targets& before, const Targets& now, const State& state) {
  const StepData step = data(state, now.t);
  kinematics_.update(state);
  problem_.set_rows(now, kinematics_);
  problem_.set_geometry(kinematics_, state);
  std::vector<Eigen::Vector3d> angular(now.rows.size()), linear(now.rows.size());
  for (std::size_t j = 0; j < now.rows.size(); ++j) {
    const Target &from = before.rows[j], &to = now.rows[j];
    angular[j] =
        0.5 * (from.w_WF + to.w_WF) + step.gain * orientation_residual(from.R_WF, kinematics_.R_WL(to.link));
    linear[j] = 0.5 * (from.v_WF + to.v_WF) + step.gain * (from.p_WF - kinematics_.p_WL(to.link));
  }
  problem_.set_velocities(angular, linear, now);
  problem_.set_bounds(step.lower, step.upper);
  (void)solver_.solve(problem_.tree, solution_);

  Velocity velocity;
  const Tree& bodies = model_->tree();
  velocity.v_WB = solution_.v_origin[0];
  velocity.w_WB = solution_.omega[0];
  velocity.sdot = Eigen::VectorXd::Zero(model_->dof());
  for (int body = 1; body < bodies.size(); ++body)
    velocity.sdot[bodies.dof[at(body)]] = solution_.rate[at(body)];
  return velocity;
}

}  // namespace panto
