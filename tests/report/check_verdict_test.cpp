// The sentence about checks.

#include <gtest/gtest.h>

#include "panto/api/check.hpp"
#include "panto/report/card_values.hpp"
#include "panto/report/report.hpp"

namespace panto {
namespace {

TEST(Verdict, OfChecksSaysHowManyFailed) {
  CheckReport report;
  report.checks.resize(10);
  EXPECT_EQ(verdict_of(report, "a.mvnx").sentence, "Good: a.mvnx: all 10 checks passed.");
  report.failed = 2;
  EXPECT_EQ(verdict_of(report, "a.mvnx").sentence, "Not usable: a.mvnx: 2 of 10 checks failed.");
}

TEST(Verdict, OfAReportThatFailsAsAVerdictDoubtsIsUsableWithCareToo) {
  const std::vector<Threshold> limits = parse_thresholds("foot_skate_p95_mm_s>100,limit_violations>0");
  const auto judged = [&](double skate, double broken) {
    const CheckReport report =
        check({{"foot_skate_p95_mm_s", skate, {}}, {"limit_violations", broken, {}}}, limits, {});
    return verdict_of(report, "a.json").sentence;
  };
  EXPECT_EQ(judged(116.0, 0.0), "Usable, but a.json: 1 of 2 checks failed.");
  EXPECT_EQ(judged(1200.0, 0.0), "Not usable: a.json: 1 of 2 checks failed.");
  EXPECT_EQ(judged(116.0, 3.0), "Not usable: a.json: 2 of 2 checks failed.");
}

}  // namespace
}  // namespace panto
