#include "panto/report/scaling_report.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "panto/report/json.hpp"
#include "tests/support/link_model.hpp"
#include "tests/support/refusals.hpp"

namespace panto {
namespace {

constexpr Time kScaledSecond = 1'000'000'000;  // [ns]

// A motion of two seconds that takes three: joint_1 is too fast at 0.5 s.
ScalingReport stretched_scaling() {
  ScalingReport scaling;
  scaling.stamps = {0, kScaledSecond, 2 * kScaledSecond};
  scaling.recorded = {0, kScaledSecond / 2, kScaledSecond, 2 * kScaledSecond};
  TimeScalingReport& time = scaling.time;
  time.before = 2.0;
  time.after = 3.0;
  time.stretch = 1.5;
  time.scale = 2.0 / 3.0;
  time.joint = 1;
  time.joint_at = kScaledSecond / 2;
  time.fast = {{1, 6.0, 4.0, kScaledSecond / 2}};
  return scaling;
}

JointSwing scaled_swing(int joint) {
  JointSwing swing;
  swing.last = 2;
  swing.extremum = 1;
  swing.before = 2.0;
  swing.after = 1.5;
  swing.scale_before = 0.75;
  swing.joint = joint;
  return swing;
}

TEST(ScalingReport, AMotionThatFitsIsUnchangedAndThereIsNothingToSlowDownFor) {
  ScalingReport scaling;
  scaling.time.before = scaling.time.after = 2.0;
  EXPECT_EQ(format_scaling(scaling, test::chain_model(2)),
            "scaled to the robot's limits\n"
            "  time: 2.00 s, unchanged\n"
            "  range: 0 swings of single joints and 0 of coupled joints beyond limits; joints moved by up to "
            "0.000 rad\n");
  scaling.time.stretch = 1.0004;  // rounding of the stamps: three decimals say 1
  EXPECT_TRUE(test::names(format_scaling(scaling, test::chain_model(2)), "unchanged"));
  const report::Json json = report::scaling_value(scaling, test::chain_model(2));
  EXPECT_TRUE(json["asked_by"].is_null() && json["asked_at_s"].is_null());
  EXPECT_EQ(json["swings"].dump() + json["recorded_s"].dump(), "[][]") << "empty lists, not null";
}

TEST(ScalingReport, NamesTheJointThatAskedForTimeAndHintsAtTheOtherPaceFromOneAndAHalfOn) {
  const Model robot = test::chain_model(2);
  ScalingReport scaling = stretched_scaling();
  const std::string text = format_scaling(scaling, robot);
  EXPECT_TRUE(test::names(text, "  time: 2.00 s -> 3.00 s, stretched by 1.500 (s_v 0.667)\n",
                          "    slowed down for joint_1 (worst at 0.50 s)\n",
                          "    joint_1: 6.00 of 4.00 rad/s at 0.50 s\n"))
      << text;
  scaling.time.stretch = 1.6;
  EXPECT_TRUE(test::names(format_scaling(scaling, robot), "; --pace optimal slows down only where needed\n"));
  scaling.time.law = TimeLaw::Optimal;
  scaling.time.by_acceleration = true;
  const std::string optimal = format_scaling(scaling, robot);
  EXPECT_FALSE(test::names(optimal, "--pace")) << "it is that pace already";
  EXPECT_TRUE(test::names(optimal, "slowed down for the acceleration of joint_1"));
}

TEST(ScalingReport, ShowsTwelveSwingsAndItsJsonAll) {
  const Model robot = test::chain_model(2);
  ScalingReport scaling = stretched_scaling();
  scaling.range.swings.assign(13, scaled_swing(0));
  scaling.range.change_max = 0.5;
  const std::string text = format_scaling(scaling, robot);
  EXPECT_TRUE(test::names(text, "  range: 13 swings of single joints and 0 of coupled joints",
                          "joints moved by up to 0.500 rad\n",
                          "    joint_0: 0.00 to 2.00 s, 2.000 -> 1.500 rad at 1.00 s, scale 0.75 and 1.00\n",
                          "    and 1 more; --json lists all\n"))
      << text;
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 18)
      << "title, time, joint, fast joint, range, 12 swings, and the rest";
  const report::Json json = report::scaling_value(scaling, robot);
  ASSERT_EQ(json["swings"].size(), 13U);
  EXPECT_EQ(json["swings"][12]["joint"], "joint_0");
  EXPECT_EQ(json["swings"][12]["to_s"], 2.0);
  EXPECT_EQ(json["fast"][0]["joint"], "joint_1");
  EXPECT_EQ(json["law"], "uniform");
  EXPECT_EQ(json["recorded_s"].size(), 4U);
  scaling.range.swings.resize(12);
  EXPECT_FALSE(test::names(format_scaling(scaling, robot), " more")) << "twelve are all";
}

TEST(ScalingReport, CoupledRowsHaveTheNamesThatTheModelGaveThem) {
  ModelSpec spec = test::chain_model(2).spec();
  spec.rows = {{"elbow and wrist", {{"joint_0", 1.0}, {"joint_1", -1.0}}, -1.0, 1.0}};
  const Model robot(std::move(spec));
  ScalingReport scaling = stretched_scaling();
  RowSwing row;
  row.last = 2;
  scaling.range.rows = {row};
  scaling.range.pulled = {{{0, 1}, 0, 1, 0.5}};
  EXPECT_TRUE(test::names(format_scaling(scaling, robot), " and 1 of coupled joints"));
  const report::Json json = report::scaling_value(scaling, robot);
  EXPECT_EQ(json["rows"][0]["row"], "elbow and wrist");
  EXPECT_EQ(json["pulled"][0]["to_s"], 1.0);
  EXPECT_EQ(json["pulled"][0]["factor"], 0.5);
}

}  // namespace
}  // namespace panto
