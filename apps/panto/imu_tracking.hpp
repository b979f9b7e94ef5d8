#pragma once
// Raw inertial sensors onto a model: `panto track IMUFILE --sensors sensors.toml`.

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "panto/evaluation/joint_deviations.hpp"
#include "panto/evaluation/report_card.hpp"
#include "panto/io/part_file.hpp"
#include "panto/io/state_file.hpp"
#include "panto/report/page.hpp"
#include "panto/tracking/sensed_body.hpp"
#include "panto/tracking/smoothed_inertial_tracker.hpp"

namespace panto::app {

struct ImuTrackingOptions {
  SensedBodyOptions body;
  std::vector<std::string> outputs;
  std::string report;  ///< an HTML page beside the outputs; empty: none
  io::AngleConvention angles = io::AngleConvention::Model;
  bool deviations = false;  ///< standard deviations in the outputs
  double settle = 0.5;      ///< [s]
  std::string refined;      ///< a file of sensors with what was learnt of the body; empty: none
  bool smooth = false;      ///< every sample from the whole recording, see SmoothedInertialTracker
};

struct ImuTrackingResult {
  ReportCard card;
  std::optional<SmoothedInertialTracker::Counts> smoothed;  ///< where it was smoothed
  SensorFindings found;
  KnownJoints known;  ///< how surely; nothing where it was smoothed without being asked for it
  std::vector<std::string> written;
  bool complete = true;  ///< every output is, with every frame
};

/// A recording of raw sensors, a model and the chain filter, ready to run once.
class ImuTracking {
 public:
  /// Opens and checks everything and says the notes. @throws Error with the reason: FormatError for units
  /// that cannot be right and sensors that never measure.
  explicit ImuTracking(ImuTrackingOptions options);
  ImuTracking(const ImuTracking&) = delete;
  ImuTracking& operator=(const ImuTracking&) = delete;

  /// Tracks to the end, writes the outputs. @throws FormatError when no sample could be followed.
  [[nodiscard]] ImuTrackingResult run();

  [[nodiscard]] const Model& model() const noexcept { return body_->model(); }
  [[nodiscard]] const ImuClip& clip() const noexcept { return body_->clip(); }

 private:
  [[nodiscard]] ImuTrackingResult follow();
  void open_outputs();
  void smooth(ImuTrackingResult& result);
  void close_outputs(ImuTrackingResult& result);
  [[nodiscard]] bool knows_deviations() const;
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> settings() const;

  ImuTrackingOptions options_;
  std::optional<SensedBody> body_;
  std::unique_ptr<SmoothedInertialTracker> smoothed_;
  double smoothing_ns_ = 0.0;  ///< that it took, by sample
  Eigen::VectorXd deviation_;  ///< of the joints, in the frame that is written
  std::vector<std::unique_ptr<io::StateFile>> outputs_;
  std::unique_ptr<io::PartFile> refined_;
  std::unique_ptr<ReportPage> page_;
  std::vector<std::string> notes_;
};

/// The card, how surely the joints are known and, under "sensors", how each of them agreed, under
/// "swapped_sensors" who was perhaps changed over: one JSON object.
[[nodiscard]] std::string imu_json(const ImuTrackingResult& result, const Model& model);
/// What was smoothed, in words for people.
[[nodiscard]] std::string smoothing_line(const SmoothedInertialTracker::Counts& counts);

}  // namespace panto::app
