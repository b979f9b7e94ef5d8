#pragma once
// Random velocity problems on random trees, and the same problems written out densely: rows by walking from
// each body to the root, independent of the recursion that they are to check.

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "panto/math/so3.hpp"
#include "panto/tree_qp/solver.hpp"
#include "tests/support/random_model.hpp"

namespace panto::test {

struct RandomProblemOptions {
  bool bounded = true;
  bool sparse = false;   ///< few targets, narrow bounds: where block pivoting cycles
  bool awkward = false;  ///< 10 of 23 targets missing, lambda 1e-10 .. 1e-1, locked triples, duplicated axes
  double least_lambda = 1e-10;  ///< of the awkward ones
  int rows = 0;                 ///< at most so many coupled rows, with redundant ones among them
  int costs = 0;                ///< so many costs over joints of several bodies and the base
};

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

/// Rates by slot inside the problem's bounds, some of them at one.
inline std::vector<double> random_admissible_rates(Random& random, const TreeProblem& problem) {
  std::vector<double> rates(problem.lower.flat_size(), 0.0);
  for (const std::size_t k : joint_slots(problem)) {
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
  const std::vector<std::size_t> slots = joint_slots(problem);
  const int joints = static_cast<int>(slots.size());
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
        const int i = chance(random, 0.7) ? (first + k) % joints : pick(random, joints);
        terms.push_back({static_cast<int>(slots[static_cast<std::size_t>(i)]),
                         (chance(random, 0.5) ? 1.0 : -1.0) * uniform(random, 0.2, 2.0)});
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

/// Appends costs over a few joints and the base, some of them without weight.
inline void add_random_costs(Random& random, int count, TreeProblem& problem) {
  const std::vector<std::size_t> slots = joint_slots(problem);
  for (int r = 0; r < count && !slots.empty(); ++r) {
    std::vector<int> chosen;
    for (const std::size_t k : slots) {
      if (chance(random, 0.3)) chosen.push_back(static_cast<int>(k));
    }
    problem.costs.add(chosen);
    const auto begin = static_cast<std::size_t>(problem.costs.begin[static_cast<std::size_t>(r)]);
    for (std::size_t k = begin; k < problem.costs.entry.size(); ++k)
      problem.costs.coefficient[k] = uniform(random, -2.0, 2.0);
    if (problem.floating_base && chance(random, 0.5)) {
      problem.costs.linear.back() = random_vector(random, 1.0);
      problem.costs.angular.back() = random_vector(random, 1.0);
    }
    problem.costs.weight.back() = chance(random, 0.2) ? 0.0 : uniform(random, 0.5, 50.0);
    problem.costs.wanted.back() = uniform(random, -2.0, 2.0);
    problem.costs.companion.back() = uniform(random, -2.0, 2.0);
  }
}

/// What makes a problem hard: little that determines the joints, axes twice, blocks that stand still.
inline void make_awkward(Random& random, double least_lambda, TreeProblem& problem) {
  for (const std::size_t k : joint_slots(problem))
    problem.lambda[k] = std::exp(uniform(random, std::log(least_lambda), std::log(0.1)));
  for (std::size_t b = 0; b < problem.base; ++b) {
    const auto parent = static_cast<std::size_t>(problem.parent[b]);
    Mat3 axes = mat3(problem.axes, b);
    const bool hinges = problem.slider[b] == 0 && dot(axes.x, axes.x) > 0.0;
    if (hinges && chance(random, 0.1)) {
      if (dot(axes.y, axes.y) > 0.0) {
        axes.y = axes.x;
      } else if (parent != problem.base && problem.slider[parent] == 0) {
        axes.x = mat3(problem.axes, parent).x;
        store(vec3(problem.centre, parent), problem.centre, b);
      }
      store(axes, problem.axes, b);
    }
    if (!chance(random, 0.1)) continue;
    for (int k = 0; k < 3; ++k) {
      if (problem.lambda(k, b) == 1.0) continue;  // no joint there
      const double held =
          std::isfinite(problem.lower(k, b)) ? problem.lower(k, b) : std::min(0.0, problem.upper(k, b));
      problem.lower(k, b) = problem.upper(k, b) = held;
    }
  }
}

/// A random tree of blocks with whatever axes: perpendicular or not, doubled, sliders among them.
inline TreeProblem random_problem(Random& random, const RandomProblemOptions& options) {
  RandomModelOptions model_options;
  model_options.max_joints = 40;
  model_options.min_scale = 0.1;
  model_options.max_scale = 1.0;
  const Model model = random_model(random(), model_options);
  const Blocks blocks(model);
  TreeProblem problem(blocks, blocks.count() == 0 || chance(random, 0.9));
  const double targeted = options.sparse ? 0.2 : options.awkward ? 13.0 / 23.0 : uniform(random, 0.4, 1.0);
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
  if (options.awkward) make_awkward(random, options.least_lambda, problem);
  if (options.rows > 0) {
    add_random_rows(random, 1 + pick(random, options.rows), random_admissible_rates(random, problem),
                    problem);
  }
  add_random_costs(random, options.costs, problem);
  return problem;
}

/// minimise x'Hx/2 - f'x over x = (v_base, omega_base, rates of `slots`); a fixed base has no first six.
template <class Scalar>
struct DenseProblemOf {
  using Matrix = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;
  using Vector = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;

  explicit DenseProblemOf(const TreeProblem& problem)
      : first(problem.floating_base ? 6 : 0), slots(joint_slots(problem)) {
    const Eigen::Index size = first + static_cast<Eigen::Index>(slots.size());
    H.setZero(size, size);
    f.setZero(size);
    for (std::size_t b = 0; b <= problem.base; ++b) {
      if (!(problem.weight(0, b) > 0.0)) continue;
      const Matrix J = rows(problem, static_cast<int>(b), Eigen::Vector3d::Zero()).bottomRows(3);
      H += Scalar(problem.weight(0, b)) * J.transpose() * J;
      f += J.transpose() * to_eigen(vec3(problem.rhs, b)).template cast<Scalar>();
    }
    for (const PointRow& point : problem.points) {
      if (!(point.weight > 0.0)) continue;
      const Matrix J = rows(problem, point.block, point.point).topRows(3);
      H += Scalar(point.weight) * J.transpose() * J;
      f += Scalar(point.weight) * J.transpose() * point.velocity.cast<Scalar>();
    }
    for (std::size_t i = 0; i < slots.size(); ++i) {
      const Eigen::Index k = first + static_cast<Eigen::Index>(i);
      H(k, k) += Scalar(problem.lambda[slots[i]]);
      f[k] += Scalar(problem.lambda[slots[i]]) * Scalar(problem.reference[slots[i]]);
    }
    if (first == 6) {
      H.diagonal().template head<3>().array() += Scalar(problem.base_linear_lambda);
      H.diagonal().template segment<3>(3).array() += Scalar(problem.base_angular_lambda);
    }
    add_costs(problem.costs);
    A.setZero(problem.rows.size(), size);
    for (int r = 0; r < problem.rows.size(); ++r) {
      const auto begin = static_cast<std::size_t>(problem.rows.begin[static_cast<std::size_t>(r)]),
                 end = static_cast<std::size_t>(problem.rows.begin[static_cast<std::size_t>(r) + 1]);
      for (std::size_t k = begin; k < end; ++k)
        A(r, column(static_cast<std::size_t>(problem.rows.entry[k]))) += Scalar(problem.rows.coefficient[k]);
    }
  }

  void add_costs(const CostRows& costs) {
    for (std::size_t r = 0; r < costs.weight.size(); ++r) {
      Vector a = Vector::Zero(H.rows());
      if (first == 6) {
        a.template head<3>() = costs.linear[r].template cast<Scalar>();
        a.template segment<3>(3) = costs.angular[r].template cast<Scalar>();
      }
      for (auto k = static_cast<std::size_t>(costs.begin[r]);
           k < static_cast<std::size_t>(costs.begin[r + 1]); ++k)
        a[column(static_cast<std::size_t>(costs.entry[k]))] += Scalar(costs.coefficient[k]);
      H += Scalar(costs.weight[r]) * a * a.transpose();
      f += Scalar(costs.weight[r]) * Scalar(costs.wanted[r]) * a;
    }
  }

  /// Where the rate of a slot stands in x.
  [[nodiscard]] Eigen::Index column(std::size_t slot) const {
    return first + (std::find(slots.begin(), slots.end(), slot) - slots.begin());
  }

  /// Velocity of a point fixed to a body (rows 0-2) and its angular velocity (rows 3-5) as a matrix.
  [[nodiscard]] Matrix rows(const TreeProblem& problem, int body, const Eigen::Vector3d& point) const {
    Matrix J = Matrix::Zero(6, H.rows());
    if (first == 6) {
      J.template block<3, 3>(0, 0).setIdentity();
      J.template block<3, 3>(0, 3) = -so3::hat(point).cast<Scalar>();
      J.template block<3, 3>(3, 3).setIdentity();
    }
    std::vector<char> on_path(problem.parent.size(), 0);
    for (auto b = static_cast<std::size_t>(body); b != problem.base;
         b = static_cast<std::size_t>(problem.parent[b]))
      on_path[b] = 1;
    for (std::size_t i = 0; i < slots.size(); ++i) {
      const std::size_t b = LaneArray<3>::lane(slots[i]);
      if (on_path[b] == 0) continue;
      const Eigen::Index k = first + static_cast<Eigen::Index>(i);
      const Eigen::Matrix3d axes = to_eigen(mat3(problem.axes, b));
      const Eigen::Matrix<Scalar, 3, 1> axis =
          axes.col(static_cast<Eigen::Index>(slots[i] / kLanes % 3)).template cast<Scalar>();
      const Eigen::Matrix<Scalar, 3, 1> from_centre =
          point.cast<Scalar>() - to_eigen(vec3(problem.centre, b)).template cast<Scalar>();
      if (problem.slider[b] != 0) {
        J.template block<3, 1>(0, k) = axis;
      } else {
        J.template block<3, 1>(0, k) = axis.cross(from_centre);
        J.template block<3, 1>(3, k) = axis;
      }
    }
    return J;
  }

  [[nodiscard]] Vector unpack(const TreeProblem& problem, const TreeSolution& solution) const {
    Vector x(H.rows());
    if (first == 6) {
      x.template head<3>() = to_eigen(vec3(solution.v, problem.base)).template cast<Scalar>();
      x.template segment<3>(3) = to_eigen(vec3(solution.omega, problem.base)).template cast<Scalar>();
    }
    for (std::size_t i = 0; i < slots.size(); ++i)
      x[first + static_cast<Eigen::Index>(i)] = Scalar(solution.rate[slots[i]]);
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
    if (f.size() == 0) return 0.0;  // a fixed base without joints
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
        const std::size_t k = slots[static_cast<std::size_t>(i - first)];
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
  std::vector<std::size_t> slots;
  Matrix H, A;
  Vector f;
};

using DenseProblem = DenseProblemOf<double>;

/// Random wanted velocities as the problem's second question.
inline void ask_companion(Random& random, TreeProblem& problem) {
  for (std::size_t b = 0; b <= problem.base; ++b)
    store(problem.weight(0, b) * to_vec3(random_vector(random, 5.0)), problem.companion, b);
  for (PointRow& point : problem.points) point.companion = random_vector(random, 5.0);
}

/// The second question becomes the first, and the other way round.
inline void swap_companion(TreeProblem& problem) {
  std::swap(problem.rhs, problem.companion);
  problem.reference.fill(0.0);
  for (PointRow& point : problem.points) std::swap(point.velocity, point.companion);
  std::swap(problem.costs.wanted, problem.costs.companion);
}

}  // namespace panto::test
