#pragma once
// What a run over a recording writes: files, a page, a table of frames, a robot's address.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "panto/io/frame_table.hpp"
#include "panto/io/state_file.hpp"
#include "panto/report/page.hpp"
#include "panto/tracking/observer.hpp"

namespace panto::bridge {

/// What is asked of a run over a recording.
struct ClipOutputOptions {
  std::string input;                 ///< name of the recording
  std::vector<std::string> outputs;  ///< files by their endings, and addresses of robots
  std::string report;                ///< an HTML page beside the outputs; empty: none
  std::string frames;                ///< a table of every frame's figures; empty: none
  io::AngleConvention angles = io::AngleConvention::Model;
  std::string layout;          ///< of the files of a robot's motion; empty: Panto's own
  double fps = 0.0;            ///< of a layout's frames [Hz]; 0: as its reader expects
  std::optional<double> rate;  ///< of references to a robot [Hz]; unset: the recording's
  double settle = 0.5;         ///< [s] that the page's statistics leave out
};

/// Returns the files that a run would write.
[[nodiscard]] std::vector<std::string> written_files(const ClipOutputOptions& options);

/// Checks names before the run. `inputs`: files that it reads; `mover`: what follows.
/// @throws ConfigError for outputs with a wrong extension or address, of one name, or equal to an input.
void check_clip_outputs(const ClipOutputOptions& options, const std::vector<std::string>& inputs,
                        io::Mover mover);

/// A run that is written.
struct ClipRun {
  const Model& model;
  const RecordingInfo& info;
  std::vector<std::string> segments;  ///< names of the samples
  std::vector<TrackedPair> pairs;
  std::shared_ptr<const io::RobotShapes> shapes;                   ///< of the model's URDF; null: none
  std::shared_ptr<const io::BvhCharacter> character = {};          ///< as `Robot::character`
  std::vector<std::pair<std::string, std::string>> settings = {};  ///< of the run, for the page
  std::string version = {};                                        ///< of Panto, for the page
  std::string part = {};  ///< which part of the recording it is, ", gesture 1 of 2"; empty: all
  std::optional<PageGesture> about = {};      ///< that part, for the page
  std::function<Motion(Motion)> finish = {};  ///< of files, `io::create_layout_file`
};

/// The outputs of one run. They appear under their names when they are closed.
class ClipOutputs {
 public:
  /// Creates all but links to robots. `notes`: gets what the page's meshes lack. @throws Error when that
  /// fails.
  ClipOutputs(ClipOutputOptions options, const ClipRun& run, std::vector<std::string>& notes);
  ~ClipOutputs();
  ClipOutputs(const ClipOutputs&) = delete;
  ClipOutputs& operator=(const ClipOutputs&) = delete;

  /// Sends the run's frames to the outputs, besides what `observer` does. Must outlive `observer`.
  void watch(Observer& observer);

  /// Closes all. `result`: for the page. Returns a sentence about what could not be written or sent.
  [[nodiscard]] std::vector<std::string> close(const ReportPageResult& result);

  /// Returns names of files, and what was sent where.
  [[nodiscard]] const std::vector<std::string>& written() const noexcept { return written_; }
  /// Every output is complete, with every frame.
  [[nodiscard]] bool complete() const noexcept { return complete_; }

 private:
  class Links;
  struct Link;
  void open_links();

  ClipOutputOptions options_;
  const Model* model_;
  double rate_hz_;
  std::optional<PageGesture> about_;
  std::vector<std::string> files_;
  std::vector<std::unique_ptr<io::StateFile>> outputs_;
  std::vector<std::unique_ptr<Link>> links_;
  std::unique_ptr<Links> to_links_;
  std::vector<std::unique_ptr<Sink>> counting_;
  std::unique_ptr<ReportPage> page_;
  std::optional<io::FrameTable> frames_;
  std::int64_t dropped_ = 0;
  std::vector<std::string> written_;
  bool complete_ = true;
};

}  // namespace panto::bridge
