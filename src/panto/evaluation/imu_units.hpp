#pragma once
// Checks whether the readings of one inertial sensor are in SI units. docs/algorithms/imu_check.md

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "panto/sample/imu_sample.hpp"

namespace panto {

/// Unit of a gyroscope's rates.
enum class RateUnit : unsigned char {
  Plausible,       ///< radians per second, or unknown
  Degrees,         ///< degrees per second
  TwiceConverted,  ///< radians mistaken for degrees
};

/// Unit of an accelerometer's readings.
enum class ForceUnit : unsigned char {
  Plausible,    ///< m/s^2, or unknown
  Gravities,    ///< g
  Thousandths,  ///< thousandths of g
  NoGravity,    ///< without the 9.81 m/s^2 at rest
  Odd,          ///< none of these
};

/// Watches one sensor in windows of two seconds.
class ImuUnits {
 public:
  /// Adds a reading; stamps must increase. Ignores repeated readings for turns: a sensor frozen in mid-swing
  /// shows a rate and a force that contradict each other.
  void add(const ImuReading& reading, Time t, bool repeats = false);

  [[nodiscard]] RateUnit rate_unit() const;
  [[nodiscard]] ForceUnit force_unit() const;
  /// Returns the median over windows of the median norm of the force, as read; nothing before a quarter of a
  /// second.
  [[nodiscard]] std::optional<double> force() const;
  /// Returns the largest norm of a rate, as read.
  [[nodiscard]] std::optional<double> largest_rate() const noexcept { return largest_rate_; }

 private:
  // a tenth of a second: mean force, turn as read, and the range of the force's norm
  struct Bin {
    Eigen::Vector3d force = Eigen::Vector3d::Zero(), turn = Eigen::Vector3d::Zero();
    double least = 0.0, most = 0.0;
    int count = 0;
  };
  static constexpr std::size_t kHypotheses = 3;  // by RateUnit

  [[nodiscard]] static bool feels_gravity_alone(const Bin& bin);
  void close_bin();
  void close_window();

  std::vector<double> norms_, medians_;  // of the forces of this window; of past windows
  Bin now_, before_;
  Time last_ = 0, bin_from_ = 0, window_from_ = 0;
  bool begun_ = false;
  std::array<double, kHypotheses> misfit_{};
  double misfit_still_ = 0.0;  // of no turn at all
  int pairs_ = 0;              // of bins, in this window
  std::array<int, kHypotheses> votes_{};
  std::int64_t rates_ = 0, impossible_ = 0;
  std::optional<double> largest_rate_;
};

}  // namespace panto
