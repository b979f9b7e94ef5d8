#pragma once
// What a sensor of three axes makes of what it feels: its filter, scale, bias, noise, range and counts.

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <random>

#include "panto/model/model.hpp"

namespace panto {

/// Errors of one kind of sensor, per axis, in its unit u: rad/s, m/s^2 or that of the field. Zero: none.
struct TriadErrors {
  double noise_density = 0.0;     ///< white noise [u/sqrt(Hz)], >= 0
  double bias = 0.0;              ///< at the start, standard deviation [u], >= 0
  double bias_walk = 0.0;         ///< random walk of the bias [u/sqrt(s)], >= 0
  double instability = 0.0;       ///< a part of the bias that comes and goes, rms [u], >= 0,
  double instability_time = 200;  ///< and how long it stays [s], > 0
  double scale = 0.0;             ///< wrong scale of an axis, standard deviation [-], >= 0
  double cross_axis = 0.0;        ///< part of another axis that leaks in, standard deviation [-], >= 0
  double range = kInfinity;       ///< readings end there [u], > 0
  double count = 0.0;             ///< readings are multiples of it [u], >= 0
};

/// Random numbers of one effect of one sensor; other effects do not change them.
[[nodiscard]] std::mt19937_64 effect_engine(std::uint64_t seed, int sensor, int effect);
/// Returns three independent numbers of mean 0 and variance 1.
[[nodiscard]] Eigen::Vector3d normal3(std::mt19937_64& engine) noexcept;

/// y = (I + M) x + bias + noise, within the range, in counts. Noise of a reading has the standard deviation
/// noise_density sqrt(rate / 2). The instability is a Gauss-Markov process.
class Triad {
 public:
  /// @throws ConfigError naming `what` and the number out of range.
  Triad(const char* what, const TriadErrors& errors, double rate_hz, std::uint64_t seed, int sensor,
        int kind);

  /// Returns the next reading, 1 / rate after the last.
  [[nodiscard]] Eigen::Vector3d read(const Eigen::Vector3d& felt) noexcept;
  /// Returns the bias of the last reading [u].
  [[nodiscard]] Eigen::Vector3d bias() const noexcept { return bias_ + wandering_; }

 private:
  TriadErrors errors_;
  double rate_;
  double keeps_ = 0.0;  // decay of the instability from reading to reading
  std::mt19937_64 noise_engine_, walk_engine_, wander_engine_;
  Eigen::Matrix3d scale_ = Eigen::Matrix3d::Identity();
  Eigen::Vector3d bias_, wandering_;
  bool first_ = true;
};

/// Second-order Butterworth low-pass on three axes, by the bilinear transform. It delays slow signals by
/// sqrt(2) / (2 pi cutoff).
class Butterworth {
 public:
  /// @throws ConfigError unless 0 < cutoff_hz < rate_hz / 2.
  Butterworth(double cutoff_hz, double rate_hz);
  /// Filters a value. Treats the first value as constant in the past.
  [[nodiscard]] Eigen::Vector3d filter(const Eigen::Vector3d& x) noexcept;

 private:
  double b_ = 0.0, a1_ = 0.0, a2_ = 0.0;
  std::array<Eigen::Vector3d, 2> z_{Eigen::Vector3d::Zero(), Eigen::Vector3d::Zero()};
  bool first_ = true;
};

}  // namespace panto
