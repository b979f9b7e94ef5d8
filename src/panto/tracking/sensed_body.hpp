#pragma once
// A clip of raw inertial sensors and the body that wears them: checked, bound, ready to be followed.

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "panto/inertial/sensor_setup.hpp"
#include "panto/model/human.hpp"
#include "panto/recording/imu_recording.hpp"
#include "panto/tracking/imu_preparation.hpp"
#include "panto/tracking/inertial_tracker.hpp"
#include "panto/tracking/refined_sensors.hpp"
#include "panto/tracking/sensor_findings.hpp"

namespace panto {

/// How a body is bound to its sensors.
struct SensedBodyOptions {
  bool refine = false;  ///< positions and lengths are learnt, though the setup does not say so
  /// Of a human's size, for `SensorSetup::soles`.
  SubjectDimensions subject = scaled_subject(1.75);
};

/// The clip, the model, and the filter between them. Owns all three.
class SensedBody {
 public:
  /// Checks and binds everything. `ImuClip::name` and `SensorSetup::name` stand for them in messages.
  /// @throws FormatError for units that cannot be right and for sensors that never measure; ConfigError for a
  /// clip whose sizes do not fit, and for whatever `InertialTracker` refuses; ModelError for a link or joint
  /// that the model lacks.
  SensedBody(ImuClip clip, Model model, SensorSetup sensors, const SensedBodyOptions& options = {});
  SensedBody(const SensedBody&) = delete;
  SensedBody& operator=(const SensedBody&) = delete;

  [[nodiscard]] const Model& model() const noexcept { return model_; }
  [[nodiscard]] ImuRecording& recording() noexcept { return *recording_; }
  [[nodiscard]] const ImuClip& clip() const noexcept { return recording_->clip(); }
  [[nodiscard]] InertialTracker& tracker() noexcept { return *tracker_; }
  [[nodiscard]] const InertialTracker& tracker() const noexcept { return *tracker_; }
  /// Notes for people: the clip's own, then what the checks say.
  [[nodiscard]] const std::vector<std::string>& notes() const noexcept { return notes_; }

  /// Starts over: the next sample is the first, the tracker knows nothing, nothing is counted. Allocates.
  void rewind();
  /// Counts the step that the tracker has just made. No allocation.
  void count(StepStatus status) noexcept;
  /// Returns what was counted. Where a sensor disagreed, or joints' centres hint at it, the begin of the
  /// clip is filtered again with pairs of them swapped; `note` is told of that, and may be empty.
  /// @throws Error as `find_swapped_sensors` does.
  [[nodiscard]] SensorFindings findings(const std::function<void(std::string_view)>& note = {}) const;
  /// Returns the sensors with what the tracker knows of them by now.
  [[nodiscard]] SensorSetup refined() const { return refined_file(file_, *tracker_); }

 private:
  [[nodiscard]] std::vector<SensorSummary> means() const;
  void check_recording(const SensorSetup& sensors);
  void check_sensors() const;
  void count_from_start();
  void note_shared_links();

  std::optional<ImuRecording> recording_;
  Model model_;
  SensorSetup file_;     ///< as it was given
  InertialSetup setup_;  ///< with what follows from it and the model
  std::optional<InertialTracker> tracker_;
  std::vector<ImuFigures> figures_;     ///< of the clip's sensors
  std::vector<SensorSummary> counted_;  ///< innovations are sums
  std::vector<std::string> notes_;
};

}  // namespace panto
