#pragma once
// Long steps made short: what lies between two samples is stepped through
// (docs/algorithms/substepping_tracker.md).

#include "panto/tracking/segment_tracker.hpp"

namespace panto {

/// Tracks like its `SegmentTracker`, but never in a longer step than it is told: between two samples it goes
/// by way of samples in between, rotations on the shortest way, all else in a straight line. A step is exact
/// to second order in its length only, and a foot that stands shows the rest as a slide.
class SubsteppingTracker final : public Tracker<SegmentSample> {
 public:
  /// `tracker` must outlive it and be stepped by nobody else. `longest_step` [s] > 0, infinity: as the
  /// tracker does; intervals over `most_interval` [s], which the tracker takes for gaps, are not divided.
  /// `segments`: of every sample. @throws ConfigError for steps that are not > 0.
  SubsteppingTracker(SegmentTracker& tracker, std::size_t segments, double longest_step,
                     double most_interval);

  /// As the tracker's; Saturated where any of the steps was. What cannot be divided (a first sample, a cut, a
  /// gap, a sample with another number of segments, one in between that fails) is one step.
  [[nodiscard]] StepStatus step(const SegmentSample& sample, State& state) noexcept override;
  /// Of the last step.
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
