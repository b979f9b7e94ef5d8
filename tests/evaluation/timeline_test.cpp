#include "panto/evaluation/timeline.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "panto/math/so3.hpp"

namespace panto {
namespace {

constexpr double kDegree = std::numbers::pi / 180.0;
constexpr Time kSecond = 1'000'000'000;

// base - hinge about z within +-1 rad, one metre along x - arm
Model pendulum() {
  ModelSpec spec;
  spec.name = "pendulum";
  spec.links.resize(2);
  spec.links[0].name = "base";
  spec.links[1].name = "arm";
  spec.joints.resize(1);
  spec.joints[0] = {.name = "hinge", .type = JointType::Revolute, .parent = "base", .child = "arm"};
  spec.joints[0].axis = Eigen::Vector3d::UnitZ();
  spec.joints[0].p_PJ = {1.0, 0.0, 0.0};
  spec.joints[0].lower = -1.0;
  spec.joints[0].upper = 1.0;
  return Model(std::move(spec));
}

std::vector<TrackedPair> both_links() { return {{.segment = 0, .link = 0}, {.segment = 1, .link = 1}}; }

class TimelineTest : public ::testing::Test {
 protected:
  // one frame at `t`: the arm's error [deg], the hinge and its rate
  void add(TimelineBuilder& builder, Time t, double error_deg = 0.0, double hinge = 0.0, double rate = 0.0,
           const StepRecord& step = {}) const {
    State state = rest_state(model_);
    state.t = t;
    state.s[0] = hinge;
    state.sdot[0] = rate;
    Kinematics kinematics(model_);
    kinematics.update(state);
    SegmentSample sample;
    sample.t = t;
    for (int link = 0; link < 2; ++link) {
      SegmentMotion segment;
      segment.R_WS = kinematics.R_WL(link);
      segment.p_WS = kinematics.p_WL(link);
      segment.has_orientation = segment.has_position = true;
      sample.segments.push_back(segment);
    }
    sample.segments[1].R_WS = so3::about_axis(2, error_deg * kDegree) * sample.segments[1].R_WS;
    builder.add(sample, state, step);
  }

  [[nodiscard]] std::vector<Moment> moments_of(const Timeline& timeline, MomentKind kind) const {
    std::vector<Moment> found;
    for (const Moment& moment : timeline.moments) {
      if (moment.kind == kind) found.push_back(moment);
    }
    return found;
  }

  Model model_ = pendulum();
};

TEST_F(TimelineTest, ARunWithoutFramesIsEmpty) {
  const Timeline timeline = TimelineBuilder(model_, both_links()).timeline();
  EXPECT_EQ(timeline.frames, 0);
  EXPECT_TRUE(timeline.shown.empty());
  EXPECT_TRUE(timeline.moments.empty());
  ASSERT_EQ(timeline.pairs.size(), 2u);
  EXPECT_FALSE(timeline.pairs[0].mean.has_value()) << "what is not known is absent, never zero";
}

TEST_F(TimelineTest, OneFrameIsShownAndJudgedAlthoughItSettles) {
  TimelineBuilder builder(model_, both_links());
  add(builder, 3 * kSecond, 2.0, 0.5, -4.0, {.duration_ns = 1500});
  const Timeline timeline = builder.timeline();
  ASSERT_EQ(timeline.shown.size(), 1u);
  EXPECT_EQ(timeline.settled_from, 3 * kSecond) << "no frame is later than the settling time: all count";
  const TimelineFrame& frame = timeline.shown[0];
  EXPECT_NEAR(frame.angle_error[0], 0.0, 1e-7);
  EXPECT_NEAR(frame.angle_error[1], 2.0 * kDegree, 1e-7);
  EXPECT_FLOAT_EQ(frame.s[0], 0.5F);
  EXPECT_FLOAT_EQ(frame.joint_speed, 4.0F);
  EXPECT_EQ(frame.fastest_joint, 0);
  EXPECT_FLOAT_EQ(frame.turn_speed, 4.0F);
  EXPECT_EQ(frame.fastest_turn, 1) << "the arm turns, the base does not";
  EXPECT_FLOAT_EQ(frame.step_us, 1.5F);
  EXPECT_EQ(frame.on_limit[0], 0);
  EXPECT_FLOAT_EQ(frame.source[1].x(), 1.0F) << "where the source has the arm";
  EXPECT_NEAR(*timeline.pairs[1].max, 2.0 * kDegree, 1e-12);
}

TEST_F(TimelineTest, TheWorstMomentsAreApartAndTheWorstFirst) {
  TimelineBuilder builder(model_, both_links(), {.rate_hz = 60.0});
  for (int i = 0; i < 600; ++i) {
    double error = 0.1;
    if (i == 10) error = 9.0;              // settles
    if (i == 300) error = 5.0;             // 5 s
    if (i >= 301 && i < 305) error = 4.9;  // the same moment
    if (i == 480) error = 6.0;             // 8 s
    add(builder, frame_time(i, 60.0), error);
  }
  const std::vector<Moment> worst = moments_of(builder.timeline(), MomentKind::OrientationError);
  ASSERT_GE(worst.size(), 3u);
  EXPECT_EQ(worst[0].t, frame_time(480, 60.0));
  EXPECT_NEAR(worst[0].value, 6.0 * kDegree, 1e-9);
  EXPECT_EQ(worst[0].item, 1);
  EXPECT_EQ(worst[1].t, frame_time(300, 60.0));
  EXPECT_NEAR(worst[2].value, 0.1 * kDegree, 1e-9) << "neighbours of a moment are no moments of their own";
}

TEST_F(TimelineTest, MeansAndPeaksAgreeWithTheReportCard) {
  TimelineBuilder builder(model_, both_links(), {.rate_hz = 100.0});
  ReportBuilder card(model_, both_links());
  for (int i = 0; i < 200; ++i) {
    State state = rest_state(model_);
    state.t = frame_time(i, 100.0);
    SegmentSample sample{state.t, std::vector<SegmentMotion>(2)};
    const double error = 0.01 * i;
    sample.segments[1].R_WS = so3::about_axis(0, error * kDegree);
    sample.segments[0].has_orientation = sample.segments[1].has_orientation = true;
    builder.add(sample, state, {});
    card.add(sample, state, {});
  }
  const Timeline timeline = builder.timeline();
  EXPECT_NEAR(*timeline.pairs[1].max / kDegree, *card.report().angle_max_deg, 1e-9);
  EXPECT_NEAR((*timeline.pairs[0].mean + *timeline.pairs[1].mean) / 2.0 / kDegree,
              *card.report().angle_mean_deg, 1e-9);
  EXPECT_NEAR(moments_of(timeline, MomentKind::OrientationError).at(0).value / kDegree,
              *card.report().angle_max_deg, 1e-9);
}

TEST_F(TimelineTest, FastRecordingsAreThinnedAndKeepTheirPeaks) {
  TimelineBuilder builder(model_, both_links(), {.rate_hz = 240.0});
  for (int i = 0; i < 240; ++i)
    add(builder, frame_time(i, 240.0), i == 131 ? 7.0 : 0.0, i == 130 ? 1.0 : 0.0, i == 129 ? 8.0 : 1.0,
        {.duration_ns = i == 131 ? 90'000 : 5'000});
  const Timeline timeline = builder.timeline();
  EXPECT_EQ(timeline.stride, 4) << "240 Hz is shown at 60 Hz";
  ASSERT_EQ(timeline.shown.size(), 60u);
  EXPECT_EQ(timeline.frames, 240);
  const TimelineFrame& frame = timeline.shown[32];  // frames 128 .. 131
  EXPECT_EQ(frame.t, frame_time(128, 240.0));
  EXPECT_NEAR(frame.angle_error[1], 7.0 * kDegree, 1e-6);
  EXPECT_EQ(frame.on_limit[0], 1);
  EXPECT_FLOAT_EQ(frame.joint_speed, 8.0F);
  EXPECT_FLOAT_EQ(frame.step_us, 90.0F);
  EXPECT_FLOAT_EQ(frame.s[0], 0.0F) << "the pose is that of the shown frame";
}

TEST_F(TimelineTest, LongRecordingsStayWithinTheirBoundAndKeepTheirPeaks) {
  TimelineBuilder builder(model_, both_links(), {.rate_hz = 60.0, .shown_max = 7});
  for (int i = 0; i < 1000; ++i) add(builder, frame_time(i, 60.0), i == 777 ? 3.0 : 0.5);
  const Timeline timeline = builder.timeline();
  ASSERT_LE(timeline.shown.size(), 7u);
  ASSERT_GE(timeline.shown.size(), 4u) << "never more than half is given up at once";
  float most = 0.0F;
  for (std::size_t i = 0; i < timeline.shown.size(); ++i) {
    const TimelineFrame& frame = timeline.shown[i];
    EXPECT_EQ(frame.t, frame_time(static_cast<std::int64_t>(i) * timeline.stride, 60.0)) << "an even grid";
    most = std::max(most, frame.angle_error[1]);
    if (frame.angle_error[1] > 2.0 * kDegree) {
      EXPECT_EQ(i, std::size_t{777} / static_cast<std::size_t>(timeline.stride));
    }
  }
  EXPECT_NEAR(most, 3.0 * kDegree, 1e-6);
}

TEST_F(TimelineTest, MarksJointsOnAndOutsideTheirLimits) {
  TimelineBuilder builder(model_, both_links(), {.settle = 0});
  add(builder, 0, 0.0, 0.999);
  add(builder, kSecond, 0.0, 1.0);
  add(builder, 2 * kSecond, 0.0, -1.2);
  const Timeline timeline = builder.timeline();
  EXPECT_EQ(timeline.shown[0].on_limit[0], 0);
  EXPECT_EQ(timeline.shown[1].on_limit[0], 1);
  EXPECT_EQ(timeline.shown[2].on_limit[0], 1);
  const std::vector<Moment> outside = moments_of(timeline, MomentKind::LimitViolation);
  ASSERT_EQ(outside.size(), 1u) << "on the limit is not outside";
  EXPECT_NEAR(outside[0].value, 0.2, 1e-12);
  EXPECT_EQ(outside[0].t, 2 * kSecond);
}

TEST_F(TimelineTest, AViolationDuringSettlingIsListedAsTheCardCountsIt) {
  TimelineBuilder builder(model_, both_links());
  add(builder, 0, 0.0, 1.5);
  for (int i = 1; i < 100; ++i) add(builder, frame_time(i, 60.0));
  EXPECT_EQ(moments_of(builder.timeline(), MomentKind::LimitViolation).size(), 1u);
}

TEST_F(TimelineTest, FramesWithoutAnAnswerShowNoErrorsAndAreListedAsRuns) {
  TimelineBuilder builder(model_, both_links());
  for (int i = 0; i < 100; ++i) {
    const bool lost = i >= 40 && i < 47;
    add(builder, frame_time(i, 60.0), 1.0, 0.0, 0.0,
        {.status = lost ? StepStatus::TargetNotFinite : StepStatus::Solved});
  }
  const Timeline timeline = builder.timeline();
  EXPECT_TRUE(std::isnan(timeline.shown[42].angle_error[1]));
  EXPECT_TRUE(std::isnan(timeline.shown[42].joint_speed));
  EXPECT_EQ(timeline.shown[42].status, StepStatus::TargetNotFinite);
  const std::vector<Moment> lost = moments_of(timeline, MomentKind::NoAnswer);
  ASSERT_EQ(lost.size(), 1u);
  EXPECT_EQ(lost[0].value, 7.0);
  EXPECT_EQ(lost[0].t, frame_time(40, 60.0));
  EXPECT_EQ(lost[0].item, static_cast<int>(StepStatus::TargetNotFinite));
}

TEST_F(TimelineTest, RunsBeyondTheThousandthAreForgottenNotAddedToIt) {
  TimelineBuilder builder(model_, both_links());
  const StepRecord lost{.status = StepStatus::NoTarget};
  // 1000 losses of one frame each, then a long one that nobody remembers
  for (int i = 0; i < 2000; ++i)
    add(builder, frame_time(i, 60.0), 0.0, 0.0, 0.0, i % 2 == 0 ? lost : StepRecord{});
  for (int i = 2000; i < 2500; ++i) add(builder, frame_time(i, 60.0), 0.0, 0.0, 0.0, lost);
  for (const Moment& moment : moments_of(builder.timeline(), MomentKind::NoAnswer))
    EXPECT_EQ(moment.value, 1.0) << "at " << to_seconds(moment.t);
}

TEST_F(TimelineTest, NumbersThatAreNotFiniteAreUnknownAndHarmNoOthers) {
  TimelineBuilder builder(model_, both_links(), {.settle = 0});
  const double nan = std::numeric_limits<double>::quiet_NaN();
  State state = rest_state(model_);
  state.s[0] = nan;
  SegmentSample sample{0, std::vector<SegmentMotion>(2)};
  sample.segments[1].p_WS.setConstant(nan);
  sample.segments[1].R_WS.setConstant(nan);
  sample.segments[1].has_orientation = sample.segments[1].has_position = true;
  builder.add(sample, state, {});  // a state that is not valid counts as a failure
  state.s[0] = 0.1;
  state.t = sample.t = kSecond;
  builder.add(sample, state, {});
  const Timeline timeline = builder.timeline();
  EXPECT_EQ(timeline.shown[0].status, StepStatus::NumericalFailure);
  EXPECT_TRUE(std::isnan(timeline.shown[1].angle_error[1]));
  EXPECT_TRUE(std::isnan(timeline.shown[1].source[1].x()));
  EXPECT_FLOAT_EQ(timeline.shown[1].s[0], 0.1F);
  EXPECT_TRUE(moments_of(timeline, MomentKind::OrientationError).empty());
  EXPECT_FALSE(timeline.pairs[1].mean.has_value());
}

TEST_F(TimelineTest, StampsOfADamagedFileDoNoHarm) {
  TimelineBuilder builder(model_, both_links());
  add(builder, std::numeric_limits<Time>::min(), 1.0);
  add(builder, std::numeric_limits<Time>::max(), 2.0);
  add(builder, 0, 3.0);
  EXPECT_EQ(builder.timeline().shown.size(), 3u);
}

TEST_F(TimelineTest, RefusesPairsAndOptionsThatDoNotFit) {
  EXPECT_THROW(TimelineBuilder(model_, {{.segment = 0, .link = 2}}), ConfigError);
  EXPECT_THROW(TimelineBuilder(model_, {{.segment = -1, .link = 0}}), ConfigError);
  EXPECT_THROW(TimelineBuilder(model_, both_links(), {.settle = -1}), ConfigError);
  EXPECT_THROW(TimelineBuilder(model_, both_links(), {.shown_rate_hz = 0.0}), ConfigError);
  EXPECT_THROW(TimelineBuilder(model_, both_links(), {.shown_max = 1}), ConfigError);
  EXPECT_THROW(TimelineBuilder(model_, both_links(), {.apart = 0}), ConfigError);
}

}  // namespace
}  // namespace panto
