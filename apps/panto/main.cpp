// The command: parses the command line, runs one sub-command, turns errors into messages and exit codes.

#include <CLI/App.hpp>
#include <csignal>
#include <cstdio>
#include <exception>

#include "apps/panto/commands.hpp"
#include "apps/panto/interruption.hpp"
#include "apps/support/command_line.hpp"
#include "apps/support/command_words.hpp"
#include "panto/base/error.hpp"
#include "panto/base/printable.hpp"

namespace {

constexpr const char* kDescription =
    "Panto turns motion capture (BVH, glTF, MVNX, IMUs, markers) into joint angles of\n"
    "a human model or a robot.\n"
    "Exit codes: 0 success, 1 a check failed, 2 wrong usage, 3 an input could not be\n"
    "used or an output could not be written.\n";

constexpr const char* kExamples =
    "Examples:\n"
    "  panto inspect take.mvnx\n"
    "  panto track take.mvnx -o take.mot\n"
    "  panto retarget dance.bvh --robot unitree_g1 -o dance.csv\n"
    "  panto imitate wave.bvh --robot olivia17 -o wave.csv\n"
    "  panto convert take.mvnx take.bvh\n"
    "  panto check take.mvnx --fail-on 'angle_p99_deg>2'\n"
    "  panto view dance.bvh --robot g1\n"
    "`panto help track` explains one command; `panto completion bash` (zsh, fish)\n"
    "prints what completes its words in a shell, `panto man` the manual page.";

// fails if the printed text could not be written
int flushed(int code) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  std::fprintf(stderr, "panto: cannot write to standard output\n");
  return panto::app::kUnusableInput;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace panto::app;
  // past the largest allowed file size, or where the reader of a pipe is gone, a write fails with a message
  for (const int signal : {SIGXFSZ, SIGPIPE}) std::signal(signal, SIG_IGN);
  CLI::App app{kDescription, "panto"};
  use_plain_help(app);
  app.set_version_flag("-v,--version", "panto " PANTO_VERSION, "Print the version and exit");
  app.require_subcommand(1);
  app.get_formatter()->label("SUBCOMMAND", "COMMAND");
  Run run;
  add_inspect(app, run);
  add_track(app, run);
  add_retarget(app, run);
  add_imitate(app, run);
  add_packaged(app);
  add_view(app, run);
  add_live(app, run);
  add_replay(app, run);
  add_doctor(app, run);
  add_convert(app, run);
  add_check(app, run);
  add_synthesize(app, run);
  add_map(app, run);
  add_calibrate(app, run);
  add_bench(app, run);
  add_robots(app, run);
  add_help(app, run);
  add_completion(app, run);
  app.footer(kExamples);
  try {
    if (const std::optional<int> done = parse(app, argc, argv)) return flushed(*done);
    return flushed(run());
  } catch (const Interrupted& interrupted) {
    remove_parts();
    std::fprintf(stderr, "panto: interrupted; no file was written\n");
    end_by(interrupted.signal());
    return kUnusableInput;
  } catch (const panto::ConfigError& error) {
    std::fprintf(stderr, "panto: %s\n", panto::printable(error.what()).c_str());
    return kUsage;
  } catch (const panto::Error& error) {
    std::fprintf(stderr, "panto: %s\n", panto::printable(error.what()).c_str());
    return kUnusableInput;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "panto: unexpected: %s\n", panto::printable(error.what()).c_str());
    return kUnusableInput;
  }
}
