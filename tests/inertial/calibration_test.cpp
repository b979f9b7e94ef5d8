#include "panto/inertial/calibration.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "panto/inertial/functional_calibration.hpp"
#include "panto/model/human.hpp"
#include "tests/support/right_arm.hpp"
#include "tests/support/test_data.hpp"

namespace panto {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using test::kDegree;

const Model& human() {
  static const Model model = human66();
  return model;
}

std::vector<ImuMount> body_mounts() {
  std::vector<ImuMount> mounts;
  for (const char* link : {"Pelvis", "T8", "RightUpperArm", "RightForeArm", "RightUpperLeg", "RightLowerLeg"})
    mounts.push_back({link, link, so3::exp({0.4, -0.3, 0.2}), {0.02, 0.0, -0.1}});
  return mounts;
}

struct Held {
  HeldPose pose;
  std::vector<ImuMount> truth;
};

// three seconds of a pose. `real`: what the person really does, where that is another one
Held hold(
    std::string_view name, const std::function<void(ImuSignalOptions&)>& change = [](ImuSignalOptions&) {},
    const std::function<void(State&)>& real = [](State&) {}) {
  const State named = calibration_pose(human(), name);
  State held = named;
  real(held);
  const MotionLaw still = [&held](Time t, State& state, StateAcceleration& acceleration) {
    state = held;
    state.t = t;
    acceleration.sddot.setZero();
  };
  ImuSignalOptions suit = test::suit_signals(1, 3.0);
  suit.mounting.turn = 4.0 * kDegree;
  suit.gyro.bias = 0.3 * kDegree;
  change(suit);
  const ImuSignals signals = imu_signals(human(), still, body_mounts(), suit);
  return {{named, still_readings(signals.samples, body_mounts().size())}, signals.mounts};
}

double off_deg(const CalibratedSensor& found, const ImuMount& truth) {
  return so3::distance(found.mount.R_LI, truth.R_LI) / kDegree;
}

TEST(Calibration, OnePoseWithMagnetometersFindsEveryMounting) {
  const Held npose = hold("npose");
  const auto found = calibrate_pose(human(), body_mounts(), npose.pose);
  for (std::size_t k = 0; k < found.size(); ++k) {
    // noise of 0.014 m/s^2 and 0.5 % of the field, 300 samples: below 0.1 deg
    EXPECT_LT(off_deg(found[k], npose.truth[k]), 0.2) << found[k].mount.name;
    EXPECT_TRUE(found[k].good) << found[k].advice;
    EXPECT_LT(found[k].residual, 0.2 * kDegree);
    EXPECT_LT((found[k].gyro_bias - npose.pose.readings[k].gyro).norm(), 1e-15);
    EXPECT_GT(found[k].gyro_bias.norm(), 0.05 * kDegree) << "there is a bias to be found";
  }
}

TEST(Calibration, WithoutMagnetometersOnePoseFindsTheInclinationAndSaysWhatIsMissing) {
  const Held npose = hold("npose", [](ImuSignalOptions& o) { o.magnetometers = false; });
  const auto found = calibrate_pose(human(), body_mounts(), npose.pose);
  Kinematics kinematics(human());
  kinematics.update(npose.pose.pose);
  for (std::size_t k = 0; k < found.size(); ++k) {
    const Matrix3d R_WL = kinematics.R_WL(human().link_index(found[k].mount.link));
    const Vector3d up = (R_WL * found[k].mount.R_LI).transpose() * Vector3d::UnitZ();
    const Vector3d truth = (R_WL * npose.truth[k].R_LI).transpose() * Vector3d::UnitZ();
    EXPECT_LT(std::acos(std::min(1.0, up.dot(truth))), 0.2 * kDegree) << found[k].mount.name;
    EXPECT_FALSE(found[k].good);
    EXPECT_NE(found[k].advice.find("add a pose"), std::string::npos) << found[k].advice;
  }
}

TEST(Calibration, GravityInThreePosesFindsArmsAndLegsAndSaysWhoWasNeverInclined) {
  const auto no_field = [](ImuSignalOptions& o) { o.magnetometers = false; };
  const Held npose = hold("npose", no_field), tpose = hold("tpose", no_field),
             chair = hold("chair", no_field);
  const std::vector<HeldPose> two{npose.pose, tpose.pose};
  const auto arms = calibrate_poses(human(), body_mounts(), two);
  const std::vector<HeldPose> three{npose.pose, tpose.pose, chair.pose};
  const auto all = calibrate_poses(human(), body_mounts(), three);
  for (std::size_t k = 0; k < all.size(); ++k) {
    const std::string& name = all[k].mount.name;
    const bool arm = name == "RightUpperArm" || name == "RightForeArm", thigh = name == "RightUpperLeg";
    EXPECT_EQ(arms[k].good, arm) << name << ": " << arms[k].advice;
    EXPECT_EQ(arms[k].advice.find("inclined differently") != std::string::npos, !arm) << name;
    EXPECT_EQ(all[k].good, arm || thigh) << name << ": " << all[k].advice;
    EXPECT_LT(all[k].good ? off_deg(all[k], npose.truth[k]) : 0.0, 0.3) << name;
  }
}

TEST(Calibration, PosesThatContradictEachOtherAreToBeRepeated) {
  const auto no_field = [](ImuSignalOptions& o) { o.magnetometers = false; };
  const int shoulder = human().joint_index("jRightShoulder_rotx");
  const Held npose = hold("npose", no_field);
  // the arms are not level by 25 deg
  const Held drooping = hold("tpose", no_field, [&](State& s) { s.s[shoulder] += 25.0 * kDegree; });
  const std::vector<HeldPose> two{npose.pose, drooping.pose};
  const auto found = calibrate_poses(human(), body_mounts(), two);
  EXPECT_FALSE(found[2].good);
  EXPECT_NEAR(found[2].residual, 12.5 * kDegree, 0.5 * kDegree) << "half of it in either pose";
  EXPECT_NE(found[2].advice.find("disagree by 12 deg"), std::string::npos) << found[2].advice;
}

TEST(Calibration, SteelNearASensorIsSeenByItsDip) {
  const Held npose = hold("npose", [](ImuSignalOptions& o) {
    o.steel = {{"T8", 0.0, 9.0, {0.2, 0.2, 0.1}}};
  });
  const auto found = calibrate_pose(human(), body_mounts(), npose.pose);
  EXPECT_FALSE(found[1].good);
  EXPECT_NE(found[1].advice.find("away from steel"), std::string::npos) << found[1].advice;
  EXPECT_TRUE(found[0].good) << found[0].advice;
}

TEST(Calibration, WhoMovesIsToldToHoldStill) {
  Held npose = hold("npose");
  npose.pose.readings[3].turning = 0.2;
  npose.pose.readings[4].acc *= 1.05;
  const auto found = calibrate_pose(human(), body_mounts(), npose.pose);
  EXPECT_NE(found[3].advice.find("it turned"), std::string::npos);
  EXPECT_NE(found[4].advice.find("at rest, 9.81 expected"), std::string::npos);
  EXPECT_FALSE(found[3].good || found[4].good);
}

TEST(Calibration, StillReadingsSayHowMuchASensorMoved) {
  std::vector<ImuSample> samples(100);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const double sign = i % 2 == 0 ? 1.0 : -1.0;
    samples[i].imus.push_back(
        {{0.01, sign * 0.1, 0.0}, {0.0, 0.0, 9.8 + sign * 0.5}, Vector3d::Zero(), true, true});
    samples[i].imus.push_back({});
  }
  const auto found = still_readings(samples, 2);
  EXPECT_NEAR(found[0].turning, 0.1, 1e-12);
  EXPECT_NEAR(found[0].shaking, 0.5, 1e-6);
  EXPECT_NEAR(found[0].gyro.x(), 0.01, 1e-15);
  EXPECT_EQ(found[0].readings, 100);
  EXPECT_FALSE(found[0].has_mag);
  EXPECT_EQ(found[1].readings, 0);
}

TEST(Calibration, TheFieldsHeadingIsThatOfTheTrustedSensor) {
  const Vector3d field = so3::about_axis(2, -0.6) * Vector3d{0.0, 20.0, -44.0};
  const Held npose = hold("npose", [&](ImuSignalOptions& o) {
    o.surroundings.field_W = field;
    o.mounting.turn = 0.0;
    o.mag.noise_density *= 48.0;
  });
  const Vector3d found = field_from_pose(human(), body_mounts(), npose.pose, "Pelvis");
  EXPECT_LT((found - field).norm(), 0.01 * field.norm());
  const auto sensors = calibrate_pose(human(), body_mounts(), npose.pose, {Surroundings{}.gravity_W, found});
  for (const CalibratedSensor& sensor : sensors) EXPECT_TRUE(sensor.good) << sensor.advice;
  EXPECT_THROW((void)field_from_pose(human(), body_mounts(), npose.pose, "Plvis"), ConfigError);
}

TEST(Calibration, AMountingIsTheTurnBetweenDirections) {
  test::Random random(4);
  for (int i = 0; i < test::scaled(200); ++i) {
    const Matrix3d R = test::random_rotation(random);
    std::vector<DirectionPair> pairs;
    for (int k = 0; k < 3; ++k) {
      const Vector3d v = test::random_vector(random, 1.0);
      pairs.push_back({R * v, 3.0 * v, test::uniform(random, 0.5, 2.0)});
    }
    const MountingFit fit = fit_mounting(pairs);
    EXPECT_LT(so3::distance(fit.R_LI, R), 1e-7);
    EXPECT_LT(fit.residual, 1e-7);
  }
  EXPECT_THROW((void)fit_mounting({}), ConfigError);
  const std::vector<DirectionPair> none{{Vector3d::Zero(), Vector3d::UnitX()}};
  EXPECT_THROW((void)fit_mounting(none), ConfigError);
}

TEST(Calibration, RefusesPosesByName) {
  const auto refusal = [](const Model& model, const char* name) -> std::string {
    try {
      (void)calibration_pose(model, name);
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_NE(refusal(human(), "nposs").find("did you mean 'npose'"), std::string::npos);
  const Model arm = dh_model(test::right_arm_tree(PANTO_CHAINS));
  EXPECT_NE(refusal(arm, "npose").find("jRightShoulder_rotx"), std::string::npos);
  EXPECT_EQ(refusal(human48(), "chair"), "accepted");
  HeldPose empty;
  EXPECT_THROW((void)calibrate_pose(human(), body_mounts(), empty), ConfigError);
  empty.readings.resize(6);
  EXPECT_THROW((void)calibrate_pose(human(), body_mounts(), empty), ConfigError) << "no gravity felt";
  const std::vector<HeldPose> one(1);
  EXPECT_THROW((void)calibrate_poses(human(), body_mounts(), one), ConfigError);
}

// ---- by motion: the right arm, whose trunk and shoulder move anyhow

struct Moved {
  Model arm = dh_model(test::right_arm_tree(PANTO_CHAINS));
  ImuSignals signals;
  SensorPair elbow{2, 3, Vector3d::Zero(), Vector3d::Zero()};
  SensorPair shoulder{1, 2, Vector3d::Zero(), Vector3d::Zero()};
};

// `free`: joints of kWork that move; the others stay at their centres
Moved moved(const std::vector<std::size_t>& free, const std::function<void(ImuSignalOptions&)>& change,
            double tempo = 1.5, double duration = 20.0) {
  Moved result{};
  const Synthesis work = test::arm_at_work(result.arm, 5, tempo);
  std::vector<Curve> joints;
  for (std::size_t j = 0; j < work.joints().size(); ++j) {
    const bool moves = std::find(free.begin(), free.end(), j) != free.end();
    joints.push_back(moves ? work.joints()[j] : Curve(work.joints()[j].constant()));
  }
  const Synthesis motion("functional", result.arm, joints, {}, 0.0);
  ImuSignalOptions suit = test::suit_signals(2, duration);
  change(suit);
  result.signals = imu_signals(result.arm, motion_law(motion), test::right_arm_mounts(), suit);
  return result;
}

// a joint's axis and a point of it, in the axes and from the place of a sensor beside it, at the true mounts
struct Joint {
  Vector3d axis, centre;
};
Joint joint_from(const Moved& moved, const std::string& joint, std::size_t sensor) {
  State pose = rest_state(moved.arm);
  for (std::size_t j = 0; j < 12; ++j) pose.s[static_cast<Eigen::Index>(j)] = test::kWork[j][0] * kDegree;
  Kinematics kinematics(moved.arm);
  kinematics.update(pose);
  const ImuMount& mount = moved.signals.mounts[sensor];
  const int link = moved.arm.link_index(mount.link);
  const Matrix3d R = kinematics.R_WL(link) * mount.R_LI;
  const Vector3d p = kinematics.p_WL(link) + kinematics.R_WL(link) * mount.p_LI;
  const Tree& tree = moved.arm.tree();
  const auto body = static_cast<std::size_t>(
      std::find(tree.dof.begin(), tree.dof.end(), moved.arm.joint_index(joint)) - tree.dof.begin());
  return {R.transpose() * kinematics.joint_axis()[body],
          R.transpose() * (kinematics.body_position()[body] - p)};
}

double angle_deg(double cosine) { return std::acos(std::min(1.0, cosine)) / kDegree; }

TEST(FunctionalCalibration, FindsTheElbowsAxisInBothSensors) {
  // trunk, shoulder and elbow move; the forearm does not turn about itself
  const Moved arm =
      moved({0, 1, 2, 5, 6, 7, 8}, [](ImuSignalOptions& o) { o.mounting.turn = 5.0 * kDegree; });
  const Vector3d first = joint_from(arm, "elbow_flexion", 2).axis,
                 second = joint_from(arm, "elbow_flexion", 3).axis;
  const Vector3d tilt = Vector3d::Constant(0.3);
  const HingeAxis axis = find_hinge_axis(arm.signals.samples, arm.elbow, first + tilt, second - tilt);
  EXPECT_TRUE(axis.good) << axis.advice;
  EXPECT_LT(angle_deg(axis.first.dot(first)), 1.0);
  EXPECT_LT(angle_deg(axis.second.dot(second)), 1.0);
  EXPECT_LT(axis.residual, 0.01) << "noise of 0.0012 rad/s in each axis";
  EXPECT_LT(axis.sigma, 1.0 * kDegree);
  const HingeAxis turned = find_hinge_axis(arm.signals.samples, arm.elbow, -first, second);
  EXPECT_LT(angle_deg(-turned.first.dot(first)), 1.0) << "the side that was asked for";
}

TEST(FunctionalCalibration, FindsItThroughFleshThatSwings) {
  const Moved arm = moved({0, 1, 2, 5, 6, 7, 8}, [](ImuSignalOptions& o) {
    o.soft_tissue = SoftTissue{8.0, 0.3, 1.0, 2.0 / 90.0};
    o.gyro.bias = 0.05 * kDegree;
  });
  const Vector3d first = joint_from(arm, "elbow_flexion", 2).axis,
                 second = joint_from(arm, "elbow_flexion", 3).axis;
  const HingeAxis axis = find_hinge_axis(arm.signals.samples, arm.elbow, first, second);
  EXPECT_TRUE(axis.good) << axis.advice;
  EXPECT_LT(angle_deg(axis.first.dot(first)), 4.0);
  EXPECT_LT(angle_deg(axis.second.dot(second)), 4.0);
}

TEST(FunctionalCalibration, SaysWhenAJointIsNoHingeAndWhenNothingMoved) {
  const Moved ball = moved(
      {5, 6, 7}, [](ImuSignalOptions&) {}, 2.0);
  const HingeAxis none =
      find_hinge_axis(ball.signals.samples, ball.shoulder, Vector3d::UnitX(), Vector3d::UnitX());
  EXPECT_FALSE(none.good);
  EXPECT_NE(none.advice.find("only this joint"), std::string::npos) << none.advice << none.residual;
  const Moved still = moved({}, [](ImuSignalOptions&) {});
  const HingeAxis few =
      find_hinge_axis(still.signals.samples, still.elbow, Vector3d::UnitX(), Vector3d::UnitX());
  EXPECT_FALSE(few.good);
  EXPECT_EQ(few.samples, 0);
  EXPECT_NE(few.advice.find("only 0 samples move enough, 200"), std::string::npos) << few.advice;
}

TEST(FunctionalCalibration, FindsTheShouldersCentre) {
  const Moved arm = moved(
      {0, 1, 2, 3, 4, 5, 6, 7}, [](ImuSignalOptions& o) { o.mounting.shift = 0.02; }, 2.5);
  const Vector3d first = joint_from(arm, "shoulder_flexion", 1).centre,
                 second = joint_from(arm, "shoulder_flexion", 2).centre;
  const JointCentre centre = find_joint_centre(arm.signals.samples, arm.shoulder);
  EXPECT_TRUE(centre.good) << centre.advice;
  EXPECT_LT((centre.first - first).norm(), 0.01);
  EXPECT_LT((centre.second - second).norm(), 0.01);
  EXPECT_LT(centre.residual, 0.1) << "noise of 0.014 m/s^2 and the rates' differences";
}

TEST(FunctionalCalibration, FindsAPointOfAHingesAxisAndSaysThatTheRestIsOpen) {
  const Moved arm = moved(
      {0, 1, 2, 5, 6, 7, 8}, [](ImuSignalOptions&) {}, 2.5);
  const Joint truth = joint_from(arm, "elbow_flexion", 3);
  const JointCentre centre = find_joint_centre(arm.signals.samples, arm.elbow);
  const Vector3d off = centre.second - truth.centre;
  EXPECT_LT((off - truth.axis * truth.axis.dot(off)).norm(), 0.01) << "beside the axis";
  const Moved still = moved({}, [](ImuSignalOptions&) {});
  EXPECT_NE(find_joint_centre(still.signals.samples, still.elbow).advice.find("bend and stretch"),
            std::string::npos);
}

TEST(FunctionalCalibration, AnAxisAndGravityGiveAMounting) {
  const Moved arm =
      moved({0, 1, 2, 5, 6, 7, 8}, [](ImuSignalOptions& o) { o.mounting.turn = 5.0 * kDegree; });
  const ImuMount nominal = test::right_arm_mounts()[3], truth = arm.signals.mounts[3];
  const Vector3d axis_L = truth.R_LI * joint_from(arm, "elbow_flexion", 3).axis;  // the model knows it
  const HingeAxis axis = find_hinge_axis(arm.signals.samples, arm.elbow,
                                         test::right_arm_mounts()[2].R_LI.transpose() * Vector3d::UnitZ(),
                                         nominal.R_LI.transpose() * axis_L);
  const Vector3d down_L{0.3, 0.9, 0.1};  // any direction known from a pose
  const std::vector<DirectionPair> pairs{{axis_L, axis.second}, {down_L, truth.R_LI.transpose() * down_L}};
  EXPECT_LT(so3::distance(fit_mounting(pairs).R_LI, truth.R_LI), 1.0 * kDegree);
}

TEST(FunctionalCalibration, RefusesSensorsThatAreNotThere) {
  const std::vector<ImuSample> samples(10, ImuSample{0, std::vector<ImuReading>(2)});
  EXPECT_THROW((void)find_joint_centre(samples, {0, 2}), ConfigError);
  EXPECT_THROW((void)find_joint_centre(samples, {1, 1}), ConfigError);
  EXPECT_THROW((void)find_hinge_axis(samples, {0, 1}, Vector3d::Zero(), Vector3d::UnitX()), ConfigError);
}

}  // namespace
}  // namespace panto
