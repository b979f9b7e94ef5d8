#include "panto/retarget/body_gaps.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "panto/base/index.hpp"
#include "panto/retarget/obstacle.hpp"
#include "tests/support/random_model.hpp"
#include "tests/support/refusals.hpp"
#include "tests/support/test_data.hpp"
#include "tests/support/two_arms.hpp"

namespace panto {
namespace {

using Eigen::Vector3d;

State random_pose(const Model& model, test::Random& random) {
  State state = rest_state(model);
  for (int j = 0; j < model.dof(); ++j)
    state.s[j] = test::uniform(random, model.lower()[j], model.upper()[j]);
  return state;
}

Obstacle box_about(const Vector3d& centre, const Vector3d& half) {
  Obstacle box;
  box.name = "box";
  box.shape = Obstacle::Shape::Box;
  box.p_WO = centre;
  box.half = half;
  return box;
}

TEST(BodyGaps, GradientsAreThoseOfFiniteDifferences) {
  const Model model(test::two_arms_spec());
  Obstacle ball;
  ball.shape = Obstacle::Shape::Capsule;
  ball.p_WO = ball.end_W = {0.4, 0.0, 0.2};
  ball.radius = 0.1;
  BodyGaps gaps(model, test::two_arms_body(model).body,
                {ball, box_about({0.3, 0.5, 0.2}, {0.1, 0.05, 0.2}), Obstacle{}});
  Kinematics kinematics(model);
  test::Random random(5);
  Eigen::VectorXd gradient(model.dof());
  int compared = 0;
  for (int n = 0; n < test::scaled_numerical(300); ++n) {
    State state = random_pose(model, random);
    kinematics.update(state);
    const auto near = gaps.find(kinematics, 0.2);
    const std::vector<BodyGap> found(near.begin(), near.end());
    for (const BodyGap& gap : found) {
      if (gap.distance < 0.0)
        continue;  // links that overlap deeply are led apart in a direction that is given
      kinematics.update(state);
      (void)gaps.find(kinematics, 0.2);
      gaps.gradient(gap, kinematics, gradient);
      for (int j = 0; j < model.dof(); ++j) {
        std::array<double, 2> distance{};
        for (const int side : {0, 1}) {
          State moved = state;
          moved.s[j] += side == 0 ? -1e-6 : 1e-6;
          kinematics.update(moved);
          for (const BodyGap& other : gaps.find(kinematics, 0.3))
            if (other.key == gap.key) distance[static_cast<std::size_t>(side)] = other.distance;
        }
        // where the nearest point is about to jump the difference quotient is in between
        EXPECT_NEAR((distance[1] - distance[0]) / 2e-6, gradient[j], 2e-4) << n << " joint " << j;
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 500);
}

TEST(BodyGaps, WhatWasNearIsFoundAgainWithinTheLeversOfAMove) {
  const Model model(test::two_arms_spec());
  BodyGaps gaps(model, test::two_arms_body(model).body,
                {box_about({0.3, 0.5, 0.2}, {0.1, 0.05, 0.2}), Obstacle{}});
  const Eigen::VectorXd levers = gaps.levers();
  Kinematics kinematics(model);
  test::Random random(6);
  int compared = 0;
  for (int n = 0; n < test::scaled_numerical(300); ++n) {
    State state = random_pose(model, random);
    kinematics.update(state);
    std::vector<int> keys;
    for (const BodyGap& gap : gaps.find(kinematics, 0.2)) keys.push_back(gap.key);
    double moved = 0.0;
    for (int j = 0; j < model.dof(); ++j) {
      const double change = test::uniform(random, -0.03, 0.03);
      state.s[j] += change;
      moved += levers[j] * std::abs(change);
    }
    kinematics.update(state);
    const auto all = gaps.find(kinematics, 0.2 - moved);
    const std::vector<BodyGap> found(all.begin(), all.end());
    const auto again = gaps.find(kinematics, 0.2 - moved, keys);
    ASSERT_EQ(again.size(), found.size()) << n;
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_EQ(again[i].key, found[i].key);
      EXPECT_EQ(again[i].distance, found[i].distance);
      EXPECT_EQ(again[i].normal_W, found[i].normal_W);
      ++compared;
    }
  }
  EXPECT_GT(compared, 300);
}

TEST(BodyGaps, OnlyWhatAJointMovesIsNamedAsMovedByIt) {
  const Model model(test::two_arms_spec());
  BodyGaps gaps(model, test::two_arms_body(model).body,
                {box_about({0.3, 0.5, 0.2}, {0.1, 0.05, 0.2}), Obstacle{}});
  Kinematics kinematics(model);
  test::Random random(7);
  const auto distances = [&](const State& state) {
    kinematics.update(state);
    std::vector<double> distance(gaps.keys(), kInfinity);
    for (const BodyGap& gap : gaps.find(kinematics, 10.0)) distance[at(gap.key)] = gap.distance;
    return distance;
  };
  std::size_t moved_in_all = 0;
  for (int j = 0; j < model.dof(); ++j) {
    const std::vector<int> dofs{j}, keys = gaps.moved_by(dofs);
    EXPECT_TRUE(std::is_sorted(keys.begin(), keys.end()));
    std::set<int> moved;
    for (int n = 0; n < 50; ++n) {
      State state = random_pose(model, random);
      const std::vector<double> before = distances(state);
      state.s[j] = test::uniform(random, model.lower()[j], model.upper()[j]);
      const std::vector<double> after = distances(state);
      for (std::size_t k = 0; k < before.size(); ++k)
        if (std::abs(after[k] - before[k]) > 1e-9) moved.insert(static_cast<int>(k));
    }
    EXPECT_TRUE(std::includes(keys.begin(), keys.end(), moved.begin(), moved.end())) << "joint " << j;
    EXPECT_LT(keys.size(), gaps.keys()) << "joint " << j << ": the other arm is not moved";
    moved_in_all += moved.size();
  }
  EXPECT_GT(moved_in_all, 20U);
  EXPECT_TRUE(gaps.moved_by({}).empty());
}

TEST(BodyGaps, LinksThatOverlapDeeplyAreLedApartTheShortWay) {
  const Model model(test::two_arms_spec());
  BodyGaps gaps(model, test::two_arms_body(model).body);
  Kinematics kinematics(model);
  State state = rest_state(model);
  state.s << -0.8, 0.0, -0.3, 0.8, 0.05, 0.3;  // forearms cross, the right one lower
  kinematics.update(state);
  Eigen::VectorXd gradient(model.dof());
  bool found = false;
  for (const BodyGap& gap : gaps.find(kinematics, 0.0)) {
    if (gaps.names(gap) != std::pair<std::string, std::string>("left_fore", "right_fore")) continue;
    found = true;
    EXPECT_LT(gap.distance, -0.02);
    EXPECT_LT(gap.normal_W.z(), -0.5) << "the second one is below";
    gaps.gradient(gap, kinematics, gradient);
    EXPECT_GT(gradient[4], 0.1) << "the right arm goes down";
    EXPECT_LT(gradient[1], -0.1) << "the left one up";
  }
  EXPECT_TRUE(found);
}

TEST(BodyGaps, UnknownLinksAndPairsAreRefused) {
  const Model model(test::two_arms_spec());
  CapsuleBody body = test::two_arms_body(model).body;
  body.pairs = {{0, 9}};
  EXPECT_THROW(BodyGaps(model, body), ModelError);
  body.pairs.clear();
  body.capsules[0].from.link = 99;
  EXPECT_THROW(BodyGaps(model, body), ModelError);
}

TEST(Obstacle, GapsAreThoseOfTheNearestPointsOfManySegments) {
  test::Random random(7);
  for (int n = 0; n < test::scaled_numerical(300); ++n) {
    Obstacle box = box_about(test::random_vector(random, 0.5), Vector3d(0.1, 0.2, 0.3));
    box.R_WO = test::random_rotation(random);
    const Vector3d a = test::random_vector(random, 1.0), b = test::random_vector(random, 1.0);
    const ObstacleGap gap = obstacle_gap(box, a, b);
    double sampled = kInfinity;
    for (int i = 0; i <= 400; ++i) {
      const Vector3d p = a + i / 400.0 * (b - a);
      sampled = std::min(sampled, obstacle_gap(box, p, p).distance);
    }
    EXPECT_LE(gap.distance, sampled + 1e-9);
    EXPECT_GE(gap.distance, sampled - (b - a).norm() / 800.0) << "no point is farther than half a step";
    EXPECT_NEAR(gap.normal_W.norm(), 1.0, 1e-9);
    EXPECT_NEAR(obstacle_gap(box, gap.point_W, gap.point_W).distance, gap.distance, 1e-9);
  }
  EXPECT_NEAR(
      obstacle_gap(box_about({0.0, 0.0, 0.0}, {1.0, 1.0, 1.0}), {0.0, 0.0, 0.9}, {0.0, 0.0, 0.9}).distance,
      -0.1, 1e-12)
      << "a point inside is as deep as the nearest face";
}

TEST(Obstacle, ValuesOutOfRangeAreRefused) {
  Obstacle box = box_about({0.0, 0.0, 0.0}, {1.0, 0.0, 1.0});
  EXPECT_THROW(check(box), ConfigError);
  box.half.y() = 1.0;
  EXPECT_NO_THROW(check(box));
  box.R_WO *= -1.0;
  EXPECT_THROW(check(box), ConfigError);
  box = {};
  box.radius = -1.0;
  EXPECT_THROW(check(box), ConfigError);
  box.radius = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(check(box), ConfigError);
}

}  // namespace
}  // namespace panto
