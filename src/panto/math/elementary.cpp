#include "panto/math/elementary.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "panto/math/vector_math.hpp"

namespace panto {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

constexpr double kLn2High = 6.93147180369123816490e-01;  // trailing zeros: k * kLn2High is exact
constexpr double kLn2Low = 1.90821492927058770002e-10;
constexpr double kLargestExponent = 7.09782712893383973096e+02;  // log of the largest number

// 2^k for a k with a normal result
double two_to(int k) noexcept { return std::bit_cast<double>(static_cast<std::uint64_t>(1023 + k) << 52); }

// y 2^k, 1/4 < y < 4, rounded once where the result is subnormal
double scaled(double y, int k) noexcept {
  if (k > 1000) return y * two_to(1000) * two_to(k - 1000);
  if (k < -1000) return y * two_to(-60) * two_to(k + 60);
  return y * two_to(k);
}

// x = k ln2 + high - low, |high - low| <= ln2/2
struct Reduced {
  int k;
  double high, low;
};
Reduced reduced(double x) noexcept {
  const double k = std::floor(x * 1.44269504088896338700e+00 + 0.5);
  return {static_cast<int>(k), x - k * kLn2High, k * kLn2Low};
}

// x = 2^k m, sqrt(1/2) <= m < sqrt(2), for a normal x > 0
struct Parts {
  int k;
  double m;
};
Parts parts(double x) noexcept {
  constexpr std::uint64_t root_half = 0x3fe6a09e00000000;
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const auto k = static_cast<std::int64_t>(bits - root_half) >> 52;
  return {static_cast<int>(k), std::bit_cast<double>(bits - (static_cast<std::uint64_t>(k) << 52))};
}

// log((1 + f) 2^k) + c, sqrt(1/2) <= 1 + f < sqrt(2), c small
double log_of(double f, int k, double c) noexcept {
  const double s = f / (2.0 + f), z = s * s, w = z * z;
  const double even =
      w * (3.999999999940941908e-01 + w * (2.222219843214978396e-01 + w * 1.531383769920937332e-01));
  const double odd =
      z * (6.666666666666735130e-01 +
           w * (2.857142874366239149e-01 + w * (1.818357216161805012e-01 + w * 1.479819860511658591e-01)));
  const double half_square = 0.5 * f * f, n = k;
  return s * (half_square + (odd + even)) + (n * kLn2Low + c) - half_square + f + n * kLn2High;
}

}  // namespace

double exp(double x) noexcept {
  if (!(x <= kLargestExponent)) return x == x ? kInf : x;
  if (x < -745.2) return 0.0;
  const auto [k, high, low] = reduced(x);
  const double r = high - low, z = r * r;
  const double c = r - z * (1.66666666666666019037e-01 +
                            z * (-2.77777777770155933842e-03 +
                                 z * (6.61375632143793436117e-05 +
                                      z * (-1.65339022054652515390e-06 + z * 4.13813679705723846039e-08))));
  return scaled(1.0 - ((low - r * c / (2.0 - c)) - high), k);
}

double expm1(double x) noexcept {
  if (!(x <= kLargestExponent)) return x == x ? kInf : x;
  if (x < -39.0) return -1.0;
  if (std::abs(x) < 0x1p-54) return x;
  const auto [k, high, low] = std::abs(x) > 0.5 * kLn2High ? reduced(x) : Reduced{0, x, 0.0};
  const double r = high - low;
  const double c = (high - r) - low;  // rounding error of r
  const double half = 0.5 * r, square = r * half;
  const double r1 = 1.0 + square * (-3.33333333333331316428e-02 +
                                    square * (1.58730158725481460165e-03 +
                                              square * (-7.93650757867487942473e-05 +
                                                        square * (4.00821782732936239552e-06 +
                                                                  square * -2.01099218183624371326e-07))));
  const double t = 3.0 - r1 * half;
  double e = square * ((r1 - t) / (6.0 - r * t));
  if (k == 0) return r - (r * e - square);
  e = (r * (e - c) - c) - square;  // e^r - 1 = r - e
  if (k == -1) return 0.5 * (r - e) - 0.5;
  if (k == 1) return r < -0.25 ? -2.0 * (e - (r + 0.5)) : 1.0 + 2.0 * (r - e);
  if (k <= -2 || k > 56) return scaled(1.0 - (e - r), k) - 1.0;
  const double least = two_to(-k);
  return k < 20 ? scaled((1.0 - least) - (e - r), k) : scaled((r - (e + least)) + 1.0, k);
}

double log(double x) noexcept {
  if (!(x > 0.0)) return x == 0.0 ? -kInf : x == x ? kNan : x;
  if (x == kInf) return x;
  const bool subnormal = x < std::numeric_limits<double>::min();
  const auto [k, m] = parts(subnormal ? x * 0x1p54 : x);
  return log_of(m - 1.0, subnormal ? k - 54 : k, 0.0);
}

double log1p(double x) noexcept {
  if (!(x > -1.0)) return x == -1.0 ? -kInf : x == x ? kNan : x;
  if (x == kInf || std::abs(x) < 0x1p-53) return x;
  if (x > -0.2928 && x < 0.4142) return log_of(x, 0, 0.0);
  const double u = 1.0 + x;
  const auto [k, m] = parts(u);
  const double lost = k >= 54 ? 0.0 : k >= 2 ? 1.0 - (u - x) : x - (u - 1.0);
  return log_of(m - 1.0, k, lost / u);
}

double acos(double x) noexcept {
  const double clipped = std::clamp(x, -1.0, 1.0);
  return atan2(std::sqrt((1.0 - clipped) * (1.0 + clipped)), clipped);
}

double hypot(double x, double y, double z) noexcept { return std::sqrt(x * x + y * y + z * z); }

}  // namespace panto
