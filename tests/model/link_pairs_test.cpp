#include "panto/model/link_pairs.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "panto/base/error.hpp"
#include "panto/base/index.hpp"

namespace panto {
namespace {

using Eigen::Vector3d;

// A trunk with two arms of five links each that hang at its sides, 0.1 m apart.
ModelSpec body() {
  ModelSpec spec;
  spec.name = "body";
  spec.links.push_back({.name = "trunk", .capsules = {{{0, 0, -0.2}, {0, 0, 0.2}, 0.08}}});
  for (const double side : {1.0, -1.0}) {
    std::string parent = "trunk";
    for (int i = 0; i < 5; ++i) {
      const std::string name = (side > 0.0 ? "left" : "right") + std::to_string(i);
      spec.links.push_back({.name = name, .capsules = {{{0, 0, -0.02}, {0, 0, -0.1}, 0.02}}});
      Joint joint{.name = name + "_joint", .type = JointType::Revolute, .parent = parent, .child = name};
      joint.p_PJ = i == 0 ? Vector3d(0.0, 0.15 * side, 0.2) : Vector3d(0.0, 0.0, -0.12);
      joint.lower = -2.0;
      joint.upper = 2.0;
      spec.joints.push_back(joint);
      parent = name;
    }
  }
  return spec;
}

bool has(const Model& model, const std::vector<std::pair<int, int>>& pairs, const char* a, const char* b) {
  const int i = model.link_index(a), j = model.link_index(b);
  return std::find(pairs.begin(), pairs.end(), std::pair(std::min(i, j), std::max(i, j))) != pairs.end();
}

TEST(LinkPairs, LeaveOutLinksWithUpToThreeJointsBetweenThem) {
  const Model model(body());
  const auto pairs = link_pairs(model, model.rest());
  EXPECT_FALSE(has(model, pairs, "trunk", "left2"));
  EXPECT_TRUE(has(model, pairs, "trunk", "left3"));
  EXPECT_FALSE(has(model, pairs, "left1", "left4"));
  EXPECT_TRUE(has(model, pairs, "left0", "left4"));
  EXPECT_TRUE(has(model, pairs, "left0", "right0")) << "of two limbs";
  for (const auto& [a, b] : pairs) EXPECT_LT(a, b);
}

TEST(LinkPairs, LeaveOutLinksThatTouchAtRestAndWhateverJointsDo) {
  ModelSpec spec = body();
  spec.links[at(4)].capsules.push_back({{0, 0, 0}, {0, -0.3, 0.2}, 0.05});  // left3 reaches into the trunk
  const Model model(spec);
  EXPECT_FALSE(has(model, link_pairs(model, model.rest()), "trunk", "left3"));
}

TEST(LinkPairs, LeaveOutLinksOnTheSameLinkThatTouchInAQuarterOfThePosesNearRest) {
  ModelSpec spec = body();
  // the shoulders reach past each other, 30 mm apart at rest; turned by 0.35 rad they come 50 mm nearer
  spec.links[at(1)].capsules.push_back({{0, 0, 0}, {0, -0.17, 0}, 0.013});
  spec.links[at(6)].capsules.push_back({{0, 0, 0.03}, {0, 0.17, 0.03}, 0.013});
  const Model beside(spec);
  EXPECT_FALSE(has(beside, link_pairs(beside, beside.rest()), "left0", "right0"));
  // the same, but one of them on a link between
  spec.links.push_back({.name = "hub"});
  Joint joint{.name = "hub_joint", .type = JointType::Revolute, .parent = "trunk", .child = "hub"};
  joint.lower = -0.001;
  joint.upper = 0.001;
  for (Joint& arm : spec.joints)
    if (arm.child == "right0") arm.parent = "hub";
  spec.joints.push_back(joint);
  const Model apart(spec);
  EXPECT_TRUE(has(apart, link_pairs(apart, apart.rest()), "left0", "right0"));
}

TEST(LinkPairs, KeepLinksThatTouchAtRestButCanPart) {
  ModelSpec spec = body();
  spec.links[at(5)].capsules[0].radius = 0.11;  // left4 leans on the trunk's lower end
  const Model model(spec);
  Kinematics kinematics(model);
  kinematics.update(rest_state(model));
  EXPECT_GT(link_overlap(model, 0, model.link_index("left4"), kinematics), 0.0);
  EXPECT_TRUE(has(model, link_pairs(model, model.rest()), "trunk", "left4"));
}

TEST(LinkPairs, FollowTheModelsRulesWhateverItsShapesSay) {
  ModelSpec spec = body();
  spec.pair_rules = {{"left2", "trunk", true},
                     {"trunk", "left3", false},
                     {"left0", "left4", true},
                     {"left4", "left0", false}};
  const Model model(spec);
  const auto pairs = link_pairs(model, model.rest());
  EXPECT_TRUE(has(model, pairs, "trunk", "left2")) << "kin, but to be kept apart";
  EXPECT_FALSE(has(model, pairs, "trunk", "left3"));
  EXPECT_FALSE(has(model, pairs, "left0", "left4")) << "the last rule counts";
  spec.pair_rules = {{"left9", "trunk", true}};
  EXPECT_THROW(Model{spec}, ModelError) << "no such link";
  spec.pair_rules = {{"trunk", "trunk", true}};
  EXPECT_THROW(Model{spec}, ModelError);
}

TEST(LinkPairs, NeedCapsulesAndARestPoseOfTheModel) {
  ModelSpec spec = body();
  spec.links[at(4)].capsules.clear();
  const Model model(spec);
  EXPECT_FALSE(has(model, link_pairs(model, model.rest()), "trunk", "left3"));
  EXPECT_THROW(static_cast<void>(link_pairs(model, Eigen::VectorXd::Zero(3))), ModelError);
}

}  // namespace
}  // namespace panto
