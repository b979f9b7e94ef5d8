#include "panto/synthesis/imu_errors.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "panto/base/error.hpp"
#include "panto/math/vector_math.hpp"
#include "panto/synthesis/random_numbers.hpp"

namespace panto {

using Eigen::Matrix3d;
using Eigen::Vector3d;

namespace {

struct Effect {
  enum Index : int { Noise, Bias, Walk, Wander, Scale, Count };
};

void require(const char* what, const char* name, double value, bool holds) {
  if (holds && !std::isnan(value)) return;
  throw ConfigError(std::string("errors of the ") + what + ": `" + name + "` must be " +
                    (name == std::string("range") || name == std::string("instability_time")
                         ? "larger than 0"
                         : "finite and not negative") +
                    ", not " + std::to_string(value));
}

void check(const char* what, const TriadErrors& e) {
  const std::array<std::pair<const char*, double>, 7> sizes{{{"noise_density", e.noise_density},
                                                             {"bias", e.bias},
                                                             {"bias_walk", e.bias_walk},
                                                             {"instability", e.instability},
                                                             {"scale", e.scale},
                                                             {"cross_axis", e.cross_axis},
                                                             {"count", e.count}}};
  for (const auto& [name, value] : sizes) require(what, name, value, value >= 0.0 && std::isfinite(value));
  require(what, "range", e.range, e.range > 0.0);
  require(what, "instability_time", e.instability_time, e.instability_time > 0.0);
}

}  // namespace

std::mt19937_64 effect_engine(std::uint64_t seed, int sensor, int effect) {
  // a mix of the three [Steele, Lea, Flood 2014: SplitMix64]
  std::uint64_t z = seed * 0x9E3779B97F4A7C15ULL + static_cast<std::uint64_t>(sensor + 1) * 1000003ULL +
                    static_cast<std::uint64_t>(effect);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return std::mt19937_64(z ^ (z >> 31));
}

Vector3d normal3(std::mt19937_64& engine) noexcept {
  Vector3d v;
  for (int i = 0; i < 3; ++i) v[i] = normal(engine);
  return v;
}

Triad::Triad(const char* what, const TriadErrors& errors, double rate_hz, std::uint64_t seed, int sensor,
             int kind)
    : errors_(errors),
      rate_(rate_hz),
      noise_engine_(effect_engine(seed, sensor, Effect::Count * kind + Effect::Noise)),
      walk_engine_(effect_engine(seed, sensor, Effect::Count * kind + Effect::Walk)),
      wander_engine_(effect_engine(seed, sensor, Effect::Count * kind + Effect::Wander)) {
  check(what, errors);
  std::mt19937_64 bias = effect_engine(seed, sensor, Effect::Count * kind + Effect::Bias);
  std::mt19937_64 scale = effect_engine(seed, sensor, Effect::Count * kind + Effect::Scale);
  bias_ = errors.bias * normal3(bias);
  wandering_ = errors.instability * normal3(wander_engine_);
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) scale_(i, j) += (i == j ? errors.scale : errors.cross_axis) * normal(scale);
  }
  keeps_ = exp_decay(-1.0 / (rate_hz * errors.instability_time));
}

Vector3d Triad::read(const Vector3d& felt) noexcept {
  if (!first_) {
    bias_ += errors_.bias_walk / std::sqrt(rate_) * normal3(walk_engine_);
    wandering_ = keeps_ * wandering_ +
                 errors_.instability * std::sqrt(1.0 - keeps_ * keeps_) * normal3(wander_engine_);
  }
  first_ = false;
  Vector3d y = scale_ * felt + bias();
  y += errors_.noise_density * std::sqrt(0.5 * rate_) * normal3(noise_engine_);
  y = y.cwiseMax(-errors_.range).cwiseMin(errors_.range);
  if (errors_.count > 0.0) {
    for (int i = 0; i < 3; ++i) y[i] = errors_.count * std::floor(y[i] / errors_.count + 0.5);
  }
  return y;
}

Butterworth::Butterworth(double cutoff_hz, double rate_hz) {
  if (!(cutoff_hz > 0.0 && cutoff_hz < 0.5 * rate_hz)) {
    throw ConfigError("the low-pass cut-off is " + std::to_string(cutoff_hz) + " Hz at a rate of " +
                      std::to_string(rate_hz) + " Hz; it must be above 0 and below half the rate");
  }
  const SinCos half = sincos(std::numbers::pi * cutoff_hz / rate_hz);
  const double k = half.sin / half.cos, norm = 1.0 + std::numbers::sqrt2 * k + k * k;
  b_ = k * k / norm;
  a1_ = 2.0 * (k * k - 1.0) / norm;
  a2_ = (1.0 - std::numbers::sqrt2 * k + k * k) / norm;
}

Vector3d Butterworth::filter(const Vector3d& x) noexcept {
  // transposed direct form II; b = (b, 2 b, b)
  if (first_) {
    z_[0] = (1.0 - b_) * x;
    z_[1] = (b_ - a2_) * x;
    first_ = false;
  }
  const Vector3d y = b_ * x + z_[0];
  z_[0] = 2.0 * b_ * x - a1_ * y + z_[1];
  z_[1] = b_ * x - a2_ * y;
  return y;
}

}  // namespace panto
