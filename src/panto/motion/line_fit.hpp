#pragma once
// The straight line through a point's positions around a frame. Used inside this module.

#include <Eigen/Core>
#include <vector>

#include "panto/base/index.hpp"
#include "panto/base/time.hpp"
#include "panto/motion/parts.hpp"

namespace panto::detail {

struct LineFit {
  Eigen::Vector3d mean = Eigen::Vector3d::Zero();   ///< point of the line at the frame
  Eigen::Vector3d slope = Eigen::Vector3d::Zero();  ///< zero when there is only one frame
};

/// Fits by least squares over the frames within `window` [s] on either side of frame k, at least its
/// neighbours and at most `kMostNear`, up to the first frame that is not `usable`; k itself must be usable.
template <typename Usable>
[[nodiscard]] LineFit fit_line(const std::vector<Time>& t, const std::vector<Eigen::Vector3d>& p, int k,
                               double window, const Usable& usable) {
  const auto since = [&](int j) { return to_seconds(t[at(j)]) - to_seconds(t[at(k)]); };
  int first = k, last = k;
  const double reach = window + 1e-6;
  while (k - first < kMostNear && usable(first - 1) && (first == k || -since(first - 1) <= reach)) --first;
  while (last - k < kMostNear && usable(last + 1) && (last == k || since(last + 1) <= reach)) ++last;
  const double count = last - first + 1;
  LineFit fit;
  double time = 0.0, spread = 0.0;
  for (int j = first; j <= last; ++j) {
    time += since(j) / count;
    fit.mean += p[at(j)] / count;
  }
  for (int j = first; j <= last; ++j) {
    const double off = since(j) - time;
    spread += off * off;
    fit.slope += off * (p[at(j)] - fit.mean);
  }
  if (spread > 0.0) fit.slope /= spread;
  fit.mean -= time * fit.slope;
  return fit;
}

}  // namespace panto::detail
