// What every solver promises, on every kind of model. A new solver joins by one line in `kSolvers`.

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <numbers>
#include <ostream>
#include <string>
#include <tuple>

#include "apps/support/allocation_count.hpp"
#include "panto/ik/make_solver.hpp"
#include "tests/support/solver_scenes.hpp"
#include "tests/support/test_data.hpp"

namespace panto {
namespace {

using test::Random;

SolverOptions by_rates() {
  SolverOptions options;
  options.modular.law = ModularLaw::Rates;
  return options;
}

SolverOptions damped(JacobianDamping damping) {
  SolverOptions options;
  options.damped_jacobian.damping = damping;
  return options;
}

struct SolverCase {
  const char* name;
  SolverKind kind;
  SolverOptions options = {};
  double reach = 1e-7;  // [rad] from a pose that can be reached, after three seconds
};

const SolverCase kSolvers[] = {
    {"dynamical", SolverKind::Dynamical},
    {"instantaneous", SolverKind::Instantaneous, {}, 1e-9},
    {"pairwise", SolverKind::Pairwise, {}, 1e-9},
    {"plain_jacobian", SolverKind::DampedJacobian, damped(JacobianDamping::Plain)},
    {"constant_jacobian", SolverKind::DampedJacobian, damped(JacobianDamping::Constant), 1e-5},
    {"adaptive_jacobian", SolverKind::DampedJacobian, damped(JacobianDamping::Adaptive), 1e-5},
    {"modular", SolverKind::Modular},
    {"modular_rates", SolverKind::Modular, by_rates(), 1e-5},
};

struct ModelCase {
  const char* name;
  Model (*make)();
};

const ModelCase kModels[] = {
    {"human66", [] { return human66(); }}, {"human48", [] { return human48(); }},
    {"random_tree", test::random_tree},    {"small_robot", test::small_robot},
    {"upper_body", test::upper_body},
};

// what GoogleTest prints of a case
std::ostream& operator<<(std::ostream& out, const SolverCase& solver) { return out << solver.name; }
std::ostream& operator<<(std::ostream& out, const ModelCase& model) { return out << model.name; }

class SolverConformance : public testing::TestWithParam<std::tuple<SolverCase, ModelCase>> {
 protected:
  [[nodiscard]] const SolverCase& solver_case() const { return std::get<0>(GetParam()); }
  [[nodiscard]] std::unique_ptr<Solver> make(const Model& model, const std::vector<Target>& rows) const {
    return make_solver(solver_case().kind, model, rows, solver_case().options);
  }

  /// Follows the same targets for `seconds` at 50 Hz.
  void settle(Solver& solver, Targets targets, State& state, double seconds) const {
    const Time begin = state.t;
    for (int k = 1; k <= static_cast<int>(seconds * 50.0); ++k) {
      targets.t = begin + frame_time(k, 50.0);
      ASSERT_TRUE(usable(solver.step(targets, state))) << "step " << k;
    }
  }

  Model model_ = std::get<1>(GetParam()).make();
};

// the models that are the same on both sides
class SolverConformanceOnPeople : public SolverConformance {};

// targets that nothing can meet
Targets contradictory(const Model& model, Random& random) {
  Targets targets = test::observed(model, rest_state(model));
  for (Target& row : targets.rows) {
    row.R_WF = test::random_rotation(random);
    row.w_WF = test::random_vector(random, 3.0);
  }
  return targets;
}

TEST_P(SolverConformance, RecoversPosesMadeByForwardKinematics) {
  Random random(1);
  double worst = 0.0;
  for (int i = 0; i < test::scaled(10); ++i) {
    const State goal = test::random_pose(model_, random, 0.6);
    const Targets targets = test::observed(model_, goal);
    State state = goal;
    state.p_WB += test::random_vector(random, 0.3);
    state.R_WB = so3::exp(test::random_vector(random, 0.3)) * goal.R_WB;
    for (int k = 0; k < model_.dof(); ++k) {
      const double near = goal.s[k] + test::uniform(random, -0.3, 0.3);
      state.s[k] = std::clamp(near, model_.lower()[k], model_.upper()[k]);
    }
    const auto solver = make(model_, targets.rows);
    settle(*solver, targets, state, 3.0);
    worst = std::max(worst, test::worst_angle(model_, state, targets));
    EXPECT_LT((state.p_WB - goal.p_WB).norm(), 1e-6);
  }
  EXPECT_LT(worst, solver_case().reach);
}

TEST_P(SolverConformance, FollowsAMovingBody) {
  // with the rates measured: the error that remains is that of the interval's mean velocity; damping costs
  // the baseline more
  Random random(2);
  test::SmoothMotion motion(model_, random);
  Targets targets = test::observed(model_, motion.at_time(0));
  State state = motion.at_time(0);
  const auto solver = make(model_, targets.rows);
  solver->prime(targets);
  double worst_angle = 0.0, worst_rate = 0.0;
  for (int k = 1; k <= 100; ++k) {
    const State& truth = motion.at_time(frame_time(k, 100.0));
    test::observe(model_, truth, targets);
    ASSERT_TRUE(usable(solver->step(targets, state)));
    worst_angle = std::max(worst_angle, test::worst_angle(model_, state, targets));
    worst_rate = std::max(worst_rate, (state.w_WB - truth.w_WB).norm());
  }
  EXPECT_LT(worst_angle, 0.1);
  EXPECT_LT(worst_rate, 0.1);
}

TEST_P(SolverConformance, KeepsEveryJointInsideItsLimits) {
  Random random(3);
  for (int i = 0; i < test::scaled(5); ++i) {
    State state = test::random_pose(model_, random, 1.0);
    Targets targets = contradictory(model_, random);
    const auto solver = make(model_, targets.rows);
    bool saturated = false;
    for (int k = 1; k <= 60; ++k) {
      if (k % 20 == 0) targets.rows = contradictory(model_, random).rows;
      targets.t = frame_time(k, 50.0);
      const StepStatus status = solver->step(targets, state);
      ASSERT_TRUE(usable(status));
      ASSERT_TRUE(is_valid(state, model_));
      ASSERT_LE(test::beyond_limits(model_, state), 1e-12);
      ASSERT_LE((state.sdot.cwiseAbs() - model_.velocity_limit()).maxCoeff(), 1e-9);
      saturated = saturated || status == StepStatus::Saturated;
      ASSERT_EQ(status == StepStatus::Saturated, solver->last_report().active_bounds > 0);
    }
    EXPECT_EQ(saturated, model_.lower().maxCoeff() > -kInfinity);
  }
}

TEST_P(SolverConformance, GivesTheSameBitsForTheSameInput) {
  Random random(4);
  test::SmoothMotion motion(model_, random);
  Targets targets = test::observed(model_, motion.at_time(0));
  const auto first = make(model_, targets.rows), second = make(model_, targets.rows);
  State a = test::random_pose(model_, random, 0.3), b = a;
  for (int k = 1; k <= 40; ++k) {
    test::observe(model_, motion.at_time(frame_time(k, 60.0)), targets);
    ASSERT_TRUE(usable(first->step(targets, a)));
    ASSERT_TRUE(usable(second->step(targets, b)));
    ASSERT_EQ(state_hash(a), state_hash(b));
  }
}

TEST_P(SolverConformance, ContinuesFromACopiedStateWithTheSameBits) {
  Random random(5);
  test::SmoothMotion motion(model_, random, 0.8);
  Targets targets = test::observed(model_, motion.at_time(0));
  State state = test::random_pose(model_, random, 0.5);
  const auto uninterrupted = make(model_, targets.rows);
  auto resumed = make(model_, targets.rows);
  for (int k = 1; k <= 30; ++k) {
    test::observe(model_, motion.at_time(frame_time(k, 60.0)), targets);
    ASSERT_TRUE(usable(uninterrupted->step(targets, state)));
  }
  State copy = state;
  resumed->prime(targets);
  for (int k = 31; k <= 60; ++k) {
    test::observe(model_, motion.at_time(frame_time(k, 60.0)), targets);
    ASSERT_TRUE(usable(uninterrupted->step(targets, state)));
    ASSERT_TRUE(usable(resumed->step(targets, copy)));
    ASSERT_EQ(state_hash(state), state_hash(copy)) << "frame " << k;
  }
}

TEST_P(SolverConformance, LeavesTheStateUntouchedByWhatItRefuses) {
  Random random(6);
  State state = test::random_pose(model_, random, 0.3);
  Targets targets = test::observed(model_, test::random_pose(model_, random, 0.3));
  const auto solver = make(model_, targets.rows);
  targets.t = frame_time(1, 50.0);
  ASSERT_TRUE(usable(solver->step(targets, state)));
  targets.t = frame_time(2, 50.0);
  const State before = state;
  const auto refuses = [&](StepStatus expected, const std::function<void(Targets&)>& spoil) {
    Targets bad = targets;
    spoil(bad);
    EXPECT_EQ(solver->step(bad, state), expected);
    EXPECT_EQ(state.t, before.t);
    EXPECT_EQ(state_hash(state), state_hash(before));
  };
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const std::size_t last = targets.rows.size() - 1;
  refuses(StepStatus::TargetNotFinite, [&](Targets& t) { t.rows[last].R_WF(1, 2) = nan; });
  refuses(StepStatus::TargetNotFinite, [&](Targets& t) { t.rows[0].p_WF.z() = kInfinity; });
  refuses(StepStatus::TargetNotFinite, [&](Targets& t) { t.rows[last].w_WF.x() = -kInfinity; });
  refuses(StepStatus::TargetNotFinite, [&](Targets& t) { t.rows[0].v_WF.y() = nan; });
  refuses(StepStatus::TimeNotAdvancing, [&](Targets& t) { t.t = before.t; });
  refuses(StepStatus::TimeNotAdvancing, [&](Targets& t) { t.t = before.t - 1; });
  refuses(StepStatus::SizeMismatch, [&](Targets& t) { t.rows.pop_back(); });
  refuses(StepStatus::NoTarget, [&](Targets& t) {
    for (Target& row : t.rows) row.has_orientation = row.has_position = false;
  });
  State small = state;
  small.s.resize(0);
  EXPECT_EQ(solver->step(targets, small), StepStatus::SizeMismatch);

  // and it goes on as if it had not seen them
  const auto spared = make(model_, targets.rows);
  Targets first = targets;
  first.t = before.t;
  spared->prime(first);
  State other = before;
  ASSERT_TRUE(usable(solver->step(targets, state)));
  ASSERT_TRUE(usable(spared->step(targets, other)));
  EXPECT_EQ(state_hash(state), state_hash(other));
}

TEST_P(SolverConformance, TurnsOnlyTheBaseWhenTheWorldIsTurned) {
  Random random(7);
  test::SmoothMotion motion(model_, random);
  Targets targets = test::observed(model_, motion.at_time(0));
  const Eigen::Matrix3d Q = test::random_rotation(random);
  State state = test::random_pose(model_, random, 0.2), turned = state;
  turned.R_WB = Q * state.R_WB;
  turned.p_WB = Q * state.p_WB;
  const auto first = make(model_, targets.rows), second = make(model_, targets.rows);
  for (int k = 1; k <= 60; ++k) {
    test::observe(model_, motion.at_time(frame_time(k, 60.0)), targets);
    ASSERT_TRUE(usable(first->step(targets, state)));
    for (Target& row : targets.rows) {
      row.R_WF = Q * row.R_WF;
      row.p_WF = Q * row.p_WF;
      row.w_WF = Q * row.w_WF;
      row.v_WF = Q * row.v_WF;
    }
    ASSERT_TRUE(usable(second->step(targets, turned)));
    ASSERT_LT((turned.s - state.s).cwiseAbs().maxCoeff(), 1e-9) << "frame " << k;
    ASSERT_LT((turned.R_WB - Q * state.R_WB).cwiseAbs().maxCoeff(), 1e-9);
    ASSERT_LT((turned.p_WB - Q * state.p_WB).cwiseAbs().maxCoeff(), 1e-9);
    ASSERT_LT((turned.sdot - state.sdot).cwiseAbs().maxCoeff(), 1e-6);
  }
}

// a human's left for its right: y changes its sign, and so do turns about x and z
struct Mirror {
  explicit Mirror(const Model& model) {
    for (int link = 0; link < model.link_count(); ++link)
      link_of.push_back(model.link_index(other_side(model.links()[at(link)].name)));
    for (int i = 0; i < model.dof(); ++i) {
      const std::string& name = model.joint_names()[at(i)];
      joint_of.push_back(model.joint_index(other_side(name)));
      sign.push_back(name.back() == 'y' ? 1.0 : -1.0);
    }
  }
  static std::string other_side(std::string name) {
    const std::size_t right = name.find("Right"), left = name.find("Left");
    if (right != std::string::npos) return name.replace(right, 5, "Left");
    if (left != std::string::npos) return name.replace(left, 4, "Right");
    return name;
  }
  static Eigen::Matrix3d of(const Eigen::Matrix3d& R) { return plane() * R * plane(); }
  static Eigen::Vector3d of(const Eigen::Vector3d& v) { return plane() * v; }
  static Eigen::Matrix3d plane() { return Eigen::Vector3d(1.0, -1.0, 1.0).asDiagonal(); }

  [[nodiscard]] State of(const State& state) const {
    State mirrored = state;
    mirrored.R_WB = of(state.R_WB);
    mirrored.p_WB = of(state.p_WB);
    for (std::size_t i = 0; i < sign.size(); ++i)
      mirrored.s[joint_of[i]] = sign[i] * state.s[static_cast<Eigen::Index>(i)];
    return mirrored;
  }
  [[nodiscard]] Targets of(const Targets& targets) const {
    Targets mirrored = targets;
    for (const Target& row : targets.rows) {
      for (Target& other : mirrored.rows) {
        if (other.link != link_of[at(row.link)]) continue;
        other.R_WF = of(row.R_WF);
        other.p_WF = of(row.p_WF);
        other.w_WF = -of(row.w_WF);
        other.v_WF = of(row.v_WF);
      }
    }
    return mirrored;
  }

  std::vector<int> link_of, joint_of;
  std::vector<double> sign;
};

TEST_P(SolverConformanceOnPeople, MirrorsItsAnswerWhenTheBodyIsMirrored) {
  Random random(8);
  const Mirror mirror(model_);
  test::SmoothMotion motion(model_, random);
  Targets targets = test::observed(model_, motion.at_time(0));
  State state = test::random_pose(model_, random, 0.3), mirrored = mirror.of(state);
  const auto first = make(model_, targets.rows), second = make(model_, targets.rows);
  for (int k = 1; k <= 60; ++k) {
    test::observe(model_, motion.at_time(frame_time(k, 60.0)), targets);
    ASSERT_TRUE(usable(first->step(targets, state)));
    ASSERT_TRUE(usable(second->step(mirror.of(targets), mirrored)));
    const State expected = mirror.of(state);
    ASSERT_LT((mirrored.s - expected.s).cwiseAbs().maxCoeff(), 1e-8) << "frame " << k;
    ASSERT_LT((mirrored.R_WB - expected.R_WB).cwiseAbs().maxCoeff(), 1e-8);
  }
}

TEST_P(SolverConformance, DoesNotAllocateInItsSteps) {
  if (!AllocationCount::available()) GTEST_SKIP() << "the sanitizer owns malloc";
  Random random(9);
  State state = test::random_pose(model_, random, 0.5);
  Targets targets = contradictory(model_, random);
  const auto solver = make(model_, targets.rows);
  const AllocationCount count;
  for (int k = 1; k <= 20; ++k) {
    targets.t = frame_time(k, 50.0);
    targets.rows[at(k) % targets.rows.size()].has_orientation = k % 2 == 0;
    (void)solver->step(targets, state);
    solver->set_velocities(targets, state);
  }
  EXPECT_EQ(count.value(), 0);
}

TEST_P(SolverConformance, CarriesOnWhenTargetsAreMissing) {
  Random random(10);
  test::SmoothMotion motion(model_, random, 0.4);
  Targets targets = test::observed(model_, motion.at_time(0));
  State state = motion.at_time(0);
  const auto solver = make(model_, targets.rows);
  solver->prime(targets);
  for (int k = 1; k <= 200; ++k) {
    test::observe(model_, motion.at_time(frame_time(k, 60.0)), targets);
    for (Target& row : targets.rows) {
      if (k > 100) break;  // all are back
      row.has_orientation = test::chance(random, 0.7);
      row.has_position = test::chance(random, 0.7);
      row.has_angular_velocity = test::chance(random, 0.7);
      row.has_linear_velocity = test::chance(random, 0.7);
    }
    const StepStatus status = solver->step(targets, state);
    ASSERT_TRUE(usable(status) || status == StepStatus::NoTarget) << to_string(status);
    ASSERT_TRUE(is_valid(state, model_));
    for (std::size_t j = 0; j < targets.rows.size(); ++j) {
      ASSERT_EQ(std::isnan(solver->last_report().versine[j]), !targets.rows[j].has_orientation);
      // of a position without weight nobody need know
      const double distance = solver->last_report().origin_error[j];
      ASSERT_TRUE(!std::isnan(distance) ||
                  !(targets.rows[j].has_position && targets.rows[j].position_weight > 0.0));
      ASSERT_TRUE(std::isnan(distance) || targets.rows[j].has_position);
    }
  }
  EXPECT_LT(test::worst_angle(model_, state, targets), 0.1);
}

TEST_P(SolverConformance, LeavesAHalfTurnBehind) {
  // the whole body the wrong way round, to the last bit: there every gradient vanishes
  Random random(11);
  for (int axis = 0; axis < 3; ++axis) {
    const State goal = test::random_pose(model_, random, 0.3);
    const Targets targets = test::observed(model_, goal);
    State state = goal;
    state.R_WB = so3::about_axis(axis, std::numbers::pi) * goal.R_WB;
    const auto solver = make(model_, targets.rows);
    settle(*solver, targets, state, 4.0);
    EXPECT_LT(test::worst_angle(model_, state, targets), 1e-4) << "axis " << axis;
  }
}

std::string case_name(const testing::TestParamInfo<SolverConformance::ParamType>& info) {
  return std::string(std::get<0>(info.param).name) + "_" + std::get<1>(info.param).name;
}

INSTANTIATE_TEST_SUITE_P(Every, SolverConformance,
                         testing::Combine(testing::ValuesIn(kSolvers), testing::ValuesIn(kModels)),
                         case_name);
INSTANTIATE_TEST_SUITE_P(Every, SolverConformanceOnPeople,
                         testing::Combine(testing::ValuesIn(kSolvers),
                                          testing::Values(kModels[0], kModels[1])),
                         case_name);

TEST(EverySolver, CopesWithAModelWithoutJoints) {
  for (const bool floating : {true, false}) {
    ModelSpec spec;
    spec.name = "body";
    spec.floating_base = floating;
    spec.links = {{"body", 1.0}};
    const Model model(spec);
    for (const SolverCase& solver_case : kSolvers) {
      State goal = rest_state(model);
      goal.R_WB = so3::exp({0.3, -0.2, 0.9});
      goal.p_WB = {1.0, 2.0, 3.0};
      Targets targets = test::observed(model, goal);
      const auto solver = make_solver(solver_case.kind, model, targets.rows, solver_case.options);
      State state = rest_state(model);
      for (int k = 1; k <= 100; ++k) {
        targets.t = frame_time(k, 50.0);
        ASSERT_TRUE(usable(solver->step(targets, state))) << solver_case.name;
      }
      const State expected = floating ? goal : rest_state(model);
      EXPECT_LT((state.R_WB - expected.R_WB).cwiseAbs().maxCoeff(), 1e-6) << solver_case.name;
      EXPECT_LT((state.p_WB - expected.p_WB).norm(), 1e-6) << solver_case.name;
    }
  }
}

TEST(SolverNames, AreKnownAndAWrongOneListsThem) {
  for (const SolverKind kind : solver_kinds()) EXPECT_EQ(solver_kind(to_string(kind)), kind);
  try {
    (void)solver_kind("pairwize");
    FAIL() << "accepted";
  } catch (const ConfigError& error) {
    const std::string text = error.what();
    for (const SolverKind kind : solver_kinds()) EXPECT_NE(text.find(to_string(kind)), std::string::npos);
    EXPECT_NE(text.find("did you mean 'pairwise'"), std::string::npos) << text;
  }
}

TEST(MakeSolver, RefusesRowsThatNoModelHas) {
  const Model model = human66();
  std::vector<Target> rows = test::all_rows(model);
  rows[3].link = 1000;
  for (const SolverKind kind : solver_kinds())
    EXPECT_THROW((void)make_solver(kind, model, rows), ConfigError) << to_string(kind);
}

}  // namespace
}  // namespace panto
