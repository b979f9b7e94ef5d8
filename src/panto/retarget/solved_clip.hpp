#pragma once
// A recording solved as a whole: a Motion, and the record of every step.

#include <string>
#include <vector>

#include "panto/motion/motion.hpp"
#include "panto/retarget/robot_recording.hpp"
#include "panto/tracking/observer.hpp"
#include "panto/tracking/two_way_tracker.hpp"

namespace panto {

/// The States of a recording, and the record of each of its samples.
struct SolvedClip {
  Motion motion;                    ///< a State for every solved sample
  std::vector<StepRecord> records;  ///< by sample
  std::vector<int> state_of;        ///< by sample: frame of `motion`; -1: not solved
  std::vector<bool> cut;            ///< by frame of `motion`: the recording is cut before it
  std::vector<bool> gap;            ///< by frame of `motion`: it does not continue the one before it

  /// Returns the frames of `motion` that do not continue the previous one.
  [[nodiscard]] std::vector<int> cuts() const;
};

/// Solves every sample of `recording`, from its current position, with `tracker`.
[[nodiscard]] SolvedClip solve_clip(Tracker<SegmentSample>& tracker, RobotRecording& recording,
                                    const Model& model, const Observer& observer);
/// Returns the motion of a two-way pass. Frames that differ from the forward motion have no step of their
/// own and no time.
[[nodiscard]] SolvedClip solved_clip(const TwoWayTracker& two_way, const Model& model);

/// Raises the base by `lift` [m], by frame of the motion, and its velocity accordingly.
void lift_base(const std::vector<double>& lift, SolvedClip& clip);

/// Plays back a solved clip, one result per sample of the recording.
class PlaybackTracker final : public Tracker<SegmentSample> {
 public:
  /// The clip must outlive it.
  explicit PlaybackTracker(const SolvedClip& clip) : clip_(&clip) {}

  [[nodiscard]] StepStatus step(const SegmentSample& sample, State& state) noexcept override;
  [[nodiscard]] const StepReport& last_report() const noexcept override { return report_; }
  /// Returns the step record of the last result.
  [[nodiscard]] const StepRecord& record() const noexcept { return record_; }

 private:
  const SolvedClip* clip_;
  std::size_t next_ = 0;
  StepReport report_;
  StepRecord record_;
};

}  // namespace panto
