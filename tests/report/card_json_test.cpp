#include "panto/report/card_json.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace panto {
namespace {

TEST(ReportJson, AllKeysInTheirOrderAndNullForWhatIsNotKnown) {
  EXPECT_EQ(
      to_json(ReportCard{}),
      R"({"frames":0,"rate_hz":null,"duration_s":null,"recording_faults":null,"recording_remarks":null,"mnte_mean":null,"angle_mean_deg":null,)"
      R"("angle_p99_deg":null,"angle_max_deg":null,"omega_rmse_rad_s":null,"position_rmse_m":null,)"
      R"("origin_mean_m":null,"origin_max_m":null,"limit_violations":0,"limit_violation_max_rad":0.0,)"
      R"("saturated_share":null,"step_p50_us":null,"step_p99_us":null,"step_max_us":null,"allocations":null,)"
      R"("status_counts":{"solved":0,"saturated":0,"stuck":0,"target_not_finite":0,"no_target":0,)"
      R"("time_not_advancing":0,"size_mismatch":0,"numerical_failure":0},"fallback_counts":[],)"
      R"("jerk_rms_rad_s3":null,"state_hash":null})");
}

TEST(ReportJson, NumbersAreNeverNaNAndTheHashIsText) {
  ReportCard card;
  card.mnte_mean = std::nan("");
  card.rate_hz = std::numeric_limits<double>::infinity();
  card.angle_max_deg = 0.1;
  card.allocations = 0;
  card.fallback_counts = {5, 0, 1};
  card.state_hash = 0xabcULL;
  const std::string text = to_json(card);
  EXPECT_NE(text.find(R"("mnte_mean":null)"), std::string::npos);
  EXPECT_NE(text.find(R"("rate_hz":null)"), std::string::npos);
  EXPECT_NE(text.find(R"("angle_max_deg":0.1,)"), std::string::npos);
  EXPECT_NE(text.find(R"("allocations":0,)"), std::string::npos);
  EXPECT_NE(text.find(R"("fallback_counts":[5,0,1])"), std::string::npos);
  EXPECT_NE(text.find(R"("state_hash":"0000000000000abc")"), std::string::npos);
}

}  // namespace
}  // namespace panto
