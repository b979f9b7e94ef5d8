// panto synthesize: writes a motion with known truth.

#include <CLI/App.hpp>
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>

#include "apps/panto/commands.hpp"
#include "apps/panto/interruption.hpp"
#include "apps/support/command_line.hpp"
#include "panto/base/error.hpp"
#include "panto/base/printable.hpp"
#include "panto/base/text.hpp"
#include "panto/io/csv.hpp"
#include "panto/io/open_imu.hpp"
#include "panto/io/open_model.hpp"
#include "panto/io/outputs.hpp"
#include "panto/io/state_file.hpp"
#include "panto/io/text_scanner.hpp"
#include "panto/recording/imu_recording.hpp"
#include "panto/synthesis/imu_faults.hpp"
#include "panto/synthesis/motion_law.hpp"
#include "panto/synthesis/played_motion.hpp"
#include "panto/synthesis/segments.hpp"
#include "panto/synthesis/synthesis.hpp"

namespace panto::app {
namespace {

struct SynthesizeOptions {
  std::string motion, model = "human66";
  std::vector<std::string> outputs;
  std::string sensors, imu;  ///< mounting of inertial sensors, and the file of their measurements
  std::vector<std::string> faults;
  std::optional<double> duration;
  double rate = 60.0, height = 1.75, mass = 70.0, noise = 0.0;
  std::optional<std::uint64_t> seed;
};

constexpr double kDuration = 10.0;  // [s] of a motion without an end of its own

bool is_file(const SynthesizeOptions& options) { return io::extension_of(options.motion) == ".csv"; }

std::uint64_t seed_in(const std::string& text) {
  std::uint64_t seed = 0;
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, seed);
  if (result.ec != std::errc() || result.ptr != end)
    throw ConfigError("--seed is '" + text + "', must be a whole number from 0 to 2^64 - 1");
  return seed;
}

// Disturbs measured segments only: joint angles stay the truth.
io::StateFileOptions file_options(const SynthesizeOptions& options) {
  io::StateFileOptions file{options.rate, io::AngleConvention::Model};
  if (options.noise > 0.0) {
    Noise noise({.attitude_deg_per_axis = options.noise, .seed = options.seed.value_or(1)});
    file.disturb = [noise](SegmentSample& sample) mutable { noise.add_to(sample); };
  }
  return file;
}

void check_noise(const SynthesizeOptions& options) {
  const auto recording = [](const std::string& path) { return io::extension_of(path) == ".mvnx"; };
  if (options.noise > 0.0 && std::none_of(options.outputs.begin(), options.outputs.end(), recording))
    throw ConfigError(
        "--noise needs an .mvnx output, the only one that holds measured segments: add -o FILE.mvnx");
  if (options.seed && !(options.noise > 0.0) && options.imu.empty() && options.motion != "gesture" &&
      options.motion != "random")
    throw ConfigError("--seed has no effect on '" + options.motion + "' without --noise or --imu");
}

// What sensors on the body would measure, in the order of their stamps.
ImuClip sensed(const SynthesizeOptions& options, const Model& model, const MotionLaw& law, double duration) {
  const SensorSetup file = io::read_sensors(options.sensors);
  ImuSignalOptions signals;
  signals.duration = duration;
  signals.rate_hz = options.rate;
  signals.surroundings = file.setup.surroundings;
  signals.magnetometers = file.has_field;
  signals.seed = options.seed.value_or(1);
  for (const std::string& fault : options.faults) add_imu_fault(fault, signals);
  std::vector<std::string> names;
  for (const ImuMount& mount : file.setup.mounts) names.push_back(mount.name);
  return imu_clip(options.imu, options.rate, std::move(names),
                  imu_signals(model, law, file.setup.mounts, signals).samples);
}

void write_imu(const SynthesizeOptions& options, const ImuClip& clip) {
  io::write_imu_csv(options.imu, clip);
  std::printf("wrote %s: %s, %s of %s at %g Hz\n", printable(options.imu).c_str(), options.motion.c_str(),
              counted(std::ssize(clip.times), "sample").c_str(),
              counted(std::ssize(clip.sensors), "sensor").c_str(), options.rate);
}

void check_imu(const SynthesizeOptions& options) {
  if (options.imu.empty() != options.sensors.empty())
    throw ConfigError(options.imu.empty()
                          ? "--sensors needs --imu FILE, the output of what the sensors measure"
                          : "--imu needs --sensors FILE, the mounting of the sensors");
  if (options.imu.empty() && !options.faults.empty())
    throw ConfigError("--fault applies to inertial sensors: --imu and --sensors are missing");
  if (options.imu.empty() && options.outputs.empty())
    throw ConfigError("nothing to write: -o,--out FILE or --imu FILE is missing");
  if (is_file(options) && (options.imu.empty() || !options.outputs.empty()))
    throw ConfigError("'" + options.motion +
                      "' is a motion already: only --imu FILE can be written from it; " +
                      "-o,--out needs a motion by name");
  io::check_ending("--imu", options.imu, ".csv", "this table");
}

int synthesize(const SynthesizeOptions& options) {
  std::vector<std::string> written = options.outputs;
  if (!options.imu.empty()) written.push_back(options.imu);
  io::check_outputs(written, {options.sensors, is_file(options) ? options.motion : std::string()});
  check_imu(options);
  check_noise(options);
  std::vector<std::string> notes;
  const Model model = io::open_model(options.model, scaled_subject(options.height, options.mass), notes);
  for (const std::string& note : notes) std::fprintf(stderr, "note: %s\n", printable(note).c_str());
  if (is_file(options)) {
    const PlayedMotion played(io::read_csv_motion(options.motion, model), model, options.motion,
                              options.duration);
    write_imu(options, sensed(options, model, played.law(), played.duration()));
    return kGood;
  }
  const Synthesis synthesis = make_synthesis(options.motion, model, options.seed.value_or(1));
  const double duration = options.duration.value_or(kDuration);
  const std::int64_t frames = frame_count(duration, options.rate);
  std::optional<ImuClip> imu;
  if (!options.imu.empty()) imu = sensed(options, model, motion_law(synthesis), duration);
  const Interruption interruption;
  std::vector<std::unique_ptr<io::StateFile>> files;  // all are closed at the end, or none
  for (bool good = true; good && files.size() < options.outputs.size();) {
    const std::string& path = options.outputs[files.size()];
    files.push_back(io::create_state_file(path, model, file_options(options)));
    remove_when_interrupted({path});
    State state = rest_state(model);
    for (std::int64_t i = 0; good && i < frames; ++i) {
      Interruption::check();
      synthesis.evaluate(frame_time(i, options.rate), state);
      good = files.back()->write(state) == WriteStatus::Written;  // else close() throws the reason
    }
  }
  if (imu) write_imu(options, *imu);
  for (std::size_t i = 0; i < files.size(); ++i) {
    files[i]->close();
    std::printf("wrote %s: %s, %s at %g Hz, %s\n", printable(options.outputs[i]).c_str(),
                options.motion.c_str(), counted(frames, "frame").c_str(), options.rate,
                printable(model.name()).c_str());
  }
  return kGood;
}

}  // namespace

void add_synthesize(CLI::App& app, Run& run) {
  auto options = std::make_shared<SynthesizeOptions>();
  CLI::App* sub = app.add_subcommand("synthesize", "Write a motion with known truth as a recording.");
  std::string motions = "One of";
  for (const SynthesisName& known : synthesis_names()) {
    motions += "\n" + std::string(known.name) + ": " + std::string(known.description);
  }
  motions += "\nFILE.csv: joint angles, as written by panto track -o; for --imu";
  add_text(*sub, "motion", options->motion, "", motions)->required();
  add_text(*sub, "-o,--out,--output", options->outputs, "FILE",
           "Write this output, by extension: .bvh .mvnx (moving skeleton), .csv .mot .sto .npz (joint "
           "angles); may be repeated");
  add_file(*sub, "--imu", options->imu, "FILE",
           "Also write what inertial sensors on the body would measure, to a .csv that panto track reads");
  add_file(*sub, "--sensors", options->sensors, "FILE",
           "Read the mounting of those sensors from a .toml, as for panto track");
  std::string faults = "Add this fault to those sensors (default none); may be repeated\nall: all of";
  for (const ImuFaultName& known : imu_fault_names())
    faults += "\n" + std::string(known.name) + ": " + std::string(known.description);
  add_text(*sub, "--fault", options->faults, "NAME", faults);
  add_text(*sub, "--model", options->model, "NAME",
           "Choose the body: human66, human48; for 'singular_arm' and 'singular_hold' tee7; for 'random' "
           "any robot: a shipped one, a .urdf, .xml or .toml (default human66)");
  add_number(*sub, "--duration", options->duration, 1e-3, 1e6, "s",
             "Set the length in seconds (default 10; for a file: its length)");
  add_number(*sub, "--rate", options->rate, 1e-3, 1e5, "Hz", "Set the frames per second (default 60)");
  add_number(*sub, "--height", options->height, 0.3, 3.0, "m",
             "Set the body height in metres (default 1.75)");
  add_number(*sub, "--mass", options->mass, 2.0, 400.0, "kg", "Set the body mass in kilograms (default 70)");
  add_words(
      *sub, "--seed", [options](const std::string& text) { options->seed = seed_in(text); }, "INTEGER",
      "Set the seed of 'gesture', 'random', --noise and --fault (default 1)");
  add_number(*sub, "--noise", options->noise, 0.0, 30.0, "deg",
             "Add noise to measured orientations, in degrees about each axis (default 0); only in .mvnx, all "
             "other outputs are the truth");
  sub->footer(
      "Examples:\n"
      "  panto synthesize walk -o walk.mvnx -o truth.csv\n"
      "  panto synthesize run --noise 1 -o noisy.mvnx -o truth.csv\n"
      "  panto synthesize walk --sensors body.toml --imu body.csv --fault all\n"
      "  panto synthesize truth.csv --sensors body.toml --imu body.csv\n"
      "  panto synthesize wave --rate 80 -o wave.bvh\n"
      "  panto synthesize random --seed 7 --model human48 --duration 60 -o random.bvh");
  sub->callback([options, &run] { run = [options] { return synthesize(*options); }; });
}

}  // namespace panto::app
