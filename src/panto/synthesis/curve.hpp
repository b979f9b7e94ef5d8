#pragma once
// A smooth function of time with exact derivatives: a line plus a few sinusoids. All synthetic motion
// consists of these.

#include <span>
#include <vector>

namespace panto {

/// Value, first and second derivative of a curve at one instant.
struct CurvePoint {
  double value = 0.0;
  double rate = 0.0;          ///< [1/s]
  double acceleration = 0.0;  ///< [1/s^2]
};

/// constant + slope t + sum of a cos(omega t) + b sin(omega t), t in seconds.
class Curve {
 public:
  struct Wave {
    double omega = 0.0;  ///< [rad/s]
    double a = 0.0;      ///< of the cosine
    double b = 0.0;      ///< of the sine
  };

  Curve() = default;
  explicit Curve(double constant, double slope = 0.0) : constant_(constant), slope_(slope) {}

  Curve& add(const Wave& wave);

  [[nodiscard]] CurvePoint at(double t) const noexcept;

  [[nodiscard]] double constant() const noexcept { return constant_; }
  [[nodiscard]] const std::vector<Wave>& waves() const noexcept { return waves_; }
  /// Returns the sum of the waves' amplitudes: the curve stays this close to its line.
  [[nodiscard]] double amplitude() const noexcept;
  /// Returns the largest difference of the rate from the slope [1/s].
  [[nodiscard]] double rate_amplitude() const noexcept;

  /// Returns factor * curve + offset.
  [[nodiscard]] Curve scaled(double factor, double offset = 0.0) const;
  /// Returns the curve `seconds` later.
  [[nodiscard]] Curve delayed(double seconds) const;
  [[nodiscard]] Curve operator+(const Curve& other) const;
  [[nodiscard]] Curve operator-() const { return scaled(-1.0); }

 private:
  double constant_ = 0.0;
  double slope_ = 0.0;
  std::vector<Wave> waves_;
};

/// Returns the Fourier series of base frequency `hz`: coefficients {mean, a_1, b_1, a_2, b_2, ...}, each
/// times `unit`.
[[nodiscard]] Curve fourier_series(double hz, std::span<const double> coefficients, double unit = 1.0);

/// Returns the trigonometric polynomial of base frequency `hz` through `values`, equally spaced over one
/// period. Waves below 1e-9 of the largest value are left out.
[[nodiscard]] Curve fourier_interpolation(double hz, std::span<const double> values);

}  // namespace panto
