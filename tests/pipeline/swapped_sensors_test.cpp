#include "panto/pipeline/swapped_sensors.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <utility>

#include "panto/base/error.hpp"
#include "panto/math/so3.hpp"
#include "tests/support/swaying_leg.hpp"

namespace panto {
namespace {

using test::Leg;

// Four seconds of the swaying leg, and the setup that somebody believes in.
struct Recorded {
  Leg leg;
  std::vector<ImuSample> samples;
  InertialSetup setup = Leg::make_setup();

  Recorded() {
    for (int k = 0; k < 400; ++k) samples.push_back(leg.at(k));
  }
  [[nodiscard]] std::vector<SwappedSensors> search(const SwapSearchOptions& options = {}) const {
    const auto read = [this](std::size_t index, ImuSample& sample) { sample = samples[index]; };
    return find_swapped_sensors(leg.model, setup, leg.sensors, {samples.size(), read}, options);
  }
};

TEST(SwappedSensors, SensorsThatSitWhereTheyShouldAreNotSuspected) {
  EXPECT_TRUE(Recorded().search().empty());
}

TEST(SwappedSensors, NamesThatWereChangedOverAreFound) {
  for (const auto& [a, b] : {std::pair<std::size_t, std::size_t>{0, 1}, {0, 2}, {1, 2}}) {
    Recorded recorded;
    auto& mounts = recorded.setup.mounts;
    const std::string in_truth = mounts[a].name;
    std::swap(mounts[a].name, mounts[b].name);
    const auto found = recorded.search();
    ASSERT_EQ(found.size(), 1U) << in_truth;
    EXPECT_EQ(found[0].one, mounts[a].name);
    EXPECT_EQ(found[0].other, in_truth);
    EXPECT_EQ(found[0].other_link, mounts[b].link);
    EXPECT_FALSE(found[0].calibrated) << "their turns are the links' own";
    EXPECT_GT(found[0].before, 3.0);
    EXPECT_LT(found[0].after, 1.0) << "3 is expected of sensors as noisy as the options say; these are exact";
  }
}

// Who calibrates by a pose gets turns that are right for gravity in that pose, on whatever segment.
TEST(SwappedSensors, SensorsThatWereCalibratedOnEachOthersSegmentsAreFoundAndSaidToBe) {
  Recorded recorded;
  auto& mounts = recorded.setup.mounts;
  std::swap(mounts[1].link, mounts[2].link);
  std::swap(mounts[1].p_LI, mounts[2].p_LI);
  const auto found = recorded.search();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_TRUE(found[0].calibrated);
  EXPECT_EQ(found[0].one, "thigh");
  EXPECT_EQ(found[0].one_link, "RightLowerLeg") << "where the setup has it";
  EXPECT_LT(found[0].after, 1.0);
}

TEST(SwappedSensors, ThreeThatWerePassedRoundTakeTwoChanges) {
  Recorded recorded;
  auto& mounts = recorded.setup.mounts;
  const std::string first = mounts[0].name;
  mounts[0].name = mounts[1].name;
  mounts[1].name = mounts[2].name;
  mounts[2].name = first;
  SwapSearchOptions options;
  options.better = 0.95;  // one change alone puts one of three right
  const auto found = recorded.search(options);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_LT(found[1].after, 1.0);
}

TEST(SwappedSensors, WhatNoChangeExplainsIsNotBlamedOnOne) {
  Recorded recorded;
  recorded.setup.mounts[2].R_LI *= so3::about_axis(0, 1.2);  // badly mounted, in its own place
  EXPECT_TRUE(recorded.search().empty());
}

TEST(SwappedSensors, NothingMeasuredMakesNoSuspicion) {
  Recorded recorded;
  const std::vector<ImuSample> whole = std::exchange(recorded.samples, {});
  EXPECT_TRUE(recorded.search().empty());
  recorded.samples = whole;
  for (ImuSample& sample : recorded.samples)
    for (ImuReading& reading : sample.imus) {
      reading.gyro.setConstant(std::numeric_limits<double>::quiet_NaN());
      reading.has_gyro = reading.has_acc = reading.has_mag = false;
    }
  EXPECT_TRUE(recorded.search().empty());
}

TEST(SwappedSensors, OptionsOutOfRangeAreRefusedByName) {
  const Recorded recorded;
  const auto refused = [&](const SwapSearchOptions& options, const std::string& name) {
    try {
      (void)recorded.search(options);
      FAIL() << name;
    } catch (const ConfigError& error) {
      EXPECT_NE(std::string(error.what()).find("'swaps." + name + "'"), std::string::npos) << error.what();
    }
  };
  SwapSearchOptions options;
  options.better = 1.0;
  refused(options, "better");
  options = {};
  options.disagreement = 0;
  refused(options, "disagreement");
  options = {};
  options.longest = 0;
  refused(options, "longest");
  options = {};
  options.reach = -1;
  refused(options, "reach");
  options = {};
  options.most = -1;
  refused(options, "most");
  options = {};
  options.disagreeing = std::numeric_limits<double>::quiet_NaN();
  refused(options, "disagreeing");
}

}  // namespace
}  // namespace panto
