#pragma once
// Divides long steps: inserts samples between two samples (docs/algorithms/substepping_tracker.md).

#include "panto/tracking/segment_tracker.hpp"

namespace panto {

/// Tracks like its `SegmentTracker`, but with no step longer than a limit: inserts samples between two
/// samples, with rotations on the shortest way and all else on a straight line. A step is exact only to
/// second order in its length; for a foot in stance, the rest would show as a slide.
class SubsteppingTracker final : public Tracker<SegmentSample> {
 public:
  /// `tracker` must outlive this object, which alone may step it. `longest_step` [s] > 0, infinity: no
  /// division; intervals over `most_interval` [s], which the tracker treats as gaps, are not divided.
  /// `segments`: number in every sample. @throws ConfigError for steps that are not > 0.
  SubsteppingTracker(SegmentTracker& tracker, std::size_t segments, double longest_step,
                     double most_interval);

  /// Tracks one sample as the tracker does; Saturated if any of the steps was. An interval that cannot be
  /// divided (first sample, cut, gap, different number of segments, failed step in between) is one step.
  [[nodiscard]] StepStatus step(const SegmentSample& sample, State& state) noexcept override;
  /// Returns the report of the last step.
  [[nodiscard]] const StepReport& last_report() const noexcept override { return tracker_->last_report(); }

 private:
  [[nodiscard]] int parts(const SegmentSample& sample, const State& state) const noexcept;
  [[nodiscard]] StepStatus walk(const SegmentSample& sample, int count, State& state) noexcept;
  void place_between(const SegmentSample& sample, double share, Time t) noexcept;

  SegmentTracker* tracker_;
  std::size_t segments_;
  double longest_step_, most_interval_;
  SegmentSample before_, between_;
  State start_;
  bool started_ = false;
};

}  // namespace panto
