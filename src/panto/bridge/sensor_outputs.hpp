#pragma once
// What a run over raw sensors writes: files of states, their refined mounting, a page.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "panto/api/track_sensors.hpp"
#include "panto/io/open_model.hpp"
#include "panto/io/part_file.hpp"
#include "panto/io/state_file.hpp"
#include "panto/report/page.hpp"
#include "panto/tracking/observer.hpp"

namespace panto::bridge {

/// What is asked of a run over raw sensors.
struct SensorOutputOptions {
  std::string input;                 ///< name of the recording
  std::vector<std::string> outputs;  ///< files by their endings
  std::string report;                ///< an HTML page beside them; empty: none
  std::string refined;               ///< output file of the refined sensors; empty: none
  io::AngleConvention angles = io::AngleConvention::Model;
  bool deviations = false;  ///< standard deviations in the outputs
  double settle = 0.5;      ///< [s] that the page's statistics leave out
};

/// Returns the files that a run would write.
[[nodiscard]] std::vector<std::string> written_files(const SensorOutputOptions& options);

/// A run that is written.
struct SensorRun {
  const Model& model;
  const ImuClip& clip;
  const io::RobotShapes* shapes = nullptr;                         ///< of the model's URDF; null: none
  std::vector<std::pair<std::string, std::string>> settings = {};  ///< of the run, for the page
  std::string version = {};                                        ///< of Panto, for the page
};

/// The outputs of one run over raw sensors. They appear under their names when they are closed.
class SensorOutputs {
 public:
  /// Creates them. `notes`: gets what the page's meshes lack. @throws Error when that fails.
  SensorOutputs(SensorOutputOptions options, const SensorRun& run, std::vector<std::string>& notes);

  /// Sends the run's frames to the outputs, and notes before the first frame to the page. Must outlive
  /// `observer`.
  void watch(Observer& observer);

  /// Closes all. Returns a sentence about each failure.
  [[nodiscard]] std::vector<std::string> close(const SensorTrackResult& result);

  [[nodiscard]] const std::vector<std::string>& written() const noexcept { return written_; }
  /// Every output is complete, with every frame.
  [[nodiscard]] bool complete() const noexcept { return complete_; }

 private:
  void add(const SegmentSample& sample, const State& state, const StepRecord& record);
  void close_refined(const SensorTrackResult& result);
  void close_page(const SensorTrackResult& result);

  SensorOutputOptions options_;
  const Model model_;
  std::vector<std::unique_ptr<io::StateFile>> files_;
  std::unique_ptr<io::PartFile> refined_;
  std::unique_ptr<ReportPage> page_;
  std::vector<std::string> notes_;  // for the page: those before the first frame
  std::vector<std::string> written_;
  bool running_ = false, complete_ = true;
};

}  // namespace panto::bridge
