// size: all tests of one header, by the rule of three places
// Targets and rows of a user: what they ask for is met, traded off and bounded as the solver's own.

#include "panto/targets/own_targets.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>

#include "apps/support/allocation_count.hpp"
#include "panto/base/index.hpp"
#include "panto/ik/dynamical.hpp"
#include "panto/ik/make_solver.hpp"
#include "panto/ik/own_rows.hpp"
#include "panto/ik/target_velocity.hpp"
#include "panto/math/so3.hpp"
#include "panto/model/kinematics.hpp"
#include "tests/support/solver_scenes.hpp"

namespace panto {
namespace {

using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;
using test::Random;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr Time kStep = 10'000'000;  // 10 ms

// No pull to the rest pose: what is left of a target is then the target's own affair.
DynamicalOptions options_without_rest() {
  DynamicalOptions options;
  options.damping.rest_rate = 0.0;
  return options;
}

// The torso held where it is.
Target held_torso(const Model& model) {
  Target row;
  row.link = model.link_index("torso");
  row.position_weight = 25.0;
  row.has_orientation = row.has_position = true;
  return row;
}

// A pose that the robot can take.
State pose_near_rest(const Model& model, std::uint64_t seed) {
  Random random(seed);
  State state = rest_state(model);
  for (int i = 0; i < model.dof(); ++i) {
    const double wanted = state.s[i] + test::uniform(random, -0.5, 0.5);
    state.s[i] = std::clamp(wanted, model.lower()[i] + 0.05, model.upper()[i] - 0.05);
  }
  return state;
}

// One target of each kind, met at `goal`; by name.
std::vector<std::pair<std::string, OwnTargets>> each_kind(const Model& model, const State& goal) {
  Kinematics at_goal(model);
  at_goal.update(goal);
  const int left = model.link_index("left_wrist"), right = model.link_index("right_wrist"),
            head = model.link_index("head");
  const Vector3d point(0.02, -0.01, -0.08);
  const Matrix3d R_LT = so3::exp(Vector3d(0.3, -0.2, 0.5));
  std::vector<std::pair<std::string, OwnTargets>> kinds(5);
  kinds[0].first = "position";
  kinds[0].second.positions.push_back(
      {.link = "left_wrist", .point_L = point, .place_W = at_goal.p_WL(left) + at_goal.R_WL(left) * point});
  kinds[1].first = "orientation";
  kinds[1].second.orientations.push_back(
      {.link = "left_wrist", .R_LT = R_LT, .R_WT = at_goal.R_WL(left) * R_LT});
  kinds[2].first = "direction";
  kinds[2].second.directions.push_back({.link = "head",
                                        .direction_L = 2.0 * Vector3d::UnitX(),
                                        .direction_W = 3.0 * at_goal.R_WL(head).col(0)});
  const Matrix3d R_AW = at_goal.R_WL(left).transpose();
  RelativeTarget relative{.from = "left_wrist", .link = "right_wrist", .point_B = point};
  relative.place_A = R_AW * (at_goal.p_WL(right) + at_goal.R_WL(right) * point - at_goal.p_WL(left));
  relative.R_AB = R_AW * at_goal.R_WL(right);
  kinds[3].first = "relative place";
  kinds[3].second.relatives.push_back(relative);
  kinds[4].first = "relative orientation";
  relative.position_weight = 0.0;
  relative.orientation_weight = 1.0;
  kinds[4].second.relatives.push_back(relative);
  return kinds;
}

double largest_valid(const std::vector<double>& errors) {
  double largest = 0.0;
  for (const double e : errors) largest = std::max(largest, std::isfinite(e) ? e : 0.0);
  return largest;
}

TEST(OwnTargets, AreMetWhenAloneBothByStepsAndAtOnce) {
  const Model model = test::small_robot();
  SolverOptions options{options_without_rest()};
  for (const SolverKind kind : {SolverKind::Dynamical, SolverKind::Instantaneous}) {
    const int steps = kind == SolverKind::Dynamical ? 300 : 2;
    for (const auto& [name, own] : each_kind(model, pose_near_rest(model, 3))) {
      Targets targets{0, {held_torso(model)}, {}, own};
      const auto solver = make_solver(kind, model, targets.rows, options, own);
      State state = rest_state(model);
      for (int i = 1; i <= steps; ++i) {
        targets.t = i * kStep;
        ASSERT_TRUE(advanced(solver->step(targets, state))) << name;
        if (i == 1 && kind == SolverKind::Dynamical) {
          EXPECT_GT(largest_valid(solver->last_report().own_error), 1e-2) << name;
        }
      }
      EXPECT_LT(largest_valid(solver->last_report().own_error), 1e-6) << to_string(kind) << ", " << name;
      EXPECT_LT((state.s - rest_state(model).s).norm(), 3.0) << name;
    }
  }
}

TEST(OwnTargets, NeedNoMeasuredTargetToBeFollowed) {
  const Model model = test::small_robot();
  OwnTargets own = each_kind(model, pose_near_rest(model, 4))[0].second;
  own.positions[0].place_W += Vector3d(1.0, 0.0, 0.5);  // the base comes along
  DynamicalSolver solver(model, {}, options_without_rest(), own);
  State state = rest_state(model);
  Targets targets{0, {}, {}, own};
  for (int i = 1; i <= 300; ++i) {
    targets.t = i * kStep;
    ASSERT_TRUE(advanced(solver.step(targets, state)));
  }
  EXPECT_LT(solver.last_report().own_error[0], 1e-6);
  targets.own.positions[0].weight = 0.0;
  targets.t += kStep;
  EXPECT_EQ(solver.step(targets, state), StepStatus::NoTarget);
}

State moved_along(const State& state, Eigen::Index column, double step) {
  State moved = state;
  if (column < 3) {
    moved.p_WB[column] += step;
  } else if (column < 6) {
    moved.R_WB = so3::exp(step * Vector3d::Unit(column - 3)) * state.R_WB;
  } else {
    moved.s[column - 6] += step;
  }
  return moved;
}

// d rows / d (v, omega, rates) by central differences: `rates(a, b)`, the rows' change from pose a to pose b.
MatrixXd differences(const Model& model, const State& state,
                     const std::function<VectorXd(const Kinematics&, const Kinematics&)>& change) {
  constexpr double kEps = 1e-6;
  MatrixXd J;
  for (Eigen::Index column = 0; column < 6 + model.dof(); ++column) {
    Kinematics before(model), after(model);
    before.update(moved_along(state, column, -kEps));
    after.update(moved_along(state, column, kEps));
    const VectorXd rate = change(before, after) / (2.0 * kEps);
    if (J.size() == 0) J.resize(rate.size(), 6 + model.dof());
    J.col(column) = rate;
  }
  return J;
}

// All kinds on one robot, weights by axis, none met.
OwnTargets all_kinds() {
  OwnTargets own;
  own.positions.push_back({.link = "left_wrist",
                           .point_L = {0.02, -0.01, -0.08},
                           .place_W = {0.05, 0.3, -0.1},
                           .weight = 40.0,
                           .axes_W = {1.0, 0.5, 2.0}});
  own.orientations.push_back({.link = "right_elbow",
                              .R_LT = so3::exp(Vector3d(0.3, -0.2, 0.5)),
                              .R_WT = so3::exp(Vector3d(0.2, -0.3, 0.6)),
                              .weight = 2.0,
                              .axes_W = {1.0, 0.0, 0.5}});
  own.directions.push_back({.link = "head", .direction_L = {1.0, 0.2, 0.0}, .direction_W = {1.0, 0.3, 0.2}});
  own.relatives.push_back({.from = "left_wrist",
                           .link = "right_wrist",
                           .point_B = {0.0, 0.02, -0.05},
                           .place_A = {0.1, -0.4, 0.05},
                           .R_AB = so3::exp(Vector3d(0.1, 0.2, -0.1)),
                           .position_weight = 30.0,
                           .orientation_weight = 1.5,
                           .position_axes_A = {1.0, 2.0, 0.5}});
  return own;
}

struct DenseRow {
  MatrixXd J;
  VectorXd wanted, weight;
};

// Each target's rows written down from the law, Jacobians by differences.
std::vector<DenseRow> dense_rows(const Model& model, const State& state, const OwnTargets& own, double dt) {
  Kinematics here(model);
  here.update(state);
  const auto K = [dt](double gain) { return effective_gain(gain, dt, GainLaw::Exponential); };
  std::vector<DenseRow> rows;
  for (const PositionTarget& t : own.positions) {
    const int link = model.link_index(t.link);
    const auto place = [=](const Kinematics& k) { return Vector3d(k.p_WL(link) + k.R_WL(link) * t.point_L); };
    rows.push_back({differences(model, state,
                                [&](const Kinematics& a, const Kinematics& b) -> VectorXd {
                                  return place(b) - place(a);
                                }),
                    K(t.gain) * (t.place_W - place(here)), t.weight * t.axes_W});
  }
  for (const OrientationTarget& t : own.orientations) {
    const int link = model.link_index(t.link);
    rows.push_back({differences(model, state,
                                [&](const Kinematics& a, const Kinematics& b) -> VectorXd {
                                  return so3::log(b.R_WL(link) * a.R_WL(link).transpose());
                                }),
                    K(t.gain) * orientation_residual(t.R_WT, here.R_WL(link) * t.R_LT), t.weight * t.axes_W});
  }
  for (const DirectionTarget& t : own.directions) {
    const int link = model.link_index(t.link);
    const Vector3d d = (here.R_WL(link) * t.direction_L).normalized(), g = t.direction_W.normalized();
    const Matrix3d across = Matrix3d::Identity() - d * d.transpose();
    MatrixXd J = differences(model, state, [&](const Kinematics& a, const Kinematics& b) -> VectorXd {
      return so3::log(b.R_WL(link) * a.R_WL(link).transpose());
    });
    rows.push_back({across * J, K(t.gain) * d.cross(g), Vector3d::Constant(t.weight)});
  }
  for (const RelativeTarget& t : own.relatives) {
    const int from = model.link_index(t.from), link = model.link_index(t.link);
    const auto place = [=](const Kinematics& k) {
      return Vector3d(k.R_WL(from).transpose() * (k.p_WL(link) + k.R_WL(link) * t.point_B - k.p_WL(from)));
    };
    const auto turn = [=](const Kinematics& k) { return Matrix3d(k.R_WL(from).transpose() * k.R_WL(link)); };
    rows.push_back({differences(model, state,
                                [&](const Kinematics& a, const Kinematics& b) -> VectorXd {
                                  return place(b) - place(a);
                                }),
                    K(t.gain) * (t.place_A - place(here)), t.position_weight * t.position_axes_A});
    rows.push_back({differences(model, state,
                                [&](const Kinematics& a, const Kinematics& b) -> VectorXd {
                                  return so3::log(turn(b) * turn(a).transpose());
                                }),
                    K(t.gain) * orientation_residual(t.R_AB, turn(here)),
                    t.orientation_weight * t.orientation_axes_A});
  }
  return rows;
}

TEST(OwnTargets, TradeOffAsDenseLeastSquaresWithJacobiansByDifferences) {
  const Model limited = test::small_robot();
  ModelSpec spec = limited.spec();
  for (Joint& joint : spec.joints) joint.lower = -kInfinity, joint.upper = joint.velocity = kInfinity;
  const Model model(spec);
  const double dt = to_seconds(kStep);
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    State state = pose_near_rest(limited, seed);
    state.R_WB = so3::exp(Vector3d(0.4, -0.2, 0.9));
    state.p_WB = {0.3, -0.2, 1.1};
    const OwnTargets own = all_kinds();
    Targets targets{kStep, {held_torso(model)}, {}, own};
    DynamicalOptions options = options_without_rest();
    options.ball_joints = false;
    DynamicalSolver solver(model, targets.rows, options, own);
    const double K = effective_gain(20.0, dt, GainLaw::Exponential);

    MatrixXd H = MatrixXd::Zero(model.nv(), model.nv()), J;
    VectorXd f = VectorXd::Zero(model.nv());
    H.diagonal().tail(model.dof()).setConstant(options.damping.undetermined);
    const auto add = [&](const DenseRow& row) {
      H += row.J.transpose() * row.weight.asDiagonal() * row.J;
      f += row.J.transpose() * row.weight.asDiagonal() * row.wanted;
    };
    Kinematics here(model);
    here.update(state);
    here.jacobian(model.link_index("torso"), J);
    add({J.topRows(3), -K * state.p_WB, Vector3d::Constant(25.0)});
    add({J.bottomRows(3), K * orientation_residual(Matrix3d::Identity(), state.R_WB), Vector3d::Ones()});
    for (const DenseRow& row : dense_rows(model, state, own, dt)) add(row);
    const VectorXd expected = H.ldlt().solve(f);

    ASSERT_EQ(solver.step(targets, state), StepStatus::Solved);
    VectorXd found(model.nv());
    found << state.v_WB, state.w_WB, state.sdot;
    EXPECT_LT((found - expected).norm(), 1e-6 * (1.0 + expected.norm())) << "differences are good to 1e-9";
  }
}

// Rows against differences on any tree: sliders, off axes, fixed bases.
TEST(OwnTargets, HaveTheJacobiansThatDifferencesFindOnAnyTree) {
  int checked = 0;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const Model model = test::random_model(seed, {.min_joints = 4, .max_joints = 20, .max_scale = 1.0});
    if (!model.floating_base()) continue;
    Random random(seed);
    State state = rest_state(model);
    for (int i = 0; i < model.dof(); ++i) state.s[i] += 0.3 * test::uniform(random, -1.0, 1.0);
    state.R_WB = test::random_rotation(random);
    state.p_WB = test::random_vector(random, 1.0);
    const std::string a = model.link_names()[at(test::pick(random, model.link_count()))],
                      b = model.link_names()[at(test::pick(random, model.link_count()))];
    OwnTargets own;
    own.positions.push_back({.link = b, .point_L = test::random_vector(random, 0.5)});
    own.relatives.push_back(
        {.from = a, .link = b, .point_B = test::random_vector(random, 0.5), .orientation_weight = 1.0});
    std::unique_ptr<VelocityProblem> problem;
    try {
      problem = std::make_unique<VelocityProblem>(model, std::vector<Target>{}, DampingOptions{}, false, own);
    } catch (const ModelError&) {
      continue;  // the same body twice
    }
    const Targets targets{0, {}, {}, own};
    ASSERT_TRUE(problem->own().read(own));
    problem->set_pose(state);
    problem->set_rows(targets, state);
    problem->own().place(problem->kinematics(), state.p_WB);
    problem->own().correct(0.01, false, DynamicalOptions{});
    problem->own().load(problem->tree);
    const CostRows& costs = problem->tree.costs;
    const std::vector<DenseRow> dense = dense_rows(model, state, own, 0.01);
    ASSERT_EQ(costs.size(), 9);
    for (int r = 0; r < 9; ++r) {
      VectorXd row = VectorXd::Zero(6 + model.dof());
      row.head<3>() = costs.linear[at(r)];
      row.segment<3>(3) = costs.angular[at(r)];
      for (int k = costs.begin[at(r)]; k < costs.begin[at(r + 1)]; ++k)
        row[6 + problem->blocks().dof_of_slot[at(costs.entry[at(k)])]] += costs.coefficient[at(k)];
      const VectorXd expected = dense[at(r / 3)].J.row(r % 3);
      EXPECT_LT((row - expected).norm(), 1e-7 * (1.0 + expected.norm())) << model.name() << ", row " << r;
      EXPECT_NEAR(costs.wanted[at(r)], dense[at(r / 3)].wanted[r % 3],
                  1e-10 * (1.0 + std::abs(costs.wanted[at(r)])));
    }
    ++checked;
  }
  EXPECT_GE(checked, 10);
}

TEST(OwnTargets, LeaveJointLimitsExactAndJointRowsInForce) {
  const Model model = test::small_robot();
  OwnTargets own = all_kinds();
  own.rows.push_back({"lift", {{"j_left_pitch", 1.0}, {"j_left_elbow", 0.5}}, -0.4, 0.2});
  own.rows.push_back({"same", {{"j_left_wrist", 1.0}, {"j_right_wrist", -1.0}}, 0.0, 0.0});
  for (const SolverKind kind : {SolverKind::Dynamical, SolverKind::Instantaneous}) {
    Targets targets{0, {held_torso(model)}, {}, own};
    const auto solver = make_solver(kind, model, targets.rows, {}, own);
    State state = rest_state(model);
    int saturated = 0;
    bool stood = false;
    for (int i = 1; i <= 400; ++i) {
      targets.t = i * kStep;
      const double phase = 0.03 * i;
      targets.own.positions[0].place_W =
          2.0 * Vector3d(std::cos(phase), std::sin(phase), std::sin(1.3 * phase));
      targets.own.relatives[0].place_A = Vector3d(std::sin(phase), -1.5, std::cos(phase));
      const StepStatus status = solver->step(targets, state);
      ASSERT_TRUE(advanced(status)) << i;
      saturated += status == StepStatus::Saturated ? 1 : 0;
      EXPECT_TRUE((state.s.array() >= model.lower().array()).all() &&
                  (state.s.array() <= model.upper().array()).all());
      const auto at_joint = [&](const char* name) { return state.s[model.joint_index(name)]; };
      const double lift = at_joint("j_left_pitch") + 0.5 * at_joint("j_left_elbow");
      EXPECT_GE(lift, -0.4 - 1e-12) << to_string(kind) << " " << i;
      EXPECT_LE(lift, 0.2 + 1e-12) << to_string(kind) << " " << i;
      EXPECT_NEAR(at_joint("j_left_wrist"), at_joint("j_right_wrist"), 1e-12);
      stood = stood || lift > 0.2 - 1e-9 || lift < -0.4 + 1e-9;
    }
    EXPECT_GT(saturated, 100) << "places out of reach press joints against their limits";
    EXPECT_TRUE(stood) << "the row was in the way";
  }
}

TEST(OwnTargets, TakeNewBoundsOfARowAtEverySampleAndKeepThemWhereTheyAreNotValid) {
  const Model model = test::small_robot();
  OwnTargets own;
  own.rows.push_back({"yaw", {{"j_left_yaw", 1.0}}, -1.0, 1.0});
  Targets targets{0, {held_torso(model)}, {}, own};
  DynamicalSolver solver(model, targets.rows, {}, own);
  State state = rest_state(model);
  const int yaw = model.joint_index("j_left_yaw");
  const auto run = [&](double lower, double upper) {
    targets.own.rows[0].lower = lower;
    targets.own.rows[0].upper = upper;
    for (int i = 0; i < 100; ++i) {
      targets.t += kStep;
      EXPECT_TRUE(advanced(solver.step(targets, state)));
    }
    return state.s[yaw];
  };
  EXPECT_NEAR(run(0.3, 0.5), 0.3, 1e-9) << "moved in from outside, not further";
  EXPECT_GE(run(kNan, kNan), 0.3 - 1e-12);
  EXPECT_GE(run(0.6, 0.4), 0.3 - 1e-12) << "lower > upper";
  EXPECT_NEAR(run(-0.2, -0.2), -0.2, 1e-12) << "an equality";
}

TEST(OwnTargets, AreOffForASampleWhereAWeightIsZeroOrANumberIsNotValid) {
  const Model model = test::small_robot();
  const auto run = [&](const std::function<void(OwnTargets&)>& spoil) {
    OwnTargets own = all_kinds();
    Targets targets{0, {held_torso(model)}, {}, own};
    DynamicalSolver solver(model, targets.rows, {}, own);
    State state = rest_state(model);
    spoil(targets.own);
    for (int i = 1; i <= 20; ++i) {
      targets.t = i * kStep;
      EXPECT_TRUE(advanced(solver.step(targets, state)));
    }
    EXPECT_TRUE(std::isnan(solver.last_report().own_error[0]));
    EXPECT_FALSE(std::isnan(solver.last_report().own_error[1]));
    return state;
  };
  const State off = run([](OwnTargets& own) { own.positions[0].weight = 0.0; });
  const std::vector<std::function<void(OwnTargets&)>> spoilers{
      [](OwnTargets& own) { own.positions[0].place_W[1] = kNan; },
      [](OwnTargets& own) { own.positions[0].weight = kNan; },
      [](OwnTargets& own) { own.positions[0].weight = -1.0; },
      [](OwnTargets& own) { own.positions[0].weight = kInfinity; },
      [](OwnTargets& own) { own.positions[0].axes_W[0] = kNan; },
      [](OwnTargets& own) { own.positions[0].axes_W.setZero(); },
      [](OwnTargets& own) { own.positions[0].gain = kNan; },
      [](OwnTargets& own) { own.positions[0].place_W[0] = kInfinity; }};
  for (const auto& spoil : spoilers) EXPECT_EQ(run(spoil).s, off.s);

  OwnTargets own = all_kinds();
  own.orientations[0].R_WT = 2.0 * Matrix3d::Identity();
  own.directions[0].direction_W.setZero();
  own.relatives[0].R_AB(0, 0) = kNan;
  Targets targets{kStep, {held_torso(model)}, {}, own};
  DynamicalSolver solver(model, targets.rows, {}, own);
  State state = rest_state(model);
  ASSERT_TRUE(advanced(solver.step(targets, state)));
  const std::vector<double>& left = solver.last_report().own_error;
  EXPECT_TRUE(std::isfinite(left[0]) && std::isnan(left[1]) && std::isnan(left[2]) &&
              std::isfinite(left[3]) && std::isnan(left[4]));
}

TEST(OwnTargets, FollowAMovingValueWithoutLagAndAJumpByTheGainAlone) {
  const Model model = test::small_robot();
  const auto lag = [&](bool feed_forward) {
    OwnTargets own;
    own.positions.push_back({.link = "left_wrist", .weight = 100.0, .feed_forward = feed_forward});
    Targets targets{0, {held_torso(model)}, {}, own};
    DynamicalSolver solver(model, targets.rows, options_without_rest(), own);
    State state = pose_near_rest(model, 2);
    Kinematics start(model);
    start.update(state);
    const Vector3d centre = start.p_WL(model.link_index("left_wrist"));
    for (int i = 1; i <= 140; ++i) {
      targets.t = i * kStep;
      targets.own.positions[0].place_W = centre + 0.1 * Vector3d(std::sin(0.02 * i), 0.0, 0.0);
      EXPECT_TRUE(advanced(solver.step(targets, state)));
    }
    return solver.last_report().own_error[0];
  };
  EXPECT_LT(lag(true), 1e-4) << "second order in the step: 2e-5";
  // 0.1 m * 2 rad/s * cos(2.8) = 0.19 m/s over K = 20/s, less half a step
  EXPECT_NEAR(lag(false), 0.0085, 0.002);
}

TEST(OwnTargets, HoldAHandAgainstTheOtherWhileTheBaseMoves) {
  const Model model = test::small_robot();
  OwnTargets own = each_kind(model, pose_near_rest(model, 6))[3].second;
  Targets targets{0, {held_torso(model)}, {}, own};
  DynamicalSolver solver(model, targets.rows, options_without_rest(), own);
  State state = rest_state(model);
  double worst = 0.0;
  for (int i = 1; i <= 400; ++i) {
    targets.t = i * kStep;
    targets.rows[0].p_WF = Vector3d(0.01 * i, 0.2 * std::sin(0.05 * i), 1.0);
    targets.rows[0].R_WF = so3::exp(Vector3d(0.3 * std::sin(0.04 * i), 0.0, 0.02 * i));
    ASSERT_TRUE(advanced(solver.step(targets, state)));
    if (i > 200) worst = std::max(worst, solver.last_report().own_error[0]);
  }
  EXPECT_LT(worst, 1e-6) << "1 m/s and 2 rad/s of the base, which drops out of the rows";
}

TEST(OwnTargets, AllocateNothingAndLeaveTheStateOnFailure) {
  const Model model = test::small_robot();
  OwnTargets own = all_kinds();
  own.rows.push_back({"lift", {{"j_left_pitch", 1.0}, {"j_left_elbow", 0.5}}, -0.4, 0.2});
  for (const SolverKind kind : {SolverKind::Dynamical, SolverKind::Instantaneous}) {
    Targets targets{kStep, {held_torso(model)}, {}, own};
    const auto solver = make_solver(kind, model, targets.rows, {}, own);
    State state = rest_state(model);
    ASSERT_TRUE(advanced(solver->step(targets, state)));
    const AllocationCount count;
    for (int i = 2; i <= 20; ++i) {
      targets.t = i * kStep;
      targets.own.positions[0].place_W[0] += 0.01;
      (void)solver->step(targets, state);
    }
    if (AllocationCount::available()) {
      EXPECT_EQ(count.value(), 0) << to_string(kind);
    }

    const State before = state;
    EXPECT_EQ(solver->step(targets, state), StepStatus::TimeNotAdvancing);
    targets.t += kStep;
    targets.own.relatives.clear();
    EXPECT_EQ(solver->step(targets, state), StepStatus::SizeMismatch) << "not as many as were declared";
    EXPECT_EQ(state.s, before.s);
    EXPECT_EQ(state.R_WB, before.R_WB);
    EXPECT_EQ(state.t, before.t);
  }
}

std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(OwnTargets, AreRefusedAtSetUpWithTheReason) {
  const Model model = test::small_robot();
  const auto refusal = [&](const OwnTargets& own) {
    return message_of([&] { DynamicalSolver(model, {held_torso(model)}, {}, own); });
  };
  OwnTargets own;
  own.positions.push_back({.link = "left_wirst"});
  EXPECT_NE(refusal(own).find("did you mean 'left_wrist'"), std::string::npos) << refusal(own);
  own = {};
  own.relatives.push_back({.from = "haed", .link = "left_wrist"});
  EXPECT_NE(refusal(own).find("did you mean 'head'"), std::string::npos) << refusal(own);
  own = {};
  own.relatives.push_back({.from = "head", .link = "head"});
  EXPECT_NE(refusal(own).find("no joint"), std::string::npos) << refusal(own);
  own = {};
  own.directions.push_back({.link = "head", .direction_L = Vector3d::Zero()});
  EXPECT_NE(refusal(own).find("direction_L"), std::string::npos) << refusal(own);
  own = {};
  own.rows.push_back({"far", {{"j_left_yaw", 1.0}, {"j_left_wrist", 1.0}}, 3.0, 4.0});
  EXPECT_NE(refusal(own).find("from 3 to 4"), std::string::npos) << refusal(own);
  EXPECT_NE(refusal(own).find("from -2.3 to 2.3"), std::string::npos) << refusal(own);
  own.rows[0] = {"typo", {{"j_left_jaw", 1.0}}, 0.0, 1.0};
  EXPECT_NE(refusal(own).find("did you mean 'j_left_yaw'"), std::string::npos) << refusal(own);
  for (const SolverKind kind : {SolverKind::Pairwise, SolverKind::DampedJacobian, SolverKind::Modular}) {
    EXPECT_THROW((void)make_solver(kind, model, {held_torso(model)}, {}, all_kinds()), ModelError);
  }
}

}  // namespace
}  // namespace panto
