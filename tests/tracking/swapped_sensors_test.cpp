#include "panto/tracking/swapped_sensors.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "panto/base/error.hpp"
#include "panto/math/so3.hpp"
#include "tests/support/swaying_person.hpp"

namespace panto {
namespace {

using Recorded = test::SwayingPerson;

Recorded stiff_wrist() {
  return Recorded(Recorded::arm(), 6.0,
                  [](const std::string& joint) { return joint.find("RightWrist") == std::string::npos; });
}

std::vector<SwappedSensors> search(const Recorded& recorded, const SwapSearchOptions& options = {}) {
  return find_swapped_sensors(recorded.model, recorded.setup, recorded.sensors, recorded.recording(),
                              options);
}

TEST(SwappedSensors, SensorsThatSitWhereTheyShouldAreNotSuspected) {
  EXPECT_TRUE(search(Recorded()).empty());
}

TEST(SwappedSensors, NamesThatWereChangedOverAreFound) {
  for (const auto& [a, b] : {std::pair<std::size_t, std::size_t>{0, 1}, {1, 2}, {1, 3}, {2, 4}}) {
    Recorded recorded;
    auto& mounts = recorded.setup.mounts;
    const std::string in_truth = mounts[a].name;
    std::swap(mounts[a].name, mounts[b].name);
    const auto found = search(recorded);
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
  const auto found = search(recorded);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_TRUE(found[0].calibrated);
  EXPECT_EQ(found[0].one, "thigh");
  EXPECT_EQ(found[0].one_link, "RightLowerLeg") << "where the setup has it";
  EXPECT_LT(found[0].after, 1.0);
}

TEST(SwappedSensors, ThreeThatWerePassedRoundTakeTwoChanges) {
  Recorded recorded;
  auto& mounts = recorded.setup.mounts;
  const std::string last = mounts[2].name;
  mounts[2].name = mounts[1].name;
  mounts[1].name = mounts[0].name;
  mounts[0].name = last;
  SwapSearchOptions options;
  options.better = 0.95;  // one change alone puts one of three right
  const auto found = search(recorded, options);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_LT(found[1].after, 1.0);
}

TEST(SwappedSensors, WhatNoChangeExplainsIsNotBlamedOnOne) {
  Recorded recorded;
  recorded.setup.mounts[2].R_LI *= so3::about_axis(0, 1.2);  // badly mounted, in its own place
  EXPECT_TRUE(search(recorded).empty());
}

// A stiff wrist, and accelerometers that are hardly believed: nothing disagrees.
TEST(SwappedSensors, HandAndForearmThatMoveAsOneAreFoundThoughNoSensorDisagrees) {
  Recorded recorded = stiff_wrist();
  recorded.setup.filter.acc = 5.0;
  SwapSearchOptions options;
  options.hints_alone = true;
  EXPECT_TRUE(search(recorded, options).empty()) << "as it is worn";
  auto& mounts = recorded.setup.mounts;
  std::swap(mounts[3].name, mounts[4].name);
  const auto found = search(recorded, options);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].one_link, "RightForeArm");
  EXPECT_EQ(found[0].other_link, "RightHand");
  EXPECT_LT(found[0].before, 2.0) << "a sensor disagrees from there on, at the least";
  EXPECT_LT(found[0].after, found[0].before);
}

TEST(SwappedSensors, SmallGainsCountWhereNearlyEverySecondHasOne) {
  Recorded recorded = stiff_wrist();
  std::swap(recorded.setup.mounts[3].name, recorded.setup.mounts[4].name);
  SwapSearchOptions options;
  options.hints_alone = true;
  options.better = 1e-3;  // never by what is gained alone
  EXPECT_EQ(search(recorded, options).size(), 1U);
  options.consistent = 1e-3;
  EXPECT_TRUE(search(recorded, options).empty());
}

TEST(SwappedSensors, ASensorDisagreesThatStandsOutFromAllOthers) {
  EXPECT_EQ(disagreement_limit({}), 4.0);
  EXPECT_EQ(disagreement_limit({1.0, 1.2, 0.9, 1.1, 3.9}), 4.0) << "ten times the median is more";
  EXPECT_EQ(disagreement_limit({0.1, 0.1, 0.2, 0.1, 3.4}), 2.0);
  EXPECT_DOUBLE_EQ(disagreement_limit({0.3, 0.2, 0.4}), 3.0);
}

TEST(SwappedSensors, TheSearchIsWatchedAtEverySampleAndEndsWhereItsWatchThrows) {
  struct Enough {};
  Recorded recorded;
  std::swap(recorded.setup.mounts[0].name, recorded.setup.mounts[1].name);
  int seen = 0;
  SwapSearchOptions options;
  options.watch = [&] {
    if (++seen == 50) throw Enough{};
  };
  EXPECT_THROW((void)search(recorded, options), Enough);
  EXPECT_EQ(seen, 50);
}

TEST(SwappedSensors, NothingMeasuredMakesNoSuspicion) {
  Recorded recorded;
  const std::vector<ImuSample> whole = std::exchange(recorded.samples, {});
  EXPECT_TRUE(search(recorded).empty());
  recorded.samples = whole;
  for (ImuSample& sample : recorded.samples)
    for (ImuReading& reading : sample.imus) {
      reading.gyro.setConstant(std::numeric_limits<double>::quiet_NaN());
      reading.has_gyro = reading.has_acc = reading.has_mag = false;
    }
  EXPECT_TRUE(search(recorded).empty());
}

TEST(SwappedSensors, OptionsOutOfRangeAreRefusedByName) {
  const Recorded recorded;
  const auto refused = [&](const SwapSearchOptions& options, const std::string& name) {
    try {
      (void)search(recorded, options);
      FAIL() << name;
    } catch (const ConfigError& error) {
      EXPECT_NE(std::string(error.what()).find("'swaps." + name + "'"), std::string::npos) << error.what();
    }
  };
  SwapSearchOptions options;
  options.better = 1.0;
  refused(options, "better");
  options = {};
  options.consistent = 0.7;  // less than `better`
  refused(options, "consistent");
  options = {};
  options.moving = 0;
  refused(options, "moving");
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
