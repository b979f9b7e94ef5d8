#pragma once
// The report card of one run: how well the model followed, whether it obeyed its limits, how long a step
// took.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "panto/base/status.hpp"
#include "panto/evaluation/metrics.hpp"
#include "panto/model/kinematics.hpp"
#include "panto/sample/segment_sample.hpp"

namespace panto {

/// The figures of a run. Field names are the keys of its JSON form and stable:
/// `<quantity>_<statistic>_<unit>`. What is not known is absent, never zero. The first block and `limit_*`,
/// `allocations`, `*_counts` and `state_hash` are over the whole run; the statistics leave out the first
/// `settle` seconds.
struct ReportCard {
  std::int64_t frames = 0;                        ///< frames given, answered or not
  std::optional<double> rate_hz;                  ///< mean rate of their stamps
  std::optional<double> duration_s;               ///< from the first stamp to the last
  std::optional<std::int64_t> recording_faults;   ///< findings that spoil the result (RecordingHealth) ...
  std::optional<std::int64_t> recording_remarks;  ///< ... and lighter ones; absent when nobody watched

  std::optional<double> mnte_mean;       ///< mean of 1 - cos(theta) over targets and frames, 0 .. 2
  std::optional<double> angle_mean_deg;  ///< orientation error
  std::optional<double> angle_p99_deg;
  std::optional<double> angle_max_deg;
  std::optional<double> omega_rmse_rad_s;  ///< sqrt(mean |dw|^2 / 3) [Rapetti 2020] Eq. (15)
  std::optional<double> position_rmse_m;   ///< sqrt(mean |dp|^2) of the links that follow a position
  std::optional<double> origin_mean_m;     ///< distance of link and segment origin, all pairs
  std::optional<double> origin_max_m;
  std::int64_t limit_violations = 0;      ///< joints outside their limits by more than 1e-9, over all frames
  double limit_violation_max_rad = 0.0;   ///< revolute joints
  std::optional<double> saturated_share;  ///< of the answered frames, those held by a limit
  std::optional<double> step_p50_us;
  std::optional<double> step_p99_us;
  std::optional<double> step_max_us;
  std::optional<std::int64_t> allocations;                     ///< inside step()
  std::array<std::int64_t, kStepStatusCount> status_counts{};  ///< by StepStatus
  std::vector<std::int64_t> fallback_counts;                   ///< by level, up to the highest that occurred
  std::optional<double> jerk_rms_rad_s3;                       ///< revolute joints, third differences
  std::optional<std::uint64_t> state_hash;                     ///< chained over the answered frames

  // For the verdict; not in the JSON form.
  std::optional<double> base_speed_max_m_s;   ///< of the base, from frame to frame
  std::optional<double> base_excess_max_m_s;  ///< of the first link that follows a position: how much faster
                                              ///< it moves than its segment, from frame to frame
};

/// One link that is judged against one segment.
struct TrackedPair {
  int segment = 0;  ///< position in SegmentSample::segments
  int link = 0;     ///< of the model
  Eigen::Matrix3d R_SF =
      Eigen::Matrix3d::Identity();  ///< link frame seen from the segment (Attachment::R_SF)
  bool orientation = true;          ///< its orientation and angular velocity count
  bool position = false;            ///< its position counts in `position_rmse_m`
};

/// @throws ConfigError naming the first pair whose segment is negative or whose link the model has not.
void check_pairs(const Model& model, const std::vector<TrackedPair>& pairs);

/// Adds what the links of `kinematics`, up to date with their velocities, are off the sample: for every pair
/// that follows an orientation its error, and |dw|^2 where the segment has a rate.
void add_orientation_errors(const std::vector<TrackedPair>& pairs, const SegmentSample& sample,
                            const Kinematics& kinematics, OrientationError& orientation,
                            RootMeanSquare& omega);

/// The stamp at which settling ends: `t` + `settle`, never beyond the last that exists.
[[nodiscard]] Time settling_end(Time t, Time settle) noexcept;

/// What one step said of itself.
struct StepRecord {
  StepStatus status = StepStatus::Solved;
  int fallback_level = 0;                        ///< 0: none was needed
  std::optional<std::int64_t> duration_ns = {};  ///< of the step alone
  std::optional<std::int64_t> allocations = {};  ///< inside the step
  int active_bounds = 0;                         ///< joints held by a bound
  int solves = 0;                                ///< sweeps of the solver
  int clamped = 0;                               ///< joints that integration moved back to a limit
  /// Standard deviations of the joints, State::s order [rad] or [m]; empty: not known.
  Eigen::VectorXd deviation = {};
};

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
    std::optional<double> base_speed, base_excess;  // largest [m/s]
  };

  // where the base was in the frame before, and the first pair's link and segment
  struct Places {
    Time t = 0;
    Eigen::Vector3d base;
    std::optional<std::pair<Eigen::Vector3d, Eigen::Vector3d>> followed;
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
