#include "panto/retarget/feet_apart.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>

#include "panto/base/index.hpp"
#include "panto/motion/base_path.hpp"

namespace panto {
namespace {

using Eigen::Vector3d;

constexpr double kGap = 0.005;     // [m] that is left between soles
constexpr double kOver = 0.08;     // [m] a foot that is higher passes over the other
constexpr double kAcross = 0.25;   // of their width: feet that are nearer to crossing are not told apart
constexpr double kAround = 0.15;   // [s] before and after an overlap in which feet are as far apart
constexpr double kTime = 0.1;      // [s] of the smoothing
constexpr double kNothing = 1e-6;  // [m]

struct Span {
  double from = kInfinity, to = -kInfinity;
  void add(double x) {
    from = std::min(from, x);
    to = std::max(to, x);
  }
  [[nodiscard]] double middle() const { return 0.5 * (from + to); }
  [[nodiscard]] double size() const { return to - from; }
  [[nodiscard]] double overlap(const Span& other) const {
    return std::min(to, other.to) - std::max(from, other.from);
  }
};

// The unit vector to the left of where both feet point; zero: they point nowhere.
Vector3d leftwards(const FootMotion& right, const FootMotion& left, std::size_t k) {
  Vector3d ahead = Vector3d::Zero();
  for (const FootMotion* foot : {&right, &left}) {
    Vector3d one = foot->R_WF[k] * (foot->sole.ball - foot->sole.heel);
    one.z() = 0.0;
    if (one.norm() > 0.0) ahead += one.normalized();
  }
  return ahead.norm() > 0.5 ? Vector3d::UnitZ().cross(ahead.normalized()) : Vector3d::Zero();
}

bool stands(const FootMotion& foot, std::size_t k) {
  return foot.contacts.heel[k] != 0 || foot.contacts.ball[k] != 0;
}

// Returns how far the left foot must go to the left, and the right one to the right [m].
double needed(const FootMotion& right, const FootMotion& left, const Vector3d& side, std::size_t k) {
  const Vector3d ahead = side.cross(Vector3d::UnitZ());
  std::array<Span, 2> across, along, height;
  for (std::size_t i = 0; i < 2; ++i) {
    const FootMotion& foot = i == 0 ? right : left;
    for (const Vector3d& corner : foot.corners) {
      const Vector3d p = foot.p_WF[k] + foot.R_WF[k] * corner;
      across[i].add(side.dot(p));
      along[i].add(ahead.dot(p));
      height[i].add(p.z());
    }
  }
  if (std::abs(height[0].from - height[1].from) > kOver) return 0.0;
  const double apart = across[1].middle() - across[0].middle();
  if (std::abs(apart) < kAcross * 0.5 * (across[0].size() + across[1].size())) return 0.0;
  const double depth = std::min(across[0].overlap(across[1]) + kGap, along[0].overlap(along[1]));
  return depth > 0.0 ? std::copysign(0.5 * depth, apart) : 0.0;
}

// Takes the largest of the values around each, up to cuts. Where feet cross, the two sides cancel.
std::vector<double> widened(const std::vector<Time>& t, const std::vector<int>& cuts,
                            const std::vector<double>& values) {
  std::vector<bool> joined(values.size(), true);  // to the frame before
  for (const int cut : cuts)
    if (cut >= 0 && at(cut) < joined.size()) joined[at(cut)] = false;
  std::vector<double> most(values.size(), 0.0), least(values.size(), 0.0);
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (values[k] == 0.0) continue;
    const auto raise = [&](std::size_t i) {
      most[i] = std::max(most[i], values[k]);
      least[i] = std::min(least[i], values[k]);
    };
    raise(k);
    for (std::size_t i = k; i > 0 && joined[i] && to_seconds(t[k] - t[i - 1]) <= kAround; --i) raise(i - 1);
    for (std::size_t i = k; i + 1 < t.size() && joined[i + 1] && to_seconds(t[i + 1] - t[k]) <= kAround; ++i)
      raise(i + 1);
  }
  for (std::size_t k = 0; k < values.size(); ++k) most[k] += least[k];
  return most;
}

}  // namespace

void part_feet(const std::vector<Time>& t, const std::vector<int>& cuts, FootMotion& right,
               FootMotion& left) {
  if (right.corners.empty() || left.corners.empty()) return;
  std::vector<Vector3d> side;
  std::vector<double> offset;
  for (std::size_t k = 0; k < t.size(); ++k) {
    side.push_back(leftwards(right, left, k));
    const bool both = stands(right, k) && stands(left, k) && !side.back().isZero(0.0);
    const double one = both ? needed(right, left, side.back(), k) : 0.0;
    offset.push_back(std::isfinite(one) ? one : 0.0);
  }
  if (std::all_of(offset.begin(), offset.end(), [](double x) { return x == 0.0; })) return;
  PathWishes wishes{widened(t, cuts, offset), std::vector<double>(t.size(), 1.0)};
  offset = smooth_path(t, wishes, kTime, cuts);
  for (std::size_t k = 0; k < t.size(); ++k) {
    if (!(std::abs(offset[k]) > kNothing)) continue;
    left.p_WF[k] += offset[k] * side[k];
    right.p_WF[k] -= offset[k] * side[k];
  }
}

}  // namespace panto
