#include "panto/report/report.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "panto/api/calibrate.hpp"
#include "panto/api/check.hpp"
#include "panto/api/convert.hpp"
#include "panto/api/imitate.hpp"
#include "panto/api/inspect.hpp"
#include "panto/api/track_sensors.hpp"
#include "panto/math/so3.hpp"
#include "panto/model/model.hpp"
#include "panto/report/card_values.hpp"
#include "panto/report/robot_report.hpp"
#include "tests/support/refusals.hpp"
#include "tests/support/sensed_clips.hpp"

namespace panto {
namespace {

using test::names;
using Grade = Verdict::Grade;

Model two_joints() {
  ModelSpec spec;
  spec.name = "two";
  spec.links = {{.name = "base"}, {.name = "upper"}, {.name = "lower"}};
  spec.joints = {{.name = "ankle", .type = JointType::Revolute, .parent = "base", .child = "upper"},
                 {.name = "gripper", .type = JointType::Revolute, .parent = "upper", .child = "lower"}};
  return Model(spec);
}

ReportCard solved(std::int64_t frames) {
  ReportCard card;
  card.frames = frames;
  card.status_counts[static_cast<std::size_t>(StepStatus::Solved)] = frames;
  card.recording_faults = 0;
  return card;
}

TrackResult good_track() {
  TrackResult result;
  result.card = solved(240);
  result.card.angle_mean_deg = 0.01;
  result.card.angle_p99_deg = 0.09;
  result.card.angle_max_deg = 0.13;
  result.card.base_excess_max_m_s = 0.0;
  return result;
}

// a walk on the G1, as measured
RetargetResult good_walk() {
  RetargetResult result;
  result.card = solved(341);
  result.card.base_excess_max_m_s = 0.2;
  result.following.followable_mean_deg = 3.5;
  result.following.followable_p99_deg = 23.0;
  result.figures.frames = 341;
  result.figures.foot_skate_p95_mm_s = 12.3;
  result.figures.foot_penetration_max_mm = 3.4;
  result.figures.joint_on_limit_share = {0.018, 0.0};
  result.figures.joint_on_limit_max_share = 0.018;
  result.figures.joint_on_limit_max_joint = "ankle";
  result.figures.base.base_speed_excess_max_m_s = 0.2;
  result.figures.base.base_acceleration_excess_p99_m_s2 = 3.0;
  result.figures.base.base_tilt_median_deg = 0.5;
  result.figures.base.base_tilt_p95_deg = 2.0;
  result.figures.base.base_heading_median_deg = 1.0;
  result.figures.base.base_heading_p95_deg = 3.0;
  result.figures.limbs.limb_direction_max_deg = 31.0;
  result.figures.limbs.limb_direction_max_at_s = 4.78;
  result.figures.limbs.limb_direction_max_limb = "left thigh";
  result.figures.limbs.limb_over_60_longest_s = 0.0;
  result.figures.floor.body_under_10mm_share = 0.0;
  result.figures.floor.body_floating_longest_s = 0.3;
  result.figures.foot_float_median_mm = 1.0;
  result.figures.joint_acceleration_rms_rad_s2 = 30.0;
  result.figures.overlap_share = 0.0;
  return result;
}

TEST(Verdict, AGoodClipIsCalledGoodWithItsError) {
  const Verdict verdict = verdict_of(good_track());
  EXPECT_EQ(verdict.grade, Grade::Good);
  EXPECT_EQ(verdict.sentence, "Good: the model follows the recording within 0.01 deg on average.");
  EXPECT_STREQ(to_string(verdict.grade), "good");
}

TEST(Verdict, WhatDefaultChecksFailIsNeverGood) {
  // each of kDefaultThresholds in turn
  const auto grade_with = [](const auto& change) {
    TrackResult result = good_track();
    change(result);
    return verdict_of(result).grade;
  };
  EXPECT_EQ(grade_with([](TrackResult& r) { r.card.angle_p99_deg = 5.1; }), Grade::Care);
  EXPECT_EQ(grade_with([](TrackResult& r) { r.card.frames = 0; }), Grade::Unreliable);
  EXPECT_NE(grade_with([](TrackResult& r) { r.card.limit_violations = 1; }), Grade::Good);
  EXPECT_NE(grade_with([](TrackResult& r) { r.card.recording_faults = 1; }), Grade::Good);
  for (const StepStatus status :
       {StepStatus::Stuck, StepStatus::TargetNotFinite, StepStatus::NoTarget, StepStatus::TimeNotAdvancing,
        StepStatus::SizeMismatch, StepStatus::NumericalFailure}) {
    const auto lose = [&](std::int64_t frames) {
      return grade_with([&](TrackResult& r) {
        r.card.status_counts[static_cast<std::size_t>(StepStatus::Solved)] -= frames;
        r.card.status_counts[static_cast<std::size_t>(status)] = frames;
      });
    };
    EXPECT_EQ(lose(1), Grade::Care) << to_string(status) << ": 1 of 240 frames";
    EXPECT_EQ(lose(24), Grade::Unreliable) << to_string(status) << ": 10 % of the frames";
  }
}

TEST(Verdict, ExactOrientationsDoNotHideJointCentresThatAreOff) {
  TrackResult result = good_track();
  result.card.angle_mean_deg = 0.0;
  result.card.origin_mean_m = 0.0065;  // markers move on the skin, the model's bones keep their lengths
  EXPECT_TRUE(names(verdict_of(result).sentence, "joint centres are 6.5 mm off on average"));
  result.card.origin_mean_m = 0.0005;
  EXPECT_EQ(verdict_of(result).sentence, "Good: the model follows the recording exactly, but for rounding.");
}

TEST(Verdict, AnErrorOfTheRecordingIsTheReason) {
  TrackResult result = good_track();
  Finding finding;
  finding.kind = FindingKind::LeftRightSwap;
  finding.severity = Severity::Error;
  finding.text = "the left leg is on the right";
  result.findings = {finding};
  result.card.recording_faults = 1;
  const Verdict verdict = verdict_of(result);
  EXPECT_EQ(verdict.sentence, "Not usable: the recording is wrong: the left leg is on the right.");
}

TEST(Verdict, AGoodWalkOfARobotIsGoodAndHasFiveFigures) {
  const Verdict verdict = verdict_of(good_walk(), two_joints());
  EXPECT_EQ(verdict.grade, Grade::Good) << verdict.sentence;
  ASSERT_EQ(verdict.figures.size(), 5U);
  for (const Figure& figure : verdict.figures) {
    EXPECT_FALSE(figure.unit.empty()) << figure.name;
    ASSERT_TRUE(figure.limit) << figure.name;
    EXPECT_LE(*figure.value, *figure.limit) << figure.name << ": a good run is within every limit shown";
  }
}

TEST(Verdict, ALimitThatIsHeldLongIsNamedWithItsJoint) {
  RetargetResult result = good_walk();
  result.figures.joint_on_limit_max_share = 0.589;
  const Verdict verdict = verdict_of(result, two_joints());
  EXPECT_EQ(verdict.grade, Grade::Care);
  EXPECT_EQ(verdict.sentence, "Usable, but ankle is on its limit in 58.9 % of the frames.");
}

TEST(Verdict, ALostLimbIsNamedFirstWithItsMomentAndWhatMayHelp) {
  RetargetResult result = good_walk();
  result.feet = FeetMode::Hold;
  result.figures.limbs.limb_direction_max_deg = 179.0;
  result.figures.limbs.limb_over_60_longest_s = 1.2;
  result.figures.limbs.limb_over_60_longest_limb = "left thigh";
  result.figures.base.base_speed_excess_max_m_s = 6.4;
  result.figures.base.base_speed_excess_max_at_s = 4.8;
  Verdict verdict = verdict_of(result, two_joints());
  EXPECT_EQ(verdict.sentence,
            "Not usable: left thigh 179 deg off at 4.78 s (over 60 deg for 1.2 s); the base moves 6.4 m/s "
            "faster than the person at 4.80 s.");
  EXPECT_EQ(verdict.remedies, std::vector<Remedy>{Remedy::PlanFeet}) << "once, though two reasons have it";
  EXPECT_EQ(verdict.figures.front().name, "base faster than the person, at most") << "what is wrong is first";
  EXPECT_EQ(verdict.figures.size(), 5U);
  // feet are planned already: the skeleton may be understood wrongly
  result.feet = FeetMode::Plant;
  verdict = verdict_of(result, two_joints());
  EXPECT_EQ(verdict.remedies, (std::vector<Remedy>{Remedy::InspectBoth, Remedy::Smooth}));
}

TEST(Verdict, ARobotThatHoversIsNotGood) {
  RetargetResult result = good_walk();  // squats of a person whose pelvis the recording holds
  result.figures.floor.body_floating_longest_s = 3.5;
  result.figures.floor.body_floating_longest_at_s = 1.2;
  EXPECT_EQ(verdict_of(result, two_joints()).sentence,
            "Usable, but the body floats over the floor for 3.5 s from 1.20 s.");
  EXPECT_EQ(verdict_of(result, two_joints()).remedies, std::vector<Remedy>{Remedy::Ground});
}

TEST(Verdict, ACharacterIsCalledOneAndHasNoLimits) {
  RetargetResult result = good_walk();
  result.posed = true;
  result.following.followable_mean_deg = 0.5;
  const Verdict verdict = verdict_of(result, two_joints());
  EXPECT_EQ(verdict.sentence,
            "Good: posed like the person, 0.5 deg off on average where the character can follow.");
  EXPECT_EQ(verdict.figures.front().name, "error where the character can follow");
}

TEST(Verdict, NoRemedyIsSuggestedThatWasUsed) {
  RetargetResult result = good_walk();
  result.figures.joint_acceleration_rms_rad_s2 = 400.0;
  EXPECT_EQ(verdict_of(result, two_joints()).remedies, std::vector<Remedy>{Remedy::Smooth});
  result.smoothed = true;
  EXPECT_TRUE(verdict_of(result, two_joints()).remedies.empty());
  EXPECT_TRUE(verdict_of(good_walk(), two_joints()).remedies.empty());
}

TEST(Verdict, WhatDefaultChecksFailOfARobotIsNeverGood) {
  RetargetResult good = good_walk();
  const std::vector<ReportValue> report = parse_report_values(to_json(good, two_joints()), "report");
  for (const CheckResult& check : check_report(default_thresholds(report), report))
    EXPECT_EQ(check.outcome, CheckOutcome::Passed) << check.threshold.key;
  good.figures.floor.body_under_10mm_share = 0.06;
  const std::vector<ReportValue> sunk = parse_report_values(to_json(good, two_joints()), "report");
  EXPECT_EQ(verdict_of(good, two_joints()).grade, Grade::Care);
  int failed = 0;
  for (const CheckResult& check : check_report(default_thresholds(sunk), sunk))
    failed += check.outcome == CheckOutcome::Failed ? 1 : 0;
  EXPECT_EQ(failed, 1) << "the verdict and checks have the same limits";
}

TEST(Verdict, KnownBadRunsOfARobotAreNotPraised) {
  const auto grade_with = [](const auto& change) {
    RetargetResult result = good_walk();
    change(result);
    return verdict_of(result, two_joints()).grade;
  };
  // a base that gives way for planted feet: 8.1 m/s where the person moves at 1.7
  EXPECT_EQ(grade_with([](RetargetResult& r) { r.figures.base.base_speed_excess_max_m_s = 6.4; }),
            Grade::Unreliable);
  // the same of a fixed base: a hand
  EXPECT_EQ(grade_with([](RetargetResult& r) {
              r.figures.base = {};
              r.card.base_excess_max_m_s = 6.4;
            }),
            Grade::Unreliable);
  // jolts of 12 g, a trunk that leans 30 deg, a trunk deep under the floor
  EXPECT_EQ(grade_with([](RetargetResult& r) { r.figures.base.base_acceleration_excess_p99_m_s2 = 120.0; }),
            Grade::Unreliable);
  EXPECT_EQ(grade_with([](RetargetResult& r) { r.figures.base.base_tilt_median_deg = 30.0; }),
            Grade::Unreliable);
  EXPECT_EQ(grade_with([](RetargetResult& r) { r.figures.floor.body_under_max_mm = 271.0; }),
            Grade::Unreliable);
  // a robot that walks sideways; one whose soles nobody knows; a clip of steps without one stance
  EXPECT_EQ(grade_with([](RetargetResult& r) { r.figures.base.base_heading_median_deg = 73.0; }),
            Grade::Unreliable);
  EXPECT_EQ(grade_with([](RetargetResult& r) { r.not_judged = {"the robot's soles are unknown"}; }),
            Grade::Care);
  EXPECT_EQ(grade_with([](RetargetResult& r) { r.figures.foot_unplanted_share = 0.9; }), Grade::Care);
  // but a jump, or a person who lies, has none either
  EXPECT_EQ(grade_with([](RetargetResult& r) { r.figures.foot_unplanted_share = 0.2; }), Grade::Good);
  // arms that jam: 2.3 s over 90 deg off
  EXPECT_EQ(grade_with([](RetargetResult& r) {
              r.following.collapsed_link = "upper";
              r.following.collapsed_longest_s = 2.3;
            }),
            Grade::Unreliable);
  // feet planted while the body lies: 43 deg off on average, 0.46 m under the floor
  EXPECT_EQ(grade_with([](RetargetResult& r) { r.following.followable_mean_deg = 43.0; }), Grade::Unreliable);
  EXPECT_EQ(grade_with([](RetargetResult& r) { r.figures.foot_penetration_max_mm = 460.0; }),
            Grade::Unreliable);
  // smoothing that undoes planting: 1116 mm/s
  EXPECT_EQ(grade_with([](RetargetResult& r) { r.figures.foot_skate_p95_mm_s = 1116.0; }), Grade::Unreliable);
  // 28 % of a dance with limbs in each other
  EXPECT_EQ(grade_with([](RetargetResult& r) { r.figures.overlap_share = 0.28; }), Grade::Care);
  EXPECT_EQ(grade_with([](RetargetResult& r) { r.figures.velocity_violations = 1; }), Grade::Unreliable);
  EXPECT_EQ(grade_with([](RetargetResult& r) { r.figures.row_violations = 1; }), Grade::Unreliable);
}

TEST(Verdict, OfGesturesIsTheWorstOnes) {
  ImitateResult result;
  EXPECT_EQ(verdict_of(result, two_joints()).sentence, "Not usable: no gesture was found.");
  GestureResult good{{}, good_walk()}, bad = good;
  good.recorded.number = 1;
  bad.recorded.number = 2;
  bad.result.figures.velocity_violations = 3;
  result.gestures = {good, bad};
  EXPECT_EQ(verdict_of(result, two_joints()).sentence, "Not usable: gesture 2: 3 speed limits broken.");
}

SensorTrackResult sensed(double gyro, bool calibrated = true) {
  SensorTrackResult result;
  result.card = solved(100);
  result.found.sensors = {{"thigh", "upper", 100, 0, 0, 3.0, 2.0, {}, 0.0},
                          {"shank", "lower", 100, 0, 0, gyro, 2.0, {}, 0.0}};
  result.known.max_deg = 4.0;
  result.known.least_known = 0;
  if (!calibrated) result.assumed_mounts = {"thigh"};
  return result;
}

TEST(Verdict, SensorsThatAgreeWithACalibratedMountingAreGood) {
  const Verdict verdict = verdict_of(sensed(3.0), two_joints());
  EXPECT_EQ(verdict.sentence, "Good: both sensors agree with the model.");
}

TEST(Verdict, ASensorThatDisagreesIsTheFirstThingSaid) {
  const Verdict verdict = verdict_of(sensed(12.0), two_joints());
  EXPECT_EQ(verdict.sentence, "Not usable: 1 of 2 sensors (shank) disagrees with the model.");
}

TEST(Verdict, AgreementWithoutCalibrationIsNoPraise) {
  const Verdict verdict = verdict_of(sensed(3.0, false), two_joints());
  EXPECT_EQ(verdict.grade, Grade::Care);
  EXPECT_TRUE(names(verdict.sentence, "the mounting of 1 of 2 sensors (thigh) is not calibrated"));
}

TEST(Verdict, OfARobotBeginsWithWhatSpeaksAgainstThePersonsSensors) {
  SensedFigures person;
  person.model = "human66";
  person.found = sensed(3.0).found;
  const Verdict robot = verdict_of(good_walk(), two_joints());
  ASSERT_EQ(robot.grade, Grade::Good);
  EXPECT_EQ(with_sensors(robot, nullptr).sentence, robot.sentence);
  EXPECT_EQ(with_sensors(robot, &person).sentence, robot.sentence);
  person.assumed_mounts = {"thigh"};
  EXPECT_EQ(with_sensors(robot, &person).grade, Grade::Care);
  person.found = sensed(12.0).found;
  const Verdict bad = with_sensors(robot, &person);
  EXPECT_EQ(bad.sentence, "Not usable: 1 of 2 sensors (shank) disagrees with the model.");
  EXPECT_EQ(bad.figures.size(), robot.figures.size());
  person.found = sensed(3.0).found;
  RetargetResult broken = good_walk();
  broken.figures.velocity_violations = 1;
  const Verdict both = with_sensors(verdict_of(broken, two_joints()), &person);
  EXPECT_EQ(both.grade, Grade::Unreliable);
  EXPECT_TRUE(names(both.sentence, "Not usable: the mounting of 1 of 2 sensors (thigh) is not calibrated",
                    "; the robot: 1 speed limit broken"))
      << both.sentence;
}

TEST(Verdict, ReadingsThatFitFarTooWellShowNothing) {
  SensorTrackResult result = sensed(3.0);
  for (SensorSummary& sensor : result.found.sensors) sensor.nis_gyro = sensor.nis_acc = 3.0 * 0.28 * 0.28;
  const Verdict verdict = verdict_of(result, two_joints());
  EXPECT_EQ(verdict.grade, Grade::Care);
  EXPECT_TRUE(names(verdict.sentence, "3.57 times better than expected"));
}

TEST(Verdict, ABaseThatJumpsIsUnreliable) {
  SensorTrackResult result = sensed(3.0);
  result.card.base_speed_max_m_s = 33.0;  // 0.55 m in one frame of 60 Hz
  EXPECT_EQ(verdict_of(result, two_joints()).grade, Grade::Unreliable);
}

TEST(Verdict, ARunOfRealSensorsIsJudgedFromItsOwnFigures) {
  const test::SwayingPerson person = test::swaying_legs();
  const SensorTrackResult result =
      track(test::clip_of(person), person.model, test::setup_of(person.setup), {.deviations = true});
  const Verdict verdict = verdict_of(result, person.model);
  EXPECT_NE(verdict.grade, Grade::Unreliable) << verdict.sentence;
  EXPECT_LE(verdict.figures.size(), 5U);
}

TEST(Verdict, ADeadSensorIsNamedAndItsJointsAreNotMeasured) {
  const test::SwayingPerson person = test::swaying_legs();
  ImuClip clip = test::clip_of(person);
  const auto& mounts = person.setup.mounts;
  const auto dead = std::find_if(mounts.begin(), mounts.end(),
                                 [](const ImuMount& mount) { return mount.link == "RightUpperLeg"; });
  ASSERT_NE(dead, mounts.end());
  const auto column = static_cast<std::size_t>(
      std::find(clip.sensors.begin(), clip.sensors.end(), dead->name) - clip.sensors.begin());
  for (std::size_t k = 0; k < clip.times.size(); ++k) clip.at(k, column) = clip.at(0, column);
  const SensorTrackResult result = track(clip, person.model, test::setup_of(person.setup));
  const std::string sentence = verdict_of(result, person.model).sentence;
  EXPECT_TRUE(names(sentence, "1 of 5 sensors (" + dead->name + ") measured nothing")) << sentence;
  EXPECT_FALSE(names(sentence, "right hip")) << sentence;
  EXPECT_FALSE(names(sentence, "right knee")) << sentence;
  const auto unmeasured = [&](const std::string& joint) {
    const auto& all = result.unmeasured_joints;
    return std::find(all.begin(), all.end(), joint) != all.end();
  };
  EXPECT_TRUE(unmeasured("jRightHip_roty"));
  EXPECT_TRUE(unmeasured("jRightKnee_roty")) << "its shank alone does not part it from the hip";
  EXPECT_FALSE(unmeasured("jLeftKnee_roty"));
}

TEST(Verdict, ADeadGyroscopeIsTheLikelyCauseWhereSensorsDisagree) {
  SensorTrackResult result = sensed(12.0);
  result.found.sensors[0].nis_gyro.reset();
  EXPECT_TRUE(
      names(verdict_of(result, two_joints()).sentence,
            "Not usable: the gyroscope of 1 of 2 sensors (thigh) measured nothing; 1 of 2 sensors (shank)"))
      << verdict_of(result, two_joints()).sentence;
}

TEST(Verdict, AFieldThatNoReadingFitsIsADoubt) {
  SensorTrackResult result = sensed(3.0);
  ASSERT_EQ(verdict_of(result, two_joints()).grade, Grade::Good);
  result.found.file = "suit.toml";
  result.found.field_unused = true;
  EXPECT_EQ(verdict_of(result, two_joints()).sentence,
            "Usable, but no magnetometer fits the field in suit.toml, so headings drift: check its unit and "
            "strength.");
}

TEST(Verdict, ACalibrationThatIsToBeRepeatedNamesTheSensor) {
  CalibrateResult result;
  ImuMount mount;
  mount.name = "upper";
  result.nominal = {mount};
  result.found = {{mount, Eigen::Vector3d::Zero(), 0.0, false, "hold it still"}};
  EXPECT_EQ(verdict_of(result).sentence, "Not usable: repeat for 1 of 1 sensor (upper).");
  for (const Figure& figure : verdict_of(result).figures)
    EXPECT_EQ(figure.name, "sensors calibrated") << "nothing is known of the rest";
  result.found[0].good = result.good = true;
  result.found[0].advice.clear();
  EXPECT_EQ(verdict_of(result).sentence, "Good: the sensor is calibrated.");
}

TEST(Verdict, ACalibrationDoubtsWhichPostureWasWhich) {
  CalibrateResult result;
  result.good = true;
  ImuMount mount;
  mount.name = "upper";
  mount.R_LI = so3::exp({0.3, 0.0, 0.0});
  result.nominal = {mount};
  result.found = {{mount, Eigen::Vector3d::Zero(), 0.0, true, ""}};
  EXPECT_EQ(verdict_of(result).sentence, "Good: the sensor is calibrated.");
  result.other_held = {{6.4, 11.6}};
  EXPECT_EQ(
      verdict_of(result).sentence,
      "Usable, but another posture was held still too (6.4 to 11.6 s): give a pose for each, or cut the "
      "recording to the poses given.");
  result.other_held.clear();
  result.found[0].mount.R_LI = so3::exp({2.3, 0.0, 0.0});
  EXPECT_EQ(verdict_of(result).sentence,
            "Usable, but upper is turned by 115 deg against the sensors file: check the file, the poses and "
            "their order.");
  result.nominal[0].R_LI.setIdentity();
  EXPECT_EQ(verdict_of(result).sentence, "Good: the sensor is calibrated.") << "nobody said how it sits";
}

TEST(Verdict, OfAnInspectionIsItsHeaviestFinding) {
  Inspection found;
  found.path = "a.bvh";
  found.trackable = true;
  EXPECT_EQ(verdict_of(found).sentence, "Good: human motion, no problems found.");
  Finding finding;
  finding.severity = Severity::Info;
  finding.text = "the feet are at z = -0.98 m";
  found.findings = {finding};
  EXPECT_EQ(verdict_of(found).sentence, "Good: human motion, 1 remark.");
  found.findings[0].severity = Severity::Warning;
  EXPECT_EQ(verdict_of(found).grade, Grade::Care);
  found.trackable = false;
  found.refusal = "a.bvh: no human";
  EXPECT_EQ(verdict_of(found).sentence, "Not usable: not trackable: no human.");
}

TEST(Verdict, OfAMapSaysWhetherItFits) {
  MapCheck check;
  check.usable = true;
  EXPECT_EQ(verdict_of(check, "m.toml").grade, Grade::Good);
  check.faults = {{false, "left and right may be swapped"}};
  EXPECT_EQ(verdict_of(check, "m.toml").grade, Grade::Care);
  check.faults = {{true, "no link"}};
  check.usable = false;
  EXPECT_EQ(verdict_of(check, "m.toml").grade, Grade::Unreliable);
}

TEST(Verdict, OfAConversionCountsWhatCouldNotBeWritten) {
  WrittenSamples written;
  written.frames = written.written = 120;
  EXPECT_EQ(verdict_of(written).sentence, "Good: all 120 frames written as they were measured.");
  written.dropped = 1;
  EXPECT_EQ(verdict_of(written).sentence, "Not usable: 1 frame could not be written.");
}

TEST(VerdictFigures, RoundingIsPrintedAsNoughtAndLinesFitEightyColumns) {
  TrackResult result = good_track();
  result.card.angle_mean_deg = 3e-14;
  result.card.origin_mean_m = 1e-16;
  const std::string text = figures_text(verdict_of(result));
  EXPECT_TRUE(names(text, "orientation error, mean", " 0 deg\n", " 0 mm\n"));
  EXPECT_FALSE(names(text, "e-"));
  std::istringstream lines(text + figures_text(verdict_of(good_walk(), two_joints())));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80U) << line;
}

TEST(VerdictFigures, ALimitIsShownBesideItsFigure) {
  const std::string text = figures_text(verdict_of(good_walk(), two_joints()));
  EXPECT_TRUE(names(text, "12.3 mm/s", "limit 100", "limit 10"));
}

}  // namespace
}  // namespace panto
