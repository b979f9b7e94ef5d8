#include "panto/base/nearest_name.hpp"

#include <gtest/gtest.h>

namespace panto {
namespace {

TEST(NearestNameTest, FindsWhatWasMeantAndNothingThatIsFar) {
  EXPECT_EQ(nearest_name("trak", {"check", "track"}), "track");
  EXPECT_EQ(nearest_name("--OUTPT", {"--out", "--output"}), "--output");
  EXPECT_EQ(nearest_name("gl1", {"g1", "icub"}), "g1");
  EXPECT_EQ(nearest_name("dance", {"walk", "run"}), "");
  EXPECT_EQ(nearest_name("", {"walk"}), "");
}

TEST(NearestNameTest, FindsTheOnlyNameThatBeginsAsWhatWasWritten) {
  EXPECT_EQ(nearest_name("Angle_p99", {"angle_p50_deg", "angle_p99_deg"}), "angle_p99_deg");
  EXPECT_EQ(nearest_name("angle", {"angle_p50_deg", "angle_p99_deg"}), "");
  EXPECT_EQ(nearest_name("ang", {"angle_p99_deg"}), "");
}

}  // namespace
}  // namespace panto
