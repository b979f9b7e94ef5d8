// panto bench: measures time and accuracy of one step, and prints a hash of its bits.

#include <fmt/core.h>

#include <CLI/App.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "apps/panto/commands.hpp"
#include "apps/support/command_line.hpp"
#include "apps/support/quiet_core.hpp"
#include "apps/support/scene_tracking.hpp"
#include "apps/support/step_timing.hpp"
#include "apps/support/timing_json.hpp"
#include "apps/support/timing_text.hpp"
#include "panto/base/error.hpp"
#include "panto/base/text.hpp"

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

nlohmann::ordered_json row_json(const BenchRow& row) {
  nlohmann::ordered_json json = to_json(row.timing);
  if (row.latency) json["latency"] = to_json(*row.latency);
  return json;
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
  const auto runs = scene_runs(options.scenes, options.models, options.solvers);
  say_what_is_measured();
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  if (!options.json) {
    fmt::print(
        "Time of one complete step, sample in to State out: 23 orientations and the pelvis position. "
        "Minimum of {} runs.\n"
        "Errors are counted from 2 s on.\n\n",
        options.repeats);
    print_timing_header();
  }
  for (const auto& [scene, solver] : runs) {
    BenchRow row{time_steps(scene, solver, static_cast<int>(options.repeats)), {}};
    if (options.steps)
      row.latency = measure_latency(scene, solver, static_cast<std::int64_t>(*options.steps));
    if (options.json) {
      rows.push_back(row_json(row));
      continue;
    }
    print_timing(row.timing);
    if (row.latency) print_latency(*row.latency);
    std::fflush(stdout);
  }
  if (options.json) fmt::print("{}\n", rows.dump(2));
  return kGood;
}

void add_names(CLI::App& sub, const std::string& name, std::vector<std::string>& values,
               const std::string& help) {
  add_text(sub, name, values, "NAME", help)->delimiter(',');
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
  const std::vector<std::string> names = solver_names();
  add_names(*sub, "--solver", options->solvers,
            "One or several of " + listed(names, names.size()) + " (default " + names.front() + ")");
  add_whole_number(*sub, "--repeats", options->repeats, 1, 1000,
                   "Run each scene this often and keep the smallest times (default 9)");
  add_whole_number(
      *sub, "--steps", options->steps, 1, 1e8,
      "Also repeat the scene for this many steps; print the distribution of times, the slowest steps, and\n"
      "the times of the same frames in other laps");
  add_flag(*sub, "--json", options->json, "Print one JSON array instead of the table");
  sub->footer(
      "Examples:\n"
      "  panto bench\n"
      "  panto bench --scene free,clamped --json\n"
      "  panto bench --scene free --steps 1e7");
  sub->callback([options, &run] { run = [options] { return bench(*options); }; });
}

}  // namespace panto::app
