#pragma once
// Sub-commands that tell about the command itself and what ships with it.

#include "apps/panto/commands.hpp"

namespace panto::app {

/// Adds `help` and `version`.
void add_help(CLI::App& app, Run& run);
/// Adds `robots`.
void add_robots(CLI::App& app, Run& run);
/// Adds `completion` and `man`, which no help lists. `app` must have all other commands and outlive `run`.
void add_completion(CLI::App& app, Run& run);

}  // namespace panto::app
