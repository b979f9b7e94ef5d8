#include "panto/api/live_calibration.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "panto/api/live_person.hpp"
#include "panto/base/error.hpp"
#include "panto/math/directions.hpp"
#include "panto/math/so3.hpp"
#include "tests/support/right_arm.hpp"
#include "tests/support/sensed_clips.hpp"

namespace panto {
namespace {

using test::kDegree;

const Model& human() {
  static const Model model = human48();
  return model;
}

std::vector<ImuMount> worn() { return test::turned_on_an_arm(); }
SensorSetup nominal() { return test::unturned_on_an_arm(); }

// samples of a person who holds poses for 3 s each, and moves for 1 s after each
std::vector<ImuSample> person(const std::vector<std::string>& poses,
                              const std::vector<ImuMount>& mounts = worn()) {
  ImuRecording recording(test::held_poses(human(), mounts, poses));
  std::vector<ImuSample> samples;
  for (ImuSample sample; recording.read(sample) == ReadStatus::Sample;) samples.push_back(sample);
  return samples;
}

struct Session {
  explicit Session(const std::string& poses, const SensorSetup& file = nominal(),
                   const std::vector<std::string>& names = {"upper", "fore"})
      : calibration(human(), file, names) {
    calibration.begin(poses);
  }
  void run(const std::vector<ImuSample>& samples) {
    for (const ImuSample& sample : samples) {
      if (auto now = calibration.add(sample)) {
        found = std::move(now);
        at = to_seconds(sample.t);
      }
      for (std::string& line : calibration.news()) said.push_back(std::move(line));
    }
  }
  [[nodiscard]] bool says(const std::string& words) const {
    return std::any_of(said.begin(), said.end(),
                       [&](const std::string& line) { return line.find(words) != std::string::npos; });
  }
  LiveCalibration calibration;
  std::optional<LiveCalibration::Found> found;
  double at = 0.0;  // [s]
  std::vector<std::string> said;
};

TEST(LiveCalibration, FindsMountsFromPosesThatAreHeldOneAfterTheOther) {
  Session session("npose tpose");
  session.run(person({"npose", "npose", "tpose", "tpose"}));
  ASSERT_TRUE(session.found);
  EXPECT_NEAR(session.at, 14.1, 0.3) << "[s] 3 to get into each pose, and 2 still after the shaking";
  for (std::size_t k = 0; k < 2; ++k)
    EXPECT_LT(so3::distance(session.found->sensors.setup.mounts[k].R_LI, worn()[k].R_LI), 0.1 * kDegree);
  EXPECT_EQ(session.found->pose.s, calibration_pose(human(), "tpose").s);
  EXPECT_TRUE(session.says("get into the npose (standing, arms hanging), facing ahead, within 3 s"));
  EXPECT_TRUE(session.says("npose held; now the tpose (arms out)"));
  EXPECT_TRUE(session.says("calibrated by npose, tpose: 2 sensors"));
  EXPECT_FALSE(session.says("may be off"));
  EXPECT_FALSE(session.says("gap")) << "the time between the poses is none";
  EXPECT_FALSE(session.calibration.waits());
}

TEST(LiveCalibration, TakesTheHeadingFromTheTrunkWhereAFieldIsMeasuredAndTheFileGivesNone) {
  SensorSetup file = nominal();
  std::vector<ImuMount> mounts = worn();
  mounts.push_back({"hip", "Pelvis", Eigen::Matrix3d::Identity(), Eigen::Vector3d::Zero()});
  file.setup.mounts.push_back(mounts.back());
  Session session("", file, {"upper", "fore", "hip"});
  session.run(person({"npose", "npose"}, mounts));
  ASSERT_TRUE(session.found);
  EXPECT_TRUE(session.found->sensors.has_field);
  EXPECT_TRUE(session.says("the person faces where 'hip' does"));
  for (std::size_t k = 0; k < 3; ++k)
    EXPECT_LT(so3::distance(session.found->sensors.setup.mounts[k].R_LI, mounts[k].R_LI), 0.1 * kDegree)
        << "one pose is enough with a field";
}

TEST(LiveCalibration, SaysWhichSensorsMayBeOff) {
  Session session("npose");
  std::vector<ImuSample> samples = person({"npose", "npose"});
  for (ImuSample& sample : samples)
    for (ImuReading& reading : sample.imus) reading.has_mag = false;
  session.run(samples);
  ASSERT_TRUE(session.found);
  EXPECT_TRUE(
      session.says("calibrated by npose: 2 sensors, of which 2 may be off; upper, fore: heading unknown"))
      << session.said.back();
}

TEST(LiveCalibration, EndsWithoutChangeWhereNobodyHoldsStill) {
  Session session("npose");
  std::vector<ImuSample> samples = person(std::vector<std::string>(10, "npose"));
  for (std::size_t k = 0; k < samples.size(); ++k)
    samples[k].imus[1].gyro.x() += 0.5 * std::sin(0.1 * static_cast<double>(k));
  session.run(samples);
  EXPECT_FALSE(session.found);
  EXPECT_TRUE(session.says("mounts stay as they were: not all sensors were still for 2 s"));
  EXPECT_TRUE(session.says("moving: upper, fore")) << session.said.back();
  EXPECT_FALSE(session.calibration.waits());
}

TEST(LiveCalibration, IsStoppedAndNotByAPoseThatItDoesNotKnow) {
  Session session("npose");
  session.calibration.begin("splits");
  EXPECT_TRUE(session.calibration.waits());
  session.calibration.begin("stop");
  EXPECT_FALSE(session.calibration.waits());
  session.run(person({"npose", "npose"}));
  EXPECT_FALSE(session.found);
  EXPECT_TRUE(session.says("calibration stopped"));
}

TEST(LiveCalibration, NamesASensorThatIsSilent) {
  Session session("npose");
  std::vector<ImuSample> samples = person(std::vector<std::string>(10, "npose"));
  for (ImuSample& sample : samples) sample.imus[1] = ImuReading{};
  session.run(samples);
  EXPECT_FALSE(session.found);
  EXPECT_TRUE(session.says("silent: fore"));
}

TEST(LiveCalibration, ASeatedPersonsBaseIsLower) {
  Session session("chair");
  session.run(person({"chair", "chair"}));
  ASSERT_TRUE(session.found);
  EXPECT_NEAR(session.found->lower, -0.45, 0.1) << "[m] about a thigh";
}

TEST(LiveCalibration, DoesNotTakeThePoseBeforeForTheNext) {
  Session session("npose tpose");
  std::vector<ImuSample> still = person({"npose"});
  still.resize(300);
  std::vector<ImuSample> samples;
  for (int k = 0; k < 17; ++k)
    for (const ImuSample& sample : still) {
      samples.push_back(sample);
      samples.back().t =
          frame_time(static_cast<std::int64_t>(samples.size()) - 1, test::SwayingPerson::kRate);
    }
  session.run(samples);
  EXPECT_FALSE(session.found);
  EXPECT_TRUE(session.says("npose held"));
  EXPECT_TRUE(session.says("the person did not leave the npose"));
}

TEST(LiveCalibration, RefusesPosesThatItDoesNotKnowAndModelsThatAreNoHuman) {
  Session session("npose splits");
  EXPECT_FALSE(session.calibration.waits());
  const std::vector<std::string> said = session.calibration.news();
  ASSERT_EQ(said.size(), 1U);
  EXPECT_NE(said[0].find("splits"), std::string::npos) << said[0];
  SensorSetup file;
  file.setup.mounts = {{"tip", "rod", Eigen::Matrix3d::Identity(), Eigen::Vector3d::Zero()}};
  ModelSpec spec;
  spec.name = "rod";
  spec.links.push_back({"rod"});
  LiveCalibration other(Model(std::move(spec)), file, {"tip"});
  other.begin("");
  EXPECT_FALSE(other.waits());
  EXPECT_EQ(other.news().size(), 1U);
  EXPECT_THROW(LiveCalibration(human(), nominal(), {"upper"}), ConfigError) << "a sensor is lacking";
}

TEST(LiveCalibration, LetsAFollowerGoOnWithTheMountsThatWereFound) {
  const LiveFollower<ImuSample> follower = live_sensors(human(), nominal(), {"upper", "fore"});
  const std::vector<ImuSample> samples =
      person({"npose", "npose", "tpose", "tpose", "tpose", "npose", "npose"});
  Kinematics truth(human());
  truth.update(calibration_pose(human(), "tpose"));
  const int link = human().link_index("RightForeArm");
  const Eigen::Vector3d up = truth.R_WL(link).transpose().col(2);
  LiveFrame frame = follower.sized;
  std::vector<std::string> said;
  double before = 0.0, after = 0.0;
  int cuts = 0;
  for (std::size_t k = 0; k < samples.size(); ++k) {
    if (k == 10) follower.calibrate("npose tpose");
    (void)follower.step(samples[k], frame);
    for (std::string& line : follower.news()) said.push_back(std::move(line));
    if (k > 0 && frame.person.cut) ++cuts;
    const Eigen::Vector3d now = frame.person.segments[HumanSegment::RightForeArm].R_WS.transpose().col(2);
    const double t = to_seconds(samples[k].t), off = angle_between(up, now);
    if (t > 10.5 && t < 11.0) before = std::max(before, off);
    if (t > 18.0 && t < 19.0) after = std::max(after, off);
  }
  ASSERT_FALSE(said.empty());
  EXPECT_NE(said.back().find("calibrated by npose, tpose"), std::string::npos) << said.back();
  EXPECT_GE(cuts, 1) << "the pose after it does not continue the one before";
  EXPECT_GT(before, 10.0 * kDegree) << "mounts that are only nominal";
  EXPECT_LT(after, 3.0 * kDegree);
}

}  // namespace
}  // namespace panto
