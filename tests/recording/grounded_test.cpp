#include "panto/recording/grounded.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "panto/math/degrees.hpp"

namespace panto {
namespace {

using Eigen::Vector3d;

// A walk on a floor z = height + slope x: the lowest sole stands half of each second, then swings a step
// ahead.
std::vector<SoleFrame> steps(double height, double slope) {
  std::vector<SoleFrame> frames;
  for (int k = 0; k < 600; ++k) {
    const double phase = std::fmod(k / 60.0, 1.0);
    const double step = std::floor(k / 60.0), swing = std::max(0.0, 2.0 * phase - 1.0);
    const double x = 0.6 * (step + swing), y = 0.2 * std::fmod(step, 8.0);
    const double z = height + slope * x + 0.02 * std::sin(std::numbers::pi * swing);
    frames.push_back({frame_time(k, 60.0), Vector3d(x, y, z), z + 0.9});
  }
  return frames;
}

TEST(Floor, HasTheHeightOfStandingSolesWhateverAFewFramesSay) {
  std::vector<SoleFrame> frames = steps(0.12, 0.0);
  for (int k = 100; k < 105; ++k)
    frames[static_cast<std::size_t>(k)].lowest.z() = -0.4;  // a glitch under the floor
  const FloorFit floor = find_floor(frames);
  ASSERT_TRUE(floor.found);
  EXPECT_NEAR(floor.height, 0.12, 0.005);
  EXPECT_EQ(floor.up, Vector3d::UnitZ());
  EXPECT_TRUE(floor.drop.empty());
  EXPECT_NE(floor_note(floor).find("over the floor z = 0, by 0.12 m"), std::string::npos);
}

TEST(Floor, SlopesAsTheSolesDo) {
  const FloorFit floor = find_floor(steps(0.0, std::tan(0.5 * kDegree * 2.0)));
  ASSERT_TRUE(floor.found);
  EXPECT_NEAR(std::asin(-floor.up.x()) / kDegree, 1.0, 0.15);
}

TEST(Floor, IsNotFoundWhereNoSoleRestsAndNothingBreaks) {
  EXPECT_FALSE(find_floor({}).found);
  std::vector<SoleFrame> frames = steps(0.0, 0.0);
  frames.resize(1);
  EXPECT_FALSE(find_floor(frames).found);
  frames = steps(0.0, 0.0);
  for (SoleFrame& frame : frames) frame.lowest.setConstant(std::numeric_limits<double>::quiet_NaN());
  EXPECT_FALSE(find_floor(frames).found);
  EXPECT_TRUE(floor_note(find_floor(frames)).empty());
}

TEST(Floor, LetsABodyInFlightFlyAndTakesAFloatingOneDown) {
  std::vector<SoleFrame> jump = steps(0.0, 0.0), floats = jump;
  for (int k = 200; k < 230; ++k) {  // 0.5 s: 0.31 m high
    const double t = (k - 200) / 60.0, rise = 0.5 * 9.81 * t * (0.5 - t);
    jump[static_cast<std::size_t>(k)].lowest.z() += rise;
    jump[static_cast<std::size_t>(k)].root += rise;
  }
  EXPECT_EQ(find_floor(jump).floating_share, 0.0);
  for (int k = 200; k < 400; ++k) floats[static_cast<std::size_t>(k)].lowest.z() += 0.2;
  const FloorFit floor = find_floor(floats);
  EXPECT_NEAR(floor.floating_share, 1.0 / 3.0, 0.01);
  ASSERT_EQ(floor.drop.size(), floats.size());
  EXPECT_NEAR(floor.drop[300], 0.2, 0.03);
  EXPECT_NEAR(floor.drop[100], 0.0, 0.03);
}

}  // namespace
}  // namespace panto
