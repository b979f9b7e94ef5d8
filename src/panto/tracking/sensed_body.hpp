#pragma once
// A recording of raw inertial sensors and the body that wears them: checked, bound, ready to be followed.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "panto/io/open_imu.hpp"
#include "panto/io/sensors_file.hpp"
#include "panto/model/human.hpp"
#include "panto/tracking/inertial_tracker.hpp"
#include "panto/tracking/refined_sensors.hpp"
#include "panto/tracking/swapped_sensors.hpp"

namespace panto {

struct SensedBodyOptions {
  std::string input, sensors;  ///< the recording, and the file that says where its sensors sit
  std::string model = "human66";
  std::optional<double> height, mass;
  bool refine = false;  ///< places and lengths are learnt, though the file does not say so
};

/// How one sensor agreed with the others and the model.
struct SensorSummary {
  std::string name, link;
  std::int64_t samples = 0;  ///< of the run
  std::int64_t missing = 0;  ///< in which it measured nothing that counts
  std::int64_t field_used = 0;
  std::optional<double> nis_gyro, nis_acc,
      nis_orientation;  ///< mean normalised innovation squared; 3 is expected
  double frozen_s = 0.0;

  [[nodiscard]] double missing_share() const;
};

/// What a run found out about its sensors.
struct SensorFindings {
  std::string file;  ///< that says where they sit
  std::vector<SensorSummary> sensors;
  std::vector<SwappedSensors> swapped;  ///< perhaps changed over
  RefinedBody refined;                  ///< what was learnt of the body
};

/// The largest of its innovations; 0 where it has none.
[[nodiscard]] double worst_innovation(const SensorSummary& sensor);

/// Checks a recording for those who use the sensors of `mounts`: figures by sensor, and notes. What dead or
/// frozen sensors say is masked. @throws FormatError for units that cannot be right.
[[nodiscard]] std::vector<ImuFigures> check_imu_recording(ImuRecording& recording,
                                                          const std::vector<ImuMount>& mounts,
                                                          const std::string& path,
                                                          std::vector<std::string>& notes);

/// `contacts = "soles"`: heels and balls of a human's feet that carry sensors, and how high the base of a
/// human of `subject`'s size begins, where the file does not say it: in the start's pose the lowest of them
/// is on the floor. @throws ConfigError for a model without human feet, or feet without sensors.
void stand_on_soles(const Model& model, const SubjectDimensions& subject, InertialSetup& setup);

/// The recording, the model, and the filter between them.
class SensedBody {
 public:
  /// Opens and checks everything. @throws Error with the reason: FormatError for units that cannot be right
  /// and sensors that never measure.
  explicit SensedBody(const SensedBodyOptions& options);
  SensedBody(const SensedBody&) = delete;
  SensedBody& operator=(const SensedBody&) = delete;

  [[nodiscard]] const Model& model() const noexcept { return *model_; }
  [[nodiscard]] ImuRecording& recording() noexcept { return *recording_; }
  [[nodiscard]] const ImuClip& clip() const noexcept { return recording_->clip(); }
  [[nodiscard]] InertialTracker& tracker() noexcept { return *tracker_; }
  [[nodiscard]] const std::vector<std::string>& notes() const noexcept { return notes_; }
  /// The human, where the model is one of ours.
  [[nodiscard]] const SubjectDimensions& subject() const noexcept { return subject_; }

  /// Counts the step that the tracker has just made. No allocation.
  void count(StepStatus status) noexcept;
  /// What was counted. Where a sensor disagreed, or joints' centres hint at it, the begin of the recording is
  /// filtered again with pairs of them changed over.
  [[nodiscard]] SensorFindings findings();
  /// The file of sensors with what the tracker knows of them by now.
  [[nodiscard]] SensorSetup refined_file() const { return app::refined_file(file_, *tracker_); }

 private:
  [[nodiscard]] std::vector<SensorSummary> means() const;
  void check_recording(const SensorSetup& sensors, const SensedBodyOptions& options);
  void check_sensors(const InertialSetup& setup, const std::string& input) const;
  void note_shared_links();

  std::unique_ptr<ImuRecording> recording_;
  SubjectDimensions subject_;
  std::optional<Model> model_;
  SensorSetup file_;  ///< as it was read
  InertialSetup setup_;
  std::string sensors_path_;
  std::optional<InertialTracker> tracker_;
  std::vector<ImuFigures> figures_;     ///< of the recording's sensors
  std::vector<SensorSummary> counted_;  ///< innovations are sums
  std::vector<std::string> notes_;
};

}  // namespace panto
