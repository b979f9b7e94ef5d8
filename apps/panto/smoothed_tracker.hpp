#pragma once
// A run that is answered from a motion made smoother as a whole.

#include <memory>
#include <vector>

#include "panto/evaluation/report_card.hpp"
#include "panto/motion/smoothing.hpp"
#include "panto/sample/source.hpp"
#include "panto/tracking/tracker.hpp"

namespace panto::app {

/// Answers sample by sample what a tracker answered before, smoothed.
class SmoothedTracker final : public Tracker<SegmentSample> {
 public:
  /// Runs `tracker`, of `model`, over all of `source` and smooths what it answered within the limits of
  /// `options`.
  /// @throws ConfigError as `smooth_motion` does.
  SmoothedTracker(Tracker<SegmentSample>& tracker, const Model& model, Source<SegmentSample>& source,
                  SmoothingOptions options);

  [[nodiscard]] StepStatus step(const SegmentSample& sample, State& state) noexcept override;
  [[nodiscard]] const StepReport& last_report() const noexcept override { return report_; }

  /// How the step behind the last answer went, time and allocations among it: reading is no step.
  [[nodiscard]] const StepRecord& record() const noexcept { return record_; }

  /// What it will answer, and the frames that do not continue the one before.
  [[nodiscard]] const Motion& motion() const noexcept { return smoothed_.motion; }
  [[nodiscard]] const std::vector<int>& cuts() const noexcept { return cuts_; }
  [[nodiscard]] const SmoothingReport& smoothing() const noexcept { return smoothed_.report; }

 private:
  struct Frame {
    StepRecord record;
    int state;  // of the motion; -1: none
  };
  std::vector<Frame> frames_;
  std::vector<int> cuts_;
  SmoothedMotion smoothed_;
  std::size_t next_ = 0;
  StepReport report_;
  StepRecord record_;
};

}  // namespace panto::app
