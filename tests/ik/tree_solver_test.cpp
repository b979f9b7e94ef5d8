// The O(n) kernel against the same problem written out densely.

#include "panto/ik/active_set.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "apps/support/allocation_count.hpp"
#include "panto/math/so3.hpp"
#include "tests/support/random_model.hpp"
#include "tests/support/random_problem.hpp"
#include "tests/support/test_data.hpp"

namespace panto {
namespace {

using test::DenseProblem;
using test::Random;
using test::random_problem;

struct Solved {
  TreeStatus status;
  TreeSolution solution;
};

Solved solve_once(const TreeProblem& problem) {
  ActiveSetSolver solver(problem);
  TreeSolution solution = TreeSolution(problem);
  const TreeStatus status = solver.solve(problem, solution);
  return {status, solution};
}

TEST(TreeSolver, EqualsTheDenseSolutionWhereNoBoundIsActive) {
  Random random(1);
  for (int i = 0; i < test::scaled(500); ++i) {
    const TreeProblem problem = random_problem(random, {.bounded = false});
    const DenseProblem dense(problem);
    const Solved solved = solve_once(problem);
    ASSERT_EQ(solved.status, TreeStatus::Exact);
    const Eigen::VectorXd x = dense.unpack(problem, solved.solution);
    const Eigen::VectorXd expected = dense.H.ldlt().solve(dense.f);
    // conditioning is at worst 1e-6 against 1e4: ten digits are left
    EXPECT_LT((x - expected).norm(), 1e-7 * (1.0 + expected.norm())) << "problem " << i;
  }
}

TEST(TreeSolver, MeetsTheKktConditionsOnRandomProblemsWithActiveBounds) {
  Random random(2);
  int active = 0, monotone = 0, capped = 0;
  double worst = 0.0;
  for (int i = 0; i < test::scaled_numerical(10000); ++i) {
    const TreeProblem problem = random_problem(random, {.bounded = true});
    const DenseProblem dense(problem);
    const Solved solved = solve_once(problem);
    active += solved.solution.active;
    monotone += solved.solution.monotone ? 1 : 0;
    if (solved.status == TreeStatus::Feasible) {
      ++capped;
      continue;
    }
    ASSERT_EQ(solved.status, TreeStatus::Exact);
    const double residual = dense.kkt_residual(problem, dense.unpack(problem, solved.solution));
    worst = std::max(worst, residual);
    ASSERT_LE(residual, 1e-9) << "problem " << i << ", " << problem.parent.size() << " bodies, "
                              << solved.solution.solves << " solves";
  }
  RecordProperty("worst_kkt", std::to_string(worst));
  std::printf("worst KKT residual %.2e, active bounds %d, monotone %d, capped %d\n", worst, active, monotone,
              capped);
  EXPECT_GT(active, 5000) << "the problems are meant to have active bounds";
  EXPECT_LE(capped, 0) << "the monotone method is meant to finish on problems of this size";
}

TEST(TreeSolver, StaysFeasibleAndNeverCostsMoreWhenItIsStoppedEarly) {
  // one pivot, then a cap on the monotone method: the answer must be inside all bounds, cost less the later
  // it is stopped, and be the exact one in the end
  Random random(3);
  int stopped = 0;
  for (int i = 0; i < test::scaled(2000); ++i) {
    const TreeProblem problem = random_problem(random, {.bounded = true, .sparse = true});
    const DenseProblem dense(problem);
    const Eigen::VectorXd exact = dense.unpack(problem, solve_once(problem).solution);
    const double scale = 1e-12 * (1.0 + std::abs(dense.cost(exact)) + dense.f.squaredNorm());
    double before = kInfinity;
    for (const int cap : {1, 2, 4, 8, 16, 120}) {
      ActiveSetSolver solver(problem, {.max_pivots = 1, .max_monotone = cap});
      TreeSolution solution = TreeSolution(problem);
      const TreeStatus status = solver.solve(problem, solution);
      ASSERT_NE(status, TreeStatus::Failed);
      ASSERT_LE(solution.solves, 1 + cap);
      stopped += status == TreeStatus::Feasible ? 1 : 0;
      for (std::size_t k = 0; k < problem.lower.flat_size(); ++k) {
        ASSERT_GE(solution.rate.data()[k], problem.lower.data()[k]);
        ASSERT_LE(solution.rate.data()[k], problem.upper.data()[k]);
      }
      const double cost = dense.cost(dense.unpack(problem, solution));
      ASSERT_LE(cost, before + scale) << "problem " << i << ", cap " << cap;
      ASSERT_GE(cost, dense.cost(exact) - scale) << "less than the least";
      if (status == TreeStatus::Exact) {
        ASSERT_LE(cost, dense.cost(exact) + scale);
      }
      before = cost;
    }
    ASSERT_LE(before, dense.cost(exact) + scale) << "120 sweeps are enough for problems of this size";
  }
  EXPECT_GT(stopped, 1000) << "the caps are meant to stop";
}

TEST(TreeSolver, RefusesCapsThatLeaveNothingToDo) {
  Random random(8);
  const TreeProblem problem = random_problem(random, {});
  EXPECT_THROW(ActiveSetSolver(problem, {.max_pivots = 0}), ConfigError);
  EXPECT_THROW(ActiveSetSolver(problem, {.max_monotone = 0}), ConfigError);
}

TEST(TreeSolver, FindsTheSameAnswerFromAnyWarmStart) {
  Random random(4);
  for (int i = 0; i < test::scaled(300); ++i) {
    const TreeProblem problem = random_problem(random, {.bounded = true});
    const Solved cold = solve_once(problem);
    // warm start from the answer to other right-hand sides
    TreeProblem other = problem;
    for (std::size_t b = 0; b <= problem.base; ++b)
      store(to_vec3(test::random_vector(random, 20.0)), other.rhs, b);
    ActiveSetSolver solver(problem);
    TreeSolution solution = TreeSolution(problem);
    ASSERT_NE(solver.solve(other, solution), TreeStatus::Failed);
    ASSERT_NE(solver.solve(problem, solution), TreeStatus::Failed);
    const DenseProblem dense(problem);
    const double difference = (dense.unpack(problem, solution) - dense.unpack(problem, cold.solution)).norm();
    EXPECT_LT(difference, 1e-6 * (1.0 + dense.unpack(problem, solution).norm()));
  }
}

TEST(TreeSolver, ResolvesOtherRightHandSidesWithTheSameFactors) {
  Random random(5);
  for (int i = 0; i < test::scaled(300); ++i) {
    TreeProblem problem = random_problem(random, {.bounded = false});
    ActiveSetSolver solver(problem);
    TreeSolution first = TreeSolution(problem), second = first, fresh = first;
    ASSERT_EQ(solver.solve(problem, first), TreeStatus::Exact);
    for (std::size_t b = 0; b <= problem.base; ++b)
      store(problem.weight(0, b) * to_vec3(test::random_vector(random, 5.0)), problem.rhs, b);
    for (PointRow& point : problem.points) point.velocity = test::random_vector(random, 5.0);
    solver.resolve(problem, first.rate, second);
    ASSERT_EQ(solver.solve(problem, fresh), TreeStatus::Exact);
    for (const std::size_t k : test::joint_slots(problem)) {
      EXPECT_NEAR(second.rate.data()[k], fresh.rate.data()[k], 1e-9 * (1.0 + std::abs(fresh.rate.data()[k])));
    }
  }
}

TEST(TreeSolver, ReportsAProblemThatIsNotFinite) {
  Random random(6);
  TreeProblem problem = random_problem(random, {.bounded = true});
  problem.weight(0, problem.base) = 1.0;
  problem.rhs(0, problem.base) = std::nan("");
  EXPECT_EQ(solve_once(problem).status, TreeStatus::Failed);
}

TEST(TreeSolver, DoesNotAllocate) {
  if (!AllocationCount::available()) GTEST_SKIP() << "allocations cannot be counted in this build";
  Random random(7);
  for (int i = 0; i < 50; ++i) {
    const TreeProblem problem = random_problem(random, {.bounded = true, .sparse = i % 2 == 0});
    ActiveSetSolver solver(problem);
    TreeSolution solution = TreeSolution(problem);
    const AllocationCount count;
    const TreeStatus status = solver.solve(problem, solution);
    solver.resolve(problem, solution.rate, solution);
    EXPECT_EQ(count.value(), 0);
    EXPECT_NE(status, TreeStatus::Failed);
  }
}

}  // namespace
}  // namespace panto
