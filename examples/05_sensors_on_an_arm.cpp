// What do two inertial sensors on an arm say about its joints, and how sure is that?
//   05_sensors_on_an_arm [READINGS MODEL SENSORS]     of these files: docs/formats/imu.md, sensors.md

#include <cstdio>
#include <numbers>

#include "panto/api/track_sensors.hpp"
#include "panto/io/open_imu.hpp"
#include "panto/io/open_model.hpp"
#include "panto/report/report.hpp"

namespace {

int track_arm(const char* readings, const char* model, const char* sensors) {
  std::vector<std::string> notes;
  const panto::Model arm = panto::io::open_model(model, panto::scaled_subject(1.75), notes);
  panto::SensorTrackOptions options;
  options.deviations = true;
  const panto::SensorTrackResult result =
      panto::track(panto::io::open_imu(readings), arm, panto::io::read_sensors(sensors), options);

  const panto::State& last = result.motion.states.back();
  const Eigen::VectorXd& deviation = result.deviation.back();
  constexpr double kDegrees = 180.0 / std::numbers::pi;
  std::printf("%zu samples; at the end, %.2f s:\n", result.motion.states.size(), panto::to_seconds(last.t));
  for (int i = 0; i < arm.dof(); ++i)
    std::printf("  %-20s %6.1f +- %.1f degrees\n", arm.joint_names()[static_cast<std::size_t>(i)].c_str(),
                last.s[i] * kDegrees, deviation[i] * kDegrees);
  for (const panto::SensorSummary& sensor : result.found.sensors)
    std::printf("sensor '%s' on %s: %lld of %lld readings missing\n", sensor.name.c_str(),
                sensor.link.c_str(), static_cast<long long>(sensor.missing),
                static_cast<long long>(sensor.samples));

  const panto::Verdict verdict = panto::verdict_of(result, arm);
  std::printf("%s\n", verdict.sentence.c_str());
  return verdict.grade == panto::Verdict::Grade::Unreliable ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return argc > 3 ? track_arm(argv[1], argv[2], argv[3])
                    : track_arm(PANTO_EXAMPLE_DATA "/arm_imu.csv", PANTO_EXAMPLE_DATA "/arm.toml",
                                PANTO_EXAMPLE_DATA "/arm_sensors.toml");
  } catch (const panto::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 3;
  }
}
