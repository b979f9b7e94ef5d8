#include "panto/report/robot_motion_report.hpp"

#include <gtest/gtest.h>

#include "panto/api/retarget.hpp"
#include "panto/io/open_model.hpp"

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
  EXPECT_EQ(verdict.sentence, "Usable, but unlike its layout in angles: degrees.");
}

TEST(RobotMotionReport, AMotionThatBreaksLimitsIsNotUsableHoweverItsFileIsUnderstood) {
  RetargetResult judged = of_a_hundred_frames();
  judged.figures.limit_violations = 5;
  const Verdict verdict = verdict_of(in_degrees(), judged);
  EXPECT_EQ(verdict.grade, Verdict::Grade::Unreliable);
  EXPECT_TRUE(verdict.sentence.starts_with("Not usable: unlike its layout in angles: degrees; the motion: "))
      << verdict.sentence;
  EXPECT_NE(verdict.sentence.find("5 position limits broken"), std::string::npos) << verdict.sentence;
}

}  // namespace
}  // namespace panto
