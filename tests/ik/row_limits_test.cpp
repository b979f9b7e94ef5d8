// Coupled rows and mimics from the model to the step: bounds on their rates, and motions that obey them.

#include "panto/ik/row_limits.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "apps/support/allocation_count.hpp"
#include "panto/evaluation/report_card.hpp"
#include "panto/ik/alignment.hpp"
#include "panto/ik/dynamical.hpp"
#include "panto/ik/make_solver.hpp"
#include "panto/ik/pose_optimizer.hpp"
#include "panto/ik/pose_rows.hpp"
#include "tests/support/plain_potential.hpp"
#include "tests/support/random_model.hpp"
#include "tests/support/solver_scenes.hpp"
#include "tests/support/test_data.hpp"

namespace panto {
namespace {

using test::chance;
using test::Random;
using test::uniform;

// An arm with the iCub's limits, and the inequalities of the cables in its shoulder and wrist.
Model cable_arm() {
  struct Row {
    std::array<double, 5> a;
    double lower, upper;
  };
  const std::array<const char*, 5> names{"pitch", "roll", "yaw", "elbow", "prosup"};
  const std::array<double, 5> lower{-1.6580, 0.0, -0.6458, 0.0960, -1.0472};
  const std::array<double, 5> upper{0.0873, 2.8065, 1.7453, 1.8500, 1.0472};
  const std::array<int, 5> axis{1, 0, 2, 1, 2};
  ModelSpec spec;
  spec.name = "cable arm";
  spec.links = {{"chest"}, {"a"}, {"b"}, {"upper arm"}, {"forearm"}, {"hand"}};
  for (std::size_t k = 0; k < 5; ++k) {
    Joint joint;
    joint.name = names[k];
    joint.type = JointType::Revolute;
    joint.parent = spec.links[k].name;
    joint.child = spec.links[k + 1].name;
    joint.axis = Eigen::Vector3d::Unit(axis[k]);
    if (k > 2) joint.p_PJ = Eigen::Vector3d(0.0, 0.0, -0.15);
    joint.lower = lower[k];
    joint.upper = upper[k];
    spec.joints.push_back(joint);
  }
  const double inf = kInfinity;
  for (const Row& row :
       {Row{{1.7105, -1.7105, 0, 0, 0}, -6.0563, inf}, Row{{1.7105, -1.7105, -1.7105, 0, 0}, -6.3979, 1.9622},
        Row{{0, 1, 1, 0, 0}, -1.1623, 3.7228}, Row{{0, 1, 0.0427, 0, 0}, 0.4611, inf},
        Row{{0, 1, 0, 0, 0}, -inf, 1.7453}, Row{{0, 0, 0, 2.5, 1}, -inf, 5.2796},
        Row{{0, 0, 0, -2.5, 1}, -5.2796, inf}}) {
    CoupledRow coupled;
    coupled.name = "row " + std::to_string(spec.rows.size() + 1);
    for (std::size_t k = 0; k < 5; ++k) {
      if (row.a[k] != 0.0) coupled.terms.push_back({names[k], row.a[k]});
    }
    coupled.lower = row.lower;
    coupled.upper = row.upper;
    spec.rows.push_back(coupled);
  }
  return Model{spec};
}

// A palm with three fingers of two joints: the tips follow the knuckles, two fingers follow the first.
Model hand() {
  ModelSpec spec;
  spec.name = "hand";
  spec.links = {{"palm"}};
  for (int finger = 0; finger < 3; ++finger) {
    const std::string name = "finger" + std::to_string(finger);
    spec.links.push_back({name});
    spec.links.push_back({name + " tip"});
    for (int k = 0; k < 2; ++k) {
      Joint joint;
      joint.name = name + (k == 0 ? " knuckle" : " end");
      joint.type = JointType::Revolute;
      joint.parent = k == 0 ? "palm" : name;
      joint.child = k == 0 ? name : name + " tip";
      joint.axis = Eigen::Vector3d::UnitY();
      joint.p_PJ = Eigen::Vector3d(0.05, 0.02 * finger, 0.0);
      joint.lower = 0.0;
      joint.upper = k == 0 ? 1.2 : 1.5;
      spec.joints.push_back(joint);
    }
    spec.mimics.push_back({name + " end", name + " knuckle", 1.25, 0.0});
    if (finger > 0) spec.mimics.push_back({name + " knuckle", "finger0 knuckle", 1.0, 0.0});
  }
  return Model{spec};
}

std::vector<Target> every_link(const Model& model) {
  std::vector<Target> rows;
  for (int link = 0; link < model.link_count(); ++link) {
    Target row;
    row.link = link;
    row.position_weight = link == model.root_link() ? 25.0 : 0.0;
    row.has_orientation = true;
    row.has_position = row.position_weight > 0.0;
    rows.push_back(row);
  }
  return rows;
}

// Poses that no admissible state has: every joint up to 1.5 rad beyond its limits.
void aim_anywhere(Random& random, const Model& model, Targets& targets) {
  State pose = rest_state(model);
  for (int i = 0; i < model.dof(); ++i)
    pose.s[i] =
        uniform(random, std::max(model.lower()[i], -3.0) - 1.5, std::min(model.upper()[i], 3.0) + 1.5);
  Kinematics kinematics(model);
  kinematics.update(pose);
  for (Target& row : targets.rows) {
    row.R_WF = kinematics.R_WL(row.link);
    row.p_WF = kinematics.p_WL(row.link);
  }
}

TEST(RowLimits, GiveRowsTheLawOfJointsInTheirOwnUnits) {
  const Model model = cable_arm();
  LimitOptions options;
  options.speed_limit = 10.0;
  const JointLimits joints(model, options);
  Eigen::VectorXd s(5);
  s << -0.5, 1.0, 0.2, 1.0, 0.0;
  std::vector<double> lower(7), upper(7);
  for (const LimitLaw law : {LimitLaw::Exact, LimitLaw::Tanh, LimitLaw::Braking}) {
    options.law = law;
    const RowLimits rows(model, options, joints.speed());
    rows.rate_bounds(s, 0.01, lower, upper);
    // row 6: 2.5 elbow + prosup <= 5.2796, the joints' speed limits allow 35 together
    const double distance = 5.2796 - 2.5;
    LimitOptions scaled = options;
    scaled.max_deceleration *= 3.5;
    EXPECT_DOUBLE_EQ(upper[5], speed_towards(distance, 35.0, 0.01, scaled));
    EXPECT_EQ(lower[5], -35.0) << "there is no lower bound";
    EXPECT_LE(upper[5] * 0.01, distance) << "one step does not cross it";
  }
  options.law = LimitLaw::None;
  RowLimits(model, options, joints.speed()).rate_bounds(s, 0.01, lower, upper);
  EXPECT_EQ(upper[5], 35.0);
}

TEST(RowLimits, SendARowThatIsOutsideBackWithHalfTheSpeedOfItsJoints) {
  const Model model = cable_arm();
  LimitOptions options;
  options.speed_limit = 2.0;
  const JointLimits joints(model, options);
  const RowLimits rows(model, options, joints.speed());
  Eigen::VectorXd s = Eigen::VectorXd::Zero(5);
  EXPECT_DOUBLE_EQ(rows.violation(s), 0.4611) << "zero is outside row 4";
  std::vector<double> lower(7), upper(7);
  rows.rate_bounds(s, 0.01, lower, upper);
  EXPECT_DOUBLE_EQ(lower[3], 0.5 * 2.0 * 1.0427);
  rows.rate_bounds(s, 10.0, lower, upper);
  EXPECT_DOUBLE_EQ(lower[3], 0.04611);
  for (std::size_t r = 0; r < 7; ++r) EXPECT_LE(lower[r], upper[r]);
}

TEST(RowLimits, KeepEqualitiesUnderEveryLaw) {
  const Model model = hand();
  LimitOptions options;
  options.law = LimitLaw::None;
  const JointLimits joints(model, options);
  const RowLimits rows(model, options, joints.speed());
  Eigen::VectorXd s = Eigen::VectorXd::Zero(model.dof());
  std::vector<double> lower(5), upper(5);
  rows.rate_bounds(s, 0.01, lower, upper);
  EXPECT_EQ(lower, std::vector<double>(5, 0.0));
  EXPECT_EQ(upper, std::vector<double>(5, 0.0));
  s[model.joint_index("finger0 end")] = 0.1;
  rows.rate_bounds(s, 0.01, lower, upper);
  EXPECT_NEAR(lower[0], -10.0, 1e-12);
  EXPECT_EQ(lower[0], upper[0]);
}

TEST(CoupledRows, AreMetFromAnyStartWithinTwoSecondsAndThenKept) {
  // 1e6 random steps in the thorough tier, targets beyond all limits, starts outside rows and boxes
  const Model model = cable_arm();
  Random random(21);
  std::array<int, ReportBuilder::kFallbackLevels> levels{};
  int outside = 0, steps = 0;
  double worst_after = 0.0, worst_kept = 0.0;
  for (int episode = 0; steps < test::scaled_numerical(20000); ++episode) {
    DynamicalOptions options = robot_options();
    options.limits.law = episode % 3 == 0   ? LimitLaw::Exact
                         : episode % 3 == 1 ? LimitLaw::Braking
                                            : LimitLaw::Tanh;
    options.limits.tanh_gain = 5.0;
    options.limits.speed_limit = chance(random, 0.5) ? 10.0 : 3.0;
    Targets targets{0, every_link(model)};
    DynamicalSolver solver(model, targets.rows, options);
    const JointLimits joints(model, options.limits);
    const RowLimits rows(model, options.limits, joints.speed());
    State state = rest_state(model);
    const double beyond = chance(random, 0.3) ? 0.5 : 0.0;
    for (int i = 0; i < 5; ++i)
      state.s[i] = uniform(random, model.lower()[i] - beyond, model.upper()[i] + beyond);
    outside += rows.violation(state.s) > 0.0 ? 1 : 0;
    const double dt = uniform(random, 0.005, 0.02);
    bool inside = false;
    for (int k = 1; k * dt <= 2.0; ++k, ++steps) {
      if (k % 25 == 1) aim_anywhere(random, model, targets);
      targets.t += from_seconds(dt);
      const StepStatus status = solver.step(targets, state);
      ASSERT_TRUE(usable(status)) << to_string(status) << ", episode " << episode << ", step " << k;
      ++levels[static_cast<std::size_t>(solver.last_report().fallback_level)];
      double off = rows.violation(state.s);
      for (int i = 0; i < 5; ++i)
        off = std::max({off, state.s[i] - model.upper()[i], model.lower()[i] - state.s[i]});
      if (inside) {
        worst_kept = std::max(worst_kept, off);
        ASSERT_LE(off, 1e-9) << "left what it had reached, episode " << episode << ", step " << k;
      }
      inside = inside || off <= 1e-12;
      if ((k + 1) * dt > 2.0) {
        worst_after = std::max(worst_after, off);
        ASSERT_LE(off, options.limits.law == LimitLaw::Tanh ? 1e-4 : 1e-9)
            << "not back after 2 s, episode " << episode;
      }
    }
  }
  std::printf(
      "%d steps, %d starts outside the rows; levels %d %d %d %d %d %d; after 2 s %.1e, kept to %.1e\n", steps,
      outside, levels[0], levels[1], levels[2], levels[3], levels[4], levels[5], worst_after, worst_kept);
  EXPECT_GT(outside, test::scaled_numerical(10));
  EXPECT_EQ(levels[4] + levels[5], 0);
}

TEST(CoupledRows, MimicsHoldToRoundingFromAlignmentOn) {
  const Model model = hand();
  Random random(22);
  double worst = 0.0;
  for (int episode = 0; episode < test::scaled_numerical(60); ++episode) {
    DynamicalOptions options;
    options.limits.law = episode % 2 == 0 ? LimitLaw::Exact : LimitLaw::Braking;
    if (episode % 3 == 0) options.limits.speed_limit = 5.0;
    Targets targets{0, every_link(model)};
    DynamicalSolver solver(model, targets.rows, options);
    Aligner aligner(model, targets.rows, options);
    const RowLimits rows(model, options.limits, JointLimits(model, options.limits).speed());
    State state = test::random_state(model, random);
    aim_anywhere(random, model, targets);
    aligner.align(targets, state);
    ASSERT_LE(rows.violation(state.s), 1e-12) << "after alignment";
    solver.prime(targets);
    for (int k = 0; k < 200; ++k) {
      if (k % 20 == 0) aim_anywhere(random, model, targets);
      targets.t += from_seconds(uniform(random, 0.001, 0.02));
      ASSERT_TRUE(usable(solver.step(targets, state)));
      worst = std::max(worst, rows.violation(state.s));
      ASSERT_LE(worst, 1e-12) << "episode " << episode << ", step " << k;
      ASSERT_LE(solver.last_report().fallback_level, 1);
      EXPECT_LE(rows.violation(state.sdot), 1e-9) << "rates obey the mimics too: their offsets are zero here";
      for (int i = 0; i < model.dof(); ++i) {
        ASSERT_GE(state.s[i], model.lower()[i]);
        ASSERT_LE(state.s[i], model.upper()[i]);
      }
    }
  }
  std::printf("mimics off by at most %.1e\n", worst);
}

TEST(CoupledRows, MimicsHoldOnRandomRobots) {
  // chains and branches, sliders, triples; where limits and mimics contradict each other there is still a
  // step
  Random random(26);
  int kept = 0, contradicting = 0, relaxed = 0;
  for (int episode = 0; episode < test::scaled_numerical(150); ++episode) {
    test::RandomModelOptions kind;
    kind.max_joints = 25;
    kind.max_scale = 1.0;
    kind.mimics = true;
    const Model model = test::random_model(random(), kind);
    if (model.rows().empty()) continue;
    Targets targets{0, every_link(model)};
    aim_anywhere(random, model, targets);
    DynamicalSolver solver(model, targets.rows, robot_options());
    Aligner aligner(model, targets.rows, robot_options());
    const JointLimits joints(model, robot_options().limits);
    const RowLimits rows(model, robot_options().limits, joints.speed());
    State state = rest_state(model);
    aligner.align(targets, state);
    solver.prime(targets);

    std::vector<double> admissible(state.s.data(), state.s.data() + state.s.size());
    const std::vector<unsigned char> none(model.rows().size(), 0);
    const bool possible =
        RowProjection(rows.positions())
            .project(rows.positions(), model.lower().data(), model.upper().data(), none, admissible.data());
    (possible ? kept : contradicting) += 1;
    for (int k = 0; k < 60; ++k) {
      if (k % 15 == 0) aim_anywhere(random, model, targets);
      targets.t += 10'000'000;
      ASSERT_TRUE(usable(solver.step(targets, state))) << "episode " << episode << ", step " << k;
      relaxed += solver.last_report().fallback_level == 3 ? 1 : 0;
      ASSERT_LE(solver.last_report().fallback_level, 3);
      if (!possible) continue;
      ASSERT_LE(rows.violation(state.s), 1e-12) << "episode " << episode << ", step " << k;
      ASSERT_LE(solver.last_report().fallback_level, 1) << "episode " << episode << ", step " << k;
    }
  }
  std::printf("mimics kept on %d robots; %d contradict their limits, %d steps relaxed\n", kept, contradicting,
              relaxed);
  EXPECT_GT(kept, test::scaled_numerical(50));
}

TEST(CoupledRows, AreMetByAlignment) {
  const Model model = cable_arm();
  Random random(23);
  const RowLimits rows(model, {}, JointLimits(model, {}).speed());
  for (int i = 0; i < test::scaled_numerical(300); ++i) {
    Targets targets{0, every_link(model)};
    aim_anywhere(random, model, targets);
    Aligner aligner(model, targets.rows, {});
    State state = rest_state(model);
    aligner.align(targets, state);
    ASSERT_LE(rows.violation(state.s), 1e-11) << "targets " << i;
    for (int k = 0; k < 5; ++k) {
      ASSERT_GE(state.s[k], model.lower()[k]);
      ASSERT_LE(state.s[k], model.upper()[k]);
    }
  }
}

TEST(CoupledRows, LeaveReachablePosesExact) {
  // targets of an admissible motion: rows must not be in its way
  const Model model = cable_arm();
  Random random(24);
  const RowLimits rows(model, {}, JointLimits(model, {}).speed());
  for (int i = 0; i < test::scaled_numerical(200); ++i) {
    State pose = rest_state(model);
    do {
      for (int k = 0; k < 5; ++k) pose.s[k] = uniform(random, model.lower()[k], model.upper()[k]);
    } while (rows.violation(pose.s) > 0.0);
    Targets targets{0, every_link(model)};
    Kinematics kinematics(model);
    kinematics.update(pose);
    for (Target& row : targets.rows) {
      row.R_WF = kinematics.R_WL(row.link);
      row.p_WF = kinematics.p_WL(row.link);
    }
    Aligner aligner(model, targets.rows, {});
    State state = rest_state(model);
    aligner.align(targets, state);
    EXPECT_LT((state.s - pose.s).norm(), 1e-6) << "pose " << i;
  }
}

TEST(CoupledRows, CostNoAllocation) {
  if (!AllocationCount::available()) GTEST_SKIP() << "the sanitizer owns malloc";
  const Model model = cable_arm();
  Random random(25);
  Targets targets{0, every_link(model)};
  DynamicalSolver solver(model, targets.rows, robot_options());
  Aligner aligner(model, targets.rows, robot_options());
  State state = rest_state(model);
  for (int k = 0; k < 50; ++k) {
    aim_anywhere(random, model, targets);
    targets.t += 10'000'000;
    const AllocationCount count;
    const StepStatus status = solver.step(targets, state);
    aligner.align(targets, state);
    EXPECT_EQ(count.value(), 0);
    EXPECT_TRUE(usable(status));
  }
}

double value_of(const CoupledRow& row, const Model& model, const Eigen::VectorXd& x) {
  double value = 0.0;
  for (const CoupledRow::Term& term : row.terms) value += term.coefficient * x[model.joint_index(term.joint)];
  return value;
}

// how far `x` is beyond the rows of `model`, mimics among them, and how far its rates move rows on that stand
double beyond_rows(const Model& model, const Eigen::VectorXd& x) {
  double worst = 0.0;
  for (const CoupledRow& row : model.rows()) {
    const double value = value_of(row, model, x);
    worst = std::max({worst, value - row.upper, row.lower - value});
  }
  return worst;
}

// how far `s` is from the bounds of rows that stand there within 1e-8, all together
double short_of_rows(const Model& model, const Eigen::VectorXd& s) {
  double sum = 0.0;
  for (const CoupledRow& row : model.rows()) {
    const double value = value_of(row, model, s);
    for (const double to_bound : {row.upper - value, value - row.lower})
      sum += std::abs(to_bound) < 1e-8 ? std::abs(to_bound) : 0.0;
  }
  return sum;
}

TEST(CoupledRows, AreKeptByEverySolverThatTakesThem) {
  Random random(27);
  for (const SolverKind kind :
       {SolverKind::Dynamical, SolverKind::Instantaneous, SolverKind::Pairwise, SolverKind::DampedJacobian}) {
    for (const Model& model : {cable_arm(), hand()}) {
      SolverOptions options;
      options.dynamical = robot_options();
      Targets targets{0, every_link(model)};
      const auto solver = make_solver(kind, model, targets.rows, options);
      State state = rest_state(model);
      PoseRows(model).meet(model.lower(), model.upper(), state.s);
      for (int k = 1; k <= test::scaled(200); ++k) {
        if (k % 5 == 1) aim_anywhere(random, model, targets);
        targets.t = frame_time(k, 50.0);
        ASSERT_TRUE(usable(solver->step(targets, state))) << to_string(kind) << " " << model.name();
        ASSERT_LT(beyond_rows(model, state.s), 1e-9)
            << to_string(kind) << " " << model.name() << " step " << k;
        ASSERT_LE(test::beyond_limits(model, state), 1e-12) << to_string(kind) << " " << model.name();
      }
    }
  }
}

TEST(CoupledRows, LeaveTheInstantaneousSolverWhereNoAdmissibleStepLowersThePotential) {
  Random random(28);
  int pressing = 0;
  for (const Model& model : {cable_arm(), hand()}) {
    Targets targets{0, every_link(model)};
    PoseRows rows(model);
    PoseOptimizer optimizer(model, targets.rows, {});
    for (int episode = 0; episode < test::scaled(30); ++episode) {
      aim_anywhere(random, model, targets);
      State state = rest_state(model);
      // 1e-8 and not converged: where two rows and a limit meet in a corner, rounding of 1e-9 may decide
      (void)optimizer.minimise(targets, model.lower(), model.upper(), state);
      ASSERT_LT(optimizer.gradient(), 1e-8) << model.name() << " episode " << episode;
      pressing += optimizer.active() > 0 ? 1 : 0;
      Kinematics kinematics(model);
      kinematics.update(state);
      const double value = test::PlainPotential::value(targets, kinematics),
                   gap = short_of_rows(model, state.s);
      test::PlainPotential potential(model);
      potential.update_gradient(targets, kinematics);
      const double steepest = potential.joints().lpNorm<1>();
      for (int k = 0; k < 100; ++k) {
        State near = state;
        for (int i = 0; i < model.dof(); ++i) near.s[i] += uniform(random, -1e-6, 1e-6);
        near.s = near.s.cwiseMax(model.lower()).cwiseMin(model.upper());
        rows.meet(model.lower(), model.upper(), near.s);
        ASSERT_LT(beyond_rows(model, near.s), 1e-9);
        kinematics.update(near);
        const double lower = value - test::PlainPotential::value(targets, kinematics);
        // a slope of 1e-5, curvature below 20, and what it is to a bound for rows that count as standing
        // there
        const double way = (near.s - state.s).norm();
        ASSERT_LE(lower, 1e-5 * way + 10.0 * way * way + steepest * gap)
            << model.name() << " episode " << episode;
      }
    }
  }
  EXPECT_GT(pressing, test::scaled(30)) << "targets lie beyond all limits";
}

TEST(CoupledRows, ProjectedGradientIsWhatNoRowAndNoBoundHoldsBack) {
  // one row s0 + s1 <= 1 that holds: the part of the slope along (1, 1) goes, the part along (1, -1) stays
  ModelSpec spec;
  spec.name = "two joints";
  spec.links = {{"0"}, {"1"}, {"2"}};
  for (int k = 0; k < 2; ++k) {
    Joint joint;
    joint.name = std::string(1, static_cast<char>('a' + k));
    joint.parent = std::to_string(k);
    joint.child = std::to_string(k + 1);
    joint.type = JointType::Revolute;
    joint.axis = Eigen::Vector3d::UnitZ();
    joint.lower = -1.0;
    joint.upper = 1.0;
    spec.joints.push_back(joint);
  }
  spec.rows.push_back({"sum", {{"a", 1.0}, {"b", 1.0}}, -kInfinity, 1.0});
  const Model model{spec};
  PoseRows rows(model);
  const Eigen::Vector2d at_row(0.25, 0.75);
  Eigen::VectorXd slope = Eigen::Vector2d(-3.0, -1.0);
  EXPECT_EQ(rows.project(model.lower(), model.upper(), at_row, slope), 1);
  EXPECT_NEAR(slope[0], -1.0, 1e-12);
  EXPECT_NEAR(slope[1], 1.0, 1e-12);
  EXPECT_TRUE(rows.presses(0));
  slope = Eigen::Vector2d(3.0, 1.0);  // away from it
  EXPECT_EQ(rows.project(model.lower(), model.upper(), at_row, slope), 0);
  EXPECT_EQ(slope, Eigen::Vector2d(3.0, 1.0));
  Eigen::VectorXd outside = Eigen::Vector2d(1.0, 1.0);
  rows.meet(model.lower(), model.upper(), outside);
  EXPECT_NEAR((outside - Eigen::Vector2d(0.5, 0.5)).norm(), 0.0, 1e-12);
}

}  // namespace
}  // namespace panto
