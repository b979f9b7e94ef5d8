#include "panto/api/retarget.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "apps/support/allocation_count.hpp"
#include "panto/api/imitate.hpp"
#include "panto/api/live_retargeter.hpp"
#include "panto/base/error.hpp"
#include "panto/recording/person_reader.hpp"
#include "tests/support/bundled_walk.hpp"
#include "tests/support/refusals.hpp"

namespace panto {
namespace {

using test::bundled_walk;
using test::names;
using test::refusal_of;
using test::shipped_robot;

void expect_within_limits(const Model& model, const Motion& motion) {
  for (const State& state : motion.states) {
    EXPECT_TRUE((state.s.array() >= model.lower().array()).all());
    EXPECT_TRUE((state.s.array() <= model.upper().array()).all());
  }
}

TEST(Retarget, PutsTheBundledWalkOntoTheG1WithinItsLimitsWithPlantedFeet) {
  const auto walk = bundled_walk();
  const Robot g1 = shipped_robot("unitree_g1");
  const RetargetResult result = retarget(*walk, g1);
  ASSERT_FALSE(result.motion.states.empty());
  expect_within_limits(g1.model, result.motion);
  EXPECT_EQ(result.figures.limit_violations, 0);
  EXPECT_EQ(result.figures.velocity_violations, 0);
  EXPECT_EQ(result.solver, SolverKind::Dynamical);
  EXPECT_EQ(retarget(*walk, g1).card.state_hash, result.card.state_hash) << "the same bits each time";
}

TEST(Retarget, ASpeedLimitForJointsWithoutOneChangesNothingWhereAllHaveTheirOwn) {
  const auto walk = bundled_walk(), again = bundled_walk();
  const Robot robot = shipped_robot("unitree_g1");
  RetargetOptions slow;
  slow.method.dynamical.limits.speed_limit = 0.5;  // [rad/s]: knees of a walk turn ten times faster
  const Motion usual = retarget(*walk, robot).motion, given = retarget(*again, robot, slow).motion;
  ASSERT_EQ(usual.states.size(), given.states.size());
  for (std::size_t k = 0; k < usual.states.size(); ++k) ASSERT_EQ(usual.states[k].s, given.states[k].s) << k;
}

TEST(Retarget, PlantedFeetSlideLessThanSoftOnes) {
  const auto walk = bundled_walk();
  const Robot g1 = shipped_robot("unitree_g1");
  RetargetOptions soft;
  soft.feet = FeetMode::Soft;
  const RetargetResult planted = retarget(*walk, g1);
  walk->rewind();
  const RetargetResult following = retarget(*walk, g1, soft);
  ASSERT_TRUE(planted.figures.foot_skate_median_mm_s && following.figures.foot_skate_median_mm_s);
  EXPECT_LT(*planted.figures.foot_skate_median_mm_s, 0.5 * *following.figures.foot_skate_median_mm_s);
}

TEST(Retarget, ScalesAWholeMotionAndSaysWhichInstantEachFrameShows) {
  const auto walk = bundled_walk();
  const Robot g1 = shipped_robot("unitree_g1");
  RetargetOptions options;
  options.method.dynamical.limits.law = LimitLaw::None;
  options.scale.emplace();
  const RetargetResult result = retarget(*walk, g1, options);
  ASSERT_TRUE(result.scaling);
  EXPECT_EQ(result.scaling->recorded.size(), result.motion.states.size());
  EXPECT_TRUE(std::is_sorted(result.scaling->recorded.begin(), result.scaling->recorded.end()));
  expect_within_limits(g1.model, result.motion);
}

TEST(Retarget, RefusesOptionsThatContradictEachOther) {
  const auto walk = bundled_walk();
  const Robot g1 = shipped_robot("unitree_g1");
  RetargetOptions options;
  options.smooth.emplace();
  options.scale.emplace();
  EXPECT_TRUE(names(refusal_of<ConfigError>([&] { (void)retarget(*walk, g1, options); }), "smooth"));
}

TEST(Retarget, RefusesOptionsThatAreNotFiniteByName) {
  const auto walk = bundled_walk();
  const Robot g1 = shipped_robot("unitree_g1");
  const auto refusal = [&](const auto& change) {
    RetargetOptions options;
    change(options);
    walk->rewind();
    return refusal_of<ConfigError>([&] { (void)retarget(*walk, g1, options); });
  };
  for (const double wrong : {kInfinity, -kInfinity, std::nan("")}) {
    EXPECT_TRUE(names(refusal([&](auto& o) { o.settle = wrong; }), "settle")) << wrong;
    EXPECT_TRUE(names(refusal([&](auto& o) { o.method.dynamical.max_interval = wrong; }), "max_interval"));
    EXPECT_TRUE(names(refusal([&](auto& o) { o.method.dynamical.return_speed = wrong; }), "return_speed"));
    EXPECT_TRUE(names(refusal([&](auto& o) { o.method.dynamical.position_gain = wrong; }), "gain")) << wrong;
  }
}

TEST(Retarget, FallsBackToTheDynamicalMethodOnlyIfAllowed) {
  const auto walk = bundled_walk();
  const Robot icub = shipped_robot("icub");  // its shoulders are coupled
  RetargetOptions options;
  options.solver = SolverKind::Modular;
  options.feet = FeetMode::Off;
  EXPECT_THROW((void)retarget(*walk, icub, options), MethodError);
  options.any_method = true;
  walk->rewind();
  const RetargetResult result = retarget(*walk, icub, options);
  EXPECT_EQ(result.solver, SolverKind::Dynamical);
  EXPECT_TRUE(std::any_of(result.notes.begin(), result.notes.end(),
                          [](const std::string& note) { return names(note, "modular"); }));
}

TEST(MakeRobot, RefusesAMapThatNamesALinkTheRobotLacks) {
  const Robot g1 = shipped_robot("unitree_g1");
  robot::Map map = g1.map;
  map.attachments.attachments.front().link = "no_such_link";
  EXPECT_TRUE(names(refusal_of<ModelError>([&] { (void)make_robot(g1.model, map, {}, "mine.toml"); }),
                    "mine.toml", "no_such_link"));
}

TEST(MakeRobot, FindsTheMapOfAModelAndRestsInItsPose) {
  const Robot g1 = shipped_robot("unitree_g1");
  const Robot again = make_robot(g1.model);
  EXPECT_EQ(again.map.attachments.attachments.size(), g1.map.attachments.attachments.size());
  EXPECT_EQ(again.reasons.size(), again.map.attachments.attachments.size());
  EXPECT_TRUE(again.model.rest().isApprox(robot::rest_of(again.map, g1.model)));
}

TEST(Imitate, RefusesAWalkOnARobotThatScalesNothing) {
  const auto walk = bundled_walk();
  RetargetOptions options = imitate_options();
  options.scale.reset();
  EXPECT_TRUE(names(
      refusal_of<ConfigError>([&] { (void)imitate(*walk, shipped_robot("olivia17"), options); }), "scale"));
}

TEST(Imitate, BringsEachGestureWithinTheRobotsLimitsAndNotifiesItsWatcher) {
  const auto walk = bundled_walk();
  const Robot robot = shipped_robot("olivia17");
  std::size_t watched = 0, done = 0;
  const ImitateResult result =
      imitate(*walk, robot, imitate_options(), {}, {}, [&](const RecordedGesture& gesture, const auto&) {
        EXPECT_EQ(gesture.number, ++watched);
        return GestureWatch{{}, [&](const RetargetResult&) { ++done; }};
      });
  EXPECT_EQ(watched, result.gestures.size());
  EXPECT_EQ(done, watched);
  for (const GestureResult& gesture : result.gestures) {
    expect_within_limits(robot.model, gesture.result.motion);
    EXPECT_LE(gesture.recorded.first, gesture.recorded.onset);
    EXPECT_LE(gesture.recorded.offset, gesture.recorded.last);
  }
}

TEST(LiveRetargeter, FollowsOneSampleAtATimeWithinLimitsAndWithoutAllocating) {
  const auto walk = bundled_walk();
  const Robot g1 = shipped_robot("unitree_g1");
  PersonReader reader(*walk);
  std::vector<std::string> notes;
  LiveRetargeter live(g1, reader.names(), subject_of(walk->info(), {}, {}, notes));
  State state = live.rest_state();
  SegmentSample sample;
  std::int64_t solved = 0;
  while (reader.read(sample) == ReadStatus::Sample) {
    const AllocationCount allocations;
    const StepStatus status = live.step(sample, state);
    const long allocated = solved > 0 ? allocations.value() : 0;
    EXPECT_EQ(allocated, 0);
    solved += advanced(status) ? 1 : 0;
    EXPECT_TRUE((state.s.array() >= g1.model.lower().array()).all());
    EXPECT_TRUE((state.s.array() <= g1.model.upper().array()).all());
  }
  EXPECT_GT(solved, 50);
}

TEST(LiveRetargeter, LeavesTheStateAloneWhenASampleDoesNotFit) {
  const Robot g1 = shipped_robot("unitree_g1");
  LiveRetargeter live(g1, human_segment_names(), scaled_subject(1.75));
  State state = live.rest_state();
  const State before = state;
  SegmentSample sample;
  sample.segments.resize(3);
  EXPECT_EQ(live.step(sample, state), StepStatus::SizeMismatch);
  EXPECT_EQ(state.s, before.s);
  EXPECT_EQ(state.t, before.t);
}

TEST(LiveRetargeter, RefusesWhatNeedsTheWholeMotionAndSegmentsThatNoRobotFollows) {
  const Robot g1 = shipped_robot("unitree_g1");
  RetargetOptions options;
  options.smooth.emplace();
  EXPECT_TRUE(names(refusal_of<ConfigError>(
                        [&] { LiveRetargeter(g1, human_segment_names(), scaled_subject(1.75), options); }),
                    "whole motion"));
  EXPECT_THROW(LiveRetargeter(g1, {}, scaled_subject(1.75)), ConfigError);
}

}  // namespace
}  // namespace panto
