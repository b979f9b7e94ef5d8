// panto retarget: retargets a person's motion onto a robot, within its limits.

#include <CLI/App.hpp>
#include <algorithm>
#include <cstdio>
#include <iterator>
#include <memory>
#include <optional>

#include "apps/panto/commands.hpp"
#include "apps/panto/gestures.hpp"
#include "apps/panto/robot_task.hpp"
#include "apps/support/command_line.hpp"
#include "panto/api/relative_words.hpp"
#include "panto/base/error.hpp"
#include "panto/base/text.hpp"
#include "panto/report/robot_report.hpp"

namespace panto::app {
namespace {

struct CommandOptions {
  TrackingOptions tracking;
  bool smooth = false;
  SmoothingOptions smoothing;
  std::optional<LimitLaw> limits = LimitLaw::Braking;  ///< unset: the whole motion is scaled
  bool turns = false;                                  ///< gesture by gesture
  TimeLaw pace = TimeScalingOptions{}.law;
  bool accelerations = false, paced = false, feet = false;  ///< --max-acceleration, --pace, --feet was given
};

// returns the exit code of a job that would end with `code`
int print(const RobotReport& report, const TrackingOptions& options, const bridge::ClipOutputs& outputs,
          int code) {
  const Verdict verdict = with_sensors(verdict_of(report.result, report.model), report.sensed);
  const std::string head = options.input + ": " + report.info.format + " -> " + report.model.name() + ", " +
                           counted(report.model.dof(), "joint") + ", " +
                           counted(std::ssize(report.result.pairs), "link") + " follow";
  if (options.printing.json)
    std::printf("%s\n", robot_json(report).c_str());
  else
    print_result(verdict, head, options.printing.verbose ? robot_tables(report) : "", outputs.written());
  return code_of(verdict, options.printing.strict, code);
}

// options for scaling the whole motion into the robot's limits
ScaleOptions scale_options(const CommandOptions& options) {
  if (options.smooth)
    throw ConfigError(
        "--smooth and --limits scale exclude each other (--smooth keeps limits frame by frame)");
  ScaleOptions scale;
  scale.time.law = options.pace;
  if (options.accelerations) scale.time.max_acceleration = options.smoothing.max_acceleration;
  return scale;
}

int retarget(CommandOptions options) {
  if (!options.feet) options.tracking.feet = default_feet(options.tracking.solver);
  if (options.limits) {
    if (options.turns) throw ConfigError("--turns needs --limits scale");
    if (options.paced) throw ConfigError("--pace needs --limits scale");
    if (options.accelerations && !options.smooth)
      throw ConfigError("--max-acceleration needs --smooth or --limits scale");
    options.tracking.limits = *options.limits;
  } else {
    options.tracking.scale = scale_options(options);
    options.tracking.limits = LimitLaw::None;
  }
  if (options.turns) return run_gestures({options.tracking, {}});
  if (options.smooth) options.tracking.smooth = options.smoothing;
  RobotTask task(options.tracking);
  const auto outputs = open_outputs(options.tracking, task.output_run(), task.notes());
  say(task.notes());
  Observer observer = task.observer();
  outputs->watch(observer);
  const RetargetResult result =
      panto::retarget(*task.recording, task.robot.robot, task.retargeting(), observer);
  const RobotReport report{task.robot.robot.model, task.recording->info(), result, task.sensed.get()};
  say_problems(outputs->close(page_result(report, task.notes())));
  return print(report, options.tracking, *outputs,
               finish(result.damage, result.frames_used, outputs->complete()));
}

}  // namespace

// size: one list of options with their help, nothing to decide
void add_retarget(CLI::App& app, Run& run) {
  auto options = std::make_shared<CommandOptions>();
  TrackingOptions& tracking = options->tracking;
  CLI::App* sub = app.add_subcommand(
      "retarget", "Retarget a person's motion onto a robot, within its limits, or a character.");
  add_recording(*sub, tracking.input);
  add_robot(*sub, tracking);
  add_file(*sub, "--to", tracking.character, "FILE",
           "Retarget onto this character instead (.bvh, .glb, .vrm); -o out.glb is the character, moving");
  add_file(*sub, "--to-rig", tracking.character_rig, "FILE",
           "Use this map of the character's joints, as `panto inspect -o rig.toml` writes it");
  sub->get_option("--to-rig")->needs("--to");
  add_text(*sub, "-o,--out,--output", tracking.outputs, "FILE",
           "Write this output, by extension: .csv .npz .mot .sto (base and joints), .bvh .glb (character), "
           "or send to a robot in real time, udp://HOST:PORT[?key=FILE]; may be repeated");
  add_layout_options(*sub, tracking);
  add_from_option(*sub, tracking.from);
  using enum FeetMode;
  add_choice<FeetMode>(
      *sub, "--feet", tracking.feet, {{"plant", Plant}, {"soft", Soft}, {"off", Off}, {"hold", Hold}},
      "Choose how feet move; plant: standing feet do not slide, soft: feet follow the person's positions, "
      "off: orientations only (so with modular), hold: as plant, frame by frame, and the base gives way");
  add_choice<Collisions>(
      *sub, "--collisions", tracking.collisions,
      {{"avoid", Collisions::Avoid}, {"report", Collisions::Report}, {"off", Collisions::Off}},
      "Move limbs out of the body (avoid), only judge them (report), or neither (off)");
  add_words(
      *sub, "--relative",
      [&tracking](const std::string& words) {
        tracking.relative = robot::parse_relative(words, "--relative");
      },
      "hands|body|hands,body|off",
      "Keep touches of hands with each other (hands), the body (body), both (hands,body) or none (off), "
      "before arm directions; default: as in the map, else hands with normal weight");
  add_flag(*sub, "--smooth", options->smooth,
           "Smooth the whole motion within all limits, including acceleration and jerk, before writing");
  add_number(*sub, "--cutoff", options->smoothing.cutoff_hz, 0.1, 1e6, "Hz",
             "Set the half-power frequency of the --smooth low-pass, in Hz (default 8)");
  add_number(*sub, "--max-acceleration", options->smoothing.max_acceleration, 1e-3, 1e9, "rad/s^2",
             "Limit joint acceleration in rad/s^2, for --smooth (default 200) or --limits scale (none)");
  add_number(*sub, "--max-jerk", options->smoothing.max_jerk, 1e-3, 1e12, "rad/s^3",
             "Limit joint jerk for --smooth, in rad/s^3 (default 10000)");
  add_person_options(*sub, tracking);
  add_sensor_options(*sub, tracking);
  add_method_options(*sub, tracking);
  sub->remove_option(sub->get_option("--limits"));
  add_choice<std::optional<LimitLaw>>(
      *sub, "--limits", options->limits,
      {{"exact", LimitLaw::Exact},
       {"brake", LimitLaw::Braking},
       {"tanh", LimitLaw::Tanh},
       {"none", LimitLaw::None},
       {"scale", std::nullopt}},
      "Choose how joints approach their limits; scale: solve without limits, then scale range and time");
  add_choice<TimeLaw>(
      *sub, "--pace", options->pace, {{"optimal", TimeLaw::Optimal}, {"uniform", TimeLaw::Uniform}},
      "With --limits scale: slow down where needed (optimal), or all by one factor (uniform)");
  add_flag(*sub, "--turns", options->turns,
           "With --limits scale: write numbered files, a gesture each, as panto imitate does (--settle 0)");
  add_page_options(*sub, tracking);
  for (const char* name : {"--cutoff", "--max-jerk"}) sub->get_option(name)->needs("--smooth");
  for (const char* name : {"--limits", "--relative", "--collisions", "--cutoff", "--max-acceleration",
                           "--max-jerk", "--pace", "--turns"})
    sub->get_option(name)->group("Method");
  for (CLI::Option* method :
       sub->get_options([](const CLI::Option* o) { return o->get_group() == "Method"; }))
    method->excludes("--to");  // a character is posed, not solved
  sub->footer(
      "Examples:\n"
      "  panto retarget dance.bvh --robot unitree_g1 -o dance.csv\n"
      "  panto retarget take.mvnx --robot my_robot.urdf --report take.html\n"
      "  panto retarget dance.bvh --to my_character.glb -o out.glb\n"
      "  panto retarget dance.bvh --robot g1 --for mjlab -o motion.npz\n"
      "  panto retarget suit.csv --sensors suit.toml --robot icub -o icub.csv\n"
      "  panto retarget wave.bvh --robot my_map.toml -o udp://127.0.0.1:7000 --rate 50");
  sub->callback([options, sub, &run] {
    if (!options->tracking.robot.empty() && !options->tracking.character.empty())
      throw ConfigError("--robot and --to were both given: a run is for a robot or a character; remove one");
    if (options->tracking.robot.empty() && options->tracking.character.empty())
      throw ConfigError(
          "give one of: --robot NAME (`panto robots` lists them), --robot FILE (URDF, MJCF or map), "
          "--to FILE (a character: .bvh, .glb, .vrm)");
    options->accelerations = sub->count("--max-acceleration") > 0;
    options->paced = sub->count("--pace") > 0;
    options->feet = sub->count("--feet") > 0;
    if (options->turns && sub->count("--settle") == 0) options->tracking.settle = 0.0;  // as imitate does
    run = [options] { return retarget(*options); };
  });
}

}  // namespace panto::app
