#include "panto/retarget/robot_recording.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "panto/math/so3.hpp"
#include "tests/support/refusals.hpp"
#include "tests/support/shown_person.hpp"

namespace panto {
namespace {

using enum HumanSegment::Index;

RobotRecording recorded_for(const Model& robot, test::ShownPerson& person,
                            const robot::Map& map = test::human_map(), FootPlan plan = {}) {
  person.rewind();
  return RobotRecording(person, robot, map, *person.about.subject, {}, std::move(plan));
}

TEST(RobotRecording, YieldsWhatTheSkeletonMakesOfEverySampleAndAgainAfterRewinding) {
  test::ShownPerson person = test::shown_person("walk", 0.5);
  const Model robot = human48(test::long_shanks());
  RobotRecording recording = recorded_for(robot, person);
  robot::Skeleton skeleton(robot, test::human_map(), *person.about.subject, human_segment_names());
  for (int pass = 0; pass < 2; ++pass) {
    SegmentSample sample, expected;
    for (int k = 0; k < 30; ++k) {
      ASSERT_EQ(recording.read(sample), ReadStatus::Sample);
      skeleton.pose(person.samples[static_cast<std::size_t>(k)], expected);
      EXPECT_EQ(recording.frame(), k);
      EXPECT_EQ(recording.person().t, sample.t);
      for (std::size_t i = 0; i < kHumanSegmentCount; ++i)
        EXPECT_EQ(sample.segments[i].p_WS, expected.segments[i].p_WS) << i;
    }
    EXPECT_EQ(recording.read(sample), ReadStatus::EndOfMotion);
    recording.rewind();
    EXPECT_EQ(recording.frame(), -1);
  }
}

TEST(RobotRecording, LeavesOutWhatThePersonLacksAndRefusesAPersonWithoutAll) {
  test::ShownPerson person = test::shown_person("walk", 0.1);
  const auto lose = [&](const auto& lost) {
    std::erase_if(person.about.attachments.attachments, [&](const Attachment& a) { return lost(a.link); });
  };
  lose([](const std::string& name) { return name == "LeftHand"; });
  const Model robot = human48();
  const RobotRecording recording = recorded_for(robot, person);
  EXPECT_EQ(recording.info().attachments.attachments.size(), 22U);
  ASSERT_EQ(recording.info().notes.size(), 1U);
  EXPECT_TRUE(test::names(recording.info().notes[0], "left free: LeftHand (link 'LeftHand')"));
  EXPECT_FALSE(recording.info().has_linear_velocity);
  robot::Map legs;
  legs.attachments = mvn_attachments();
  std::erase_if(legs.attachments.attachments,
                [](const Attachment& a) { return a.segment.find("Leg") == std::string::npos; });
  lose([](const std::string& name) { return name.find("Leg") != std::string::npos; });
  EXPECT_THROW((void)recorded_for(robot, person, legs), ConfigError);
}

// Frames of a plan count the samples that are solved: those whose stamps increase.
TEST(RobotRecording, PutsFeetWhereThePlanSaysByFrameAndShiftsTheBase) {
  test::ShownPerson person = test::shown_person("tpose", 0.1);
  ASSERT_EQ(person.samples.size(), 6U);
  person.samples[2].t = person.samples[1].t;  // a stamp that does not increase
  person.samples[4].segments[LeftFoot].has_orientation = false;
  const Model robot = human48();
  FootPlan plan;
  plan.sides = {1};
  plan.planted.feet.emplace_back();
  for (int k = 0; k < 4; ++k) {  // one frame less than there are
    plan.planted.feet[0].p_WF.emplace_back(0.1 * k, 0.0, 0.0);
    plan.planted.feet[0].R_WF.push_back(so3::about_axis(2, 0.1 * k));
    plan.base_shift.emplace_back(0.0, 0.0, 0.01 * k);
  }
  test::ShownPerson same = test::shown_person("tpose", 0.1);
  same.samples = person.samples;
  RobotRecording plain = recorded_for(robot, person);
  RobotRecording held = recorded_for(robot, same, test::human_map(), plan);
  EXPECT_FALSE(plain.plants_feet());
  EXPECT_TRUE(held.plants_feet());
  const int frame[] = {0, 1, 1, 2, 3, 4};
  for (int k = 0; k < 6; ++k) {
    SCOPED_TRACE(k);
    SegmentSample sample, unplanned;
    ASSERT_EQ(held.read(sample), ReadStatus::Sample);
    ASSERT_EQ(plain.read(unplanned), ReadStatus::Sample);
    EXPECT_EQ(held.frame(), frame[k]);
    const SegmentMotion &foot = sample.segments[LeftFoot], &free = unplanned.segments[LeftFoot];
    const bool planned = k != 2 && k != 5 && free.has_position;
    EXPECT_EQ(foot.p_WS, planned ? plan.planted.feet[0].p_WF[static_cast<std::size_t>(frame[k])] : free.p_WS);
    EXPECT_EQ(foot.has_linear_velocity, !planned && free.has_linear_velocity);
    EXPECT_EQ(sample.segments[RightFoot].p_WS, unplanned.segments[RightFoot].p_WS);
    const double shift = k == 2 || k == 5 ? 0.0 : 0.01 * frame[k];
    EXPECT_NEAR(sample.segments[Pelvis].p_WS.z() - unplanned.segments[Pelvis].p_WS.z(), shift, 1e-15);
  }
}

TEST(RobotRecording, ARobotOnAStandIsCarriedToTheWorldOnceItIsShownThere) {
  test::ShownPerson person = test::shown_person("walk", 0.1);
  ModelSpec spec = human48().spec();
  spec.floating_base = false;
  const Model robot(std::move(spec));
  robot::Map map = test::human_map();
  map.base_height = 0.8;  // [m]
  RobotRecording recording = recorded_for(robot, person, map);
  ASSERT_TRUE(recording.carried());
  SegmentSample relative, world;
  ASSERT_EQ(recording.read(relative), ReadStatus::Sample);
  EXPECT_LT(relative.segments[Pelvis].p_WS.norm(), 1e-12) << "seen from the base";
  recording.rewind();
  recording.show_world();
  EXPECT_FALSE(recording.carried());
  ASSERT_EQ(recording.read(world), ReadStatus::Sample);
  const robot::Skeleton::BasePose& base = recording.skeleton().base();
  EXPECT_EQ(base.p_WB.z(), 0.8);
  for (std::size_t i = 0; i < kHumanSegmentCount; ++i) {
    const Eigen::Vector3d expected = base.R_WB * relative.segments[i].p_WS + base.p_WB;
    EXPECT_LT((world.segments[i].p_WS - expected).norm(), 1e-12) << i;
    EXPECT_FALSE(world.segments[i].has_angular_velocity) << i;
  }
  State state = rest_state(robot);
  carry(base, state);
  EXPECT_EQ(state.p_WB, base.p_WB);
}

TEST(RobotRecording, DamageAndNotesOfTheFileShowAtItsEnd) {
  test::ShownPerson person = test::shown_person("walk", 0.1);
  person.about.notes = {"a bridged gap"};
  person.damage = "shown:7: cut off";
  const Model robot = human48();
  RobotRecording recording = recorded_for(robot, person);
  person.about.notes.emplace_back("a late note");
  SegmentSample sample;
  for (int k = 0; k < 6; ++k) ASSERT_EQ(recording.read(sample), ReadStatus::Sample);
  EXPECT_EQ(recording.info().notes, (std::vector<std::string>{"a bridged gap"}));
  EXPECT_EQ(recording.read(sample), ReadStatus::Malformed);
  EXPECT_EQ(recording.problem(), "shown:7: cut off");
  EXPECT_EQ(recording.info().notes, (std::vector<std::string>{"a bridged gap", "a late note"}));
}

}  // namespace
}  // namespace panto
