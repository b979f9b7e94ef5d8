#pragma once
// A run that is answered from a motion brought within a robot's limits as a whole: scaled in range and in
// time.

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "panto/evaluation/report_card.hpp"
#include "panto/ik/make_solver.hpp"
#include "panto/motion/motion.hpp"
#include "panto/motion/passes.hpp"
#include "panto/retarget/robot_recording.hpp"
#include "panto/tracking/observer.hpp"
#include "panto/tracking/segment_tracker.hpp"

namespace panto {

/// The same robot without limits of position and speed, and without coupled rows other than mimics.
[[nodiscard]] Model without_limits(const Model& model);

/// A recording as a robot without limits follows it, frame by frame.
struct FreeClip {
  /// Solves all of `recording` with `free`, a tracker of the robot without limits.
  /// `observer`: clock, counter of allocations and progress.
  FreeClip(SegmentTracker& free, RobotRecording& recording, const Model& robot, const Observer& observer);

  std::vector<std::string> names;
  std::vector<SegmentSample> samples, persons;  ///< what the robot should do; the person of every sample
  std::vector<int> frames;                      ///< as RobotRecording counts them, by sample
  std::vector<std::array<robot::HandTouch, 2>> touches;  ///< how the robot's hands should touch it, by sample
  std::vector<StepRecord> records;                       ///< how the solver's step went, by sample
  std::vector<int> cuts;                                 ///< samples that do not continue the one before
  Motion motion;                                         ///< by sample
  double seconds = 0.0;                                  ///< that the solver took
  std::int64_t ambiguous_starts = 0;                     ///< with another pose about as good
  std::string problem;  ///< of a recording that is damaged behind the last sample
};

/// A part of a recording as it is after scaling: samples at the new stamps, between those that were recorded,
/// and for each the robot's State. Read a sample, then step.
class ScaledClip final : public Source<SegmentSample>, public Tracker<SegmentSample> {
 public:
  /// Scales samples `first` to `last` of the clip to the limits of `robot`; all of them stay where they are
  /// in time. @throws ConfigError for a part with a cut, and as `scale_range` and `scale_time` do.
  ScaledClip(std::shared_ptr<const FreeClip> clip, const Model& robot, const ScaleOptions& options, int first,
             int last, const Observer& observer);

  [[nodiscard]] const std::vector<std::string>& names() const noexcept override { return clip_->names; }
  [[nodiscard]] ReadStatus read(SegmentSample& sample) noexcept override;
  [[nodiscard]] StepStatus step(const SegmentSample& sample, State& state) noexcept override;
  [[nodiscard]] const StepReport& last_report() const noexcept override { return report_; }

  [[nodiscard]] std::int64_t frames() const noexcept {
    return static_cast<std::int64_t>(motion_.states.size());
  }
  /// Recorded frame that the last sample is nearest to, as `RobotRecording::frame`.
  [[nodiscard]] int frame() const noexcept;
  /// How the solver's step for that frame went, time and allocations among it: reading is no step.
  [[nodiscard]] const StepRecord& record() const noexcept { return clip_->records[first_ + nearest_]; }
  /// Whether the sample before was nearest to the same frame: its step is known already.
  [[nodiscard]] bool repeats() const noexcept { return repeats_; }
  /// As `robot::Skeleton::touches`, there.
  [[nodiscard]] const std::array<robot::HandTouch, 2>& touches() const noexcept {
    return clip_->touches[first_ + nearest_];
  }
  /// The person of every recorded sample of the part, for who looks at the recording itself.
  [[nodiscard]] std::span<const SegmentSample> persons() const noexcept {
    return std::span(clip_->persons).subspan(first_, scaling_.stamps.size());
  }

  /// The States of its recorded samples before scaling, and those of every new frame.
  [[nodiscard]] std::span<const State> before() const noexcept {
    return std::span(clip_->motion.states).subspan(first_, scaling_.stamps.size());
  }
  [[nodiscard]] std::span<const State> states() const noexcept { return motion_.states; }
  /// What was done to it.
  [[nodiscard]] const ScalingReport& report() const noexcept { return scaling_; }

 private:
  std::shared_ptr<const FreeClip> clip_;
  std::size_t first_;  // sample of the clip
  Motion motion_;
  ScalingReport scaling_;
  StepReport report_;
  std::size_t next_ = 0, nearest_ = 0;
  bool repeats_ = false;
};

/// What to say of a motion that takes more than three times as long: which joint, and when. Empty for others.
[[nodiscard]] std::string slow_warning(const ScaledClip& clip, const Model& robot);
/// What to say of joints that were asked to move and are left with a tenth of it or less, since all of it lay
/// beyond their range. Empty where there are none.
[[nodiscard]] std::string still_warning(const ScaledClip& clip, const Model& robot);
}  // namespace panto
