#include "panto/evaluation/capsules.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/model/human.hpp"
#include "tests/support/test_data.hpp"

namespace panto {
namespace {

using enum HumanSegment::Index;

using Eigen::Vector3d;

// human48 as if it were a robot
class Body : public testing::Test {
 protected:
  Model model = human48();
  std::vector<SegmentLink> links;
  std::vector<RobotFoot> feet;

  void SetUp() override {
    for (const int segment :
         {Pelvis, T8, Head, LeftUpperArm, LeftForeArm, LeftHand, RightUpperArm, RightForeArm, RightHand,
          LeftUpperLeg, LeftLowerLeg, LeftFoot, RightUpperLeg, RightLowerLeg, RightFoot})
      links.push_back({segment, link(segment)});
    for (const bool right : {false, true})
      feet.push_back({right ? "RightFoot" : "LeftFoot", link(right ? RightFoot : LeftFoot),
                      human_sole(scaled_subject(1.75), right)});
  }
  [[nodiscard]] int link(int segment) const { return model.link_index(kHumanSegmentNames[at(segment)]); }
  [[nodiscard]] static const Capsule& named(const CapsuleBody& body, const std::string& name) {
    for (const Capsule& capsule : body.capsules)
      if (capsule.name == name) return capsule;
    throw ModelError("no capsule " + name);
  }
};

TEST_F(Body, HasTrunkHeadFourLimbsAndTwoFeet) {
  const CapsuleBody body = body_capsules(model, links, feet, model.rest());
  EXPECT_EQ(body.capsules.size(), 1U + 1U + 2U * 3U + 2U * 3U);
  EXPECT_EQ(body.notes, std::vector<std::string>{});
  Kinematics kinematics(model);
  kinematics.update(rest_state(model));
  const Capsule& forearm = named(body, "LeftForeArm");
  EXPECT_NEAR(forearm.radius, 0.09 * 0.138 * 1.75, 1e-12) << "0.09 of its length";
  EXPECT_EQ(forearm.to.link, link(LeftHand));
  const Capsule& hand = named(body, "LeftHand");
  EXPECT_GT(hand.to.p_L.y(), 0.05) << "as far as its mass tells";
}

TEST_F(Body, NeighboursAreNotWatched) {
  const CapsuleBody body = body_capsules(model, links, feet, model.rest());
  const auto watched = [&](const std::string& a, const std::string& b) {
    return std::any_of(body.pairs.begin(), body.pairs.end(), [&](const auto& pair) {
      const std::string &first = body.capsules[at(pair.first)].name,
                        &second = body.capsules[at(pair.second)].name;
      return (first == a && second == b) || (first == b && second == a);
    });
  };
  EXPECT_FALSE(watched("LeftUpperArm", "LeftForeArm"));
  EXPECT_FALSE(watched("LeftUpperArm", "Trunk"));
  EXPECT_FALSE(watched("LeftLowerLeg", "LeftFoot"));
  EXPECT_FALSE(watched("Head", "Trunk"));
  EXPECT_TRUE(watched("LeftForeArm", "Trunk"));
  EXPECT_TRUE(watched("LeftForeArm", "RightForeArm"));
  EXPECT_TRUE(watched("LeftLowerLeg", "RightLowerLeg"));
  EXPECT_TRUE(watched("LeftFoot", "RightFoot"));
  EXPECT_TRUE(watched("LeftHand", "LeftUpperLeg"));
}

TEST_F(Body, AHandThroughTheTrunkOverlapsByItsDepth) {
  const CapsuleBody body = body_capsules(model, links, feet, model.rest());
  State state = rest_state(model);
  // the forearm folded across the body from a hanging upper arm: wrist to the other side
  state.s[model.joint_index("jLeftShoulder_rotx")] = -1.3;
  state.s[model.joint_index("jLeftShoulder_rotz")] = -0.2;
  Kinematics kinematics(model);
  kinematics.update(state);
  const Capsule &arm = named(body, "LeftForeArm"), &trunk = named(body, "Trunk");
  const auto ends = [&](const Capsule& c) {
    const auto place = [&](const LinkPoint& p) -> Vector3d {
      return kinematics.p_WL(p.link) + kinematics.R_WL(p.link) * p.p_L;
    };
    return std::pair{place(c.from), place(c.to)};
  };
  const auto [a0, a1] = ends(arm);
  const auto [b0, b1] = ends(trunk);
  const double apart = segment_distance(a0, a1, b0, b1);
  EXPECT_NEAR(overlap(arm, trunk, kinematics), arm.radius + trunk.radius - apart, 1e-6);
  EXPECT_LT(overlap(named(body, "LeftFoot"), named(body, "RightFoot"), kinematics), 0.0) << "apart";
}

TEST_F(Body, PairsThatOverlapAtRestAreReportedAndLeftOut) {
  CapsuleOptions fat;
  fat.limb_radius = 0.3;
  const CapsuleBody body = body_capsules(model, links, feet, model.rest(), fat);
  ASSERT_FALSE(body.notes.empty());
  EXPECT_NE(body.notes[0].find("overlap in the rest pose"), std::string::npos);
  const CapsuleBody thin = body_capsules(model, links, feet, model.rest());
  EXPECT_EQ(body.pairs.size() + body.notes.size(), thin.pairs.size());
}

TEST_F(Body, APartOfABodyHasTheCapsulesOfItsParts) {
  const std::vector<SegmentLink> arm{{LeftUpperArm, link(LeftUpperArm)}, {LeftForeArm, link(LeftForeArm)}};
  const CapsuleBody body = body_capsules(model, arm, {}, model.rest());
  ASSERT_EQ(body.capsules.size(), 2U);
  EXPECT_EQ(body.capsules[1].name, "LeftForeArm");
  EXPECT_TRUE(body.pairs.empty());
  EXPECT_TRUE(body_capsules(model, {}, {}, model.rest()).capsules.empty());
}

TEST_F(Body, RefusesLinksAndOptionsThatMakeNoSense) {
  EXPECT_THROW(static_cast<void>(body_capsules(model, {{Pelvis, 999}}, {}, model.rest())), ModelError);
  EXPECT_THROW(static_cast<void>(body_capsules(model, links, feet, Eigen::VectorXd::Zero(3))), ModelError);
  CapsuleOptions none;
  none.trunk_radius = 0.0;
  EXPECT_THROW(static_cast<void>(body_capsules(model, links, feet, model.rest(), none)), ConfigError);
}

}  // namespace
}  // namespace panto
