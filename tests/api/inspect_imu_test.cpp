#include "panto/api/inspect.hpp"

#include <gtest/gtest.h>

#include "panto/io/open_imu.hpp"
#include "tests/support/refusals.hpp"
#include "tests/support/sensed_clips.hpp"
#include "tests/support/test_data.hpp"

namespace panto {
namespace {

using test::clip_of;

TEST(InspectImu, SaysWhatAClipHolds) {
  const test::SwayingPerson person = test::swaying_legs();
  const ImuInspection found = inspect(clip_of(person));
  EXPECT_EQ(found.path, "imu.csv");
  EXPECT_EQ(found.sensors, person.sensors);
  EXPECT_EQ(found.samples, 300U);
  EXPECT_NEAR(found.duration_s, 2.99, 1e-9);
  EXPECT_TRUE(found.trackable());
  EXPECT_TRUE(found.faults.empty()) << found.faults.front().text;
  ASSERT_EQ(found.figures.size(), 5U);
  EXPECT_EQ(found.figures[0].gyro, 300);
}

TEST(InspectImu, NamesWhatForbidsToTrackIt) {
  ImuClip clip = clip_of(test::swaying_legs());
  for (ImuReading& reading : clip.readings) reading.acc /= 9.80665;
  const ImuInspection found = inspect(clip);
  EXPECT_FALSE(found.trackable());
  ASSERT_FALSE(found.faults.empty());
  EXPECT_EQ(found.faults[0].kind, ImuFaultKind::AccUnit);
  for (ImuReading& reading : clip.readings) reading = {};
  EXPECT_FALSE(inspect(clip).trackable()) << "nothing was measured";
}

TEST(InspectImu, AnEmptyClipIsNotTrackable) {
  ImuClip clip;
  clip.sensors = {"hand"};
  const ImuInspection found = inspect(clip);
  EXPECT_FALSE(found.trackable());
  EXPECT_EQ(found.duration_s, 0.0);
}

TEST(InspectImu, RefusesAClipWhoseSizesDoNotFit) {
  ImuClip clip = clip_of(test::swaying_legs());
  clip.sensors.pop_back();
  EXPECT_TRUE(test::names(test::refusal_of<ConfigError>([&] { (void)inspect(clip); }),
                          "imu.csv: ", "1500 readings", "need 1200"));
}

TEST(InspectImu, ARealExportIsSound) {
  PANTO_NEED_DATA("inertial/opensense/apdm/imuData01.csv");
  const ImuInspection found = inspect(io::open_imu(test::data_file("inertial/opensense/apdm/imuData01.csv")));
  EXPECT_EQ(found.samples, 1024U);
  EXPECT_EQ(found.sensors, (std::vector<std::string>{"Static", "Upper", "Middle", "Lower"}));
  EXPECT_TRUE(found.trackable());
}

}  // namespace
}  // namespace panto
