#include "panto/model/dh.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "panto/model/kinematics.hpp"
#include "tests/support/random_model.hpp"
#include "tests/support/test_data.hpp"

namespace panto {
namespace {

using Eigen::Matrix4d;

Matrix4d turn(int axis, double angle) {
  Matrix4d H = Matrix4d::Identity();
  H.topLeftCorner<3, 3>() = so3::about_axis(axis, angle);
  return H;
}

Matrix4d shift(int axis, double length) {
  Matrix4d H = Matrix4d::Identity();
  H(axis, 3) = length;
  return H;
}

// the definition, factor by factor
Matrix4d link_matrix(const DhLink& link, DhConvention convention, double variable) {
  const double theta = link.theta + (link.type == JointType::Revolute ? variable : 0.0);
  const double d = link.d + (link.type == JointType::Prismatic ? variable : 0.0);
  const Matrix4d about_z = turn(2, theta) * shift(2, d);
  if (convention == DhConvention::Classical) return about_z * shift(0, link.a) * turn(0, link.alpha);
  return turn(0, link.alpha) * shift(0, link.a) * about_z;
}

DhTree random_tree(test::Random& random, DhConvention convention) {
  DhTree tree{.name = "random", .convention = convention};
  const int count = 3 + test::pick(random, 12);
  for (int i = 0; i < count; ++i) {
    DhLink link;
    link.name = "l" + std::to_string(i);
    link.joint = "j" + std::to_string(i);
    const int parent = test::chance(random, 0.7) ? i - 1 : test::pick(random, i + 1) - 1;
    if (parent >= 0) link.parent = "l" + std::to_string(parent);
    link.type = test::chance(random, 0.3)   ? JointType::Prismatic
                : test::chance(random, 0.1) ? JointType::Fixed
                                            : JointType::Revolute;
    link.theta = test::uniform(random, -3.0, 3.0);
    link.alpha = test::uniform(random, -3.0, 3.0);
    link.a = test::uniform(random, -0.5, 0.5);
    link.d = test::uniform(random, -0.5, 0.5);
    tree.links.push_back(link);
  }
  return tree;
}

class DhModel : public testing::TestWithParam<DhConvention> {};

TEST_P(DhModel, LinksAreWhereTheProductOfTheMatricesIs) {
  for (int seed = 0; seed < test::scaled(100); ++seed) {
    test::Random random(static_cast<std::uint64_t>(seed));
    const DhTree tree = random_tree(random, GetParam());
    const Model model = dh_model(tree);
    const State state = test::random_state(model, random);
    Kinematics kinematics(model);
    kinematics.update(state);
    std::vector<Matrix4d> poses;
    for (const DhLink& link : tree.links) {
      Matrix4d pose = Matrix4d::Identity();
      pose.topLeftCorner<3, 3>() = state.R_WB;
      pose.topRightCorner<3, 1>() = state.p_WB;
      if (!link.parent.empty()) pose = poses[std::stoul(link.parent.substr(1))];
      const auto dof = model.find_joint(link.joint);
      poses.push_back(pose * link_matrix(link, GetParam(), dof ? state.s[*dof] : 0.0));
      const int index = model.link_index(link.name);
      EXPECT_LT((kinematics.R_WL(index) - poses.back().topLeftCorner<3, 3>()).norm(), 1e-13) << seed;
      EXPECT_LT((kinematics.p_WL(index) - poses.back().topRightCorner<3, 1>()).norm(), 1e-13) << seed;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Conventions, DhModel,
                         testing::Values(DhConvention::Classical, DhConvention::Modified));

TEST(DhModel, KeepsLimitsAndOrder) {
  DhTree tree{.name = "arm", .convention = DhConvention::Classical};
  tree.links = {{.name = "upper", .joint = "shoulder", .lower = -1.0, .upper = 2.0},
                {.name = "lower", .joint = "elbow", .parent = "upper", .a = 0.3, .velocity = 4.0}};
  const Model model = dh_model(tree);
  EXPECT_EQ(model.joint_names(), (std::vector<std::string>{"shoulder", "elbow"}));
  EXPECT_EQ(model.lower()[0], -1.0);
  EXPECT_EQ(model.upper()[0], 2.0);
  EXPECT_EQ(model.velocity_limit()[1], 4.0);
  EXPECT_FALSE(model.floating_base());
}

void expect_refusal(const DhTree& tree, const std::vector<std::string>& words) {
  try {
    (void)dh_model(tree);
    FAIL() << "accepted";
  } catch (const ModelError& error) {
    for (const std::string& word : words) {
      EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
    }
  }
}

TEST(DhModel, RefusesALinkByName) {
  DhTree tree{.name = "arm", .convention = DhConvention::Modified};
  tree.links = {{.name = "upper", .joint = "shoulder"},
                {.name = "lower", .joint = "elbow", .parent = "uper"}};
  expect_refusal(tree, {"link 'lower'", "'uper'", "did you mean 'upper'"});
  tree.links[1].parent = "upper";
  tree.links[1].alpha = std::numeric_limits<double>::quiet_NaN();
  expect_refusal(tree, {"link 'lower'", "alpha"});
  tree.links[1].alpha = 0.0;
  tree.links[1].parent = "lower";
  expect_refusal(tree, {"'arm'", "cycle"});  // hangs on itself
}

}  // namespace
}  // namespace panto
