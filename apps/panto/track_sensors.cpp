#include "apps/panto/track_sensors.hpp"

#include <cstdio>
#include <memory>
#include <utility>

#include "apps/panto/command_line.hpp"
#include "apps/panto/commands.hpp"
#include "apps/panto/interruption.hpp"
#include "apps/panto/job.hpp"
#include "panto/api/track_sensors.hpp"
#include "panto/base/error.hpp"
#include "panto/base/printable.hpp"
#include "panto/base/text.hpp"
#include "panto/io/imu_formats.hpp"
#include "panto/io/model_formats.hpp"
#include "panto/io/open_model.hpp"
#include "panto/io/outputs.hpp"
#include "panto/io/part_file.hpp"
#include "panto/live/address.hpp"
#include "panto/report/page.hpp"
#include "panto/report/sensor_report.hpp"
#include "panto/report/shared_names.hpp"
#include "panto/report/tables.hpp"
#include "panto/tracking/sensor_notes.hpp"

namespace panto::app {
namespace {

using Settings = std::vector<std::pair<std::string, std::string>>;

void check_names(const SensorTrackingOptions& options) {
  for (const std::string& path : options.outputs) {
    if (live::is_address(path))
      throw ConfigError("output '" + path + "': raw sensors can be tracked to files only, not to an address" +
                        (options.smooth ? "; --smooth needs the whole recording first" : ""));
  }
  io::check_ending("--report", options.report, ".html", "a page");
  io::check_ending("--refine", options.refined, ".toml", "a sensors file");
}

std::vector<std::string> all_outputs(const SensorTrackingOptions& options) {
  std::vector<std::string> paths = options.outputs;
  if (!options.report.empty()) paths.push_back(options.report);
  if (!options.refined.empty()) paths.push_back(options.refined);
  return paths;
}

Settings settings_of(const SensorTrackingOptions& options) {
  Settings settings{{"recording", options.files.input},
                    {"--model", options.files.model},
                    {"--sensors", options.files.sensors}};
  if (options.smooth) settings.emplace_back("--smooth", "on");
  if (options.deviations) settings.emplace_back("--cov", "on");
  if (!options.refined.empty()) settings.emplace_back("--refine", options.refined);
  if (options.files.height) settings.emplace_back("--height", digits(*options.files.height, 4));
  return settings;
}

// Writes the outputs while a clip is tracked, and at its end.
class SensorOutputs {
 public:
  // Adds notes to the clip's.
  SensorOutputs(const SensorTrackingOptions& options, OpenedSensors& opened)
      : options_(options), model_(opened.model) {
    ImuClip& clip = opened.clip;
    const io::StateFileOptions file{clip.rate_hz, options.angles, options.deviations, {}};
    for (const std::string& path : options.outputs)
      files_.push_back(io::create_state_file(path, model_, file));
    if (!options.refined.empty()) refined_ = std::make_unique<io::PartFile>(options.refined);
    if (options.report.empty()) return;
    ReportPageInfo info{options.files.input,
                        clip.format,
                        PANTO_VERSION,
                        clip.rate_hz,
                        from_seconds(options.settle),
                        std::vector<std::string>(),
                        settings_of(options),
                        io::page_meshes(opened.shapes.get(), model_, clip.notes)};
    page_ = std::make_unique<ReportPage>(options.report, model_, std::vector<TrackedPair>(), info);
  }

  // This object must outlive `observer`.
  void watch(Observer& observer) {
    observer.note = [this, before = observer.note](std::string_view text) {
      if (before) before(text);
      if (!running_) notes_.emplace_back(text);
    };
    observer.frame = [this](const SegmentSample& sample, const State& state, const StepRecord& record) {
      add(sample, state, record);
    };
  }

  // returns false when an output is incomplete
  [[nodiscard]] bool close(const SensorTrackResult& result) {
    if (!complete_) std::fprintf(stderr, "panto: some frames could not be written\n");
    for (std::size_t i = 0; i < files_.size(); ++i) {
      try {
        files_[i]->close();
        written_.push_back(options_.outputs[i]);
      } catch (const Error& error) {
        std::fprintf(stderr, "panto: %s\n", printable(error.what()).c_str());
        complete_ = false;
      }
    }
    if (refined_) close_refined(result);
    if (page_) close_page(result);
    return complete_;
  }

  [[nodiscard]] const std::vector<std::string>& written() const { return written_; }

 private:
  void add(const SegmentSample& sample, const State& state, const StepRecord& record) {
    running_ = true;
    if (page_) page_->add(sample, state, record);
    if (!advanced(record.status)) return;
    for (const auto& file : files_)
      complete_ = file->write_with(state, record.deviation) == WriteStatus::Written && complete_;
  }

  void close_refined(const SensorTrackResult& result) {
    (void)refined_->write(io::sensors_text(
        result.refined,
        "refined by panto while tracking " + shared_name(options_.files.input) +
            "; use it for other recordings only: that one would count twice"));  // close() reports failure
    refined_->close();
    if (doubtful(result.found))
      say({"warning: " + options_.refined +
           " is unreliable: sensors disagree or may be swapped; do not use it"});
    written_.push_back(options_.refined);
  }

  void close_page(const SensorTrackResult& result) {
    std::vector<std::string> notes = notes_;
    for (const std::string& line :
         sensor_lines(result.found, verdict_of(result, model_).grade != Verdict::Grade::Good))
      notes.push_back(line);
    if (result.smoothed) notes.push_back(smoothing_line(*result.smoothed));
    page_->close({result.card,
                  notes,
                  {},
                  {},
                  {},
                  {},
                  PageSensors{result.found, result.known},
                  verdict_of(result, model_),
                  result.unmeasured_joints});
    written_.push_back(options_.report);
  }

  const SensorTrackingOptions& options_;
  const Model model_;
  std::vector<std::unique_ptr<io::StateFile>> files_;
  std::unique_ptr<io::PartFile> refined_;
  std::unique_ptr<ReportPage> page_;
  std::vector<std::string> notes_;  // for the page: those before the first frame
  std::vector<std::string> written_;
  bool running_ = false, complete_ = true;
};

SensorTrackResult track_into(const SensorTrackingOptions& options, OpenedSensors opened,
                             SensorOutputs& outputs) {
  SensorTrackOptions how;
  how.smooth = options.smooth;
  how.deviations = options.deviations || !options.report.empty();
  how.refine = !options.refined.empty();
  how.settle = options.settle;
  how.keep_motion = false;
  how.subject = opened.subject;
  const Job job;
  Observer observer = job.observer;
  outputs.watch(observer);
  return panto::track(std::move(opened.clip), opened.model, opened.sensors, how, observer);
}

void print(const SensorTrackingOptions& options, const std::string& format, const Model& model,
           const SensorTrackResult& result, const std::vector<std::string>& written) {
  say(sensor_lines(result.found, verdict_of(result, model).grade != Verdict::Grade::Good));
  if (result.smoothed) say_note(smoothing_line(*result.smoothed));
  if (options.printing.json) {
    std::printf("%s\n", to_json(result, model).c_str());
    return;
  }
  const std::string tables = format_table(result.card, known_table(result.found, result.known, model)) +
                             "\n" + sensor_table(result.found);
  print_result(verdict_of(result, model),
               options.files.input + ": " + format + " -> " + model.name() + ", " +
                   counted(std::ssize(result.found.sensors), "sensor"),
               options.printing.verbose ? tables : "", written);
}

}  // namespace

OpenedSensors open_sensors(const SensorFiles& files, io::Input* opened) {
  ImuClip clip = opened != nullptr ? io::open_imu(*opened) : io::open_imu(files.input);
  SensorSetup sensors = io::read_sensors(files.sensors);
  if (files.height || files.mass) io::check_scalable(files.model);
  if (!io::has_own_size(files.model) && !files.height)
    clip.notes.emplace_back("assuming an average body of 1.75 m; give --height if it differs");
  const SubjectDimensions subject = scaled_subject(files.height.value_or(1.75), files.mass.value_or(70.0));
  io::ShapedModel body = io::open_shaped_model(files.model, subject, clip.notes, files.base);
  return {std::move(clip), std::move(sensors), subject, std::move(body.model), std::move(body.shapes)};
}

int track_sensors(const SensorTrackingOptions& options, io::Input& input) {
  check_names(options);
  io::check_outputs(all_outputs(options), {options.files.input, options.files.sensors, options.files.model});
  OpenedSensors opened = open_sensors(options.files, &input);
  const Model model = opened.model;
  const std::string format = opened.clip.format;
  SensorOutputs outputs(options, opened);
  remove_when_interrupted(all_outputs(options));
  const SensorTrackResult result = track_into(options, std::move(opened), outputs);
  const bool complete = outputs.close(result);
  print(options, format, model, result, outputs.written());
  return code_of(verdict_of(result, model), options.printing.strict, complete ? kGood : kUnusableInput);
}

}  // namespace panto::app
