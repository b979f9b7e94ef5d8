#include "panto/evaluation/robot_figures.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <numbers>

#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/model/human.hpp"
#include "panto/report/json.hpp"
#include "panto/report/table_text.hpp"
#include "panto/report/tables.hpp"
#include "panto/tracking/segment_tracker.hpp"
#include "tests/support/foot_tracks.hpp"
#include "tests/support/test_data.hpp"

namespace panto {
namespace {

using enum HumanSegment::Index;

using Eigen::Vector3d;

/// A foot under a base, and two arms that slide apart: enough to know every figure beforehand.
Model toy() {
  ModelSpec spec;
  spec.name = "toy";
  for (const char* link : {"base", "foot", "left", "right"}) {
    spec.links.emplace_back();
    spec.links.back().name = link;
  }
  spec.joints.resize(3);
  spec.joints[0] = {.name = "ankle", .type = JointType::Revolute, .parent = "base", .child = "foot"};
  spec.joints[0].axis = Vector3d::UnitY();
  spec.joints[0].lower = -1.0;
  spec.joints[0].upper = 1.0;
  spec.joints[0].velocity = 5.0;
  spec.joints[1] = {.name = "left", .type = JointType::Prismatic, .parent = "base", .child = "left"};
  spec.joints[1].axis = Vector3d::UnitY();
  spec.joints[2] = {.name = "right", .type = JointType::Prismatic, .parent = "base", .child = "right"};
  spec.joints[2].axis = -Vector3d::UnitY();
  spec.rows.push_back({"arms", {{"left", 1.0}, {"right", 1.0}}, 0.0, 1.0});
  return Model(std::move(spec));
}

class Toy : public testing::Test {
 protected:
  Model model = toy();
  RobotParts parts;
  RobotFiguresOptions options;
  static constexpr double kRate = 100.0;

  void SetUp() override {
    parts.feet = {{"foot", 1, {Vector3d(-0.1, 0.0, -0.05), Vector3d(0.1, 0.0, -0.05)}}};
    parts.hands = {{2, Vector3d::Zero()}, {3, Vector3d::Zero()}};
    options.settle = 0;
  }
  /// Sole on z = 0 at `x`.
  [[nodiscard]] State at_frame(int k, double x = 0.0, double z = 0.05) const {
    State state = rest_state(model);
    state.t = frame_time(k, kRate);
    state.p_WB = Vector3d(x, 0.0, z);
    return state;
  }
};

TEST_F(Toy, SkateIsTheSpeedOfSolesThatStand) {
  RobotFiguresBuilder builder(model, parts, options);
  // stands for 50 frames while it slides at 20 mm/s, but for five frames at 100 mm/s; then swings at 3 m/s
  double x = 0.0;
  for (int k = 0; k < 100; ++k) {
    const double speed = k >= 50 ? 3.0 : k >= 20 && k < 25 ? 0.1 : 0.02;
    x += speed / kRate;
    builder.add(at_frame(k, x), {{{k < 50, k < 50}}, {}});
  }
  const RobotFigures figures = builder.report();
  EXPECT_NEAR(*figures.foot_skate_median_mm_s, 20.0, 1e-6);
  EXPECT_NEAR(*figures.foot_skate_p95_mm_s, 100.0, 1e-6);
  EXPECT_NEAR(*figures.foot_skate_max_mm_s, 100.0, 1e-6) << "the swing does not count";
  EXPECT_EQ(figures.stance_share, 0.5);
  EXPECT_EQ(figures.frames, 100);
}

TEST_F(Toy, FramesWithSolesNearTheFloorCountAsUnplantedWhereNoFootStands) {
  for (const bool stands : {false, true}) {
    RobotFiguresBuilder builder(model, parts, options);
    // 10 mm over the floor for 60 of 100 frames, then 30 mm
    for (int k = 0; k < 100; ++k) {
      const bool down = stands && k < 20;
      builder.add(at_frame(k, 0.0, k < 60 ? 0.06 : 0.08), {{{down, down}}, {}});
    }
    const RobotFigures figures = builder.report();
    EXPECT_EQ(figures.foot_near_floor_share, 0.6);
    EXPECT_EQ(figures.foot_unplanted_share, stands ? 0.4 : 0.6);
  }
  RobotFiguresBuilder lying(model, parts, options);
  // for 40 of 100 frames the base is at a third of its usual height
  for (int k = 0; k < 100; ++k) lying.add(at_frame(k, 0.0, k < 40 ? 0.06 : 0.18), {{{false, false}}, {}});
  EXPECT_EQ(lying.report().foot_unplanted_share, 0.0) << "who lies need not stand";
  RobotFiguresBuilder unknown(model, parts, options);
  for (int k = 0; k < 100; ++k) unknown.add(at_frame(k));
  EXPECT_FALSE(unknown.report().foot_unplanted_share) << "no contacts were given";
}

TEST_F(Toy, ARollingFootSkatesOnlyInStance) {
  RobotFiguresBuilder builder(model, parts, options);
  // it turns about the ball: the heel moves, the ball does not
  for (int k = 0; k < 50; ++k) {
    State state = at_frame(k);
    const double angle = 0.4 * k / 50.0;
    state.s[0] = angle;
    const Vector3d ball(0.1, 0.0, -0.05);
    const Eigen::Matrix3d R = Eigen::AngleAxisd(angle, Vector3d::UnitY()).toRotationMatrix();
    state.p_WB = Vector3d(0.1, 0.0, 0.0) - R * ball;
    builder.add(state, {{{false, true}}, {}});
  }
  EXPECT_LT(*builder.report().foot_skate_max_mm_s, 1e-9);
  EXPECT_LT(*builder.report().foot_penetration_max_mm, 1e-6) << "the heel rises";
}

TEST_F(Toy, PenetrationIsTheDepthUnderTheFloor) {
  options.ground = 1.0;
  RobotFiguresBuilder builder(model, parts, options);
  for (int k = 0; k < 40; ++k)
    builder.add(at_frame(k, 0.0, 1.05 - (k < 10 ? 0.004 : k < 20 ? 0.002 : -0.03)), {{{k < 20, false}}, {}});
  const RobotFigures figures = builder.report();
  EXPECT_NEAR(*figures.foot_penetration_max_mm, 4.0, 1e-9);
  EXPECT_NEAR(*figures.foot_penetration_mean_mm, 3.0, 1e-9);
  EXPECT_EQ(figures.foot_penetration_share, 0.5);
  EXPECT_NEAR(*figures.foot_float_median_mm, -4.0, 1e-9);
  EXPECT_NEAR(*figures.foot_float_max_mm, -2.0, 1e-9) << "only where it stands";
}

TEST_F(Toy, HandsAreJudgedByTheDistanceTheyShouldHave) {
  RobotFiguresBuilder builder(model, parts, options);
  for (int k = 0; k < 10; ++k) {
    State state = at_frame(k);
    state.s[1] = 0.3;
    state.s[2] = 0.2;  // 0.5 m apart
    builder.add(state, {{}, k == 0 ? 0.1 : 0.48});
  }
  const RobotFigures figures = builder.report();
  EXPECT_NEAR(*figures.hand_distance_error_mean_mm, (400.0 + 9 * 20.0) / 10.0, 1e-9);
  EXPECT_NEAR(*figures.hand_distance_error_max_mm, 400.0, 1e-9);
  EXPECT_NEAR(*figures.hand_distance_close_max_mm, 400.0, 1e-9) << "0.1 m is meant to touch";
  EXPECT_FALSE(figures.foot_skate_median_mm_s.has_value()) << "no contacts were given";
  EXPECT_FALSE(figures.stance_share.has_value());
}

TEST_F(Toy, HandsOnTheBodyAreJudgedByTheDistanceFromTheirPlaceOnIt) {
  parts.wrists = parts.hands;
  // from one hand to the other: in its middle each is 0.25 m away
  parts.lines = {{"trunk", parts.hands[0], parts.hands[1]}, {"head", parts.hands[0], parts.hands[1]}};
  RobotFiguresBuilder builder(model, parts, options);
  for (int k = 0; k < 10; ++k) {
    State state = at_frame(k);
    state.s[1] = 0.3;
    state.s[2] = 0.2;  // 0.5 m apart
    RobotFrame frame;
    frame.touches = {{0, 0, 0.5, 0.25}, {1, 0, 0.5, k == 0 ? 0.35 : 0.25}};
    if (k == 1) frame.touches.push_back({1, 0, 0.0, 0.1});
    builder.add(state, frame);
  }
  const RobotFigures figures = builder.report();
  EXPECT_EQ(figures.hand_body_frames, 21);
  EXPECT_NEAR(*figures.hand_body_error_max_mm, 400.0, 1e-9);
  EXPECT_NEAR(*figures.hand_body_error_mean_mm, 500.0 / 21.0, 1e-9);
  ASSERT_EQ(figures.hand_body.size(), 1U) << "nothing touched the head";
  EXPECT_EQ(figures.hand_body[0].name, "trunk");
  EXPECT_EQ(figures.hand_body[0].frames, 21);
  EXPECT_NEAR(figures.hand_body[0].max_mm, 400.0, 1e-9);
  EXPECT_NE(format_table(figures, model).find("hands on the body, error"), std::string::npos);
  parts.lines[0].to.link = 99;
  EXPECT_THROW(RobotFiguresBuilder(model, parts, options), ModelError);
}

TEST_F(Toy, AccelerationAndJerkAreThoseOfASine) {
  RobotFiguresBuilder builder(model, parts, options);
  const double w = 2.0 * std::numbers::pi, amplitude = 0.5;
  for (int k = 0; k < 200; ++k) {
    State state = at_frame(k);
    state.s[0] = amplitude * std::sin(w * k / kRate);
    builder.add(state, {{{k >= 25 && k < 30, false}}, {}});
  }
  const RobotFigures figures = builder.report();
  EXPECT_NEAR(*figures.joint_acceleration_max_rad_s2, amplitude * w * w, 0.01 * amplitude * w * w);
  EXPECT_NEAR(*figures.jerk_rms_rad_s3, amplitude * w * w * w / std::sqrt(2.0), 0.02 * amplitude * w * w * w);
  EXPECT_NEAR(figures.jerk_max_rad_s3.value(), amplitude * w * w * w, 0.02 * amplitude * w * w * w);
  // it comes down at a quarter period, where the acceleration is largest
  EXPECT_NEAR(*figures.touch_down_acceleration_max_rad_s2, *figures.joint_acceleration_max_rad_s2, 1e-9);
}

TEST_F(Toy, TouchDownsLookAroundThemselvesOnly) {
  RobotFiguresBuilder builder(model, parts, options);
  for (int k = 0; k < 200; ++k) {
    State state = at_frame(k);
    state.s[0] = (k >= 150 ? 0.1 : 0.0) + (k >= 50 ? 0.01 : 0.0);  // kicks of 0.1 / dt^2 and 0.01 / dt^2
    builder.add(state, {{{k >= 55 && k < 80, false}}, {}});
  }
  const RobotFigures figures = builder.report();
  EXPECT_NEAR(*figures.joint_acceleration_max_rad_s2, 0.1 * kRate * kRate, 1e-6);
  EXPECT_NEAR(*figures.touch_down_acceleration_max_rad_s2, 0.01 * kRate * kRate, 1e-6);
}

TEST_F(Toy, EveryLimitIsCounted) {
  RobotFiguresBuilder builder(model, parts, options);
  for (int k = 0; k < 10; ++k) {
    State state = at_frame(k);
    if (k == 2) state.s[0] = 0.06;    // 6 rad/s from the frame before, and back
    if (k == 5) state.sdot[0] = 7.0;  // says so itself
    if (k == 7) state.s[1] = 1.25;    // the row allows 1
    if (k >= 8) state.s[0] = k == 8 ? 0.04 : 0.08;
    builder.add(state);
  }
  State outside = at_frame(20);
  outside.s[0] = 1.001;
  builder.add(outside);
  State on = at_frame(60);
  on.s[0] = 1.0 - 1e-7;
  builder.add(on);
  const RobotFigures figures = builder.report();
  EXPECT_EQ(figures.limit_violations, 1);
  EXPECT_NEAR(figures.limit_violation_max_rad, 0.001, 1e-12);
  EXPECT_EQ(figures.velocity_violations, 4) << "there and back, said, and 0.92 rad in 0.11 s";
  EXPECT_NEAR(figures.velocity_violation_max_rad_s, 0.921 / 0.11 - 5.0, 1e-6);
  EXPECT_EQ(figures.row_violations, 1);
  EXPECT_NEAR(figures.row_violation_max, 0.25, 1e-12);
  // frames 2, 3, 5, 20 and 60
  EXPECT_NEAR(*figures.on_limit_share, 5.0 / 12.0, 1e-12);
  EXPECT_NEAR(figures.joint_on_limit_share[0], 5.0 / 12.0, 1e-12);
  EXPECT_EQ(figures.joint_on_limit_share[1], 0.0) << "sliders without limits are on none";
}

TEST_F(Toy, StampsThatAreRoundedToTheNanosecondBreakNoSpeedLimit) {
  RobotFiguresBuilder builder(model, parts, options);
  for (int k = 0; k < 20; ++k) {
    State state = at_frame(0);
    state.t = frame_time(k, 120.0);
    state.s[0] = 5.0 * (k - 10) / 120.0;  // at its limit
    builder.add(state);
  }
  EXPECT_EQ(builder.report().velocity_violations, 0) << "0.3 ns off, 1e-7 rad/s";
}

TEST_F(Toy, AGivenSpeedLimitHoldsWhereTheModelHasNone) {
  options.speed_limit = 1.0;
  RobotFiguresBuilder builder(model, parts, options);
  builder.add(at_frame(0));
  State state = at_frame(1);
  state.s[1] = 0.02;  // 2 m/s
  builder.add(state);
  EXPECT_EQ(builder.report().velocity_violations, 1);
}

TEST_F(Toy, OverlapsAreCountedByPair) {
  parts.body.capsules = {{"Left", {2, Vector3d::Zero()}, {2, Vector3d(0.3, 0.0, 0.0)}, 0.04},
                         {"Right", {3, Vector3d::Zero()}, {3, Vector3d(0.3, 0.0, 0.0)}, 0.05},
                         {"Foot", {1, Vector3d::Zero()}, {1, Vector3d::Zero()}, 0.01}};
  parts.body.pairs = {{0, 1}};
  RobotFiguresBuilder builder(model, parts, options);
  for (int k = 0; k < 10; ++k) {
    State state = at_frame(k);
    state.s[1] = 0.02 * k;  // 9 cm are needed
    builder.add(state);
  }
  const RobotFigures figures = builder.report();
  ASSERT_EQ(figures.overlaps.size(), 1U);
  EXPECT_EQ(figures.overlaps[0].name, "Left - Right");
  EXPECT_EQ(figures.overlaps[0].frames, 5) << "0, 2, 4, 6 and 8 cm apart";
  EXPECT_NEAR(figures.overlap_max_mm, 90.0, 1e-9);
  EXPECT_EQ(figures.overlap_share, 0.5);
}

TEST_F(Toy, NothingIsDifferencedAcrossAnInterruption) {
  RobotFiguresBuilder builder(model, parts, options);
  for (int k = 0; k < 20; ++k) {
    if (k == 10) builder.interrupt();
    State state = at_frame(k, k < 10 ? 0.0 : 9.0);
    state.s[0] = k < 10 ? 0.0 : 0.9;
    builder.add(state, {{{true, true}}, {}});
  }
  State broken = at_frame(20, 50.0);
  broken.s[0] = std::nan("");
  builder.add(broken, {{{true, true}}, {}});
  builder.add(at_frame(21, 70.0), {{{true, true}}, {}});
  const RobotFigures figures = builder.report();
  EXPECT_EQ(figures.foot_skate_max_mm_s, 0.0);
  EXPECT_EQ(figures.velocity_violations, 0);
  EXPECT_EQ(figures.joint_acceleration_max_rad_s2, 0.0);
  EXPECT_EQ(figures.frames, 21) << "the broken one is none";
}

TEST_F(Toy, SettlingIsLeftOutOfStatisticsButNotOfLimits) {
  options.settle = 500'000'000;
  RobotFiguresBuilder builder(model, parts, options);
  for (int k = 0; k < 100; ++k) {
    State state = at_frame(k, k < 40 ? 0.1 * k : 4.0);
    state.s[0] = k == 3 ? 1.5 : 0.0;
    builder.add(state, {{{true, true}}, {}});
    if (k == 20) {
      EXPECT_GT(*builder.report().foot_skate_max_mm_s, 1000.0) << "nothing has settled yet";
    }
  }
  EXPECT_EQ(builder.report().foot_skate_max_mm_s, 0.0);
  EXPECT_EQ(builder.report().limit_violations, 1);
}

TEST_F(Toy, KeysOfJsonAndOfTheListAreTheSameAndStable) {
  RobotFiguresBuilder builder(model, parts, options);
  const std::vector<ReportValue> empty = report::values_of(report::figures_json(builder.report(), model));
  EXPECT_EQ(empty[0].key, "frames");
  EXPECT_EQ(empty[0].number, 0.0);
  EXPECT_EQ(empty[1].key, "base_speed_excess_p99_m_s");
  EXPECT_FALSE(empty[1].number || empty[1].text);
  for (int k = 0; k < 10; ++k) {
    State state = at_frame(k, 0.001 * k);
    state.s[0] = 1.0;
    builder.add(state, {{{true, true}}, 0.2});
  }
  const RobotFigures figures = builder.report();
  const std::vector<ReportValue> listed = report::values_of(report::figures_json(figures, model));
  const auto find = [&](const std::string& key) -> const ReportValue& {
    for (const ReportValue& value : listed)
      if (value.key == key) return value;
    throw ConfigError("no key " + key);
  };
  for (const ReportValue& value : report_values(figures)) {
    EXPECT_EQ(find(value.key).number.has_value(), value.number.has_value()) << value.key;
    if (value.number) {
      EXPECT_NEAR(*find(value.key).number, *value.number, 1e-12) << value.key;
    }
  }
  EXPECT_EQ(find("joints_on_limit.ankle").number, 1.0);
  EXPECT_NEAR(*find("foot_skate_median_mm_s").number, 100.0, 1e-6);
}

TEST_F(Toy, TheTableNamesJointsAndPairsAndFitsAScreen) {
  parts.body.capsules = {{"Left", {2, Vector3d::Zero()}, {2, Vector3d(0.3, 0.0, 0.0)}, 0.04},
                         {"Right", {3, Vector3d::Zero()}, {3, Vector3d(0.3, 0.0, 0.0)}, 0.05}};
  parts.body.pairs = {{0, 1}};
  RobotFiguresBuilder builder(model, parts, options);
  State state = at_frame(0);
  state.s[0] = 1.0;
  builder.add(state);
  const std::string table = format_table(builder.report(), model);
  for (const std::string& line :
       {table::row("  ankle", {"100"}, "%"), table::row("  Left - Right", {"1", "90"}, "frames, mm"),
        table::row("foot skate in stance", {"-", "-", "-"}, "mm/s")})
    EXPECT_NE(table.find(line), std::string::npos) << line << "in\n" << table;
  for (std::size_t from = 0, to = 0; (to = table.find('\n', from)) != std::string::npos; from = to + 1)
    EXPECT_LE(to - from, 80U);
}

TEST_F(Toy, RefusesPartsAndOptionsThatMakeNoSense) {
  RobotParts wrong = parts;
  wrong.feet[0].link = 9;
  EXPECT_THROW(RobotFiguresBuilder(model, wrong, options), ModelError);
  wrong = parts;
  wrong.hands.pop_back();
  EXPECT_THROW(RobotFiguresBuilder(model, wrong, options), ConfigError);
  wrong = parts;
  wrong.body.pairs = {{0, 1}};
  EXPECT_THROW(RobotFiguresBuilder(model, wrong, options), ConfigError);
  options.settle = -1;
  EXPECT_THROW(RobotFiguresBuilder(model, parts, options), ConfigError);
}

TEST(RobotFiguresOfARecording, AWalkThatWasTrackedAsItIsSlidesALittle) {
  PANTO_NEED_DATA("bvh/cmu/007_01.bvh");
  const test::Walker walker = test::recorded_walker(test::data_file("bvh/cmu/007_01.bvh"));
  const Model model = human66(walker.subject);
  const auto file = io::open_recording(test::data_file("bvh/cmu/007_01.bvh"));
  DynamicalOptions tracking;
  tracking.velocity = VelocitySource::Differenced;
  SegmentTracker tracker(model, file->info().attachments, tracking, file->names());
  RobotParts parts;
  std::vector<SegmentLink> links;
  for (int segment = 0; segment < kHumanSegmentCount; ++segment)
    links.push_back({segment, model.link_index(kHumanSegmentNames[at(segment)])});
  for (const bool right : {false, true}) {
    const int segment = right ? RightFoot : LeftFoot;
    parts.feet.push_back({std::string(kHumanSegmentNames[at(segment)]),
                          model.link_index(kHumanSegmentNames[at(segment)]),
                          human_sole(walker.subject, right)});
  }
  parts.hands = {{model.link_index("LeftHand"), Vector3d::Zero()},
                 {model.link_index("RightHand"), Vector3d::Zero()}};
  parts.body = body_capsules(model, links, parts.feet, model.rest());
  RobotFiguresOptions options;
  options.ground = walker.contacts.ground;
  RobotFiguresBuilder builder(model, parts, options);
  State state = tracker.rest_state();
  for (std::size_t k = 0; k < walker.samples.size(); ++k) {
    ASSERT_TRUE(usable(tracker.step(walker.samples[k], state)));
    RobotFrame frame;
    for (const FootContacts& foot : walker.contacts.feet)
      frame.contacts.push_back({foot.heel[k] != 0, foot.ball[k] != 0});
    const auto& segments = walker.samples[k].segments;
    frame.hand_distance = (segments[LeftHand].p_WS - segments[RightHand].p_WS).norm();
    builder.add(state, frame);
  }
  const RobotFigures figures = builder.report();
  std::printf("%s", format_table(figures, model).c_str());
  EXPECT_GT(*figures.foot_skate_median_mm_s, 20.0) << "as the recording does";
  EXPECT_LT(*figures.foot_skate_median_mm_s, 150.0);
  EXPECT_LT(*figures.foot_penetration_max_mm, 50.0);
  EXPECT_LT(*figures.hand_distance_error_max_mm, 10.0);
  EXPECT_NEAR(*figures.stance_share, 0.57, 0.06);
  EXPECT_EQ(figures.limit_violations + figures.row_violations, 0);
  // its ankles pass each other 5 cm apart, axis by axis: shanks and feet of this skeleton touch, nothing else
  EXPECT_LT(*figures.overlap_share, 0.15);
  for (const RobotFigures::Overlap& pair : figures.overlaps) {
    EXPECT_EQ(pair.name.find("Arm"), std::string::npos) << pair.name;
    EXPECT_EQ(pair.name.find("Hand"), std::string::npos) << pair.name;
    EXPECT_EQ(pair.name.find("Trunk"), std::string::npos) << pair.name;
    EXPECT_LT(pair.max_mm, 40.0) << pair.name;
  }
  EXPECT_GT(*figures.touch_down_acceleration_max_rad_s2, 0.0);
}

}  // namespace
}  // namespace panto
