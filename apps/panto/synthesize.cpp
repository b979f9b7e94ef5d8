// panto synthesize: a motion with known truth.

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

#include "apps/panto/commands.hpp"
#include "apps/panto/resolve.hpp"
#include "panto/io/state_file.hpp"
#include "panto/synthesis/synthesis.hpp"

namespace panto::app {
namespace {

struct SynthesizeOptions {
  std::string motion, model = "human66";
  std::vector<std::string> outputs;
  double duration = 10.0, rate = 60.0, height = 1.75, mass = 70.0;
  std::uint64_t seed = 1;
};

int synthesize(const SynthesizeOptions& options) {
  std::vector<std::string> notes;
  const Model model = resolve_model(options.model, scaled_subject(options.height, options.mass), notes);
  const Synthesis synthesis = make_synthesis(options.motion, model, options.seed);
  const std::int64_t frames = frame_count(options.duration, options.rate);
  for (const std::string& note : notes) std::fprintf(stderr, "note: %s\n", note.c_str());
  for (const std::string& path : options.outputs) {
    const std::unique_ptr<io::StateFile> file =
        io::create_state_file(path, model, {options.rate, io::AngleConvention::Model});
    State state = rest_state(model);
    for (std::int64_t i = 0; i < frames; ++i) {
      synthesis.evaluate(frame_time(i, options.rate), state);
      if (file->write(state) != WriteStatus::Written) break;
    }
    file->close();
    std::printf("wrote %s: %s, %lld frames at %g Hz, %s\n", path.c_str(), options.motion.c_str(),
                static_cast<long long>(frames), options.rate, model.name().c_str());
  }
  return kGood;
}

}  // namespace

void add_synthesize(CLI::App& app, Run& run) {
  auto options = std::make_shared<SynthesizeOptions>();
  CLI::App* sub = app.add_subcommand("synthesize", "A motion with known truth, as a recording");
  std::string motions = "One of:";
  for (const SynthesisName& known : synthesis_names()) {
    motions += "\n  " + std::string(known.name) + ": " + std::string(known.description);
  }
  sub->add_option("motion", options->motion, motions)->required();
  sub->add_option("-o,--out", options->outputs,
                  "Output by extension: .bvh .mvnx .csv .mot .sto; may be repeated")
      ->required()
      ->take_all()
      ->expected(1);
  sub->add_option("--model", options->model, "human66, human48, or a URDF (for 'random')")
      ->capture_default_str();
  sub->add_option("--duration", options->duration, "Length [s]")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  sub->add_option("--rate", options->rate, "Frames per second [Hz]")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  sub->add_option("--height", options->height, "Body height [m]")
      ->capture_default_str()
      ->check(CLI::Range(0.3, 3.0));
  sub->add_option("--mass", options->mass, "Body mass [kg]")
      ->capture_default_str()
      ->check(CLI::Range(2.0, 400.0));
  sub->add_option("--seed", options->seed, "Seed of 'random'")->capture_default_str();
  sub->callback([options, &run] { run = [options] { return synthesize(*options); }; });
}

}  // namespace panto::app
