// How do sensors sit on a person? Found from an N-pose and a T-pose, 3 s each.
//   06_calibrate_sensors [READINGS]     of sensors with the names of segments: RightUpperArm, Pelvis, ...

#include <Eigen/Geometry>
#include <cstdio>
#include <numbers>

#include "panto/api/calibrate.hpp"
#include "panto/io/open_imu.hpp"
#include "panto/model/human.hpp"
#include "panto/report/report.hpp"

namespace {

int calibrate_poses(const char* readings) {
  const panto::ImuClip clip = panto::io::open_imu(readings);
  const panto::Model human = panto::human48();
  panto::CalibrateOptions options;
  options.poses = {"npose", "tpose"};
  const panto::CalibrateResult result =
      panto::calibrate(clip, human, panto::mounts_by_name(clip, human), options);

  constexpr double kDegrees = 180.0 / std::numbers::pi;
  for (const panto::FoundPose& pose : result.poses)
    std::printf("%s held from %.1f to %.1f s\n", pose.pose.c_str(), pose.held.from, pose.held.to);
  for (std::size_t i = 0; i < result.found.size(); ++i) {
    const panto::CalibratedSensor& sensor = result.found[i];
    const Eigen::AngleAxisd turn(result.nominal[i].R_LI.transpose() * sensor.mount.R_LI);
    std::printf("%s: turned by %.1f degrees about (%.2f, %.2f, %.2f), residual %.2f degrees%s%s\n",
                sensor.mount.name.c_str(), turn.angle() * kDegrees, turn.axis().x(), turn.axis().y(),
                turn.axis().z(), sensor.residual * kDegrees, sensor.good ? "" : ": ", sensor.advice.c_str());
  }
  // the setup for panto::track (example 05); as a file that `panto track --sensors` reads:
  const std::string file = panto::io::sensors_text(result.sensors);
  std::printf("the file of sensors has %zu bytes\n", file.size());
  std::printf("%s\n", panto::verdict_of(result).sentence.c_str());
  return result.good ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return calibrate_poses(argc > 1 ? argv[1] : PANTO_EXAMPLE_DATA "/poses_imu.csv");
  } catch (const panto::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 3;
  }
}
