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

/// The smallest distance over a grid of points on both segments: never too small.
double sampled_distance(const Vector3d& a0, const Vector3d& a1, const Vector3d& b0, const Vector3d& b1,
                        int steps) {
  double best = kInfinity;
  for (int i = 0; i <= steps; ++i) {
    for (int j = 0; j <= steps; ++j) {
      const double s = static_cast<double>(i) / steps, t = static_cast<double>(j) / steps;
      best = std::min(best, (a0 + s * (a1 - a0) - b0 - t * (b1 - b0)).norm());
    }
  }
  return best;
}

/// The smallest distance by search: that of a point of one segment to the other is convex along the first.
double searched_distance(const Vector3d& a0, const Vector3d& a1, const Vector3d& b0, const Vector3d& b1) {
  const auto to_b = [&](double s) {
    const Vector3d p = a0 + s * (a1 - a0);
    double low = 0.0, high = 1.0;
    for (int i = 0; i < 100; ++i) {
      const double first = low + (high - low) / 3.0, second = high - (high - low) / 3.0;
      const bool left = (b0 + first * (b1 - b0) - p).norm() < (b0 + second * (b1 - b0) - p).norm();
      (left ? high : low) = left ? second : first;
    }
    return (b0 + low * (b1 - b0) - p).norm();
  };
  double low = 0.0, high = 1.0;
  for (int i = 0; i < 100; ++i) {
    const double first = low + (high - low) / 3.0, second = high - (high - low) / 3.0;
    const bool left = to_b(first) < to_b(second);
    (left ? high : low) = left ? second : first;
  }
  return to_b(low);
}

TEST(SegmentDistance, IsThatOfTheNearestPointsOfManySegments) {
  std::mt19937_64 engine(11);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  const auto point = [&] { return Vector3d(uniform(engine), uniform(engine), uniform(engine)); };
  for (int i = 0; i < test::scaled_numerical(1000); ++i) {
    const Vector3d a0 = point(), b0 = point();
    Vector3d a1 = point(), b1 = point();
    if (i % 5 == 1) b1 = b0 + 0.7 * (a1 - a0);                   // parallel
    if (i % 5 == 2) b1 = b0 + 0.7 * (a1 - a0) + 1e-6 * point();  // nearly
    if (i % 5 == 3) a1 = a0;                                     // a point
    if (i % 10 == 3) b1 = b0;                                    // and another
    if (i % 5 == 4) a1 = a0 + 1e-3 * point();                    // very short
    const double distance = segment_distance(a0, a1, b0, b1), sampled = sampled_distance(a0, a1, b0, b1, 40);
    EXPECT_NEAR(distance, searched_distance(a0, a1, b0, b1), 1e-7) << i;
    EXPECT_LE(distance, sampled + 1e-12) << "points in between may be nearer";
    // a point of the grid is within 1/80 of each length of the nearest ones
    EXPECT_GE(distance, sampled - (a1 - a0).norm() / 80.0 - (b1 - b0).norm() / 80.0);
    EXPECT_NEAR(segment_distance(b1, b0, a0, a1), segment_distance(a0, a1, b0, b1), 1e-12);
  }
}

TEST(SegmentDistance, KnowsTheSimpleCases) {
  const Vector3d o = Vector3d::Zero(), x = Vector3d::UnitX(), y = Vector3d::UnitY(), z = Vector3d::UnitZ();
  EXPECT_EQ(segment_distance(-x, x, z - y, z + y), 1.0) << "crossing, one above the other";
  EXPECT_EQ(segment_distance(-x, x, -y, y), 0.0) << "crossing in a point";
  EXPECT_EQ(segment_distance(o, x, 3.0 * x, 5.0 * x), 2.0) << "on one line";
  EXPECT_EQ(segment_distance(o, 4.0 * x, x, 2.0 * x), 0.0) << "one inside the other";
  EXPECT_EQ(segment_distance(o, 4.0 * x, x + y, 2.0 * x + y), 1.0) << "side by side";
  EXPECT_EQ(segment_distance(o, o, y, y), 1.0);
}

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
  const double apart = searched_distance(a0, a1, b0, b1);
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
