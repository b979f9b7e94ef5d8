#pragma once
// The arithmetic of vector_math for one number, to be inlined into loops over arrays and lanes: no branch, no
// call, no table. Polynomials: the published fdlibm coefficients (Sun Microsystems, 1993).

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "panto/math/vector_math.hpp"

namespace panto {
namespace vector_math {

// pi/2 in three parts; the first two have trailing zeros, so that k * part is exact for |k| < 2^20
inline constexpr double kHalfPi1 = 1.57079632673412561417e+00;
inline constexpr double kHalfPi2 = 6.07710050630396597660e-11;
inline constexpr double kHalfPi3 = 2.02226624871116645580e-21;
inline constexpr double kTwoOverPi = 6.36619772367581382433e-01;
inline constexpr double kRoundingShift =
    6755399441055744.0;  // 1.5 * 2^52: adding it rounds to the nearest integer

// Sine and cosine of |r| <= pi/4.
[[nodiscard]] inline SinCos sincos_near_zero(double r) noexcept {
  const double z = r * r;
  const double s =
      r + r * z *
              (-1.66666666666666324348e-01 +
               z * (8.33333333332248946124e-03 +
                    z * (-1.98412698298579493134e-04 +
                         z * (2.75573137070700676789e-06 +
                              z * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10)))));
  const double tail = z * z *
                      (4.16666666666666019037e-02 +
                       z * (-1.38888888888741095749e-03 +
                            z * (2.48015872894767294178e-05 +
                                 z * (-2.75573143513906633035e-07 +
                                      z * (2.08757232129817482790e-09 + z * -1.13596475577881948265e-11)))));
  const double half = 0.5 * z;
  const double w = 1.0 - half;
  return {s, w + (((1.0 - w) - half) + tail)};
}

[[nodiscard]] inline SinCos inline_sincos(double x) noexcept {
  // x = k pi/2 + r, |r| <= pi/4
  const double shifted = x * kTwoOverPi + kRoundingShift;
  const double k = shifted - kRoundingShift;
  const auto quadrant = std::bit_cast<std::uint64_t>(shifted);
  const double r = ((x - k * kHalfPi1) - k * kHalfPi2) - k * kHalfPi3;
  const auto [s, c] = sincos_near_zero(r);

  // quadrant: swap on odd, negate by sign bits; masks instead of branches, so plain SSE2 works too
  const std::uint64_t odd = 0U - (quadrant & 1U);
  const auto s_bits = std::bit_cast<std::uint64_t>(s), c_bits = std::bit_cast<std::uint64_t>(c);
  const std::uint64_t sin = (s_bits & ~odd) | (c_bits & odd), cos = (c_bits & ~odd) | (s_bits & odd);
  return {std::bit_cast<double>(sin ^ ((quadrant & 2U) << 62)),
          std::bit_cast<double>(cos ^ (((quadrant + 1U) & 2U) << 62))};
}

// exp for -700 <= x <= 0: 2^k times the series on |r| <= ln2/2, whose next term is below 1e-17. No division:
// one takes as long as twenty multiplications.
[[nodiscard]] inline double inline_exp(double x) noexcept {
  const double shifted = x * 1.44269504088896338700e+00 + kRoundingShift;
  const double k = shifted - kRoundingShift;
  const double r = (x - k * 6.93147180369123816490e-01) - k * 1.90821492927058770002e-10;
  const double r2 = r * r;
  const double even =
      1.0 / 6.0 +
      r2 * (1.0 / 120.0 + r2 * (1.0 / 5040.0 +
                                r2 * (1.0 / 362880.0 + r2 * (1.0 / 39916800.0 + r2 * (1.0 / 6227020800.0)))));
  const double odd =
      1.0 / 24.0 +
      r2 * (1.0 / 720.0 + r2 * (1.0 / 40320.0 + r2 * (1.0 / 3628800.0 + r2 * (1.0 / 479001600.0))));
  const double tail = even + r * odd;
  const double y = 1.0 + (r + r * r * (0.5 + r * tail));
  const std::uint64_t exponent = std::bit_cast<std::uint64_t>(shifted) << 52;  // k, from its low bits
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(y) + exponent);
}

// A number as a quotient, for callers that divide anyway.
struct Ratio {
  double over, under;
};

// exp(x) for |x| <= 700, relative error below 1e-15 + 2e-16 |x|, hence below 1.1e-15 of 1 for x <= 0: 2^k
// times the Pade approximant [5/5] on |r| <= ln2/2, whose own error is 9e-16 at most.
[[nodiscard]] inline Ratio exp_ratio(double x) noexcept {
  const double shifted = x * 1.44269504088896338700e+00 + kRoundingShift;
  const double k = shifted - kRoundingShift;
  const double r = x - k * 6.93147180559945286227e-01;
  const double z = r * r;
  const double even = 30240.0 + z * (3360.0 + z * 30.0);
  const double odd = r * (15120.0 + z * (420.0 + z));
  const std::uint64_t exponent = std::bit_cast<std::uint64_t>(shifted) << 52;  // k, from its low bits
  return {std::bit_cast<double>(std::bit_cast<std::uint64_t>(even + odd) + exponent), even - odd};
}

[[nodiscard]] inline double inline_tanh(double x) noexcept {
  // tanh|x| = (1 - e) / (1 + e) with e = exp(-2|x|), a series where this would cancel
  const double a = std::min(22.0, std::abs(x));  // in this order a NaN gives 22
  const double e = inline_exp(-2.0 * a);
  const double a2 = a * a;
  const double series =
      a * (1.0 + a2 * (-1.0 / 3.0 + a2 * (2.0 / 15.0 + a2 * (-17.0 / 315.0 + a2 * (62.0 / 2835.0)))));
  double magnitude = a < 0.02 ? series : (1.0 - e) / (1.0 + e);
  magnitude = a >= 22.0 ? 1.0 : magnitude;
  const double result = std::copysign(magnitude, x);
  return x == x ? result : x;
}

// 1 - atan(r)/r of z = r^2, |r| <= kLargestSmallTangent
[[nodiscard]] inline double atan_tail_of_square(double z) noexcept {
  const double w = z * z;
  const double odd =
      z * (3.33333333333329318027e-01 +
           w * (1.42857142725034663711e-01 +
                w * (9.09088713343650656196e-02 +
                     w * (6.66107313738753120669e-02 +
                          w * (4.97687799461593236017e-02 + w * 1.62858201153657823623e-02)))));
  const double even = w * (-1.99999999998764832476e-01 +
                           w * (-1.11111104054623557880e-01 +
                                w * (-7.69187620504482999495e-02 +
                                     w * (-5.83357013379057348645e-02 + w * -3.65315727442169155270e-02))));
  return odd + even;
}
[[nodiscard]] inline double atan_tail(double r) noexcept { return atan_tail_of_square(r * r); }

}  // namespace vector_math
}  // namespace panto
