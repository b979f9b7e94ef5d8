#include "panto/evaluation/report_card.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <sstream>

#include "panto/math/so3.hpp"
#include "panto/report/tables.hpp"

namespace panto {
namespace {

constexpr double kDegree = std::numbers::pi / 180.0;
constexpr Time kMillisecond = 1'000'000;

// base - hinge about z, limits +-1 rad - arm, one metre along x
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

// what the model itself says of its links, as a measurement
SegmentSample sample_of(const Model& model, const State& state) {
  Kinematics kinematics(model);
  kinematics.update_with_velocities(state);
  SegmentSample sample;
  sample.t = state.t;
  for (int link = 0; link < model.link_count(); ++link) {
    SegmentMotion segment;
    segment.R_WS = kinematics.R_WL(link);
    segment.p_WS = kinematics.p_WL(link);
    segment.w_WS = kinematics.w_WL(link);
    segment.has_orientation = segment.has_position = segment.has_angular_velocity = true;
    sample.segments.push_back(segment);
  }
  return sample;
}

State at(const Model& model, Time t, double hinge = 0.0, double rate = 0.0) {
  State state = rest_state(model);
  state.t = t;
  state.s[0] = hinge;
  state.sdot[0] = rate;
  return state;
}

std::vector<TrackedPair> both_links() {
  return {{.segment = 0, .link = 0, .position = true}, {.segment = 1, .link = 1}};
}

TEST(ReportBuilder, HandComputedErrorsComeOutAsTheyAre) {
  const Model model = pendulum();
  ReportBuilder builder(model, both_links(), {.settle = 0, .expected_frames = 2});
  const State state = at(model, 0, 0.0, 0.0);
  SegmentSample sample = sample_of(model, state);
  sample.segments[0].p_WS += Eigen::Vector3d(0.0, 0.3, 0.4);                               // 0.5 m
  sample.segments[1].R_WS = so3::about_axis(2, 90.0 * kDegree) * sample.segments[1].R_WS;  // 90 deg
  sample.segments[1].w_WS += Eigen::Vector3d(0.0, 0.0, 6.0);
  builder.add(sample, state, {.duration_ns = 2000, .allocations = 0});
  const ReportCard card = builder.report();
  EXPECT_NEAR(*card.mnte_mean, 0.5, 1e-15) << "0 and 1";
  EXPECT_NEAR(*card.angle_mean_deg, 45.0, 1e-12);
  EXPECT_NEAR(*card.angle_p99_deg, 90.0, 1e-12);
  EXPECT_NEAR(*card.angle_max_deg, 90.0, 1e-12);
  EXPECT_NEAR(*card.omega_rmse_rad_s, std::sqrt(36.0 / 2.0 / 3.0), 1e-15) << "[Rapetti 2020] Eq. (15)";
  EXPECT_NEAR(*card.position_rmse_m, 0.5, 1e-15) << "only the base follows a position";
  EXPECT_NEAR(*card.origin_mean_m, 0.25, 1e-15);
  EXPECT_NEAR(*card.origin_max_m, 0.5, 1e-15);
  EXPECT_EQ(card.step_p50_us, 2.0);
  EXPECT_EQ(card.allocations, 0);
  EXPECT_EQ(card.duration_s, 0.0);
  EXPECT_FALSE(card.rate_hz.has_value()) << "one frame has no rate";
}

TEST(ReportBuilder, TheAttachmentTurnsTheSegmentIntoTheLink) {
  const Model model = pendulum();
  const State state = at(model, 0, 0.4);
  SegmentSample sample = sample_of(model, state);
  const Eigen::Matrix3d R_SF = so3::exp({0.3, 1.0, -2.0});
  sample.segments[1].R_WS = sample.segments[1].R_WS * R_SF.transpose();
  ReportBuilder builder(model, {{.segment = 1, .link = 1, .R_SF = R_SF}});
  builder.add(sample, state, {});
  EXPECT_LT(*builder.report().angle_max_deg, 1e-6);
}

TEST(ReportBuilder, StatisticsLeaveOutTheSettlingTime) {
  const Model model = pendulum();
  ReportBuilder builder(model, both_links(), {.settle = 500 * kMillisecond, .expected_frames = 100});
  for (int i = 0; i < 100; ++i) {
    const State state = at(model, 7 + frame_time(i, 100.0));
    SegmentSample sample = sample_of(model, state);
    const double error = i < 50 ? 1.0 : 0.1;  // the frame at exactly 0.5 s after the first counts
    sample.segments[1].R_WS = so3::about_axis(2, error) * sample.segments[1].R_WS;
    builder.add(sample, state,
                {.status = i < 50 ? StepStatus::Saturated : StepStatus::Solved, .duration_ns = i});
  }
  const ReportCard card = builder.report();
  EXPECT_NEAR(*card.angle_max_deg * kDegree, 0.1, 1e-12);
  EXPECT_EQ(card.saturated_share, 0.0);
  EXPECT_NEAR(*card.step_p50_us, 74e-3, 1e-12);
  EXPECT_EQ(card.frames, 100) << "counts are over the whole run";
  EXPECT_EQ(card.status_counts[static_cast<std::size_t>(StepStatus::Saturated)], 50);
  EXPECT_NEAR(*card.rate_hz, 100.0, 1e-9);
  EXPECT_NEAR(*card.duration_s, 0.99, 1e-12);
}

TEST(ReportBuilder, AClipThatEndsBeforeItHasSettledCountsWhole) {
  const Model model = pendulum();
  ReportBuilder builder(model, both_links());
  for (int i = 0; i < 5; ++i) {
    const State state = at(model, frame_time(i, 100.0));
    SegmentSample sample = sample_of(model, state);
    sample.segments[1].R_WS = so3::about_axis(2, 1.0) * sample.segments[1].R_WS;
    builder.add(sample, state, {});
  }
  EXPECT_NEAR(*builder.report().angle_max_deg * kDegree, 1.0, 1e-12);
}

TEST(ReportBuilder, WhatIsNotKnownIsAbsentAndNeverZero) {
  const Model model = pendulum();
  ReportBuilder empty(model, both_links());
  const ReportCard nothing = empty.report();
  EXPECT_EQ(nothing.frames, 0);
  EXPECT_FALSE(nothing.rate_hz || nothing.duration_s || nothing.mnte_mean || nothing.angle_p99_deg ||
               nothing.omega_rmse_rad_s || nothing.position_rmse_m || nothing.origin_max_m ||
               nothing.saturated_share || nothing.step_p50_us || nothing.allocations ||
               nothing.jerk_rms_rad_s3 || nothing.state_hash);
  EXPECT_TRUE(nothing.fallback_counts.empty());

  ReportBuilder builder(model, both_links());
  const State state = at(model, 0);
  SegmentSample sample = sample_of(model, state);
  for (SegmentMotion& segment : sample.segments) segment.has_angular_velocity = segment.has_position = false;
  builder.add(sample, state, {});
  const ReportCard card = builder.report();
  EXPECT_TRUE(card.mnte_mean.has_value());
  EXPECT_FALSE(card.omega_rmse_rad_s || card.position_rmse_m || card.origin_mean_m || card.step_max_us);
}

TEST(ReportBuilder, AFrameWithoutAnAnswerIsCountedButNotJudged) {
  const Model model = pendulum();
  ReportBuilder builder(model, both_links(), {.settle = 0});
  const State state = at(model, 0);
  builder.add(sample_of(model, state), state, {});
  SegmentSample wrong = sample_of(model, at(model, 0, 1.0));
  wrong.t = kMillisecond;
  builder.add(wrong, state, {.status = StepStatus::TargetNotFinite});
  State broken = at(model, 2 * kMillisecond);
  broken.s[0] = std::nan("");
  wrong.t = broken.t;
  builder.add(wrong, broken, {.status = StepStatus::Solved});
  const ReportCard card = builder.report();
  EXPECT_EQ(card.frames, 3);
  EXPECT_LT(*card.angle_max_deg, 1e-9);
  EXPECT_EQ(card.status_counts[static_cast<std::size_t>(StepStatus::TargetNotFinite)], 1);
  EXPECT_EQ(card.status_counts[static_cast<std::size_t>(StepStatus::NumericalFailure)], 1)
      << "a state that is not valid was not solved, whatever its status says";
  EXPECT_EQ(card.state_hash, state_hash(state)) << "of the answered frames only";
}

TEST(ReportBuilder, CountsFallbacksByLevelAndViolationsOverTheWholeRun) {
  const Model model = pendulum();
  ReportBuilder builder(model, both_links());
  const int levels[] = {0, 0, 2, 0, 99};
  for (int i = 0; i < 5; ++i) {
    const State state = at(model, frame_time(i, 10.0), i == 0 ? 1.5 : 0.0);
    builder.add(sample_of(model, state), state, {.fallback_level = levels[i], .allocations = i});
  }
  const ReportCard card = builder.report();
  ASSERT_EQ(card.fallback_counts.size(), static_cast<std::size_t>(ReportBuilder::kFallbackLevels));
  EXPECT_EQ(card.fallback_counts[0], 3);
  EXPECT_EQ(card.fallback_counts[2], 1);
  EXPECT_EQ(card.fallback_counts.back(), 1);
  EXPECT_EQ(card.limit_violations, 1);
  EXPECT_DOUBLE_EQ(card.limit_violation_max_rad, 0.5);
  EXPECT_EQ(card.allocations, 10);
}

TEST(ReportBuilder, TheHashIsChainedInOrder) {
  const Model model = pendulum();
  ReportBuilder forward(model, {}), other(model, {});
  const State a = at(model, 1, 0.1), b = at(model, 2, 0.2), c = at(model, 2, 0.2, 0.5);
  for (const State& state : {a, b}) forward.add(sample_of(model, state), state, {});
  for (const State& state : {a, c}) other.add(sample_of(model, state), state, {});
  EXPECT_EQ(forward.report().state_hash, state_hash(b, state_hash(a)));
  EXPECT_NE(forward.report().state_hash, other.report().state_hash) << "velocities are hashed too";
}

TEST(ReportBuilder, RefusesPairsThatDoNotExistAndTakesSamplesThatAreTooShort) {
  const Model model = pendulum();
  EXPECT_THROW(ReportBuilder(model, {{.segment = 0, .link = 2}}), ConfigError);
  EXPECT_THROW(ReportBuilder(model, {{.segment = -1, .link = 0}}), ConfigError);
  EXPECT_THROW(ReportBuilder(model, {}, {.settle = -1}), ConfigError);
  ReportBuilder builder(model, {{.segment = 9, .link = 0}}, {.settle = std::numeric_limits<Time>::max()});
  const State state = at(model, 5);
  builder.add(sample_of(model, state), state, {});
  EXPECT_FALSE(builder.report().mnte_mean.has_value());
}

TEST(ReportTable, FitsEightyColumnsAndShowsWhatIsUnknownAsADash) {
  ReportCard card;
  card.frames = 123'456'789;
  card.rate_hz = 239.98001;
  card.angle_mean_deg = 1.0 / 3.0;
  card.angle_max_deg = 179.99999;
  card.mnte_mean = 1.23456e-7;
  card.step_p50_us = 2.75;
  card.saturated_share = 0.25;
  card.status_counts.fill(1'000'000);
  card.fallback_counts.assign(ReportBuilder::kFallbackLevels, 12345);
  card.state_hash = 0x0123456789abcdefULL;
  const std::string text = format_table(card);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80U) << line;
  EXPECT_NE(text.find("123456789\n"), std::string::npos);
  EXPECT_NE(text.find("0.3333           -         180  deg"), std::string::npos) << text;
  EXPECT_NE(text.find("25  %"), std::string::npos) << text;
  EXPECT_NE(text.find("0123456789abcdef"), std::string::npos);
  EXPECT_EQ(text.find("nan"), std::string::npos);
  EXPECT_NE(format_table(ReportCard{}).find("state hash                  -"), std::string::npos);
}

TEST(ReportTable, ShowsTimesInTheUnitThatTheirLargestReadsWellIn) {
  ReportCard card;
  card.step_p50_us = 2.5;
  card.step_max_us = 999.0;
  EXPECT_NE(format_table(card).find("2.5           -         999  us"), std::string::npos);
  card.step_p50_us = 12500.0;
  card.step_max_us = 80150.0;
  EXPECT_NE(format_table(card).find("12.5           -       80.15  ms"), std::string::npos);
  card.step_max_us = 2.5e6;
  EXPECT_NE(format_table(card).find("0.0125           -         2.5  s"), std::string::npos);
}

}  // namespace
}  // namespace panto
