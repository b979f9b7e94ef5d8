#pragma once
// A run whose motion is brought within a robot's limits as a whole: scaled in range and in time.

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "panto/evaluation/report_card.hpp"
#include "panto/ik/make_solver.hpp"
#include "panto/motion/motion.hpp"
#include "panto/motion/passes.hpp"
#include "panto/retarget/clear_motion.hpp"
#include "panto/retarget/plant_motion.hpp"
#include "panto/retarget/robot_recording.hpp"
#include "panto/tracking/observer.hpp"
#include "panto/tracking/segment_tracker.hpp"

namespace panto {

/// Returns the same robot without limits of position and speed, and without coupled rows other than mimics.
[[nodiscard]] Model without_limits(const Model& model);
/// Returns the robot with its limits of position and coupled rows, but without those of speed.
[[nodiscard]] Model without_speed_limits(const Model& model);

/// A recording as a robot without limits follows it, frame by frame.
struct FreeClip {
  /// Solves all of `recording` with `free`, a tracker of the robot without limits of speed, from `state` on.
  /// `observer`: clock, counter of allocations and progress.
  FreeClip(Tracker<SegmentSample>& free, State state, RobotRecording& recording, const Model& robot,
           const Observer& observer);

  std::vector<std::string> names;
  std::vector<SegmentSample> samples, persons;  ///< what the robot should do; the person's sample for each
  std::vector<int> frames;                      ///< by sample, as counted by RobotRecording
  std::vector<std::array<robot::HandTouch, 2>>
      touches;                        ///< by sample: how the robot's hands should touch its body
  std::vector<StepRecord> records;    ///< by sample: record of the solver's step
  std::vector<int> cuts;              ///< samples that do not continue the previous one
  Motion motion;                      ///< by sample
  double seconds = 0.0;               ///< solver time
  std::int64_t ambiguous_starts = 0;  ///< starts with a second pose of similar quality
  std::string problem;                ///< if the recording is damaged after the last sample
};

/// A part of a recording after scaling: samples at the new stamps, interpolated between the recorded ones,
/// and the robot's State for each. Read a sample, then step.
class ScaledClip final : public Source<SegmentSample>, public Tracker<SegmentSample> {
 public:
  /// Scales samples `first` to `last` of the clip to the limits of `robot`; the part keeps its place in time.
  /// @throws FormatError for a part with a cut, and as `scale_range` and `scale_time` do.
  ScaledClip(std::shared_ptr<const FreeClip> clip, const Model& robot, const ScaleOptions& options, int first,
             int last, const Observer& observer);

  /// Plants the feet of the scaled motion and raises the base where they would sink; returns notes. `person`
  /// and `wishes`: at the recorded stamps, of the robot's recording.
  [[nodiscard]] std::vector<std::string> plant(const Model& robot, const robot::Skeleton& skeleton,
                                               const PersonFeet& person, const std::vector<BaseWish>& wishes,
                                               const PlantMotionOptions& options);
  /// Moves parts of the body out of each other, but no leg whose foot stands or rests; returns notes.
  [[nodiscard]] std::vector<std::string> clear(const Model& robot, const robot::Skeleton& skeleton,
                                               const ClearMotionOptions& options);

  [[nodiscard]] const std::vector<std::string>& names() const noexcept override { return clip_->names; }
  [[nodiscard]] ReadStatus read(SegmentSample& sample) noexcept override;
  [[nodiscard]] StepStatus step(const SegmentSample& sample, State& state) noexcept override;
  [[nodiscard]] const StepReport& last_report() const noexcept override { return report_; }

  [[nodiscard]] std::int64_t frames() const noexcept {
    return static_cast<std::int64_t>(motion_.states.size());
  }
  /// Returns the recorded frame nearest to the last sample, as `RobotRecording::frame`.
  [[nodiscard]] int frame() const noexcept;
  /// Returns the solver's record for that frame, with time and allocations (reading is no step).
  [[nodiscard]] const StepRecord& record() const noexcept { return clip_->records[first_ + nearest_]; }
  /// Returns the person's sample of that frame.
  [[nodiscard]] const SegmentSample& person() const noexcept { return clip_->persons[first_ + nearest_]; }
  /// Returns whether the previous sample had the same nearest frame, so that its step is known already.
  [[nodiscard]] bool repeats() const noexcept { return repeats_; }
  /// Returns `robot::Skeleton::touches` at that frame.
  [[nodiscard]] const std::array<robot::HandTouch, 2>& touches() const noexcept {
    return clip_->touches[first_ + nearest_];
  }
  /// Returns where a segment of the person is at the last sample, between the recorded ones [m].
  [[nodiscard]] std::optional<Eigen::Vector3d> person_place(std::size_t entry) const noexcept;
  /// Returns the person's samples of the part as recorded.
  [[nodiscard]] std::span<const SegmentSample> persons() const noexcept {
    return std::span(clip_->persons).subspan(first_, scaling_.stamps.size());
  }

  /// Return the States of the recorded samples before scaling, and those of every new frame.
  [[nodiscard]] std::span<const State> before() const noexcept {
    return std::span(clip_->motion.states).subspan(first_, scaling_.stamps.size());
  }
  [[nodiscard]] std::span<const State> states() const noexcept { return motion_.states; }
  [[nodiscard]] std::span<const LinkContacts> contacts() const noexcept { return motion_.contacts; }
  /// Returns what scaling changed.
  [[nodiscard]] const ScalingReport& report() const noexcept { return scaling_; }

 private:
  std::shared_ptr<const FreeClip> clip_;
  std::size_t first_;  // sample of the clip
  Motion motion_;
  std::vector<LinkContacts> still_;  // feet that clearing leaves where they are
  ScalingReport scaling_;
  StepReport report_;
  std::size_t next_ = 0, nearest_ = 0;
  std::size_t before_ = 0, after_ = 0;  // the recorded samples around the last one ...
  double share_ = 0.0;                  // ... and its place between them
  bool repeats_ = false;
};

/// Returns a warning if the motion takes more than three times as long: which joint, and when. Else empty.
[[nodiscard]] std::string slow_warning(const ScaledClip& clip, const Model& robot);
/// Returns a warning about joints that should move but keep a tenth of their motion or less, because all of
/// it was beyond their limits. Empty if there are none.
[[nodiscard]] std::string still_warning(const ScaledClip& clip, const Model& robot);
}  // namespace panto
