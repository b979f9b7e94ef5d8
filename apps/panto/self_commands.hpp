#pragma once
// Sub-commands about the command itself and what ships with it.

#include "apps/panto/commands.hpp"

namespace panto::app {

/// Adds `help` and `version`.
void add_help(CLI::App& app, Run& run);
/// Adds `robots`.
void add_robots(CLI::App& app, Run& run);
/// Adds `completion` and `man`, which the help does not list. `app` must have all other commands and outlive
/// `run`.
void add_completion(CLI::App& app, Run& run);

}  // namespace panto::app
