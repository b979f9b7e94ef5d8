#include <gtest/gtest.h>

#include <optional>

#include "apps/support/allocation_count.hpp"
#include "panto/api/track.hpp"
#include "panto/base/error.hpp"
#include "tests/support/bundled_walk.hpp"
#include "tests/support/refusals.hpp"

namespace panto {
namespace {

using test::bundled_walk;
using test::names;
using test::refusal_of;

TEST(LiveTracker, AnswersSampleBySampleWhatTrackAnswersToTheBitWithoutAllocating) {
  const auto walk = bundled_walk();
  std::unique_ptr<Tracker<SegmentSample>> live;
  State state;
  {
    const Model model = human66();
    live = live_tracker(model, walk->names());
    state = rest_state(model);
  }  // the tracker has a model of its own
  std::optional<std::uint64_t> hash;
  std::int64_t solved = 0;
  for (SegmentSample sample; walk->read(sample) == ReadStatus::Sample;) {
    const AllocationCount allocations;
    const StepStatus status = live->step(sample, state);
    const long allocated = solved > 0 ? allocations.value() : 0;
    EXPECT_EQ(allocated, 0);
    if (!advanced(status)) continue;
    hash = hash ? state_hash(state, *hash) : state_hash(state);
    ++solved;
  }
  EXPECT_FALSE(live->last_report().versine.empty()) << "each of the 23 links has a residual";
  walk->rewind();
  const ReportCard card = track(*walk, human66()).card;
  EXPECT_EQ(solved, card.frames);
  EXPECT_EQ(hash, card.state_hash);
}

TEST(LiveTracker, FollowsTheSegmentsThatThereAre) {
  const auto tracker = live_tracker(human66(), {"Pelvis", "RightUpperArm"});
  State state = rest_state(human66());
  SegmentSample sample;
  sample.segments.resize(2);
  for (SegmentMotion& segment : sample.segments) segment.has_orientation = true;
  EXPECT_TRUE(usable(tracker->step(sample, state)));
  EXPECT_EQ(tracker->last_report().versine.size(), 2U);
  sample.segments.resize(3);
  const State before = state;
  EXPECT_EQ(tracker->step(sample, state), StepStatus::SizeMismatch);
  EXPECT_EQ(state.s, before.s);
}

TEST(LiveTracker, RefusesSegmentsThatNoHumanHasAndModelsThatAreNone) {
  EXPECT_TRUE(names(refusal_of<ConfigError>([] { (void)live_tracker(human66(), {"RightUperArm"}); }),
                    "RightUperArm", "did you mean 'RightUpperArm'"));
  EXPECT_THROW((void)live_tracker(human66(), {}), ConfigError);
  const Model g1 = test::shipped_robot("unitree_g1").model;
  EXPECT_TRUE(names(refusal_of<ModelError>([&] { (void)live_tracker(g1); }), "unitree_g1", "Pelvis"));
}

}  // namespace
}  // namespace panto
