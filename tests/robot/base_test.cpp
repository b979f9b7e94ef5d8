#include "panto/robot/base.hpp"

#include <gtest/gtest.h>

#include <string>

#include "tests/support/synthetic_robot.hpp"

namespace panto::robot {
namespace {

using test::SyntheticRobotOptions;

ModelSpec upper_body() {
  SyntheticRobotOptions o;
  o.legs = false;
  o.waist = 2;
  return test::synthetic_robot(o, 1).spec;
}

// wheels under the base: two that turn on and on about y, of 0.1 m radius, 0.4 m below
ModelSpec on_wheels(const std::string& left, const std::string& right) {
  ModelSpec spec = upper_body();
  const std::string root = Model(spec).link_names()[static_cast<std::size_t>(Model(spec).root_link())];
  for (const auto& [name, y] : {std::pair{left, 0.2}, {right, -0.2}}) {
    Link wheel{.name = name, .mass = 2.0};
    wheel.inertia = Eigen::Vector3d(0.006, 0.01, 0.006).asDiagonal();  // a cylinder of 0.1 m
    spec.links.push_back(wheel);
    Joint joint{name + "_turn", JointType::Revolute, root, name};
    joint.p_PJ = {0.0, y, -0.4};
    joint.axis = Eigen::Vector3d::UnitY();
    spec.joints.push_back(joint);
  }
  return spec;
}

BaseFinding found(const ModelSpec& spec, std::optional<BaseKind> asked = {}) {
  const Model model(spec);
  return find_base(model, propose_robot_map(model).map, asked);
}

TEST(RobotBase, FloatsOnLegs) {
  const BaseFinding base = found(test::synthetic_robot({}, 2).spec);
  EXPECT_EQ(base.kind, BaseKind::Floating);
  EXPECT_EQ(base.note, "");
}

TEST(RobotBase, RollsOnWheelsWithoutLegs) {
  const BaseFinding base = found(on_wheels("left_wheel", "right_wheel"));
  EXPECT_EQ(base.kind, BaseKind::Rolling);
  EXPECT_EQ(
      base.note,
      "the base rolls on the floor (`base` changes it): no legs, but wheels 'left_wheel', 'right_wheel'");
}

TEST(RobotBase, KnowsWheelsThatAreNotCalledSo) {
  EXPECT_EQ(found(on_wheels("part1", "part2")).kind, BaseKind::Rolling) << "level axes without limits, below";
  ModelSpec high = on_wheels("part1", "part2");
  for (Joint& joint : high.joints)
    if (joint.name.ends_with("_turn")) joint.p_PJ.z() = 0.3;
  EXPECT_EQ(found(high).kind, BaseKind::Fixed) << "a drum in the chest is no wheel";
}

TEST(RobotBase, IsFixedWithoutLegsAndWheels) {
  const BaseFinding base = found(upper_body());
  EXPECT_EQ(base.kind, BaseKind::Fixed);
  EXPECT_EQ(base.note, "the base is fixed (`base` changes it): no legs, no wheels");
}

TEST(RobotBase, IsWhatTheFileSaysOrTheMapOrTheUser) {
  ModelSpec spec = upper_body();
  spec.base_known = true;  // a table that says "floating"
  EXPECT_EQ(found(spec).kind, BaseKind::Floating);
  EXPECT_EQ(found(spec, BaseKind::Rolling).kind, BaseKind::Rolling);
  ModelSpec wheels = on_wheels("left_wheel", "right_wheel");
  wheels.base_known = true;  // a simulator's free joint
  EXPECT_EQ(found(wheels).kind, BaseKind::Rolling) << "wheels do not leave the floor";
  const Model model(spec);
  Map map = propose_robot_map(model).map;
  map.base = BaseKind::Fixed;
  EXPECT_EQ(find_base(model, map, {}).kind, BaseKind::Fixed);
  EXPECT_EQ(find_base(model, map, BaseKind::Floating).kind, BaseKind::Floating);
}

TEST(RobotBase, ProposesMapAndModelForIt) {
  const BasedProposal based = propose_based_map(Model(on_wheels("left_wheel", "right_wheel")));
  EXPECT_EQ(based.model.base(), BaseKind::Rolling);
  EXPECT_FALSE(based.model.floating_base()) << "for solvers";
  EXPECT_EQ(based.proposal.map.base, BaseKind::Rolling);
  for (const Attachment& a : based.proposal.map.attachments.attachments) EXPECT_NE(a.segment, "Pelvis");
}

TEST(RobotBase, StandsOnItsWheels) {
  const BasedProposal based = propose_based_map(Model(on_wheels("left_wheel", "right_wheel")));
  const Eigen::VectorXd rest = Eigen::VectorXd::Zero(based.model.dof());
  EXPECT_NEAR(base_height(based.model, based.proposal.map, rest), 0.4 + 0.1, 1e-9)
      << "radius from the inertia";
  const std::vector<LinkPoints> surfaces{{"left_wheel", {{0.0, 0.0, -0.12}, {0.0, 0.0, 0.12}}}};
  EXPECT_NEAR(base_height(based.model, based.proposal.map, rest, surfaces), 0.4 + 0.12, 1e-9);
  EXPECT_EQ(base_height(Model(upper_body()), {}, rest), 0.0) << "a base that floats";
}

TEST(RobotBase, RefusesToRollAndFloatAtOnce) {
  ModelSpec spec = upper_body();
  spec.rolling_base = true;
  EXPECT_THROW((void)Model(spec), ModelError);
}

}  // namespace
}  // namespace panto::robot
