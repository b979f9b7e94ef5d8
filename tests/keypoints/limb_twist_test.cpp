#include "panto/keypoints/limb_twist.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>
#include <random>

#include "panto/keypoints/point_geometry.hpp"
#include "panto/math/so3.hpp"

namespace panto::keypoints {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
constexpr double kDegree = std::numbers::pi / 180.0;

// A leg at 100 Hz that swings, turns about itself and bends by `bend(t)`; its true axis and what a frame
// shows.
struct Leg {
  std::vector<LimbFrame> frames;
  std::vector<Time> times;
  std::vector<Vector3d> truth;

  template <typename Bend>
  Leg(int count, const Bend& bend, double noise) {
    std::mt19937_64 random(5);
    std::normal_distribution<double> normal;
    for (int k = 0; k < count; ++k) {
      const double t = 0.01 * k;
      const Matrix3d R = so3::about_axis(2, 0.3 * std::sin(t)) * so3::about_axis(1, 0.5 * std::sin(3.0 * t));
      const Vector3d upper = R * Vector3d(0, 0, -1);
      const Vector3d jitter = noise * Vector3d(normal(random), normal(random), normal(random));
      const Vector3d lower = (R * so3::about_axis(1, bend(t)) * Vector3d(0, 0, -1) + jitter).normalized();
      LimbFrame frame;
      frame.bone = upper;
      frame.hinge = upper.cross(lower);
      frame.weight = frame.hinge.squaredNorm();
      frame.reference = Vector3d::UnitY();
      frame.either_sign = true;
      frames.push_back(frame);
      times.push_back(frame_time(k, 100.0));
      truth.emplace_back(R.col(1));
    }
  }

  [[nodiscard]] double worst(std::size_t begin = 0) const {
    const auto hinges = limb_hinges(frames, times);
    double worst = 0.0;
    for (std::size_t k = begin; k < truth.size(); ++k)
      worst = std::max(worst, std::acos(std::min(1.0, hinges[k].dot(truth[k]))));
    return worst / kDegree;
  }
};

TEST(LimbTwist, FollowsTheAxisOfALimbThatBends) {
  const Leg leg(
      400, [](double) { return 1.0; }, 0.0);
  EXPECT_LT(leg.worst(), 0.2);
}

TEST(LimbTwist, CrossesAStraightLimbWithoutTurning) {
  // bends from 60 deg through straight to 60 deg, with noise of 0.3 deg that means nothing while straight
  const Leg leg(
      600, [](double t) { return 0.5 + 0.55 * std::cos(2.0 * t); }, 0.005);
  EXPECT_LT(leg.worst(), 6.0);
}

TEST(LimbTwist, NeverJumps) {
  const Leg leg(
      600, [](double t) { return 0.2 * std::sin(4.0 * t); }, 0.01);
  const auto hinges = limb_hinges(leg.frames, leg.times);
  for (std::size_t k = 1; k < hinges.size(); ++k)
    EXPECT_LT(std::acos(std::min(1.0, hinges[k].dot(hinges[k - 1]))), 3.0 * kDegree) << k;
}

TEST(LimbTwist, KeepsToTheReferenceWhereTheLimbNeverBends) {
  const Leg leg(
      300, [](double) { return 0.0; }, 0.0);
  const auto hinges = limb_hinges(leg.frames, leg.times);
  for (std::size_t k = 0; k < hinges.size(); ++k) {
    const Vector3d across =
        Vector3d::UnitY() - leg.frames[k].bone * leg.frames[k].bone.dot(Vector3d::UnitY());
    EXPECT_GT(hinges[k].dot(across.normalized()), std::cos(1.0 * kDegree)) << k;
  }
}

TEST(LimbTwist, LeavesOutFramesWithoutALimbAndGoesOnAfterThem) {
  Leg leg(
      300, [](double) { return 0.8; }, 0.0);
  for (std::size_t k = 100; k < 150; ++k) leg.frames[k].bone = leg.frames[k].hinge = no_point();
  const auto hinges = limb_hinges(leg.frames, leg.times);
  for (std::size_t k = 0; k < 300; ++k) {
    const bool gap = k >= 100 && k < 150;
    EXPECT_EQ(hinges[k].allFinite(), !gap) << k;
    if (!gap) {
      EXPECT_GT(hinges[k].dot(leg.truth[k]), std::cos(0.5 * kDegree)) << k;
    }
  }
}

// ---- rigid clusters and functional joints -----------------------------------------------------------------

TEST(LimbTwist, LeavesOutFramesWhereBothEndsOfTheBoneAreOnePlace) {
  std::vector<LimbFrame> frames(20);
  std::vector<Time> times;
  for (std::size_t k = 0; k < frames.size(); ++k) {
    times.push_back(frame_time(static_cast<int>(k), 60.0));
    frames[k] = {Vector3d::UnitZ(), Vector3d::UnitY(), 1.0, Vector3d::UnitY()};
  }
  // the first frame, from which all others are carried, and one between
  frames[0].bone = frames[7].bone = Vector3d::Zero();
  const auto hinges = limb_hinges(frames, times);
  for (std::size_t k = 0; k < frames.size(); ++k) {
    const bool seen = k != 0 && k != 7;
    ASSERT_EQ(hinges[k].allFinite(), seen) << k;
    if (seen) {
      EXPECT_LT((hinges[k] - Vector3d::UnitY()).norm(), 1e-9) << k;
    }
  }
}

TEST(RigidCluster, IsNotFittedToMarkersOnALineThatAreLeftOfIt) {
  // four on a line, one beside
  const std::vector<Vector3d> markers{{0, 0, 0}, {0, 0, 0.1}, {0, 0, 0.2}, {0, 0, 0.3}, {0.1, 0, 0.1}};
  const RigidCluster cluster(markers, 5);
  ASSERT_TRUE(cluster.usable());
  RigidPose pose;
  EXPECT_TRUE(cluster.fit(markers, pose));
  std::vector<Vector3d> hidden = markers;
  hidden[4] = no_point();
  EXPECT_FALSE(cluster.fit(hidden, pose)) << "nothing tells how it turns about the line";
  hidden[4] = markers[4];
  hidden[0] = no_point();
  EXPECT_TRUE(cluster.fit(hidden, pose));
}

TEST(RigidCluster, IsFittedThroughMissingMarkersAndRefusesALine) {
  const std::vector<Vector3d> shape{{0, 0, 0}, {0.1, 0, 0}, {0, 0.1, 0}, {0, 0, 0.1}};
  std::vector<Vector3d> frames;
  for (int k = 0; k < 20; ++k) {
    const Matrix3d R = so3::exp(Vector3d(0.1 * k, 0.05 * k, -0.02 * k));
    for (const Vector3d& p : shape) frames.emplace_back(R * p + Vector3d(1, 2, 3));
  }
  frames[9] = no_point();
  const RigidCluster cluster(frames, 4);
  ASSERT_TRUE(cluster.usable());
  RigidPose pose;
  std::vector<Vector3d> seen(frames.begin() + 40, frames.begin() + 44);
  seen[1] = no_point();
  ASSERT_TRUE(cluster.fit(seen, pose));
  EXPECT_LT((pose.R * cluster.shape()[1] + pose.p - frames[41]).norm(), 1e-12)
      << "where the hidden marker is";
  seen[2] = no_point();
  EXPECT_FALSE(cluster.fit(seen, pose)) << "two markers do not make a pose";
  const std::vector<Vector3d> line{{0, 0, 0}, {0.1, 0, 0}, {0.2, 0, 0}};
  EXPECT_FALSE(RigidCluster(line, 3).usable());
}

TEST(FunctionalAxis, FindsTheHingeOfTwoBodies) {
  std::vector<RigidPose> a, b;
  const Vector3d axis = Vector3d(0.1, 1, -0.1).normalized(), in_a(0.02, 0.01, -0.4), in_b(0.0, 0.03, 0.35);
  for (int k = 0; k < 100; ++k) {
    RigidPose upper{so3::exp(Vector3d(0.3 * std::sin(0.1 * k), 0.2, 0.01 * k)), Vector3d(0.01 * k, 0, 1)};
    RigidPose lower;
    lower.R = upper.R * so3::exp(0.6 * (1 + std::sin(0.2 * k)) * axis);
    lower.p = upper.R * in_a + upper.p - lower.R * in_b;
    a.push_back(upper);
    b.push_back(lower);
  }
  const FunctionalAxis found = functional_axis(a, b);
  ASSERT_TRUE(found.valid);
  EXPECT_NEAR(std::abs(found.axis_a.dot(axis)), 1.0, 1e-9);
  EXPECT_LT((found.point_a - in_a).cross(axis).norm(), 1e-6) << "on the line";
  EXPECT_LT(found.residual, 1e-6);
  EXPECT_FALSE(functional_axis(a, a).valid) << "bodies that do not turn against each other have no axis";
}

}  // namespace
}  // namespace panto::keypoints
