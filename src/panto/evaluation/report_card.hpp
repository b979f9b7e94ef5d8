#pragma once
// The report card of one run: how well the model followed, whether it kept its limits, and the time of a
// step.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "panto/base/status.hpp"
#include "panto/evaluation/figures.hpp"
#include "panto/evaluation/metrics.hpp"
#include "panto/model/kinematics.hpp"
#include "panto/sample/segment_sample.hpp"

namespace panto {

/// @throws ConfigError naming the first pair whose segment is negative or whose link the model has not.
void check_pairs(const Model& model, const std::vector<TrackedPair>& pairs);

/// Adds the errors of the links of `kinematics`, up to date with velocities, against the sample: for every
/// pair that follows an orientation its error, and |dw|^2 if the segment has a rate.
void add_orientation_errors(const std::vector<TrackedPair>& pairs, const SegmentSample& sample,
                            const Kinematics& kinematics, OrientationError& orientation,
                            RootMeanSquare& omega);

/// Returns the stamp at which settling ends: `t` + `settle`, at most the largest possible stamp.
[[nodiscard]] Time settling_end(Time t, Time settle) noexcept;

struct ReportOptions {
  Time settle = 500'000'000;  ///< [ns], >= 0; statistics leave out frames earlier than this after the first
  std::size_t expected_frames = 0;  ///< to reserve memory for; more are accepted, but then memory grows
  double limit_tolerance = kLimitTolerance;  ///< [rad] or [m]: less beyond a limit is rounding
};

/// Returns a note if a run as short as this card's has no frame after `settle` [s], so that its figures cover
/// all frames; empty for usual settling times, and where there are such frames.
[[nodiscard]] std::string unsettled_note(const ReportCard& card, double settle);

/// Collects a run frame by frame.
class ReportBuilder {
 public:
  /// Fallback levels that are counted separately; higher ones count as the last.
  static constexpr int kFallbackLevels = 16;

  /// The model must outlive this object. @throws ConfigError for a link or segment index out of range, or
  /// negative settle.
  ReportBuilder(const Model& model, std::vector<TrackedPair> pairs, const ReportOptions& options = {});

  /// Adds one frame: sample, resulting state, and statistics of the step. If `step.status` shows that the
  /// state was not advanced, only the frame, its status and its time count. An invalid state counts as
  /// NumericalFailure, whatever its status.
  void add(const SegmentSample& sample, const State& state, const StepRecord& step);

  /// Returns the card so far. A run without a frame after `settle` has statistics over all frames.
  [[nodiscard]] ReportCard report() const;

 private:
  // figures without the settling time
  struct Statistics {
    Statistics(const Model& model, std::size_t expected, std::size_t pairs);
    OrientationError orientation;
    RootMeanSquare omega, position;
    SampleStatistics origin, step_ns;
    JointJerk jerk;
    std::int64_t frames = 0, answered = 0, saturated = 0;
    std::optional<double> base_speed, base_excess, base_acceleration;  // largest [m/s], [m/s^2]
  };

  // where the base was in the frame before, and the first pair's link and segment
  struct Places {
    Time t = 0;
    Eigen::Vector3d base;
    std::optional<std::pair<Eigen::Vector3d, Eigen::Vector3d>> followed;
    std::optional<Eigen::Vector3d> velocity;  // from the frame before to this one
  };

  void judge(const SegmentSample& sample, const State& state, Statistics& statistics);
  void judge_base(const SegmentSample& sample, const State& state, Statistics& statistics);

  const Model* model_;
  std::vector<TrackedPair> pairs_;
  ReportOptions options_;
  Kinematics kinematics_;
  Statistics settling_, settled_;
  LimitViolations limits_;
  std::optional<Places> before_;
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
