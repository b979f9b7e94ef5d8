#pragma once
// Parts of RecordingHealth: each watches one aspect of a recording and reports its oddities.

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "panto/base/text.hpp"
#include "panto/evaluation/metrics.hpp"
#include "panto/evaluation/recording_health.hpp"
#include "panto/model/human.hpp"
#include "panto/sample/segment_sample.hpp"

namespace panto {

/// Maps segments of a sample to segments of the human.
struct WatchedSegments {
  explicit WatchedSegments(const std::vector<std::string>& segment_names);

  /// Returns the segment of the human in a sample, nullptr when missing.
  [[nodiscard]] const SegmentMotion* find(const SegmentSample& sample, int human) const noexcept;

  std::vector<std::string> names;
  std::vector<int> human;                         ///< by segment: index of the human's, or -1
  std::array<int, kHumanSegmentCount> segment{};  ///< the inverse
};

/// One sample with its neighbourhood.
struct WatchedFrame {
  const SegmentSample& now;
  const SegmentSample* before = nullptr;  ///< the last one that differs from its own predecessor
  std::int64_t index = 0;                 ///< its number in the file
  double dt = 0.0;                        ///< [s] since `before`; 0 without
};

/// Counts occurrences and records the largest.
struct Worst {
  void add(double amount, std::int64_t at_frame, Time at_t) noexcept;
  [[nodiscard]] Finding finding(FindingKind kind, Severity severity, const std::string& segment,
                                std::string text) const;

  std::int64_t count = 0, frame = 0;
  double largest = 0.0;
  Time t = 0;
};

/// Returns "frame 12 (0.2 s)".
[[nodiscard]] std::string place(std::int64_t frame, Time t);

/// Checks for values that are not finite, orientations that are not rotations, and missing segments.
class ValueWatch {
 public:
  explicit ValueWatch(const WatchedSegments& segments)
      : segments_(&segments), records_(segments.names.size()) {}
  void add(const WatchedFrame& frame);
  void report(std::vector<Finding>& findings) const;

 private:
  struct Record {
    Worst not_finite, not_rotation, invalid;
    std::int64_t valid = 0;
  };
  const WatchedSegments* segments_;
  std::vector<Record> records_;
};

/// Checks stamps and repeated frames.
class TimeWatch {
 public:
  TimeWatch(double rate_hz, std::int64_t first_frame) : rate_hz_(rate_hz), first_frame_(first_frame) {}
  void add(const WatchedFrame& frame, bool repeated);
  void report(std::vector<Finding>& findings) const;
  /// Returns the median interval [s]; 0 for fewer than two frames.
  [[nodiscard]] double interval() const;
  [[nodiscard]] const std::vector<Time>& stamps() const noexcept { return stamps_; }
  [[nodiscard]] bool motionless() const noexcept;

 private:
  double rate_hz_;
  std::int64_t first_frame_;
  std::vector<Time> stamps_;
  Worst repeated_;
  std::int64_t repeated_now_ = 0;
};

/// Checks for segments that jump or turn abruptly: steps that are much larger than the one before or after.
class StepWatch {
 public:
  StepWatch(const WatchedSegments& segments, std::int64_t first_frame)
      : segments_(&segments), first_frame_(first_frame), records_(segments.names.size()) {}
  void add(const WatchedFrame& frame);
  void report(std::vector<Finding>& findings) const;

 private:
  // of one interval; negative: unknown
  struct Step {
    double distance = -1.0, angle = -1.0;
  };
  struct Record {
    Step before, last;
    Worst jump, flip;
  };
  [[nodiscard]] static Step step(const WatchedFrame& frame, std::size_t segment);
  void judge(std::vector<Record>& records, const std::vector<Step>& next) const;

  const WatchedSegments* segments_;
  std::int64_t first_frame_;
  std::vector<Record> records_;
  std::int64_t last_frame_ = -1;
  Time last_t_ = 0;
  double last_dt_ = 0.0;
};

/// Compares measured velocities with those of the poses.
class VelocityWatch {
 public:
  void add(const WatchedFrame& frame);
  void report(std::vector<Finding>& findings) const;

 private:
  // of measured against differenced velocities; every frame has the same weight, so one teleport does not
  // decide
  struct Fit {
    void add(const Eigen::Vector3d& measured, const Eigen::Vector3d& differenced) noexcept;
    [[nodiscard]] double slope() const noexcept { return slopes / static_cast<double>(count); }
    [[nodiscard]] double cosine() const noexcept { return cosines / static_cast<double>(count); }
    double slopes = 0.0, cosines = 0.0;
    std::int64_t count = 0;
  };
  // sums over frames whose measured, or whose differenced rate is clear: of their products, of its squares
  struct Share {
    [[nodiscard]] double ratio() const noexcept { return squares > 0.0 ? products / squares : 0.0; }
    double products = 0.0, squares = 0.0;
    std::int64_t count = 0;
  };
  [[nodiscard]] bool can_be_noise() const noexcept;

  Fit angular_, angular_in_body_, linear_;
  Share of_measured_, of_differenced_;
};

/// Checks the body: lengths, sides, constant joints.
class ShapeWatch {
 public:
  explicit ShapeWatch(const WatchedSegments& segments);
  void add(const WatchedFrame& frame);
  void report(std::vector<Finding>& findings, bool motionless) const;
  [[nodiscard]] LimbLengths limbs() const;

 private:
  struct Joint {
    bool seen = false;
    Eigen::Matrix3d R_PS_first = Eigen::Matrix3d::Identity();
    double range = 0.0;  // [rad] farthest from the first
    std::int64_t frames = 0;
  };
  void add_lengths(const WatchedFrame& frame);
  void add_side(const WatchedFrame& frame);
  void add_joints(const WatchedFrame& frame);
  void report_lengths(std::vector<Finding>& findings) const;
  void report_size(std::vector<Finding>& findings) const;

  const WatchedSegments* segments_;
  std::vector<SampleStatistics> lengths_;  // by limb
  std::vector<SampleStatistics> apart_;    // by limb: the two sides' origins
  SampleStatistics trunk_;
  std::array<Joint, kHumanSegmentCount> joints_;
  std::int64_t as_named_ = 0;
  Worst exchanged_;
};

/// Checks the level of the feet and the path of the pelvis.
class FloorWatch {
 public:
  explicit FloorWatch(const WatchedSegments& segments) : segments_(&segments) {}
  void add(const WatchedFrame& frame);
  void report(std::vector<Finding>& findings) const;
  [[nodiscard]] std::optional<double> floor() const;
  [[nodiscard]] std::optional<double> travel() const;

 private:
  const WatchedSegments* segments_;
  std::vector<double> lowest_;  // origin of the feet, frame by frame [m]
  std::vector<Time> stamps_;
  Eigen::Vector2d smallest_ = Eigen::Vector2d::Zero(), largest_ = Eigen::Vector2d::Zero();
  bool has_box_ = false;
};

}  // namespace panto
