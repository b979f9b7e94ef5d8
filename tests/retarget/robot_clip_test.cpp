#include "panto/retarget/robot_clip.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/refusals.hpp"
#include "tests/support/shown_person.hpp"

namespace panto {
namespace {

Attachment& follower_of(robot::Map& map, const std::string& segment) {
  std::vector<Attachment>& all = map.attachments.attachments;
  return *std::find_if(all.begin(), all.end(), [&](const Attachment& a) { return a.segment == segment; });
}

double touch_weight_of(const robot::Map& map) {
  robot::Map followed = followed_map(map, human48(), FeetMode::Off);
  return follower_of(followed, "RightHand").touch_weight.value();
}

TEST(RobotClip, FeetFollowPositionsOnlyUnderTheLawsThatSaySo) {
  const Model robot = human48();
  for (const FeetMode mode : {FeetMode::Off, FeetMode::Soft, FeetMode::Plant, FeetMode::Hold}) {
    SCOPED_TRACE(static_cast<int>(mode));
    const bool hold = mode == FeetMode::Hold, plant = mode == FeetMode::Plant;
    robot::Map map = test::human_map();
    follower_of(map, "LeftFoot").orientation_weight = 7.0;
    map = followed_map(map, robot, mode);
    const Attachment &foot = follower_of(map, "RightFoot"), &own = follower_of(map, "LeftFoot"),
                     &pelvis = follower_of(map, "Pelvis");
    EXPECT_EQ(foot.position, hold || mode == FeetMode::Soft);
    EXPECT_EQ(own.orientation_weight, 7.0) << "what the map says stays";
    EXPECT_EQ(foot.orientation_weight, plant  ? std::optional(0.02)  // hardly: planning turns the foot
                                       : hold ? std::optional(20.0)  // a leg of six joints or more
                                              : std::nullopt);
    EXPECT_EQ(foot.position_weight, hold ? std::optional(2500.0) : std::nullopt) << "2 cm count like 1 rad";
    EXPECT_EQ(foot.gain, hold ? std::optional(100.0) : std::nullopt);
    EXPECT_EQ(pelvis.position_weight, plant ? std::optional(2500.0) : std::nullopt);
    EXPECT_EQ(pelvis.orientation_weight, hold ? std::nullopt : std::optional(2.0)) << "it has a waist above";
  }
}

TEST(RobotClip, HandsWeighMoreInATouchOnlyWhereTouchIsFirm) {
  robot::Map map = test::human_map();
  follower_of(map, "LeftHand").gain = 3.0;
  robot::Map soft = map;
  raise_touch_gain(soft);
  EXPECT_FALSE(follower_of(soft, "RightHand").gain.has_value());
  EXPECT_EQ(touch_weight_of(soft), 25.0) << "the method's own weight";
  map.relative.firm = true;
  raise_touch_gain(map);
  const Attachment& hand = follower_of(map, "RightHand");
  EXPECT_EQ(hand.gain, 45.0);
  // weight times gain is that of the robots' options: 1/rad^2 at 20/s, 25/m^2 at 10/s
  EXPECT_NEAR(hand.orientation_weight.value() * 45.0, 1.0 * 20.0, 1e-12);
  EXPECT_NEAR(hand.position_weight.value() * 45.0, 25.0 * 10.0, 1e-12);
  EXPECT_EQ(follower_of(map, "LeftHand").gain, 3.0) << "the map's own stays";
  EXPECT_FALSE(follower_of(map, "LeftHand").position_weight.has_value());
  EXPECT_FALSE(follower_of(map, "RightForeArm").gain.has_value());
  EXPECT_EQ(touch_weight_of(map), 2500.0);
}

TEST(RobotClip, ARecordingWithoutASegmentOfTheMapIsRefusedByName) {
  test::ShownPerson person = test::shown_person("walk", 0.1);
  const Model robot = human48();
  robot::Map arm;
  arm.attachments.attachments = {{"RightForeArm", "RightForeArm", {}, {}, {}, {}, {}}};
  EXPECT_NO_THROW(check_followed(person, robot, arm, true));
  std::erase_if(person.about.attachments.attachments,
                [](const Attachment& a) { return a.link == "RightForeArm"; });
  const auto refusal = [&](bool gestures) {
    return test::refusal_of<FormatError>([&] { check_followed(person, robot, arm, gestures); });
  };
  EXPECT_TRUE(test::names(refusal(false), "shown: ", "no segment that robot 'human48' can follow"));
  EXPECT_TRUE(test::names(refusal(true), "no arm ", "no gesture to imitate"));
  EXPECT_NO_THROW(check_followed(person, robot, {}, true)) << "a map of nothing asks for nothing";
}

TEST(RobotClip, StandsOnItsFloorWhateverThePersonsAndHoldsFeetOnlyOnRequest) {
  for (const FeetMode mode : {FeetMode::Plant, FeetMode::Hold}) {
    test::ShownPerson person = test::shown_person("tpose", 1.0);
    for (SegmentSample& sample : person.samples)
      for (SegmentMotion& segment : sample.segments) segment.p_WS.z() += 0.5;  // [m] somebody on a stage
    const Model robot = human48(test::long_shanks());
    const RobotClip clip = make_robot_clip(person, robot, test::human_map(), *person.about.subject, mode);
    EXPECT_NEAR(clip.feet.contacts.ground, 0.5, 1e-3);
    EXPECT_EQ(clip.recording->plants_feet(), mode == FeetMode::Hold);
    EXPECT_EQ(clip.recording->frame(), -1) << "at its beginning";
    SegmentSample sample;
    int frames = 0;
    for (; clip.recording->read(sample) == ReadStatus::Sample; ++frames) {
      const SegmentMotion& foot = sample.segments[HumanSegment::RightFoot];
      EXPECT_NEAR((foot.p_WS + foot.R_WS * clip.recording->skeleton().sole(0)[0]).z(), 0.0, 1e-3);
    }
    EXPECT_EQ(frames, 60);
  }
  test::ShownPerson none = test::shown_person("tpose", 1.0);
  none.samples.clear();
  const Model robot = human48();
  SegmentSample sample;
  EXPECT_EQ(make_robot_clip(none, robot, test::human_map(), *none.about.subject, FeetMode::Hold)
                .recording->read(sample),
            ReadStatus::EndOfMotion);
}

// Soles as thick as the person's joints stand above z = 0; what is farther up is a stage, and no sole.
TEST(RobotClip, ACharactersSolesAreThickerByTheFloorUnlessItIsAStage) {
  for (const double floor : {0.05, 0.5}) {
    test::ShownPerson person = test::shown_person("tpose", 1.0);
    for (SegmentSample& sample : person.samples)
      for (SegmentMotion& segment : sample.segments) segment.p_WS.z() += floor;
    const Model robot = human48(test::long_shanks());
    robot::Map map = test::human_map();
    map.soles = {robot::Sole{0.06}, robot::Sole{0.06}};
    const auto sole = [&](bool character) {
      person.rewind();
      return make_robot_clip(person, robot, map, *person.about.subject, FeetMode::Plant, character)
          .recording->skeleton()
          .sole(0)[0]
          .z();
    };
    const robot::Skeleton skeleton(robot, map, *person.about.subject, human_segment_names());
    EXPECT_NEAR(sole(false), -0.06, 1e-12);
    EXPECT_NEAR(sole(true), -0.06 - (floor < 0.12 ? skeleton.scale() * floor : 0.0), 1e-4);
  }
}

}  // namespace
}  // namespace panto
