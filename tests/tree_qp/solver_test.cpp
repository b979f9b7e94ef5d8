// The elimination of a tree for a given working set, against the same problem written out densely.

#include "panto/tree_qp/solver.hpp"

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
  LaneArray<3> set, rate;
};

// some joints at any rates
Held random_working_set(Random& random, const TreeProblem& problem) {
  Held held{LaneArray<3>(problem.lower.size()), LaneArray<3>(problem.lower.size())};
  for (const std::size_t i : test::joint_slots(problem)) {
    if (!chance(random, 0.4)) continue;
    held.set[i] = chance(random, 0.5) ? 1.0 : -1.0;
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
  for (const std::size_t i : dense.slots) {
    const Eigen::Index k = dense.column(i);
    if (held.set[i] != 0) r.f -= held.rate[i] * dense.H.col(k);
  }
  for (const std::size_t i : dense.slots) {
    const Eigen::Index k = dense.column(i);
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
    TreeSolution solution = TreeSolution(problem);
    solver.prepare(problem);
    ASSERT_TRUE(solver.minimise(problem, &held.set, held.rate, solution));
    const Reduced r = reduced(dense, held);
    const Eigen::VectorXd x = dense.unpack(problem, solution), expected = r.H.ldlt().solve(r.f);
    // conditioning is at worst 1e-6 against 1e4: ten digits are left
    EXPECT_LT((x - expected).norm(), 1e-7 * (1.0 + expected.norm())) << "problem " << i;
  }
}

TEST(TreeSolver, PointsOfAnyWeightCountAsInTheDenseSolution) {
  Random random(7);
  int light = 0;
  for (int i = 0; i < test::scaled(300); ++i) {
    TreeProblem problem = random_problem(random, {.bounded = false});
    for (PointRow& point : problem.points) {
      point.weight = chance(random, 0.2) ? 0.0 : std::exp(uniform(random, -4.0, 2.0));
      light += point.weight > 0.0 && point.weight < 1.0 ? 1 : 0;
    }
    const Held held = random_working_set(random, problem);
    TreeSolver solver(problem);
    TreeSolution solution = TreeSolution(problem);
    solver.prepare(problem);
    ASSERT_TRUE(solver.minimise(problem, &held.set, held.rate, solution));
    const DenseProblem dense(problem);
    const Reduced r = reduced(dense, held);
    const Eigen::VectorXd x = dense.unpack(problem, solution), expected = r.H.ldlt().solve(r.f);
    EXPECT_LT((x - expected).norm(), 1e-7 * (1.0 + expected.norm())) << "problem " << i;
  }
  EXPECT_GT(light, test::scaled(300) / 3);
}

TEST(TreeSolver, ABaseThatNothingPullsOrDampsStandsStill) {
  Random random(8);
  for (int i = 0; i < 50; ++i) {
    TreeProblem problem = random_problem(random, {.bounded = false});
    problem.points.clear();
    problem.base_linear_lambda = 0.0;
    TreeSolver solver(problem);
    TreeSolution solution = TreeSolution(problem);
    solver.prepare(problem);
    ASSERT_TRUE(solver.minimise(problem, nullptr, LaneArray<3>(problem.lower.size()), solution));
    EXPECT_EQ(to_eigen(vec3(solution.v, problem.base)), Eigen::Vector3d(Eigen::Vector3d::Zero()));
  }
}

TEST(TreeSolver, TellsTheMultiplierOfEveryHeldJoint) {
  Random random(2);
  for (int i = 0; i < test::scaled(500); ++i) {
    const TreeProblem problem = random_problem(random, {.bounded = false});
    const Held held = random_working_set(random, problem);
    const DenseProblem dense(problem);
    TreeSolver solver(problem);
    TreeSolution solution = TreeSolution(problem);
    solver.prepare(problem);
    ASSERT_TRUE(solver.minimise(problem, &held.set, held.rate, solution));
    const Eigen::VectorXd gradient = dense.H * dense.unpack(problem, solution) - dense.f;
    const double scale = 1.0 + dense.f.cwiseAbs().maxCoeff() + dense.H.cwiseAbs().maxCoeff();
    for (const std::size_t k : dense.slots) {
      const double expected = gradient[dense.column(k)];
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
    TreeSolution solution = TreeSolution(problem), response = solution;
    solver.prepare(problem);
    ASSERT_TRUE(solver.minimise(problem, &held.set, held.rate, solution));
    LaneArray<3> gradient(problem.lower.size());
    Eigen::VectorXd g = Eigen::VectorXd::Zero(dense.H.rows());
    for (int k = 0; k < 3 && !dense.slots.empty(); ++k) {
      const int joint = test::pick(random, static_cast<int>(dense.slots.size()));
      gradient[dense.slots[static_cast<std::size_t>(joint)]] = g[dense.first + joint] =
          uniform(random, -1.0, 1.0);
    }
    solver.respond(problem, gradient, response);
    Eigen::VectorXd free = g;
    const Reduced r = reduced(dense, held);
    for (const std::size_t k : dense.slots) {
      if (held.set[k] != 0) free[dense.column(k)] = 0.0;
    }
    const Eigen::VectorXd expected = r.H.ldlt().solve(free), x = dense.unpack(problem, response);
    EXPECT_LT((x - expected).norm(), 1e-7 * (1.0 + expected.norm())) << "problem " << i;

    // and the held joints' multipliers move by what H and g say
    const Eigen::VectorXd change = dense.H * x - g;
    const double scale = 1.0 + dense.H.cwiseAbs().maxCoeff() * x.cwiseAbs().maxCoeff();
    for (const std::size_t k : dense.slots) {
      if (held.set[k] == 0) continue;
      EXPECT_NEAR(-solver.curvature()[k] * response.rho[k], change[dense.column(k)], 1e-9 * scale);
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
  TreeProblem problem(Blocks(model), true);
  ASSERT_EQ(problem.base, 2U);  // the ball, and the hinge after it
  store(full(diagonal(1.0)), problem.axes, 0);
  store(Mat3{{1.0, 0.0, 0.0}, {}, {}}, problem.axes, 1);
  for (std::size_t b = 0; b <= problem.base; ++b) {
    problem.weight(0, b) = 1.0;
    store({0.3, -0.2, 0.5}, problem.rhs, b);
  }
  store(Vec3{}, problem.lambda, 0);
  problem.lambda(0, 1) = 1e-3;
  problem.base_linear_lambda = 1e-4;
  const DenseProblem dense(problem);
  TreeSolver solver(problem);
  TreeSolution solution(problem), response(problem);
  solver.prepare(problem);
  ASSERT_TRUE(solver.minimise(problem, nullptr, LaneArray<3>(problem.lower.size()), solution));
  LaneArray<3> gradient(problem.lower.size());
  gradient[LaneArray<3>::index(0, 1)] = 1.0;
  solver.respond(problem, gradient, response);
  Eigen::VectorXd g = Eigen::VectorXd::Zero(dense.H.rows());
  g[dense.column(LaneArray<3>::index(0, 1))] = 1.0;
  const Eigen::VectorXd expected = dense.H.ldlt().solve(g);
  EXPECT_LT((dense.unpack(problem, response) - expected).norm(), 1e-9);
  EXPECT_GT(expected.norm(), 0.5);
}

TEST(TreeSolver, AnswersASecondQuestionOnTheWay) {
  Random random(5);
  for (int i = 0; i < test::scaled(300); ++i) {
    TreeProblem problem = random_problem(random, {.bounded = false});
    const Held held = random_working_set(random, problem);
    test::ask_companion(random, problem);
    TreeSolver solver(problem);
    TreeSolution first = TreeSolution(problem), second = first, fresh = first;
    solver.prepare(problem);
    ASSERT_TRUE(solver.minimise(problem, &held.set, held.rate, first, &second));
    solver.complete(second);
    test::swap_companion(problem);
    ASSERT_TRUE(solver.minimise(problem, &held.set, held.rate, fresh));
    for (const std::size_t k : test::joint_slots(problem)) {
      EXPECT_NEAR(second.rate[k], fresh.rate[k], 1e-9 * (1.0 + std::abs(fresh.rate[k])));
    }
  }
}

TEST(TreeSolver, FindsTheSameBitsForSingleHingesByTheirOwnFormulas) {
  // the same problem, said to have more joints in every block than it has: the general formulas then run
  Random random(11);
  int waves = 0;
  for (int i = 0; i < test::scaled(400); ++i) {
    TreeProblem problem =
        random_problem(random, {.bounded = false, .sparse = i % 3 == 1, .awkward = i % 3 == 0});
    if (i % 4 != 0) problem.points.clear();  // with points hinges have no formulas of their own
    test::ask_companion(random, problem);
    const Held held = random_working_set(random, problem);
    TreeProblem general = problem;
    general.joint.fill(1.0);
    for (const Wave& wave : TreeWaves(problem).list) waves += wave.hinges_alone() ? 1 : 0;
    for (const Wave& wave : TreeWaves(general).list) ASSERT_FALSE(wave.hinges);
    TreeSolver own(problem), other(general);
    TreeSolution a = TreeSolution(problem), b = a, a_end = a, b_end = a, a_change = a, b_change = a;
    own.prepare(problem);
    other.prepare(general);
    ASSERT_TRUE(own.minimise(problem, &held.set, held.rate, a, &a_end));
    ASSERT_TRUE(other.minimise(general, &held.set, held.rate, b, &b_end));
    LaneArray<3> force(problem.lower.size());
    for (const std::size_t k : test::joint_slots(problem)) force[k] = test::uniform(random, -1.0, 1.0);
    own.respond(problem, force, a_change);
    other.respond(general, force, b_change);
    for (const std::size_t k : test::joint_slots(problem)) {
      ASSERT_EQ(a.rate[k], b.rate[k]);
      ASSERT_EQ(a.rho[k], b.rho[k]);
      ASSERT_EQ(a_end.rate[k], b_end.rate[k]);
      ASSERT_EQ(own.curvature()[k], other.curvature()[k]);
      ASSERT_EQ(a_change.rate[k], b_change.rate[k]);
      ASSERT_EQ(a_change.rho[k], b_change.rho[k]);
    }
    for (std::size_t lane = 0; lane <= problem.base; ++lane) {
      for (int k = 0; k < 3; ++k) {
        ASSERT_EQ(a.omega(k, lane), b.omega(k, lane));
        ASSERT_EQ(a_end.omega(k, lane), b_end.omega(k, lane));
        ASSERT_EQ(a_change.omega(k, lane), b_change.omega(k, lane));
      }
    }
  }
  EXPECT_GT(waves, test::scaled(400));
}

TEST(TreeSolver, AllocatesNothing) {
  if (!AllocationCount::available()) GTEST_SKIP() << "the sanitizer owns malloc";
  Random random(7);
  for (int i = 0; i < 50; ++i) {
    const TreeProblem problem = random_problem(random, {.sparse = i % 2 == 0});
    const Held held = random_working_set(random, problem);
    TreeSolver solver(problem);
    TreeSolution solution = TreeSolution(problem);
    const AllocationCount count;
    solver.prepare(problem);
    const bool finite = solver.minimise(problem, &held.set, held.rate, solution);
    solver.complete(solution);
    solver.respond(problem, held.rate, solution);
    EXPECT_EQ(count.value(), 0);
    EXPECT_TRUE(finite);
  }
}

}  // namespace
}  // namespace panto
