#include "panto/tree_qp/side_forecast.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace panto {
namespace {

constexpr int kNeeded = 3;  // answers: two to extrapolate from, one to test the extrapolation
// Extrapolation must have less than this share of the error of staying: recorded motions are noisy.
constexpr double kTrust = 0.5;

PANTO_WIDE void go_on(const LaneArray<3>& lower, const LaneArray<3>& upper, const LaneArray<3>& side,
                      const LaneArray<3>& rho, const LaneArray<3>& curvature, LaneArray<3>& before,
                      LaneArray<3>& last, LaneArray<3>& expected) noexcept {
  const double *low = lower.data(), *high = upper.data(), *s = side.data(), *r = rho.data(),
               *d = curvature.data();
  double *x0 = before.data(), *x1 = last.data(), *next = expected.data();
  const std::size_t n = side.flat_size();
  const double unknown = std::numeric_limits<double>::quiet_NaN();
#pragma GCC ivdep
  for (std::size_t i = 0; i < n; ++i) {
    const double bottom = low[i], top = high[i], optimum = r[i], bend = d[i];
    const double bound = s[i] > 0.0 ? top : bottom;
    const double beyond = bound + (optimum - bound) * bend;
    const double x = s[i] != 0.0 ? beyond : optimum;
    const double stayed = x - x1[i], went = stayed - (x1[i] - x0[i]);
    const double on = x + stayed;
    next[i] = std::abs(went) < kTrust * std::abs(stayed) ? on : unknown;
    x0[i] = x1[i];
    x1[i] = x;
  }
}

PANTO_WIDE void take_expected(const LaneArray<3>& lower, const LaneArray<3>& upper,
                              const LaneArray<3>& expected, LaneArray<3>& side) noexcept {
  const double *low = lower.data(), *high = upper.data(), *next = expected.data();
  double* s = side.data();
  const std::size_t n = side.flat_size();
#pragma GCC ivdep
  for (std::size_t i = 0; i < n; ++i) {
    const double x = next[i], bottom = low[i], top = high[i], still = s[i];
    const double above = x >= top ? 1.0 : 0.0, below = x <= bottom ? 1.0 : 0.0, moving = above - below;
    const double told = bottom < top ? moving : still;
    s[i] = x == x ? told : still;
  }
}

}  // namespace

SideForecast::SideForecast(std::size_t lanes) : before_(lanes), last_(lanes), expected_(lanes) {}

void SideForecast::learn(const LaneArray<3>& lower, const LaneArray<3>& upper, const LaneArray<3>& side,
                         const LaneArray<3>& rho, const LaneArray<3>& curvature) noexcept {
  go_on(lower, upper, side, rho, curvature, before_, last_, expected_);
  known_ = std::min(known_ + 1, kNeeded);
}

void SideForecast::apply(const LaneArray<3>& lower, const LaneArray<3>& upper,
                         LaneArray<3>& side) const noexcept {
  if (known_ == kNeeded) take_expected(lower, upper, expected_, side);
}

}  // namespace panto
