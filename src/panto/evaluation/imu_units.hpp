#pragma once
// Whether what one inertial sensor says can be in SI units. docs/algorithms/imu_check.md

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "panto/sample/imu_sample.hpp"

namespace panto {

/// What the rates of a gyroscope are.
enum class RateUnit : unsigned char {
  Plausible,       ///< radians per second, or not to be told
  Degrees,         ///< degrees per second
  TwiceConverted,  ///< radians that were taken for degrees
};

/// What the readings of an accelerometer are.
enum class ForceUnit : unsigned char {
  Plausible,    ///< m/s^2, or not to be told
  Gravities,    ///< g
  Thousandths,  ///< thousandths of g
  NoGravity,    ///< without the 9.81 m/s^2 that an accelerometer feels at rest
  Odd,          ///< neither of these
};

/// Watches one sensor in windows of two seconds.
class ImuUnits {
 public:
  /// Readings with stamps that increase. One that repeats the last one tells nothing of turns: a sensor that
  /// is frozen in mid-swing says a rate and a force that do not fit.
  void add(const ImuReading& reading, Time t, bool repeats = false);

  [[nodiscard]] RateUnit rate_unit() const;
  [[nodiscard]] ForceUnit force_unit() const;
  /// Median over windows of the median norm of the force, as read; nothing before a quarter of a second.
  [[nodiscard]] std::optional<double> force() const;
  /// Largest norm of a rate, as read.
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

  std::vector<double> norms_, medians_;  // of the forces of this window; of those past
  Bin now_, before_;
  Time last_ = 0, bin_from_ = 0, window_from_ = 0;
  bool begun_ = false;
  std::array<double, kHypotheses> misfit_{};
  int pairs_ = 0;  // of bins, in this window
  std::array<int, kHypotheses> votes_{};
  std::int64_t rates_ = 0, impossible_ = 0;
  std::optional<double> largest_rate_;
};

}  // namespace panto
