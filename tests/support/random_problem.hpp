#pragma once
// Random velocity problems on random trees, and the same problems written out densely: rows by walking from
// each body to the root, independent of the recursion that they are to check.

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "panto/ik/tree_solver.hpp"
#include "panto/math/so3.hpp"
#include "tests/support/random_model.hpp"

namespace panto::test {

struct RandomProblemOptions {
  bool bounded = true;
  bool sparse = false;   ///< few targets, narrow bounds: where block pivoting cycles
  bool awkward = false;  ///< 10 of 23 targets missing, lambda 1e-10 .. 1e-1, locked triples, duplicated axes
  double least_lambda = 1e-10;  ///< of the awkward ones
  int rows = 0;                 ///< at most so many coupled rows, with redundant ones among them
};

/// Rates inside the problem's bounds, some of them at one.
inline std::vector<double> random_admissible_rates(Random& random, const TreeProblem& problem) {
  std::vector<double> rates(problem.lower.size(), 0.0);
  for (std::size_t k = 1; k < rates.size(); ++k) {
    const double lower = std::max(problem.lower[k], std::min(-3.0, problem.upper[k] - 1.0)),
                 upper = std::min(problem.upper[k], std::max(3.0, lower + 1.0));
    rates[k] = std::min(std::max(uniform(random, lower, upper), lower), upper);
    if (chance(random, 0.2)) rates[k] = chance(random, 0.5) ? lower : upper;
  }
  return rates;
}

/// Appends coupled rows that `rates` meet: one- and two-sided ones, equalities, multiples and sums of earlier
/// rows.
inline void add_random_rows(Random& random, int count, const std::vector<double>& rates,
                            TreeProblem& problem) {
  using Terms = std::vector<std::pair<int, double>>;
  std::vector<Terms> all;
  const int joints = static_cast<int>(rates.size()) - 1;
  for (int j = 0; j < count && joints > 0; ++j) {
    Terms terms;
    const double kind = uniform(random, 0.0, 1.0);
    double factor = 1.0;
    if (kind < 0.15 && !all.empty()) {
      factor = uniform(random, 0.5, 2.0);
      for (const auto& [i, a] : all[static_cast<std::size_t>(pick(random, j))])
        terms.push_back({i, factor * a});
    } else if (kind < 0.25 && j > 1) {
      terms = all[0];
      terms.insert(terms.end(), all[1].begin(), all[1].end());
    } else {
      const int first = pick(random, joints);
      for (int k = 0; k < 1 + pick(random, 4); ++k) {
        const int i = chance(random, 0.7) ? 1 + (first + k) % joints : 1 + pick(random, joints);
        terms.push_back({i, (chance(random, 0.5) ? 1.0 : -1.0) * uniform(random, 0.2, 2.0)});
      }
    }
    all.push_back(terms);
    problem.rows.add(terms, 0.0, 0.0);
    const double value = problem.rows.value(j, rates.data());
    const bool equality = chance(random, 0.25), tight = chance(random, 0.2);
    const double room = equality || tight ? 0.0 : uniform(random, 0.0, 0.5);
    problem.rows.lower.back() = equality              ? value
                                : chance(random, 0.4) ? -kInfinity
                                                      : value - uniform(random, 0.0, 1.0);
    problem.rows.upper.back() = value + room;
  }
}

/// What makes a problem hard: little that determines the joints, axes twice, triples that stand still.
inline void make_awkward(Random& random, double least_lambda, TreeProblem& problem) {
  for (std::size_t k = 1; k < problem.parent.size(); ++k) {
    problem.lambda[k] = std::exp(uniform(random, std::log(least_lambda), std::log(0.1)));
    const auto parent = static_cast<std::size_t>(problem.parent[k]);
    if (parent > 0 && chance(random, 0.1)) {
      problem.angular[k] = problem.angular[parent];
      problem.linear[k] = problem.linear[parent];
    }
    if (k + 2 < problem.parent.size() && chance(random, 0.03)) {
      for (std::size_t j = k; j < k + 3; ++j) {
        const double held =
            std::isfinite(problem.lower[j]) ? problem.lower[j] : std::min(0.0, problem.upper[j]);
        problem.lower[j] = problem.upper[j] = held;
      }
    }
  }
}

inline TreeProblem random_problem(Random& random, const RandomProblemOptions& options) {
  RandomModelOptions model_options;
  model_options.max_joints = 40;
  model_options.min_scale = 0.1;
  model_options.max_scale = 1.0;
  const Model model = random_model(random(), model_options);
  const Tree& bodies = model.tree();
  const int n = bodies.size();
  TreeProblem problem(bodies, n == 1 || chance(random, 0.9));
  const double targeted = options.sparse ? 0.2 : options.awkward ? 13.0 / 23.0 : uniform(random, 0.4, 1.0);
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
    if (options.bounded && i > 0) {
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
  if (options.awkward) make_awkward(random, options.least_lambda, problem);
  if (options.rows > 0) {
    add_random_rows(random, 1 + pick(random, options.rows), random_admissible_rates(random, problem),
                    problem);
  }
  return problem;
}

/// minimise x'Hx/2 - f'x over x = (v_base, omega_base, rates by body 1..n-1); a fixed base has no first six.
template <class Scalar>
struct DenseProblemOf {
  using Matrix = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;
  using Vector = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;

  explicit DenseProblemOf(const TreeProblem& problem) {
    const auto n = static_cast<Eigen::Index>(problem.parent.size());
    first = problem.floating_base ? 6 : 0;
    const Eigen::Index size = first + n - 1;
    H.setZero(size, size);
    f.setZero(size);
    for (std::size_t i = 0; i < problem.parent.size(); ++i) {
      if (!(problem.orientation_weight[i] > 0.0)) continue;
      const Matrix J = rows(problem, static_cast<int>(i), Eigen::Vector3d::Zero()).bottomRows(3);
      H += Scalar(problem.orientation_weight[i]) * J.transpose() * J;
      f += J.transpose() * problem.orientation_rhs[i].cast<Scalar>();
    }
    for (const PointRow& point : problem.points) {
      const Matrix J = rows(problem, point.body, point.point).topRows(3);
      H += Scalar(point.weight) * J.transpose() * J;
      f += Scalar(point.weight) * J.transpose() * point.velocity.cast<Scalar>();
    }
    for (Eigen::Index i = 1; i < n; ++i) {
      const auto k = static_cast<std::size_t>(i);
      H(first + i - 1, first + i - 1) += Scalar(problem.lambda[k]);
      f[first + i - 1] += Scalar(problem.lambda[k]) * Scalar(problem.reference[k]);
    }
    if (first == 6) {
      H.diagonal().template head<3>().array() += Scalar(problem.base_linear_lambda);
      H.diagonal().template segment<3>(3).array() += Scalar(problem.base_angular_lambda);
    }
    A.setZero(problem.rows.size(), size);
    for (int r = 0; r < problem.rows.size(); ++r) {
      const auto begin = static_cast<std::size_t>(problem.rows.begin[static_cast<std::size_t>(r)]),
                 end = static_cast<std::size_t>(problem.rows.begin[static_cast<std::size_t>(r) + 1]);
      for (std::size_t k = begin; k < end; ++k)
        A(r, first + problem.rows.entry[k] - 1) += Scalar(problem.rows.coefficient[k]);
    }
  }

  /// Velocity of a point fixed to a body (rows 0-2) and its angular velocity (rows 3-5) as a matrix.
  [[nodiscard]] Matrix rows(const TreeProblem& problem, int body, const Eigen::Vector3d& point) const {
    Matrix J = Matrix::Zero(6, first + static_cast<Eigen::Index>(problem.parent.size()) - 1);
    const Eigen::Matrix<Scalar, 3, 1> at_point = point.cast<Scalar>();
    if (first == 6) {
      J.template block<3, 3>(0, 0).setIdentity();
      J.template block<3, 3>(0, 3) = -so3::hat(point).cast<Scalar>();
      J.template block<3, 3>(3, 3).setIdentity();
    }
    for (int i = body; i > 0; i = problem.parent[static_cast<std::size_t>(i)]) {
      const auto k = static_cast<std::size_t>(i);
      const Eigen::Matrix<Scalar, 3, 1> angular = problem.angular[k].template cast<Scalar>();
      J.template block<3, 1>(0, first + i - 1) =
          problem.linear[k].template cast<Scalar>() + angular.cross(at_point);
      J.template block<3, 1>(3, first + i - 1) = angular;
    }
    return J;
  }

  [[nodiscard]] Vector unpack(const TreeProblem& problem, const TreeSolution& solution) const {
    Vector x(H.rows());
    if (first == 6) {
      x.template head<3>() = solution.v_origin[0].template cast<Scalar>();
      x.template segment<3>(3) = solution.omega[0].template cast<Scalar>();
    }
    for (std::size_t k = 1; k < problem.parent.size(); ++k)
      x[first + static_cast<Eigen::Index>(k) - 1] = Scalar(solution.rate[k]);
    return x;
  }

  [[nodiscard]] Scalar cost(const Vector& x) const { return Scalar(0.5) * x.dot(H * x) - f.dot(x); }

  /// Largest violation of stationarity, complementarity and feasibility, relative to the size of the
  /// gradient's terms (rows: to that of their own). `multiplier`: of the rows, of x'Hx/2 - f'x + multiplier A
  /// x.
  [[nodiscard]] double kkt_residual(const TreeProblem& problem, const Vector& x,
                                    const std::vector<double>& multiplier = {}) const {
    Vector gradient = H * x - f;
    double worst = 0.0;
    Scalar scale = 1 + f.cwiseAbs().maxCoeff() + H.cwiseAbs().maxCoeff() * x.cwiseAbs().maxCoeff();
    for (Eigen::Index r = 0; r < A.rows(); ++r) {
      const Scalar mu = Scalar(multiplier[static_cast<std::size_t>(r)]);
      gradient += mu * A.row(r).transpose();
      scale = std::max(scale, std::abs(mu) * A.row(r).cwiseAbs().maxCoeff());
    }
    for (Eigen::Index r = 0; r < A.rows(); ++r) {
      const auto k = static_cast<std::size_t>(r);
      const Scalar value = A.row(r).dot(x), size = 1 + A.row(r).cwiseAbs().dot(x.cwiseAbs());
      const Scalar above = value - Scalar(problem.rows.upper[k]),
                   below = Scalar(problem.rows.lower[k]) - value;
      worst = std::max(worst, static_cast<double>(std::max(above, below) / size));
      // a row that pushes stands at its bound
      const Scalar gap = multiplier[k] > 0.0   ? std::abs(above) / size
                         : multiplier[k] < 0.0 ? std::abs(below) / size
                                               : Scalar(0);
      const Scalar push = std::abs(Scalar(multiplier[k])) * A.row(r).cwiseAbs().maxCoeff() / scale;
      worst = std::max(worst, static_cast<double>(std::min(gap, push)));
    }
    for (Eigen::Index i = 0; i < x.size(); ++i) {
      Scalar violation = std::abs(gradient[i]);
      if (i >= first) {
        const auto k = static_cast<std::size_t>(i - first + 1);
        const Scalar lower = problem.lower[k], upper = problem.upper[k];
        if (x[i] < lower || x[i] > upper) return kInfinity;
        if (x[i] == lower) violation = std::min(violation, std::max(Scalar(0), -gradient[i]));
        if (x[i] == upper) violation = std::min(violation, std::max(Scalar(0), gradient[i]));
      }
      worst = std::max(worst, static_cast<double>(violation / scale));
    }
    return worst;
  }

  Eigen::Index first = 0;
  Matrix H, A;
  Vector f;
};

using DenseProblem = DenseProblemOf<double>;

}  // namespace panto::test
