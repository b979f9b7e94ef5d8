#pragma once
// Retargets one sample of a person at a time onto a robot, for live input.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "panto/api/retarget.hpp"
#include "panto/sample/stages.hpp"

namespace panto {

/// Retargets one sample at a time, as `retarget` does, without seeing the whole recording: no two-way pass,
/// smoothing or scaling. `step` is noexcept and does not allocate; `RetargetOptions::own.update` must not
/// throw, and if it allocates, so does `step`. Owns everything it needs; use one object per thread and
/// person.
///
/// `FeetMode::Plant` keeps feet in stance where they are, with `RetargetOptions::live`: a state comes
/// `look_ahead` after its sample, and `drain` returns the last ones. `Hold` acts as `Soft` (feet follow the
/// person's positions), and so does `Plant` for a robot with a fixed base or without feet and with own
/// targets.
class LiveRetargeter final : public Tracker<SegmentSample> {
 public:
  /// `segments`: names of the samples' segments in their order, each one of `human_segment_names()`, in the
  /// human's frames; `person`: its dimensions [m].
  /// @throws ConfigError for segments that no human has, options with `smooth` or `scale`, a look-ahead
  /// outside 0 to 0.3 s, a floor that is not finite, and a map without any of `segments`; ModelError for a
  /// robot that the method cannot follow, own targets that do not fit it, and a method without own targets.
  LiveRetargeter(const Robot& robot, const std::vector<std::string>& segments,
                 const SubjectDimensions& person, const RetargetOptions& options = {});
  ~LiveRetargeter() override;

  /// Returns the robot at rest, the state to begin with.
  [[nodiscard]] State rest_state() const;
  [[nodiscard]] const Model& model() const noexcept;

  /// Advances `state` to the person's sample. World axes: z up; metres, radians. On failure `state` stays
  /// unchanged. Returns `SizeMismatch` also if the number of own targets changed.
  ///
  /// With planted feet, `state` is output alone. It is that of a sample about `look_ahead` older, has that
  /// sample's stamp and status, and its velocities are difference quotients of what is published. Returns
  /// `NoTarget` while too few samples are known, as at the beginning. A stream that slows down is caught up
  /// with by skipping every other state. A sample that cannot be used changes nothing.
  [[nodiscard]] StepStatus step(const SegmentSample& person, State& state) noexcept override;
  /// Returns the next of the states that still wait at the end of a stream, as `step` does. Returns
  /// `NoTarget` after the last one, and always without planted feet.
  [[nodiscard]] StepStatus drain(State& state) noexcept;
  /// Returns how many samples wait for their state.
  [[nodiscard]] std::size_t pending() const noexcept;
  /// Returns in how many stances the foot left its place by more than 20 mm because the leg did not reach.
  [[nodiscard]] std::int64_t let_go() const noexcept;
  /// Returns the report of the newest sample.
  [[nodiscard]] const StepReport& last_report() const noexcept override;

  /// Returns own targets, those of the options first. Values may be edited between steps, names and counts
  /// may not.
  [[nodiscard]] OwnTargets& own() noexcept;

  /// Forgets the past and what was not drained; the next sample counts as the first.
  void reset() noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace panto
