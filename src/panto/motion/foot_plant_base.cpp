// Shift of the base for planted feet.

#include <cmath>

#include "panto/base/index.hpp"
#include "panto/math/elementary.hpp"
#include "panto/motion/foot_plant.hpp"
#include "panto/motion/parts.hpp"

namespace panto {
namespace {

using Eigen::Vector3d;

constexpr double kWidth = 4.0;  // reach of the Gaussian in standard deviations

// Averages the correction of the feet in stance; interpolates where none is.
std::vector<Vector3d> mean_corrections(const std::vector<Time>& t, const std::vector<int>& part,
                                       const std::vector<FootMotion>& feet,
                                       const std::vector<FootTargets>& targets) {
  const int count = static_cast<int>(t.size());
  std::vector<Vector3d> sum(t.size(), Vector3d::Zero());
  std::vector<double> standing(t.size(), 0.0);
  for (std::size_t i = 0; i < feet.size(); ++i) {
    for (const PlantedInterval& interval : feet[i].contacts.planted) {
      for (int k = interval.first; k <= interval.last; ++k) {
        sum[at(k)] += targets[i].p_WF[at(k)] - feet[i].p_WF[at(k)];
        standing[at(k)] += 1.0;
      }
    }
  }
  // no foot in stance: interpolate between before and after
  std::vector<Vector3d> filled(t.size(), Vector3d::Zero());
  std::vector<int> next(t.size(), -1);
  for (int k = count - 1, found = -1; k >= 0; --k) {
    if (found >= 0 && part[at(found)] != part[at(k)]) found = -1;
    if (standing[at(k)] > 0.0) found = k;
    next[at(k)] = found;
  }
  for (int k = 0, before = -1; k < count; ++k) {
    if (before >= 0 && part[at(before)] != part[at(k)]) before = -1;
    if (standing[at(k)] > 0.0) before = k;
    const int after = next[at(k)];
    if (before < 0 && after < 0) continue;
    const int from = before >= 0 ? before : after, to = after >= 0 ? after : before;
    const double u =
        to > from ? to_seconds(t[at(k)] - t[at(from)]) / to_seconds(t[at(to)] - t[at(from)]) : 0.0;
    filled[at(k)] = (1.0 - u) / standing[at(from)] * sum[at(from)] + u / standing[at(to)] * sum[at(to)];
  }
  return filled;
}

}  // namespace

std::vector<Vector3d> base_shift(const std::vector<Time>& t, const std::vector<FootMotion>& feet,
                                 const std::vector<FootTargets>& targets, const std::vector<int>& cuts,
                                 double deviation) {
  const std::vector<int> part = detail::parts_between(t.size(), cuts);
  const std::vector<Vector3d> filled = mean_corrections(t, part, feet, targets);
  const int count = static_cast<int>(t.size());
  std::vector<Vector3d> shift(t.size(), Vector3d::Zero());
  for (int k = 0; k < count; ++k) {
    double weight = 0.0;
    const auto add = [&](int j) {
      const double off = to_seconds(t[at(j)] - t[at(k)]) / deviation;
      if (part[at(j)] != part[at(k)] || std::abs(off) > kWidth || std::abs(j - k) > detail::kMostNear)
        return false;
      const double w = exp(-0.5 * off * off);
      shift[at(k)] += w * filled[at(j)];
      weight += w;
      return true;
    };
    for (int j = k; j < count && add(j); ++j) {
    }
    for (int j = k - 1; j >= 0 && add(j); --j) {
    }
    shift[at(k)] /= weight;
  }
  return shift;
}

}  // namespace panto
