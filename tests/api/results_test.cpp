// Results in words and as JSON, through the header that users include.

#include <gtest/gtest.h>

#include <algorithm>

#include "panto/report/card_values.hpp"
#include "panto/report/report.hpp"
#include "tests/support/bundled_walk.hpp"
#include "tests/support/refusals.hpp"

namespace panto {
namespace {

using test::bundled_walk;
using test::names;

std::optional<double> number_of(const std::string& json, const std::string& key) {
  for (const ReportValue& value : parse_report_values(json, "result")) {
    if (value.key == key) return value.number;
  }
  return std::nullopt;
}

TEST(Results, OfATrackedWalkAreTheFiguresOfItsCard) {
  const auto walk = bundled_walk();
  const Model human = human66();
  const TrackResult result = track(*walk, human);
  const std::string json = to_json(result, human);
  EXPECT_EQ(number_of(json, "frames"), static_cast<double>(result.card.frames));
  EXPECT_TRUE(names(to_text(result, human), std::to_string(result.card.frames)));
}

TEST(Results, OfARetargetedWalkAddThoseOfTheRobot) {
  const auto walk = bundled_walk();
  const Robot g1 = test::shipped_robot("unitree_g1");
  const RetargetResult result = retarget(*walk, g1);
  const std::string json = to_json(result, g1.model);
  EXPECT_EQ(number_of(json, "frames"), static_cast<double>(result.card.frames));
  EXPECT_EQ(number_of(json, "velocity_violations"), 0.0);
  EXPECT_EQ(number_of(json, "followable_mean_deg"), result.following.followable_mean_deg);
  const TrackResult& card_alone = result;
  EXPECT_GT(to_text(result, g1.model).size(), to_text(card_alone, g1.model).size())
      << "feet and limits of the robot come after its card";
}

}  // namespace
}  // namespace panto
