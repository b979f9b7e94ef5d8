#pragma once
// Raw inertial sensors whose readings come one by one and not in order, as wireless ones do: a late one is
// put where it belongs and what came behind it is tracked again. docs/algorithms/replaying_tracker.md

#include <cstddef>
#include <vector>

#include "panto/tracking/inertial_tracker.hpp"

namespace panto {

struct ReplayOptions {
  double reach = 0.05;  ///< [s] > 0: what is older than the newest sample by more comes too late
  /// Samples that are kept, 1 to 1000, each with a covariance; so many steps a late one costs at most. Where
  /// it holds fewer than come within `reach`, it decides.
  int most = 16;
};

/// Answers what an `InertialTracker` answers, with every reading counted at its own time: bit for bit as if
/// all of them had come in order, as soon as they have come.
class ReplayingTracker final : public Tracker<ImuSample> {
 public:
  /// `tracker` must outlive this, and is nobody else's. `sensors`: how many its source names.
  /// @throws ConfigError for options out of range, or a tracker that has begun already.
  ReplayingTracker(InertialTracker& tracker, std::size_t sensors, const ReplayOptions& options = {});

  /// A sample that is newer than all: as the tracker's. A late one counts at its own time, as a sample of its
  /// own or, where there is one of that time already, with what that one lacks; `state` is then what is known
  /// now of the newest time, whose stamp it keeps. `TimeNotAdvancing`: too late, or it holds nothing that is
  /// not known. On failure state and tracker are unchanged. No allocation; at most `most` + 1 steps of the
  /// tracker.
  [[nodiscard]] StepStatus step(const ImuSample& sample, State& state) noexcept override;

  /// As the tracker's, of its last step.
  [[nodiscard]] const StepReport& last_report() const noexcept override { return tracker_->last_report(); }

  /// Steps that the last call took again; 0: it was not late, or failed.
  [[nodiscard]] int replayed() const noexcept { return replayed_; }

 private:
  // A sample that was tracked, and what the tracker knew before it.
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
  std::vector<Kept> room_;  // one more than are kept: the next one's
  std::vector<int> order_;  // of the room: those that are kept from the oldest on, then what is free
  int count_ = 0, replayed_ = 0;
  ImuSample merged_;
  InertialTracker::Checkpoint now_;
  State again_;
};

}  // namespace panto
