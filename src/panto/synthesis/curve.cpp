#include "panto/synthesis/curve.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "panto/math/vector_math.hpp"

namespace panto {

Curve& Curve::add(const Wave& wave) {
  for (Wave& known : waves_) {
    if (known.omega != wave.omega) continue;
    known.a += wave.a;
    known.b += wave.b;
    return *this;
  }
  waves_.push_back(wave);
  return *this;
}

CurvePoint Curve::at(double t) const noexcept {
  CurvePoint point{constant_ + slope_ * t, slope_, 0.0};
  for (const Wave& wave : waves_) {
    const SinCos angle = sincos(wave.omega * t);
    const double wave_value = wave.a * angle.cos + wave.b * angle.sin;
    point.value += wave_value;
    point.rate += wave.omega * (wave.b * angle.cos - wave.a * angle.sin);
    point.acceleration -= wave.omega * wave.omega * wave_value;
  }
  return point;
}

double Curve::amplitude() const noexcept {
  double sum = 0.0;
  for (const Wave& wave : waves_) sum += std::sqrt(wave.a * wave.a + wave.b * wave.b);
  return sum;
}

double Curve::rate_amplitude() const noexcept {
  double sum = 0.0;
  for (const Wave& wave : waves_) {
    sum += std::abs(wave.omega) * std::sqrt(wave.a * wave.a + wave.b * wave.b);
  }
  return sum;
}

Curve Curve::scaled(double factor, double offset) const {
  Curve result(factor * constant_ + offset, factor * slope_);
  for (const Wave& wave : waves_) result.waves_.push_back({wave.omega, factor * wave.a, factor * wave.b});
  return result;
}

Curve Curve::delayed(double seconds) const {
  Curve result(constant_ - slope_ * seconds, slope_);
  for (const Wave& wave : waves_) {
    const SinCos lag = sincos(wave.omega * seconds);
    result.waves_.push_back(
        {wave.omega, wave.a * lag.cos - wave.b * lag.sin, wave.a * lag.sin + wave.b * lag.cos});
  }
  return result;
}

Curve Curve::operator+(const Curve& other) const {
  Curve result = *this;
  result.constant_ += other.constant_;
  result.slope_ += other.slope_;
  for (const Wave& wave : other.waves_) result.add(wave);
  return result;
}

Curve fourier_series(double hz, std::span<const double> coefficients, double unit) {
  Curve curve(coefficients.empty() ? 0.0 : coefficients[0] * unit);
  for (std::size_t i = 1; i + 1 < coefficients.size(); i += 2) {
    const double harmonic = std::floor(0.5 * static_cast<double>(i + 1));
    if (coefficients[i] == 0.0 && coefficients[i + 1] == 0.0) continue;
    curve.add({2.0 * std::numbers::pi * harmonic * hz, coefficients[i] * unit, coefficients[i + 1] * unit});
  }
  return curve;
}

Curve fourier_interpolation(double hz, std::span<const double> values) {
  const std::size_t n = values.size();
  if (n == 0) return Curve();
  double mean = 0.0, largest = 0.0;
  for (const double value : values) {
    mean += value / static_cast<double>(n);
    largest = std::max(largest, std::abs(value));
  }
  Curve curve(mean);
  // leaves out the highest harmonic of an even number of samples, whose phase is undetermined
  for (std::size_t h = 1; 2 * h < n; ++h) {
    double a = 0.0, b = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
      // h i modulo n first, so the angle stays small and exact
      const double turn = static_cast<double>((h * i) % n) / static_cast<double>(n);
      const SinCos angle = sincos(2.0 * std::numbers::pi * turn);
      a += 2.0 * values[i] * angle.cos / static_cast<double>(n);
      b += 2.0 * values[i] * angle.sin / static_cast<double>(n);
    }
    if (std::max(std::abs(a), std::abs(b)) <= 1e-9 * largest) continue;
    curve.add({2.0 * std::numbers::pi * static_cast<double>(h) * hz, a, b});
  }
  return curve;
}

}  // namespace panto
