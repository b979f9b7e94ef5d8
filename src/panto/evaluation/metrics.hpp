#pragma once
// Accumulators of the figures of a motion: numbers in, numbers out. No allocation after construction up to
// the announced number of values.

#include <Eigen/Core>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "panto/model/state.hpp"

namespace panto {

/// Mean, largest and exact percentiles of stored values. Non-finite values are left out.
class SampleStatistics {
 public:
  /// `expected`: values to reserve memory for; more are accepted, but then memory grows.
  explicit SampleStatistics(std::size_t expected = 0) { values_.reserve(expected); }

  void add(double value);

  [[nodiscard]] std::size_t count() const noexcept { return values_.size(); }
  [[nodiscard]] std::optional<double> mean() const noexcept;
  [[nodiscard]] std::optional<double> max() const noexcept;
  /// Returns the smallest value that at least `share` (0 .. 1) of all values do not exceed (nearest rank).
  /// Sorts a copy.
  [[nodiscard]] std::optional<double> percentile(double share) const;

 private:
  std::vector<double> values_;
  double sum_ = 0.0;
  double max_ = 0.0;
};

/// sqrt(sum |x|^2 / (n * divisor)) over vectors x. Non-finite ones are left out.
class RootMeanSquare {
 public:
  void add(double squared_norm) noexcept;
  [[nodiscard]] std::size_t count() const noexcept { return count_; }
  [[nodiscard]] std::optional<double> value(double divisor = 1.0) const noexcept;

 private:
  double sum_ = 0.0;
  std::size_t count_ = 0;
};

/// Orientation errors of all targets at all frames.
class OrientationError {
 public:
  explicit OrientationError(std::size_t expected = 0) : angle_(expected) {}

  /// Adds a pair; both must be rotations: any other matrix biases MNTE (theory, 1.1).
  void add(const Eigen::Matrix3d& R_target, const Eigen::Matrix3d& R);

  /// Returns the mean normalised trace error, mean of tr(I - h^T R) / 2 = 1 - cos(theta), in 0 .. 2. [Rapetti
  /// 2020] Eq. (14), whose printed range is 0 .. 1.
  [[nodiscard]] std::optional<double> mnte() const noexcept;
  /// Angles [rad].
  [[nodiscard]] const SampleStatistics& angle() const noexcept { return angle_; }

 private:
  SampleStatistics angle_;
  double trace_sum_ = 0.0;
};

/// A smaller excess over a limit is rounding [rad] or [m].
inline constexpr double kLimitTolerance = 1e-9;

/// Counts how often and how far joints are outside their limits.
class LimitViolations {
 public:
  /// The model must outlive this object. `tolerance` [rad] or [m]: a smaller excess is not counted.
  explicit LimitViolations(const Model& model, double tolerance = kLimitTolerance)
      : model_(&model), tolerance_(tolerance) {}

  void add(const State& state) noexcept;

  /// Returns the number of joints outside, over all frames.
  [[nodiscard]] std::int64_t count() const noexcept { return count_; }
  /// Returns the largest excess of a revolute joint [rad]; 0 when none was outside.
  [[nodiscard]] double max_angle() const noexcept { return max_angle_; }

 private:
  const Model* model_;
  double tolerance_;
  std::int64_t count_ = 0;
  double max_angle_ = 0.0;
};

/// Root mean square jerk of the revolute joints [rad/s^3], by third differences
/// (s_k - 3 s_(k-1) + 3 s_(k-2) - s_(k-3)) / dt^3 across four frames whose three dt are equal.
class JointJerk {
 public:
  /// The model must outlive it.
  explicit JointJerk(const Model& model);

  void add(const State& state) noexcept;
  /// Forgets the last frames: no difference crosses this point.
  void interrupt() noexcept { frames_ = 0; }

  [[nodiscard]] std::optional<double> rms() const noexcept { return jerk_.value(); }
  /// Returns the largest of any joint.
  [[nodiscard]] std::optional<double> most() const noexcept { return most_; }

 private:
  const Model* model_;
  std::array<Eigen::VectorXd, 4> s_;  // ring, `newest_` last
  std::array<Time, 4> t_{};
  std::size_t newest_ = 0;
  int frames_ = 0;
  RootMeanSquare jerk_;
  std::optional<double> most_;
};

}  // namespace panto
