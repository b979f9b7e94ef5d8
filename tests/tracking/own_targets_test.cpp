// What a user asks of a tracker beside a recording.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "apps/support/allocation_count.hpp"
#include "panto/base/index.hpp"
#include "panto/model/human.hpp"
#include "panto/synthesis/synthesis.hpp"
#include "panto/tracking/segment_tracker.hpp"
#include "tests/support/recorded_motion.hpp"

namespace panto {
namespace {

using Eigen::Vector3d;

struct Walk {
  const Model model = human66();
  const test::RecordedMotion walk = test::synthetic_motion("walk", model, 2.0, 50.0);
};

// The right hand in front of the left one, in the left one's frame.
OwnTargets hands_together(double weight) {
  OwnTargets own;
  own.relatives.push_back(
      {.from = "LeftHand", .link = "RightHand", .place_A = {0.0, -0.15, 0.05}, .position_weight = weight});
  return own;
}

TEST(OwnTargetsOfATracker, BringHandsTogetherWhileAPersonWalks) {
  const Walk scene;
  SegmentTracker tracker(scene.model, mvn_attachments(), SolverKind::Dynamical, {}, human_segment_names(),
                         {hands_together(1e5), {}});
  SegmentTracker alone(scene.model, mvn_attachments(), DynamicalOptions{});
  State state = tracker.rest_state(), other = state;
  Kinematics kinematics(scene.model);
  const int a = scene.model.link_index("LeftHand"), b = scene.model.link_index("RightHand");
  for (const SegmentSample& sample : scene.walk.samples) {
    ASSERT_TRUE(advanced(tracker.step(sample, state)));
    ASSERT_TRUE(advanced(alone.step(sample, other)));
    EXPECT_LT(tracker.last_report().own_error[0], 0.01) << "also of the first, which is aligned";
  }
  kinematics.update(state);
  const Vector3d seen = kinematics.R_WL(a).transpose() * (kinematics.p_WL(b) - kinematics.p_WL(a));
  EXPECT_LT((seen - Vector3d(0.0, -0.15, 0.05)).norm(), 0.01);
  kinematics.update(other);
  EXPECT_GT((kinematics.p_WL(b) - kinematics.p_WL(a)).norm(), 0.3) << "without they are apart";
  EXPECT_LT((state.p_WB - other.p_WB).norm(), 0.05) << "and the person walks on";
}

TEST(OwnTargetsOfATracker, AreEditedBetweenStepsOrByAFunction) {
  const Walk scene;
  const auto option = [](double weight) { return OwnTargetsOption{hands_together(weight), {}}; };
  SegmentTracker edited(scene.model, mvn_attachments(), SolverKind::Dynamical, {}, human_segment_names(),
                        option(0.0));
  OwnTargetsOption called = option(0.0);
  int calls = 0;
  called.update = [&calls](const SegmentSample& sample, const State&, OwnTargets& own) {
    own.relatives[0].position_weight = sample.t > from_seconds(1.0) ? 1e5 : 0.0;
    ++calls;
  };
  SegmentTracker updated(scene.model, mvn_attachments(), SolverKind::Dynamical, {}, human_segment_names(),
                         called);
  State one = edited.rest_state(), other = one;
  for (const SegmentSample& sample : scene.walk.samples) {
    edited.own().relatives[0].position_weight = sample.t > from_seconds(1.0) ? 1e5 : 0.0;
    const AllocationCount count;
    ASSERT_TRUE(advanced(edited.step(sample, one)));
    if (AllocationCount::available()) {
      EXPECT_EQ(count.value(), 0);
    }
    ASSERT_TRUE(advanced(updated.step(sample, other)));
    ASSERT_EQ(state_hash(one), state_hash(other));
    EXPECT_EQ(std::isnan(edited.last_report().own_error[0]), !(sample.t > from_seconds(1.0)));
  }
  EXPECT_EQ(calls, static_cast<int>(scene.walk.samples.size()));
  EXPECT_LT(edited.last_report().own_error[0], 0.01);
}

TEST(OwnTargetsOfATracker, DeclaredAndOffLeaveTheMotionWhatItIs) {
  const Walk scene;
  SegmentTracker off(scene.model, mvn_attachments(), SolverKind::Dynamical, {}, human_segment_names(),
                     {hands_together(0.0), {}});
  SegmentTracker without(scene.model, mvn_attachments(), DynamicalOptions{});
  State one = off.rest_state(), other = one;
  for (const SegmentSample& sample : scene.walk.samples) {
    ASSERT_TRUE(advanced(off.step(sample, one)));
    ASSERT_TRUE(advanced(without.step(sample, other)));
    EXPECT_LT((one.s - other.s).norm(), 1e-9);
  }
}

TEST(OwnTargetsOfATracker, KeepRowsOverJointsFromTheFirstSampleOn) {
  const Walk scene;
  const auto elbow = [&](const State& state) {
    return state.s[scene.model.joint_index(scene.model.joint_names()[20])];
  };
  SegmentTracker free_tracker(scene.model, mvn_attachments(), DynamicalOptions{});
  State state = free_tracker.rest_state();
  double most = -kInfinity;
  for (const SegmentSample& sample : scene.walk.samples) {
    ASSERT_TRUE(advanced(free_tracker.step(sample, state)));
    most = std::max(most, elbow(state));
  }
  OwnTargetsOption own;
  const double bound = most - 0.02;
  own.targets.rows.push_back({"elbow", {{scene.model.joint_names()[20], 1.0}}, -kInfinity, bound});
  for (const SolverKind kind : {SolverKind::Dynamical, SolverKind::Instantaneous}) {
    SegmentTracker tracker(scene.model, mvn_attachments(), kind, {}, human_segment_names(), own);
    state = tracker.rest_state();
    double reached = -kInfinity;
    for (const SegmentSample& sample : scene.walk.samples) {
      ASSERT_TRUE(advanced(tracker.step(sample, state)));
      reached = std::max(reached, elbow(state));
    }
    EXPECT_LE(reached, bound + 1e-12);
    EXPECT_GT(reached, bound - 1e-6) << "it was in the way";
  }
}

TEST(OwnTargetsOfATracker, HoldOnThroughSamplesWithoutAnySegment) {
  const Walk scene;
  SegmentTracker tracker(scene.model, mvn_attachments(), SolverKind::Dynamical, {}, human_segment_names(),
                         {hands_together(1e5), {}});
  State state = tracker.rest_state();
  SegmentSample nothing = scene.walk.samples[0];
  for (SegmentMotion& segment : nothing.segments) segment = {};
  EXPECT_EQ(tracker.step(nothing, state), StepStatus::NoTarget) << "a pose begins with a person";
  for (std::size_t i = 0; i < 20; ++i) ASSERT_TRUE(advanced(tracker.step(scene.walk.samples[i], state)));
  nothing.t = scene.walk.samples[20].t;
  EXPECT_TRUE(advanced(tracker.step(nothing, state)));
  EXPECT_LT(tracker.last_report().own_error[0], 0.01);
}

}  // namespace
}  // namespace panto
