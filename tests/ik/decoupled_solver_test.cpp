// size: all tests of one header, by the rule of three places
// Conditions between settled bodies beside the kernel, which is given the same problem, and the KKT
// conditions.

#include "panto/ik/decoupled_solver.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "apps/support/allocation_count.hpp"
#include "panto/base/index.hpp"
#include "panto/ik/dynamical.hpp"
#include "panto/ik/target_lanes.hpp"
#include "panto/tree_qp/active_set.hpp"
#include "tests/support/human_targets.hpp"
#include "tests/support/random_problem.hpp"
#include "tests/support/solver_scenes.hpp"
#include "tests/support/test_data.hpp"

namespace panto {
namespace {

using test::Random;

struct SceneOptions {
  double spread = 2.0;  // of the logarithm of weights
  DampingOptions damping;
  double bend = 3.0;  // [rad] of hinges that are no triple
};

// Links that end a block, which are those with mass.
std::vector<int> targeted_links(const Model& model) {
  std::vector<int> links;
  for (int i = 0; i < model.link_count(); ++i) {
    if (model.links()[at(i)].mass > 0.0) links.push_back(i);
  }
  return links;
}

// A tree of all kinds of blocks: one, two or three hinges about x, y and z through one point, each kind
// twice.
Model all_kinds(Random& random) {
  ModelSpec spec;
  spec.name = "all kinds";
  spec.links = {{"base", 1.0}};
  std::vector<std::string> ends{"base"};
  for (int kind = 1; kind < 15; ++kind) {
    const std::string name = "body" + std::to_string(kind);
    std::string parent = ends[at(test::pick(random, static_cast<int>(ends.size())))];
    Eigen::Vector3d place = test::random_vector(random, 0.3);
    for (int k = 0; k < 3; ++k) {
      if (((kind - 1) % 7 + 1) >> k % 3 & 1) {
        const std::string child = name + "_" + std::to_string(k);
        spec.links.push_back({child, 0.0});
        spec.joints.push_back(test::hinge(parent, child, place, Eigen::Vector3d::Unit(k), -4.0, 4.0, 50.0));
        parent = child;
        place.setZero();
      }
    }
    spec.links.back().mass = 1.0;
    ends.push_back(parent);
  }
  return Model(spec);
}

// One to three hinges a body about axes in any direction, each perpendicular to the next, with turned frames
// between them; `apart`: the axes do not meet. All else is the same for one seed.
Model any_axes(std::uint64_t seed, bool apart) {
  Random random(seed);
  ModelSpec spec;
  spec.name = "any axes";
  spec.links = {{"base", 1.0}};
  std::vector<std::string> ends{"base"};
  for (int body = 0; body < 14; ++body) {
    std::string parent = ends[at(test::pick(random, static_cast<int>(ends.size())))];
    Eigen::Vector3d axis = test::random_vector(random, 1.0).normalized(), before = Eigen::Vector3d::Zero();
    for (int k = 0; k <= body % 3; ++k) {
      const Eigen::Matrix3d R_PJ = test::random_rotation(random);
      const Eigen::Vector3d place = test::random_vector(random, 0.2);
      const std::string child = "body" + std::to_string(body) + "_" + std::to_string(k);
      spec.links.push_back({child, 0.0});
      spec.joints.push_back(test::hinge(parent, child, k == 0 || apart ? place : Eigen::Vector3d::Zero(),
                                        R_PJ.transpose() * axis, -4.0, 4.0, 50.0));
      spec.joints.back().R_PJ = R_PJ;
      parent = child;
      // the third one up to 0.3 rad from where it would be perpendicular to the first one too
      const Eigen::Vector3d across = k == 0 ? axis.unitOrthogonal() : before.cross(axis);
      const Eigen::AngleAxisd tilt(test::uniform(random, -0.3, 0.3), axis);
      before = R_PJ.transpose() * axis;
      axis = R_PJ.transpose() * (tilt * across);
    }
    spec.links.back().mass = 1.0;
    ends.push_back(parent);
  }
  return Model(spec);
}

// Every body turns as it is asked to, and the rates that this takes.
struct Scene {
  Scene(const Model& model, Random& random, const SceneOptions& options)
      : state(pose(model, random, options)),
        targets(weighted(model, random, options)),
        problem(model, targets.rows, options.damping, false),
        wanted(problem.tree),
        second(problem.tree) {
    problem.set_pose(state);
    problem.choose_rows(targets);
    still.assign(targets.rows.size(), Eigen::Vector3d::Zero());
    const TargetLanes lanes(model, problem.blocks(), targets.rows);
    for (TreeSolution* asked : {&wanted, &second}) {
      LaneArray<3> omega(problem.blocks().lanes());
      std::vector<Eigen::Vector3d> angular;
      for (std::size_t j = 0; j < targets.rows.size(); ++j) {
        angular.push_back(test::random_vector(random, 5.0));
        store(to_vec3(angular.back()), omega, lanes.lane_of_row(j));
      }
      problem.settle_bodies(omega, still, *asked);
      problem.settle_rates(*asked);
      problem.set_velocities(angular, still, targets);
      if (asked == &wanted) rhs = problem.tree.rhs;
    }
    problem.tree.companion = problem.tree.rhs;
    problem.tree.rhs = rhs;
    problem.build(state);
  }

  static State pose(const Model& model, Random& random, const SceneOptions& options) {
    State at_pose = rest_state(model);
    at_pose.R_WB = test::random_rotation(random);
    const double share = test::uniform(random, 0.1, 0.6);  // else some triple is nearly singular
    std::vector<unsigned char> ends(at(model.tree().size()), 0);
    for (const int link : targeted_links(model)) ends[at(model.frame(link).body)] = 1;
    const Blocks blocks(model, ends, true);
    for (int i = 0; i < model.dof(); ++i) {
      const bool triple = blocks.ball[LaneArray<3>::lane(at(blocks.slot_of_dof[at(i)]))] != 0;
      const double range = triple ? 2.0 * share : options.bend;
      at_pose.s[i] =
          test::uniform(random, std::max(model.lower()[i], -range), std::min(model.upper()[i], range));
    }
    return at_pose;
  }

  Targets weighted(const Model& model, Random& random, const SceneOptions& options) const {
    Targets all = test::targets_at(model, state, targeted_links(model));
    for (Target& row : all.rows) {
      row.has_position = row.position_weight > 0.0;
      row.orientation_weight = std::exp(test::uniform(random, -options.spread, options.spread));
    }
    return all;
  }

  // Bounds that `count` joints want to cross, and those of the others out of reach or near.
  void bound(int count, Random& random) {
    LaneArray<3>&lower = problem.tree.lower, &upper = problem.tree.upper;
    const std::vector<std::size_t> slots = test::joint_slots(problem.tree);
    for (const std::size_t slot : slots) {
      const double rate = wanted.rate[slot], room = test::uniform(random, 0.0, 3.0);
      lower[slot] = std::min(rate, 0.0) - room;
      upper[slot] = std::max(rate, 0.0) + room;
    }
    for (int k = 0; k < count; ++k) {
      // now and then in one block, or in the next one
      const std::size_t first = at(test::pick(random, static_cast<int>(slots.size())));
      const std::size_t slot =
          slots[k > 0 && test::chance(random, 0.5) ? (first / 3 * 3 + at(k) % 3) : first];
      const double rate = wanted.rate[slot];
      if (lower[slot] == upper[slot]) continue;
      (rate > 0.0 ? upper : lower)[slot] = rate * test::uniform(random, 0.1, 0.95);
      if (test::chance(random, 0.1)) lower[slot] = upper[slot] = rate * 0.5;
    }
  }

  State state;
  Targets targets;
  VelocityProblem problem;
  TreeSolution wanted, second;  // without bounds
  LaneArray<3> rhs;
  std::vector<Eigen::Vector3d> still;  // of the points
};

double farthest(const LaneArray<3>& a, const LaneArray<3>& b, const TreeProblem& tree) {
  double worst = 0.0;
  for (std::size_t lane = 0; lane <= tree.base; ++lane)
    worst = std::max(worst, (to_eigen(vec3(a, lane)) - to_eigen(vec3(b, lane))).norm());
  return worst;
}

struct Compared {
  int scenes = 0, cycled = 0;
  std::map<int, int> by_active;
  double body = 0.0, rate = 0.0, companion = 0.0, kkt = 0.0, kernel_kkt = 0.0;
};

// Scenes with so many joints that want to cross their bounds, at most.
Compared compare(const Model& model, int most, std::uint64_t seed, const SceneOptions& options = {}) {
  Random random(seed);
  Compared result;
  for (int i = 0; i < test::scaled(300); ++i) {
    Scene scene(model, random, options);
    if (!scene.problem.settles()) continue;
    scene.bound(test::pick(random, most + 1), random);
    const TreeProblem& tree = scene.problem.tree;
    ActiveSetSolver kernel(tree), other(tree);
    TreeSolution oracle(tree), oracle_second(tree), own(tree), second(tree);
    EXPECT_EQ(kernel.solve(tree, oracle, &oracle_second), TreeStatus::Exact);
    kernel.complete(tree, oracle, oracle_second);

    DecoupledSolver settled(scene.problem);
    EXPECT_TRUE(settled.settles());
    settled.ask({&scene.wanted.omega, &scene.still}, {&scene.second.omega, &scene.still});
    if (other.solve(tree, settled, own, &second) != TreeStatus::Exact) {
      ++result.cycled;  // the kernel's monotone method is asked then
      continue;
    }
    settled.complete(second);
    EXPECT_EQ(own.active, oracle.active) << "scene " << i;
    for (const std::size_t slot : test::joint_slots(tree)) {
      const bool fixed = tree.lower[slot] == tree.upper[slot];  // held, at whichever of the two
      const double expected = kernel.working_set()[slot], found = other.working_set()[slot];
      EXPECT_TRUE(fixed ? found * expected != 0.0 : found == expected) << "scene " << i << ", slot " << slot;
    }
    ++result.by_active[oracle.active];
    ++result.scenes;
    result.body = std::max(result.body, farthest(own.omega, oracle.omega, tree));
    result.rate = std::max(result.rate, farthest(own.rate, oracle.rate, tree));
    result.companion = std::max({result.companion, farthest(second.omega, oracle_second.omega, tree),
                                 farthest(second.rate, oracle_second.rate, tree)});
    const test::DenseProblem dense(tree);
    result.kernel_kkt = std::max(result.kernel_kkt, dense.kkt_residual(tree, dense.unpack(tree, oracle)));
    result.kkt = std::max(result.kkt, dense.kkt_residual(tree, dense.unpack(tree, own)));
  }
  EXPECT_LE(result.cycled, test::scaled(300) / 30) << "block pivoting from nothing hardly ever cycles";
  return result;
}

TEST(DecoupledSolver, FindsWhatTheKernelFindsWithAnyNumberOfJointsAtTheirBounds) {
  for (const int most : {0, 4, 40}) {
    const Compared with = compare(human66(), most, 41);
    int many = 0;
    for (const auto& [active, count] : with.by_active) many += active > 8 ? count : 0;
    EXPECT_GT(with.scenes, test::scaled(300) / 5);
    EXPECT_GT(many, most == 40 ? with.scenes / 4 : -1);
    EXPECT_LT(with.body, 1e-12) << "velocities up to 9 rad/s, weights from 0.13 to 7.4";
    EXPECT_LT(with.rate, 1e-11) << "the same over |det S| >= 0.3";
    EXPECT_LT(with.companion, 1e-11);
    EXPECT_LT(with.kkt, 1e-11);
  }
}

// Largest differences of bodies, of both questions, and of multipliers on one working set: joints in `blocks`
// blocks are held, at rates of their own.
struct OnOneSet {
  double body = 0.0, multiplier = 0.0;
};
OnOneSet compare_on_one_set(Scene& scene, std::size_t blocks, Random& random) {
  const TreeProblem& tree = scene.problem.tree;
  LaneArray<3> side(tree.lower.size()), rate(tree.lower.size());
  std::vector<std::size_t> lanes(tree.base);
  std::iota(lanes.begin(), lanes.end(), std::size_t{0});
  std::shuffle(lanes.begin(), lanes.end(), random);
  for (std::size_t i = 0; i < blocks; ++i) {
    const int which = 1 + test::pick(random, 7);  // at least one joint, or two, or all
    for (int k = 0; k < 3; ++k) {
      if ((which >> k) % 2 == 0) continue;
      side(k, lanes[i]) = test::chance(random, 0.5) ? 1.0 : -1.0;
      rate(k, lanes[i]) = test::uniform(random, -2.0, 2.0);
    }
  }
  TreeSolution oracle(tree), oracle_second(tree), own(tree), second(tree);
  TreeSolver kernel(tree);
  kernel.prepare(tree);
  EXPECT_TRUE(kernel.minimise(tree, &side, rate, oracle, &oracle_second));
  DecoupledSolver settled(scene.problem);
  EXPECT_TRUE(settled.settles());
  settled.ask({&scene.wanted.omega, &scene.still}, {&scene.second.omega, &scene.still});
  EXPECT_TRUE(settled.minimise(&side, rate, own, &second));
  OnOneSet off;
  off.body =
      std::max(farthest(own.omega, oracle.omega, tree), farthest(second.omega, oracle_second.omega, tree));
  for (std::size_t i = 0; i < side.flat_size(); ++i) {
    if (side[i] == 0.0) continue;
    const double wanted = kernel.curvature()[i] * (rate[i] - oracle.rho[i]),
                 found = settled.curvature()[i] * (rate[i] - own.rho[i]);
    off.multiplier = std::max(off.multiplier, std::abs(found - wanted));
  }
  return off;
}

TEST(DecoupledSolver, FindsBodiesAndMultipliersOfTheKernelOnAnyWorkingSetUpToAllJoints) {
  Random random(45);
  const Model model = human66();
  int scenes = 0;
  for (int i = 0; i < test::scaled(300); ++i) {
    Scene scene(model, random, {});
    if (!scene.problem.settles()) continue;
    ++scenes;
    // six blocks are the sparse factor's, seven are taken one by one, 22 are all
    for (const std::size_t blocks : {1, 6, 7, 15, 22}) {
      const OnOneSet off = compare_on_one_set(scene, blocks, random);
      EXPECT_LT(off.body, 1e-12) << blocks << " blocks; velocities up to 9 rad/s, weights from 0.13 to 7.4";
      EXPECT_LT(off.multiplier, 1e-11) << blocks << " blocks; up to 7.4 a body of 9 rad/s, times |S|";
    }
  }
  EXPECT_GT(scenes, test::scaled(300) / 5);
}

TEST(DecoupledSolver, FindsWhatTheKernelFindsWhereJointsAreMissing) {
  // the human's elbows, knees and spine of two hinges; and all kinds of blocks, bent to and beyond 90
  // degrees, where a triple with these axes would be in its gimbal lock
  Random random(42);
  for (const bool human : {true, false}) {
    for (int k = 0; k < (human ? 1 : 5); ++k) {
      const Model model = human ? human48() : all_kinds(random);
      for (const int most : {0, 4, 40}) {
        const Compared with = compare(model, most, 42);
        EXPECT_GT(with.scenes, test::scaled(300) / 5);
        EXPECT_LT(with.body, 1e-8) << "the kernel's rounding over a damping of 1e-6";
        EXPECT_LT(with.rate, 1e-8);
        EXPECT_LT(with.companion, 1e-8);
        EXPECT_LT(with.kkt, 1e-11);
      }
    }
  }
}

TEST(DecoupledSolver, FindsWhatTheKernelFindsForAxesInAnyDirectionThatDoNotMeet) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Model model = any_axes(seed, true);
    for (const int most : {0, 4, 40}) {
      const Compared with = compare(model, most, seed);
      EXPECT_GT(with.scenes, test::scaled(300) / 5);
      EXPECT_LT(with.body, 1e-8) << "the kernel's rounding over a damping of 1e-6";
      EXPECT_LT(with.rate, 1e-8);
      EXPECT_LT(with.companion, 1e-8);
      EXPECT_LT(with.kkt, 1e-11);
    }
  }
}

// Orientations of the bodies, and the base's place, of a swing of all joints.
Targets swinging(const Model& model, double t) {
  State state = rest_state(model);
  state.t = static_cast<Time>(std::llround(t * 1e9));
  for (Eigen::Index i = 0; i < state.s.size(); ++i) {
    const double beat = 2.0 + 0.3 * static_cast<double>(i % 7);
    state.s[i] = 0.4 * std::sin(beat * t);
    state.sdot[i] = 0.4 * beat * std::cos(beat * t);
  }
  Targets targets = test::targets_at(model, state, targeted_links(model));
  for (Target& row : targets.rows) row.has_position = row.position_weight > 0.0;
  return targets;
}

TEST(DecoupledSolver, DoesNotMindWhereTheAxesLieUnlessAPlaceIsFollowed) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Model meet = any_axes(seed, false), apart = any_axes(seed, true);
    Targets targets = swinging(meet, 0.0);
    DynamicalSolver one(meet, targets.rows, {}), other(apart, targets.rows, {});
    one.prime(targets);
    other.prime(targets);
    State a = rest_state(meet), b = rest_state(apart);
    for (int k = 1; k <= 100; ++k) {
      targets = swinging(meet, 0.01 * k);
      ASSERT_TRUE(usable(one.step(targets, a)));
      ASSERT_TRUE(usable(other.step(targets, b)));
      ASSERT_EQ(a.s, b.s) << "seed " << seed << ", step " << k;
      ASSERT_EQ(a.sdot, b.sdot);
      ASSERT_EQ(a.R_WB, b.R_WB);
    }
    for (Eigen::Index i = 0; i < a.s.size(); ++i)
      EXPECT_NEAR(a.s[i], 0.4 * std::sin(2.0 + 0.3 * static_cast<double>(i % 7)), 1e-3) << "after a second";
    EXPECT_EQ(VelocityProblem(apart, targets.rows, {}, false).blocks().count(), 14);
    targets.rows.back().position_weight = 25.0;
    EXPECT_GT(VelocityProblem(apart, targets.rows, {}, false).blocks().count(), 14);
    EXPECT_EQ(VelocityProblem(meet, targets.rows, {}, false).blocks().count(), 14);
  }
}

// A base with so many arms of one triple each.
Model star(int arms) {
  ModelSpec spec;
  spec.name = "star";
  spec.links = {{"base", 1.0}};
  for (int i = 0; i < arms; ++i) {
    std::string parent = "base";
    for (int k = 0; k < 3; ++k) {
      const std::string child = "arm" + std::to_string(i) + "_" + std::to_string(k);
      spec.links.push_back({child, k == 2 ? 1.0 : 0.0});
      spec.joints.push_back(
          test::hinge(parent, child, Eigen::Vector3d::Zero(), Eigen::Vector3d::Unit(k), -2.0, 2.0, 1.0));
      parent = child;
    }
  }
  return Model(spec);
}

// Bodies in a row, one hinge before each, or two.
Model chain(int bodies, int hinges) {
  ModelSpec spec;
  spec.name = "chain";
  spec.links = {{"base", 1.0}};
  for (int i = 0; i < bodies; ++i) {
    for (int k = 0; k < hinges; ++k) {
      const std::string child = "link" + std::to_string(i) + "_" + std::to_string(k);
      const Eigen::Vector3d place(0.0, 0.0, k == 0 ? 0.1 : 0.0);
      spec.joints.push_back(test::hinge(spec.links.back().name, child, place,
                                        Eigen::Vector3d::Unit((i + k) % 2), -2.0, 2.0, 1.0));
      spec.links.push_back({child, k + 1 == hinges ? 1.0 : 0.0});
    }
  }
  return Model(spec);
}

bool is_settled(const Model& model, double damping) {
  DampingOptions options;
  options.determined = damping;
  const Targets targets = swinging(model, 0.1);
  VelocityProblem problem(model, targets.rows, options, false);
  problem.set_pose(rest_state(model));
  problem.choose_rows(targets);
  EXPECT_TRUE(problem.settles());
  return DecoupledSolver(problem).settles();
}

TEST(DecoupledSolver, LeavesConditionsThatMeetOverManyBodiesToTheKernel) {
  EXPECT_TRUE(is_settled(star(10), 0.0));
  EXPECT_FALSE(is_settled(star(60), 0.0)) << "all conditions share the base";
  EXPECT_TRUE(is_settled(chain(60, 2), 1e-6));
  EXPECT_FALSE(is_settled(chain(60, 2), 1.0)) << "each hinge drags dozens of bodies along";
  EXPECT_FALSE(is_settled(chain(60, 1), 1e-6)) << "two conditions for each joint";
  const Model many = star(60);
  Targets targets = swinging(many, 0.0);
  DynamicalSolver solver(many, targets.rows, {});
  State state = rest_state(many);
  for (int k = 1; k <= 10; ++k) ASSERT_TRUE(usable(solver.step(targets = swinging(many, 0.01 * k), state)));
  EXPECT_GT(solver.last_report().active_bounds, 0) << "joints of 1 rad/s, and up to 1.5 asked for";
}

TEST(DecoupledSolver, SaysWhenItsSearchHasNotEnded) {
  // one sweep finds what is beyond its bound; holding it takes another one
  Random random(45);
  const Model model = human66();
  int held = 0;
  for (int i = 0; i < 100; ++i) {
    Scene scene(model, random, {});
    if (!scene.problem.settles()) continue;
    scene.bound(3, random);
    const TreeProblem& tree = scene.problem.tree;
    DecoupledSolver settled(scene.problem);
    ASSERT_TRUE(settled.settles());
    ActiveSetOptions one_sweep;
    one_sweep.max_pivots = 1;
    ActiveSetSolver cut(tree, one_sweep), whole(tree);
    TreeSolution own(tree), second(tree);
    settled.ask({&scene.wanted.omega, &scene.still}, {&scene.second.omega, &scene.still});
    ASSERT_EQ(whole.solve(tree, settled, own, &second), TreeStatus::Exact);
    const bool needs_more = own.solves > 1;
    EXPECT_EQ(cut.solve(tree, settled, own, &second), needs_more ? TreeStatus::Feasible : TreeStatus::Exact);
    held += needs_more ? 1 : 0;
  }
  EXPECT_GT(held, 10);
}

TEST(DecoupledSolver, CountsTheDampingOfHingesExactly) {
  // none at all, and up to stronger than the targets themselves
  Random random(43);
  for (const double lambda : {0.0, 1e-3, 1.0, 10.0}) {
    SceneOptions options;
    options.damping.determined = lambda;
    for (int k = 0; k < 5; ++k) {
      const Compared with = compare(all_kinds(random), 10, 43, options);
      EXPECT_GT(with.scenes, test::scaled(300) / 5);
      EXPECT_LT(with.kkt, 1e-11) << "lambda " << lambda;
      if (lambda > 0.0) {
        EXPECT_LT(with.body, 1e-10);
      }
    }
  }
  // where its formulas would lose digits it is not asked
  SceneOptions stiff;
  stiff.damping.determined = 1e6;
  for (int k = 0; k < 5; ++k) EXPECT_FALSE(Scene(all_kinds(random), random, stiff).problem.settles());
}

TEST(DecoupledSolver, IsExactWithWeightsAHundredTimesApartAndLeavesMoreToTheKernel) {
  Random random(44);
  SceneOptions options;
  options.spread = 2.3;
  for (int k = 0; k < 5; ++k) {
    const Compared with = compare(all_kinds(random), 10, 44, options);
    EXPECT_GT(with.scenes, test::scaled(300) / 5);
    EXPECT_LT(with.kkt, 1e-11) << "weights from 0.1 to 10; the kernel's is " << with.kernel_kkt;
  }
  EXPECT_LT(compare(human66(), 20, 44, options).kkt, 1e-11);
  const Model model = human48();
  const State rest = rest_state(model);
  for (const double ratio : {1.0, 99.0, 101.0}) {
    Targets targets = test::settling_targets(model, rest);
    targets.rows[5].orientation_weight = ratio;
    VelocityProblem problem(model, targets.rows, DampingOptions{}, false);
    problem.set_pose(rest);
    problem.choose_rows(targets);
    EXPECT_EQ(problem.settles(), ratio < 100.0);
  }
}

// A person who moves all joints, as a source would measure it.
Targets moving(const Model& model, double t, const Eigen::VectorXd& amplitude, const Eigen::VectorXd& beat) {
  State state = rest_state(model);
  state.t = static_cast<Time>(std::llround(t * 1e9));
  for (Eigen::Index i = 0; i < state.s.size(); ++i) {
    state.s[i] = amplitude[i] * std::sin(beat[i] * t);
    state.sdot[i] = amplitude[i] * beat[i] * std::cos(beat[i] * t);
  }
  return test::settling_targets(model, state);
}

// Where the search came from must not be seen: a solver that has followed the motion through steps with many,
// few and no joints at their bounds, and through samples without a hand, which the kernel answers, goes on as
// one that has only seen the sample before.
void expect_no_memory(const Model& model, int least_many) {
  Random random(43);
  Eigen::VectorXd amplitude(model.dof()), beat(model.dof());
  for (int i = 0; i < model.dof(); ++i) {
    amplitude[i] = test::uniform(random, 0.1, 0.3);
    beat[i] = test::uniform(random, 2.0, 6.0);
  }
  DynamicalOptions options;
  options.limits.speed_limit = 1.0;  // of joints without one of their own
  Targets before = moving(model, 0.0, amplitude, beat);
  DynamicalSolver followed(model, before.rows, options);
  State state = rest_state(model);
  followed.prime(before);
  int none = 0, few = 0, many = 0;
  for (int k = 1; k <= 400; ++k) {
    // the motion as a whole swells and dies away
    const double swell = 1.0 - std::cos(0.05 * k);
    Targets now = moving(model, 0.01 * k, swell * amplitude, beat);
    if (k % 10 == 0) now.rows.back().has_orientation = now.rows.back().has_angular_velocity = false;
    State alone = state;
    DynamicalSolver fresh(model, now.rows, options);
    fresh.prime(before);
    const StepStatus status = followed.step(now, state);
    ASSERT_TRUE(usable(status));
    ASSERT_EQ(fresh.step(now, alone), status);
    ASSERT_EQ(followed.last_report().active_bounds, fresh.last_report().active_bounds) << "step " << k;
    ASSERT_EQ(state.s, alone.s) << "step " << k;
    ASSERT_EQ(state.sdot, alone.sdot) << "step " << k;
    ASSERT_EQ(state.R_WB, alone.R_WB) << "step " << k;
    ASSERT_EQ(state.w_WB, alone.w_WB) << "step " << k;
    const int active = followed.last_report().active_bounds;
    ++(active == 0 ? none : active <= 8 ? few : many);
    before = now;
  }
  EXPECT_GT(none, 10);
  EXPECT_GT(few, 40);
  EXPECT_GE(many, least_many);
}

TEST(DecoupledSolver, GivesTheSameBitsWhateverWasHeldBefore) {
  expect_no_memory(human66(), 40);
  expect_no_memory(human48(), 0);  // its clinical limits, and joints that are missing
}

TEST(DecoupledSolver, SaysThatABoundIsActiveAndKeepsIt) {
  // what the user sees of it: a status, a number of joints, rates inside the limit and a body that lags
  const Model model = human66();
  Eigen::VectorXd amplitude = Eigen::VectorXd::Zero(model.dof()), beat = amplitude;
  amplitude[20] = 0.4;
  beat[20] = 10.0;
  DynamicalOptions options;
  options.limits.speed_limit = 2.0;
  Targets targets = moving(model, 0.0, amplitude, beat);
  DynamicalSolver solver(model, targets.rows, options);
  solver.prime(targets);
  State state = rest_state(model);
  int saturated = 0;
  for (int k = 1; k <= 200; ++k) {
    const double before = state.s[20];
    const AllocationCount count;
    targets = moving(model, 0.01 * k, amplitude, beat);
    const std::size_t made = count.value();
    const StepStatus status = solver.step(targets, state);
    ASSERT_EQ(count.value(), made) << "a step does not allocate";
    ASSERT_TRUE(usable(status));
    ASSERT_EQ(status == StepStatus::Saturated, solver.last_report().active_bounds > 0);
    saturated += status == StepStatus::Saturated ? 1 : 0;
    ASSERT_LE(std::abs(state.s[20] - before), 0.02 + 1e-12) << "2 rad/s for 10 ms";
    ASSERT_LE(std::abs(state.sdot[20]), 2.0);
  }
  EXPECT_GT(saturated, 50) << "the motion asks for 4 rad/s";
}

}  // namespace
}  // namespace panto
