#include "panto/report/robot_motion_report.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <numbers>

#include "panto/api/retarget.hpp"
#include "panto/io/open_model.hpp"
#include "panto/math/so3.hpp"
#include "panto/model/state.hpp"
#include "panto/report/card_values.hpp"

namespace panto {
namespace {

// a file that says radians and holds degrees
RobotMotion in_degrees() {
  return {"mjlab",
          "unitree_g1",
          robot_of(io::open_robot("unitree_g1")),
          {},
          {{io::MotionQuestion::Angles, "angles", "degrees", "limits tell", io::Certainty::Sure, true}},
          {},
          false};
}

RetargetResult of_a_hundred_frames() {
  RetargetResult judged;
  judged.card.frames = judged.frames_used = 100;
  judged.card.recording_faults = 0;
  judged.card.status_counts[static_cast<std::size_t>(StepStatus::Solved)] = 100;
  return judged;
}

TEST(RobotMotionReport, AGoodMotionInAnotherUnitIsUsableWithCareAndSaysWhichUnit) {
  const Verdict verdict = verdict_of(in_degrees(), of_a_hundred_frames());
  EXPECT_EQ(verdict.grade, Verdict::Grade::Care);
  EXPECT_EQ(verdict.sentence, "Usable, but the file departs from its layout: angles: degrees.");
}

TEST(RobotMotionReport, AMotionThatBreaksLimitsIsNotUsableHoweverItsFileIsUnderstood) {
  RetargetResult judged = of_a_hundred_frames();
  judged.figures.limit_violations = 5;
  const Verdict verdict = verdict_of(in_degrees(), judged);
  EXPECT_EQ(verdict.grade, Verdict::Grade::Unreliable);
  EXPECT_TRUE(verdict.sentence.starts_with(
      "Not usable: the file departs from its layout: angles: degrees; the motion: "))
      << verdict.sentence;
  EXPECT_NE(verdict.sentence.find("5 position limits broken"), std::string::npos) << verdict.sentence;
}

TEST(RobotMotionReport, ASingleFrameIsAPoseAndNoGoodMotion) {
  RobotMotion motion = in_degrees();
  motion.facts.clear();
  motion.motion.states = {rest_state(motion.robot.model)};
  EXPECT_EQ(verdict_of(motion).sentence, "Usable, but it has a single frame: a pose, not a motion.");
}

TEST(RobotMotionReport, ValuesOfAMotionAreThoseOfItsJson) {
  const RobotMotion motion = in_degrees();
  RetargetResult judged = of_a_hundred_frames();
  judged.card.fallback_counts = {7, 1};
  judged.card.state_hash = 0x123;
  judged.card.step_p50_us = std::numeric_limits<double>::quiet_NaN();
  judged.card.rate_hz = 59.94;
  const auto values = report_values(motion, judged),
             parsed = parse_report_values(to_json(motion, judged), "motion");
  ASSERT_EQ(values.size(), parsed.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(values[i].key, parsed[i].key);
    EXPECT_EQ(values[i].number, parsed[i].number) << values[i].key;
    EXPECT_EQ(values[i].text, parsed[i].text) << values[i].key;
  }
}

// a base that flies from one place to another, or turns about, within a frame of 30 Hz
TEST(RobotMotionReport, ABaseThatJumpsOrFlipsIsNotUsableAndSaysWhen) {
  RobotMotion motion = in_degrees();
  motion.facts.clear();
  for (int k = 0; k < 10; ++k) {
    State state = rest_state(motion.robot.model);
    state.t = frame_time(k, 30.0);
    state.p_WB.x() = 0.2 * k;  // 6 m/s, a run
    motion.motion.states.push_back(state);
  }
  EXPECT_EQ(verdict_of(motion).grade, Verdict::Grade::Good);
  motion.motion.states[6].p_WB.x() += 2.0;
  EXPECT_EQ(verdict_of(motion).sentence,
            "Not usable: the base jumps by 2.2 m from one frame to the next at 0.20 s.");
  motion.motion.states[6].p_WB.x() -= 2.0;
  for (std::size_t k = 3; k < 10; ++k)
    motion.motion.states[k].R_WB = so3::about_axis(2, 0.5 * std::numbers::pi);
  EXPECT_EQ(verdict_of(motion).sentence,
            "Not usable: the base turns by 90 deg from one frame to the next at 0.10 s.");
}

}  // namespace
}  // namespace panto
