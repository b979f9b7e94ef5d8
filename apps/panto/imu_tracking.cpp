#include "apps/panto/imu_tracking.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "apps/panto/command_line.hpp"
#include "apps/panto/measured_tracker.hpp"
#include "apps/panto/progress.hpp"
#include "apps/panto/resolve.hpp"
#include "apps/panto/robot_shapes.hpp"
#include "apps/panto/tracking.hpp"
#include "panto/base/index.hpp"
#include "panto/base/text.hpp"
#include "panto/io/report_json.hpp"
#include "panto/io/text_scanner.hpp"
#include "panto/live/address.hpp"
#include "panto/pipeline/run.hpp"

namespace panto::app {
namespace {

constexpr double kOdd = 2.0;  // times the expected innovation, from which on a sensor is said to disagree

void check_names(const ImuTrackingOptions& options) {
  for (const std::string& path : options.outputs) {
    if (live::is_address(path))
      throw ConfigError("output '" + path + "': raw sensors are tracked into files, not to an address" +
                        (options.smooth ? "; and --smooth needs the whole recording first" : ""));
  }
  const std::string extension = io::extension_of(options.report);
  if (!options.report.empty() && extension != ".html" && extension != ".htm")
    throw ConfigError("--report '" + options.report + "': a page is written; its name must end in .html");
}

std::vector<std::string> all_outputs(const ImuTrackingOptions& options) {
  std::vector<std::string> paths = options.outputs;
  if (!options.report.empty()) paths.push_back(options.report);
  return paths;
}

Model model_of(const ImuTrackingOptions& options, std::vector<std::string>& notes) {
  if (has_own_size(options.model) && (options.height || options.mass))
    throw ConfigError("--height and --mass scale human66 and human48; the sizes of '" + options.model +
                      "' are its own");
  if (!has_own_size(options.model) && !options.height)
    notes.emplace_back("an average body of 1.75 m is used (--height says otherwise)");
  const SubjectDimensions subject =
      scaled_subject(options.height.value_or(1.75), options.mass.value_or(70.0));
  return resolve_model(options.model, subject, notes);
}

bool is_mounted(const std::vector<ImuMount>& mounts, const std::string& sensor) {
  return std::any_of(mounts.begin(), mounts.end(),
                     [&](const ImuMount& mount) { return mount.name == sensor; });
}

// sums of innovations over what answered become means
void average(std::vector<SensorSummary>& sensors) {
  for (SensorSummary& sensor : sensors) {
    const double answered = static_cast<double>(std::max<std::int64_t>(sensor.samples - sensor.missing, 1));
    if (sensor.nis_gyro) *sensor.nis_gyro /= answered;
    if (sensor.nis_acc) *sensor.nis_acc /= answered;
  }
}

}  // namespace

double SensorSummary::missing_share() const {
  return samples > 0 ? static_cast<double>(missing) / static_cast<double>(samples) : 0.0;
}

// Units that cannot be right end here; what a dead or frozen sensor says is left out.
std::vector<ImuFigures> check_imu_recording(io::ImuRecording& recording, const std::vector<ImuMount>& mounts,
                                            const std::string& path, std::vector<std::string>& notes) {
  const std::vector<std::string>& names = recording.clip().sensors;
  ImuCheck check(names);
  ImuSample sample;
  while (recording.read(sample) == ReadStatus::Sample) check.add(sample);
  recording.rewind();
  for (const ImuFault& fault : check.faults()) {
    if (fault.sensor >= 0 && !is_mounted(mounts, names[at(fault.sensor)])) continue;
    if (fault.unusable) throw FormatError(path + ": " + fault.text);
    notes.push_back(fault.text);
  }
  for (const ImuStretch& stretch : check.stretches()) recording.mask(stretch);
  return check.figures();
}

ImuTracking::ImuTracking(ImuTrackingOptions options) : options_(std::move(options)) {
  check_names(options_);
  check_outputs(all_outputs(options_), {options_.input, options_.sensors, options_.model});
  recording_ = io::open_imu_recording(options_.input);
  for (const std::string& note : clip().notes) notes_.push_back(note);
  const io::SensorsFile sensors = io::read_sensors(options_.sensors);
  model_.emplace(model_of(options_, notes_));
  check_recording(sensors);
  tracker_.emplace(*model_, sensors.setup, clip().sensors);
  check_sensors(sensors.setup);
  open_outputs();
  say(notes_);
}

void ImuTracking::check_recording(const io::SensorsFile& sensors) {
  figures_ = check_imu_recording(*recording_, sensors.setup.mounts, options_.input, notes_);
  const auto mounted = [&](int index) { return is_mounted(sensors.setup.mounts, clip().sensors[at(index)]); };
  std::string unused;
  for (int i = 0; i < static_cast<int>(clip().sensors.size()); ++i)
    if (!mounted(i)) unused += (unused.empty() ? "" : ", ") + clip().sensors[at(i)];
  if (!unused.empty())
    notes_.push_back("sensors that " + options_.sensors + " does not mount are not used: " + unused);
  const bool fields =
      std::any_of(figures_.begin(), figures_.end(), [](const ImuFigures& f) { return f.mag > 0; });
  if (fields && !sensors.has_field)
    notes_.push_back("the magnetometers are not used, so that the heading drifts: " + options_.sensors +
                     " gives no `field` under [world]");
}

// a recording of which nothing is left
void ImuTracking::check_sensors(const InertialSetup& setup) const {
  for (const ImuMount& mount : setup.mounts) {
    const auto& names = clip().sensors;
    const auto sensor =
        static_cast<std::size_t>(std::find(names.begin(), names.end(), mount.name) - names.begin());
    for (std::size_t k = 0; k < clip().times.size(); ++k) {
      const ImuReading& reading = clip().at(k, sensor);
      if (reading.has_gyro || reading.has_acc) return;
    }
  }
  throw FormatError(options_.input + ": no mounted sensor measured anything; dead ones are named above");
}

void ImuTracking::open_outputs() {
  io::StateFileOptions file{clip().rate_hz, options_.angles};
  deviation_ = tracker_->deviation();
  if (options_.deviations) file.deviation = &deviation_;
  for (const std::string& path : options_.outputs)
    outputs_.push_back(io::create_state_file(path, *model_, file));
  if (options_.report.empty()) return;
  const std::string urdf = urdf_behind(options_.model);
  io::ReportPageInfo info{
      options_.input,
      clip().format,
      PANTO_VERSION,
      clip().rate_hz,
      from_seconds(options_.settle),
      {},
      {{"recording", options_.input}, {"--model", options_.model}, {"--sensors", options_.sensors}},
      urdf.empty() ? std::vector<io::LinkMesh>() : page_meshes(urdf, *model_, notes_)};
  page_ = std::make_unique<io::ReportPage>(options_.report, *model_, std::vector<TrackedPair>(), info);
}

std::vector<SensorSummary> ImuTracking::summaries() const {
  std::vector<SensorSummary> result;
  for (const ImuMount& mount : tracker_->mounts()) {
    SensorSummary& sensor = result.emplace_back();
    sensor.name = mount.name;
    sensor.link = mount.link;
    for (std::size_t i = 0; i < clip().sensors.size(); ++i)
      if (clip().sensors[i] == mount.name) sensor.frozen_s = figures_[i].frozen_s;
  }
  return result;
}

// sums of the innovations; means at the end
void ImuTracking::count(StepStatus status, std::vector<SensorSummary>& sensors) const {
  for (std::size_t k = 0; k < sensors.size(); ++k) {
    SensorSummary& sensor = sensors[k];
    const ImuReading& reading = tracker_->readings()[k];
    ++sensor.samples;
    sensor.missing += reading.has_gyro || reading.has_acc ? 0 : 1;
    if (!advanced(status)) continue;
    const ImuHealth& health = tracker_->health()[k];
    if (reading.has_gyro) sensor.nis_gyro = sensor.nis_gyro.value_or(0.0) + health.nis_gyro;
    if (reading.has_acc) sensor.nis_acc = sensor.nis_acc.value_or(0.0) + health.nis_acc;
    sensor.field_used += health.field_used ? 1 : 0;
  }
}

// Everything is filtered and smoothed before the first frame is written.
void ImuTracking::smooth(ImuTrackingResult& result) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  Progress progress(2 * static_cast<std::int64_t>(clip().times.size()));
  InertialSmoothingOptions smoothing;
  smoothing.deviations = options_.deviations;
  smoothing.filtered = [&](StepStatus status) {
    count(status, result.sensors);
    progress.frame();
  };
  smoothing.smoothed = [&] { progress.frame(); };
  const auto read = [this](std::size_t index, ImuSample& sample) { recording_->sample(index, sample); };
  smoothed_ = std::make_unique<SmoothedInertialTracker>(
      *tracker_, RecordedImuSamples{clip().times.size(), read}, smoothing);
  result.smoothed = smoothed_->counts();
  smoothing_ns_ = std::chrono::duration<double, std::nano>(Clock::now() - start).count() /
                  static_cast<double>(clip().times.size());
}

ImuTrackingResult ImuTracking::run() {
  ReportOptions report_options;
  report_options.settle = from_seconds(options_.settle);
  report_options.expected_frames = clip().times.size();
  ReportBuilder report(*model_, {}, report_options);
  ImuTrackingResult result;
  result.sensors = summaries();
  if (options_.smooth) smooth(result);
  MeasuredTracker<ImuSample> measured(smoothed_ ? static_cast<Tracker<ImuSample>&>(*smoothed_) : *tracker_);
  std::vector<Sink*> sinks;
  for (const auto& output : outputs_) sinks.push_back(output.get());
  ImuSample sample;
  SegmentSample shown;
  State state = tracker_->start_state();
  Tally tally;
  {
    Progress progress(static_cast<std::int64_t>(clip().times.size()));
    const auto after_step = [&](const ImuSample& seen, StepStatus status, const State& now) {
      shown.t = seen.t;
      deviation_ = smoothed_ ? smoothed_->deviation() : tracker_->deviation();
      if (smoothed_) *measured.record.duration_ns += static_cast<std::int64_t>(smoothing_ns_);
      report.add(shown, now, measured.record);
      if (page_) page_->add(shown, now, measured.record);
      if (!smoothed_) count(status, result.sensors);
      progress.frame();
    };
    tally = panto::run<ImuSample>({*recording_, measured, sinks, after_step}, sample, state);
  }
  average(result.sensors);
  result.card = report.report();
  if (tally.steps[static_cast<std::size_t>(StepStatus::Solved)] == 0)
    throw FormatError(options_.input + ": none of its samples can be followed");
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
  if (!page_) return;
  std::vector<std::string> notes = notes_;
  for (const std::string& line : sensor_lines(result.sensors)) notes.push_back(line);
  if (result.smoothed) notes.push_back(smoothing_line(*result.smoothed));
  page_->close({result.card, notes, {}, {}});
  result.written.push_back(options_.report);
}

std::string imu_json(const ImuTrackingResult& result) {
  using Json = nlohmann::ordered_json;
  const auto number = [](const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); };
  Json json = Json::parse(io::to_json(result.card));
  Json sensors = Json::array();
  for (const SensorSummary& sensor : result.sensors) {
    const auto samples = static_cast<double>(std::max<std::int64_t>(sensor.samples, 1));
    sensors.push_back({{"name", sensor.name},
                       {"link", sensor.link},
                       {"nis_gyro_mean", number(sensor.nis_gyro)},
                       {"nis_acc_mean", number(sensor.nis_acc)},
                       {"missing_share", sensor.missing_share()},
                       {"field_used_share", static_cast<double>(sensor.field_used) / samples},
                       {"frozen_s", sensor.frozen_s}});
  }
  json["sensors"] = std::move(sensors);
  if (result.smoothed) {
    json["smoothing"] = {{"samples", result.smoothed->smoothed},
                         {"kept", result.smoothed->kept},
                         {"kept_deviation", result.smoothed->kept_deviation},
                         {"parts", result.smoothed->parts}};
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::vector<std::string> sensor_lines(const std::vector<SensorSummary>& sensors) {
  std::vector<std::string> lines;
  for (const SensorSummary& sensor : sensors) {
    std::string line = "sensor '" + sensor.name + "' on " + sensor.link + ": ";
    if (!sensor.nis_gyro && !sensor.nis_acc) {
      lines.push_back(line + "nothing measured");
      continue;
    }
    const auto figure = [](const std::optional<double>& value) {
      return value ? digits(*value, 3) : std::string("-");
    };
    line += "innovation " + figure(sensor.nis_gyro) + " (gyroscope), " + figure(sensor.nis_acc) +
            " (accelerometer), expected 3 or less; " + digits(100.0 * sensor.missing_share(), 3) +
            " % missing";
    const double worst = std::max(sensor.nis_gyro.value_or(0.0), sensor.nis_acc.value_or(0.0));
    if (worst > 3.0 * kOdd)
      line += "; it disagrees with the model: is its mounting right, the person's size, the start?";
    lines.push_back(std::move(line));
  }
  return lines;
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
