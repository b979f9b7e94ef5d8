// A user's program: tracks from bytes, retargets with planted feet, tracks sensors, prints verdicts.
//   consumer WALK.bvh

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "panto/api/check.hpp"
#include "panto/api/retarget.hpp"
#include "panto/api/track.hpp"
#include "panto/api/track_sensors.hpp"
#include "panto/io/open_imu.hpp"
#include "panto/io/open_model.hpp"
#include "panto/io/open_recording.hpp"
#include "panto/io/write_motion.hpp"
#include "panto/report/report.hpp"

namespace {

int failures = 0;

void expect(bool holds, const char* claim) {
  std::printf("%s: %s\n", holds ? "holds" : "FAILS", claim);
  if (!holds) ++failures;
}

std::string bytes_of(const char* path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void track_from_bytes(const std::string& bvh) {
  const auto walk = panto::io::open_recording(bvh, "walk.bvh");
  std::vector<std::string> notes;
  const panto::Model human = panto::human66(panto::subject_of(walk->info(), {}, {}, notes));
  const panto::TrackResult result = panto::track(*walk, human);
  expect(result.card.angle_p99_deg < 0.1, "every segment has a link of its own: within 0.1 degrees");
  const std::string csv = panto::io::motion_bytes(result.motion, human, "angles.csv");
  expect(csv.size() > result.motion.states.size() * 66, "the table has at least a character for each angle");
  const panto::CheckReport verdict =
      panto::check(result.card, panto::parse_thresholds(panto::kDefaultThresholds));
  expect(verdict.failed == 0, "a clean walk passes all checks");
  std::printf("%s%s", panto::to_text(result, human).c_str(),
              panto::verdict_of(verdict, "walk.bvh").sentence.c_str());
}

void retarget_with_planted_feet(const std::string& bvh) {
  const auto walk = panto::io::open_recording(bvh, "walk.bvh");
  const panto::Robot g1 = panto::robot_of(panto::io::open_robot("unitree_g1"));
  panto::RetargetOptions options;
  options.feet = panto::FeetMode::Plant;
  const panto::RetargetResult result = panto::retarget(*walk, g1, options);
  expect(!result.motion.states.empty(), "the robot moves");
  expect(result.figures.limit_violations == 0, "no joint leaves its limits");
  expect(result.figures.velocity_violations == 0, "no joint is faster than it may be");
  expect(result.figures.foot_skate_median_mm_s < 3.0, "planned feet slide by less than 3 mm/s");
  std::printf("%s\n%s", panto::verdict_of(result, g1.model).sentence.c_str(),
              panto::to_text(result, g1.model).c_str());
}

// One hinge about y that swings by 0.8 rad, and what a sensor on it measures, 0.3 m from the axis.
double swing(double t) { return 0.8 * std::sin(2.0 * t); }

panto::Model pendulum() {
  panto::ModelSpec spec;
  spec.name = "pendulum";
  spec.floating_base = false;
  spec.links = {panto::Link{"stand"}, panto::Link{"arm"}};
  panto::Joint hinge;
  hinge.name = "hinge";
  hinge.type = panto::JointType::Revolute;
  hinge.parent = "stand";
  hinge.child = "arm";
  hinge.axis = Eigen::Vector3d::UnitY();
  spec.joints = {hinge};
  return panto::Model{spec};
}

// Noise of a sensor: without it an axis that never turns counts as dead.
double noise(int i) { return 0.002 * std::sin(12.9898 * i * (i % 17 + 1)); }

std::string pendulum_csv() {
  std::string csv =
      "time_s,imu.gyro_x_rad_s,imu.gyro_y_rad_s,imu.gyro_z_rad_s,imu.acc_x_m_s2,imu.acc_y_m_s2,imu.acc_z_m_"
      "s2\n";
  for (int i = 0; i < 1000; ++i) {
    const double t = 0.01 * i, q = swing(t), rate = 1.6 * std::cos(2.0 * t), turn = -4.0 * q;
    char line[256];
    // the sensor hangs at (0, 0, -0.3): felt is its own acceleration less gravity, in its axes
    std::snprintf(line, sizeof line, "%.2f,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g\n", t, noise(6 * i),
                  rate + noise(6 * i + 1), noise(6 * i + 2),
                  -0.3 * turn - 9.80665 * std::sin(q) + noise(6 * i + 3), noise(6 * i + 4),
                  0.3 * rate * rate + 9.80665 * std::cos(q) + noise(6 * i + 5));
    csv += line;
  }
  return csv;
}

void track_sensors() {
  const panto::Model model = pendulum();
  const panto::SensorSetup sensors = panto::io::read_sensors(
      "kind = \"sensors\"\nversion = 1\n"
      "sensors = [{ name = \"imu\", link = \"arm\", position = [0.0, 0.0, -0.3] }]\n",
      "sensors.toml");
  const panto::SensorTrackResult result =
      panto::track(panto::io::open_imu(pendulum_csv(), "imu.csv"), model, sensors);
  double worst = 0.0;
  for (const panto::State& state : result.motion.states) {
    if (state.t < panto::from_seconds(1.0)) continue;  // it begins at rest, the pendulum does not
    worst = std::max(worst, std::abs(state.s[0] - swing(panto::to_seconds(state.t))));
  }
  std::printf("the hinge is off by up to %.4f rad\n", worst);
  expect(result.motion.states.size() == 1000, "every sample is answered");
  expect(worst < 0.02, "the hinge is within 0.02 rad: gravity shows its angle");
  expect(result.found.sensors.size() == 1, "there is one sensor");
  std::printf("%s", panto::to_text(result, model).c_str());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  try {
    const std::string bvh = bytes_of(argv[1]);
    track_from_bytes(bvh);
    retarget_with_planted_feet(bvh);
    track_sensors();
  } catch (const panto::Error& error) {
    std::printf("%s\n", error.what());
    return 3;
  }
  return failures == 0 ? 0 : 1;
}
