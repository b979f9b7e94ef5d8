#include "panto/inertial/swing_calibration.hpp"

#include <gtest/gtest.h>

#include "panto/base/error.hpp"
#include "panto/math/directions.hpp"
#include "panto/math/so3.hpp"
#include "panto/model/human.hpp"
#include "panto/model/kinematics.hpp"
#include "panto/synthesis/imu_signals.hpp"
#include "panto/synthesis/synthesis.hpp"
#include "tests/support/right_arm.hpp"

namespace panto {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using test::kDegree;

const Model& human() {
  static const Model model = human66();
  return model;
}

const std::vector<std::string>& legs() {
  static const std::vector<std::string> links{"RightUpperLeg", "RightLowerLeg", "RightFoot",
                                              "LeftUpperLeg",  "LeftLowerLeg",  "LeftFoot"};
  return links;
}

std::vector<ImuMount> mounts(const std::vector<std::string>& links) {
  std::vector<ImuMount> result;
  for (const std::string& link : links)
    result.push_back({link, link, so3::exp({0.4, -0.3, 0.2}), {0.02, 0.03, -0.1}});
  return result;
}

struct Session {
  HeldPose held;
  std::vector<ImuSample> walk;
  std::vector<ImuMount> truth;
};

// three seconds of the N-pose and twelve of a walk, the same sensors
Session session(const std::vector<std::string>& links) {
  ImuSignalOptions suit = test::suit_signals(1, 12.0);
  suit.magnetometers = false;
  const Synthesis walking = make_synthesis("walk", human(), {});
  const ImuSignals walk = imu_signals(human(), motion_law(walking), mounts(links), suit);
  Session result{{calibration_pose(human(), "npose"), {}}, walk.samples, walk.mounts};
  const State pose = result.held.pose;
  const MotionLaw still = [&pose](Time t, State& state, StateAcceleration& acceleration) {
    state = pose;
    state.t = t;
    acceleration.sddot.setZero();
  };
  suit.duration = 3.0;
  const ImuSignals rest = imu_signals(human(), still, mounts(links), suit);
  result.held.readings = still_readings(rest.samples, links.size());
  return result;
}

// the nominal mount, turned about the vertical by so much in the N-pose
std::vector<ImuMount> turned(std::vector<ImuMount> sensors, double angle) {
  Kinematics kinematics(human());
  kinematics.update(calibration_pose(human(), "npose"));
  for (ImuMount& mount : sensors) {
    const Matrix3d R_WL = kinematics.R_WL(human().link_index(mount.link));
    mount.R_LI = R_WL.transpose() * so3::exp({0.0, 0.0, angle}) * R_WL * mount.R_LI;
  }
  return sensors;
}

TEST(SwingCalibration, AWalkTellsTheHeadingsOfLegsWhoseNominalMountsAreOffBy40Degrees) {
  const Session given = session(legs());
  const auto found = calibrate_walk(human(), turned(given.truth, 40.0 * kDegree), given.held, given.walk);
  for (std::size_t k = 0; k < found.size(); ++k) {
    EXPECT_TRUE(found[k].good) << found[k].mount.name << ": " << found[k].advice;
    // the walk itself turns hips and feet outward by some degrees: the axis is the body's, not the segment's
    EXPECT_LT(so3::distance(found[k].mount.R_LI, given.truth[k].R_LI), 4.0 * kDegree) << found[k].mount.name;
    EXPECT_LT(found[k].residual, 2.0 * kDegree) << found[k].mount.name;
  }
}

TEST(SwingCalibration, ASegmentThatDoesNotSwingKeepsItsNominalHeadingAndIsNotGood) {
  const std::vector<std::string> trunk{"Pelvis", "T8"};
  const Session given = session(trunk);
  const std::vector<ImuMount> nominal = turned(given.truth, 10.0 * kDegree);
  const auto found = calibrate_walk(human(), nominal, given.held, given.walk);
  for (std::size_t k = 0; k < found.size(); ++k) {
    EXPECT_FALSE(found[k].good);
    EXPECT_NE(found[k].advice.find("does not swing about one axis"), std::string::npos) << found[k].advice;
    // 300 readings of 0.014 m/s^2 tell the inclination to 0.01 deg; the heading stays
    EXPECT_LT(so3::distance(found[k].mount.R_LI, nominal[k].R_LI), 0.1 * kDegree);
  }
}

TEST(SwingCalibration, ASensorThatFeelsTooMuchGravityIsStillTurnedAndSaysSo) {
  Session given = session({"RightLowerLeg"});
  given.held.readings[0].acc *= 1.03;
  const auto found = calibrate_walk(human(), turned(given.truth, 40.0 * kDegree), given.held, given.walk);
  EXPECT_FALSE(found[0].good);
  EXPECT_NE(found[0].advice.find("at rest, 9.81 expected"), std::string::npos) << found[0].advice;
  EXPECT_LT(so3::distance(found[0].mount.R_LI, given.truth[0].R_LI), 4.0 * kDegree);
}

// a minute at 100 Hz of one sensor whose x is up: rates about `axis` at 1 Hz, and others
struct Swing {
  Vector3d axis = Vector3d(0.0, 0.8, 0.6);
  double across = 0.0;   // about the direction across it and up, out of step [rad/s]
  double tremble = 0.0;  // of the flesh, about up and about z, at 9 Hz [rad/s]
  double turning = 0.0;  // of the axis about up, over all of it [rad]
  int samples = 6000;
};

std::vector<ImuSample> rates_of(const Swing& swing) {
  const Vector3d up = Vector3d::UnitX(), bias(0.02, -0.01, 0.03);
  std::vector<ImuSample> samples;
  for (int i = 0; i < swing.samples; ++i) {
    ImuSample& sample = samples.emplace_back();
    sample.t = frame_time(i, 100.0);
    const double t = to_seconds(sample.t), phase = 2.0 * std::numbers::pi * t;
    const Vector3d axis = so3::exp(swing.turning * i / swing.samples * up) * swing.axis;
    ImuReading reading;
    reading.has_gyro = true;
    reading.gyro = bias + 3.0 * std::sin(phase) * axis + swing.across * std::cos(phase) * up.cross(axis) +
                   swing.tremble * std::sin(9.0 * phase) * (3.0 * up + Vector3d::UnitZ());
    sample.imus.push_back(reading);
  }
  return samples;
}

SwingAxis found_in(const Swing& swing, const Vector3d& near = Vector3d(0.3, 1.0, 0.0),
                   const SwingOptions& options = {}) {
  return find_swing_axis(rates_of(swing), 0, Vector3d(0.02, -0.01, 0.03), 9.8 * Vector3d::UnitX(), near,
                         options);
}

TEST(SwingCalibration, FleshThatTremblesFasterThanTheLegSwingsDoesNotTurnTheAxis) {
  Swing swing;
  swing.tremble = 2.0;  // as much as the swing itself about z
  const SwingAxis smoothed = found_in(swing);
  EXPECT_TRUE(smoothed.good) << smoothed.advice;
  // the mean over 0.25 s leaves a tenth of what has 9 Hz, out of step with the swing
  EXPECT_LT(angle_between(smoothed.axis, swing.axis), 1.0 * kDegree);
  SwingOptions raw;
  raw.smooth = 0.01;
  EXPECT_GT(angle_between(found_in(swing, {0.3, 1.0, 0.0}, raw).axis, swing.axis), 5.0 * kDegree);
}

TEST(SwingCalibration, TheNearerEndOfTheAxisIsTaken) {
  const SwingAxis left = found_in({}), right = found_in({}, Vector3d(0.3, -1.0, 0.0));
  EXPECT_LT((left.axis + right.axis).norm(), 1e-12);
  EXPECT_LT(angle_between(left.axis, Vector3d(0.0, 0.8, 0.6)), 1e-9);
  EXPECT_NEAR(left.axis.x(), 0.0, 1e-12) << "across up";
}

TEST(SwingCalibration, WhatIsDoubtfulIsSaid) {
  Swing wide, curved, brief;
  wide.across = 1.2;  // 0.4 of the swing
  curved.turning = 30.0 * kDegree;
  brief.samples = 300;
  EXPECT_NE(found_in(wide).advice.find("does not swing"), std::string::npos);
  EXPECT_NE(found_in(curved).advice.find("disagree by 15 deg"), std::string::npos) << found_in(curved).advice;
  EXPECT_NE(found_in(brief).advice.find("too short"), std::string::npos);
  const SwingAxis unknown = found_in({}, Vector3d(0.0, -0.6, 0.9));
  EXPECT_NE(unknown.advice.find("left and right are ambiguous"), std::string::npos) << unknown.advice;
  for (const SwingAxis& axis : {found_in(wide), found_in(curved), found_in(brief), unknown})
    EXPECT_FALSE(axis.good);
}

TEST(SwingCalibration, WhatCannotBeAskedIsRefused) {
  const std::vector<ImuSample> samples = rates_of({});
  const Vector3d zero = Vector3d::Zero(), up = Vector3d::UnitX();
  EXPECT_THROW((void)find_swing_axis(samples, 1, zero, up, up), ConfigError);
  EXPECT_THROW((void)find_swing_axis(samples, 0, zero, zero, up), ConfigError);
  SwingOptions options;
  options.smooth = 0.0;
  EXPECT_THROW((void)find_swing_axis(samples, 0, zero, up, up, options), ConfigError);
}

}  // namespace
}  // namespace panto
