// What a sample costs the inertial filter against the number of sensors and joints: the right arm at work and
// humans who walk, without other faults than noise and with all of them. Prints comma-separated values, with
// the error of the joints and a hash of all states in the same row. Synthetic; feet are not told to stand.
//   inertial_benchmark CHAINS [REPEATS [SCENE]]     CHAINS: models/chains

#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include "apps/support/allocation_count.hpp"
#include "apps/support/quiet_core.hpp"
#include "panto/base/index.hpp"
#include "panto/evaluation/report_card.hpp"
#include "panto/io/open_imu.hpp"
#include "panto/model/human.hpp"
#include "panto/synthesis/synthesis.hpp"
#include "panto/tracking/inertial_tracker.hpp"
#include "tests/support/right_arm.hpp"

namespace {

using namespace panto;
using Clock = std::chrono::steady_clock;

constexpr double kSeconds = 20.0, kSettle = 1.0;  // [s]
constexpr double kDegree = test::kDegree;

/// A motion, and the sensors that feel it.
struct InertialScene {
  const char* name;
  const Model* model;
  const Synthesis* truth;
  InertialSetup setup;
};

struct Row {
  double p50 = kInfinity, p99 = kInfinity, max = kInfinity;  // [us]
  double passes = 0.0, rmse_deg = 0.0;
  long allocations = 0;
  std::uint64_t hash = 0;
  Eigen::Index states = 0;
};

/// Follows the scene once, as it is felt under one fault of `add_imu_fault`; times from `kSettle` on.
void follow(const InertialScene& scene, const ImuSignals& signals, Row& row) {
  std::vector<std::string> names;
  for (const ImuMount& mount : scene.setup.mounts) names.push_back(mount.name);
  InertialTracker tracker(*scene.model, scene.setup, names);
  State state = tracker.start_state();
  SampleStatistics us;
  double squares = 0.0, passes = 0.0, count = 0.0;
  row.hash = 0xcbf29ce484222325ULL;
  for (const ImuSample& sample : signals.samples) {
    const AllocationCount allocations;
    const Clock::time_point start = Clock::now();
    const StepStatus status = tracker.step(sample, state);
    const Clock::time_point end = Clock::now();
    row.allocations += allocations.value();
    if (!advanced(status)) continue;
    row.hash = state_hash(state, row.hash);
    if (to_seconds(sample.t) < kSettle) continue;
    us.add(std::chrono::duration<double, std::micro>(end - start).count());
    passes += tracker.filter().passes();
    squares += (state.s - scene.truth->state(sample.t).s).squaredNorm() / static_cast<double>(state.s.size());
    ++count;
  }
  row.p50 = std::min(row.p50, us.percentile(0.5).value_or(0.0));
  row.p99 = std::min(row.p99, us.percentile(0.99).value_or(0.0));
  row.max = std::min(row.max, us.max().value_or(0.0));
  row.passes = passes / count;
  row.rmse_deg = std::sqrt(squares / count) / kDegree;
  row.states = tracker.chain().P.rows();
}

void measure(const InertialScene& scene, const char* fault, int repeats) {
  ImuSignalOptions options;
  options.duration = kSeconds;
  options.surroundings = scene.setup.surroundings;
  add_imu_fault(fault, options);
  const ImuSignals signals = imu_signals(*scene.model, motion_law(*scene.truth), scene.setup.mounts, options);
  Row row;
  for (int i = 0; i < repeats; ++i) follow(scene, signals, row);
  std::printf("%s,%zu,%d,%ld,%s,%.1f,%.1f,%.1f,%.2f,%.3f,%ld,%s\n", scene.name, scene.setup.mounts.size(),
              scene.model->dof(), static_cast<long>(row.states), fault, row.p50, row.p99, row.max, row.passes,
              row.rmse_deg, row.allocations, hash_text(row.hash).c_str());
  std::fflush(stdout);
}

/// Who starts where the motion does.
InertialSetup setup_of(const std::string& sensors, const Synthesis& truth) {
  InertialSetup setup = io::read_sensors(sensors).setup;
  setup.filter.refine = {};  // what every user pays
  const State first = truth.state(0);
  setup.R_WB = first.R_WB;
  setup.start_hinges.clear();
  for (int i = 0; i < truth.model().dof(); ++i)
    setup.start_hinges.emplace_back(truth.model().joint_names()[at(i)], first.s[i]);
  return setup;
}

void run(const std::string& chains, int repeats, const std::string& only) {
  std::puts(
      "model,sensors,joints,states,fault,p50_us,p99_us,max_us,passes,joints_deg,allocations,state_hash");
  const Model arm = dh_model(io::read_dh_chain(chains + "/right_arm.toml"));
  const Model walkers[] = {human48(), human66()};
  const auto all = [&](const char* name, const Model& model, const Synthesis& truth, const char* sensors) {
    const InertialScene scene{name, &model, &truth, setup_of(chains + sensors, truth)};
    for (const char* fault : {"noise", "all"})
      if (only.empty() || only == std::string(name) + " " + fault) measure(scene, fault, repeats);
  };
  all("right_arm", arm, test::arm_at_work(arm, 1), "/right_arm_sensors.toml");
  for (const Model& model : walkers)
    all(model.name().c_str(), model, make_synthesis("walk", model, 1), "/human_sensors.toml");
}

}  // namespace

int main(int argc, char** argv) try {
  const int repeats = argc > 2 ? std::atoi(argv[2]) : 3;
  if (argc < 2 || argc > 4 || repeats < 1) {
    std::fprintf(stderr, "usage: inertial_benchmark CHAINS [REPEATS [\"MODEL FAULT\"]]\n");
    return 2;
  }
  (void)stay_on_one_core();
  run(argv[1], repeats, argc > 3 ? argv[3] : "");
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 3;
}
