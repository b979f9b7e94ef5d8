#pragma once
// A run over time for display: poses of source and model, errors, limits and speeds of every shown frame, and
// noteworthy moments.

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "panto/evaluation/report_card.hpp"

namespace panto {

/// One shown frame. Pose, source and status are those of its instant; every other figure is the largest of
/// the `Timeline::stride` frames from this one on, so thinning hides no peak. NaN: unknown.
struct TimelineFrame {
  static constexpr float kUnknown = std::numeric_limits<float>::quiet_NaN();

  Time t = 0;                                      ///< [ns]
  StepStatus status = StepStatus::Solved;          ///< of its instant
  Eigen::Vector3f p_WB = Eigen::Vector3f::Zero();  ///< base of the model [m]
  Eigen::Quaternionf q_WB = Eigen::Quaternionf::Identity();
  std::vector<float> s;                         ///< joints [rad] or [m], State::s order
  std::vector<Eigen::Vector3f> source;          ///< origins of the source's segments [m]
  std::vector<Eigen::Quaternionf> source_turn;  ///< orientations of the source's segments
  std::vector<float> angle_error;               ///< by tracked pair [rad]
  std::vector<std::uint8_t> on_limit;           ///< by joint: 1: at a limit or beyond
  std::vector<float> deviation;  ///< by joint: standard deviation [rad] or [m]; empty, not finite: unknown
  float origin_distance = kUnknown;  ///< largest of all pairs [m]
  float joint_speed = kUnknown;      ///< fastest revolute joint [rad/s] ...
  int fastest_joint = -1;            ///< ... and which
  float turn_speed = kUnknown;       ///< fastest turn of a tracked link [rad/s] ...
  int fastest_turn = -1;             ///< ... and its pair
  float link_speed = kUnknown;       ///< fastest origin of a tracked link [m/s] ...
  int fastest_link = -1;             ///< ... and its pair
  float step_us = kUnknown;          ///< time of the step
};

/// Reason for a noteworthy moment.
enum class MomentKind : std::uint8_t {
  OrientationError,  ///< value [rad], item: tracked pair
  OriginDistance,    ///< value [m], item: tracked pair
  LimitViolation,    ///< value [rad] or [m], item: joint
  JointSpeed,        ///< value [rad/s], item: joint
  StepTime,          ///< value [us]
  NoAnswer,          ///< value: consecutive frames whose step did not advance the state, item: StepStatus
};
inline constexpr int kMomentKindCount = 6;

struct Moment {
  MomentKind kind = MomentKind::OrientationError;
  Time t = 0;  ///< of the worst frame; of the first one for `NoAnswer` [ns]
  double value = 0.0;
  int item = -1;
};

/// Orientation error of one pair over the run.
struct PairSummary {
  std::optional<double> mean, max;  ///< [rad]
  Time max_t = 0;                   ///< stamp of the largest [ns]
};

struct Timeline {
  std::int64_t frames = 0;  ///< of the run
  int stride = 1;           ///< one in this many frames is shown
  Time settled_from = 0;    ///< stamp from which on frames count in statistics and moments [ns]
  std::vector<TimelineFrame> shown;
  std::vector<Moment> moments;     ///< by kind, the worst first
  std::vector<PairSummary> pairs;  ///< by tracked pair
};

struct TimelineOptions {
  Time settle = 500'000'000;      ///< [ns], >= 0; as in ReportOptions
  double rate_hz = 0.0;           ///< nominal rate of the frames; 0: unknown
  double shown_rate_hz = 60.0;    ///< most shown frames per second, > 0
  std::size_t shown_max = 18000;  ///< most shown frames in total, >= 2; 18000: five minutes at 60 Hz
  Time apart = 500'000'000;       ///< [ns], > 0; least distance of moments of one kind
  double limit_margin = 1e-6;     ///< [rad] or [m], >= 0; a joint this near to a limit counts as on it
};

/// Collects a run frame by frame. Memory is bounded by `shown_max` and, for moments, grows with the duration
/// of the run divided by `apart`.
class TimelineBuilder {
 public:
  /// The model must outlive this object. @throws ConfigError for a pair that does not match the model or an
  /// option out of range.
  TimelineBuilder(const Model& model, std::vector<TrackedPair> pairs, const TimelineOptions& options = {});

  /// Adds one frame, as in ReportBuilder::add. If the state was not advanced, the frame shows the old state
  /// without errors and speeds.
  /// `source`: what is shown of the source; null: the sample.
  void add(const SegmentSample& sample, const State& state, const StepRecord& step,
           const SegmentSample* source = nullptr);

  /// Returns the run so far.
  [[nodiscard]] Timeline timeline() const;

 private:
  // the worst of each kind within one stretch of `apart`
  struct Stretch {
    std::int64_t index = 0;
    std::vector<Moment> worst;
  };
  struct Sum {
    double sum = 0.0, max = 0.0;
    std::int64_t count = 0;
    Time max_t = 0;
    void add(double value, Time t) noexcept;
  };

  [[nodiscard]] bool settled(Time t) const noexcept { return t >= settled_from_; }
  void pose(const SegmentSample& source, const State& state, TimelineFrame& frame) const;
  void judge(const SegmentSample& sample, TimelineFrame& frame);
  void judge_joints(const State& state, TimelineFrame& frame);
  void show_deviation(const StepRecord& step, TimelineFrame& frame) const;
  void note(MomentKind kind, Time t, double value, int item);
  void note_status(StepStatus status, Time t);
  void show(TimelineFrame frame);

  const Model* model_;
  std::vector<TrackedPair> pairs_;
  TimelineOptions options_;
  Kinematics kinematics_;
  std::int64_t frames_ = 0;
  std::int64_t settled_frames_ = 0;
  Time settled_from_ = 0;
  int stride_ = 1;
  std::vector<TimelineFrame> shown_;
  std::vector<Stretch> stretches_;
  std::vector<Moment> unanswered_;  // runs of unsolved frames
  bool answered_ = true;
  bool remembered_ = true;  // the current run is the last of `unanswered_`
  std::vector<Sum> settling_sums_, settled_sums_;
};

}  // namespace panto
