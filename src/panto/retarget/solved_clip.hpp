#pragma once
// A recording that is solved as a whole: a Motion, and how every step fared.

#include <string>
#include <vector>

#include "panto/motion/motion.hpp"
#include "panto/retarget/robot_recording.hpp"
#include "panto/tracking/observer.hpp"
#include "panto/tracking/two_way_tracker.hpp"

namespace panto {

/// The States of a recording, and how each of its samples fared.
struct SolvedClip {
  Motion motion;                    ///< a State for every solved sample
  std::vector<StepRecord> records;  ///< by sample
  std::vector<int> state_of;        ///< by sample: frame of `motion`; -1: not solved
  std::vector<bool> cut;            ///< by frame of `motion`: the recording is cut before it
  std::vector<bool> gap;            ///< by frame of `motion`: it does not continue the one before it

  /// Frames of `motion` that do not continue the one before them.
  [[nodiscard]] std::vector<int> cuts() const;
};

/// Solves every sample of `recording`, from where it is, with `tracker`.
[[nodiscard]] SolvedClip solve_clip(Tracker<SegmentSample>& tracker, RobotRecording& recording,
                                    const Model& model, const Observer& observer);
/// Returns the motion that was found forwards and backwards. Where the two differ no frame has a step of its
/// own, and none has a time.
[[nodiscard]] SolvedClip solved_clip(const TwoWayTracker& two_way, const Model& model);

/// Raises the base by `lift` [m], by frame of the motion, and its velocity accordingly.
void lift_base(const std::vector<double>& lift, SolvedClip& clip);

/// Answers the samples of a recording in their order from a solved clip.
class PlaybackTracker final : public Tracker<SegmentSample> {
 public:
  /// The clip must outlive it.
  explicit PlaybackTracker(const SolvedClip& clip) : clip_(&clip) {}

  [[nodiscard]] StepStatus step(const SegmentSample& sample, State& state) noexcept override;
  [[nodiscard]] const StepReport& last_report() const noexcept override { return report_; }
  /// How the step behind the last answer fared.
  [[nodiscard]] const StepRecord& record() const noexcept { return record_; }

 private:
  const SolvedClip* clip_;
  std::size_t next_ = 0;
  StepReport report_;
  StepRecord record_;
};

}  // namespace panto
