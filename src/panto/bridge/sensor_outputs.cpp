#include "panto/bridge/sensor_outputs.hpp"

#include "panto/bridge/close_output.hpp"
#include "panto/io/open_imu.hpp"
#include "panto/report/sensor_report.hpp"
#include "panto/report/shared_names.hpp"
#include "panto/tracking/sensor_notes.hpp"

namespace panto::bridge {

std::vector<std::string> written_files(const SensorOutputOptions& options) {
  std::vector<std::string> paths = options.outputs;
  if (!options.report.empty()) paths.push_back(options.report);
  if (!options.refined.empty()) paths.push_back(options.refined);
  return paths;
}

SensorOutputs::SensorOutputs(SensorOutputOptions options, const SensorRun& run,
                             std::vector<std::string>& notes)
    : options_(std::move(options)), model_(run.model) {
  const io::StateFileOptions file{run.clip.rate_hz, options_.angles, options_.deviations, {}};
  for (const std::string& path : options_.outputs)
    files_.push_back(io::create_state_file(path, model_, file));
  if (!options_.refined.empty()) refined_ = std::make_unique<io::PartFile>(options_.refined);
  if (options_.report.empty()) return;
  const ReportPageInfo info{options_.input,
                            run.clip.format,
                            run.version,
                            run.clip.rate_hz,
                            from_seconds(options_.settle),
                            std::vector<std::string>(),
                            run.settings,
                            io::page_meshes(run.shapes, model_, notes)};
  page_ = std::make_unique<ReportPage>(options_.report, model_, std::vector<TrackedPair>(), info);
}

void SensorOutputs::watch(Observer& observer) {
  observer.note = [this, before = observer.note](std::string_view text) {
    if (before) before(text);
    if (!running_) notes_.emplace_back(text);
  };
  observer.frame = [this, before = observer.frame](const SegmentSample& sample, const State& state,
                                                   const StepRecord& record) {
    add(sample, state, record);
    if (before) before(sample, state, record);
  };
}

void SensorOutputs::add(const SegmentSample& sample, const State& state, const StepRecord& record) {
  running_ = true;
  if (page_) page_->add(sample, state, record);
  if (!advanced(record.status)) return;
  for (const auto& file : files_)
    complete_ = file->write_with(state, record.deviation) == WriteStatus::Written && complete_;
}

std::vector<std::string> SensorOutputs::close(const SensorTrackResult& result) {
  std::vector<std::string> problems;
  if (!complete_) problems.emplace_back("some frames could not be written");
  const auto close_one = [&](const std::string& path, const std::function<void()>& close) {
    complete_ = close_output(path, close, written_, problems) && complete_;
  };
  for (std::size_t i = 0; i < files_.size(); ++i) close_one(options_.outputs[i], [&] { files_[i]->close(); });
  if (refined_) close_one(options_.refined, [&] { close_refined(result); });
  if (page_) close_one(options_.report, [&] { close_page(result); });
  return problems;
}

void SensorOutputs::close_refined(const SensorTrackResult& result) {
  (void)refined_->write(
      io::sensors_text(result.refined, "refined by panto while tracking " + shared_name(options_.input) +
                                           "; use it for other recordings only: that one would count twice"));
  refined_->close();  // reports failure
}

void SensorOutputs::close_page(const SensorTrackResult& result) {
  const Verdict verdict = verdict_of(result, model_);
  std::vector<std::string> notes = notes_;
  for (const std::string& line : sensor_lines(result.found, verdict.grade != Verdict::Grade::Good))
    notes.push_back(line);
  if (result.smoothed) notes.push_back(smoothing_line(*result.smoothed));
  page_->close({result.card,
                notes,
                {},
                {},
                {},
                {},
                PageSensors{result.found, result.known},
                verdict,
                result.unmeasured_joints});
}

}  // namespace panto::bridge
