#pragma once
// Our own sine, cosine, tanh and atan2: branch-light, so that loops over arrays vectorise, and the same bits
// on every machine (libm's differ from one CPU to the next). Polynomials: the published fdlibm coefficients
// (Sun Microsystems, 1993). Functions for single numbers are in math/elementary.hpp.

#include <cstddef>

namespace panto {

struct SinCos {
  double sin;
  double cos;
};

/// Returns sine and cosine of x [rad]. Absolute error below 2.3e-16 for |x| < 1e5; beyond, it grows as |x| *
/// 1e-16. Non-finite input gives non-finite output.
[[nodiscard]] SinCos sincos(double x) noexcept;

/// Computes sin[i] and cos[i] of x[i] for i < n. x may be one of the two outputs; nothing else may overlap.
void sincos(const double* x, std::size_t n, double* sin, double* cos) noexcept;

/// Computes tanh of x[i]; absolute error below 1e-15, exactly +-1 beyond |x| = 22.
void tanh(const double* x, std::size_t n, double* result) noexcept;

/// Returns tanh(x), as above.
[[nodiscard]] double tanh(double x) noexcept;

/// Returns exp(x) for x <= 0, relative error below 5e-16 down to x = -700; 0 below. Positive x counts as 0.
[[nodiscard]] double exp_decay(double x) noexcept;

/// Returns the angle of the point (x, y) in [-pi, pi]; error below 6e-16. atan2(0, 0) = 0, atan2(inf, inf) =
/// pi/4.
[[nodiscard]] double atan2(double y, double x) noexcept;

/// Returns atan(t) for |t| <= kLargestSmallTangent, error below 1e-16: the change of an angle between
/// neighbouring readings.
inline constexpr double kLargestSmallTangent = 7.0 / 16.0;
[[nodiscard]] double atan_small(double t) noexcept;
void atan_small(const double* t, std::size_t n, double* result) noexcept;

/// Returns the angle in [-pi/2, pi/2] with sine x; |x| > 1 counts as +-1.
[[nodiscard]] double asin(double x) noexcept;

}  // namespace panto
