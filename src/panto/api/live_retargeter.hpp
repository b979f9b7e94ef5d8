#pragma once
// Retargets one sample of a person at a time onto a robot, for live input.

#include <memory>
#include <string>
#include <vector>

#include "panto/api/retarget.hpp"
#include "panto/sample/stages.hpp"

namespace panto {

/// Retargets one sample at a time, as `retarget` does, without seeing the whole recording. Feet follow the
/// person's positions (`FeetMode::Plant` and `Hold` act as `Soft`); there is no two-way pass, smoothing or
/// scaling. `step` is noexcept and does not allocate; `RetargetOptions::own.update` must not throw, and if it
/// allocates, so does `step`. Owns everything it needs; use one object per thread and person.
class LiveRetargeter final : public Tracker<SegmentSample> {
 public:
  /// `segments`: names of the samples' segments in their order, each one of `human_segment_names()`, in the
  /// human's frames; `person`: its dimensions [m].
  /// @throws ConfigError for segments that no human has, options with `smooth` or `scale`, and a map without
  /// any of `segments`; ModelError for a robot that the method cannot follow, own targets that do not fit it,
  /// and a method without own targets.
  LiveRetargeter(const Robot& robot, const std::vector<std::string>& segments,
                 const SubjectDimensions& person, const RetargetOptions& options = {});
  ~LiveRetargeter() override;

  /// Returns the robot at rest, the state to begin with.
  [[nodiscard]] State rest_state() const;
  [[nodiscard]] const Model& model() const noexcept;

  /// Advances `state` to the person's sample. World axes: z up; metres, radians. On failure `state` stays
  /// unchanged. Returns `SizeMismatch` also if the number of own targets changed.
  [[nodiscard]] StepStatus step(const SegmentSample& person, State& state) noexcept override;
  [[nodiscard]] const StepReport& last_report() const noexcept override;

  /// Returns own targets, those of the options first. Values may be edited between steps, names and counts
  /// may not.
  [[nodiscard]] OwnTargets& own() noexcept;

  /// Forgets the past; the next sample counts as the first.
  void reset() noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace panto
