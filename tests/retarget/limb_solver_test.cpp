#include "panto/retarget/limb_solver.hpp"

#include <gtest/gtest.h>

#include <random>

#include "panto/math/so3.hpp"
#include "panto/model/kinematics.hpp"
#include "tests/support/solver_scenes.hpp"

namespace panto {
namespace {

// A leg like a humanoid's: hip pitch, roll, yaw, knee, ankle pitch, roll.
ModelSpec leg_spec() {
  const Eigen::Vector3d x = Eigen::Vector3d::UnitX(), y = Eigen::Vector3d::UnitY(),
                        z = Eigen::Vector3d::UnitZ();
  ModelSpec spec;
  spec.name = "leg";
  for (const char* link : {"pelvis", "a", "b", "thigh", "shank", "ankle", "foot"})
    spec.links.push_back({link});
  spec.joints = {test::hinge("pelvis", "a", {0.0, 0.1, 0.0}, y, -2.0, 2.0, 10.0),
                 test::hinge("a", "b", {0.0, 0.0, 0.0}, x, -0.6, 0.6, 10.0),
                 test::hinge("b", "thigh", {0.0, 0.0, -0.1}, z, -1.5, 1.5, 10.0),
                 test::hinge("thigh", "shank", {0.0, 0.0, -0.2}, y, 0.0, 2.2, 10.0),
                 test::hinge("shank", "ankle", {0.0, 0.0, -0.3}, y, -0.9, 0.6, 10.0),
                 test::hinge("ankle", "foot", {0.0, 0.0, 0.0}, x, -0.3, 0.3, 10.0)};
  return spec;
}

State posed(const Model& model, std::mt19937_64& random, double margin) {
  State state = rest_state(model);
  for (int j = 0; j < model.dof(); ++j) {
    const double u = margin + (1.0 - 2.0 * margin) * static_cast<double>(random() >> 11) * 0x1p-53;
    state.s[j] = model.lower()[j] + u * (model.upper()[j] - model.lower()[j]);
  }
  state.p_WB = Eigen::Vector3d(0.3, -0.2, 0.8);
  state.R_WB = so3::exp(Eigen::Vector3d(0.1, -0.2, 0.9));
  return state;
}

LimbLinks leg_links(const Model& model) { return {-1, model.link_index("shank"), model.link_index("foot")}; }

TEST(LimbSolver, MeetsPosesThatTheLegCanTakeFromNearby) {
  const Model model(leg_spec());
  LimbSolver leg(model, leg_links(model));
  Kinematics kinematics(model);
  std::mt19937_64 random(3);
  for (int n = 0; n < 200; ++n) {
    const State there = posed(model, random, 0.2);
    kinematics.update(there);
    LimbWish wish;
    wish.p_WL = kinematics.p_WL(leg.end());
    wish.R_WL = kinematics.R_WL(leg.end());
    State state = there;
    for (int j = 0; j < model.dof(); ++j)
      state.s[j] += 0.15 * (static_cast<double>(random() >> 11) * 0x1p-52 - 1.0);
    state.s = state.s.cwiseMax(model.lower()).cwiseMin(model.upper());
    leg.solve(wish, there.s, model.lower(), model.upper(), state);
    EXPECT_LT((leg.p_WL() - wish.p_WL).norm(), 1e-4);
    EXPECT_LT(so3::distance(leg.R_WL(), wish.R_WL), 1e-3);
    kinematics.update(state);  // an independent way to the same pose
    EXPECT_LT((kinematics.p_WL(leg.end()) - leg.p_WL()).norm(), 1e-12);
    EXPECT_LT(so3::distance(kinematics.R_WL(leg.end()), leg.R_WL()), 1e-7);
  }
}

TEST(LimbSolver, StaysWithinItsBoundsWhateverIsAsked) {
  const Model model(leg_spec());
  LimbSolver leg(model, leg_links(model));
  std::mt19937_64 random(4);
  for (int n = 0; n < 500; ++n) {
    const State like = posed(model, random, 0.0);
    State state = posed(model, random, 0.0);
    const Eigen::VectorXd lower = (state.s.array() - 0.05).matrix().cwiseMax(model.lower());
    const Eigen::VectorXd upper = (state.s.array() + 0.05).matrix().cwiseMin(model.upper());
    LimbWish wish;
    wish.p_WL = 3.0 * Eigen::Vector3d(std::sin(n), std::cos(n), std::sin(3 * n));
    wish.R_WL = so3::exp(Eigen::Vector3d(n % 5, n % 7, n % 3) * 0.4);
    leg.solve(wish, like.s, lower, upper, state);
    EXPECT_TRUE((state.s.array() >= lower.array()).all() && (state.s.array() <= upper.array()).all());
  }
}

TEST(LimbSolver, KeepsThePlaceOfAFootWhoseAnkleCannotTurnAsAsked) {
  const Model model(leg_spec());
  LimbSolver leg(model, leg_links(model));
  Kinematics kinematics(model);
  State state = rest_state(model);
  state.s << -0.4, 0.0, 0.0, 0.8, -0.4, 0.0;
  kinematics.update(state);
  LimbWish wish;
  wish.p_WL = kinematics.p_WL(leg.end());
  wish.R_WL = kinematics.R_WL(leg.end()) * so3::exp(Eigen::Vector3d(0.6, 0.0, 0.0));  // the limit is 0.3
  const Eigen::VectorXd like = state.s;
  leg.solve(wish, like, model.lower(), model.upper(), state);
  EXPECT_LT((leg.p_WL() - wish.p_WL).norm(), 0.001);
  EXPECT_NEAR(state.s[5], 0.3, 1e-9);
}

TEST(LimbSolver, TurnsTheFootByTheAnkleAlone) {
  const Model model(leg_spec());
  LimbSolver leg(model, leg_links(model));
  State state = rest_state(model);
  state.s << -0.4, 0.1, 0.2, 0.8, -0.4, 0.0;
  State turned = state;
  leg.turn_end(so3::exp(Eigen::Vector3d(0.1, 0.05, 0.2)), turned);
  EXPECT_EQ(turned.s.head<4>(), state.s.head<4>());
  EXPECT_NE(turned.s.tail<2>(), state.s.tail<2>());
}

TEST(LimbSolver, LeavesCoupledJointsAndThoseBeforeItsRootAlone) {
  ModelSpec spec = leg_spec();
  spec.rows.push_back({"row", {{"j_thigh", 1.0}, {"j_shank", 1.0}}, -1.0, 2.0});
  const Model model(spec);
  LimbLinks links = leg_links(model);
  links.root = model.link_index("a");  // after the first joint
  LimbSolver leg(model, links);
  std::vector<std::string> names;
  for (const int j : leg.joints()) names.push_back(model.joint_names()[static_cast<std::size_t>(j)]);
  EXPECT_EQ(names, (std::vector<std::string>{"j_b", "j_ankle", "j_foot"}));
}

}  // namespace
}  // namespace panto
