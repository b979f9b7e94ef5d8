// The command: parses the line, runs one sub-command, turns errors into messages and exit codes.

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

#include "apps/panto/commands.hpp"
#include "panto/base/error.hpp"

namespace {

constexpr const char* kDescription =
    "Panto copies motion: from a body that is measured to a body that is modelled.\n"
    "Exit codes: 0 good, 2 usage, 3 an input could not be used.";

constexpr const char* kExamples =
    "Examples:\n"
    "  panto track take.mvnx -o take.mot                       a recording onto the human of 66 joints\n"
    "  panto track take.mvnx --model human48 --angles isb -o angles.sto\n"
    "  panto track take.bvh --json                             the figures of the run, for programs\n"
    "  panto synthesize walk -o walk.mvnx                      a motion with known truth\n"
    "`panto SUBCOMMAND --help` explains one.";

}  // namespace

int main(int argc, char** argv) {
  using namespace panto::app;
  CLI::App app{kDescription, "panto"};
  app.footer(kExamples);
  app.set_version_flag("--version", "panto " PANTO_VERSION);
  app.require_subcommand(1);
  Run run;
  add_track(app, run);
  add_synthesize(app, run);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kGood : kUsage;
  }
  try {
    return run();
  } catch (const panto::ConfigError& error) {
    std::fprintf(stderr, "panto: %s\n", error.what());
    return kUsage;
  } catch (const panto::Error& error) {
    std::fprintf(stderr, "panto: %s\n", error.what());
    return kUnusableInput;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "panto: unexpected: %s\n", error.what());
    return kUnusableInput;
  }
}
