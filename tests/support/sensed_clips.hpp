#pragma once
// Clips of raw sensors whose truth is known, and what is told of the sensors.

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "panto/inertial/calibration.hpp"
#include "panto/inertial/sensor_setup.hpp"
#include "panto/math/so3.hpp"
#include "panto/model/kinematics.hpp"
#include "panto/recording/imu_recording.hpp"
#include "tests/support/swaying_person.hpp"

namespace panto::test {

inline ImuClip clip_of(std::vector<std::string> sensors, const std::vector<ImuSample>& samples) {
  return imu_clip("imu.csv", SwayingPerson::kRate, std::move(sensors), samples);
}

/// Five sensors on legs whose hips and knees bend. (Where more sways, the unit check takes what the left
/// thigh feels for degrees.)
inline SwayingPerson swaying_legs(double seconds = 3.0) {
  return SwayingPerson(SwayingPerson::legs(), seconds, [](const std::string& joint) {
    const bool leg = joint.find("Hip") != std::string::npos || joint.find("Knee") != std::string::npos;
    return leg && joint.find("roty") != std::string::npos;
  });
}

inline ImuClip clip_of(const SwayingPerson& person) { return clip_of(person.sensors, person.samples); }

/// `setup` as a file "sensors.toml" that gives a field.
inline SensorSetup setup_of(InertialSetup setup) {
  SensorSetup file;
  file.setup = std::move(setup);
  file.has_field = true;
  file.name = "sensors.toml";
  return file;
}

/// Two sensors on an arm, turned anyhow.
inline std::vector<ImuMount> turned_on_an_arm() {
  return {{"upper", "RightUpperArm", so3::exp({0.2, -0.4, 0.3}), Eigen::Vector3d::Zero()},
          {"fore", "RightForeArm", so3::exp({-0.5, 0.1, 0.6}), Eigen::Vector3d::Zero()}};
}
/// What a file says of them that knows nothing of how they are turned, and gives no field.
inline SensorSetup unturned_on_an_arm() {
  InertialSetup setup;
  setup.filter.magnetic = MagneticUse::Off;
  for (ImuMount mount : turned_on_an_arm()) {
    mount.R_LI.setIdentity();
    setup.mounts.push_back(mount);
  }
  SensorSetup file = setup_of(setup);
  file.has_field = false;
  return file;
}

/// A person who holds poses for 3 s each and shakes for 1 s after each: exact gravity and field, no rates.
inline ImuClip held_poses(const Model& human, const std::vector<ImuMount>& mounts,
                          const std::vector<std::string>& poses) {
  constexpr int kHeld = 300, kCycle = 400;
  const Surroundings around;
  std::vector<std::string> names;
  for (const ImuMount& mount : mounts) names.push_back(mount.name);
  std::vector<ImuSample> samples;
  Kinematics kinematics(human);
  for (int k = 0; k < kCycle * static_cast<int>(poses.size()); ++k) {
    kinematics.update(calibration_pose(human, poses[static_cast<std::size_t>(k / kCycle)]));
    ImuSample& sample = samples.emplace_back();
    sample.t = frame_time(k, SwayingPerson::kRate);
    const double noise = k % 2 == 0 ? 1e-4 : -1e-4;  // a value that never changes is not believed
    const double shaken = k % kCycle >= kHeld ? 2e4 * noise : noise;
    for (const ImuMount& mount : mounts) {
      const Eigen::Matrix3d R_IW = (kinematics.R_WL(human.link_index(mount.link)) * mount.R_LI).transpose();
      ImuReading& reading = sample.imus.emplace_back();
      reading.gyro.setConstant(noise);
      reading.acc = (R_IW * -around.gravity_W).array() + shaken;
      reading.mag = (R_IW * around.field_W).array() + 1e-3 * noise;
      reading.has_gyro = reading.has_acc = reading.has_mag = true;
    }
  }
  return clip_of(names, samples);
}

}  // namespace panto::test
