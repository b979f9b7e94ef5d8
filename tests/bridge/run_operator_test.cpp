#include "panto/bridge/run_operator.hpp"

#include <gtest/gtest.h>

namespace panto::bridge {
namespace {

using enum live::Wish::Kind;
using live::StreamState;

// A run with robots that grants all, or nothing, and what is asked of it.
struct Asked {
  explicit Asked(bool grants = true)
      : granting({[grants] { return grants; },
                  [this, grants](const std::string& poses) {
                    asked.push_back(poses);
                    return grants;
                  },
                  [this] { return std::exchange(news, {}); }, [this] { return waits; }},
                 arming, true, nullptr, nullptr) {}
  // what is said to wishes
  std::vector<std::string> say(const std::vector<live::Wish>& wishes, StreamState stream = StreamState::Good,
                               const std::string& refused = "") {
    return granting.watch(wishes, stream, refused, now += 50'000'000);
  }
  std::vector<std::string> asked, news;
  bool waits = false;
  Time now = 1'000'000'000;
  live::Arming arming;
  RunOperator granting;
};

using Lines = std::vector<std::string>;

TEST(RunOperator, NumbersMarksAndSaysTheirWords) {
  Asked run;
  EXPECT_EQ(run.say({{Mark}, {Mark, "left knee"}}), (Lines{"mark 1", "mark 2: left knee"}));
}

TEST(RunOperator, RealignsWhereSomethingTellsWhereThePersonIs) {
  EXPECT_NE(Asked(true).say({{Align}}).at(0).find("re-aligned"), std::string::npos);
  EXPECT_NE(Asked(false).say({{Align}}).at(0).find("nothing to re-align"), std::string::npos);
}

TEST(RunOperator, ArmsAndDisarmsAndWhoeverDisarmsWins) {
  Asked run;
  EXPECT_EQ(run.say({{Arm}}), Lines{"armed: robots follow; Enter disarms"});
  EXPECT_TRUE(run.arming.armed());
  EXPECT_EQ(run.say({}), Lines{}) << "it is said once";
  EXPECT_EQ(run.say({{Disarm}, {Arm}}), Lines{"disarmed: robots hold"});
  EXPECT_EQ(run.say({{Arm}}, StreamState::Good, "it fell"), Lines{}) << "a robot that moves no more";
  EXPECT_FALSE(run.arming.armed());
}

TEST(RunOperator, SaysWhichWordsThereAreWhereItDoesNotKnowOne) {
  const Lines said = Asked().say({{Disarm, "stopp"}});
  ASSERT_EQ(said.size(), 1U);
  EXPECT_NE(said[0].find("c calibrates"), std::string::npos);
}

TEST(RunOperator, CalibratesRawSensorsAndPassesOnWhatTheRunTells) {
  Asked run;
  run.news = {"hold still"};
  EXPECT_EQ(run.say({{Calibrate, "npose tpose"}}), Lines{"hold still"}) << "the run tells what to do";
  EXPECT_EQ(run.asked, Lines{"npose tpose"});
  EXPECT_NE(Asked(false).say({{Calibrate}}).at(0).find("no raw sensors"), std::string::npos);
  Asked lost;
  EXPECT_NE(lost.say({{Calibrate}}, StreamState::Lost).at(0).find("stream is not good"), std::string::npos);
  EXPECT_TRUE(lost.asked.empty());
}

TEST(RunOperator, NoRobotFollowsWhileACalibrationWaitsAndWhoeverDisarmsStopsIt) {
  Asked run;
  run.say({{Arm}});
  run.waits = true;
  EXPECT_EQ(run.say({}), Lines{"disarmed: robots hold"});
  EXPECT_EQ(run.say({{Arm}}), Lines{"not armed: a calibration waits; Enter stops it"});
  EXPECT_FALSE(run.arming.armed());
  run.say({{Disarm}});
  EXPECT_EQ(run.asked, Lines{"stop"});
  run.waits = false;
  EXPECT_EQ(run.say({{Arm}}), Lines{"armed: robots follow; Enter disarms"});
}

TEST(RunOperator, RecordsWhatArrivesAndNoFileAndOnceACall) {
  EXPECT_EQ(Asked().say({{Record}, {Record}, {Record}}), Lines{"nothing to record: a file is played"});
}

TEST(RunOperator, SaysNoMoreThanAPersonReads) {
  EXPECT_LE(Asked().say(std::vector<live::Wish>(1000, {Mark})).size(), 20U);
}

}  // namespace
}  // namespace panto::bridge
