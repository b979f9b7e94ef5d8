#include "panto/rig/stature.hpp"

#include <gtest/gtest.h>

#include "panto/math/so3.hpp"

namespace panto::rig {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

// Feet of a person of that stature: each stands for 0.5 s while the pelvis passes over it at 1 m/s, then
// swings and turns.
LegPaths walk(double stature, int steps) {
  LegPaths paths;
  paths.rate_hz = 60.0;
  for (int k = 0; k < 30 * steps; ++k) {
    const double t = k / 60.0, phase = (k % 30) / 30.0;
    const int standing = (k / 30) % 2;
    paths.pelvis.emplace_back(t, 0.0, 0.9);
    for (int side = 0; side < 2; ++side) {
      const double along = side == standing ? 0.25 - 0.5 * phase : -0.25 + 0.5 * phase;
      paths.reach[static_cast<std::size_t>(side)].emplace_back(along / stature, 0.0, -0.5);
      paths.foot[static_cast<std::size_t>(side)].push_back(
          side == standing ? Matrix3d::Identity() : so3::exp(Vector3d(0.0, 3.0 * phase, 0.0)));
    }
  }
  return paths;
}

TEST(StatureTest, IsThatOfAWalkWhoseFeetStandStill) {
  for (const double stature : {1.2, 1.55, 1.95}) {
    const LegPaths paths = walk(stature, 10);
    const StatureFit fit = stature_from_stances(std::span(&paths, 1));
    EXPECT_TRUE(fit.found);
    EXPECT_NEAR(fit.height, stature, 1e-6);
    EXPECT_GE(fit.stances, 8);
  }
}

TEST(StatureTest, IsNotClaimedFromTwoStancesOrFeetThatAlwaysTurn) {
  const LegPaths few = walk(1.7, 2);
  EXPECT_FALSE(stature_from_stances(std::span(&few, 1)).found);
  LegPaths spin = walk(1.7, 10);
  for (auto& feet : spin.foot) {
    for (std::size_t k = 0; k < feet.size(); ++k)
      feet[k] = so3::exp(Vector3d(0, 0, 0.1 * static_cast<double>(k)));
  }
  EXPECT_FALSE(stature_from_stances(std::span(&spin, 1)).found);
  EXPECT_FALSE(stature_from_stances({}).found);
}

TEST(StatureTest, PoolsClipsOfOnePerson) {
  const std::vector<LegPaths> clips(4, walk(1.7, 2));
  const StatureFit fit = stature_from_stances(clips);
  EXPECT_TRUE(fit.found);
  EXPECT_NEAR(fit.height, 1.7, 1e-6);
}

}  // namespace
}  // namespace panto::rig
