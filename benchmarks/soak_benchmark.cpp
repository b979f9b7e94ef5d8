// Long runs that look for what short ones cannot show. Prints one CSV row a run; exits 1 if a promise breaks.
//
// soak_benchmark robots [SAMPLES]   every shipped robot follows hostile samples (1e6): limits, refusals
// soak_benchmark models [MODELS]    random models, 20 steps each (1e6)
// soak_benchmark steps [STEPS]      steps on a thousand random models (1e9)
// soak_benchmark day [SAMPLES]      a person at 100 Hz on a virtual clock, onto a G1 (8640000, a day): drift,
// memory

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>

#include "apps/support/allocation_count.hpp"
#include "panto/api/live_retargeter.hpp"
#include "panto/ik/make_solver.hpp"
#include "panto/io/open_model.hpp"
#include "panto/io/shipped_robots.hpp"
#include "panto/model/human.hpp"
#include "panto/synthesis/segments.hpp"
#include "tests/support/hostile_person.hpp"
#include "tests/support/human_targets.hpp"
#include "tests/support/random_model.hpp"

namespace panto {
namespace {

constexpr double kOff = 1e-9;     // [rad, m] beyond a limit of position: rounding
constexpr double kFaster = 1e-6;  // share above a limit of speed: rounding of differences

// What a run found. A figure that must be 0 makes the program fail.
struct Found {
  std::int64_t steps = 0, refused = 0, changed_by_refusal = 0, invalid = 0, beyond_position = 0,
               beyond_speed = 0, allocations = 0;
  [[nodiscard]] bool good() const {
    return changed_by_refusal + invalid + beyond_position + beyond_speed + allocations == 0;
  }
};

bool print(const std::string& what, const Found& found, double seconds) {
  std::printf("%s,%lld,%lld,%lld,%lld,%lld,%lld,%lld,%.3g\n", what.c_str(),
              static_cast<long long>(found.steps), static_cast<long long>(found.refused),
              static_cast<long long>(found.changed_by_refusal), static_cast<long long>(found.invalid),
              static_cast<long long>(found.beyond_position), static_cast<long long>(found.beyond_speed),
              static_cast<long long>(found.allocations),
              1e6 * seconds / static_cast<double>(std::max<std::int64_t>(found.steps, 1)));
  std::fflush(stdout);
  return found.good();
}

bool outside(const Model& model, const Eigen::VectorXd& s) {
  return ((model.lower() - s).array() > kOff).any() || ((s - model.upper()).array() > kOff).any();
}

void check(const Model& model, const State& before, bool first, StepStatus status, const State& now,
           Found& found) {
  ++found.steps;
  if (!advanced(status)) {
    ++found.refused;
    if (state_hash(before) != state_hash(now)) ++found.changed_by_refusal;
    return;
  }
  if (!is_valid(now, model)) ++found.invalid;
  if (outside(model, now.s)) ++found.beyond_position;
  const double dt = to_seconds(now.t - before.t);
  if (first || !(dt > 0.0)) return;
  const Eigen::ArrayXd most = (1.0 + kFaster) * dt * model.velocity_limit().array() + kOff;
  if (((now.s - before.s).array().abs() > most).any()) ++found.beyond_speed;
}

double seconds_of(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

bool soak_robot(const std::string& name, FeetMode feet, std::int64_t samples) {
  const Robot robot = robot_of(io::open_robot(name));
  RetargetOptions options;
  options.feet = feet;
  LiveRetargeter live(robot, human_segment_names(), scaled_subject(1.75), options);
  test::HostilePerson person(1);
  Found found;
  State state = live.rest_state(), before = state;
  const double seconds = seconds_of([&] {
    bool begun = false;
    for (std::int64_t k = 0; k < samples; ++k) {
      const SegmentSample& sample = person.next();
      before = state;
      const long allocations = AllocationCount::total();
      const StepStatus status = live.step(sample, state);
      found.allocations += AllocationCount::total() - allocations;
      // what is found anew after a gap or at the start is a pose, not a movement
      const bool gap = to_seconds(state.t - before.t) > 0.5;
      check(robot.model, before, !begun || gap, status, state, found);
      begun = begun || advanced(status);
    }
  });
  return print(name + (feet == FeetMode::Plant ? " feet planted" : " feet free"), found, seconds);
}

bool soak_robots(std::int64_t samples) {
  bool good = true;
  for (const std::string& name : io::shipped_robots())
    for (const FeetMode feet : {FeetMode::Plant, FeetMode::Off})
      good = soak_robot(name, feet, samples) && good;
  return good;
}

// Steps one random model towards random poses of it. Limits of speed are not drawn, so not judged.
void soak_model(std::uint64_t seed, std::int64_t steps, Found& found) {
  test::Random random(seed);
  const Model model = test::random_model(seed, {.min_joints = 1, .max_joints = 60, .mimics = seed % 3 == 0});
  std::vector<int> links;
  for (int i = 0; i < 4; ++i) links.push_back(test::pick(random, model.link_count()));
  Targets targets = test::targets_at(model, test::random_state(model, random), links);
  const std::unique_ptr<Solver> solver = make_solver(SolverKind::Dynamical, model, targets.rows);
  State state = rest_state(model), before = state;
  for (std::int64_t k = 0; k < steps; ++k) {
    targets.t += 10'000'000;
    for (Target& row : targets.rows) row.R_WF = so3::exp(test::random_vector(random, 0.1)) * row.R_WF;
    before = state;
    const long allocations = AllocationCount::total();
    const StepStatus status = solver->step(targets, state);
    found.allocations += AllocationCount::total() - allocations;
    check(model, before, true, status, state, found);
  }
}

bool soak_models(std::int64_t models, std::int64_t steps) {
  Found found;
  const double seconds = seconds_of([&] {
    for (std::int64_t i = 0; i < models; ++i) soak_model(static_cast<std::uint64_t>(i) + 1, steps, found);
  });
  return print(std::to_string(models) + " random models", found, seconds);
}

long resident_kib() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (word == "VmRSS:" && status >> word) return std::atol(word.c_str());
  return 0;
}

// The same eight seconds over and over: after a day the robot does what it did in the second minute.
bool soak_day(std::int64_t samples) {
  constexpr std::int64_t kLap = 800, kWarm = 6400;
  const Model human = human66();
  SyntheticSource source(make_synthesis("reach", human), {8.0, 100.0});
  std::vector<SegmentSample> lap(kLap);
  for (SegmentSample& sample : lap)
    if (source.read(sample) != ReadStatus::Sample) throw std::runtime_error("the motion is too short");
  const Robot robot = robot_of(io::open_robot("unitree_g1"));
  LiveRetargeter live(robot, source.names(), scaled_subject(1.75), {});
  Found found;
  State state = live.rest_state(), before = state;
  std::map<std::int64_t, State> second_minute;  // by the sample's place in its lap
  long early = 0;
  double drift = 0.0;
  const double seconds = seconds_of([&] {
    for (std::int64_t k = 0; k < samples; ++k) {
      SegmentSample& sample = lap[static_cast<std::size_t>(k % kLap)];
      sample.t = (k + 1) * Time{10'000'000};
      before = state;
      const long allocations = AllocationCount::total();
      const StepStatus status = live.step(sample, state);
      if (k > 100) found.allocations += AllocationCount::total() - allocations;
      check(robot.model, before, k < 100, status, state, found);
      if (k == kWarm + kLap) early = resident_kib();
      if (k >= kWarm && k < kWarm + kLap) second_minute[k % kLap] = state;
      if (k >= samples - kLap && k >= kWarm + kLap)
        drift = std::max(drift, (state.s - second_minute[k % kLap].s).lpNorm<Eigen::Infinity>());
    }
  });
  const long grown = resident_kib() - early;
  const bool good = print("unitree_g1 for " + std::to_string(samples / 100) + " s", found, seconds);
  std::printf("drift of the joints since the second minute: %.3g rad; memory grown since: %ld KiB\n", drift,
              grown);
  return good && drift < 1e-6 && grown < 1024;
}

}  // namespace
}  // namespace panto

int main(int argc, char** argv) try {
  const std::string what = argc > 1 ? argv[1] : "";
  const auto count = [&](std::int64_t usual) {
    if (argc < 3) return usual;
    const double given = std::atof(argv[2]);
    if (!(given >= 1.0 && given < 1e12)) throw std::runtime_error(std::string(argv[2]) + ": not a count");
    return static_cast<std::int64_t>(given);
  };
  std::puts(
      "run,steps,refused,changed_by_refusal,invalid,beyond_position,beyond_speed,allocations,us_a_step");
  if (what == "robots") return panto::soak_robots(count(1'000'000)) ? 0 : 1;
  if (what == "models") return panto::soak_models(count(1'000'000), 20) ? 0 : 1;
  if (what == "steps") return panto::soak_models(1000, count(1'000'000'000) / 1000) ? 0 : 1;
  if (what == "day") return panto::soak_day(count(8'640'000)) ? 0 : 1;
  std::fputs("soak_benchmark robots|models|steps|day [COUNT]\n", stderr);
  return 2;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 3;
}
