// A frame that cannot be solved costs itself and no other.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "panto/api/retarget.hpp"
#include "tests/support/bundled_walk.hpp"
#include "tests/support/shown_person.hpp"

namespace panto {
namespace {

constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();

// Returns what a G1 does of a walk of 180 frames, of which one is damaged by `damage`.
template <typename Damage>
std::ptrdiff_t good_states(const RetargetOptions& options, Damage&& damage) {
  test::ShownPerson person = test::shown_person("walk", 3.0);
  damage(person.samples[100]);
  const Robot robot = test::shipped_robot("unitree_g1");
  const RetargetResult result = retarget(person, robot, options);
  return std::count_if(result.motion.states.begin(), result.motion.states.end(),
                       [&](const State& state) { return is_valid(state, robot.model); });
}

void lose_pelvis(SegmentSample& sample) { sample.segments[HumanSegment::Pelvis].p_WS.x() = kNotANumber; }
void lose_foot(SegmentSample& sample) { sample.segments[HumanSegment::RightFoot].R_WS(0, 0) = kNotANumber; }
void lose_trunk(SegmentSample& sample) { sample.segments[HumanSegment::Pelvis].R_WS(0, 0) = kNotANumber; }

TEST(LostFrames, CostNoOtherFrameWhereFeetArePlantedOrHeld) {
  for (const FeetMode feet : {FeetMode::Plant, FeetMode::Hold, FeetMode::Soft}) {
    RetargetOptions options;
    options.feet = feet;
    EXPECT_GE(good_states(options, lose_pelvis), 179) << static_cast<int>(feet);
    EXPECT_GE(good_states(options, lose_foot), 179) << static_cast<int>(feet);
  }
}

TEST(LostFrames, CostNoOtherFrameOfAMotionScaledIntoItsLimits) {
  RetargetOptions options;
  options.scale.emplace();
  options.method.dynamical.limits.law = LimitLaw::None;
  EXPECT_GE(good_states(options, lose_pelvis), 179);
  EXPECT_GE(good_states(options, lose_foot), 179);
}

TEST(LostFrames, AreGapsThatSmoothingLeaves) {
  RetargetOptions options;
  options.smooth.emplace();
  EXPECT_GE(good_states(options, lose_trunk), 179);
}

}  // namespace
}  // namespace panto
