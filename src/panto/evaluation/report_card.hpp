#pragma once
// The report card of one run: how well the model followed, whether it obeyed its limits, how long a step
// took.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "panto/base/status.hpp"
#include "panto/evaluation/figures.hpp"
#include "panto/evaluation/metrics.hpp"
#include "panto/model/kinematics.hpp"
#include "panto/sample/segment_sample.hpp"

namespace panto {

/// @throws ConfigError naming the first pair whose segment is negative or whose link the model has not.
void check_pairs(const Model& model, const std::vector<TrackedPair>& pairs);

/// Adds what the links of `kinematics`, up to date with their velocities, are off the sample: for every pair
/// that follows an orientation its error, and |dw|^2 where the segment has a rate.
void add_orientation_errors(const std::vector<TrackedPair>& pairs, const SegmentSample& sample,
                            const Kinematics& kinematics, OrientationError& orientation,
                            RootMeanSquare& omega);

/// The stamp at which settling ends: `t` + `settle`, never beyond the last that exists.
[[nodiscard]] Time settling_end(Time t, Time settle) noexcept;

struct ReportOptions {
  Time settle = 500'000'000;  ///< [ns], >= 0; frames earlier than this after the first are no statistics
  std::size_t expected_frames = 0;  ///< to make room for; more are taken, but then memory grows
};

/// Collects a run frame by frame.
class ReportBuilder {
 public:
  /// Levels of fallback that are told apart; higher ones count as the last.
  static constexpr int kFallbackLevels = 16;

  /// The model must outlive it. @throws ConfigError for a link or segment index out of range, negative
  /// settle.
  ReportBuilder(const Model& model, std::vector<TrackedPair> pairs, const ReportOptions& options = {});

  /// One frame: what was measured, what the tracker made of it, and how. Where `step.status` says that the
  /// state was not advanced, only the frame, its status and its time are counted. A state that is not valid
  /// counts as NumericalFailure, whatever its status says.
  void add(const SegmentSample& sample, const State& state, const StepRecord& step);

  /// The card so far. A run without a frame after `settle` has statistics over all of it.
  [[nodiscard]] ReportCard report() const;

 private:
  // everything that leaves the settling time out
  struct Statistics {
    Statistics(const Model& model, std::size_t expected, std::size_t pairs);
    OrientationError orientation;
    RootMeanSquare omega, position;
    SampleStatistics origin, step_ns;
    JointJerk jerk;
    std::int64_t frames = 0, answered = 0, saturated = 0;
  };

  void judge(const SegmentSample& sample, const State& state, Statistics& statistics);

  const Model* model_;
  std::vector<TrackedPair> pairs_;
  ReportOptions options_;
  Kinematics kinematics_;
  Statistics settling_, settled_;
  LimitViolations limits_;
  std::int64_t frames_ = 0;
  Time first_ = 0, last_ = 0;
  std::optional<std::int64_t> allocations_;
  std::array<std::int64_t, kStepStatusCount> status_counts_{};
  std::array<std::int64_t, kFallbackLevels> fallback_counts_{};
  std::optional<std::uint64_t> hash_;
};

/// Writes a hash as 16 hexadecimal digits.
[[nodiscard]] std::string hash_text(std::uint64_t hash);

}  // namespace panto
