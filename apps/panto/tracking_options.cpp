// Common options of `track`, `convert` and `check`: converts them to those of the solver, and back to words.

#include <CLI/App.hpp>
#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "apps/panto/tracking_options.hpp"
#include "apps/support/command_line.hpp"
#include "panto/base/error.hpp"
#include "panto/base/text.hpp"
#include "panto/live/address.hpp"

namespace panto::app {
namespace {

constexpr const char* kMethodGroup = "Method";  // of options in the help

const char* word(LimitLaw law) {
  constexpr std::array kWords{"none", "exact", "tanh", "brake"};
  return kWords.at(static_cast<std::size_t>(law));
}

// Modules turn links one after the other into the sample's directions, so these options have no effect. If no
// method was given, another one may follow the robot, and then they have.
void check_modular(const TrackingOptions& options) {
  if (options.solver != SolverKind::Modular || options.any_solver) return;
  const std::string here = " has no effect with --solver modular: ";
  if (!options.align) throw ConfigError("--align" + here + "each frame is solved from its own directions");
  if (options.velocity != VelocitySource::Measured && options.module_law == ModularLaw::DriftFree &&
      options.scale)
    throw ConfigError(
        "--velocity" + here +
        "each frame is solved from its own directions, and speeds are those of the scaled motion");
  if (options.relative && (options.relative->hands || options.relative->body))
    throw ConfigError("--relative" + here +
                      "it follows directions, not hand positions; use --solver dynamical");
}

}  // namespace

void check_effects(const TrackingOptions& options) {
  const bool sends = std::any_of(options.outputs.begin(), options.outputs.end(),
                                 [](const std::string& path) { return live::is_address(path); });
  if (options.rate && !sends)
    throw ConfigError(
        "--rate applies to live output only (-o udp://host:port); files keep the recording's rate");
  if (!options.layout.empty() && options.outputs.empty())
    throw ConfigError("--for " + options.layout + " has no effect without an output (-o FILE)");
  if (options.fps > 0.0 && options.layout.empty() && options.character.empty())
    throw ConfigError("--fps needs --for or --to");
  if (options.base && !options.character.empty())
    throw ConfigError("--base applies to robots; a character moves freely");
  if (!options.sensors.empty() && !options.rig.empty())
    throw ConfigError(
        "--rig is for skeletons, --sensors for raw sensors: a recording holds one of them; remove one");
  if (options.damping != JacobianDamping::Adaptive && options.solver != SolverKind::DampedJacobian)
    throw ConfigError("--damping has an effect only with --solver damped-jacobian");
  if (options.module_law != ModularLaw::DriftFree && options.solver != SolverKind::Modular)
    throw ConfigError("--module-law has an effect only with --solver modular");
  check_modular(options);
  if (options.paper && options.solver != SolverKind::Dynamical)
    throw ConfigError(std::string("--paper works only with --solver dynamical") +
                      (options.solver == SolverKind::Modular
                           ? "; for --solver modular use --module-law paper"
                           : ", not with --solver " + std::string(to_string(options.solver))));
  if (options.paper && options.scale)
    throw ConfigError(
        "--paper has its own limits and cannot be used when the motion is scaled into the robot's");
}

SolverOptions solver_options(const TrackingOptions& options) {
  const bool tanh = options.paper || options.limits == LimitLaw::Tanh;
  if (options.limit_gain && !tanh)
    throw ConfigError("--limit-gain (K_g of --limits tanh) has no effect with --limits " +
                      std::string(options.scale ? "scale" : word(options.limits)));
  const bool at_once = options.solver == SolverKind::Instantaneous ||
                       options.solver == SolverKind::Pairwise ||
                       (options.solver == SolverKind::Modular && options.module_law == ModularLaw::DriftFree);
  if (options.gain && at_once)
    throw ConfigError(std::string("--gain has no effect with --solver ") + to_string(options.solver) +
                      ": each frame is solved to convergence");
  SolverOptions solver;
  if (!options.robot.empty() || !options.character.empty()) {
    solver.dynamical = robot_options();
    solver.instantaneous.limit_speed = solver.pairwise.limit_speed = true;
  }
  if (options.paper) solver.dynamical = paper_mode();
  solver.dynamical.velocity = options.velocity;
  if (!options.paper) {
    solver.dynamical.limits.law = options.limits;
    solver.dynamical.align = options.align;
  }
  if (options.gain) solver.dynamical.orientation_gain = solver.dynamical.position_gain = *options.gain;
  if (options.limit_gain) solver.dynamical.limits.tanh_gain = *options.limit_gain;
  if (options.speed_limit) solver.dynamical.limits.speed_limit = *options.speed_limit;
  solver.damped_jacobian.damping = options.damping;
  solver.modular.law = options.module_law;
  if (options.gain) solver.modular.gain = *options.gain;
  return solver;
}

std::vector<std::pair<std::string, std::string>> settings_of(const TrackingOptions& options) {
  std::vector<std::pair<std::string, std::string>> settings{{"recording", options.input}};
  if (!options.character.empty())
    settings.emplace_back("--to", options.character);
  else
    settings.emplace_back(options.robot.empty() ? "--model" : "--robot",
                          options.robot.empty() ? options.model : options.robot);
  if (!options.sensors.empty()) {
    settings.emplace_back("--sensors", options.sensors);
    settings.emplace_back("--model", options.person);
  }
  if (!options.rig.empty()) settings.emplace_back("--rig", options.rig);
  if (!options.body.empty()) settings.emplace_back("--body", options.body);
  if (!options.one.empty()) settings.emplace_back("--person", options.one);
  if (!options.take.empty()) settings.emplace_back("--take", options.take);
  if (!options.character_rig.empty()) settings.emplace_back("--to-rig", options.character_rig);
  if (options.base) settings.emplace_back("--base", std::string(to_string(*options.base)));
  if (options.clean != PointCleaning::Light)
    settings.emplace_back("--clean", options.clean == PointCleaning::Off ? "off" : "strong");
  if (options.ground) settings.emplace_back("--ground", "yes");
  if (options.height) settings.emplace_back("--height", digits(*options.height, 6) + " m");
  if (options.mass) settings.emplace_back("--mass", digits(*options.mass, 6) + " kg");
  settings.emplace_back("--solver", to_string(options.solver));
  const std::array dampings{"plain", "constant", "adaptive"};
  const auto damping = static_cast<std::size_t>(options.damping);
  if (options.solver == SolverKind::DampedJacobian) settings.emplace_back("--damping", dampings.at(damping));
  if (options.solver == SolverKind::Modular)
    settings.emplace_back("--module-law", options.module_law == ModularLaw::Rates ? "paper" : "drift-free");
  settings.emplace_back("--velocity",
                        options.velocity == VelocitySource::Measured ? "measured" : "differenced");
  settings.emplace_back("--limits", options.scale   ? "scale"
                                    : options.paper ? "tanh (--paper)"
                                                    : word(options.limits));
  settings.emplace_back("--align", options.paper ? "none (--paper)" : options.align ? "auto" : "none");
  if (options.paper) settings.emplace_back("--paper", "yes");
  if (options.gain) settings.emplace_back("--gain", digits(*options.gain, 6) + " 1/s");
  if (options.limit_gain) settings.emplace_back("--limit-gain", digits(*options.limit_gain, 6) + " 1/rad");
  if (options.speed_limit) settings.emplace_back("--speed-limit", digits(*options.speed_limit, 6) + " rad/s");
  settings.emplace_back("--settle", digits(options.settle, 6) + " s");
  return settings;
}

void add_base_option(CLI::App& sub, std::optional<BaseKind>& base) {
  using enum BaseKind;
  add_choice<std::optional<BaseKind>>(
      sub, "--base", base, {{"auto", std::nullopt}, {"fixed", Fixed}, {"roll", Rolling}, {"float", Floating}},
      "Choose how the root link moves; auto: as its file says, else robots float on legs, roll on wheels");
}

void add_person_options(CLI::App& sub, TrackingOptions& options) {
  add_base_option(sub, options.base);
  add_rig_option(sub, options.rig, options.one, options.take);
  using enum PointCleaning;
  add_choice<PointCleaning>(sub, "--clean", options.clean,
                            {{"light", Light}, {"off", Off}, {"strong", Strong}},
                            "Choose how much jitter to take from points; off: also bridge no gaps");
  add_flag(sub, "--ground", options.ground,
           "Put the recording on the floor: correct its height, slope and floating soles");
  add_file(sub, "--body", options.body, "FILE",
           "SMPL, SMPL-H, SMPL-X motion: take lengths from your model (.npz)");
  add_number(sub, "--height", options.height, 0.3, 3.0, "m",
             "Set the body height in metres, instead of the recording's dimensions");
}

void add_sensor_options(CLI::App& sub, TrackingOptions& options) {
  add_file(sub, "--sensors", options.sensors, "FILE",
           "Raw sensors: read their mounting on the body from a .toml");
  add_text(sub, "--model", options.person, "NAME",
           "Raw sensors: choose the human model that wears them, human48 or human66 (default human48)")
      ->needs("--sensors");
}

void add_robot(CLI::App& sub, TrackingOptions& options, const std::string& standard) {
  add_text(sub, "--package-dir", options.package_dirs, "DIR", kPackageDirHelp);
  add_file(
      sub, "--robot", options.robot, "NAME",
      "Choose the robot: a shipped name, a URDF or MJCF file, or a map that `panto map` wrote" + standard);
  add_number(sub, "--rate", options.rate, 20.0, 1000.0, "Hz",
             "Send this many references per second to an address (default: the recording's rate)");
}

void add_body_options(CLI::App& sub, TrackingOptions& options) {
  add_text(sub, "--model", options.model, "NAME",
           "Choose the model: human66, human48, or a .urdf, .xml or .toml with links named like MVN's "
           "segments (default human66)");
  add_person_options(sub, options);
  add_number(sub, "--mass", options.mass, 2.0, 400.0, "kg",
             "Set the body mass in kilograms, of links in models and pages; angles do not depend on it");
}

void add_recording(CLI::App& sub, std::string& input) {
  add_text(sub, "recording,-i,--in", input, "FILE", std::string(kRecordingHelp) + kRawSensorsHelp)
      ->required();
}

void add_from_option(CLI::App& sub, std::string& from) {
  add_text(sub, "--from", from, "WORDS",
           "State what a robot's motion file leaves open: its robot, mjlab, xyzw, isaac-order, "
           "degrees, cm, y-up, 50hz, separated by commas");
}

void add_motion_options(CLI::App& sub, std::string& robot, std::string& from) {
  add_text(sub, "--robot", robot, "ROBOT",
           "Read the motion as this robot's: a name, URDF, MJCF or map (default: found from the file)");
  add_from_option(sub, from);
}

void add_layout_options(CLI::App& sub, TrackingOptions& options) {
  add_text(
      sub, "--for", options.layout, "PROGRAM",
      "Write files as this program reads them, at the rate it expects: " + listed(io::layout_names(), 20));
  add_number(sub, "--fps", options.fps, 1.0, 1000.0, "Hz",
             "With --for or --to: write this many frames per second, velocities being their derivatives");
  add_number(sub, "--lead-in", options.leads.in, 0.0, 60.0, "s",
             "With --for: begin at rest, standing, and reach the first frame after these seconds");
  add_number(sub, "--lead-out", options.leads.out, 0.0, 60.0, "s",
             "With --for: go on from the last frame to standing at rest within these seconds");
  add_flag(sub, "--loop", options.leads.loop, "With --for: let the end turn into the beginning")
      ->excludes("--lead-in", "--lead-out");
  for (const char* word : {"--lead-in", "--lead-out", "--loop"}) sub.get_option(word)->needs("--for");
}

void add_print_options(CLI::App& sub, PrintOptions& options) {
  add_flag(sub, "--verbose", options.verbose,
           "Print all figures as tables, not only the verdict and its figures");
  add_flag(sub, "--json", options.json, "Print one JSON object instead of the text");
  add_flag(sub, "--strict", options.strict, "Exit with code 1 unless the verdict is Good");
}

void add_page_options(CLI::App& sub, TrackingOptions& options) {
  add_file(sub, "--report", options.report, "PAGE",
           "Also write an HTML page: numbers, curves, worst moments and a 3-D replay");
  add_file(sub, "--frames", options.frames, "FILE",
           "Also write the figures of every frame to a .csv: errors, status, bounds and step time");
  add_print_options(sub, options.printing);
}

void add_rig_option(CLI::App& sub, std::string& rig, std::string& one, std::string& take) {
  add_file(sub, "--rig", rig, "FILE",
           "Use this map of the skeleton's joints, as `panto inspect -o rig.toml` writes it (default: found "
           "from the recording)");
  add_text(sub, "--person", one, "NAME",
           "Read this one of several people in the file: the name of its topmost joint");
  add_text(sub, "--take", take, "NAME", "glTF: read this animation, by name or number from 1");
}

void add_method_options(CLI::App& sub, TrackingOptions& options) {
  std::vector<std::pair<std::string, SolverKind>> solvers;
  for (const SolverKind kind : solver_kinds()) solvers.emplace_back(to_string(kind), kind);
  add_choice<SolverKind>(sub, "--solver", options.solver, solvers,
                         "Choose the method; all but the default serve comparison");
  add_choice<JacobianDamping>(sub, "--damping", options.damping,
                              {{"adaptive", JacobianDamping::Adaptive},
                               {"constant", JacobianDamping::Constant},
                               {"plain", JacobianDamping::Plain}},
                              "Choose the damping of the damped-jacobian solver");
  add_choice<ModularLaw>(
      sub, "--module-law", options.module_law,
      {{"drift-free", ModularLaw::DriftFree}, {"paper", ModularLaw::Rates}},
      "Choose the law of the modular solver: angles of every sample, or the paper's rates");
  add_choice<VelocitySource>(
      sub, "--velocity", options.velocity,
      {{"measured", VelocitySource::Measured}, {"differenced", VelocitySource::Differenced}},
      "Follow the file's velocities where it has them, or differences of its poses");
  add_choice<LimitLaw>(sub, "--limits", options.limits,
                       {{"exact", LimitLaw::Exact},
                        {"brake", LimitLaw::Braking},
                        {"tanh", LimitLaw::Tanh},
                        {"none", LimitLaw::None}},
                       "Choose how joints approach their limits");
  add_choice<bool>(sub, "--align", options.align, {{"auto", true}, {"none", false}},
                   "Search the pose from scratch at the first frame and after gaps, or never");
  add_flag(sub, "--paper", options.paper,
           "Use the method as printed in its paper, for comparison; overrides --limits and --align");
  add_number(sub, "--gain", options.gain, 0.0, 1e6, "1/s",
             "Set K, the rate at which orientation and position errors decay, in 1/s (default 20; 5 with "
             "--module-law paper)");
  add_number(
      sub, "--limit-gain", options.limit_gain, 1e-3, 1e6, "1/rad",
      "Set K_g of tanh limits in 1/rad; larger: joints come closer before they slow down (default 0.5)");
  add_number(
      sub, "--speed-limit", options.speed_limit, 1e-3, 1e6, "rad/s",
      "Limit the speed of joints whose model has no limit, in rad/s (default none for humans, 10 for robots "
      "and with --paper)");
  add_number(sub, "--settle", options.settle, 0.0, 1e6, "s",
             "Leave this many seconds at the start out of the statistics (default " +
                 digits(options.settle, 6) + ")");
  for (const char* word : {"--solver", "--damping", "--module-law", "--velocity", "--limits", "--align",
                           "--paper", "--gain", "--limit-gain", "--speed-limit", "--settle"})
    sub.get_option(word)->group(kMethodGroup);
}

}  // namespace panto::app
