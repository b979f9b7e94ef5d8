#include "panto/inertial/still_parts.hpp"

#include <gtest/gtest.h>

#include "panto/base/error.hpp"
#include "tests/support/random_model.hpp"

namespace panto {
namespace {

// two sensors at 100 Hz, which turn while `moves(second)`
template <typename Moves>
std::vector<ImuSample> recording(double seconds, const Moves& moves) {
  test::Random random(3);
  std::vector<ImuSample> samples;
  for (int k = 0; k < static_cast<int>(100.0 * seconds); ++k) {
    const double t = 0.01 * k;
    ImuSample& sample = samples.emplace_back();
    sample.t = from_seconds(t);
    sample.imus.resize(2);
    for (ImuReading& imu : sample.imus) {
      imu.has_gyro = imu.has_acc = true;
      imu.gyro =
          Eigen::Vector3d(0.01, 0.02, -0.03) + test::random_vector(random, 0.005);  // a bias is no motion
      imu.acc = Eigen::Vector3d(0.0, 0.0, 9.8) + test::random_vector(random, 0.05);
    }
    if (moves(t)) sample.imus[1].gyro.x() += std::sin(6.0 * t);
  }
  return samples;
}

TEST(StillParts, AreBetweenMotionsAndNotShorterThanASecond) {
  // still: 0 to 3 s, 4 to 4.8 s (too short), 6 to 9 s
  const auto samples =
      recording(9.0, [](double t) { return (t >= 3.0 && t < 4.0) || (t >= 4.8 && t < 6.0); });
  const std::vector<StillPart> parts = still_parts(samples);
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(parts[0].first, 0U);
  // a window of half a second that holds a little of the motion may still count
  EXPECT_NEAR(static_cast<double>(parts[0].last), 299.0, 15.0);
  EXPECT_NEAR(static_cast<double>(parts[1].first), 600.0, 15.0);
  EXPECT_EQ(parts[1].last, 899U);
}

TEST(StillParts, OneMovingSensorIsEnoughToBeMoving) {
  EXPECT_TRUE(still_parts(recording(5.0, [](double) { return true; })).empty());
}

TEST(StillParts, ASensorThatMeasuresNothingDoesNotCountButNobodyIsNotStill) {
  auto samples = recording(5.0, [](double) { return true; });
  for (ImuSample& sample : samples) sample.imus[1].has_gyro = false;
  ASSERT_EQ(still_parts(samples).size(), 1U);
  for (ImuSample& sample : samples) sample.imus[0].has_acc = false;
  EXPECT_TRUE(still_parts(samples).empty());
  EXPECT_TRUE(still_parts({}).empty());
}

TEST(StillParts, RefuseOptionsThatMeanNothing) {
  StillOptions options;
  options.window = 0.0;
  EXPECT_THROW((void)still_parts({}, options), ConfigError);
}

}  // namespace
}  // namespace panto
