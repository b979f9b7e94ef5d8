// Bounds and coupled rows against the same problems written out densely.

#include "panto/tree_qp/active_set.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "apps/support/allocation_count.hpp"
#include "panto/base/index.hpp"
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

TEST(ActiveSet, BeginsWhereJointsAreHeadingAndFindsWhatItWouldHaveFoundAnyway) {
  // targets that move steadily: without looking ahead every change of the working set costs a second sweep
  Random random(23);
  int changes = 0, more = 0;
  for (int i = 0; i < test::scaled(40); ++i) {
    TreeProblem problem = random_problem(random, {.bounded = true});
    const LaneArray<3> first = problem.rhs;
    LaneArray<3> way(problem.rhs.size());
    for (std::size_t k = 0; k < way.flat_size(); ++k) way[k] = first[k] * test::uniform(random, -2.0, 2.0);
    ActiveSetSolver solver(problem);
    TreeSolution solution = TreeSolution(problem);
    LaneArray<3> before = solver.working_set();
    for (int step = 0; step < 200; ++step) {
      for (std::size_t k = 0; k < way.flat_size(); ++k) problem.rhs[k] = first[k] + 0.005 * step * way[k];
      ASSERT_EQ(solver.solve(problem, solution), TreeStatus::Exact);
      const Solved cold = solve_once(problem);
      for (const std::size_t k : test::joint_slots(problem))
        ASSERT_EQ(solution.rate[k], cold.solution.rate[k]);
      bool changed = false;
      for (std::size_t k = 0; k < before.flat_size(); ++k)
        changed = changed || before[k] != solver.working_set()[k];
      if (step >= 4) {
        changes += changed ? 1 : 0;
        more += solution.solves > 1 ? 1 : 0;
      }
      before = solver.working_set();
    }
  }
  EXPECT_GT(changes, 5 * test::scaled(40));
  EXPECT_LT(more, changes / 4) << "of " << changes << " changes";
}

TEST(ActiveSet, EqualsTheDenseSolutionWhereNoBoundIsActive) {
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

TEST(ActiveSet, MeetsTheKktConditionsOnRandomProblemsWithActiveBounds) {
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
    ASSERT_LE(residual, 1e-9) << "problem " << i << ", " << problem.base << " blocks, "
                              << solved.solution.solves << " solves";
  }
  RecordProperty("worst_kkt", std::to_string(worst));
  std::printf("worst KKT residual %.2e, active bounds %d, monotone %d, capped %d\n", worst, active, monotone,
              capped);
  EXPECT_GT(active, 5000) << "the problems are meant to have active bounds";
  EXPECT_LE(capped, 0) << "the monotone method is meant to finish on problems of this size";
}

TEST(ActiveSet, StaysFeasibleAndNeverCostsMoreWhenItIsStoppedEarly) {
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
      for (const std::size_t k : test::joint_slots(problem)) {
        ASSERT_GE(solution.rate[k], problem.lower[k]);
        ASSERT_LE(solution.rate[k], problem.upper[k]);
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

TEST(ActiveSet, RefusesCapsThatLeaveNothingToDo) {
  Random random(8);
  const TreeProblem problem = random_problem(random, {});
  EXPECT_THROW(ActiveSetSolver(problem, {.max_pivots = 0}), ConfigError);
  EXPECT_THROW(ActiveSetSolver(problem, {.max_monotone = 0}), ConfigError);
}

TEST(ActiveSet, FindsTheSameAnswerFromAnyWarmStart) {
  Random random(4);
  for (int i = 0; i < test::scaled(300); ++i) {
    const TreeProblem problem = random_problem(random, {.bounded = true, .rows = i % 2 == 0 ? 0 : 4});
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

TEST(ActiveSet, AnswersASecondQuestionOnTheWay) {
  Random random(5);
  for (int i = 0; i < test::scaled(300); ++i) {
    TreeProblem problem = random_problem(random, {.bounded = false});
    test::ask_companion(random, problem);
    ActiveSetSolver solver(problem);
    TreeSolution first = TreeSolution(problem), second = first, fresh = first;
    ASSERT_EQ(solver.solve(problem, first, &second), TreeStatus::Exact);
    solver.complete(problem, first, second);
    test::swap_companion(problem);
    ASSERT_EQ(solver.solve(problem, fresh), TreeStatus::Exact);
    for (const std::size_t k : test::joint_slots(problem)) {
      EXPECT_NEAR(second.rate[k], fresh.rate[k], 1e-9 * (1.0 + std::abs(fresh.rate[k])));
    }
  }
}

TEST(ActiveSet, KeepsJointsAndRowsWhereTheyAreInTheSecondAnswer) {
  Random random(16);
  int rows_held = 0;
  for (int i = 0; i < test::scaled(300); ++i) {
    TreeProblem problem = random_problem(random, {.rows = 5});
    test::ask_companion(random, problem);
    ActiveSetSolver solver(problem);
    TreeSolution first(problem), second = first, fresh = first;
    ASSERT_EQ(solver.solve(problem, first, &second), TreeStatus::Exact);
    solver.complete(problem, first, second);
    TreeProblem other = problem;
    test::swap_companion(other);

    // the same with what was held as equalities, and nothing else
    for (const std::size_t k : test::joint_slots(problem)) {
      const bool held = solver.working_set()[k] != 0;
      other.lower[k] = held ? first.rate[k] : -kInfinity;
      other.upper[k] = held ? first.rate[k] : kInfinity;
    }
    for (int r = 0; r < problem.rows.size(); ++r) {
      const bool held = solver.row_multiplier()[at(r)] != 0.0;
      rows_held += held ? 1 : 0;
      const double value = problem.rows.value(r, first.rate.data());
      other.rows.lower[at(r)] = held ? value : -kInfinity;
      other.rows.upper[at(r)] = held ? value : kInfinity;
    }
    ActiveSetSolver anew(other);
    ASSERT_EQ(anew.solve(other, fresh), TreeStatus::Exact);
    for (const std::size_t k : test::joint_slots(problem))
      ASSERT_NEAR(second.rate[k], fresh.rate[k], 1e-8 * (1.0 + std::abs(fresh.rate[k]))) << "problem " << i;
  }
  EXPECT_GT(rows_held, 100);
}

// largest violation of the rows, relative to the size of their terms
double row_violation(const TreeProblem& problem, const TreeSolution& solution) {
  double worst = 0.0;
  for (int r = 0; r < problem.rows.size(); ++r) {
    const double value = problem.rows.value(r, solution.rate.data());
    const double off = std::max(value - problem.rows.upper[at(r)], problem.rows.lower[at(r)] - value);
    worst = std::max(worst, off / problem.rows.magnitude(r, solution.rate.data()));
  }
  return worst;
}

// The minimum on a working set by one dense solve in long double.
using Dense = test::DenseProblemOf<long double>;
Dense::Vector reference(const Dense& dense, const TreeProblem& problem, const ActiveSetSolver& solver) {
  const Eigen::Index n = dense.H.rows();
  std::vector<Eigen::Index> held_rows;
  for (int r = 0; r < problem.rows.size(); ++r) {
    if (solver.row_multiplier()[at(r)] != 0.0) held_rows.push_back(r);
  }
  const Eigen::Index m = static_cast<Eigen::Index>(held_rows.size());
  Dense::Matrix M = Dense::Matrix::Zero(n + m, n + m);
  Dense::Vector b = Dense::Vector::Zero(n + m);
  M.topLeftCorner(n, n) = dense.H;
  b.head(n) = dense.f;
  for (Eigen::Index k = 0; k < m; ++k) {
    const auto r = static_cast<std::size_t>(held_rows[static_cast<std::size_t>(k)]);
    M.row(n + k).head(n) = dense.A.row(held_rows[static_cast<std::size_t>(k)]);
    M.col(n + k).head(n) = M.row(n + k).head(n).transpose();
    b[n + k] = solver.row_working_set()[r] > 0 ? problem.rows.upper[r] : problem.rows.lower[r];
  }
  for (const std::size_t i : dense.slots) {
    if (solver.working_set()[i] == 0) continue;
    const Eigen::Index k = dense.column(i);
    M.row(k).setZero();
    M(k, k) = 1.0L;
    b[k] = solver.working_set()[i] > 0 ? problem.upper[i] : problem.lower[i];
  }
  return M.partialPivLu().solve(b).head(n);
}

TEST(ActiveSet, MeetsTheKktConditionsWithCoupledRows) {
  // 10 of 23 targets missing, lambda from 1e-10 to 1e-1, locked triples, duplicated axes, rows that repeat
  // and contradict nothing, equalities
  Random random(11);
  int monotone = 0, capped = 0, held = 0, solves = 0;
  double worst = 0.0, worst_row = 0.0;
  const int count = test::scaled_numerical(10000);
  for (int i = 0; i < count; ++i) {
    const TreeProblem problem =
        random_problem(random, {.sparse = i % 4 == 3, .awkward = i % 4 != 0, .rows = i % 20 == 0 ? 40 : 6});
    ActiveSetSolver solver(problem);
    TreeSolution solution = TreeSolution(problem);
    const TreeStatus status = solver.solve(problem, solution);
    for (const double mu : solver.row_multiplier()) held += mu != 0.0 ? 1 : 0;
    monotone += solution.monotone ? 1 : 0;
    solves += solution.solves;
    worst_row = std::max(worst_row, row_violation(problem, solution));
    ASSERT_LE(worst_row, 1e-9) << "problem " << i;
    if (status == TreeStatus::Feasible) {
      ++capped;
      continue;
    }
    ASSERT_EQ(status, TreeStatus::Exact) << "problem " << i;
    const Dense dense(problem);
    const double residual =
        dense.kkt_residual(problem, dense.unpack(problem, solution), solver.row_multiplier());
    worst = std::max(worst, residual);
    ASSERT_LE(residual, 1e-9) << "problem " << i << ", " << problem.base << " blocks, " << solution.solves
                              << " solves";
  }
  std::printf(
      "worst KKT residual %.2e, rows off by %.2e, rows held %d, monotone %d, capped %d, solves %.2f\n", worst,
      worst_row, held, monotone, capped, static_cast<double>(solves) / count);
  EXPECT_GT(held, count / 2) << "the problems are meant to have active rows";
  // nearly parallel rows over joints with lambda 1e-9 and nothing else: feasible, and said to be no more
  EXPECT_LE(capped, count / 50000);
}

TEST(ActiveSet, KeepsItsMultipliersExactWhereRowsAloneTellTwoJointsApart) {
  // two joints about one axis with lambda 1e-10: rows that hold both have responses of 1e9 that all but
  // cancel
  Random random(17);
  double worst = 0.0;
  int held = 0;
  const int count = test::scaled_numerical(3000);
  for (int i = 0; i < count; ++i) {
    TreeProblem problem = random_problem(random, {.awkward = true, .rows = 6});
    for (std::size_t b = 0; b < problem.base; ++b) {
      Mat3 axes = mat3(problem.axes, b);
      if (problem.slider[b] != 0 || dot(axes.x, axes.x) * dot(axes.y, axes.y) == 0.0) continue;
      axes.y = axes.x;
      store(axes, problem.axes, b);
      problem.lambda(0, b) = problem.lambda(1, b) = 1e-10;
    }
    ActiveSetSolver solver(problem);
    TreeSolution solution = TreeSolution(problem);
    if (solver.solve(problem, solution) != TreeStatus::Exact) continue;
    for (const double mu : solver.row_multiplier()) held += mu != 0.0 ? 1 : 0;
    const Dense dense(problem);
    worst = std::max(worst,
                     dense.kkt_residual(problem, dense.unpack(problem, solution), solver.row_multiplier()));
    ASSERT_LE(worst, 1e-9) << "problem " << i;
  }
  std::printf("worst KKT residual %.2e, rows held %d\n", worst, held);
  EXPECT_GT(held, count / 2) << "the problems are meant to have active rows";
}

TEST(ActiveSet, EqualsADenseReferenceInLongDoubleWithCoupledRows) {
  Random random(12);
  double worst = 0.0;
  for (int i = 0; i < test::scaled_numerical(1000); ++i) {
    const TreeProblem problem = random_problem(
        random, {.sparse = i % 4 == 3, .awkward = i % 4 != 0, .least_lambda = 1e-6, .rows = 6});
    ActiveSetSolver solver(problem);
    TreeSolution solution = TreeSolution(problem);
    ASSERT_EQ(solver.solve(problem, solution), TreeStatus::Exact);
    const Dense dense(problem);
    const Dense::Vector x = dense.unpack(problem, solution), expected = reference(dense, problem, solver);
    const double difference = static_cast<double>((x - expected).norm() / (1.0L + expected.norm()));
    worst = std::max(worst, difference);
    ASSERT_LE(difference, 1e-7) << "problem " << i;
  }
  std::printf("worst difference %.2e\n", worst);
}

TEST(ActiveSet, MeetsItsRowsWhereverItIsStopped) {
  Random random(13);
  int stopped = 0;
  const int count = test::scaled_numerical(2000);
  for (int i = 0; i < count; ++i) {
    const TreeProblem problem = random_problem(random, {.sparse = true, .awkward = i % 2 != 0, .rows = 6});
    const DenseProblem dense(problem);
    double before = kInfinity;
    for (const int cap : {1, 2, 4, 8, 16, 120}) {
      ActiveSetSolver solver(problem, {.max_pivots = 1, .max_monotone = cap});
      TreeSolution solution = TreeSolution(problem);
      const TreeStatus status = solver.solve(problem, solution);
      ASSERT_TRUE(status == TreeStatus::Exact || status == TreeStatus::Feasible) << "problem " << i;
      ASSERT_LE(solution.solves, 1 + cap);
      stopped += status == TreeStatus::Feasible ? 1 : 0;
      for (const std::size_t k : test::joint_slots(problem)) {
        ASSERT_GE(solution.rate[k], problem.lower[k]);
        ASSERT_LE(solution.rate[k], problem.upper[k]);
      }
      ASSERT_LE(row_violation(problem, solution), 1e-9) << "problem " << i << ", cap " << cap;
      const double cost = dense.cost(dense.unpack(problem, solution));
      ASSERT_LE(cost, before + 1e-9 * (1.0 + std::abs(cost))) << "problem " << i << ", cap " << cap;
      before = cost;
    }
  }
  EXPECT_GT(stopped, count / 2) << "the caps are meant to stop";
}

// Rows over the problem's joints that no rates inside the bounds can meet, beside those that it has.
void add_impossible_row(Random& random, TreeProblem& problem) {
  const std::vector<std::size_t> slots = test::joint_slots(problem);
  std::vector<std::pair<int, double>> terms;
  double most = 0.0;
  for (int k = 0; k < 3; ++k) {
    const int i = static_cast<int>(slots[at(test::pick(random, static_cast<int>(slots.size())))]);
    for (const auto& [other, a] : terms) {
      if (other == i) return add_impossible_row(random, problem);
    }
    const double a = test::uniform(random, 0.3, 1.0);
    problem.lower[at(i)] = std::max(problem.lower[at(i)], std::min(-1.0, problem.upper[at(i)]));
    problem.upper[at(i)] = std::min(problem.upper[at(i)], std::max(1.0, problem.lower[at(i)]));
    terms.push_back({i, a});
    most += a * problem.upper[at(i)];
  }
  problem.rows.add(terms, most + 0.5, kInfinity);
}

TEST(ActiveSet, RelaxesRowsThatCannotBeMetAndKeepsTheBounds) {
  // the answer must be the minimum of cost + weight/2 (what the relaxed rows are off by)^2, with all others
  // met
  Random random(14);
  int exact_rows = 0;
  const int count = test::scaled_numerical(2000);
  for (int i = 0; i < count; ++i) {
    TreeProblem problem = random_problem(
        random, {.sparse = i % 4 == 3, .awkward = i % 2 != 0, .least_lambda = 1e-6, .rows = 3});
    if (test::joint_slots(problem).size() < 4) continue;
    for (int r = 0; r < problem.rows.size(); ++r) {
      // a body at rest meets these: they are kept exactly as long as they can be
      if (!problem.rows.is_equality(r)) {
        problem.rows.lower[at(r)] = std::min(problem.rows.lower[at(r)], 0.0);
        problem.rows.upper[at(r)] = std::max(problem.rows.upper[at(r)], 0.0);
      }
    }
    add_impossible_row(random, problem);
    ActiveSetSolver solver(problem);
    TreeSolution solution = TreeSolution(problem);
    ASSERT_EQ(solver.solve(problem, solution), TreeStatus::Relaxed) << "problem " << i;
    for (const std::size_t k : test::joint_slots(problem)) {
      ASSERT_GE(solution.rate[k], problem.lower[k]);
      ASSERT_LE(solution.rate[k], problem.upper[k]);
    }
    // shift the relaxed rows' bounds by what they yield: then it is an exact answer
    TreeProblem shifted = problem;
    for (int r = 0; r < problem.rows.size(); ++r) {
      const double yield = solver.row_multiplier()[at(r)] / problem.relaxed_weight;
      const double value = problem.rows.value(r, solution.rate.data());
      const double off = std::max(value - problem.rows.upper[at(r)], problem.rows.lower[at(r)] - value);
      if (off <= 1e-9 * problem.rows.magnitude(r, solution.rate.data())) {
        ++exact_rows;
        continue;
      }
      ASSERT_NEAR(std::abs(yield), off, 1e-7 * (1.0 + off))
          << "problem " << i << ", row " << r << " of " << problem.rows.size() << ", " << solution.solves
          << " solves";
      (yield > 0.0 ? shifted.rows.upper : shifted.rows.lower)[at(r)] += yield;
      if (problem.rows.is_equality(r)) shifted.rows.lower[at(r)] = shifted.rows.upper[at(r)] = value;
    }
    const Dense dense(shifted);
    // what pushes a relaxed row is up to 1e5 times what pushes anything else: two digits fewer than above
    ASSERT_LE(dense.kkt_residual(shifted, dense.unpack(shifted, solution), solver.row_multiplier()), 1e-7)
        << "problem " << i;
  }
  EXPECT_GT(exact_rows, count / 2) << "rows that can be met are meant to be";
}

TEST(ActiveSet, EndsWithinItsCapsWithRowsThatCannotBeMet) {
  Random random(15);
  for (int i = 0; i < test::scaled_numerical(2000); ++i) {
    TreeProblem problem = random_problem(random, {.sparse = true, .rows = 3});
    if (test::joint_slots(problem).size() < 4) continue;
    add_impossible_row(random, problem);
    for (const int cap : {1, 3}) {
      ActiveSetSolver solver(problem, {.max_pivots = 1, .max_monotone = cap});
      TreeSolution solution = TreeSolution(problem);
      ASSERT_EQ(solver.solve(problem, solution), TreeStatus::Relaxed);
      ASSERT_LE(solution.solves, 1 + cap);
      for (const std::size_t k : test::joint_slots(problem)) {
        ASSERT_GE(solution.rate[k], problem.lower[k]);
        ASSERT_LE(solution.rate[k], problem.upper[k]);
      }
    }
  }
}

TEST(ActiveSet, ReportsAProblemThatIsNotFinite) {
  Random random(6);
  TreeProblem problem = random_problem(random, {.bounded = true});
  problem.weight(0, problem.base) = 1.0;
  problem.rhs(0, problem.base) = std::nan("");
  EXPECT_EQ(solve_once(problem).status, TreeStatus::Failed);
}

TEST(ActiveSet, DoesNotAllocate) {
  if (!AllocationCount::available()) GTEST_SKIP() << "the sanitizer owns malloc";
  Random random(7);
  for (int i = 0; i < 50; ++i) {
    const TreeProblem problem =
        random_problem(random, {.bounded = true, .sparse = i % 2 == 0, .rows = i % 3});
    ActiveSetSolver solver(problem);
    TreeSolution solution = TreeSolution(problem);
    const AllocationCount count;
    const TreeStatus status = solver.solve(problem, solution);
    solver.complete(problem, solution, solution);
    EXPECT_EQ(count.value(), 0);
    EXPECT_NE(status, TreeStatus::Failed);
  }
}

}  // namespace
}  // namespace panto
