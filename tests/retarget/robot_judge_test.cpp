#include "panto/retarget/robot_judge.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "panto/base/index.hpp"
#include "tests/support/refusals.hpp"
#include "tests/support/shown_person.hpp"
#include "tests/support/two_arms.hpp"

namespace panto {
namespace {

using enum HumanSegment::Index;

// A robot of a human's proportions that does exactly what it should, for one second.
struct JudgeScene {
  explicit JudgeScene(const std::string& synthesis = "walk") : person(test::shown_person(synthesis, 1.0)) {
    feet = find_person_feet(person, *person.about.subject);
    for (int i = 0; i < kHumanSegmentCount; ++i)
      pairs.push_back({i, robot.link_index(kHumanSegmentNames[at(i)])});
    reasons.resize(kHumanSegmentCount);
  }
  // `change`: of the state of a frame
  template <typename Change>
  RobotVerdict judge(const Change& change, const std::array<robot::HandTouch, 2>& touches = {},
                     int first_frame = 0, StepStatus status = StepStatus::Solved) {
    robot::Skeleton skeleton(robot, map, *person.about.subject, human_segment_names());
    RobotJudge judge(robot, map, reasons, pairs, human_segment_names(), skeleton, feet, options);
    notes = judge.notes();
    for (std::size_t k = 0; k < person.samples.size(); ++k) {
      SegmentSample sample;
      skeleton.pose(person.samples[k], sample);
      State state = person.truth[k];
      state.p_WB = sample.segments[Pelvis].p_WS;
      change(static_cast<int>(k), state);
      judge.add(sample, status, state, touches, static_cast<int>(k) + first_frame,
                person.samples[k].segments[Pelvis].p_WS);
    }
    return judge.verdict();
  }

  test::ShownPerson person;
  Model robot = human48(test::long_shanks());
  robot::Map map = test::human_map();
  std::vector<robot::MapReason> reasons;
  std::vector<TrackedPair> pairs;
  PersonFeet feet;
  RobotFiguresOptions options;
  std::vector<std::string> notes;
};

void judge_unchanged(int, State&) {}

TEST(RobotJudge, WhoDoesWhatItShouldIsNotBlamedAndAnElbowIsByItsAngleAndItsName) {
  JudgeScene scene;
  const RobotVerdict good = scene.judge(judge_unchanged);
  EXPECT_EQ(good.figures.frames, 60);
  EXPECT_LT(good.following.followable_max_deg.value(), 1e-6);
  EXPECT_LT(good.figures.limbs.limb_direction_max_deg.value(), 1e-6);
  EXPECT_LT(good.figures.hand_distance_error_max_mm.value(), 1e-6);
  EXPECT_LT(good.figures.base.base_tilt_max_deg.value(), 1e-6);
  EXPECT_TRUE(scene.notes.empty());
  const int elbow = scene.robot.joint_index("jRightElbow_rotz");
  const RobotVerdict bent = scene.judge([&](int, State& state) { state.s[elbow] += 0.5; });
  EXPECT_NEAR(bent.following.followable_max_deg.value(), 28.65, 0.01) << "0.5 rad";
  EXPECT_NEAR(bent.figures.limbs.limb_direction_max_deg.value(), 28.65, 0.01);
  EXPECT_EQ(bent.figures.limbs.limb_direction_max_limb, "right forearm");
  scene.reasons[RightForeArm].follows = scene.reasons[RightHand].follows = Eigen::Vector3d::Zero();
  const RobotVerdict stiff = scene.judge([&](int, State& state) { state.s[elbow] += 0.5; });
  EXPECT_LT(stiff.following.followable_max_deg.value(), 1e-6) << "a robot without that joint cannot follow";
  EXPECT_LT(stiff.figures.limbs.limb_direction_max_deg.value(), 1e-6);
}

TEST(RobotJudge, FeetSlideOnlyInFramesOfThePersonsContacts) {
  JudgeScene scene("tpose");
  const auto glide = [](int k, State& state) { state.p_WB.x() += 0.001 * k; };
  const RobotVerdict slides = scene.judge(glide);
  EXPECT_NEAR(slides.figures.foot_skate_median_mm_s.value(), 60.0, 1e-5) << "1 mm a frame at 60 Hz";
  EXPECT_EQ(slides.figures.stance_share, 1.0);
  for (const int off : {-60, 60}) {  // frames that the person does not have
    const RobotVerdict unknown = scene.judge(glide, {}, off);
    EXPECT_FALSE(unknown.figures.foot_skate_median_mm_s.has_value()) << off;
    EXPECT_FALSE(unknown.figures.stance_share.has_value()) << off;
  }
  const RobotVerdict unsolved = scene.judge(glide, {}, 0, StepStatus::NoTarget);
  EXPECT_EQ(unsolved.figures.frames, 0) << "a step that did not advance is no frame";
  EXPECT_FALSE(unsolved.following.followable_max_deg.has_value());
  for (SegmentSample& sample : scene.person.samples) sample.cut = true;
  EXPECT_FALSE(scene.judge(glide).figures.foot_skate_median_mm_s.has_value()) << "no difference over a cut";
}

TEST(RobotJudge, OnlyHandsThatAreMeantToTouchAreJudgedByTheirPlaceOnTheBody) {
  JudgeScene scene("tpose");
  std::array<robot::HandTouch, 2> touches;
  touches[0].part = robot::BodyPart::HeadPart;
  touches[0].on_part = 0.49;
  EXPECT_EQ(scene.judge(judge_unchanged, touches).figures.hand_body_frames, 0) << "nearer half not";
  touches[0].on_part = 0.5;
  const RobotFigures figures = scene.judge(judge_unchanged, touches).figures;
  EXPECT_EQ(figures.hand_body_frames, 30) << "those after the settling time of 0.5 s";
  ASSERT_EQ(figures.hand_body.size(), 1U);
  EXPECT_EQ(figures.hand_body[0].name, "head");
  EXPECT_GT(figures.hand_body[0].mean_mm, 300.0) << "in the T-pose a hand is an arm away from the head";
}

TEST(RobotJudge, PartsAreThoseOfTheMapAndWhatIsNotJudgedIsSaid) {
  JudgeScene scene("tpose");
  const auto skeleton_of = [&](const Model& model, const robot::Map& map) {
    return robot::Skeleton(model, map, *scene.person.about.subject, human_segment_names());
  };
  const auto parts_of = [&](const Model& model, const robot::Map& map) {
    return robot_parts(model, scene.pairs, skeleton_of(model, map), scene.feet, human_segment_names());
  };
  std::erase_if(scene.pairs, [](const TrackedPair& pair) { return pair.segment == RightHand; });
  const RobotParts parts = parts_of(scene.robot, scene.map);
  EXPECT_EQ(parts.feet.size(), 2U);
  EXPECT_EQ(parts.hands.size(), 2U);
  EXPECT_EQ(parts.lines.size(), 5U) << "head, trunk, pelvis and thighs";
  EXPECT_EQ(parts.base, scene.robot.link_index("Pelvis"));
  EXPECT_FALSE(parts.outline.empty());
  for (int i = 0; i < scene.robot.dof(); ++i)
    EXPECT_EQ(parts.idle[at(i)], scene.robot.joint_names()[at(i)].starts_with("jRightWrist")) << i;

  ModelSpec spec = scene.robot.spec();
  spec.floating_base = false;
  const Model stand(std::move(spec));
  const RobotParts hung = parts_of(stand, scene.map);
  EXPECT_TRUE(hung.feet.empty() && hung.outline.empty() && hung.base == -1) << "its feet stand nowhere";
  EXPECT_TRUE(not_judged(stand, skeleton_of(stand, scene.map), hung).empty());

  robot::Map shanks = scene.map;
  std::erase_if(shanks.attachments.attachments, [](const Attachment& a) {
    return a.segment.find("Foot") != std::string::npos || a.segment.find("Toe") != std::string::npos;
  });
  const auto said = not_judged(scene.robot, skeleton_of(scene.robot, shanks), parts_of(scene.robot, shanks));
  ASSERT_EQ(said.size(), 1U);
  EXPECT_TRUE(test::names(said[0], "no link follows the person's feet"));
}

TEST(RobotJudge, TheDeepestPartInAnObstacleIsNamedWithIt) {
  const Model arms(test::two_arms_spec());
  Obstacle table;
  table.name = "table";
  table.p_WO.z() = -0.35;  // the trunk's capsule ends 0.4 m under its origin
  const InObstacle deepest = ObstacleDepth(arms, {table}).deepest(rest_state(arms));
  EXPECT_NEAR(deepest.depth, 0.05, 1e-12);
  EXPECT_EQ(deepest.pair, "table and trunk");
  table.p_WO.z() = -0.41;
  EXPECT_EQ(ObstacleDepth(arms, {table}).deepest(rest_state(arms)).depth, 0.0);
  EXPECT_EQ(ObstacleDepth(arms, {}).deepest(rest_state(arms)).pair, "");
  const Model bare = human48();
  EXPECT_EQ(ObstacleDepth(bare, {table}).deepest(rest_state(bare)).depth, 0.0) << "no shapes";
}

}  // namespace
}  // namespace panto
