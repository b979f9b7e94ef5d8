#pragma once
// Raw inertial sensors onto a model: `panto track IMUFILE --sensors sensors.toml`.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "panto/evaluation/report_card.hpp"
#include "panto/io/imu_recording.hpp"
#include "panto/io/report_page.hpp"
#include "panto/io/sensors_file.hpp"
#include "panto/io/state_file.hpp"
#include "panto/pipeline/smoothed_inertial_tracker.hpp"

namespace panto::app {

struct ImuTrackingOptions {
  std::string input, sensors;  ///< the recording, and the file that says where its sensors sit
  std::vector<std::string> outputs;
  std::string report;  ///< an HTML page beside the outputs; empty: none
  std::string model = "human66";
  std::optional<double> height, mass;
  io::AngleConvention angles = io::AngleConvention::Model;
  bool deviations = false;  ///< standard deviations in the outputs
  double settle = 0.5;      ///< [s]
  bool smooth = false;      ///< every sample from the whole recording, see SmoothedInertialTracker
};

/// How one sensor agreed with the others and the model.
struct SensorSummary {
  std::string name, link;
  std::int64_t samples = 0;  ///< of the run
  std::int64_t missing = 0;  ///< in which it measured nothing that counts
  std::int64_t field_used = 0;
  std::optional<double> nis_gyro, nis_acc;  ///< mean normalised innovation squared; 3 is expected
  double frozen_s = 0.0;

  [[nodiscard]] double missing_share() const;
};

struct ImuTrackingResult {
  ReportCard card;
  std::optional<SmoothedInertialTracker::Counts> smoothed;  ///< where it was smoothed
  std::vector<SensorSummary> sensors;
  std::vector<std::string> written;
  bool complete = true;  ///< every output is, with every frame
};

/// Checks a recording for those who use the sensors of `mounts`: figures by sensor, and notes. What dead or
/// frozen sensors say is masked. @throws FormatError for units that cannot be right.
[[nodiscard]] std::vector<ImuFigures> check_imu_recording(io::ImuRecording& recording,
                                                          const std::vector<ImuMount>& mounts,
                                                          const std::string& path,
                                                          std::vector<std::string>& notes);

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

  [[nodiscard]] const Model& model() const noexcept { return *model_; }
  [[nodiscard]] const io::ImuClip& clip() const noexcept { return recording_->clip(); }

 private:
  void check_recording(const io::SensorsFile& sensors);
  void check_sensors(const InertialSetup& setup) const;
  void open_outputs();
  void count(StepStatus status, std::vector<SensorSummary>& sensors) const;
  [[nodiscard]] std::vector<SensorSummary> summaries() const;
  void smooth(ImuTrackingResult& result);
  void close_outputs(ImuTrackingResult& result);

  ImuTrackingOptions options_;
  std::unique_ptr<io::ImuRecording> recording_;
  std::optional<Model> model_;
  std::optional<InertialTracker> tracker_;
  std::unique_ptr<SmoothedInertialTracker> smoothed_;
  double smoothing_ns_ = 0.0;        ///< that it took, by sample
  Eigen::VectorXd deviation_;        ///< of the joints, in the frame that is written
  std::vector<ImuFigures> figures_;  ///< of the recording's sensors
  std::vector<std::unique_ptr<io::StateFile>> outputs_;
  std::unique_ptr<io::ReportPage> page_;
  std::vector<std::string> notes_;
};

/// The card and, under "sensors", how each of them agreed: one JSON object.
[[nodiscard]] std::string imu_json(const ImuTrackingResult& result);
/// A line for each sensor, for people.
[[nodiscard]] std::vector<std::string> sensor_lines(const std::vector<SensorSummary>& sensors);
/// What was smoothed, in words for people.
[[nodiscard]] std::string smoothing_line(const SmoothedInertialTracker::Counts& counts);

}  // namespace panto::app
