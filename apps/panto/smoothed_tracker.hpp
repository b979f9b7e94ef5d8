#pragma once
// A run that is answered from a motion made smoother as a whole.

#include <memory>
#include <vector>

#include "panto/motion/smoothing.hpp"
#include "panto/pipeline/retargeter.hpp"
#include "panto/pipeline/source.hpp"

namespace panto::app {

/// Answers sample by sample what a tracker answered before, smoothed.
class SmoothedTracker final : public Tracker<SegmentSample> {
 public:
  /// Runs `tracker` over all of `source` and smooths what it answered within the limits of `options`.
  /// @throws ConfigError as `smooth_motion` does.
  SmoothedTracker(Retargeter& tracker, Source<SegmentSample>& source, SmoothingOptions options);

  [[nodiscard]] StepStatus step(const SegmentSample& sample, State& state) noexcept override;
  [[nodiscard]] const StepReport& last_report() const noexcept override { return report_; }

  [[nodiscard]] const SmoothingReport& smoothing() const noexcept { return smoothed_.report; }

 private:
  struct Frame {
    StepStatus status;
    int state;  // of the motion; -1: none
    int active_bounds, solves, fallback_level, clamped;
  };
  std::vector<Frame> frames_;
  SmoothedMotion smoothed_;
  std::size_t next_ = 0;
  StepReport report_;
};

}  // namespace panto::app
