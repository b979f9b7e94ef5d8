// The elimination of a tree for a given working set, against the same problem written out densely.

#include "panto/ik/tree_solver.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <cmath>

#include "apps/support/allocation_count.hpp"
#include "tests/support/random_model.hpp"
#include "tests/support/random_problem.hpp"
#include "tests/support/test_data.hpp"

namespace panto {
namespace {

using test::chance;
using test::DenseProblem;
using test::Random;
using test::random_problem;
using test::uniform;

struct Held {
  std::vector<signed char> set;
  std::vector<double> rate;
};

// some joints at any rates
Held random_working_set(Random& random, const TreeProblem& problem) {
  Held held{std::vector<signed char>(problem.parent.size(), 0),
            std::vector<double>(problem.parent.size(), 0.0)};
  for (std::size_t i = 1; i < held.set.size(); ++i) {
    if (!chance(random, 0.4)) continue;
    held.set[i] = static_cast<signed char>(chance(random, 0.5) ? 1 : -1);
    held.rate[i] = uniform(random, -2.0, 2.0);
  }
  return held;
}

// H and f with the held joints' rows and columns replaced by their rates
struct Reduced {
  Eigen::MatrixXd H;
  Eigen::VectorXd f;
};
Reduced reduced(const DenseProblem& dense, const Held& held) {
  Reduced r{dense.H, dense.f};
  for (std::size_t i = 1; i < held.set.size(); ++i) {
    const Eigen::Index k = dense.first + static_cast<Eigen::Index>(i) - 1;
    if (held.set[i] != 0) r.f -= held.rate[i] * dense.H.col(k);
  }
  for (std::size_t i = 1; i < held.set.size(); ++i) {
    const Eigen::Index k = dense.first + static_cast<Eigen::Index>(i) - 1;
    if (held.set[i] == 0) continue;
    r.H.row(k).setZero();
    r.H.col(k).setZero();
    r.H(k, k) = 1.0;
    r.f[k] = held.rate[i];
  }
  return r;
}

TEST(TreeSolver, EqualsTheDenseSolutionWithJointsHeldAtAnyRate) {
  Random random(1);
  for (int i = 0; i < test::scaled(500); ++i) {
    const TreeProblem problem = random_problem(random, {.bounded = false});
    const Held held = random_working_set(random, problem);
    const DenseProblem dense(problem);
    TreeSolver solver(problem);
    TreeSolution solution = solver.make_solution();
    ASSERT_TRUE(solver.minimise(problem, held.set, held.rate, solution));
    const Reduced r = reduced(dense, held);
    const Eigen::VectorXd x = dense.unpack(problem, solution), expected = r.H.ldlt().solve(r.f);
    // conditioning is at worst 1e-6 against 1e4: ten digits are left
    EXPECT_LT((x - expected).norm(), 1e-7 * (1.0 + expected.norm())) << "problem " << i;
  }
}

TEST(TreeSolver, TellsTheMultiplierOfEveryHeldJoint) {
  Random random(2);
  for (int i = 0; i < test::scaled(500); ++i) {
    const TreeProblem problem = random_problem(random, {.bounded = false});
    const Held held = random_working_set(random, problem);
    const DenseProblem dense(problem);
    TreeSolver solver(problem);
    TreeSolution solution = solver.make_solution();
    ASSERT_TRUE(solver.minimise(problem, held.set, held.rate, solution));
    const Eigen::VectorXd gradient = dense.H * dense.unpack(problem, solution) - dense.f;
    const double scale = 1.0 + dense.f.cwiseAbs().maxCoeff() + dense.H.cwiseAbs().maxCoeff();
    for (std::size_t k = 1; k < held.set.size(); ++k) {
      const double expected = gradient[dense.first + static_cast<Eigen::Index>(k) - 1];
      if (held.set[k] == 0) {
        EXPECT_EQ(solution.rho[k], solution.rate[k]);
        continue;
      }
      EXPECT_NEAR(solver.curvature()[k] * (held.rate[k] - solution.rho[k]), expected, 1e-9 * scale);
    }
  }
}

TEST(TreeSolver, RespondsToAGradientAsTheDenseInverseDoes) {
  Random random(3);
  for (int i = 0; i < test::scaled(500); ++i) {
    const TreeProblem problem = random_problem(random, {.bounded = false});
    const Held held = random_working_set(random, problem);
    const DenseProblem dense(problem);
    TreeSolver solver(problem);
    TreeSolution solution = solver.make_solution(), response = solution;
    ASSERT_TRUE(solver.minimise(problem, held.set, held.rate, solution));
    std::vector<double> gradient(problem.parent.size(), 0.0);
    Eigen::VectorXd g = Eigen::VectorXd::Zero(dense.H.rows());
    for (int k = 0; k < 3 && gradient.size() > 1; ++k) {
      const int joint = 1 + test::pick(random, static_cast<int>(gradient.size()) - 1);
      gradient[static_cast<std::size_t>(joint)] = g[dense.first + joint - 1] = uniform(random, -1.0, 1.0);
    }
    solver.respond(problem, gradient, response);
    Eigen::VectorXd free = g;
    const Reduced r = reduced(dense, held);
    for (std::size_t k = 1; k < held.set.size(); ++k) {
      if (held.set[k] != 0) free[dense.first + static_cast<Eigen::Index>(k) - 1] = 0.0;
    }
    const Eigen::VectorXd expected = r.H.ldlt().solve(free), x = dense.unpack(problem, response);
    EXPECT_LT((x - expected).norm(), 1e-7 * (1.0 + expected.norm())) << "problem " << i;

    // and the held joints' multipliers move by what H and g say
    const Eigen::VectorXd change = dense.H * x - g;
    const double scale = 1.0 + dense.H.cwiseAbs().maxCoeff() * x.cwiseAbs().maxCoeff();
    for (std::size_t k = 1; k < held.set.size(); ++k) {
      if (held.set[k] == 0) continue;
      EXPECT_NEAR(-solver.curvature()[k] * response.rho[k],
                  change[dense.first + static_cast<Eigen::Index>(k) - 1], 1e-9 * scale);
    }
  }
}

TEST(TreeSolver, RespondsWhereBallsAbsorb) {
  // a ball between the base and a joint that the gradient acts on: the ball takes all of it
  ModelSpec spec;
  spec.links = {{"base"}, {"a"}, {"b"}, {"c"}, {"d"}};
  for (int k = 0; k < 4; ++k) {
    Joint joint;
    joint.name = "j" + std::to_string(k);
    joint.type = JointType::Revolute;
    joint.parent = spec.links[static_cast<std::size_t>(k)].name;
    joint.child = spec.links[static_cast<std::size_t>(k) + 1].name;
    joint.axis = Eigen::Vector3d::Unit(k % 3);
    spec.joints.push_back(joint);
  }
  const Model model{spec};
  TreeProblem problem(model.tree(), true);
  for (std::size_t k = 1; k < 5; ++k) problem.angular[k] = Eigen::Vector3d::Unit(static_cast<int>(k - 1) % 3);
  problem.orientation_weight = {1.0, 0.0, 0.0, 1.0, 1.0};
  problem.lambda[4] = 1e-3;
  problem.balls.push_back({1, 2, 3});
  for (auto& rhs : problem.orientation_rhs) rhs = Eigen::Vector3d(0.3, -0.2, 0.5);
  problem.base_linear_lambda = 1e-4;
  const DenseProblem dense(problem);
  TreeSolver solver(problem);
  TreeSolution solution = solver.make_solution(), response = solution;
  ASSERT_TRUE(
      solver.minimise(problem, std::vector<signed char>(5, 0), std::vector<double>(5, 0.0), solution));
  solver.respond(problem, {0.0, 0.0, 0.0, 0.0, 1.0}, response);
  Eigen::VectorXd g = Eigen::VectorXd::Zero(dense.H.rows());
  g[dense.first + 3] = 1.0;
  const Eigen::VectorXd expected = dense.H.ldlt().solve(g);
  EXPECT_LT((dense.unpack(problem, response) - expected).norm(), 1e-9);
  EXPECT_GT(expected.norm(), 0.5);
}

TEST(TreeSolver, ResolvesOtherRightHandSidesWithJointsHeld) {
  Random random(5);
  for (int i = 0; i < test::scaled(300); ++i) {
    TreeProblem problem = random_problem(random, {.bounded = false});
    Held held = random_working_set(random, problem);
    TreeSolver solver(problem);
    TreeSolution first = solver.make_solution(), second = first, fresh = first;
    ASSERT_TRUE(solver.minimise(problem, held.set, held.rate, first));
    for (std::size_t k = 0; k < problem.parent.size(); ++k) {
      problem.orientation_rhs[k] = problem.orientation_weight[k] * test::random_vector(random, 5.0);
      if (held.set[k] != 0) held.rate[k] = uniform(random, -2.0, 2.0);
    }
    for (PointRow& point : problem.points) point.velocity = test::random_vector(random, 5.0);
    solver.resolve(problem, held.rate, second);
    ASSERT_TRUE(solver.minimise(problem, held.set, held.rate, fresh));
    for (std::size_t k = 1; k < problem.parent.size(); ++k) {
      EXPECT_NEAR(second.rate[k], fresh.rate[k], 1e-9 * (1.0 + std::abs(fresh.rate[k])));
    }
  }
}

TEST(TreeSolver, AllocatesNothing) {
  if (!AllocationCount::available()) GTEST_SKIP() << "allocations cannot be counted in this build";
  Random random(7);
  for (int i = 0; i < 50; ++i) {
    const TreeProblem problem = random_problem(random, {.sparse = i % 2 == 0});
    const Held held = random_working_set(random, problem);
    TreeSolver solver(problem);
    TreeSolution solution = solver.make_solution();
    const AllocationCount count;
    const bool finite = solver.minimise(problem, held.set, held.rate, solution);
    solver.resolve(problem, held.rate, solution);
    solver.respond(problem, held.rate, solution);
    EXPECT_EQ(count.value(), 0);
    EXPECT_TRUE(finite);
  }
}

}  // namespace
}  // namespace panto
