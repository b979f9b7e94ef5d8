#include "panto/recording/edited_sensors.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "panto/base/error.hpp"

namespace panto {
namespace {

constexpr std::size_t kSamples = 9;

// two sensors, the second without a magnetometer
ImuClip two_sensors() {
  ImuClip clip;
  clip.name = "two";
  clip.sensors = {"pelvis", "thigh"};
  for (std::size_t i = 0; i < kSamples; ++i) {
    clip.times.push_back(static_cast<Time>(i) * 10'000'000);
    for (int sensor = 0; sensor < 2; ++sensor) {
      ImuReading& reading = clip.readings.emplace_back();
      reading.acc = {0.0, 0.0, 9.81};
      reading.has_acc = reading.has_gyro = true;
      reading.mag = {0.0, 3.0, -4.0};
      reading.has_mag = sensor == 0;
    }
  }
  return clip;
}

TEST(EditedSensors, WithoutEditsAreTheSame) {
  const ImuClip clip = edited(two_sensors(), {});
  for (std::size_t i = 0; i < kSamples; ++i) {
    EXPECT_EQ(clip.at(i, 0).mag, Eigen::Vector3d(0.0, 3.0, -4.0));
    EXPECT_TRUE(clip.at(i, 0).tells_motion() && clip.at(i, 1).tells_motion());
  }
}

TEST(EditedSensors, LoseOneInTheMiddleThird) {
  const ImuClip clip = edited(two_sensors(), {.lost = "thigh"});
  for (std::size_t i = 0; i < kSamples; ++i) {
    EXPECT_TRUE(clip.at(i, 0).tells_motion()) << "the other one measures on";
    EXPECT_EQ(clip.at(i, 1).tells_motion(), i < 3 || i >= 6) << "sample " << i;
  }
}

TEST(EditedSensors, CarryAMagnetInTheMiddleThird) {
  const ImuClip clip = edited(two_sensors(), {.magnet = "pelvis", .strength = 3.0});
  for (std::size_t i = 0; i < kSamples; ++i) {
    // three times the 5 units of the sensor's own field, along its x axis
    const Eigen::Vector3d right(i < 3 || i >= 6 ? 0.0 : 15.0, 3.0, -4.0);
    EXPECT_LT((clip.at(i, 0).mag - right).norm(), 1e-12) << "sample " << i;
  }
}

TEST(EditedSensors, RefuseWhatIsNotThere) {
  try {
    (void)edited(two_sensors(), {.lost = "thigth"});
    FAIL();
  } catch (const ConfigError& problem) {
    EXPECT_NE(std::string(problem.what()).find("thigh"), std::string::npos) << problem.what();
  }
  EXPECT_THROW((void)edited(two_sensors(), {.magnet = "thigh"}), ConfigError) << "it has no magnetometer";
  for (const double strength : {-1.0, 101.0, std::numeric_limits<double>::quiet_NaN()})
    EXPECT_THROW((void)edited(two_sensors(), {.magnet = "pelvis", .strength = strength}), ConfigError);
}

TEST(EditedSensors, OfAnEmptyRecordingAreEmpty) {
  ImuClip empty;
  empty.sensors = {"pelvis"};
  EXPECT_TRUE(edited(empty, {.lost = "pelvis"}).readings.empty());
}

}  // namespace
}  // namespace panto
