#pragma once
// The report card as one self-contained HTML page: numbers, curves and a 3-D replay. The page itself is built
// from viewer/; here a run is collected and put into it.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "panto/api/imitate.hpp"
#include "panto/evaluation/figures.hpp"
#include "panto/evaluation/findings.hpp"
#include "panto/io/open_model.hpp"
#include "panto/motion/motion.hpp"
#include "panto/motion/passes.hpp"
#include "panto/report/report.hpp"
#include "panto/rig/rig.hpp"

namespace panto::io {
struct Destination;
}  // namespace panto::io

namespace panto {

struct RecordingInfo;

/// The page without a run, or empty where it was not built.
[[nodiscard]] std::string_view report_page_template() noexcept;
/// Why `report_page_template()` is empty and what would help; empty where it is not.
[[nodiscard]] std::string_view report_page_missing() noexcept;

/// Checks a template and returns it. @throws Error when it is empty, saying what to install, or when it does
/// not hold `kReportPagePlace` exactly once.
[[nodiscard]] std::string_view checked_page(std::string_view page);

/// What a page says of its run besides what it measured.
struct ReportPageInfo {
  std::string recording;  ///< its name, and which part of it: "take.mvnx, gesture 1 of 2"
  std::string format;     ///< of the recording, "mvnx 4"
  std::string version;    ///< of Panto
  double rate_hz = 0.0;   ///< nominal; 0: not known
  Time settle = 500'000'000;
  std::vector<std::string> segments;                          ///< names of the source
  std::vector<std::pair<std::string, std::string>> settings;  ///< name and value, for people
  std::vector<io::LinkMesh> meshes;  ///< shapes of the model's links; those without are drawn as bones. At
                                     ///< most 65 536 points each, and links that the model has
  bool live = false;                 ///< the run is still going; the page's server sends its frames
};

/// A gesture, and the recording that it is part of.
struct PageGesture {
  RecordedGesture recorded;
  std::size_t recording_frames = 0;
  double recording_s = 0.0;
};

/// What was scaled into a robot's limits, and what is left of the motion.
struct PageScaling {
  ScalingReport scaling;
  RobotFigures figures;
  FollowingFigures following;
};

/// How raw sensors and the joints that they tell of fared.
struct PageSensors {
  SensorFindings found;
  KnownJoints known;
};

/// What is known of a run when it has ended.
struct ReportPageResult {
  ReportCard card;
  std::vector<std::string> notes;       ///< of the reader, for people
  std::optional<rig::Rig> rig;          ///< how a skeleton was understood
  std::vector<std::string> rig_joints;  ///< names of its joints; without them their numbers are shown
  std::optional<PageGesture> gesture = std::nullopt;  ///< which part of the recording it is; unset: all
  std::optional<PageScaling> scaling = std::nullopt;  ///< into a robot's limits; unset: nothing was scaled
  std::optional<PageSensors> sensors = std::nullopt;  ///< unset: it was a recording of segments
  std::optional<Verdict> verdict = std::nullopt;      ///< the sentence on top of the page
  std::vector<std::string> unmeasured = {};           ///< joints that are drawn grey and never on a limit
  std::vector<LinkContacts> contacts = {};            ///< of the model's feet, by shown frame; empty: unknown
};

/// Returns what the page of a tracked recording gets. `notes`: of its reader.
[[nodiscard]] ReportPageResult page_result(const TrackResult& result, const RecordingInfo& info,
                                           std::vector<std::string> notes);

/// Collects a run and writes it as a page. The file appears at `close()`; until then it is `<path>.part`.
class ReportPage {
 public:
  /// The model must outlive it. `page`: a template of another origin; it must hold `kReportPagePlace` once.
  /// @throws Error when this program has no page inside (saying what to install) or the file cannot be
  /// created; ConfigError for pairs that do not fit the model.
  ReportPage(const io::Destination& to, const Model& model, const std::vector<TrackedPair>& pairs,
             const ReportPageInfo& info, std::string_view page = report_page_template());
  ~ReportPage();
  ReportPage(const ReportPage&) = delete;
  ReportPage& operator=(const ReportPage&) = delete;

  /// The person of the next frame, with the segments of `ReportPageInfo::segments`: drawn instead of the
  /// sample.
  void show_person(const SegmentSample& person);

  /// One frame, as in ReportBuilder::add.
  void add(const SegmentSample& sample, const State& state, const StepRecord& step);

  /// Sets the contacts of the model's feet, by frame whose step advances the state.
  void set_contacts(std::span<const LinkContacts> contacts);

  /// @throws Error when the page could not be written.
  void close(const ReportPageResult& result);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Where the run goes in the template.
inline constexpr std::string_view kReportPagePlace = "@PANTO_RUN@";

}  // namespace panto
