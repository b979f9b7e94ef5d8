#include "apps/support/step_timing.hpp"

#include <gtest/gtest.h>

#include <set>
#include <thread>

#include "apps/support/quiet_core.hpp"
#include "apps/support/scene_tracking.hpp"
#include "panto/base/error.hpp"

namespace panto {
namespace {

// a hundredth of a scene: 0.15 s resp. 0.2 s, not closed any more
Scene shortened(const char* name, const char* body = "human66") {
  Scene scene = make_scene(name, body);
  scene.duration *= 0.01;
  scene.closed = false;
  return scene;
}

std::uint64_t hash_by_hand(const Scene& scene, const std::string& solver) {
  const auto tracker = make_tracker(solver, scene);
  State state = rest_state(*scene.model);
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const SegmentSample& sample : scene_samples(scene)) {
    EXPECT_TRUE(usable(tracker->step(sample, state)));
    hash = state_hash(state, hash);
  }
  return hash;
}

TEST(StepTiming, TimesEveryStepButTheFirstAndLeavesTheMotionAsItIs) {
  for (const std::string& solver : solver_names()) {
    const Scene scene = shortened("walk");
    const StepTiming timing = time_steps(scene, solver, 3);
    EXPECT_EQ(timing.scene, "walk");
    EXPECT_EQ(timing.body, "human66");
    EXPECT_EQ(timing.solver, solver);
    EXPECT_EQ(timing.card.frames, 20) << "0.2 s at 100 Hz; judged once, not in every repeat";
    EXPECT_EQ(timing.card.state_hash, hash_by_hand(scene, solver));
    EXPECT_LE(timing.p50_us, timing.p99_us);
    EXPECT_LE(timing.p99_us, timing.max_us);
    EXPECT_EQ(timing.allocations, 0) << solver;
  }
}

TEST(StepTiming, GoesRoundUntilTheStepsAreDone) {
  const Scene scene = shortened("walk");  // 20 frames a lap, the first aligns
  const LatencyDistribution latency = measure_latency(scene, solver_names().front(), 50);
  EXPECT_EQ(latency.steps, 50);
  EXPECT_EQ(latency.laps, 3) << "19, 19, 12";
  EXPECT_EQ(latency.allocations, 0);
  ASSERT_EQ(latency.slowest.size(), 10U);
  std::set<std::int64_t> seen;
  for (const SlowStep& slow : latency.slowest) {
    EXPECT_NE(slow.frame, 0) << "aligning steps are not timed";
    EXPECT_EQ(slow.step, slow.lap * 20 + slow.frame);
    seen.insert(slow.step);
  }
  EXPECT_EQ(seen.size(), 10U);
  EXPECT_GE(latency.max_us, latency.own_max_us);
  EXPECT_GT(latency.align_max_us, 0.0);
  EXPECT_GT(latency.empty_seconds, 0.0);
}

TEST(StepTiming, FollowsAnyModelThatASceneIsMadeOf) {
  ModelSpec spec;
  spec.name = "two hinges";
  spec.links = {{"a"}, {"b"}, {"c"}};
  for (int i = 0; i < 2; ++i) {
    Joint joint;
    joint.name = i == 0 ? "ab" : "bc";
    joint.type = JointType::Revolute;
    joint.parent = spec.links[static_cast<std::size_t>(i)].name;
    joint.child = spec.links[static_cast<std::size_t>(i + 1)].name;
    joint.axis = Eigen::Vector3d::Unit(i);
    joint.p_PJ = Eigen::Vector3d(0.1, 0.0, 0.0);
    spec.joints.push_back(joint);
  }
  const Scene scene = wandering_scene(Model(spec), {"a", "c"});
  EXPECT_EQ(scene.body, "two hinges");
  const StepTiming timing = time_steps(scene, solver_names().front(), 1);
  EXPECT_EQ(timing.card.frames, 1500);
  EXPECT_LT(timing.card.angle_mean_deg.value_or(180.0), 0.1);
  EXPECT_THROW((void)wandering_scene(Model(spec), {"a", "d"}), ModelError);
  EXPECT_THROW((void)wandering_scene(Model(spec), {}), ConfigError);
}

TEST(StepTiming, NamesTheSolversWhereOneIsUnknown) {
  try {
    (void)make_tracker("dynamic", make_scene("tpose"));
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_NE(std::string(error.what()).find("did you mean 'dynamical'?"), std::string::npos) << error.what();
  }
}

TEST(QuietCore, IsOneThatTheThreadMayUseAndTheClockCostsSomething) {
  // in a thread of its own: the rest of the tests keep all cores
  std::thread([] {
    const std::optional<int> first = stay_on_one_core();
    const std::optional<int> second = stay_on_one_core();
    EXPECT_EQ(first, second) << "once there, it is the only one left";
    EXPECT_GT(clock_cost_ns(), 0.0);
  }).join();
}

}  // namespace
}  // namespace panto
