// panto imitate: transfers a person's gestures to a robot, one by one, within its range and speed.

#include <CLI/App.hpp>
#include <memory>

#include "apps/panto/commands.hpp"
#include "apps/panto/gestures.hpp"
#include "apps/support/command_line.hpp"
#include "panto/base/error.hpp"

namespace panto::app {

void add_imitate(CLI::App& app, Run& run) {
  auto options = std::make_shared<GestureOptions>();
  TrackingOptions& tracking = options->tracking;
  tracking.solver = SolverKind::Modular;
  tracking.limits = LimitLaw::None;
  tracking.feet = FeetMode::Off;
  tracking.robot = "olivia17";
  tracking.settle = 0.0;  // modules solve each pose from its sample alone: nothing settles
  tracking.scale.emplace();
  CLI::App* sub =
      app.add_subcommand("imitate", "Transfer gestures to a robot, one by one, within its range and speed.");
  add_recording(*sub, tracking.input);
  add_robot(*sub, tracking, " (default olivia17)");
  add_text(*sub, "-o,--out,--output", tracking.outputs, "FILE",
           "Write this output, by extension: .csv .npz .mot .sto (several gestures: numbered files, "
           "wave_1.csv), or send a single gesture to a robot, udp://HOST:PORT[?key=FILE]; may be repeated");
  add_choice<TimeLaw>(*sub, "--pace", tracking.scale->time.law,
                      {{"optimal", TimeLaw::Optimal}, {"uniform", TimeLaw::Uniform}},
                      "Slow down a gesture that is too fast only where needed (optimal), or all of it by one "
                      "factor, which keeps its rhythm (uniform)");
  add_number(*sub, "--max-acceleration", tracking.scale->time.max_acceleration, 1e-3, 1e9, "rad/s^2",
             "Limit joint acceleration, in rad/s^2 (default none)");
  add_number(*sub, "--speed-on", options->segmentation.speed_on, 1e-3, 10.0, "m/s",
             "Start a gesture when a hand moves faster, in m/s (default 0.15)");
  add_number(*sub, "--speed-off", options->segmentation.speed_off, 1e-4, 10.0, "m/s",
             "End a gesture when all hands move slower, in m/s (default 0.08)");
  add_number(*sub, "--turn-on", options->segmentation.turn_on, 1e-2, 100.0, "rad/s",
             "Start a gesture when a hand turns faster, in rad/s (default 1)");
  add_number(*sub, "--turn-off", options->segmentation.turn_off, 1e-3, 100.0, "rad/s",
             "End a gesture when all hands turn slower, in rad/s (default 0.5)");
  add_number(*sub, "--min-pause", options->segmentation.min_pause, 0.0, 60.0, "s",
             "Separate two gestures by at least this pause, in s (default 0.3)");
  add_person_options(*sub, tracking);
  add_sensor_options(*sub, tracking);
  add_method_options(*sub, tracking);
  // limits and their gain are fixed here
  for (const char* word : {"--limits", "--limit-gain"}) sub->remove_option(sub->get_option(word));
  add_page_options(*sub, tracking);
  for (const char* word : {"--pace", "--max-acceleration", "--speed-on", "--speed-off", "--turn-on",
                           "--turn-off", "--min-pause"})
    sub->get_option(word)->group("Method");
  // options that are refused with a reason are not in the help
  for (const char* word : {"--paper", "--frames"}) sub->get_option(word)->group("");
  sub->footer(
      "Same as panto retarget --solver modular --limits scale --turns --feet off.\n"
      "Examples:\n"
      "  panto imitate wave.bvh -o wave.csv\n"
      "  panto imitate take.mvnx --robot unitree_g1 --report take.html");
  sub->callback([options, sub, &run] {
    options->tracking.any_solver = sub->count("--solver") == 0;
    run = [options] { return run_gestures(*options); };
  });
}

}  // namespace panto::app
