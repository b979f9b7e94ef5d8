#include "panto/io/stamps.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

namespace {

using namespace panto;
using namespace panto::io;

std::vector<Time> stamps(int count, double rate_hz) {
  std::vector<Time> times;
  for (int k = 0; k < count; ++k) times.push_back(frame_time(k, rate_hz));
  return times;
}

TEST(Stamps, HaveTheRateOfTheirUsualStepWhateverIsMissing) {
  for (const double rate : {24.0, 30.0, 60000.0 / 1001.0, 60.0, 75.0, 80.0, 120.0, 240.0}) {
    std::vector<Time> times = stamps(200, rate);
    EXPECT_EQ(usual_rate(times), rate);
    // every fifth frame is dropped
    std::vector<Time> dropped;
    for (std::size_t k = 0; k < times.size(); ++k) {
      if (k % 5 != 3) dropped.push_back(times[k]);
    }
    EXPECT_EQ(usual_rate(dropped), rate);
    // a pause of ten minutes
    for (std::size_t k = 100; k < times.size(); ++k) times[k] += 600'000'000'000;
    EXPECT_EQ(usual_rate(times), rate);
  }
}

TEST(Stamps, RoundedToAMillisecondOrUnsteadyHaveTheRateThatTheyWereMadeAt) {
  std::vector<Time> rounded = stamps(400, 60.0), unsteady = rounded;
  for (Time& t : rounded) t = (t + 500'000) / 1'000'000 * 1'000'000;
  EXPECT_EQ(usual_rate(rounded), 60.0) << "steps of 16 and 17 ms";
  std::mt19937_64 random(5);
  std::uniform_int_distribution<Time> jitter(-2'000'000, 2'000'000);
  for (Time& t : unsteady) t += jitter(random);
  EXPECT_NEAR(usual_rate(unsteady), 60.0, 0.6);
}

TEST(Stamps, OfFewerThanTwoFramesHaveNoRate) {
  EXPECT_EQ(usual_rate({}), 0.0);
  EXPECT_EQ(usual_rate({5}), 0.0);
}

TEST(Stamps, CountForMoreThanARateThatContradictsThem) {
  std::vector<std::string> notes;
  EXPECT_EQ(settle_rate(stamps(50, 100.0), 100.3, notes), 100.3);
  EXPECT_TRUE(notes.empty());
  EXPECT_EQ(settle_rate(stamps(50, 100.0), 50.0, notes), 100.0);
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_EQ(notes[0], "the file says 50 Hz, but its frames are 10 ms apart (100 Hz); the times are used");
  EXPECT_EQ(settle_rate({7}, 50.0, notes), 50.0) << "one frame says nothing";
}

TEST(Stamps, ThatMayBeMillisecondsAreNoted) {
  std::vector<std::string> notes;
  std::vector<Time> times;
  for (int k = 0; k < 20; ++k) times.push_back(from_seconds(20.0 * k));
  EXPECT_EQ(settle_rate(times, 0.0, notes), 0.05);
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_NE(notes[0].find("20 s apart; they are read as seconds, but look like milliseconds"),
            std::string::npos)
      << notes[0];
}

TEST(Stamps, AreRefusedWhereTheirDifferencesWouldOverflow) {
  EXPECT_EQ(refusal_of_stamp(0, {}), "");
  EXPECT_EQ(refusal_of_stamp(kLatestStamp, -kLatestStamp), "");
  EXPECT_NE(refusal_of_stamp(kLatestStamp + 1, {}), "");
  EXPECT_NE(refusal_of_stamp(-kLatestStamp - 1, {}), "");
  EXPECT_EQ(refusal_of_stamp(5, 5), "the time does not increase");
  // the farthest pair still has a difference
  EXPECT_NEAR(usual_rate({-kLatestStamp, kLatestStamp}), 1.25e-10, 1e-15);
}

}  // namespace
