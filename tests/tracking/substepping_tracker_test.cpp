#include "panto/tracking/substepping_tracker.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "apps/support/allocation_count.hpp"
#include "panto/model/human.hpp"
#include "tests/support/recorded_motion.hpp"

namespace panto {
namespace {

using enum HumanSegment::Index;

constexpr double kGap = 0.1;  // [s]

class DividedWalk : public ::testing::Test {
 protected:
  const Model model = human48();
  const AttachmentMap map = mvn_attachments();
  const std::vector<SegmentSample> samples = test::synthetic_motion("walk", model, 1.5, 40.0).samples;
  const std::size_t segments = samples.front().segments.size();
};

// every bit of two states
void expect_same(const State& a, const State& b) {
  EXPECT_EQ(state_hash(a), state_hash(b));
  EXPECT_EQ(a.s, b.s);
  EXPECT_EQ(a.R_WB, b.R_WB);
}

TEST_F(DividedWalk, StepsShorterThanTheLongestAreThoseOfTheTracker) {
  SegmentTracker plain(model, map, DynamicalOptions{}), inner(model, map, DynamicalOptions{});
  SubsteppingTracker divided(inner, segments, 0.025, kGap);  // that of the recording
  State a = plain.rest_state(), b = a;
  for (const SegmentSample& sample : samples) {
    ASSERT_EQ(plain.step(sample, a), divided.step(sample, b));
    expect_same(a, b);
  }
}

TEST_F(DividedWalk, HalvesAreWhatTheTrackerMakesOfTheMeanAndTheSample) {
  SegmentTracker plain(model, map, DynamicalOptions{}), inner(model, map, DynamicalOptions{});
  SubsteppingTracker divided(inner, segments, 0.0125, kGap);
  State a = plain.rest_state(), b = a;
  ASSERT_EQ(plain.step(samples[0], a), divided.step(samples[0], b));
  SegmentSample mean = samples[0];
  const SegmentSample& next = samples[1];
  mean.t = (samples[0].t + next.t) / 2;
  for (std::size_t i = 0; i < segments; ++i) {
    SegmentMotion& m = mean.segments[i];
    m.R_WS = so3::exp(0.5 * so3::log(next.segments[i].R_WS * m.R_WS.transpose())) * m.R_WS;
    m.p_WS = 0.5 * (m.p_WS + next.segments[i].p_WS);
    m.v_WS = 0.5 * (m.v_WS + next.segments[i].v_WS);
    m.w_WS = 0.5 * (m.w_WS + next.segments[i].w_WS);
  }
  ASSERT_TRUE(usable(plain.step(mean, a)));
  ASSERT_TRUE(usable(plain.step(next, a)));
  ASSERT_TRUE(usable(divided.step(next, b)));
  expect_same(a, b);
  EXPECT_EQ(b.t, next.t);
}

// A step leaves what falls with the square of its length, and the gain takes back a share that falls with its
// length: what stays falls with the length.
TEST_F(DividedWalk, FourStepsLeaveLessThanAThirdOfWhatOneLeaves) {
  DynamicalOptions options;
  options.position_weight = 1e4;
  AttachmentMap placed = map;
  for (Attachment& a : placed.attachments) a.position = true;
  const auto mean_error = [&](double longest) {
    SegmentTracker inner(model, placed, options);
    SubsteppingTracker divided(inner, segments, longest, kGap);
    Kinematics kinematics(model);
    State state = inner.rest_state();
    double sum = 0.0;
    int count = 0;
    for (std::size_t k = 0; k < samples.size(); ++k) {
      EXPECT_TRUE(usable(divided.step(samples[k], state)));
      if (k < samples.size() / 3) continue;
      kinematics.update(state);
      for (const int foot : {RightFoot, LeftFoot}) {
        const int link = model.link_index(kHumanSegmentNames[static_cast<std::size_t>(foot)]);
        sum += (kinematics.p_WL(link) - samples[k].segments[static_cast<std::size_t>(foot)].p_WS).norm();
        ++count;
      }
    }
    return sum / count;
  };
  const double one = mean_error(1.0), four = mean_error(0.00625);
  EXPECT_GT(one, 1e-4) << "or there is nothing to mend";
  EXPECT_LT(four, one / 3.0);
}

TEST_F(DividedWalk, ACutAndAGapAreOneStepThatAligns) {
  SegmentTracker inner(model, map, DynamicalOptions{});
  SubsteppingTracker divided(inner, segments, 0.01, kGap);
  State state = inner.rest_state();
  for (std::size_t k = 0; k < 5; ++k) ASSERT_TRUE(usable(divided.step(samples[k], state)));
  SegmentSample cut = samples[5];
  cut.cut = true;
  for (SegmentMotion& m : cut.segments) m.p_WS.x() += 3.0;
  ASSERT_TRUE(usable(divided.step(cut, state)));
  EXPECT_TRUE(divided.last_report().aligned);
  EXPECT_NEAR(state.p_WB.x(), cut.segments[Pelvis].p_WS.x(), 1e-9) << "not on the way there";
  ASSERT_TRUE(usable(divided.step(samples[30], state)));
  EXPECT_TRUE(divided.last_report().clock_gap);
}

TEST_F(DividedWalk, ASampleThatFailsLeavesTheStateAndTheNextGoesOn) {
  SegmentTracker inner(model, map, DynamicalOptions{}), other(model, map, DynamicalOptions{});
  SubsteppingTracker divided(inner, segments, 0.01, kGap), whole(other, segments, 0.01, kGap);
  State state = inner.rest_state(), kept = state;
  for (std::size_t k = 0; k < 5; ++k) {
    ASSERT_TRUE(usable(divided.step(samples[k], state)));
    ASSERT_TRUE(usable(whole.step(samples[k], kept)));
  }
  SegmentSample bad = samples[5];
  bad.segments[LeftHand].R_WS(0, 0) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(divided.step(bad, state), StepStatus::TargetNotFinite);
  expect_same(state, kept);
  EXPECT_EQ(divided.step(samples[4], state), StepStatus::TimeNotAdvancing);
  SegmentSample few = samples[5];
  few.segments.resize(3);
  EXPECT_EQ(divided.step(few, state), StepStatus::SizeMismatch);
  expect_same(state, kept);
  // as if it had never come
  ASSERT_TRUE(usable(divided.step(samples[6], state)));
  ASSERT_TRUE(usable(whole.step(samples[6], kept)));
  expect_same(state, kept);
}

TEST_F(DividedWalk, ASegmentThatComesOrGoesIsNotMadeUpInBetween) {
  SegmentTracker inner(model, map, DynamicalOptions{});
  SubsteppingTracker divided(inner, segments, 0.01, kGap);
  State state = inner.rest_state();
  for (std::size_t k = 0; k < 20; ++k) {
    SegmentSample sample = samples[k];
    sample.segments[LeftHand].has_orientation = k % 3 != 0;
    if (k % 3 == 0) sample.segments[LeftHand].R_WS.setConstant(std::numeric_limits<double>::quiet_NaN());
    ASSERT_TRUE(usable(divided.step(sample, state))) << k;
  }
}

TEST_F(DividedWalk, AllocatesNothing) {
  if (!AllocationCount::available()) GTEST_SKIP() << "the sanitizer owns malloc";
  SegmentTracker inner(model, map, DynamicalOptions{});
  SubsteppingTracker divided(inner, segments, 0.005, kGap);
  State state = inner.rest_state();
  ASSERT_TRUE(usable(divided.step(samples[0], state)));
  const AllocationCount count;
  for (std::size_t k = 1; k < samples.size(); ++k) {
    if (!usable(divided.step(samples[k], state))) break;
  }
  EXPECT_EQ(count.value(), 0);
  EXPECT_EQ(state.t, samples.back().t);
}

TEST_F(DividedWalk, RefusesAStepThatIsNone) {
  SegmentTracker inner(model, map, DynamicalOptions{});
  EXPECT_THROW(SubsteppingTracker(inner, segments, 0.0, kGap), ConfigError);
  EXPECT_THROW(SubsteppingTracker(inner, segments, std::nan(""), kGap), ConfigError);
  EXPECT_THROW(SubsteppingTracker(inner, segments, 0.01, -1.0), ConfigError);
}

}  // namespace
}  // namespace panto
