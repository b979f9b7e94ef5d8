#include "panto/api/check.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "panto/base/error.hpp"
#include "panto/report/card_json.hpp"
#include "panto/report/card_values.hpp"
#include "panto/report/check_report.hpp"

namespace panto {
namespace {

ReportCard card() {
  ReportCard card;
  card.frames = 120;
  card.rate_hz = 60.0;
  card.angle_p99_deg = 1.25;
  card.limit_violation_max_rad = std::numeric_limits<double>::infinity();
  card.step_p50_us = std::numeric_limits<double>::quiet_NaN();
  card.allocations = 3;
  card.status_counts.fill(2);
  card.fallback_counts = {5, 0, 1};
  card.state_hash = 0x0123456789abcdefULL;
  return card;
}

void expect_agreement(const ReportCard& card) {
  const auto values = report_values(card), parsed = parse_report_values(to_json(card), "report");
  ASSERT_EQ(values.size(), parsed.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(values[i].key, parsed[i].key);
    EXPECT_EQ(values[i].number, parsed[i].number) << values[i].key;
    EXPECT_EQ(values[i].text, parsed[i].text) << values[i].key;
  }
}

// A name or a bool is no choice of checks: neither converts silently.
template <typename T>
concept Shows = requires(const CheckReport& report, const T& shown) {
  to_text(report, shown);
};
static_assert(Shows<ShownChecks> && !Shows<bool> && !Shows<const char*> && !Shows<std::string>);

TEST(Check, ValuesOfACardAreThoseOfItsJson) {
  expect_agreement(ReportCard{});
  expect_agreement(card());
}

TEST(Check, FailsWhatIsBeyondAThresholdOrNotKnown) {
  const auto thresholds = parse_thresholds("frames<1,angle_p99_deg>1,omega_rmse_rad_s>1,state_hash==00");
  const CheckReport report = check(card(), thresholds);
  ASSERT_EQ(report.checks.size(), 4U);
  EXPECT_FALSE(report.checks[0].failed);
  EXPECT_TRUE(report.checks[1].failed);
  EXPECT_TRUE(report.checks[2].failed) << "not known";
  EXPECT_FALSE(report.checks[3].failed);
  EXPECT_EQ(report.failed, 2);
  EXPECT_EQ(check(card(), thresholds, {.absent_passes = true}).failed, 1);
}

TEST(Check, RefusesAnUnknownKeyBeforeTheWork) {
  EXPECT_NO_THROW(check_keys(parse_thresholds(kDefaultThresholds)));
  EXPECT_NO_THROW(check_keys(parse_thresholds("fallback_counts[3]>0")));
  EXPECT_THROW(check_keys(parse_thresholds("angle_p98_deg>1")), ConfigError);
  EXPECT_THROW((void)check(card(), parse_thresholds("nothing>1")), ConfigError);
}

TEST(Check, IsWrittenInWordsAndAsJson) {
  const CheckReport report = check(card(), parse_thresholds("angle_p99_deg>1,frames<1"));
  EXPECT_EQ(to_text(report), "FAILED angle_p99_deg is 1.25; fails when > 1\n");
  EXPECT_NE(to_text(report, ShownChecks::All).find("passed frames is 120; fails when < 1\n"),
            std::string::npos);
  EXPECT_EQ(to_json(report, "a.mvnx").find("{\"file\":\"a.mvnx\",\"passed\":false,\"failed_count\":1"), 0U);
}

TEST(Check, TellsWhatIsWrongWithARobotMap) {
  io::RobotFile robot = io::open_robot("unitree_g1");
  robot::Map map = robot::propose_robot_map(robot.model).map;
  EXPECT_TRUE(check(map, robot.model).usable);
  map.attachments.attachments.front().link = "nowhere";
  const MapCheck found = check(map, robot.model);
  EXPECT_FALSE(found.usable);
  robot.map = map;
  EXPECT_NE(to_text(found, robot).find("nowhere"), std::string::npos);
  EXPECT_NE(to_json(found, robot).find("\"passed\":false"), std::string::npos);
}

}  // namespace
}  // namespace panto
