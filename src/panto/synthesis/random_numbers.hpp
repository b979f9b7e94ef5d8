#pragma once
// Random numbers with the same bits everywhere: the standard specifies the engine exactly, but not the
// distributions.

#include <random>

namespace panto {

/// Returns a uniform number in [0, 1), from the upper 53 bits.
[[nodiscard]] inline double uniform(std::mt19937_64& engine) noexcept {
  return static_cast<double>(engine() >> 11) * 0x1.0p-53;
}

/// Returns a uniform number in [low, high).
[[nodiscard]] inline double uniform(std::mt19937_64& engine, double low, double high) noexcept {
  return low + (high - low) * uniform(engine);
}

/// Returns a number of mean 0 and variance 1: twelve uniform numbers minus six. Nearly normal, with tails
/// that end at 6 (kurtosis 2.9); it needs no logarithm, whose last bit differs between machines.
[[nodiscard]] inline double normal(std::mt19937_64& engine) noexcept {
  double sum = -6.0;
  for (int i = 0; i < 12; ++i) sum += uniform(engine);
  return sum;
}

/// Returns a point of the plane, 0.1 to 1 from the origin, in a uniform direction. Uses rejection, because
/// sine and cosine differ between machines.
struct RingPoint {
  double x = 0.0, y = 0.0;
};
[[nodiscard]] inline RingPoint point_in_ring(std::mt19937_64& engine) noexcept {
  RingPoint p;
  double norm2 = 0.0;
  do {
    p.x = uniform(engine, -1.0, 1.0);
    p.y = uniform(engine, -1.0, 1.0);
    norm2 = p.x * p.x + p.y * p.y;
  } while (norm2 > 1.0 || norm2 < 0.01);
  return p;
}

}  // namespace panto
