#pragma once
// One file per sub-command. Each adds itself to the command line and stores its work in `run`.

#include <CLI/App.hpp>
#include <functional>

namespace panto::app {

/// Exit codes of the command.
inline constexpr int kGood = 0, kCheckFailed = 1, kUsage = 2, kUnusableInput = 3;

/// Runs the chosen sub-command; returns an exit code. May throw panto::Error.
using Run = std::function<int()>;

void add_track(CLI::App& app, Run& run);
void add_retarget(CLI::App& app, Run& run);
void add_imitate(CLI::App& app, Run& run);
void add_inspect(CLI::App& app, Run& run);
void add_convert(CLI::App& app, Run& run);
void add_check(CLI::App& app, Run& run);
void add_synthesize(CLI::App& app, Run& run);
void add_map(CLI::App& app, Run& run);
void add_calibrate(CLI::App& app, Run& run);
void add_bench(CLI::App& app, Run& run);
void add_robots(CLI::App& app, Run& run);
void add_view(CLI::App& app, Run& run);
void add_live(CLI::App& app, Run& run);
void add_replay(CLI::App& app, Run& run);
void add_doctor(CLI::App& app, Run& run);
/// Adds `help` and `version`.
void add_help(CLI::App& app, Run& run);
/// Adds `completion` and `man`, which the help does not list. `app` must have all other commands and outlive
/// `run`.
void add_completion(CLI::App& app, Run& run);

}  // namespace panto::app
