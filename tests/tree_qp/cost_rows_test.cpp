// Costs over several bodies against the same problems written out densely.

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <algorithm>

#include "apps/support/allocation_count.hpp"
#include "panto/tree_qp/active_set.hpp"
#include "tests/support/random_model.hpp"
#include "tests/support/random_problem.hpp"
#include "tests/support/test_data.hpp"

namespace panto {
namespace {

using test::DenseProblem;
using test::Random;
using test::random_problem;

TEST(CostRows, AreLeastSquaresTermsLikeAnyOther) {
  Random random(5);
  double worst = 0.0;
  for (int i = 0; i < test::scaled(300); ++i) {
    const TreeProblem problem = random_problem(random, {.bounded = false, .costs = 6});
    ActiveSetSolver solver(problem);
    TreeSolution solution = TreeSolution(problem);
    ASSERT_EQ(solver.solve(problem, solution), TreeStatus::Exact);
    const DenseProblem dense(problem);
    if (dense.f.size() == 0) continue;
    worst = std::max(worst, dense.kkt_residual(problem, dense.unpack(problem, solution)));
  }
  EXPECT_LT(worst, 1e-11);
}

TEST(CostRows, AreMinimisedUnderBoundsAndCoupledRows) {
  Random random(6);
  double worst = 0.0;
  int active = 0, count = 0;
  for (int i = 0; i < test::scaled(300); ++i) {
    const TreeProblem problem =
        random_problem(random, {.bounded = true, .rows = i % 2 == 0 ? 3 : 0, .costs = 6});
    ActiveSetSolver solver(problem);
    TreeSolution solution = TreeSolution(problem);
    const TreeStatus status = solver.solve(problem, solution);
    ASSERT_NE(status, TreeStatus::Failed);
    if (status != TreeStatus::Exact) continue;
    ++count;
    active += solution.active;
    const DenseProblem dense(problem);
    worst = std::max(worst,
                     dense.kkt_residual(problem, dense.unpack(problem, solution), solver.row_multiplier()));
  }
  EXPECT_LT(worst, 1e-9);
  EXPECT_GT(count, test::scaled(300) * 9 / 10) << "others were not exact without costs either";
  EXPECT_GT(active, count) << "bounds were met";
}

TEST(CostRows, AreMinimisedByTheMonotoneMethodToo) {
  Random random(7);
  double worst = 0.0;
  int monotone = 0;
  for (int i = 0; i < test::scaled(200); ++i) {
    const TreeProblem problem = random_problem(random, {.sparse = true, .rows = 4, .costs = 4});
    ActiveSetSolver solver(problem, {.max_pivots = 1, .max_monotone = 500});
    TreeSolution solution = TreeSolution(problem);
    if (solver.solve(problem, solution) != TreeStatus::Exact) continue;
    monotone += solution.monotone ? 1 : 0;
    const DenseProblem dense(problem);
    worst = std::max(worst,
                     dense.kkt_residual(problem, dense.unpack(problem, solution), solver.row_multiplier()));
  }
  EXPECT_LT(worst, 1e-9);
  EXPECT_GT(monotone, test::scaled(100));
}

TEST(CostRows, HaveWantedValuesOfTheirOwnInTheSecondQuestion) {
  Random random(8);
  double worst = 0.0;
  for (int i = 0; i < test::scaled(200); ++i) {
    TreeProblem problem = random_problem(random, {.bounded = false, .costs = 4});
    test::ask_companion(random, problem);
    ActiveSetSolver solver(problem);
    TreeSolution solution = TreeSolution(problem), companion = solution, alone = solution;
    ASSERT_EQ(solver.solve(problem, solution, &companion), TreeStatus::Exact);
    solver.complete(problem, solution, companion);
    test::swap_companion(problem);
    ASSERT_EQ(solver.solve(problem, alone), TreeStatus::Exact);
    for (const std::size_t k : test::joint_slots(problem))
      worst = std::max(worst, std::abs(companion.rate[k] - alone.rate[k]) / (1.0 + std::abs(alone.rate[k])));
  }
  EXPECT_LT(worst, 1e-7) << "joints that next to nothing determines: lambda 1e-6";
}

TEST(CostRows, WithoutWeightChangeNoBit) {
  Random random(9);
  for (int i = 0; i < test::scaled(100); ++i) {
    TreeProblem problem = random_problem(random, {.bounded = true, .rows = 2, .costs = 3});
    std::fill(problem.costs.weight.begin(), problem.costs.weight.end(), 0.0);
    TreeProblem without = problem;
    without.costs = {};
    ActiveSetSolver solver(problem), other(without);
    TreeSolution solution = TreeSolution(problem), expected = solution;
    ASSERT_EQ(solver.solve(problem, solution), other.solve(without, expected));
    for (std::size_t k = 0; k < solution.rate.flat_size(); ++k) ASSERT_EQ(solution.rate[k], expected.rate[k]);
  }
}

TEST(CostRows, AllocateNothing) {
  if (!AllocationCount::available()) GTEST_SKIP();
  Random random(10);
  TreeProblem problem = random_problem(random, {.bounded = true, .rows = 3, .costs = 6});
  ActiveSetSolver solver(problem);
  TreeSolution solution = TreeSolution(problem);
  const AllocationCount count;
  (void)solver.solve(problem, solution);
  EXPECT_EQ(count.value(), 0);
}

}  // namespace
}  // namespace panto
