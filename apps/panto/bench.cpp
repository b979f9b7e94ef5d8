// panto bench: measures time and accuracy of one step, and prints a hash of its bits.

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "apps/panto/command_line.hpp"
#include "apps/panto/commands.hpp"
#include "apps/support/quiet_core.hpp"
#include "apps/support/scene_tracking.hpp"
#include "apps/support/step_timing.hpp"
#include "apps/support/timing_json.hpp"
#include "panto/base/error.hpp"

namespace panto::app {
namespace {

struct BenchOptions {
  std::vector<std::string> scenes, models, solvers;  // empty: all
  double repeats = 9.0;
  std::optional<double> steps;
  bool json = false;
};

struct BenchRow {
  StepTiming timing;
  std::optional<LatencyDistribution> latency;
};

/// Returns the runs to measure, in the order of the table. @throws ConfigError for unknown names.
std::vector<std::pair<Scene, std::string>> chosen(const BenchOptions& options) {
  std::vector<std::string> scenes = options.scenes, models = options.models, solvers = options.solvers;
  if (scenes.empty()) {
    for (const SceneName& known : scene_names()) scenes.emplace_back(known.name);
  }
  if (solvers.empty()) solvers = {solver_names().front()};
  const bool any_model = models.empty();
  if (any_model) models = {"human66", "human48"};
  std::vector<std::pair<Scene, std::string>> runs;
  for (const std::string& scene : scenes) {
    const auto known = std::find_if(scene_names().begin(), scene_names().end(),
                                    [&](const SceneName& n) { return n.name == scene; });
    for (const std::string& model : models) {
      // skip an impossible pair where the user named only one of the two
      const bool named = !options.scenes.empty() && !any_model;
      if (known != scene_names().end() && !known->human48 && model == "human48" && !named) continue;
      for (const std::string& solver : solvers) runs.emplace_back(make_scene(scene, model), solver);
    }
  }
  for (const auto& [scene, solver] : runs) (void)make_tracker(solver, scene);  // refuse wrong names first
  return runs;
}

nlohmann::ordered_json row_json(const BenchRow& row) {
  nlohmann::ordered_json json = to_json(row.timing);
  if (row.latency) json["latency"] = to_json(*row.latency);
  return json;
}

void print_header() {
  fmt::print("{:<9} {:<7} {:<14} {:>7} {:>7} {:>8} {:>9} {:>10} {:>6} {:>7} {:>5}  {}\n", "scene", "model",
             "solver", "p50 us", "p99 us", "max us", "mnte", "angle deg", "active", "sweeps", "alloc",
             "state hash");
}

void print_row(const StepTiming& t) {
  fmt::print("{:<9} {:<7} {:<14} {:>7.3f} {:>7.3f} {:>8.2f} {:>9.2e} {:>10.2e} {:>6.2f} {:>7.2f} {:>5}  {}\n",
             t.scene, t.body, t.solver, t.p50_us, t.p99_us, t.max_us, t.card.mnte_mean.value_or(0.0),
             t.card.angle_mean_deg.value_or(0.0), t.active_mean, t.resolves_mean, t.allocations,
             hash_text(t.card.state_hash.value_or(0)));
}

void print_latency(const LatencyDistribution& l) {
  fmt::print("\n  {} steps in {} laps, {:.1f} s, {} allocations; preempted {} times, {} page faults\n",
             l.steps, l.laps, l.seconds, l.allocations, l.preemptions, l.page_faults);
  fmt::print("  p50 {:.3f}  p99 {:.3f}  p99.9 {:.3f}  p99.99 {:.3f}  max {:.1f} us\n", l.p50_us, l.p99_us,
             l.p999_us, l.p9999_us, l.max_us);
  fmt::print(
      "  median over all laps of the slowest frame: {:.3f} us, the solver's own worst case;\n"
      "  longest aligning step, not in these figures: {:.1f} us\n",
      l.own_max_us, l.align_max_us);
  fmt::print("  over five times that worst case ({:.1f} us): {} steps, {:.1f} per second\n", l.slow_us,
             l.slow_steps, static_cast<double>(l.slow_steps) / l.seconds);
  fmt::print(
      "  the same core idle for {:.0f} s: interrupted as long {:.1f} times a second, longest {:.1f} us\n",
      l.empty_seconds, static_cast<double>(l.empty_slow) / l.empty_seconds, l.empty_max_us);
  fmt::print("  {:>12} {:>7} {:>6} {:>10} {:>22} {:>16}\n", "slowest step", "lap", "frame", "us",
             "same frame, median", "neighbour lap");
  for (const SlowStep& slow : l.slowest) {
    fmt::print("  {:>12} {:>7} {:>6} {:>10.1f} {:>22.3f} {:>16.3f}\n", slow.step, slow.lap, slow.frame,
               slow.us, slow.frame_median_us, slow.neighbour_lap_us);
  }
  fmt::print("\n");
}

void say_what_is_measured() {
  const std::optional<int> core = stay_on_one_core();
  if (core) {
    fmt::print(stderr, "bench: runs on core {} only; ", *core);
  } else {
    fmt::print(stderr, "bench: could not pin to one core; ");
  }
  fmt::print(stderr, "every time includes {:.0f} ns for reading the clock\n", clock_cost_ns());
}

int bench(const BenchOptions& options) {
  const auto runs = chosen(options);
  say_what_is_measured();
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  if (!options.json) {
    fmt::print(
        "Time of one complete step, sample in to State out: 23 orientations and the pelvis position. "
        "Minimum of {} runs.\n"
        "Errors are counted from 2 s on.\n\n",
        options.repeats);
    print_header();
  }
  for (const auto& [scene, solver] : runs) {
    BenchRow row{time_steps(scene, solver, static_cast<int>(options.repeats)), {}};
    if (options.steps)
      row.latency = measure_latency(scene, solver, static_cast<std::int64_t>(*options.steps));
    if (options.json) {
      rows.push_back(row_json(row));
      continue;
    }
    print_row(row.timing);
    if (row.latency) print_latency(*row.latency);
    std::fflush(stdout);
  }
  if (options.json) fmt::print("{}\n", rows.dump(2));
  return kGood;
}

void add_names(CLI::App& sub, const std::string& name, std::vector<std::string>& values,
               const std::string& help) {
  sub.add_option(name, values, help)->take_all()->expected(1)->delimiter(',')->option_text("NAME");
}

}  // namespace

void add_bench(CLI::App& app, Run& run) {
  auto options = std::make_shared<BenchOptions>();
  CLI::App* sub =
      app.add_subcommand("bench", "Measure time and accuracy of one step; print a hash of its bits.");
  std::string scenes = "One or several of these (default all)";
  for (const SceneName& known : scene_names()) {
    scenes += "\n" + std::string(known.name) + ": " + std::string(known.description);
  }
  add_names(*sub, "--scene", options->scenes, scenes);
  add_names(*sub, "--model", options->models, "human66 or human48 (default both, where the scene has both)");
  std::string solvers;
  const std::vector<std::string> names = solver_names();
  for (const std::string& name : names) solvers += (solvers.empty() ? "" : ", ") + name;
  add_names(*sub, "--solver", options->solvers,
            "One or several of " + solvers + " (default " + names.front() + ")");
  add_whole_number(*sub, "--repeats", options->repeats, 1, 1000,
                   "Runs of each scene, of which the smallest times count (default 9)");
  add_whole_number(
      *sub, "--steps", options->steps, 1, 1e8,
      "Also repeat the scene for this many steps; print the distribution of times, the slowest steps, and\n"
      "the times of the same frames in other laps");
  sub->add_flag("--json", options->json, "Print one JSON array instead of the table");
  sub->footer(
      "Examples:\n"
      "  panto bench\n"
      "  panto bench --scene free,clamped --json\n"
      "  panto bench --scene free --steps 1e7");
  sub->callback([options, &run] { run = [options] { return bench(*options); }; });
}

}  // namespace panto::app
