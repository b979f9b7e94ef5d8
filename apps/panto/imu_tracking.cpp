#include "apps/panto/imu_tracking.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "apps/panto/command_line.hpp"
#include "apps/panto/interruption.hpp"
#include "apps/panto/progress.hpp"
#include "apps/panto/tracking.hpp"
#include "panto/api/models.hpp"
#include "panto/api/robot_shapes.hpp"
#include "panto/base/index.hpp"
#include "panto/base/text.hpp"
#include "panto/io/text_scanner.hpp"
#include "panto/live/address.hpp"
#include "panto/report/report_json.hpp"
#include "panto/report/sensor_report.hpp"
#include "panto/tracking/measured_tracker.hpp"
#include "panto/tracking/run.hpp"

namespace panto::app {
namespace {

void check_names(const ImuTrackingOptions& options) {
  for (const std::string& path : options.outputs) {
    if (live::is_address(path))
      throw ConfigError("output '" + path + "': raw sensors are tracked into files, not to an address" +
                        (options.smooth ? "; and --smooth needs the whole recording first" : ""));
  }
  const std::string extension = io::extension_of(options.report);
  if (!options.report.empty() && extension != ".html" && extension != ".htm")
    throw ConfigError("--report '" + options.report + "': a page is written; its name must end in .html");
  if (!options.refined.empty() && io::extension_of(options.refined) != ".toml")
    throw ConfigError("--refine '" + options.refined +
                      "': a file of sensors is written; its name must end in .toml");
}

std::vector<std::string> all_outputs(const ImuTrackingOptions& options) {
  std::vector<std::string> paths = options.outputs;
  if (!options.report.empty()) paths.push_back(options.report);
  if (!options.refined.empty()) paths.push_back(options.refined);
  return paths;
}

}  // namespace

ImuTracking::ImuTracking(ImuTrackingOptions options) : options_(std::move(options)) {
  const SensedBodyOptions& body = options_.body;
  check_names(options_);
  check_outputs(all_outputs(options_), {body.input, body.sensors, body.model});
  body_.emplace(body);
  notes_ = body_->notes();
  open_outputs();
  say(notes_);
}

std::vector<std::pair<std::string, std::string>> ImuTracking::settings() const {
  std::vector<std::pair<std::string, std::string>> settings{{"recording", options_.body.input},
                                                            {"--model", options_.body.model},
                                                            {"--sensors", options_.body.sensors}};
  if (options_.smooth) settings.emplace_back("--smooth", "on");
  if (options_.deviations) settings.emplace_back("--cov", "on");
  if (!options_.refined.empty()) settings.emplace_back("--refine", options_.refined);
  if (options_.body.height) settings.emplace_back("--height", digits(*options_.body.height, 4));
  return settings;
}

void ImuTracking::open_outputs() {
  io::StateFileOptions file{clip().rate_hz, options_.angles};
  deviation_ = body_->tracker().deviation();
  if (options_.deviations) file.deviation = &deviation_;
  for (const std::string& path : options_.outputs)
    outputs_.push_back(io::create_state_file(path, model(), file));
  if (!options_.refined.empty()) refined_ = std::make_unique<io::PartFile>(options_.refined);
  if (options_.report.empty()) return;
  const std::string urdf = urdf_behind(options_.body.model);
  ReportPageInfo info{options_.body.input,
                      clip().format,
                      PANTO_VERSION,
                      clip().rate_hz,
                      from_seconds(options_.settle),
                      {},
                      settings(),
                      urdf.empty() ? std::vector<io::LinkMesh>() : page_meshes(urdf, model(), notes_)};
  page_ = std::make_unique<ReportPage>(options_.report, model(), std::vector<TrackedPair>(), info);
}

// A smoother takes twice as long with them.
bool ImuTracking::knows_deviations() const {
  return !options_.smooth || options_.deviations || page_ != nullptr;
}

// Everything is filtered and smoothed before the first frame is written.
void ImuTracking::smooth(ImuTrackingResult& result) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  Progress progress(2 * static_cast<std::int64_t>(clip().times.size()));
  InertialSmoothingOptions smoothing;
  smoothing.deviations = knows_deviations();
  smoothing.filtered = [&](StepStatus status) {
    body_->count(status);
    progress.frame();
  };
  smoothing.smoothed = [&] { progress.frame(); };
  const auto read = [this](std::size_t index, ImuSample& sample) {
    body_->recording().sample(index, sample);
  };
  smoothed_ = std::make_unique<SmoothedInertialTracker>(
      body_->tracker(), RecordedImuSamples{clip().times.size(), read}, smoothing);
  result.smoothed = smoothed_->counts();
  smoothing_ns_ = std::chrono::duration<double, std::nano>(Clock::now() - start).count() /
                  static_cast<double>(clip().times.size());
}

ImuTrackingResult ImuTracking::run() {
  const Interruption interruption;
  try {
    return follow();
  } catch (const Interrupted&) {
    outputs_.clear();
    refined_.reset();
    page_.reset();
    remove_parts(all_outputs(options_));
    throw;
  }
}

ImuTrackingResult ImuTracking::follow() {
  ReportOptions report_options;
  report_options.settle = from_seconds(options_.settle);
  report_options.expected_frames = clip().times.size();
  ReportBuilder report(model(), {}, report_options);
  JointDeviations deviations(model(), from_seconds(options_.settle));
  ImuTrackingResult result;
  if (options_.smooth) smooth(result);
  MeasuredTracker<ImuSample> measured(smoothed_ ? static_cast<Tracker<ImuSample>&>(*smoothed_)
                                                : body_->tracker());
  const bool known = knows_deviations();
  if (known) measured.record.deviation = &deviation_;
  std::vector<Sink*> sinks;
  for (const auto& output : outputs_) sinks.push_back(output.get());
  ImuSample sample;
  SegmentSample shown;
  State state = body_->tracker().start_state();
  Tally tally;
  {
    Progress progress(static_cast<std::int64_t>(clip().times.size()));
    const auto after_step = [&](const ImuSample& seen, StepStatus status, const State& now) {
      shown.t = seen.t;
      deviation_ = smoothed_ ? smoothed_->deviation() : body_->tracker().deviation();
      if (known && advanced(status)) deviations.add(seen.t, deviation_);
      if (smoothed_) *measured.record.duration_ns += static_cast<std::int64_t>(smoothing_ns_);
      report.add(shown, now, measured.record);
      if (page_) page_->add(shown, now, measured.record);
      if (!smoothed_) body_->count(status);
      progress.frame();
    };
    tally = panto::run<ImuSample>({body_->recording(), measured, sinks, after_step}, sample, state);
  }
  result.found = body_->findings();
  result.card = report.report();
  result.known = deviations.known(measured_joints(result.found, model()));
  if (tally.steps[static_cast<std::size_t>(StepStatus::Solved)] == 0)
    throw FormatError(options_.body.input + ": none of its samples can be followed");
  result.complete = tally.writes[static_cast<std::size_t>(WriteStatus::Dropped)] == 0;
  if (!result.complete) std::fprintf(stderr, "panto: some frames could not be written\n");
  close_outputs(result);
  return result;
}

void ImuTracking::close_outputs(ImuTrackingResult& result) {
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    try {
      outputs_[i]->close();
      result.written.push_back(options_.outputs[i]);
    } catch (const Error& error) {
      std::fprintf(stderr, "panto: %s\n", printable(error.what()).c_str());
      result.complete = false;
    }
  }
  if (refined_) {
    (void)refined_->write(
        io::sensors_text(body_->refined_file(),
                         "learnt by panto while it tracked " + options_.body.input +
                             "; for other recordings: that one would count twice"));  // close() tells
    refined_->close();
    if (doubtful(result.found))
      say({"warning: " + options_.refined +
           " is of a run whose sensors disagree or look changed over: it is not to be used"});
    result.written.push_back(options_.refined);
  }
  if (!page_) return;
  std::vector<std::string> notes = notes_;
  for (const std::string& line : sensor_lines(result.found)) notes.push_back(line);
  if (result.smoothed) notes.push_back(smoothing_line(*result.smoothed));
  page_->close({result.card, notes, {}, {}, {}, {}, sensors_page_json(result.found, result.known, model())});
  result.written.push_back(options_.report);
}

std::string imu_json(const ImuTrackingResult& result, const Model& model) {
  using Json = nlohmann::ordered_json;
  Json json = Json::parse(to_json(result.card));
  json.update(Json::parse(known_json(result.known, model)));
  json["sensors"] = Json::parse(sensors_json(result.found));
  json["swapped_sensors"] = Json::parse(swapped_json(result.found));
  if (!result.found.refined.empty()) json["refined"] = Json::parse(refined_json(result.found.refined));
  if (result.smoothed) {
    json["smoothing"] = {{"samples", result.smoothed->smoothed},
                         {"kept", result.smoothed->kept},
                         {"kept_deviation", result.smoothed->kept_deviation},
                         {"parts", result.smoothed->parts}};
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string smoothing_line(const SmoothedInertialTracker::Counts& counts) {
  std::string line = counted(counts.smoothed, "sample") + " smoothed";
  if (counts.parts > 1) line += " in " + counted(counts.parts, "part");
  if (counts.kept > 0) line += "; " + std::to_string(counts.kept) + " could not be and are as filtered";
  if (counts.kept_deviation > 0)
    line += "; the deviations of " + std::to_string(counts.kept_deviation) + " are the filter's";
  return line;
}

}  // namespace panto::app
