#pragma once
// Random numbers with the same bits everywhere: the standard engine is specified exactly, the standard
// distributions are not.

#include <random>

namespace panto {

/// Uniform in [0, 1), from the upper 53 bits.
[[nodiscard]] inline double uniform(std::mt19937_64& engine) noexcept {
  return static_cast<double>(engine() >> 11) * 0x1.0p-53;
}

/// Uniform in [low, high).
[[nodiscard]] inline double uniform(std::mt19937_64& engine, double low, double high) noexcept {
  return low + (high - low) * uniform(engine);
}

/// Mean 0, variance 1: twelve uniform numbers less six. Normal but for its tails, which end at 6
/// (kurtosis 2.9); it needs no logarithm, whose last bit differs between machines.
[[nodiscard]] inline double normal(std::mt19937_64& engine) noexcept {
  double sum = -6.0;
  for (int i = 0; i < 12; ++i) sum += uniform(engine);
  return sum;
}

}  // namespace panto
