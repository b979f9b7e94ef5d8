#pragma once
// Our own exponentials, logarithms and other functions of the C library: the same bits on every machine, with
// every compiler and C library. One number at a time; math/vector_math.hpp has sine, cosine, tanh and the
// arctangents for loops over arrays. Algorithms and coefficients: fdlibm (Sun Microsystems, 1993).

namespace panto {

/// Returns e^x; error below one unit in the last place. Overflows to infinity above 709.78; subnormal, then 0
/// below -708.4.
[[nodiscard]] double exp(double x) noexcept;

/// Returns e^x - 1 without cancellation near 0; error below one unit in the last place; -1 below -39.
[[nodiscard]] double expm1(double x) noexcept;

/// Returns the natural logarithm; error below one unit in the last place. log(0) = -infinity, NaN for
/// negative x.
[[nodiscard]] double log(double x) noexcept;

/// Returns log(1 + x) without cancellation near 0; error below one unit in the last place.
[[nodiscard]] double log1p(double x) noexcept;

/// Returns the angle in [0, pi] with cosine x; error below 8e-16 and, for small angles, below three units in
/// the last place. |x| > 1 counts as +-1.
[[nodiscard]] double acos(double x) noexcept;

/// Returns sqrt(x^2 + y^2 + z^2); error below two units in the last place. No scaling: numbers above 1e154
/// overflow, numbers below 1e-154 count as 0.
[[nodiscard]] double hypot(double x, double y, double z = 0.0) noexcept;

/// Returns x^n by repeated squaring; n < 0 gives 1 / x^-n.
[[nodiscard]] constexpr double power(double x, int n) noexcept {
  double result = 1.0;
  for (unsigned left = n < 0 ? 0U - static_cast<unsigned>(n) : static_cast<unsigned>(n); left > 0;
       left >>= 1) {
    if ((left & 1U) != 0) result *= x;
    x *= x;
  }
  return n < 0 ? 1.0 / result : result;
}

}  // namespace panto
