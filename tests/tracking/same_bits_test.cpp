// One number says whether two machines did the same: the hash of all frames of a motion. These tests run in
// the ordinary build, whose loops take the widest vectors that the machine has, and under the sanitizers,
// where they are compiled for plain x86-64 alone.

#include <gtest/gtest.h>

#include "panto/synthesis/scenes.hpp"
#include "panto/tracking/segment_tracker.hpp"
#include "tests/support/smoothed_body.hpp"

namespace panto {
namespace {

std::uint64_t hash_of(const char* name, const char* body, SolverKind kind = SolverKind::Dynamical) {
  const Scene scene = make_scene(name, body);
  AttachmentMap map = mvn_attachments();
  for (Attachment& attachment : map.attachments) {
    for (const std::string& link : scene.positions) attachment.position |= attachment.link == link;
  }
  SolverOptions options;
  if (scene.tanh_gain) {
    options.dynamical.limits.law = LimitLaw::Tanh;
    options.dynamical.limits.tanh_gain = *scene.tanh_gain;
  }
  SegmentTracker tracker(*scene.model, map, kind, options);
  State state = tracker.rest_state();
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  int left = 300;
  for (const SegmentSample& sample : scene_samples(scene)) {
    EXPECT_TRUE(usable(tracker.step(sample, state)));
    hash = state_hash(state, hash);
    if (--left == 0) break;
  }
  return hash;
}

TEST(SameBits, WithoutActiveBounds) { EXPECT_EQ(hash_of("free", "human66"), 0xee7ac343c5b5ba88ULL); }
TEST(SameBits, WithManyActiveBounds) { EXPECT_EQ(hash_of("clamped", "human66"), 0xd36f27466dba1ec4ULL); }
TEST(SameBits, WithPositions) { EXPECT_EQ(hash_of("positions", "human66"), 0x56e1951cf659d1dfULL); }
TEST(SameBits, WithinClinicalLimits) { EXPECT_EQ(hash_of("walk", "human48"), 0x8d7e686c68c30ae9ULL); }
TEST(SameBits, ModuleByModule) {
  EXPECT_EQ(hash_of("walk", "human48", SolverKind::Modular), 0x402ca2a5a984716aULL);
}

// Bodies that their own targets settle take another way than those that a bound concerns.
TEST(SameBits, WhateverWasHeldInTheStepBefore) {
  const Scene scene = make_scene("few", "human66");
  const std::vector<SegmentSample> samples = scene_samples(scene);
  DynamicalOptions options;
  options.limits.law = LimitLaw::Tanh;
  options.limits.tanh_gain = *scene.tanh_gain;
  SegmentTracker tracker(*scene.model, mvn_attachments(), options);
  State state = tracker.rest_state();
  int settled = 0, held = 0, let_go = 0, before = 0;
  for (std::size_t i = 0; i < 400; ++i) {
    State other = state;
    ASSERT_TRUE(usable(tracker.step(samples[i], state)));
    if (i == 0) continue;
    SegmentTracker fresh(*scene.model, mvn_attachments(), options);
    ASSERT_EQ(fresh.resume(samples[i - 1], other), StepStatus::Solved);
    ASSERT_TRUE(usable(fresh.step(samples[i], other)));
    ASSERT_EQ(state_hash(other), state_hash(state)) << "step " << i;
    const int active = tracker.last_report().active_bounds;
    settled += active == 0 && before == 0 ? 1 : 0;
    let_go += active == 0 && before > 0 ? 1 : 0;
    held += active > 0 ? 1 : 0;
    before = active;
  }
  EXPECT_GT(settled, 20);
  EXPECT_GT(held, 100);
  EXPECT_GT(let_go, 5);
}

TEST(SameBits, OfSeventeenInertialSensors) {
  const Model model = human48();
  const Synthesis truth = make_synthesis("walk", model, 1);
  ImuSignalOptions signals;
  signals.duration = 1.0;
  add_imu_fault("all", signals);
  InertialSetup setup;
  setup.mounts = test::suit_mounts(1);
  InertialTracker tracker(model, setup, test::names_of_mounts(setup.mounts));
  State state = tracker.start_state();
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const ImuSample& sample : imu_signals(model, motion_law(truth), setup.mounts, signals).samples) {
    if (advanced(tracker.step(sample, state))) hash = state_hash(state, hash);
  }
  EXPECT_EQ(hash, 0xd22b8c1666770822ULL);
}

}  // namespace
}  // namespace panto
