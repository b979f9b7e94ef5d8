#pragma once
// Random velocity problems on random trees, and the same problems written out densely: rows by walking from
// each body to the root, independent of the recursion that they are to check.

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "panto/ik/tree_solver.hpp"
#include "panto/math/so3.hpp"
#include "tests/support/random_model.hpp"

namespace panto::test {

struct RandomProblemOptions {
  bool bounded = true;
  bool sparse = false;  ///< few targets, narrow bounds: where block pivoting cycles
};

inline TreeProblem random_problem(Random& random, const RandomProblemOptions& options) {
  RandomModelOptions model_options;
  model_options.max_joints = 40;
  model_options.min_scale = 0.1;
  model_options.max_scale = 1.0;
  const Model model = random_model(random(), model_options);
  const Tree& bodies = model.tree();
  const int n = bodies.size();
  TreeProblem problem(bodies, n == 1 || chance(random, 0.9));
  const double targeted = options.sparse ? 0.2 : uniform(random, 0.4, 1.0);
  for (int i = 0; i < n; ++i) {
    const auto k = static_cast<std::size_t>(i);
    if (i > 0) {
      problem.angular[k] = random_direction(random);
      problem.linear[k] = random_vector(random, 1.0).cross(problem.angular[k]);
      if (bodies.type[k] == JointType::Prismatic) {
        problem.linear[k] = problem.angular[k];
        problem.angular[k].setZero();
      }
    }
    if (chance(random, targeted)) {
      problem.orientation_weight[k] = uniform(random, 0.5, 2.0);
      problem.orientation_rhs[k] = problem.orientation_weight[k] * random_vector(random, 5.0);
    }
    problem.lambda[k] = chance(random, 0.5) ? 1e-4 : 1e-6;
    if (options.sparse) problem.lambda[k] = 1e-3;
    problem.reference[k] = uniform(random, -1.0, 1.0);
    if (options.bounded) {
      const double width = options.sparse ? 0.3 : 3.0;
      const double a = uniform(random, -width, width), b = uniform(random, -width, width);
      problem.lower[k] = chance(random, 0.1) ? -kInfinity : std::min(a, b);
      problem.upper[k] = chance(random, 0.1) ? kInfinity : std::max(a, b);
      if (chance(random, 0.02) && std::isfinite(problem.lower[k])) problem.upper[k] = problem.lower[k];
    }
  }
  const int points = pick(random, 4);
  for (int j = 0; j < points; ++j) {
    PointRow row;
    row.body = pick(random, n);
    row.weight = 25.0;
    row.point = chance(random, 0.2) && row.body == 0 ? Eigen::Vector3d(Eigen::Vector3d::Zero())
                                                     : random_vector(random, 1.0);
    row.velocity = random_vector(random, 2.0);
    problem.points.push_back(row);
  }
  problem.base_linear_lambda = problem.base_angular_lambda = 1e-4;
  return problem;
}

/// minimise x'Hx/2 - f'x over x = (v_base, omega_base, rates by body 1..n-1); a fixed base has no first six.
struct DenseProblem {
  explicit DenseProblem(const TreeProblem& problem) {
    const auto n = static_cast<Eigen::Index>(problem.parent.size());
    first = problem.floating_base ? 6 : 0;
    const Eigen::Index size = first + n - 1;
    H.setZero(size, size);
    f.setZero(size);
    for (std::size_t i = 0; i < problem.parent.size(); ++i) {
      if (!(problem.orientation_weight[i] > 0.0)) continue;
      const Eigen::MatrixXd J = rows(problem, static_cast<int>(i), Eigen::Vector3d::Zero()).bottomRows(3);
      H += problem.orientation_weight[i] * J.transpose() * J;
      f += J.transpose() * problem.orientation_rhs[i];
    }
    for (const PointRow& point : problem.points) {
      const Eigen::MatrixXd J = rows(problem, point.body, point.point).topRows(3);
      H += point.weight * J.transpose() * J;
      f += point.weight * J.transpose() * point.velocity;
    }
    for (Eigen::Index i = 1; i < n; ++i) {
      const auto k = static_cast<std::size_t>(i);
      H(first + i - 1, first + i - 1) += problem.lambda[k];
      f[first + i - 1] += problem.lambda[k] * problem.reference[k];
    }
    if (first == 6) {
      H.diagonal().head<3>().array() += problem.base_linear_lambda;
      H.diagonal().segment<3>(3).array() += problem.base_angular_lambda;
    }
  }

  /// Velocity of a point fixed to a body (rows 0-2) and its angular velocity (rows 3-5) as a matrix.
  [[nodiscard]] Eigen::MatrixXd rows(const TreeProblem& problem, int body,
                                     const Eigen::Vector3d& point) const {
    Eigen::MatrixXd J =
        Eigen::MatrixXd::Zero(6, first + static_cast<Eigen::Index>(problem.parent.size()) - 1);
    if (first == 6) {
      J.block<3, 3>(0, 0).setIdentity();
      J.block<3, 3>(0, 3) = -so3::hat(point);
      J.block<3, 3>(3, 3).setIdentity();
    }
    for (int i = body; i > 0; i = problem.parent[static_cast<std::size_t>(i)]) {
      const auto k = static_cast<std::size_t>(i);
      J.block<3, 1>(0, first + i - 1) = problem.linear[k] + problem.angular[k].cross(point);
      J.block<3, 1>(3, first + i - 1) = problem.angular[k];
    }
    return J;
  }

  [[nodiscard]] Eigen::VectorXd unpack(const TreeProblem& problem, const TreeSolution& solution) const {
    Eigen::VectorXd x(H.rows());
    if (first == 6) x.head<6>() << solution.v_origin[0], solution.omega[0];
    for (std::size_t k = 1; k < problem.parent.size(); ++k)
      x[first + static_cast<Eigen::Index>(k) - 1] = solution.rate[k];
    return x;
  }

  [[nodiscard]] double cost(const Eigen::VectorXd& x) const { return 0.5 * x.dot(H * x) - f.dot(x); }

  /// Largest violation of stationarity, complementarity and feasibility, relative to the size of the
  /// gradient's terms.
  [[nodiscard]] double kkt_residual(const TreeProblem& problem, const Eigen::VectorXd& x) const {
    const Eigen::VectorXd gradient = H * x - f;
    const double scale = 1.0 + f.cwiseAbs().maxCoeff() + H.cwiseAbs().maxCoeff() * x.cwiseAbs().maxCoeff();
    double worst = 0.0;
    for (Eigen::Index i = 0; i < x.size(); ++i) {
      double violation = std::abs(gradient[i]);
      if (i >= first) {
        const auto k = static_cast<std::size_t>(i - first + 1);
        const double lower = problem.lower[k], upper = problem.upper[k];
        if (x[i] < lower || x[i] > upper) return kInfinity;
        if (x[i] == lower) violation = std::min(violation, std::max(0.0, -gradient[i]));
        if (x[i] == upper) violation = std::min(violation, std::max(0.0, gradient[i]));
      }
      worst = std::max(worst, violation / scale);
    }
    return worst;
  }

  Eigen::Index first = 0;
  Eigen::MatrixXd H;
  Eigen::VectorXd f;
};

}  // namespace panto::test
