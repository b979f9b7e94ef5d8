#pragma once
// The monotone map of one swing, from its turning point to its extremum. Used inside this module.

#include <algorithm>
#include <cmath>

#include "panto/math/ease.hpp"

namespace panto::detail {

/// A point of the map: value in, value out.
struct MapEnd {
  double q = 0.0, m = 0.0;
  double slope = 1.0;  ///< 0 .. 1, at the very end
  double blend = 0.0;  ///< share of the way, 0 .. 1, over which the slope blends to the middle's
};

/// Maps `inner` to `outer` with slopes in [0, 1]: monotone, and no difference grows. In the middle the slope
/// is constant; cubics blend it to the slopes at the ends, so the map is twice continuously differentiable.
/// Beyond `inner` it is straight.
class RangeCurve {
 public:
  RangeCurve(const MapEnd& inner, const MapEnd& outer) : inner_(inner), outer_(outer) {
    const double mean = mean_slope(inner, outer);
    fit_blends(mean);
    // the mean slope is the ratio of the ranges
    const double a = 0.5 * inner_.blend, b = 0.5 * outer_.blend;
    middle_ = std::clamp((mean - a * inner_.slope - b * outer_.slope) / (1.0 - a - b), 0.0, 1.0);
  }

  [[nodiscard]] static double mean_slope(const MapEnd& inner, const MapEnd& outer) {
    return std::clamp((outer.m - inner.m) / (outer.q - inner.q), 0.0, 1.0);
  }

  [[nodiscard]] double operator()(double q) const {
    const double range = outer_.q - inner_.q, x = (q - inner_.q) / range;
    if (x <= 0.0) return inner_.m + first_slope() * (q - inner_.q);
    if (x >= 1.0) return outer_.m;
    double y = middle_ * x;
    if (inner_.blend > 0.0) y += (inner_.slope - middle_) * inner_.blend * area(x / inner_.blend);
    if (outer_.blend > 0.0)
      y += (outer_.slope - middle_) * outer_.blend * (0.5 - area((1.0 - x) / outer_.blend));
    return inner_.m + range * y;
  }

  [[nodiscard]] double slope(double q) const {
    const double x = (q - inner_.q) / (outer_.q - inner_.q);
    if (x <= 0.0) return first_slope();
    double slope = middle_;
    if (inner_.blend > 0.0) slope += (inner_.slope - middle_) * share(x / inner_.blend);
    if (outer_.blend > 0.0) slope += (outer_.slope - middle_) * share((1.0 - x) / outer_.blend);
    return slope;
  }

 private:
  // Shortens the blends until the middle's slope is at least half the mean slope and at most half way from it
  // to 1.
  void fit_blends(double mean) {
    const auto asked = [](const MapEnd& end, double slope) { return 0.5 * end.blend * slope; };
    const double up = asked(inner_, inner_.slope) + asked(outer_, outer_.slope);
    const double down = asked(inner_, 1.0 - inner_.slope) + asked(outer_, 1.0 - outer_.slope);
    double keep = 1.0;
    if (up > 0.5 * mean) keep = std::min(keep, 0.5 * mean / up);
    if (down > 0.5 * (1.0 - mean)) keep = std::min(keep, 0.5 * (1.0 - mean) / down);
    inner_.blend *= keep;
    outer_.blend *= keep;
  }

  [[nodiscard]] double first_slope() const { return inner_.blend > 0.0 ? inner_.slope : middle_; }
  // 1 at zero, 0 from one on, with zero slope at both; and its integral from zero
  [[nodiscard]] static double share(double u) { return u < 1.0 ? 1.0 - ease(u) : 0.0; }
  [[nodiscard]] static double area(double u) { return u < 1.0 ? u * (1.0 - u * u * (1.0 - 0.5 * u)) : 0.5; }

  MapEnd inner_, outer_;
  double middle_ = 1.0;
};

}  // namespace panto::detail
