#pragma once
// Binds a clip of raw inertial sensors to the body that wears them: checked and ready to track.

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
  bool refine = false;  ///< estimates positions and lengths even if the setup does not ask for it
  /// Sizes of a human, for `SensorSetup::soles`.
  SubjectDimensions subject = scaled_subject(1.75);
};

/// Returns the links that sensors are on.
[[nodiscard]] std::vector<std::string> mounted_links(const SensorSetup& sensors);
/// Returns the names of sensors without a calibrated mounting: their axes are exactly those of the segment in
/// some order, and the file states no uncertainty (a model that is no human has its sensors built in); or
/// the file states one above 29 deg, as `calibrate` does where a pose must be repeated.
[[nodiscard]] std::vector<std::string> assumed_mounts(const SensorSetup& sensors, const Model& model);

/// The clip, the model, and the filter between them. Owns all three.
class SensedBody {
 public:
  /// Checks and binds everything. Messages name `ImuClip::name` and `SensorSetup::name`. @throws FormatError
  /// for impossible units and for sensors that never measure; ConfigError for a clip of inconsistent sizes,
  /// and as `InertialTracker` does; ModelError for a link or joint that the model lacks.
  SensedBody(ImuClip clip, const Model& model, SensorSetup sensors, const SensedBodyOptions& options = {});
  SensedBody(const SensedBody&) = delete;
  SensedBody& operator=(const SensedBody&) = delete;

  [[nodiscard]] const Model& model() const noexcept { return model_; }
  [[nodiscard]] ImuRecording& recording() noexcept { return *recording_; }
  [[nodiscard]] const ImuClip& clip() const noexcept { return recording_->clip(); }
  [[nodiscard]] InertialTracker& tracker() noexcept { return *tracker_; }
  [[nodiscard]] const InertialTracker& tracker() const noexcept { return *tracker_; }
  /// Returns notes for people: the clip's own, then those of the checks.
  [[nodiscard]] const std::vector<std::string>& notes() const noexcept { return notes_; }

  /// Starts over: the next sample is the first, and tracker and counts are reset. Allocates.
  void rewind();
  /// Counts the tracker's last step. No allocation.
  void count(StepStatus status) noexcept;
  /// Returns the findings about the sensors. If a sensor disagreed, or joint centres hint at a swap, filters
  /// the beginning of the clip again with pairs of sensors swapped; `note`, which may be empty, reports that,
  /// and `watch` is called at every sample that is filtered again; it may throw to end the search. @throws
  /// Error as `find_swapped_sensors` does.
  [[nodiscard]] SensorFindings findings(const std::function<void(std::string_view)>& note = {},
                                        const std::function<void()>& watch = {}) const;
  /// Returns the links that sensors with any usable reading are on.
  [[nodiscard]] std::vector<std::string> links() const;
  /// Returns the sensors without a calibrated mounting.
  [[nodiscard]] std::vector<std::string> assumed() const { return assumed_mounts(file_, model_); }
  /// Returns the sensor setup with the tracker's current estimates.
  [[nodiscard]] SensorSetup refined() const { return refined_file(file_, *tracker_); }

 private:
  [[nodiscard]] std::vector<SensorSummary> means() const;
  [[nodiscard]] bool has_any(std::int64_t ImuFigures::*quantity) const;
  void check_recording(const SensorSetup& sensors);
  void check_sensors() const;
  void count_from_start();
  void note_shared_links();

  std::optional<ImuRecording> recording_;
  Model model_;
  SensorSetup file_;     ///< as it was given
  InertialSetup setup_;  ///< the setup as completed from the model
  std::optional<InertialTracker> tracker_;
  bool refines_ = false;                ///< was asked to, and so tells what it found
  std::vector<ImuFigures> figures_;     ///< of the clip's sensors
  std::vector<SensorSummary> counted_;  ///< innovations are sums, not means
  std::vector<std::string> notes_;
};

}  // namespace panto
