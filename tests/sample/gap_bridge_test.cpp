#include "panto/sample/gap_bridge.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

#include "panto/math/so3.hpp"

namespace panto {
namespace {

const Eigen::Vector3d kTurn{0.3, -1.0, 2.0}, kWay{1.0, 0.2, -0.1};  // [rad/s], [m/s]

// a segment that turns and moves steadily, at 100 Hz
SegmentSample steady(int k, bool rates = true) {
  SegmentSample sample;
  sample.t = frame_time(k, 100.0);
  SegmentMotion& segment = sample.segments.emplace_back();
  segment.R_WS = so3::exp(0.01 * k * kTurn);
  segment.p_WS = 0.01 * k * kWay;
  segment.has_orientation = segment.has_position = true;
  segment.has_angular_velocity = segment.has_linear_velocity = rates;
  if (rates) {
    segment.w_WS = kTurn;
    segment.v_WS = kWay;
  }
  return sample;
}

TEST(GapBridge, LeavesWholeSamplesAsTheyAreToTheBit) {
  GapBridge bridge(1);
  for (const bool rates : {true, false}) {
    for (int k = 0; k < 20; ++k) {
      const SegmentSample sample = steady(k + (rates ? 0 : 100), rates);
      const SegmentMotion &now = bridge.fill(sample)->segments[0], &as = sample.segments[0];
      EXPECT_EQ(now.R_WS, as.R_WS);
      EXPECT_EQ(now.p_WS, as.p_WS);
      if (k > 10) {
        EXPECT_EQ(now.has_angular_velocity, rates);
        EXPECT_EQ(now.has_linear_velocity, rates);
      }
    }
    bridge.reset();
  }
}

TEST(GapBridge, ContinuesASteadyMotionForATenthOfASecondAndNoLonger) {
  for (const bool rates : {true, false}) {
    GapBridge bridge(1);
    for (int k = 0; k < 5; ++k) (void)bridge.fill(steady(k, rates));
    for (int k = 5; k < 30; ++k) {
      SegmentSample nothing = steady(k);
      nothing.segments[0] = SegmentMotion{};
      const SegmentMotion &now = bridge.fill(nothing)->segments[0], truth = steady(k).segments[0];
      EXPECT_EQ(now.has_orientation && now.has_position, k <= 14) << k << ", the last was at 40 ms";
      if (k > 14) continue;
      EXPECT_LT(so3::distance(now.R_WS, truth.R_WS), 1e-9);
      EXPECT_LT((now.p_WS - truth.p_WS).norm(), 1e-9);
      EXPECT_EQ(now.has_angular_velocity, rates);
      if (rates) {
        EXPECT_EQ(now.w_WS, kTurn);
      }
    }
  }
}

TEST(GapBridge, TakesAMissingRateFromThePosesWhereRatesAreUsual) {
  GapBridge bridge(1);
  for (int k = 0; k < 5; ++k) (void)bridge.fill(steady(k));
  const SegmentMotion& now = bridge.fill(steady(5, false))->segments[0];
  ASSERT_TRUE(now.has_angular_velocity && now.has_linear_velocity);
  EXPECT_LT((now.w_WS - kTurn).norm(), 1e-9);
  EXPECT_LT((now.v_WS - kWay).norm(), 1e-9);
}

TEST(GapBridge, ForgetsAtACut) {
  GapBridge bridge(1);
  for (int k = 0; k < 5; ++k) (void)bridge.fill(steady(k));
  SegmentSample nothing = steady(6);
  nothing.segments[0] = SegmentMotion{};
  nothing.cut = true;
  EXPECT_FALSE(bridge.fill(nothing)->segments[0].has_orientation);
}

TEST(GapBridge, RefusesAndLearnsNothingFromNumbersThatAreNone) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN(),
                   inf = std::numeric_limits<double>::infinity();
  const auto damages = std::array<void (*)(SegmentMotion&), 7>{
      [](SegmentMotion& s) { s.R_WS(1, 1) = nan; },  [](SegmentMotion& s) { s.R_WS.setZero(); },
      [](SegmentMotion& s) { s.R_WS = -s.R_WS; },    [](SegmentMotion& s) { s.p_WS.x() = 1e308; },
      [](SegmentMotion& s) { s.v_WS.y() = -1e200; }, [](SegmentMotion& s) { s.v_WS.x() = inf; },
      [](SegmentMotion& s) { s.w_WS.z() = -inf; }};
  for (const auto& damage : damages) {
    GapBridge bridge(1);
    for (int k = 0; k < 5; ++k) (void)bridge.fill(steady(k));
    SegmentSample broken = steady(5);
    damage(broken.segments[0]);
    EXPECT_EQ(bridge.fill(broken), nullptr);
    SegmentSample nothing = steady(6);
    nothing.segments[0] = SegmentMotion{};
    const SegmentMotion &now = bridge.fill(nothing)->segments[0], truth = steady(6).segments[0];
    EXPECT_LT(so3::distance(now.R_WS, truth.R_WS), 1e-9);
    EXPECT_LT((now.p_WS - truth.p_WS).norm(), 1e-9);
    EXPECT_FALSE(bridge.fill(steady(7))->cut);
    broken.t = steady(8).t;  // what is not marked as measured may be anything
    broken.segments[0].has_orientation = broken.segments[0].has_position = false;
    broken.segments[0].has_angular_velocity = broken.segments[0].has_linear_velocity = false;
    EXPECT_NE(bridge.fill(broken), nullptr);
  }
}

TEST(GapBridge, TakesNoNoticeOfStampsThatGoBack) {
  GapBridge bridge(1);
  for (int k = 0; k < 5; ++k) (void)bridge.fill(steady(k));
  SegmentSample old = steady(2);
  old.segments[0].p_WS = {100.0, 0.0, 0.0};
  (void)bridge.fill(old);
  SegmentSample nothing = steady(5);
  nothing.segments[0] = SegmentMotion{};
  EXPECT_LT((bridge.fill(nothing)->segments[0].p_WS - steady(5).segments[0].p_WS).norm(), 1e-9);
}

// a walk at 1.5 m/s, turning at 2 rad/s, of ten segments
SegmentSample walk(double seconds, bool places, double shift = 0.0, double turn = 0.0) {
  SegmentSample sample;
  sample.t = from_seconds(seconds);
  sample.segments.resize(10);
  for (SegmentMotion& segment : sample.segments) {
    segment.has_orientation = true;
    segment.has_position = places;
    segment.R_WS = so3::exp({0.0, 0.0, 2.0 * seconds + turn});
    segment.p_WS = {1.5 * seconds + shift, 0.0, 1.0};
  }
  return sample;
}

TEST(GapBridge, SaysCutWhereAPersonIsElsewhereFromOneSampleToTheNext) {
  for (const double rate : {20.0, 60.0, 240.0}) {
    for (const bool places : {true, false}) {
      GapBridge bridge(10);
      for (int k = 0; k < 40; ++k) EXPECT_FALSE(bridge.fill(walk(k / rate, places))->cut) << "a walk is none";
      EXPECT_TRUE(bridge.fill(walk(40 / rate, places, -3.6, 3.0))->cut) << rate << " Hz";
      EXPECT_FALSE(bridge.fill(walk(41 / rate, places, -3.6, 3.0))->cut) << "once";
    }
  }
}

TEST(GapBridge, TakesFastLimbsAndSingleFaultsForNoCut) {
  GapBridge bridge(10);
  for (int k = 0; k < 100; ++k) {
    SegmentSample sample = walk(k / 60.0, true);
    sample.segments[3].p_WS.x() += k % 2 * 5.0;              // one tracker that jumps to and fro
    sample.segments[4].p_WS.y() += 0.9 * std::sin(0.3 * k);  // a fist at 16 m/s
    EXPECT_FALSE(bridge.fill(sample)->cut) << k;
  }
}

}  // namespace
}  // namespace panto
