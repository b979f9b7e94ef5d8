#include "panto/evaluation/thresholds.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "panto/base/error.hpp"

namespace panto {
namespace {

const std::vector<ReportValue> kReport{{"frames", 120.0, {}},
                                       {"angle_p99_deg", 1.5, {}},
                                       {"mnte_mean", {}, {}},
                                       {"status_counts.solved", 118.0, {}},
                                       {"status_counts.stuck", 2.0, {}},
                                       {"fallback_counts[0]", 119.0, {}},
                                       {"fallback_counts[1]", 1.0, {}},
                                       {"state_hash", {}, "0123456789abcdef"}};

CheckOutcome outcome(const std::string& text) {
  const std::vector<CheckResult> results = check_report(parse_thresholds(text), kReport);
  EXPECT_EQ(results.size(), 1U);
  return results.front().outcome;
}

std::string refusal(const std::string& text) {
  try {
    (void)check_report(parse_thresholds(text), kReport);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Thresholds, FailExactlyWhenTheComparisonHolds) {
  const std::vector<std::pair<std::string, bool>> cases{
      {"frames>120", false},   {"frames>119", true},          {"frames>=120", true},  {"frames>=121", false},
      {"frames<120", false},   {"frames<121", true},          {"frames<=120", true},  {"frames<=119", false},
      {"frames==120", true},   {"frames==121", false},        {"frames!=120", false}, {"frames!=121", true},
      {"frames > -1e9", true}, {"angle_p99_deg>1.5e0", false}};
  for (const auto& [text, fails] : cases)
    EXPECT_EQ(outcome(text), fails ? CheckOutcome::Failed : CheckOutcome::Passed) << text;
}

TEST(Thresholds, ReachIntoObjectsAndListsWhateverTheSpelling) {
  for (const char* text :
       {"status_counts.stuck>1", "status_counts.Stuck>1", " STATUS_counts.STUCK > 1 ", "fallback_counts[1]>0",
        "fallback_counts.1>0", "fallback_counts[01]>0", "fallback_counts.001>0", "fallback_counts[0]==119"})
    EXPECT_EQ(outcome(text), CheckOutcome::Failed) << text;
}

TEST(Thresholds, CountsBeyondTheEndOfAListAreZero) {
  EXPECT_EQ(outcome("fallback_counts[7]>0"), CheckOutcome::Passed);
  EXPECT_EQ(outcome("fallback_counts.7==0"), CheckOutcome::Failed);
  for (const char* key : {"fallback_counts[x]", "fallback_counts[+1]", "fallback_counts[-1]",
                          "fallback_counts[1e0]", "fallback_counts[16]", "fallback_counts[99]",
                          "fallback_counts[99999999999]", "fallback_counts[1]x", "status_counts[1]"})
    EXPECT_NE(refusal(std::string(key) + ">0").find("no key '" + std::string(key) + "'"), std::string::npos)
        << key << ": " << refusal(std::string(key) + ">0");
  EXPECT_EQ(outcome("fallback_counts[15]>0"), CheckOutcome::Passed) << "the highest level that is counted";
}

TEST(Thresholds, AnUnknownFigureIsAbsentNotPassed) {
  EXPECT_EQ(outcome("mnte_mean>1"), CheckOutcome::Absent);
}

TEST(Thresholds, TextsAreEqualOrNot) {
  EXPECT_EQ(outcome("state_hash!=0123456789abcdef"), CheckOutcome::Passed);
  EXPECT_EQ(outcome("state_hash!=0123456789abcdee"), CheckOutcome::Failed);
  EXPECT_EQ(outcome("state_hash==0123456789abcdef"), CheckOutcome::Failed);
  EXPECT_NE(refusal("state_hash>3").find("cannot be ordered"), std::string::npos);
  EXPECT_NE(refusal("frames==many").find("'many' is not"), std::string::npos);
}

TEST(Thresholds, SeveralAreKeptInOrder) {
  const std::vector<CheckResult> results =
      check_report(parse_thresholds("frames<1, angle_p99_deg>1 ,\nmnte_mean>0"), kReport);
  ASSERT_EQ(results.size(), 3U);
  EXPECT_EQ(results[0].outcome, CheckOutcome::Passed);
  EXPECT_EQ(results[1].outcome, CheckOutcome::Failed);
  EXPECT_EQ(results[1].value.number, 1.5);
  EXPECT_EQ(results[2].outcome, CheckOutcome::Absent);
}

TEST(Thresholds, AnUnknownKeyNamesTheNearest) {
  const std::string message = refusal("angle_p90_deg>2");
  EXPECT_NE(message.find("no key 'angle_p90_deg'"), std::string::npos) << message;
  EXPECT_NE(message.find("did you mean 'angle_p99_deg'"), std::string::npos) << message;
  EXPECT_NE(message.find("state_hash"), std::string::npos) << "lists the valid ones";
}

TEST(Thresholds, RefuseWhatIsNoThreshold) {
  for (const char* text : {"", " ", "frames", "frames>", ">3", "frames=3", "frames>>3", "frames>1>2",
                           "frames>1,", ",frames>1", "frames>two", "frames>1 2", "frames>nan", "frames!3",
                           "frames>inf", "frames<-inf", "frames==infinity"})
    EXPECT_NE(refusal(text).find("a threshold is KEY OPERATOR LIMIT"), std::string::npos)
        << text << refusal(text);
}

TEST(Thresholds, OfARobotAreItsVerdictsAndSkipFiguresThatAreEmpty) {
  EXPECT_EQ(default_thresholds({{"frames", 3.0, {}}}).size(), parse_thresholds(kDefaultThresholds).size());
  const std::vector<ReportValue> robot{{"followable_mean_deg", 3.0, {}}, {"foot_skate_p95_mm_s", {}, {}}};
  const std::vector<Threshold> thresholds = default_thresholds(robot);
  EXPECT_EQ(thresholds.size(), parse_thresholds(kRobotThresholds).size() + 1);
  for (const Threshold& t : thresholds) {
    EXPECT_NE(t.key, "angle_p99_deg") << "a robot cannot turn as a human can";
    EXPECT_NE(t.key, "foot_skate_p95_mm_s");
  }
}

TEST(Thresholds, TheDefaultsAreWellFormed) { EXPECT_EQ(parse_thresholds(kDefaultThresholds).size(), 10U); }

}  // namespace
}  // namespace panto
