#pragma once
// What a controller gets of a live run: States at its rate, while somebody lets it move.

#include "panto/live/arming.hpp"
#include "panto/motion/resample.hpp"
#include "panto/tracking/live_frame.hpp"

namespace panto::bridge {

/// Interpolates States to a steady rate while they are valid and the run is armed. After a gap it starts
/// afresh and does not interpolate across it; a run that is disarmed makes a gap, too.
class SteadyStates {
 public:
  /// `arming` must outlive it.
  SteadyStates(double rate_hz, const live::Arming& arming)
      : resampler_(rate_hz), rate_hz_(rate_hz), arming_(&arming) {}

  /// Takes a frame. Returns whether States flow; then `pop` them all.
  bool push(const LiveFrame& frame) {
    const bool flowing = arming_->armed() && frame.valid && !frame.flushed();
    if (flowing) {
      const Time step = frame.state.t - last_;
      if (!flowing_ || step > kGap || step <= 0) resampler_ = Resampler(rate_hz_);
      last_ = frame.state.t;
      (void)resampler_.push(frame.state);
    }
    flowing_ = flowing;
    return flowing;
  }
  [[nodiscard]] bool pop(State& state) { return resampler_.pop(state); }
  [[nodiscard]] bool armed() const noexcept { return arming_->armed(); }

 private:
  static constexpr Time kGap = 500'000'000;  // [ns], as of a lost stream
  Resampler resampler_;
  double rate_hz_;
  const live::Arming* arming_;
  Time last_ = 0;
  bool flowing_ = false;
};

}  // namespace panto::bridge
