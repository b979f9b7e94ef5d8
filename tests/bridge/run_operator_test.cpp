#include "panto/bridge/run_operator.hpp"

#include <gtest/gtest.h>

namespace panto::bridge {
namespace {

using enum live::Wish::Kind;

TEST(RunOperator, NumbersMarksAndSaysTheirWords) {
  RunOperator granting([] { return true; }, nullptr, nullptr);
  EXPECT_EQ(granting.grant({Mark}, 0), "mark 1");
  EXPECT_EQ(granting.grant({Mark, "left knee"}, 0), "mark 2: left knee");
}

TEST(RunOperator, RealignsWhereSomethingTellsWhereThePersonIs) {
  int asked = 0;
  RunOperator granting([&] { return ++asked == 1; }, nullptr, nullptr);
  EXPECT_NE(granting.grant({Align}, 0).find("re-aligned"), std::string::npos);
  EXPECT_NE(granting.grant({Align}, 0).find("nothing to re-align"), std::string::npos);
  EXPECT_EQ(asked, 2);
}

TEST(RunOperator, LeavesArmingToTheSwitchOfTheRobots) {
  RunOperator granting([] { return false; }, nullptr, nullptr);
  EXPECT_EQ(granting.grant({Arm}, 0), "");
  EXPECT_EQ(granting.grant({Disarm}, 0), "");
}

}  // namespace
}  // namespace panto::bridge
