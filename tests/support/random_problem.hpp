#pragma once
// Random velocity problems on random trees, and the same problems written out densely: rows by walking from
// each body to the root, independent of the recursion that they are to check.

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "panto/ik/tree_solver.hpp"
#include "panto/math/so3.hpp"
#include "tests/support/random_model.hpp"

namespace panto::test {

struct RandomProblemOptions {
  bool bounded = true;
  bool sparse = false;  ///< few targets, narrow bounds: where block pivoting cycles
};

/// A random tree of blocks with whatever axes: perpendicular or not, doubled, sliders among them.
inline TreeProblem random_problem(Random& random, const RandomProblemOptions& options) {
  RandomModelOptions model_options;
  model_options.max_joints = 40;
  model_options.min_scale = 0.1;
  model_options.max_scale = 1.0;
  const Model model = random_model(random(), model_options);
  const Blocks blocks(model);
  TreeProblem problem(blocks, blocks.count() == 0 || chance(random, 0.9));
  const double targeted = options.sparse ? 0.2 : uniform(random, 0.4, 1.0);
  for (std::size_t b = 0; b <= problem.base; ++b) {
    if (chance(random, targeted)) {
      problem.weight(0, b) = uniform(random, 0.5, 2.0);
      store(problem.weight(0, b) * to_vec3(random_vector(random, 5.0)), problem.rhs, b);
    }
    if (b == problem.base) break;
    store(to_vec3(random_vector(random, 1.0)), problem.centre, b);
    Eigen::Matrix3d axes = Eigen::Matrix3d::Zero();
    const bool undamped = problem.weight(0, b) > 0.0 && chance(random, 0.3);
    for (int k = 0; k < 3; ++k) {
      if (blocks.dof_of_slot[LaneArray<3>::index(k, b)] < 0) continue;
      axes.col(k) = k > 0 && chance(random, 0.02) ? Eigen::Vector3d(axes.col(0)) : random_direction(random);
      problem.lambda(k, b) = options.sparse ? 1e-3 : chance(random, 0.5) ? 1e-4 : 1e-6;
      problem.reference(k, b) = uniform(random, -1.0, 1.0);
      if (!options.bounded) continue;
      const double width = options.sparse ? 0.3 : 3.0;
      const double x = uniform(random, -width, width), y = uniform(random, -width, width);
      problem.lower(k, b) = chance(random, 0.1) ? -kInfinity : std::min(x, y);
      problem.upper(k, b) = chance(random, 0.1) ? kInfinity : std::max(x, y);
      if (chance(random, 0.02) && std::isfinite(problem.lower(k, b)))
        problem.upper(k, b) = problem.lower(k, b);
    }
    store(to_mat3(axes), problem.axes, b);
    // a ball whose body says where to go may do without damping
    if (undamped && blocks.ball[b] != 0 && std::abs(axes.determinant()) > 0.3)
      store(Vec3{}, problem.lambda, b);
  }
  const int points = pick(random, 4);
  for (int j = 0; j < points; ++j) {
    PointRow row;
    row.block = pick(random, static_cast<int>(problem.base) + 1);
    row.weight = 25.0;
    const bool base = row.block == static_cast<int>(problem.base);
    row.point =
        chance(random, 0.2) && base ? Eigen::Vector3d(Eigen::Vector3d::Zero()) : random_vector(random, 1.0);
    row.velocity = random_vector(random, 2.0);
    problem.points.push_back(row);
  }
  problem.base_linear_lambda = problem.base_angular_lambda = 1e-4;
  return problem;
}

/// The places in memory order of a LaneArray<3> that hold a joint: those with an axis.
inline std::vector<std::size_t> joint_slots(const TreeProblem& problem) {
  std::vector<std::size_t> slots;
  for (std::size_t b = 0; b < problem.base; ++b) {
    const Mat3 axes = mat3(problem.axes, b);
    const std::array<Vec3, 3> axis{axes.x, axes.y, axes.z};
    for (int k = 0; k < 3; ++k) {
      const Vec3& a = axis[static_cast<std::size_t>(k)];
      if (dot(a, a) > 0.0) slots.push_back(LaneArray<3>::index(k, b));
    }
  }
  return slots;
}

/// minimise x'Hx/2 - f'x over x = (v_base, omega_base, rates of `slots`); a fixed base has no first six.
struct DenseProblem {
  explicit DenseProblem(const TreeProblem& problem)
      : first(problem.floating_base ? 6 : 0), slots(joint_slots(problem)) {
    const Eigen::Index size = first + static_cast<Eigen::Index>(slots.size());
    H.setZero(size, size);
    f.setZero(size);
    for (std::size_t b = 0; b <= problem.base; ++b) {
      const double weight = problem.weight(0, b);
      if (!(weight > 0.0)) continue;
      const Eigen::MatrixXd J = rows(problem, static_cast<int>(b), Eigen::Vector3d::Zero()).bottomRows(3);
      H += weight * J.transpose() * J;
      f += J.transpose() * to_eigen(vec3(problem.rhs, b));
    }
    for (const PointRow& point : problem.points) {
      if (!(point.weight > 0.0)) continue;
      const Eigen::MatrixXd J = rows(problem, point.block, point.point).topRows(3);
      H += point.weight * J.transpose() * J;
      f += point.weight * J.transpose() * point.velocity;
    }
    for (std::size_t i = 0; i < slots.size(); ++i) {
      const auto k = first + static_cast<Eigen::Index>(i);
      const double lambda = problem.lambda.data()[slots[i]];
      H(k, k) += lambda;
      f[k] += lambda * problem.reference.data()[slots[i]];
    }
    if (first == 6) {
      H.diagonal().head<3>().array() += problem.base_linear_lambda;
      H.diagonal().segment<3>(3).array() += problem.base_angular_lambda;
    }
  }

  /// Velocity of a point fixed to a body (rows 0-2) and its angular velocity (rows 3-5) as a matrix.
  [[nodiscard]] Eigen::MatrixXd rows(const TreeProblem& problem, int body,
                                     const Eigen::Vector3d& point) const {
    Eigen::MatrixXd J = Eigen::MatrixXd::Zero(6, H.rows());
    if (first == 6) {
      J.block<3, 3>(0, 0).setIdentity();
      J.block<3, 3>(0, 3) = -so3::hat(point);
      J.block<3, 3>(3, 3).setIdentity();
    }
    std::vector<char> on_path(problem.parent.size(), 0);
    for (auto b = static_cast<std::size_t>(body); b != problem.base;
         b = static_cast<std::size_t>(problem.parent[b]))
      on_path[b] = 1;
    for (std::size_t i = 0; i < slots.size(); ++i) {
      const std::size_t b = LaneArray<3>::lane(slots[i]);
      if (on_path[b] == 0) continue;
      const auto column = first + static_cast<Eigen::Index>(i);
      const Eigen::Matrix3d axes = to_eigen(mat3(problem.axes, b));
      const Eigen::Vector3d axis = axes.col(static_cast<Eigen::Index>(slots[i] / kLanes % 3));
      const Eigen::Vector3d centre = to_eigen(vec3(problem.centre, b));
      if (problem.slider[b] != 0) {
        J.block<3, 1>(0, column) = axis;
      } else {
        J.block<3, 1>(0, column) = axis.cross(point - centre);
        J.block<3, 1>(3, column) = axis;
      }
    }
    return J;
  }

  [[nodiscard]] Eigen::VectorXd unpack(const TreeProblem& problem, const TreeSolution& solution) const {
    Eigen::VectorXd x(H.rows());
    if (first == 6)
      x.head<6>() << to_eigen(vec3(solution.v, problem.base)), to_eigen(vec3(solution.omega, problem.base));
    for (std::size_t i = 0; i < slots.size(); ++i)
      x[first + static_cast<Eigen::Index>(i)] = solution.rate.data()[slots[i]];
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
        const std::size_t slot = slots[static_cast<std::size_t>(i - first)];
        const double lower = problem.lower.data()[slot], upper = problem.upper.data()[slot];
        if (x[i] < lower || x[i] > upper) return kInfinity;
        if (x[i] == lower) violation = std::min(violation, std::max(0.0, -gradient[i]));
        if (x[i] == upper) violation = std::min(violation, std::max(0.0, gradient[i]));
      }
      worst = std::max(worst, violation / scale);
    }
    return worst;
  }

  Eigen::Index first = 0;
  std::vector<std::size_t> slots;
  Eigen::MatrixXd H;
  Eigen::VectorXd f;
};

}  // namespace panto::test
