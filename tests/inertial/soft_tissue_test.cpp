#include "panto/inertial/soft_tissue.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <numbers>

#include "panto/base/error.hpp"
#include "panto/math/so3.hpp"

namespace panto {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr double kRate = 100.0, kTwoPi = 2.0 * std::numbers::pi;
const Vector3d kGravity(0.0, 0.0, 9.80665), kField(0.0, 0.4, -0.9);

using Orientation = std::function<Matrix3d(double)>;

struct Recording {
  std::vector<Time> times;
  std::vector<ImuReading> readings;
};

// what a sensor feels that turns like this and stays where it is; rates are those of the interval before
Recording record(const Orientation& R, int samples) {
  Recording result;
  for (int i = 0; i < samples; ++i) {
    const double t = i / kRate;
    ImuReading reading;
    reading.has_gyro = reading.has_acc = reading.has_mag = true;
    reading.gyro = kRate * so3::log(R(t - 1.0 / kRate).transpose() * R(t));
    reading.acc = R(t).transpose() * kGravity;
    reading.mag = R(t).transpose() * kField;
    result.times.push_back(frame_time(i, kRate));
    result.readings.push_back(reading);
  }
  return result;
}

// Flesh that trembles at 10 Hz by 7 and 2 deg about two axes, out of step: what a thigh's sensor did in a
// walk
Matrix3d trembling(double t) {
  const double phase = 10.0 * kTwoPi * t;
  return so3::exp(Vector3d(0.12 * std::sin(phase), 0.035 * std::cos(phase), 0.0));
}

Vector3d mean_rate(const std::vector<ImuReading>& readings, std::size_t margin) {
  Vector3d sum = Vector3d::Zero();
  for (std::size_t i = margin; i + margin < readings.size(); ++i) sum += readings[i].gyro;
  return sum / static_cast<double>(readings.size() - 2 * margin);
}

TEST(Steadied, TremblingThatOnlySeemsToTurnASensorLeavesNoTurn) {
  const Recording given = record(trembling, 500);
  const std::vector<ImuReading> calm = steadied(given.times, given.readings, 0.2);
  // coning: the mean rate about the third axis is half of 0.12 * 0.035 * 2 pi * 10, 8 deg a second
  EXPECT_GT(std::abs(mean_rate(given.readings, 20).z()), 0.1);
  EXPECT_LT(mean_rate(calm, 20).norm(), 0.002);
  for (std::size_t i = 20; i + 20 < calm.size(); ++i) {
    // two periods in the window: what is left of 7.5 rad/s
    EXPECT_LT(calm[i].gyro.norm(), 0.05);
    EXPECT_LT((calm[i].acc - kGravity).norm(), 0.1) << "without it the force swings by 1.2 m/s^2";
    EXPECT_LT((calm[i].mag - kField).norm(), 0.01);
  }
}

TEST(Steadied, ASteadyTurnIsAsItWas) {
  const Vector3d w(1.0, -2.0, 0.5);
  const Recording given = record([&](double t) { return so3::exp(t * w); }, 200);
  const std::vector<ImuReading> calm = steadied(given.times, given.readings, 0.2);
  for (std::size_t i = 1; i < calm.size(); ++i) {
    EXPECT_LT((calm[i].gyro - w).norm(), 1e-9) << i;
    EXPECT_LT((calm[i].acc - given.readings[i].acc).norm(), 1e-9) << i;
    EXPECT_LT((calm[i].mag - given.readings[i].mag).norm(), 1e-9) << i;
  }
}

TEST(Steadied, ASwingOfAStrideComesThroughWithoutDelay) {
  const auto swing = [](double t) { return so3::exp(Vector3d(0.0, 0.5 * std::sin(kTwoPi * t), 0.0)); };
  const Recording given = record(swing, 400);
  const std::vector<ImuReading> calm = steadied(given.times, given.readings, 0.2);
  double product = 0.0, square = 0.0, across = 0.0;
  for (std::size_t i = 50; i < 350; ++i) {
    const double phase = kTwoPi * (static_cast<double>(i) - 0.5) / kRate;  // the middle of the interval
    product += calm[i].gyro.y() * std::cos(phase);
    across += calm[i].gyro.y() * std::sin(phase);
    square += std::numbers::pi * std::cos(phase) * std::cos(phase);
  }
  EXPECT_NEAR(product / square, 0.974, 0.003) << "the window's share of 1 Hz";
  EXPECT_NEAR(across / square, 0.0, 1e-3) << "no delay";
}

TEST(Steadied, GapsAreNotBridgedAndStay) {
  Recording given = record(trembling, 300);
  for (std::size_t i = 100; i < 140; ++i) given.readings[i].has_gyro = false;
  const std::vector<ImuReading> calm = steadied(given.times, given.readings, 0.2);
  for (std::size_t i = 100; i < 140; ++i) {
    EXPECT_FALSE(calm[i].has_gyro);
    EXPECT_EQ(calm[i].acc, given.readings[i].acc);
  }
  // each side as if the other were not there
  const std::span<const Time> times(given.times);
  const std::vector<ImuReading> after =
      steadied(times.subspan(140), std::span(given.readings).subspan(140), 0.2);
  for (std::size_t i = 140; i < 300; ++i) EXPECT_EQ(calm[i].gyro, after[i - 140].gyro) << i;
}

TEST(Steadied, AWindowThatIsNoneIsRefused) {
  const Recording given = record(trembling, 10);
  EXPECT_THROW((void)steadied(given.times, given.readings, 0.0), ConfigError);
  EXPECT_THROW((void)steadied(std::span(given.times).first(9), given.readings, 0.2), ConfigError);
}

}  // namespace
}  // namespace panto
