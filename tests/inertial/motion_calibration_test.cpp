#include "panto/inertial/motion_calibration.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>

#include "panto/inertial/sensed_joints.hpp"
#include "panto/math/directions.hpp"
#include "panto/model/human.hpp"
#include "tests/support/right_arm.hpp"

namespace panto {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using test::kDegree;

const Model& arm() {
  static const Model model = dh_model(test::right_arm_tree(PANTO_CHAINS));
  return model;
}

State working_pose(const Model& model) {
  State pose = rest_state(model);
  for (std::size_t j = 0; j < test::kWork.size(); ++j)
    pose.s[static_cast<Eigen::Index>(j)] = test::kWork[j][0] * kDegree;
  return pose;
}

// joints of kWork between the same two sensors as `joint`
std::vector<int> neighbours(int joint) {
  const std::vector<std::vector<int>> groups{{0, 1, 2}, {3, 4}, {5, 6, 7}, {8, 9}, {10, 11}};
  return *std::find_if(groups.begin(), groups.end(), [&](const std::vector<int>& group) {
    return std::find(group.begin(), group.end(), joint) != group.end();
  });
}

using Faults = std::function<void(ImuSignalOptions&)>;

ImuSignals felt(const Model& model, const Synthesis& motion, const Faults& faults, double duration) {
  ImuSignalOptions suit = test::suit_signals(3, duration);
  faults(suit);
  return imu_signals(model, motion_law(motion), test::right_arm_mounts(), suit);
}

// one hinge moves alone between its sensors, and all joints nearer to the root with it
ImuSignals hinge_alone(int joint, const Faults& faults, double duration = 12.0) {
  // trunk and collarbone reach 8 to 12 deg only: they hurry
  const Synthesis work = test::arm_at_work(arm(), 5, joint < 5 ? 4.0 : 1.5);
  const std::vector<int> group = neighbours(joint);
  std::vector<Curve> joints;
  for (int j = 0; j < 12; ++j) {
    const Curve& curve = work.joints()[at(j)];
    joints.push_back(j == joint || j < group.front() ? curve : Curve(curve.constant()));
  }
  return felt(arm(), Synthesis("hinge", arm(), joints, {}, 0.0), faults, duration);
}

ImuSignals everything(const Faults& faults, double tempo = 2.5, double duration = 20.0) {
  return felt(arm(), test::arm_at_work(arm(), 5, tempo), faults, duration);
}

// the parts of a session; signals are kept beside it
struct Recorded {
  std::vector<std::pair<std::string, ImuSignals>> hinges;
  std::vector<ImuSignals> free;
  [[nodiscard]] MovedSession session() const {
    MovedSession session;
    session.mounts = test::right_arm_mounts();
    session.gyro_bias.assign(session.mounts.size(), Vector3d::Zero());
    session.held = working_pose(arm());
    for (const auto& [name, signals] : hinges) session.hinges.push_back({name, signals.samples});
    for (const ImuSignals& signals : free) session.free.emplace_back(signals.samples);
    return session;
  }
};

const std::vector<std::string> kMoved{
    "torso_flexion",    "torso_rotation", "clavicle_protraction", "clavicle_depression", "shoulder_rotation",
    "shoulder_flexion", "elbow_flexion",  "forearm_supination",   "wrist_flexion",       "wrist_deviation"};

Recorded record(const Faults& faults, const std::vector<std::string>& hinges = kMoved, bool free = true) {
  Recorded recorded;
  for (const std::string& name : hinges)
    recorded.hinges.emplace_back(name, hinge_alone(arm().joint_index(name), faults));
  if (free) recorded.free.push_back(everything(faults));
  return recorded;
}

std::string refusal(const MovedSession& session, const Model& model = arm()) {
  try {
    (void)calibrate_motion(model, session);
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

const Faults kNothing = [](ImuSignalOptions&) {};
const Faults kTurned = [](ImuSignalOptions& o) { o.mounting.turn = 3.0 * kDegree; };

TEST(SensedJoints, LieBetweenASensorAndTheOneBeforeItAndAreCentredWhereAxesMeet) {
  const std::vector<SensedJoint> joints = sensed_joints(arm(), test::right_arm_mounts());
  ASSERT_EQ(joints.size(), 5U);
  const std::vector<std::size_t> hinges{3, 2, 3, 2, 2};
  for (int k = 0; k < 5; ++k) {
    EXPECT_EQ(joints[at(k)].before, k - 1) << "the base stands fast before the first";
    EXPECT_EQ(joints[at(k)].behind, k);
    EXPECT_EQ(joints[at(k)].bodies.size(), hinges[at(k)]);
    EXPECT_TRUE(joints[at(k)].centred);
  }
  // without the shoulder's sensor five hinges of two centres lie between breastbone and upper arm
  std::vector<ImuMount> fewer = test::right_arm_mounts();
  fewer.erase(fewer.begin() + 1);
  const std::vector<SensedJoint> wide = sensed_joints(arm(), fewer);
  EXPECT_EQ(wide[1].bodies.size(), 5U);
  EXPECT_FALSE(wide[1].centred);
}

TEST(SensedJoints, AFloatingBaseThatCarriesNoSensorIsNoneThatStandsFast) {
  const Model human = human66();
  const std::vector<ImuMount> mounts{{"a", "T8"}, {"b", "RightUpperArm"}};
  const std::vector<SensedJoint> joints = sensed_joints(human, mounts);
  ASSERT_EQ(joints.size(), 1U);
  EXPECT_EQ(joints[0].before, 0);
  EXPECT_EQ(joints[0].behind, 1);
}

TEST(SensedJoints, KnowWhereTheModelHasAxesAndCentres) {
  const std::vector<ImuMount> mounts = test::right_arm_mounts();
  const std::vector<SensedJoint> joints = sensed_joints(arm(), mounts);
  // a hinge's axis is the same line from both sides, whatever the hinge does
  State pose = working_pose(arm());
  const int elbow = arm().joint_index("elbow_flexion");
  const SensedAxis before = axis_between(arm(), mounts, joints[3], elbow, pose);
  const SensedCentre centre = centre_between(arm(), mounts, joints[3], pose);
  pose.s[elbow] += 0.7;
  const SensedAxis after = axis_between(arm(), mounts, joints[3], elbow, pose);
  EXPECT_LT((before.in_first - after.in_first).norm(), 1e-12);
  EXPECT_LT((before.in_second - after.in_second).norm(), 1e-12);
  EXPECT_EQ(before.first_lever, 0.0) << "it is the first after the upper arm";
  EXPECT_NEAR(before.second_lever, std::sin(78.0 * kDegree), 1e-9) << "supination turns it, 78 deg across";
  const SensedCentre moved = centre_between(arm(), mounts, joints[3], pose);
  EXPECT_LT((centre.in_first - moved.in_first).norm(), 1e-9);
  EXPECT_LT((centre.in_second - moved.in_second).norm(), 1e-9);
  EXPECT_NEAR(centre.in_second.norm(), 0.26, 1e-9) << "the forearm's frame is at the wrist";
}

TEST(MotionCalibration, TurnsEverySensorToTheModelsAxes) {
  const Recorded recorded = record(kTurned);
  MotionCalibrationOptions options;
  options.held = options.flesh = 0.01;  // neighbours do keep still, and there is no flesh
  const MotionCalibration found = calibrate_motion(arm(), recorded.session(), options);
  const std::vector<ImuMount>& truth = recorded.free.front().mounts;
  for (std::size_t k = 0; k < truth.size(); ++k) {
    const MovedSensor& sensor = found.sensors[k];
    // up to 7.9 deg before; what is left is the pull of the nominal mounts, of 3 deg an axis
    EXPECT_LT(so3::distance(sensor.mount.R_LI, truth[k].R_LI), 1.0 * kDegree) << truth[k].name;
    EXPECT_TRUE(sensor.good) << truth[k].name << ": " << sensor.advice;
    ASSERT_TRUE(sensor.mount.turn_sigma.has_value());
    EXPECT_LT(*sensor.mount.turn_sigma, 1.5 * kDegree) << truth[k].name;
  }
  for (const JointFinding& joint : found.joints) {
    if (joint.kind != JointFinding::Kind::Axis) continue;
    EXPECT_TRUE(joint.good) << joint.joints[0] << ": " << joint.advice;
    EXPECT_LT(joint.residual, 0.003) << "noise of 0.0012 rad/s in two axes of two sensors";
  }
}

TEST(MotionCalibration, PlacesSensorsByTheJointsCentres) {
  const Recorded recorded = record([](ImuSignalOptions& o) { o.mounting.shift = 0.02; });
  const MotionCalibration found = calibrate_motion(arm(), recorded.session());
  const std::vector<ImuMount>&truth = recorded.free.front().mounts, nominal = test::right_arm_mounts();
  for (std::size_t k = 1; k < truth.size(); ++k) {  // the trunk turns too slowly for its own
    EXPECT_LT((found.sensors[k].mount.p_LI - truth[k].p_LI).norm(), 0.012) << truth[k].name;
    EXPECT_GT((nominal[k].p_LI - truth[k].p_LI).norm(), 0.012) << "there is something to be found";
  }
}

TEST(MotionCalibration, MeasuresSegmentsBetweenTwoCentres) {
  const Recorded recorded = record(kNothing);
  const MotionCalibration found = calibrate_motion(arm(), recorded.session());
  const auto length = [&](const char* link) {
    return *std::find_if(found.lengths.begin(), found.lengths.end(),
                         [&](const SegmentLength& one) { return one.link == link; });
  };
  ASSERT_GE(found.lengths.size(), 2U);
  EXPECT_NEAR(length("upper_arm").model, 0.30, 1e-9);
  EXPECT_NEAR(length("upper_arm").found, 0.30, 0.01);
  EXPECT_NEAR(length("forearm").model, 0.26, 1e-9);
  EXPECT_NEAR(length("forearm").found, 0.26, 0.01);
}

TEST(MotionCalibration, AHingeThatIsABallIsToBeRepeated) {
  Recorded recorded;
  recorded.hinges.emplace_back("shoulder_flexion", everything(kNothing));  // all three turn
  const MotionCalibration found = calibrate_motion(arm(), recorded.session());
  ASSERT_EQ(found.joints.size(), 1U);
  EXPECT_FALSE(found.joints[0].good);
  EXPECT_NE(found.joints[0].advice.find("only this joint"), std::string::npos) << found.joints[0].advice;
  for (std::size_t k = 0; k < found.sensors.size(); ++k) {
    EXPECT_EQ(found.sensors[k].directions, 0) << "what is no axis turns nobody";
    EXPECT_TRUE(found.sensors[k].mount.R_LI.isApprox(test::right_arm_mounts()[k].R_LI, 0.0));
    EXPECT_FALSE(found.sensors[k].good);
  }
}

TEST(MotionCalibration, SaysWhichSideTheMotionDoesNotShow) {
  // the upper arm is still while the elbow bends: it never feels the axis
  const Synthesis work = test::arm_at_work(arm(), 5, 1.5);
  std::vector<Curve> joints;
  for (std::size_t j = 0; j < 12; ++j)
    joints.push_back(j == 8 ? work.joints()[j] : Curve(work.joints()[j].constant()));
  Recorded recorded;
  recorded.hinges.emplace_back("elbow_flexion",
                               felt(arm(), Synthesis("bend", arm(), joints, {}, 0.0), kTurned, 12.0));
  const MotionCalibration found = calibrate_motion(arm(), recorded.session());
  EXPECT_TRUE(found.joints[0].good) << found.joints[0].advice;
  EXPECT_NE(found.joints[0].advice.find("in 'upper_arm' the motion does not show the axis"),
            std::string::npos);
  EXPECT_EQ(found.sensors[2].directions, 0);
  EXPECT_EQ(found.sensors[3].directions, 1);
  // one axis leaves the turn about it open, and the advice names a hinge across it
  EXPECT_FALSE(found.sensors[3].good);
  EXPECT_NE(found.sensors[3].advice.find("move only hinge '"), std::string::npos) << found.sensors[3].advice;
}

TEST(MotionCalibration, ASensorOnAnotherSegmentIsNotTurnedHalfWayRound) {
  MovedSession session;
  const Recorded recorded = record(kNothing, {"elbow_flexion"}, false);
  session = recorded.session();
  const std::vector<SensedJoint> joints = sensed_joints(arm(), session.mounts);
  const int elbow = arm().joint_index("elbow_flexion");
  const Vector3d axis = axis_between(arm(), session.mounts, joints[3], elbow, session.held).in_second;
  session.mounts[3].R_LI = so3::exp(1.3 * across(axis)) * session.mounts[3].R_LI;
  const Matrix3d given = session.mounts[3].R_LI;
  const MotionCalibration found = calibrate_motion(arm(), session);
  EXPECT_FALSE(found.joints[0].good);
  EXPECT_NE(found.joints[0].advice.find("check that this hinge moved"), std::string::npos);
  EXPECT_TRUE(found.sensors[3].mount.R_LI.isApprox(given, 0.0));
}

TEST(MotionCalibration, ReadingsThatAreNoNumbersDoNotCount) {
  Recorded recorded = record(kTurned, {"elbow_flexion"}, false);
  const MotionCalibration clean = calibrate_motion(arm(), recorded.session());
  std::vector<ImuSample>& samples = recorded.hinges[0].second.samples;
  for (std::size_t i = 100; i < 200; ++i)
    samples[i].imus[3].gyro[1] = std::numeric_limits<double>::quiet_NaN();
  const MotionCalibration found = calibrate_motion(arm(), recorded.session());
  EXPECT_TRUE(found.sensors[3].mount.R_LI.allFinite());
  EXPECT_LT(found.joints[0].samples, clean.joints[0].samples);
  EXPECT_LT(so3::distance(found.sensors[3].mount.R_LI, clean.sensors[3].mount.R_LI), 0.5 * kDegree)
      << "a second of twelve is missing";
}

TEST(MotionCalibration, RefusesWhatCannotBeCalibratedByName) {
  const Recorded recorded = record(kNothing, {"elbow_flexion"}, false);
  const auto refused = [&](const std::function<void(MovedSession&)>& change) {
    MovedSession session = recorded.session();
    change(session);
    return refusal(session);
  };
  EXPECT_EQ(refused([](MovedSession&) {}), "accepted");
  EXPECT_NE(refused([](MovedSession& s) { s.hinges[0].joint = "elbow_flexon"; }).find("'elbow_flexion'"),
            std::string::npos);
  EXPECT_NE(refused([](MovedSession& s) { s.hinges.clear(); }).find("with motion"), std::string::npos);
  EXPECT_NE(refused([](MovedSession& s) { s.gyro_bias.pop_back(); }).find("4 biases for 5 sensors"),
            std::string::npos);
  const std::string behind = refused([](MovedSession& s) { s.mounts.resize(3), s.gyro_bias.resize(3); });
  EXPECT_NE(
      behind.find(
          "hinge 'elbow_flexion' needs a sensor on both sides, but has none after it: add one on elbow"),
      std::string::npos)
      << behind;
  // nobody moved
  const Synthesis still("still", arm(), std::vector<Curve>(12, Curve(0.1)), {}, 0.0);
  const ImuSignals quiet = felt(arm(), still, kNothing, 5.0);
  const std::string no_motion = refused([&](MovedSession& s) { s.hinges[0].samples = quiet.samples; });
  EXPECT_NE(no_motion.find("turns faster than 0.5 rad/s"), std::string::npos) << no_motion;
  const std::string no_free = refused([&](MovedSession& s) {
    s.hinges.clear();
    s.free.emplace_back(quiet.samples);
  });
  EXPECT_NE(no_free.find("turns faster"), std::string::npos) << no_free;
}

TEST(MotionCalibration, AFloatingBodyNeedsASensorBeforeAHinge) {
  const Model human = human66();
  MovedSession session;
  session.mounts = {{"hand", "RightHand"}};
  session.gyro_bias = {Vector3d::Zero()};
  session.held = rest_state(human);
  const std::vector<ImuSample> samples(10, ImuSample{0, std::vector<ImuReading>(1)});
  session.hinges.push_back({"jRightElbow_rotz", samples});
  const std::string said = refusal(session, human);
  EXPECT_NE(
      said.find("'jRightElbow_rotz' needs a sensor on both sides, but has none before it: add one on Pelvis"),
      std::string::npos)
      << said;
}

}  // namespace
}  // namespace panto
