#pragma once
// Tracks raw inertial sensors whose readings arrive one by one and out of order, as from wireless sensors:
// inserts a late reading at its own time and tracks the later samples again.
// docs/algorithms/replaying_tracker.md

#include <cstddef>
#include <vector>

#include "panto/tracking/inertial_tracker.hpp"

namespace panto {

struct ReplayOptions {
  double reach = 0.05;  ///< [s] > 0: a reading that is older than the newest sample by more is too late
  /// Limit on kept samples, 1 to 1000, each with a covariance; also the most steps that a late reading costs.
  /// It applies if fewer samples fit than arrive within `reach`.
  int most = 16;
};

/// Gives the same results as an `InertialTracker`, with every reading used at its own time: bit for bit as if
/// all readings had arrived in order, as soon as they have arrived.
class ReplayingTracker final : public Tracker<ImuSample> {
 public:
  /// `tracker` must outlive this object, which alone uses it. `sensors`: number of sensors of its source.
  /// @throws ConfigError for options out of range, or a tracker that has begun a motion.
  ReplayingTracker(InertialTracker& tracker, std::size_t sensors, const ReplayOptions& options = {});

  /// Tracks one sample. A sample newer than all others: as the tracker. A late one is used at its own time:
  /// as a sample of its own or, if a sample of that time exists, to complete it; `state` then is the updated
  /// state at the newest time, whose stamp it keeps. `TimeNotAdvancing`: too late, or nothing new in it. On
  /// failure, state and tracker are unchanged. No allocation; at most `most` + 1 steps of the tracker.
  [[nodiscard]] StepStatus step(const ImuSample& sample, State& state) noexcept override;

  /// Returns the tracker's report of its last step.
  [[nodiscard]] const StepReport& last_report() const noexcept override { return tracker_->last_report(); }

  /// Returns the number of steps that the last call repeated; 0: the sample was not late, or failed.
  [[nodiscard]] int replayed() const noexcept { return replayed_; }

 private:
  // A tracked sample, and the tracker's state before it.
  struct Kept {
    ImuSample sample;
    InertialTracker::Checkpoint before;
  };

  [[nodiscard]] Kept& kept(int i) noexcept;
  [[nodiscard]] int place_of(Time t) noexcept;
  [[nodiscard]] bool in_reach(Time t, int place) noexcept;
  [[nodiscard]] StepStatus step_on(const ImuSample& sample, State& state) noexcept;
  [[nodiscard]] StepStatus step_late(const ImuSample& sample, State& state) noexcept;
  [[nodiscard]] StepStatus replay_from(int place, bool inserted, State& state) noexcept;
  void insert(int place, const ImuSample& sample) noexcept;
  void remove(int place) noexcept;

  InertialTracker* tracker_;
  Time reach_;
  std::vector<Kept> room_;  // one more than the kept samples, for the next one
  std::vector<int> order_;  // indices into `room_`: kept samples from oldest to newest, then free places
  int count_ = 0, replayed_ = 0;
  ImuSample merged_;
  InertialTracker::Checkpoint now_;
  State again_;
};

}  // namespace panto
