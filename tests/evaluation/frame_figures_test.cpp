#include "panto/evaluation/frame_figures.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "panto/math/so3.hpp"
#include "panto/model/human.hpp"
#include "panto/synthesis/segments.hpp"
#include "tests/support/random_model.hpp"

namespace panto {
namespace {

using enum HumanSegment::Index;

constexpr double kDegree = std::numbers::pi / 180.0;

// pelvis and head of a human, the head's position too
std::vector<TrackedPair> two_pairs(const Model& model) {
  return {{.segment = Pelvis, .link = model.link_index("Pelvis")},
          {.segment = Head, .link = model.link_index("Head"), .position = true}};
}

TEST(FrameJudge, HandComputedErrorsComeOutAsTheyAre) {
  const Model model = human66();
  const State state = rest_state(model);
  SegmentSample sample = segment_sample(model, state);
  sample.segments[Head].R_WS = so3::about_axis(1, 60.0 * kDegree) * sample.segments[Head].R_WS;
  sample.segments[Head].w_WS = {0.0, 3.0, 0.0};
  const FrameFigures figures = FrameJudge(model, two_pairs(model)).judge(sample, state, StepStatus::Solved);
  EXPECT_NEAR(*figures.mnte, 0.25, 1e-15) << "0 and 1 - cos 60 deg";
  EXPECT_NEAR(*figures.angle_mean_deg, 30.0, 1e-12);
  EXPECT_NEAR(*figures.angle_max_deg, 60.0, 1e-12);
  EXPECT_NEAR(*figures.omega_rmse_rad_s, std::sqrt(9.0 / 2.0 / 3.0), 1e-15) << "[Rapetti 2020] Eq. (15)";
}

TEST(FrameJudge, AFrameIsJudgedForItself) {
  const Model model = human66();
  const State state = rest_state(model);
  const SegmentSample exact = segment_sample(model, state);
  SegmentSample turned = exact;
  turned.segments[Pelvis].R_WS = so3::about_axis(2, 1.0);
  FrameJudge judge(model, two_pairs(model));
  EXPECT_GT(*judge.judge(turned, state, StepStatus::Solved).mnte, 0.2);
  EXPECT_EQ(*judge.judge(exact, state, StepStatus::Saturated).mnte, 0.0);
}

TEST(FrameJudge, TheMeanOfTheFramesIsTheReportCards) {
  const Model model = human66();
  ReportBuilder report(model, two_pairs(model), {.settle = 0, .expected_frames = 20});
  FrameJudge judge(model, two_pairs(model));
  test::Random random(3);
  double sum = 0.0, worst = 0.0;
  for (int k = 0; k < 20; ++k) {
    State state = rest_state(model);
    state.t = frame_time(k, 50.0);
    SegmentSample sample = segment_sample(model, state);
    for (SegmentMotion& segment : sample.segments) segment.R_WS = test::random_rotation(random);
    report.add(sample, state, {});
    const FrameFigures figures = judge.judge(sample, state, StepStatus::Solved);
    sum += *figures.mnte;
    worst = std::max(worst, *figures.angle_max_deg);
  }
  EXPECT_NEAR(sum / 20.0, *report.report().mnte_mean, 1e-14);
  EXPECT_EQ(worst, *report.report().angle_max_deg);
}

TEST(FrameJudge, WhatIsNotKnownIsAbsent) {
  const Model model = human66();
  State state = rest_state(model);
  SegmentSample sample = segment_sample(model, state);
  FrameJudge judge(model, two_pairs(model));
  for (SegmentMotion& segment : sample.segments) segment.has_angular_velocity = false;
  const FrameFigures no_rates = judge.judge(sample, state, StepStatus::Solved);
  EXPECT_TRUE(no_rates.mnte.has_value());
  EXPECT_FALSE(no_rates.omega_rmse_rad_s.has_value());
  EXPECT_FALSE(judge.judge(sample, state, StepStatus::NoTarget).mnte.has_value());
  state.s[0] = std::nan("");
  EXPECT_FALSE(judge.judge(sample, state, StepStatus::Solved).angle_max_deg.has_value());
}

TEST(FrameJudge, RefusesAPairThatTheModelHasNot) {
  const Model model = human66();
  EXPECT_THROW(FrameJudge(model, {{.segment = 0, .link = model.link_count()}}), ConfigError);
}

}  // namespace
}  // namespace panto
