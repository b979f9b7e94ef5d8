// panto view: shows files as pages in the browser of this computer.

#include <CLI/App.hpp>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "apps/panto/commands.hpp"
#include "apps/panto/interruption.hpp"
#include "apps/panto/job.hpp"
#include "apps/support/command_line.hpp"
#include "panto/base/printable.hpp"
#include "panto/live/browser.hpp"
#include "panto/live/web_server.hpp"
#include "panto/report/viewed_file.hpp"

namespace panto::app {
namespace {

struct ViewCommand {
  std::vector<std::string> files;
  ViewOptions view;
  double port = 0.0;
  bool no_open = false;
};

int view(const ViewCommand& command) {
  Job job;
  job.observer.note = nullptr;  // the page shows them
  ViewedFiles files(command.files, command.view, job.observer);
  live::WebServer server(static_cast<std::uint16_t>(command.port));
  const std::string port = std::to_string(server.port()), address = "http://127.0.0.1:" + port + "/";
  std::printf("%s  (Ctrl-C ends)\n", address.c_str());
  if (std::getenv("SSH_CONNECTION") != nullptr)
    std::printf("from your computer: ssh -L %s:127.0.0.1:%s HOST\n", port.c_str(), port.c_str());
  std::fflush(stdout);
  if (!command.no_open) live::open_in_browser(address);
  try {
    server.serve(
        [&](const live::WebRequest& request) -> std::optional<live::WebPage> {
          const std::optional<std::string> page = files.page(request.path, job.observer);
          return page ? std::optional(live::WebPage{*page}) : std::nullopt;
        },
        [] { return Interruption::check(), false; });
    return kGood;
  } catch (const Interrupted&) {
    return kGood;  // this is how it ends
  }
}

}  // namespace

void add_view(CLI::App& app, Run& run) {
  auto command = std::make_shared<ViewCommand>();
  command->view.version = PANTO_VERSION;
  CLI::App* sub = app.add_subcommand("view", "Show files in the browser: motions, recordings, reports.");
  sub->add_option("files", command->files, "Recordings, robots' motions, or pages written by --report")
      ->required();
  add_text(*sub, "--robot", command->view.robot, "ROBOT",
           "Retarget recordings onto this robot; for a motion of a robot: name that robot");
  add_text(*sub, "--model", command->view.human, "NAME",
           "Without --robot: choose the human (default human66)")
      ->excludes("--robot");
  add_text(*sub, "--from", command->view.from, "WORDS",
           "State what a robot's motion file leaves open, as for panto inspect");
  add_whole_number(*sub, "--port", command->port, 0, 65535,
                   "Listen on this port of this computer (default 0: a free one)");
  add_flag(*sub, "--no-open", command->no_open, "Do not open the browser");
  sub->footer(
      "Examples:\n"
      "  panto view dance.bvh --robot g1\n"
      "  panto view motion.npz dance.bvh take.mvnx");
  sub->callback([command, &run] { run = [command] { return view(*command); }; });
}

}  // namespace panto::app
