#include "panto/api/calibrate.hpp"

#include <gtest/gtest.h>

#include "panto/io/open_imu.hpp"
#include "panto/math/so3.hpp"
#include "panto/tracking/sensed_body.hpp"
#include "tests/support/refusals.hpp"
#include "tests/support/right_arm.hpp"
#include "tests/support/sensed_clips.hpp"
#include "tests/support/test_data.hpp"

namespace panto {
namespace {

using test::held_poses;
using test::kDegree;
using test::names;
using test::refusal_of;
using test::setup_of;

const Model& human() {
  static const Model model = human48();
  return model;
}

std::vector<ImuMount> worn() { return test::turned_on_an_arm(); }
SensorSetup nominal() { return test::unturned_on_an_arm(); }

double off_deg(const ImuMount& found, const ImuMount& truth) {
  return so3::distance(found.R_LI, truth.R_LI) / kDegree;
}

TEST(Calibrate, TwoPosesTellHowSensorsAreTurned) {
  std::vector<std::string> notes;
  Observer observer;
  observer.note = [&](std::string_view text) { notes.emplace_back(text); };
  ImuClip clip = held_poses(human(), worn(), {"npose", "tpose"});
  clip.notes = {"read by hand"};
  const CalibrateResult result = calibrate(clip, human(), nominal(), {.poses = {"npose", "tpose"}}, observer);
  EXPECT_TRUE(result.good);
  ASSERT_EQ(result.poses.size(), 2U);
  EXPECT_EQ(result.poses[1].pose, "tpose");
  EXPECT_NEAR(result.poses[1].held.from, 4.0, 0.6) << "[s]";
  EXPECT_NEAR(result.poses[1].held.to, 7.0, 0.6);
  ASSERT_EQ(result.found.size(), 2U);
  for (std::size_t k = 0; k < 2; ++k) {
    EXPECT_LT(off_deg(result.found[k].mount, worn()[k]), 0.1) << result.found[k].advice;
    EXPECT_EQ(result.sensors.setup.mounts[k].R_LI, result.found[k].mount.R_LI) << "goes to track";
    EXPECT_TRUE(result.nominal[k].R_LI.isIdentity());
  }
  EXPECT_EQ(result.sensors.setup.gyro_bias.size(), 2U);
  EXPECT_TRUE(result.motion.sensors.empty());
  EXPECT_EQ(result.notes, notes);
  EXPECT_EQ(notes.front(), "read by hand");
}

TEST(Calibrate, AnotherPostureThatWasHeldStillIsADoubt) {
  SensorSetup sensors = nominal();
  sensors.setup.mounts[0].R_LI = worn()[0].R_LI;
  const auto posed = [&](const std::vector<std::string>& held) {
    return calibrate(held_poses(human(), worn(), held), human(), sensors,
                     {.poses = {"npose"}, .trusted = "upper"});
  };
  const CalibrateResult two = posed({"npose", "tpose"}), same = posed({"npose", "npose"});
  ASSERT_EQ(two.other_held.size(), 1U) << "it may have been the one that was meant";
  EXPECT_NEAR(two.other_held[0].from, 4.0, 0.6) << "[s]";
  EXPECT_NEAR(two.other_held[0].to, 7.0, 0.6);
  EXPECT_TRUE(same.other_held.empty()) << "the same posture twice tells the same";
}

TEST(Calibrate, ATrustedSensorTellsTheFieldOfOnePose) {
  const ImuClip clip = held_poses(human(), worn(), {"npose"});
  SensorSetup sensors = nominal();
  sensors.setup.mounts[0].R_LI = worn()[0].R_LI;
  const CalibrateResult result = calibrate(clip, human(), sensors, {.poses = {"npose"}, .trusted = "upper"});
  EXPECT_TRUE(result.good);
  EXPECT_TRUE(result.sensors.has_field);
  EXPECT_EQ(result.sensors.setup.filter.magnetic, MagneticUse::Heading);
  EXPECT_LT(off_deg(result.found[1].mount, worn()[1]), 0.1);
  const CalibrateResult alone = calibrate(clip, human(), sensors, {.poses = {"npose"}});
  EXPECT_FALSE(alone.good) << "gravity leaves the heading open";
  EXPECT_NE(alone.found[1].advice, "");
}

TEST(Calibrate, ATrustedMountThatNobodyGaveIsSaid) {
  const ImuClip clip = held_poses(human(), worn(), {"npose"});
  SensorSetup sensors = nominal();
  const auto said = [&] {
    std::string all;
    for (const std::string& note :
         calibrate(clip, human(), sensors, {.poses = {"npose"}, .trusted = "upper"}).notes)
      all += note;
    return names(all, "trusted sensor 'upper': its axes are taken as those of RightUpperArm");
  };
  EXPECT_TRUE(said());
  sensors.setup.mounts[0].R_LI = worn()[0].R_LI;
  EXPECT_FALSE(said());
}

TEST(Calibrate, AMountThatMustBeRepeatedStaysAssumedThroughItsFile) {
  const ImuClip clip = held_poses(human(), worn(), {"npose"});
  const CalibrateResult failed = calibrate(clip, human(), nominal(), {.poses = {"npose"}});
  ASSERT_FALSE(failed.good) << "gravity leaves the heading open";
  const SensorSetup read = io::read_sensors(io::sensors_text(failed.sensors, "", {}), "subject.toml");
  EXPECT_EQ(assumed_mounts(read, human()), (std::vector<std::string>{"upper", "fore"}));
  const CalibrateResult good = calibrate(held_poses(human(), worn(), {"npose", "tpose"}), human(), nominal(),
                                         {.poses = {"npose", "tpose"}});
  EXPECT_TRUE(assumed_mounts(good.sensors, human()).empty());
}

TEST(Calibrate, SensorsWithTheNameOfALinkAreMountedOnIt) {
  std::vector<ImuMount> mounts = worn();
  for (ImuMount& mount : mounts) mount.name = mount.link;
  ImuClip clip = held_poses(human(), mounts, {"npose"});
  clip.sensors[1] = "watch";
  const SensorSetup setup = mounts_by_name(clip, human());
  ASSERT_EQ(setup.setup.mounts.size(), 1U);
  EXPECT_EQ(setup.setup.mounts[0].link, "RightUpperArm");
  EXPECT_FALSE(setup.has_field);
  EXPECT_EQ(setup.setup.filter.magnetic, MagneticUse::Off);
  clip.sensors[0] = "phone";
  EXPECT_TRUE(names(refusal_of<ConfigError>([&] { (void)mounts_by_name(clip, human()); }),
                    "imu.csv: no sensor name", "phone, watch", "Pelvis"));
}

struct MovedArm {
  Model model = dh_model(test::right_arm_tree(PANTO_CHAINS));
  ImuClip clip;
  SensorSetup nominal;

  MovedArm() {
    const Synthesis truth = test::arm_at_work(model, 1, 2.0);
    const ImuSignals signals =
        imu_signals(model, motion_law(truth), test::right_arm_mounts(), test::suit_signals(1, 20.0));
    std::vector<std::string> sensors;
    nominal.setup.mounts = test::right_arm_mounts();
    for (ImuMount& mount : nominal.setup.mounts) {
      sensors.push_back(mount.name);
      mount.p_LI += Eigen::Vector3d(0.01, -0.01, 0.01);
    }
    nominal.name = "arm.toml";
    clip = test::clip_of(sensors, signals.samples);
  }
};

const MovedArm& moved_arm() {
  static const MovedArm arm;
  return arm;
}

TEST(Calibrate, MotionPlacesSensorsAndShowsLengths) {
  const MovedArm& arm = moved_arm();
  const CalibrateResult result = calibrate(arm.clip, arm.model, arm.nominal, {.motions = {TimeSpan{}}});
  ASSERT_EQ(result.found.size(), 5U);
  ASSERT_EQ(result.motion.sensors.size(), 5U);
  EXPECT_FALSE(result.motion.joints.empty() || result.motion.lengths.empty());
  EXPECT_TRUE(result.poses.empty());
  const Eigen::Vector3d truth = test::right_arm_mounts()[3].p_LI;
  EXPECT_LT((result.found[3].mount.p_LI - truth).norm(), (arm.nominal.setup.mounts[3].p_LI - truth).norm());
  ASSERT_FALSE(result.notes.empty());
  EXPECT_TRUE(names(result.notes.back(), "found no second in which all sensors are still", "sternum"));
}

TEST(Calibrate, APartOfTheMotionIsItsSamplesAlone) {
  const MovedArm& arm = moved_arm();
  const CalibrateResult all = calibrate(arm.clip, arm.model, arm.nominal, {.motions = {TimeSpan{}}}),
                        whole = calibrate(arm.clip, arm.model, arm.nominal, {.motions = {{0.0, 20.5}}}),
                        first = calibrate(arm.clip, arm.model, arm.nominal, {.motions = {{0.0, 10.0}}}),
                        second = calibrate(arm.clip, arm.model, arm.nominal, {.motions = {{10.0, 20.5}}});
  EXPECT_EQ(all.motion.joints[0].samples, whole.motion.joints[0].samples);
  EXPECT_NEAR(first.motion.joints[0].samples + second.motion.joints[0].samples, all.motion.joints[0].samples,
              8)
      << "rates are differentiated over a few samples, which the cut costs";
}

std::string refused(const ImuClip& clip, const SensorSetup& sensors, const CalibrateOptions& options) {
  return refusal_of([&] { (void)calibrate(clip, human(), sensors, options); });
}

TEST(Calibrate, RefusesPosesThatItCannotFindAndOptionsThatContradictEachOther) {
  const ImuClip clip = held_poses(human(), worn(), {"npose"});
  EXPECT_TRUE(names(refused(clip, nominal(), {}), "nothing to calibrate from"));
  EXPECT_TRUE(names(refused(clip, nominal(), {.poses = {"yoga"}}), "yoga", "npose"));
  EXPECT_TRUE(names(refused(clip, nominal(), {.poses = {"npose", "tpose"}}), "imu.csv: 2 poses given",
                    "hold each pose for 3 s"));
  EXPECT_TRUE(names(refused(clip, nominal(), {.walk = TimeSpan{}, .motions = {TimeSpan{}}}),
                    "a walk needs a held pose"));
  EXPECT_TRUE(names(refused(clip, nominal(), {.motions = {TimeSpan{}}, .trusted = "upper"}),
                    "a trusted sensor needs a held pose"));
  SensorSetup field = nominal();
  field.has_field = true;
  EXPECT_TRUE(names(refused(clip, field, {.poses = {"npose"}, .trusted = "upper"}),
                    "gives the magnetic field", "sensors.toml"));
  EXPECT_TRUE(
      names(refused(clip, field, {.poses = {"npose"}, .walk = TimeSpan{}}), "without a magnetic field"));
  EXPECT_TRUE(names(refused(clip, nominal(), {.poses = {"npose"}, .trusted = "thumb"}), "thumb"));
}

TEST(Calibrate, RefusesInvalidSpansAndHingesThatTheModelLacks) {
  const MovedArm& arm = moved_arm();
  const auto said = [&](const CalibrateOptions& options) {
    return refusal_of<ConfigError>([&] { (void)calibrate(arm.clip, arm.model, arm.nominal, options); });
  };
  EXPECT_TRUE(names(said({.motions = {{4.0, 4.0}}}), "a motion from 4 to 4 s", "end after its beginning"));
  EXPECT_TRUE(names(said({.motions = {{-1.0, 4.0}}}), "must begin at 0 s or later"));
  EXPECT_TRUE(names(said({.motions = {{20.0, 30.0}}}), "a motion from 20 to 30 s", "lasts from 0 to 20.0 s"));
  EXPECT_TRUE(names(said({.hinges = {{"elbow", TimeSpan{}}}}), "no joint 'elbow'", "elbow_flexion"));
  EXPECT_TRUE(names(said({.hinges = {{"elbow_flexion", {30.0, 40.0}}}}), "hinge 'elbow_flexion' from 30"));
}

TEST(Calibrate, RefusesAClipThatCannotBeRight) {
  ImuClip clip = held_poses(human(), worn(), {"npose"});
  for (ImuReading& reading : clip.readings) reading.acc /= 9.80665;
  EXPECT_TRUE(names(refused(clip, nominal(), {.poses = {"npose"}}), "imu.csv: ", "are in g"));
  SensorSetup sensors = nominal();
  sensors.setup.mounts[1].link = "Tail";
  EXPECT_TRUE(names(refused(held_poses(human(), worn(), {"npose"}), sensors, {.poses = {"npose"}}), "Tail"));
}

TEST(Calibrate, ARealPersonWhoStandsBeforeAWalkIsCalibratedByThat) {
  PANTO_NEED_DATA("inertial/opensense/example_lowerbody");
  const ImuClip clip = io::open_imu(test::data_file("inertial/opensense/example_lowerbody"));
  SensorSetup sensors;
  sensors.setup.filter.magnetic = MagneticUse::Off;
  for (const auto& [name, link] : {std::pair{"00B42279", "Pelvis"},
                                   {"00B4227C", "RightUpperLeg"},
                                   {"00B4227D", "RightLowerLeg"},
                                   {"00B421EF", "RightFoot"}}) {
    ImuMount mount;
    mount.name = name;
    mount.link = link;
    sensors.setup.mounts.push_back(mount);
  }
  const CalibrateResult result =
      calibrate(clip, human(), sensors, {.poses = {"npose"}, .trusted = "00B42279"});
  EXPECT_TRUE(result.good);
  ASSERT_EQ(result.poses.size(), 1U);
  EXPECT_LT(result.poses[0].held.from, 0.5) << "[s]";
  EXPECT_NEAR(result.poses[0].held.to, 5.0, 1.0) << "the person walks off after five seconds";
}

}  // namespace
}  // namespace panto
