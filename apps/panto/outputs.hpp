#pragma once
// What a run writes: files, a page, a table of frames, a robot's address.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/panto/link_output.hpp"
#include "apps/panto/tracking_options.hpp"
#include "panto/io/frame_table.hpp"
#include "panto/io/open_model.hpp"
#include "panto/report/page.hpp"
#include "panto/tracking/observer.hpp"

namespace panto::app {

/// @throws ConfigError for outputs with a wrong extension or address, of one name, or equal to an input.
void check_output_names(const TrackingOptions& options);

/// A run that is written.
struct OutputRun {
  const Model& model;
  const RecordingInfo& info;
  std::vector<std::string> segments;  ///< names of the samples
  std::vector<TrackedPair> pairs;
  std::shared_ptr<const io::RobotShapes> shapes;           ///< of the model's URDF; null: none
  std::shared_ptr<const io::BvhCharacter> character = {};  ///< as `Robot::character`
  std::string part = {};  ///< which part of the recording it is, ", gesture 1 of 2"; empty: all
  std::optional<PageGesture> about = {};      ///< that part, for the page
  std::function<Motion(Motion)> finish = {};  ///< of files, `io::create_layout_file`
};

/// The outputs of one run. They appear under their names when they are closed.
class Outputs {
 public:
  /// Creates all but links to robots. `notes`: what the page's meshes lack. @throws Error when that fails.
  Outputs(const TrackingOptions& options, const OutputRun& run, std::vector<std::string>& notes);
  ~Outputs();
  Outputs(const Outputs&) = delete;
  Outputs& operator=(const Outputs&) = delete;

  /// Sends the run's frames to the outputs, besides what `observer` does. Must outlive `observer`.
  void watch(Observer& observer);

  /// Closes all. `result`: for the page. Says on stderr what could not be written or sent.
  void close(const ReportPageResult& result);

  [[nodiscard]] const std::vector<std::string>& written() const noexcept { return written_; }
  /// Every output is complete, with every frame.
  [[nodiscard]] bool complete() const noexcept { return complete_; }

 private:
  class Links;
  void open_links();
  void close_one(const std::string& path, const std::function<void()>& close);
  [[nodiscard]] bool report_dropped_references() const;

  TrackingOptions options_;
  const Model* model_;
  double rate_hz_;
  std::optional<PageGesture> about_;
  std::vector<std::string> files_;
  std::vector<std::unique_ptr<io::StateFile>> outputs_;
  std::vector<std::unique_ptr<LinkOutput>> links_;
  std::unique_ptr<Links> to_links_;
  std::vector<std::unique_ptr<Sink>> counting_;
  std::unique_ptr<ReportPage> page_;
  std::optional<io::FrameTable> frames_;
  std::int64_t dropped_ = 0;
  std::vector<std::string> written_;
  bool complete_ = true;
};

}  // namespace panto::app
