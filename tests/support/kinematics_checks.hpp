#pragma once
// Forward kinematics against finite differences, for random trees and for models from files.

#include <algorithm>

#include "panto/math/so3.hpp"
#include "panto/model/kinematics.hpp"

namespace panto::test {

/// Extent of the posed model [m], at least 1: what errors of positions are relative to.
inline double model_size(const Kinematics& kinematics) {
  double size = 1.0;
  for (const Eigen::Vector3d& p : kinematics.body_position()) size = std::max(size, p.norm());
  return size;
}

/// `state` moved by `step` along `nu` = (v_WB, w_WB, sdot), base rotation on the left (world axes).
inline State moved(const State& state, const Eigen::VectorXd& nu, double step) {
  State result = state;
  result.p_WB += step * nu.head<3>();
  result.R_WB = so3::exp(step * nu.segment<3>(3)) * state.R_WB;
  result.s += step * nu.tail(nu.size() - 6);
  return result;
}

/// Twist of a link (linear over `size`, then angular) along `nu` by central differences.
inline Eigen::Matrix<double, 6, 1> differenced_twist(const Kinematics& ahead, const Kinematics& behind,
                                                     int link, double step, double size) {
  Eigen::Matrix<double, 6, 1> twist;
  twist << (ahead.p_WL(link) - behind.p_WL(link)) / (2.0 * step * size),
      so3::log(ahead.R_WL(link) * behind.R_WL(link).transpose()) / (2.0 * step);
  return twist;
}

/// Largest difference between the Jacobians of all links and central differences of their poses (step 1e-6);
/// linear rows relative to the model's size. The base must float.
inline double jacobian_error(const Model& model, const State& state) {
  constexpr double step = 1e-6;
  Kinematics here(model), ahead(model), behind(model);
  here.update(state);
  const double size = model_size(here);
  std::vector<Eigen::MatrixXd> J(static_cast<std::size_t>(model.link_count()));
  for (int link = 0; link < model.link_count(); ++link)
    here.jacobian(link, J[static_cast<std::size_t>(link)]);
  double error = 0.0;
  for (int k = 0; k < model.nv(); ++k) {
    const Eigen::VectorXd direction = Eigen::VectorXd::Unit(model.nv(), k);
    ahead.update(moved(state, direction, step));
    behind.update(moved(state, direction, -step));
    for (int link = 0; link < model.link_count(); ++link) {
      Eigen::Matrix<double, 6, 1> column = J[static_cast<std::size_t>(link)].col(k);
      column.head<3>() /= size;
      const auto difference = column - differenced_twist(ahead, behind, link, step, size);
      error = std::max(error, difference.cwiseAbs().maxCoeff());
    }
  }
  return error;
}

/// Largest difference between link velocities and central differences of poses along nu.
inline double velocity_error(const Model& model, const State& state) {
  constexpr double step = 1e-6;
  Eigen::VectorXd nu(6 + model.dof());
  nu << state.v_WB, state.w_WB, state.sdot;
  Kinematics here(model), ahead(model), behind(model);
  here.update_with_velocities(state);
  ahead.update(moved(state, nu, step));
  behind.update(moved(state, nu, -step));
  const double size = model_size(here);
  double error = 0.0;
  for (int link = 0; link < model.link_count(); ++link) {
    Eigen::Matrix<double, 6, 1> twist;
    twist << here.v_WL(link) / size, here.w_WL(link);
    const auto difference = twist - differenced_twist(ahead, behind, link, step, size);
    error = std::max(error, difference.cwiseAbs().maxCoeff());
  }
  return error;
}

/// Largest difference between link velocities and J nu, relative to the model's size times its rates.
inline double jacobian_times_nu_error(const Model& model, const State& state) {
  Kinematics kinematics(model);
  kinematics.update_with_velocities(state);
  Eigen::VectorXd nu(model.nv());
  if (model.floating_base()) {
    nu << state.v_WB, state.w_WB, state.sdot;
  } else {
    nu = state.sdot;
  }
  const double size = model_size(kinematics) * std::max(1.0, nu.lpNorm<1>());
  Eigen::MatrixXd J;
  double error = 0.0;
  for (int link = 0; link < model.link_count(); ++link) {
    kinematics.jacobian(link, J);
    const Eigen::VectorXd twist = J * nu;
    error = std::max({error, (twist.head<3>() - kinematics.v_WL(link)).norm() / size,
                      (twist.tail<3>() - kinematics.w_WL(link)).norm() / size});
  }
  return error;
}

}  // namespace panto::test
