#include "panto/report/card_values.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "panto/base/error.hpp"
#include "panto/report/card_json.hpp"
#include "tests/support/corruption.hpp"

namespace panto {
namespace {

std::string refusal(std::string_view text) {
  try {
    (void)parse_report_values(text, "card.json");
  } catch (const FormatError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(ReportValues, AreTheFiguresOfAReportByTheirPath) {
  ReportCard card;
  card.frames = 7;
  card.angle_p99_deg = 1.25;
  card.fallback_counts = {5, 2};
  card.status_counts[static_cast<std::size_t>(StepStatus::Stuck)] = 3;
  card.state_hash = 0x123;
  const std::vector<ReportValue> values = parse_report_values(to_json(card), "card.json");
  const auto find = [&](const std::string& key) {
    const auto found =
        std::find_if(values.begin(), values.end(), [&](const ReportValue& v) { return v.key == key; });
    EXPECT_NE(found, values.end()) << key;
    return found == values.end() ? ReportValue{} : *found;
  };
  EXPECT_EQ(find("frames").number, 7.0);
  EXPECT_EQ(find("angle_p99_deg").number, 1.25);
  EXPECT_EQ(find("fallback_counts[1]").number, 2.0);
  EXPECT_EQ(find("status_counts.stuck").number, 3.0);
  EXPECT_EQ(find("state_hash").text, "0000000000000123");
  EXPECT_FALSE(find("mnte_mean").number || find("mnte_mean").text);
}

TEST(ReportValues, EveryDefaultThresholdHasAKeyInTheReport) {
  ReportCard card;
  card.fallback_counts = {0};
  EXPECT_EQ(
      check_report(parse_thresholds(kDefaultThresholds), parse_report_values(to_json(card), "card")).size(),
      10U);
}

TEST(ReportValues, NestTheirPaths) {
  const std::vector<ReportValue> values =
      parse_report_values("\n{\"a\": [{\"b\": [true, \"x\"]}, 2], \"c\": {}}", "card.json");
  ASSERT_EQ(values.size(), 3U);
  EXPECT_EQ(values[0].key, "a[0].b[0]");
  EXPECT_FALSE(values[0].number);
  EXPECT_EQ(values[0].text, "true");
  EXPECT_EQ(values[1].key, "a[0].b[1]");
  EXPECT_EQ(values[2].key, "a[1]");
}

TEST(ReportValues, TrueIsNoNumber) {
  const auto report = parse_report_values("{\"angle_p99_deg\": true, \"good\": false}", "card.json");
  for (const char* order : {"angle_p99_deg>5", "good<1", "angle_p99_deg>=0"})
    EXPECT_THROW((void)check_report(parse_thresholds(order), report), ConfigError) << order;
  EXPECT_EQ(check_report(parse_thresholds("angle_p99_deg==1"), report)[0].outcome, CheckOutcome::Passed)
      << "it is true, not 1";
  EXPECT_EQ(check_report(parse_thresholds("good==false"), report)[0].outcome, CheckOutcome::Failed);
}

TEST(ReportValues, RefuseWhatIsNotOneObjectWithThePlace) {
  EXPECT_EQ(refusal(""), "card.json:1: the file is empty; one JSON object was expected");
  EXPECT_EQ(refusal("{\n \"frames\": 1,\n}").rfind("card.json:3:1: not JSON: ", 0), 0U)
      << refusal("{\n \"frames\": 1,\n}");
  EXPECT_EQ(refusal("{\"frames\": 1e}").rfind("card.json:1:", 0), 0U);
  EXPECT_NE(refusal("[]").find("list"), std::string::npos);
  EXPECT_NE(refusal("3").find("one JSON object"), std::string::npos);
  EXPECT_NE(refusal("{} {}").find("not JSON"), std::string::npos);
  EXPECT_EQ(refusal("{\"frames\": 5, \"frames\": 6}"), "card.json: the key 'frames' is there twice");
  EXPECT_EQ(refusal("{\"frames\": 1e999}").find("json.exception"), std::string::npos)
      << refusal("{\"frames\": 1e999}");
  EXPECT_NE(refusal(std::string(1000, '{')).find("card.json"), std::string::npos);
  std::string deep;
  for (int i = 0; i < 20; ++i) deep += "{\"a\":";
  EXPECT_NE(refusal(deep).find("nested deeper"), std::string::npos);
  EXPECT_NE(refusal("{\"" + std::string(101, 'k') + "\": 1}").find("longer than 100"), std::string::npos);
}

TEST(ReportValues, SurviveEveryTruncationAndManyCorruptions) {
  ReportCard card;
  card.fallback_counts = {1, 2, 3};
  card.state_hash = 99;
  const std::string text = to_json(card);
  const auto parse = [](std::string_view damaged) { (void)parse_report_values(damaged, "card.json"); };
  test::CorruptionCount count = test::try_truncations(text, text.size(), parse);
  count += test::try_corruptions(text, 11, parse);
  EXPECT_EQ(count.broken, 0);
  EXPECT_GT(count.refused, 500);
}

}  // namespace
}  // namespace panto
