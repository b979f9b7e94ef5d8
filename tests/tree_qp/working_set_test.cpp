// What a solution says of the working set that it was found on.

#include <gtest/gtest.h>

#include "panto/base/index.hpp"
#include "panto/tree_qp/active_set.hpp"
#include "tests/support/random_model.hpp"
#include "tests/support/random_problem.hpp"
#include "tests/support/test_data.hpp"

namespace panto {
namespace {

using test::Random;
using test::random_problem;

TEST(WorkingSet, IsCountedByItsJointsAndInequalities) {
  Random random(18);
  int rows_held = 0;
  for (int i = 0; i < test::scaled(300); ++i) {
    const TreeProblem problem = random_problem(random, {.bounded = true, .rows = 6});
    ActiveSetSolver solver(problem);
    TreeSolution solution = TreeSolution(problem);
    ASSERT_NE(solver.solve(problem, solution), TreeStatus::Failed);
    int held = 0;
    for (std::size_t k = 0; k < problem.joint.flat_size(); ++k)
      held += solver.working_set()[k] != 0.0 ? 1 : 0;
    for (int r = 0; r < problem.rows.size(); ++r) {
      const bool holds = solver.row_working_set()[at(r)] != 0 && !problem.rows.is_equality(r);
      held += holds ? 1 : 0;
      rows_held += holds ? 1 : 0;
    }
    ASSERT_EQ(solution.active, held) << "problem " << i;
  }
  EXPECT_GT(rows_held, 50);
}

}  // namespace
}  // namespace panto
