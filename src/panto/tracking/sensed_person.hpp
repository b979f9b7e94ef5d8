#pragma once
// Reads raw inertial sensors as a recording of body segments: the human that wears them, by forward
// kinematics.

#include <memory>
#include <string>
#include <vector>

#include "panto/evaluation/findings.hpp"
#include "panto/evaluation/posture.hpp"
#include "panto/recording/recording.hpp"
#include "panto/sample/human_pose.hpp"
#include "panto/tracking/observer.hpp"
#include "panto/tracking/sensed_body.hpp"

namespace panto {

/// The 23 segments of a human that is tracked from its sensors. A sample that the filter cannot track has no
/// segment. At the end of the recording, adds a note to `info().notes` on how well the sensors agreed.
class SensedPerson final : public Recording {
 public:
  /// `subject`: the human's size. Copies `note` and `nanoseconds` of `observer`; calls `note` while the
  /// recording is read. @throws Error as `SensedBody` does; ConfigError for a model that is not human.
  SensedPerson(ImuClip clip, const Model& human, SensorSetup sensors,
               const SubjectDimensions& subject = scaled_subject(1.75), const Observer& observer = {});

  [[nodiscard]] const std::vector<std::string>& names() const noexcept override;
  [[nodiscard]] const RecordingInfo& info() const noexcept override { return info_; }
  [[nodiscard]] const std::string& problem() const noexcept override { return problem_; }
  [[nodiscard]] ReadStatus read(SegmentSample& sample) noexcept override;
  /// Filters again from the first sample. Keeps notes and figures of a recording that was read to its end.
  void rewind() override;

  /// Returns the figures, which outlive the recording; they are complete once it was read to its end.
  [[nodiscard]] std::shared_ptr<const SensedFigures> figures() const noexcept { return figures_; }

 private:
  void follow(SegmentSample& sample);
  void end();

  SensedBody body_;
  HumanPose pose_;
  PostureWatch posture_;
  RecordingInfo info_;
  std::function<void(std::string_view)> note_;
  std::function<std::int64_t()> nanoseconds_;
  std::string problem_;
  std::shared_ptr<SensedFigures> figures_ = std::make_shared<SensedFigures>();
  ImuSample felt_;
  State state_;
  bool ended_ = false;  ///< figures and notes are complete
};

}  // namespace panto
