#include "panto/base/status.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "panto/base/time.hpp"

namespace panto {
namespace {

TEST(Status, EveryOutcomeHasItsOwnNameInSnakeCase) {
  std::set<std::string> names;
  for (int i = 0; i < kStepStatusCount; ++i) names.insert(to_string(static_cast<StepStatus>(i)));
  EXPECT_EQ(names.size(), static_cast<std::size_t>(kStepStatusCount));
  EXPECT_EQ(names.count("unknown"), 0U);
  for (const std::string& name : names)
    EXPECT_EQ(name.find_first_not_of("abcdefghijklmnopqrstuvwxyz_"), std::string::npos) << name;
  EXPECT_STREQ(to_string(static_cast<StepStatus>(kStepStatusCount)), "unknown");

  std::set<std::string> reads, writes;
  for (int i = 0; i < 4; ++i) reads.insert(to_string(static_cast<ReadStatus>(i)));
  for (int i = 0; i < 2; ++i) writes.insert(to_string(static_cast<WriteStatus>(i)));
  EXPECT_EQ(reads, (std::set<std::string>{"sample", "end_of_motion", "timed_out", "malformed"}));
  EXPECT_EQ(writes, (std::set<std::string>{"written", "dropped"}));
  EXPECT_STREQ(to_string(static_cast<ReadStatus>(4)), "unknown");
  EXPECT_STREQ(to_string(static_cast<WriteStatus>(2)), "unknown");
}

TEST(Status, OnlySolvedAndSaturatedMayDriveARobot) {
  for (int i = 0; i < kStepStatusCount; ++i) {
    const auto status = static_cast<StepStatus>(i);
    EXPECT_EQ(usable(status), status == StepStatus::Solved || status == StepStatus::Saturated);
    EXPECT_EQ(advanced(status), usable(status) || status == StepStatus::Stuck);
  }
}

TEST(Time, SecondsGoThereAndBackToTheNearestNanosecond) {
  EXPECT_EQ(from_seconds(1.5), 1'500'000'000);
  EXPECT_EQ(from_seconds(-0.1), -100'000'000);
  EXPECT_EQ(from_seconds(0.6e-9), 1);
  EXPECT_DOUBLE_EQ(to_seconds(from_seconds(12345.678901234)), 12345.678901234);
}

TEST(Time, RoundingOfFrameStampsNeverAccumulates) {
  // 240 Hz is no whole number of nanoseconds: after a day of frames the stamp is still the nearest
  EXPECT_EQ(frame_time(240 * 86400, 240.0), 86'400'000'000'000);
  EXPECT_EQ(frame_time(1, 240.0), 4'166'667);
  EXPECT_EQ(frame_time(3, 240.0), 12'500'000);
}

}  // namespace
}  // namespace panto
