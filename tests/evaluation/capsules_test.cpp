#include "panto/evaluation/capsules.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/evaluation/body_overlaps.hpp"
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

TEST_F(Body, TakesTheShapesOfLinksAndGuessesTheOthers) {
  ModelSpec spec = model.spec();
  const int hand = link(LeftHand), arm = link(LeftForeArm);
  spec.links[at(hand)].capsules = {{{0, 0.02, 0}, {0, 0.1, 0}, 0.03}, {{0, 0.1, 0}, {0.02, 0.15, 0}, 0.02}};
  const Model shaped(spec);
  const CapsuleBody body = body_capsules(shaped, links, feet, shaped.rest());
  const CapsuleBody guess = body_capsules(model, links, feet, model.rest());
  EXPECT_EQ(body.shapes, 2);
  EXPECT_EQ(body.capsules.size(), guess.capsules.size() + 1) << "two for the hand's guess";
  EXPECT_EQ(body.contact, kShapeContact);
  EXPECT_EQ(guess.contact, 0.0);
  for (const int i : {0, 1}) {
    EXPECT_EQ(body.capsules[at(i)].name, "LeftHand");
    EXPECT_EQ(body.capsules[at(i)].from.link, hand);
  }
  // the hand's capsules are checked against the guessed thigh, and not against the arm that carries it
  int with_thigh = 0;
  for (const auto& [a, b] : body.pairs) {
    if (a >= body.shapes) continue;
    with_thigh += body.capsules[at(b)].name == "LeftUpperLeg" ? 1 : 0;
    EXPECT_NE(body.capsules[at(b)].from.link, arm);
  }
  EXPECT_EQ(with_thigh, 2);
}

TEST_F(Body, OverlapsOfShapesBeginBeyondAContact) {
  CapsuleBody body;
  body.capsules = {{"A", {0, Vector3d::Zero()}, {0, Vector3d::UnitX()}, 0.10},
                   {"A", {0, Vector3d::Zero()}, {0, Vector3d::UnitY()}, 0.10},
                   {"B", {0, Vector3d(0.5, 0, 0.192)}, {0, Vector3d(0.5, 0, 1)}, 0.10},
                   {"C", {0, Vector3d(0, 0, 9)}, {0, Vector3d(0, 0, 9)}, 0.10}};
  body.pairs = {{0, 2}, {1, 2}, {3, 0}, {2, 3}};
  Kinematics kinematics(model);
  kinematics.update(rest_state(model));
  BodyOverlaps overlaps(body);
  EXPECT_EQ(overlaps.names(), (std::vector<std::string>{"A - B", "B - C", "C - A"}))
      << "each pair of parts once";
  EXPECT_NEAR(overlaps.depths(kinematics)[0], 0.008, 1e-12);
  EXPECT_EQ(overlaps.depths(kinematics)[1], 0.0);
  body.contact = 0.01;
  EXPECT_EQ(BodyOverlaps(body).depths(kinematics)[0], 0.0) << "8 mm are a contact";
  body.capsules[2].from.p_L.z() = 0.18;
  EXPECT_NEAR(BodyOverlaps(body).depths(kinematics)[0], 0.02, 1e-12);
}

TEST_F(Body, OverlapsAreThoseOfAllPairsOneByOne) {
  ModelSpec spec = model.spec();
  std::mt19937_64 engine(2);
  std::uniform_real_distribution<double> uniform(-0.15, 0.15);
  const auto point = [&] { return Vector3d(uniform(engine), uniform(engine), uniform(engine)); };
  for (Link& own : spec.links)
    for (int i = 0; i < 3; ++i) own.capsules.push_back({point(), point(), 0.02});
  const Model shaped(spec);
  const CapsuleBody body = body_capsules(shaped, links, feet, shaped.rest());
  BodyOverlaps overlaps(body);
  Kinematics kinematics(shaped);
  State state = rest_state(shaped);
  for (int round = 0; round < test::scaled_numerical(20); ++round) {
    for (int i = 0; i < shaped.dof(); ++i) state.s[i] = 3.0 * uniform(engine);
    kinematics.update(state);
    std::map<std::string, double> expected;
    for (const auto& [a, b] : body.pairs) {
      const Capsule &first = body.capsules[at(a)], &second = body.capsules[at(b)];
      const double depth = overlap(first, second, kinematics);
      const bool swapped = std::find(overlaps.names().begin(), overlaps.names().end(),
                                     first.name + " - " + second.name) == overlaps.names().end();
      double& deepest =
          expected[swapped ? second.name + " - " + first.name : first.name + " - " + second.name];
      if (depth > body.contact) deepest = std::max(deepest, depth);
    }
    const std::vector<double>& depths = overlaps.depths(kinematics);
    ASSERT_EQ(expected.size(), depths.size());
    for (std::size_t i = 0; i < depths.size(); ++i)
      EXPECT_NEAR(depths[i], expected[overlaps.names()[i]], 1e-12) << overlaps.names()[i];
  }
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
