#pragma once
// The report card of one run: how well the model followed, whether it kept its limits, and the time of a
// step.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "panto/base/status.hpp"
#include "panto/evaluation/metrics.hpp"
#include "panto/model/kinematics.hpp"
#include "panto/sample/segment_sample.hpp"

namespace panto {

/// The figures of a run. Field names are the keys of its JSON form and stable:
/// `<quantity>_<statistic>_<unit>`. Unknown figures are absent, never zero. The first block and `limit_*`,
/// `allocations`, `*_counts` and `state_hash` cover the whole run; the statistics leave out the first
/// `settle` seconds.
struct ReportCard {
  std::int64_t frames = 0;                        ///< frames given, solved or not
  std::optional<double> rate_hz;                  ///< mean rate of their stamps
  std::optional<double> duration_s;               ///< from the first stamp to the last
  std::optional<std::int64_t> recording_faults;   ///< findings that spoil the result (RecordingHealth);
  std::optional<std::int64_t> recording_remarks;  ///< and lighter ones; absent when not checked

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
  std::optional<double> saturated_share;  ///< share of the solved frames held by a limit
  std::optional<double> step_p50_us;
  std::optional<double> step_p99_us;
  std::optional<double> step_max_us;
  std::optional<std::int64_t> allocations;                     ///< inside step()
  std::array<std::int64_t, kStepStatusCount> status_counts{};  ///< by StepStatus
  std::vector<std::int64_t> fallback_counts;                   ///< by level, up to the highest that occurred
  std::optional<double> jerk_rms_rad_s3;                       ///< revolute joints, third differences
  std::optional<std::uint64_t> state_hash;                     ///< chained over the solved frames
};

/// One link that is compared with one segment.
struct TrackedPair {
  int segment = 0;                                     ///< position in SegmentSample::segments
  int link = 0;                                        ///< of the model
  Eigen::Matrix3d R_SF = Eigen::Matrix3d::Identity();  ///< link frame in the segment (Attachment::R_SF)
  bool orientation = true;                             ///< its orientation and angular velocity count
  bool position = false;                               ///< its position counts in `position_rmse_m`
};

/// Checks pairs. @throws ConfigError naming the first pair with a negative segment or an unknown link.
void check_pairs(const Model& model, const std::vector<TrackedPair>& pairs);

/// Adds the errors of the links of `kinematics`, up to date with velocities, against the sample: for every
/// pair that follows an orientation its error, and |dw|^2 if the segment has a rate.
void add_orientation_errors(const std::vector<TrackedPair>& pairs, const SegmentSample& sample,
                            const Kinematics& kinematics, OrientationError& orientation,
                            RootMeanSquare& omega);

/// Returns the stamp at which settling ends: `t` + `settle`, at most the largest possible stamp.
[[nodiscard]] Time settling_end(Time t, Time settle) noexcept;

/// Statistics of one step.
struct StepRecord {
  StepStatus status = StepStatus::Solved;
  int fallback_level = 0;                        ///< 0: no fallback
  std::optional<std::int64_t> duration_ns = {};  ///< time of the step
  std::optional<std::int64_t> allocations = {};  ///< inside the step
  int active_bounds = 0;                         ///< joints held by a bound
  int solves = 0;                                ///< sweeps of the solver
  int clamped = 0;                               ///< joints moved back to a limit by integration
  /// Standard deviations of the joints, State::s order [rad] or [m]; empty: unknown.
  Eigen::VectorXd deviation = {};
};

struct ReportOptions {
  Time settle = 500'000'000;  ///< [ns], >= 0; statistics leave out frames earlier than this after the first
  std::size_t expected_frames = 0;  ///< to reserve memory for; more are accepted, but then memory grows
};

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
