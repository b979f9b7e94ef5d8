#pragma once
// Raw inertial sensors as a recording of body segments: the human that wears them, by forward kinematics.

#include <array>
#include <optional>

#include "panto/evaluation/metrics.hpp"
#include "panto/io/open_recording.hpp"
#include "panto/model/kinematics.hpp"
#include "panto/tracking/sensed_body.hpp"

namespace panto {

/// What came of the human between sensors and robot, as far as the recording was read.
struct SensedFigures {
  std::string model;  ///< name of the human
  SensorFindings found;
  SampleStatistics step_us;  ///< of the filter, forward kinematics included
};

/// The 23 segments of a human that is followed by its sensors. A sample that the filter cannot follow has no
/// segment. At the end of the recording `info().notes` says how the sensors agreed.
class SensedPerson final : public Recording {
 public:
  /// @throws Error as `SensedBody` does; ConfigError for a model that is no human.
  explicit SensedPerson(const SensedBodyOptions& options);

  [[nodiscard]] const std::vector<std::string>& names() const noexcept override;
  [[nodiscard]] const RecordingInfo& info() const noexcept override { return info_; }
  [[nodiscard]] const std::string& problem() const noexcept override { return problem_; }
  [[nodiscard]] ReadStatus read(SegmentSample& sample) noexcept override;

  /// They outlive the recording; complete once it was read to its end.
  [[nodiscard]] std::shared_ptr<const SensedFigures> figures() const noexcept { return figures_; }

 private:
  void end();
  void pose(SegmentSample& sample) noexcept;

  SensedBody body_;
  Kinematics kinematics_;
  RecordingInfo info_;
  std::string problem_;
  std::array<int, kHumanSegmentCount> links_{};
  std::shared_ptr<SensedFigures> figures_ = std::make_shared<SensedFigures>();
  ImuSample felt_;
  State state_;
  bool ended_ = false;
};

}  // namespace panto
