// panto track: a recording onto a human.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "apps/panto/command_line.hpp"
#include "apps/panto/commands.hpp"
#include "apps/panto/progress.hpp"
#include "apps/panto/resolve.hpp"
#include "apps/support/allocation_count.hpp"
#include "panto/evaluation/report_card.hpp"
#include "panto/io/motion_file.hpp"
#include "panto/io/report_json.hpp"
#include "panto/io/report_page.hpp"
#include "panto/io/state_file.hpp"
#include "panto/pipeline/retargeter.hpp"
#include "panto/pipeline/run.hpp"

namespace panto::app {
namespace {

struct TrackOptions {
  std::string input;
  std::vector<std::string> outputs;
  std::string model = "human66";
  std::optional<double> height, mass;
  io::AngleConvention angles = io::AngleConvention::Model;
  VelocitySource velocity = VelocitySource::Measured;
  LimitLaw limits = LimitLaw::Exact;
  bool align = true;
  bool paper = false;
  double settle = 0.5;
  bool json = false;
  std::string report;
};

// Times every step and counts what it allocates.
class MeasuredTracker final : public Tracker<SegmentSample> {
 public:
  explicit MeasuredTracker(Retargeter& tracker) : tracker_(tracker) {}

  StepStatus step(const SegmentSample& sample, State& state) noexcept override {
    using Clock = std::chrono::steady_clock;
    const AllocationCount allocations;
    const Clock::time_point start = Clock::now();
    record.status = tracker_.step(sample, state);
    record.duration_ns = std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start).count();
    if (AllocationCount::available()) record.allocations = allocations.value();
    record.fallback_level = tracker_.last_report().fallback_level;
    return record.status;
  }
  const StepReport& last_report() const noexcept override { return tracker_.last_report(); }

  StepRecord record;

 private:
  Retargeter& tracker_;
};

SubjectDimensions subject_of(const io::MotionFileInfo& info, const TrackOptions& options,
                             std::vector<std::string>& notes) {
  if (options.height) return scaled_subject(*options.height, options.mass.value_or(70.0));
  if (info.subject) {
    SubjectDimensions subject = *info.subject;
    if (options.mass) subject.mass = *options.mass;
    if (subject.height < 1.0 || subject.height > 2.3) {
      std::array<char, 120> text{};
      std::snprintf(text.data(), text.size(),
                    "the person of this recording is %.2f m tall: are its lengths in another unit? (--height "
                    "says otherwise)",
                    subject.height);
      notes.emplace_back(text.data());
    }
    return subject;
  }
  notes.push_back(
      "the recording has no body dimensions: an average body of 1.75 m is used (--height says otherwise)");
  return scaled_subject(1.75, options.mass.value_or(70.0));
}

DynamicalOptions solver_options(const TrackOptions& options) {
  DynamicalOptions solver = options.paper ? paper_mode() : DynamicalOptions{};
  solver.velocity = options.velocity;
  if (!options.paper) {
    solver.limits.law = options.limits;
    solver.align = options.align;
  }
  return solver;
}

void check_links(const Model& model, const AttachmentMap& map) {
  for (const Attachment& a : map.attachments) {
    if (model.find_link(a.link)) continue;
    throw ModelError("model '" + model.name() + "' has no link '" + a.link +
                     "'; `panto track` follows a human: its links must be named like MVN's segments "
                     "(Pelvis, L5, L3, T12, ... LeftToe)");
  }
}

std::vector<TrackedPair> pairs_of(const Retargeter& tracker, const AttachmentMap& map) {
  std::vector<TrackedPair> pairs;
  for (std::size_t j = 0; j < map.attachments.size(); ++j) {
    const Attachment& a = map.attachments[j];
    pairs.push_back({tracker.attachments().segment(j), tracker.attachments().rows()[j].link, a.R_SF,
                     a.orientation, a.position});
  }
  return pairs;
}

// Notes that were not said yet: readers add to them while they read.
void say(const std::vector<std::string>& notes, std::size_t already = 0) {
  for (std::size_t i = already; i < notes.size(); ++i) std::fprintf(stderr, "note: %s\n", notes[i].c_str());
}

// A segment that the map needs and the recording lacks is the recording's fault, not the command line's.
void check_segments(const io::MotionFile& file) {
  for (const Attachment& a : file.info().attachments.attachments) {
    if (std::find(file.names().begin(), file.names().end(), a.segment) == file.names().end())
      throw FormatError(file.info().path + ": " +
                        unknown_name("segment", a.segment, "the recording", file.names()));
  }
}

Model model_of(const TrackOptions& options, const io::MotionFileInfo& info, std::vector<std::string>& notes) {
  const bool urdf = std::filesystem::path(options.model).extension() == ".urdf";
  if (urdf && (options.height || options.mass))
    throw ConfigError("--height and --mass scale human66 and human48; the sizes of '" + options.model +
                      "' are its own");
  Model model = resolve_model(options.model, subject_of(info, options, notes), notes);
  if (!model.rows().empty()) {
    notes.push_back("model '" + model.name() + "' couples joints (" + std::to_string(model.rows().size()) +
                    (model.rows().size() == 1 ? " row" : " rows") + "); it is tracked without that coupling");
  }
  check_links(model, info.attachments);
  return model;
}

const char* word(LimitLaw law) {
  switch (law) {
    case LimitLaw::Exact:
      return "exact";
    case LimitLaw::Braking:
      return "brake";
    case LimitLaw::Tanh:
      return "tanh";
    case LimitLaw::None:
      return "none";
  }
  return "";
}

std::string decimal(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%g", value);
  return text.data();
}

// what the report says of the run's options, in the words of the command line
std::vector<std::pair<std::string, std::string>> settings_of(const TrackOptions& options) {
  std::vector<std::pair<std::string, std::string>> settings{{"recording", options.input},
                                                            {"--model", options.model}};
  if (options.height) settings.emplace_back("--height", decimal(*options.height) + " m");
  if (options.mass) settings.emplace_back("--mass", decimal(*options.mass) + " kg");
  settings.emplace_back("--velocity",
                        options.velocity == VelocitySource::Measured ? "measured" : "differenced");
  settings.emplace_back("--limits", options.paper ? "tanh (--paper)" : word(options.limits));
  settings.emplace_back("--align", options.paper ? "none (--paper)" : options.align ? "auto" : "none");
  if (options.paper) settings.emplace_back("--paper", "yes");
  settings.emplace_back("--settle", decimal(options.settle) + " s");
  return settings;
}

// The page of this run, or none where none was asked for.
std::unique_ptr<io::ReportPage> open_report(const TrackOptions& options, const io::MotionFile& file,
                                            const Model& model, const std::vector<TrackedPair>& pairs) {
  if (options.report.empty()) return nullptr;
  const io::MotionFileInfo& info = file.info();
  return std::make_unique<io::ReportPage>(
      options.report, model, pairs,
      io::ReportPageInfo{options.input, info.format, PANTO_VERSION, info.rate_hz,
                         from_seconds(options.settle), file.names(), settings_of(options)});
}

using Outputs = std::vector<std::unique_ptr<io::StateFile>>;

// Closes every output, whatever becomes of the others. Returns whether all are complete; says what is not.
bool close_all(const Outputs& outputs, const TrackOptions& options, std::vector<std::string>& written) {
  bool all = true;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    try {
      outputs[i]->close();
      written.push_back(options.outputs[i]);
    } catch (const Error& error) {
      std::fprintf(stderr, "panto: %s\n", error.what());
      all = false;
    }
  }
  return all;
}

void print(const ReportCard& card, const TrackOptions& options, const io::MotionFileInfo& info,
           const Model& model, const std::vector<std::string>& written) {
  if (options.json) {
    std::printf("%s\n", io::to_json(card).c_str());
    return;
  }
  std::printf("%s: %s -> %s\n\n%s", options.input.c_str(), info.format.c_str(), model.name().c_str(),
              format_table(card).c_str());
  for (const std::string& path : written) std::printf("\nwrote %s", path.c_str());
  if (!written.empty()) std::printf("\n");
}

int track(const TrackOptions& options) {
  std::vector<std::string> all_outputs = options.outputs;
  if (!options.report.empty()) all_outputs.push_back(options.report);
  check_outputs(all_outputs, {options.input, options.model});
  const std::unique_ptr<io::MotionFile> file = io::open_motion_file(options.input);
  const io::MotionFileInfo& info = file->info();
  const std::size_t notes_at_opening = info.notes.size();
  std::vector<std::string> notes = info.notes;
  const Model model = model_of(options, info, notes);
  check_segments(*file);
  Retargeter tracker(model, info.attachments, solver_options(options), file->names());

  Outputs outputs;
  std::vector<Sink*> sinks;
  for (const std::string& path : options.outputs) {
    outputs.push_back(io::create_state_file(path, model, {info.rate_hz, options.angles}));
    sinks.push_back(outputs.back().get());
  }
  say(notes);

  ReportOptions report_options;
  report_options.settle = from_seconds(options.settle);
  report_options.expected_frames =
      static_cast<std::size_t>(std::min<std::int64_t>(info.frames.value_or(1000), 100000));
  ReportBuilder report(model, pairs_of(tracker, info.attachments), report_options);
  const std::unique_ptr<io::ReportPage> page =
      open_report(options, *file, model, pairs_of(tracker, info.attachments));
  MeasuredTracker measured(tracker);
  SegmentSample sample;
  State state = tracker.rest_state();
  Tally tally;
  {
    Progress progress(info.frames);
    const auto observe = [&](const SegmentSample& seen, StepStatus, const State& now) {
      report.add(seen, now, measured.record);
      if (page) page->add(seen, now, measured.record);
      progress.frame();
    };
    tally = run<SegmentSample>({*file, measured, sinks, observe}, sample, state);
  }
  say(info.notes, notes_at_opening);

  const bool damaged = tally.reads[static_cast<std::size_t>(ReadStatus::Malformed)] > 0;
  const std::int64_t samples = tally.reads[static_cast<std::size_t>(ReadStatus::Sample)];
  if (samples == 0)
    throw FormatError(damaged ? file->problem() : options.input + ": holds no frames of motion");
  std::vector<std::string> written;
  const std::int64_t dropped = tally.writes[static_cast<std::size_t>(WriteStatus::Dropped)];
  if (dropped > 0)
    std::fprintf(stderr, "panto: %lld frames could not be written\n", static_cast<long long>(dropped));
  const bool complete = close_all(outputs, options, written) && dropped == 0;
  if (page) {
    for (std::size_t i = notes_at_opening; i < info.notes.size(); ++i) notes.push_back(info.notes[i]);
    if (damaged) notes.push_back(file->problem());
    page->close({report.report(), notes, info.rig, {}});
    written.push_back(options.report);
  }
  print(report.report(), options, info, model, written);
  if (damaged) {
    std::fprintf(stderr, "panto: %s\npanto: the %lld frames before it were used\n", file->problem().c_str(),
                 static_cast<long long>(samples));
  }
  return complete && !damaged ? kGood : kUnusableInput;
}

}  // namespace

void add_track(CLI::App& app, Run& run) {
  auto options = std::make_shared<TrackOptions>();
  CLI::App* sub =
      app.add_subcommand("track", "A recording onto a human: joint angles, and how good they are.");
  sub->add_option("recording,-i,--in", options->input,
                  "A file to read: .mvnx (versions 3 and 4) or .bvh (Xsens' export)")
      ->required()
      ->option_text("FILE");
  sub->add_option("-o,--out", options->outputs,
                  "Output, by extension: .csv .mot .sto (joint angles), .bvh .mvnx (moving skeleton); may be "
                  "repeated")
      ->take_all()
      ->expected(1)
      ->option_text("FILE");
  sub->add_option("--model", options->model,
                  "human66, human48, or a URDF whose links are named like MVN's segments (default human66)")
      ->option_text("NAME");
  add_number(*sub, "--height", options->height, 0.3, 3.0, "m",
             "Body height in metres, instead of the recording's dimensions");
  add_number(*sub, "--mass", options->mass, 2.0, 400.0, "kg", "Body mass in kilograms");
  add_choice<io::AngleConvention>(*sub, "--angles", options->angles,
                                  {{"model", io::AngleConvention::Model}, {"isb", io::AngleConvention::Isb}},
                                  "Angles in tables: of the model's joints, or of the 22 ISB joints");
  add_choice<VelocitySource>(
      *sub, "--velocity", options->velocity,
      {{"measured", VelocitySource::Measured}, {"differenced", VelocitySource::Differenced}},
      "Velocities to follow: the file's where it has them, or differences of its poses");
  add_choice<LimitLaw>(*sub, "--limits", options->limits,
                       {{"exact", LimitLaw::Exact},
                        {"brake", LimitLaw::Braking},
                        {"tanh", LimitLaw::Tanh},
                        {"none", LimitLaw::None}},
                       "How joints approach their limits");
  add_choice<bool>(*sub, "--align", options->align, {{"auto", true}, {"none", false}},
                   "Find the pose anew at the first frame and after a gap, or never");
  sub->add_flag("--paper", options->paper,
                "The method as its paper prints it, for comparison; overrides --limits and --align");
  add_number(*sub, "--settle", options->settle, 0.0, 1e6, "s",
             "Seconds at the start that the statistics leave out (default 0.5)");
  sub->add_option("--report", options->report,
                  "Also write one HTML page: numbers, curves, worst moments and a 3-D replay")
      ->option_text("PAGE");
  sub->add_flag("--json", options->json, "One JSON object on stdout instead of the table");
  sub->footer(
      "Examples:\n"
      "  panto track take.mvnx -o take.mot -o take.csv\n"
      "  panto track take.mvnx --model human48 --angles isb -o angles.sto\n"
      "  panto track take.bvh --report take.html\n"
      "  panto track take.bvh --height 1.82 --json");
  sub->callback([options, &run] { run = [options] { return track(*options); }; });
}

}  // namespace panto::app
