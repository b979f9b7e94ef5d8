#include "panto/tracking/sensor_exchange.hpp"

#include <gtest/gtest.h>

#include <utility>

#include "panto/base/error.hpp"
#include "panto/math/so3.hpp"
#include "tests/support/swaying_person.hpp"

namespace panto {
namespace {

using test::SwayingPerson;

std::vector<ExchangeHint> hints(const SwayingPerson& person) {
  return hinted_exchanges(person.model, person.setup, person.sensors, person.recording());
}

TEST(SensorExchange, ExchangedTwiceIsTheSameSetup) {
  SwayingPerson person;
  person.setup.gyro_bias = {{0.1, 0.0, 0.0}, {0.2, 0.0, 0.0}, {}, {0.0, 0.3, 0.0}, {}};
  person.setup.start_hinges = {{"jRightHip_roty", -0.5}};
  for (const bool calibrated : {false, true}) {
    const SensorExchange exchange{1, 3, calibrated};
    const InertialSetup once = exchanged(person.model, person.setup, exchange);
    EXPECT_EQ(once.mounts[1].name, "left thigh");
    EXPECT_EQ(once.mounts[1].link, "RightUpperLeg");
    EXPECT_EQ(once.gyro_bias[1].y(), 0.3) << "what is known of a gyroscope goes with it";
    EXPECT_EQ(once.mounts[1].R_LI.isApprox(person.setup.mounts[1].R_LI), !calibrated);
    const InertialSetup twice = exchanged(person.model, once, exchange);
    for (std::size_t m = 0; m < twice.mounts.size(); ++m) {
      EXPECT_EQ(twice.mounts[m].name, person.setup.mounts[m].name);
      EXPECT_TRUE(twice.mounts[m].R_LI.isApprox(person.setup.mounts[m].R_LI, 1e-12));
      EXPECT_EQ(twice.gyro_bias[m], person.setup.gyro_bias[m]);
    }
  }
}

// Gravity in the start's pose is what a pose calibrates by: the world's up is where it was in both.
TEST(SensorExchange, WhatWasCalibratedKeepsItsTurnInTheStartsPose) {
  SwayingPerson person(SwayingPerson::arm());
  const auto all = exchanges_of(person.model, person.setup, {3, 4});
  ASSERT_EQ(all.size(), 1U) << "an arm held straight: both ways are the same";
  person.setup.start_hinges = {{"jRightElbow_rotz", 1.0}};
  EXPECT_EQ(exchanges_of(person.model, person.setup, {2, 3}).size(), 2U);
  const InertialSetup other = exchanged(person.model, person.setup, {2, 3, true});
  EXPECT_NEAR(so3::log(other.mounts[2].R_LI).norm(), 1.0, 1e-12) << "by the elbow's angle";
}

TEST(SensorExchange, NobodyIsAccusedWhoWearsThemRight) {
  EXPECT_TRUE(hints(SwayingPerson()).empty());
  EXPECT_TRUE(hints(SwayingPerson(SwayingPerson::arm(), 6.0)).empty());
}

TEST(SensorExchange, ThePairThatWasChangedOverIsTheFirstHint) {
  for (const auto& [a, b] : {std::pair<std::size_t, std::size_t>{1, 2}, {1, 3}, {2, 4}, {3, 4}}) {
    SwayingPerson person(SwayingPerson::legs(), 6.0);
    std::swap(person.setup.mounts[a].name, person.setup.mounts[b].name);
    const auto found = hints(person);
    ASSERT_FALSE(found.empty()) << a << ' ' << b;
    EXPECT_EQ(found[0].exchange, (SensorExchange{a, b, false}));
    EXPECT_GT(found[0].t, 3.0);
  }
}

TEST(SensorExchange, SensorsThatMoveAsOneAreToldByTheirLevers) {
  SwayingPerson person(SwayingPerson::arm(), 6.0, [](const std::string& joint) {
    return joint.find("RightWrist") == std::string::npos;
  });
  EXPECT_TRUE(hints(person).empty());
  std::swap(person.setup.mounts[3].name, person.setup.mounts[4].name);
  const auto found = hints(person);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].exchange, (SensorExchange{3, 4, false}));
}

TEST(SensorExchange, WhatDoesNotMoveOrMeasureHintsAtNothing) {
  SwayingPerson still(SwayingPerson::legs(), 6.0, [](const std::string&) { return false; });
  std::swap(still.setup.mounts[1].name, still.setup.mounts[2].name);
  EXPECT_TRUE(hints(still).empty());
  SwayingPerson deaf(SwayingPerson::legs(), 6.0);
  std::swap(deaf.setup.mounts[1].name, deaf.setup.mounts[2].name);
  for (ImuSample& sample : deaf.samples)
    for (ImuReading& reading : sample.imus) reading.has_acc = false;
  EXPECT_TRUE(hints(deaf).empty());
  deaf.samples.clear();
  EXPECT_TRUE(hints(deaf).empty());
}

TEST(SensorExchange, AMountThatTheRecordingHasNotIsRefused) {
  SwayingPerson person;
  person.setup.mounts[0].name = "nobody";
  EXPECT_THROW((void)hints(person), ConfigError);
}

}  // namespace
}  // namespace panto
