#include "panto/robot/capsule_fit.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <optional>
#include <utility>

#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/math/convex_hull.hpp"
#include "panto/math/decompositions.hpp"

namespace panto::robot {
namespace {

using Eigen::Vector3d;
using Block = Eigen::Matrix<double, 7, 7>;
using Vector7 = Eigen::Matrix<double, 7, 1>;
using Capsules = std::vector<LinkCapsule>;
using Points = std::vector<Vector3d>;

constexpr int kRounds = 30;        // of Gauss-Newton for one set of capsules
constexpr double kSettled = 1e-4;  // relative gain of a round that ends it
constexpr double kFirstDamping = 1e-3, kMostDamping = 1e6;
constexpr int kDirections = 200;                   // of the points that make a hull; of many shapes fewer
constexpr std::size_t kFew = 8, kMostShapes = 64;  // shapes of one link; more count as one
constexpr double kWithin = 5e-4;  // [m] a point so deep in another shape is not on the surface
constexpr double kAcross = 0.5;   // cosine between a split and the mirror's axis: its parts are images
constexpr double kGain = 0.9;     // another capsule must lower the cost to this share

double fourth(double x) noexcept { return x * x * x * x; }

double share_along(const LinkCapsule& capsule, const Vector3d& p) noexcept {
  const Vector3d along = capsule.to - capsule.from;
  const double length2 = along.squaredNorm();
  return length2 > 0.0 ? std::clamp((p - capsule.from).dot(along) / length2, 0.0, 1.0) : 0.0;
}

// An end of a capsule that sticks out of a plane of the surface.
struct Beyond {
  int capsule;
  bool to;  // which end
  Vector3d normal;
  double by;  // [m]
};

// Capsules and how well they fit.
struct Fitted {
  Capsules capsules;
  std::vector<int> image;    // of each capsule: its mirror image, perhaps itself; none without a mirror
  std::vector<int> nearest;  // capsule of each point
  std::vector<double> distance;
  std::vector<Beyond> beyond;
  double cost = 0.0;
};

class Fitter {
 public:
  Fitter(const Points& points, const std::vector<ConvexHull>& hulls, const CapsuleFitOptions& options)
      : points_(points), hulls_(hulls), options_(options) {}

  [[nodiscard]] Fitted fit() const {
    std::vector<int> all(points_.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int>(i);
    Fitted best = refined({around(all)}, options_.mirror ? std::vector<int>{0} : std::vector<int>{});
    while (static_cast<int>(best.capsules.size()) < options_.most && !good(best)) {
      std::optional<Fitted> next;
      for (int capsule = 0; capsule < static_cast<int>(best.capsules.size()); ++capsule)
        for (int axis = 0; axis < 3; ++axis) {
          Fitted tried = split(best, capsule, axis);
          if (static_cast<int>(tried.capsules.size()) > options_.most || tried.cost == kInfinity) continue;
          tried = refined(std::move(tried.capsules), tried.image);
          if (!next || tried.cost < next->cost) next = std::move(tried);
        }
      if (!next || !(next->cost < kGain * best.cost)) break;
      best = std::move(*next);
    }
    return best;
  }

  [[nodiscard]] bool good(const Fitted& fitted) const {
    return std::all_of(fitted.distance.begin(), fitted.distance.end(),
                       [this](double d) { return std::abs(d) * scale(d) <= 1.0; }) &&
           std::all_of(fitted.beyond.begin(), fitted.beyond.end(),
                       [this](const Beyond& end) { return end.by * scale(-end.by) <= 1.0; });
  }

  [[nodiscard]] Fitted measured(Capsules capsules, std::vector<int> image = {}) const {
    Fitted result{std::move(capsules), std::move(image), {}, {}, {}, 0.0};
    for (const Vector3d& p : points_) {
      int nearest = 0;
      double least = kInfinity;
      for (int k = 0; k < static_cast<int>(result.capsules.size()); ++k) {
        const double now = capsule_distance(result.capsules[at(k)], p);
        if (now < least) {
          least = now;
          nearest = k;
        }
      }
      result.nearest.push_back(nearest);
      result.distance.push_back(least);
      result.cost += fourth(least * scale(least));
    }
    for (int k = 0; k < static_cast<int>(result.capsules.size()); ++k)
      for (const bool to : {false, true}) add_beyond(k, to, result);
    for (const Beyond& end : result.beyond) result.cost += fourth(end.by * scale(-end.by));
    return result;
  }

 private:
  // Weighs a distance: outside counts more than within.
  [[nodiscard]] double scale(double distance) const noexcept {
    return distance > 0.0 ? 1.0 / options_.enough : 1.0 / (options_.excess * options_.enough);
  }

  // Adds the planes that the ball at an end of a capsule sticks out of: those of the hull that holds it best.
  void add_beyond(int capsule, bool to, Fitted& fitted) const {
    const LinkCapsule& own = fitted.capsules[at(capsule)];
    const Vector3d& centre = to ? own.to : own.from;
    const ConvexHull* best = nullptr;
    double least = kInfinity;
    for (const ConvexHull& hull : hulls_) {
      const double now = outside(hull, centre);
      if (hull.planes.empty() || now >= least) continue;
      least = now;
      best = &hull;
    }
    if (best == nullptr) return;
    for (const Eigen::Vector4d& plane : best->planes) {
      const double by = plane.head<3>().dot(centre) + own.radius - plane[3];
      if (by > 0.0) fitted.beyond.push_back({capsule, to, plane.head<3>(), by});
    }
  }

  // Gauss-Newton on the squares of weighed distances; each point moves its nearest capsule alone.
  [[nodiscard]] Fitted refined(Capsules begin, const std::vector<int>& image) const {
    Fitted now = measured(evened(std::move(begin), image), image);
    double damping = kFirstDamping;
    for (int round = 0; round < kRounds && damping < kMostDamping; ++round) {
      Fitted next = measured(evened(stepped(now, damping), image), image);
      const double gain = now.cost - next.cost;
      if (!(gain > 0.0)) {
        damping *= 10.0;
        continue;
      }
      damping = std::max(0.2 * damping, 1e-9);
      const bool settled = gain < kSettled * now.cost;
      now = std::move(next);
      if (settled) break;
    }
    return now;
  }

  [[nodiscard]] Capsules stepped(const Fitted& now, double damping) const {
    std::vector<Block> normal(now.capsules.size(), Block::Zero());
    std::vector<Vector7> gradient(now.capsules.size(), Vector7::Zero());
    const auto add = [&](int capsule, const Vector7& row, double d, double s) {
      // residual s^2 d |d|: its square is the cost
      const double slope = 2.0 * s * s * std::abs(d), residual = s * s * d * std::abs(d);
      normal[at(capsule)] += slope * slope * row * row.transpose();
      gradient[at(capsule)] += slope * residual * row;
    };
    for (std::size_t i = 0; i < points_.size(); ++i) {
      const LinkCapsule& capsule = now.capsules[at(now.nearest[i])];
      const double t = share_along(capsule, points_[i]);
      const Vector3d away = points_[i] - capsule.from - t * (capsule.to - capsule.from);
      const double length = away.norm();
      const double d = now.distance[i], s = scale(d);
      Vector7 row = Vector7::Zero();
      if (length > 1e-12) {
        row.head<3>() = -(1.0 - t) / length * away;
        row.segment<3>(3) = -t / length * away;
      }
      row[6] = -1.0;
      add(now.nearest[i], row, d, s);
    }
    for (const Beyond& end : now.beyond) {
      Vector7 row = Vector7::Zero();
      row.segment<3>(end.to ? 3 : 0) = end.normal;
      row[6] = 1.0;
      add(end.capsule, row, end.by, scale(-end.by));
    }
    Capsules next = now.capsules;
    for (std::size_t k = 0; k < next.size(); ++k) {
      Block damped = normal[k];
      const double trace = damped.trace();
      if (!(trace > 0.0)) continue;
      damped.diagonal().array() += damping * trace / 7.0;
      const Vector7 step = damped.ldlt().solve(-gradient[k]);
      if (!step.allFinite()) continue;
      next[k].from += step.head<3>();
      next[k].to += step.segment<3>(3);
      next[k].radius = std::max(options_.smallest, next[k].radius + step[6]);
    }
    return next;
  }

  struct Axes {
    Vector3d mean = Vector3d::Zero();
    Eigen::Matrix3d directions = Eigen::Matrix3d::Identity();  // columns, longest last
  };

  [[nodiscard]] Axes axes_of(const std::vector<int>& part) const {
    Axes axes;
    for (const int i : part) axes.mean += points_[at(i)] / static_cast<double>(part.size());
    Eigen::Matrix3d spread = Eigen::Matrix3d::Zero();
    for (const int i : part)
      spread += (points_[at(i)] - axes.mean) * (points_[at(i)] - axes.mean).transpose();
    axes.directions = symmetric_eigen(spread).vectors;
    return axes;
  }

  // Returns a capsule along the longest axis of some points.
  [[nodiscard]] LinkCapsule around(const std::vector<int>& part) const {
    const Axes axes = axes_of(part);
    const Vector3d along = axes.directions.col(2);
    double low = kInfinity, high = -kInfinity, radius = 0.0;
    for (const int i : part) {
      const Vector3d p = points_[at(i)] - axes.mean;
      const double place = p.dot(along);
      low = std::min(low, place);
      high = std::max(high, place);
      radius += (p - place * along).norm() / static_cast<double>(part.size());
    }
    radius = std::max(options_.smallest, radius);
    const double middle = 0.5 * (low + high), half = std::max(0.5 * (high - low) - radius, 1e-3 * radius);
    return {axes.mean + (middle - half) * along, axes.mean + (middle + half) * along, radius};
  }

  // Splits a capsule's points in two along one of their principal axes, and likewise those of its mirror
  // image. The cost is infinite when a part would be empty.
  [[nodiscard]] Fitted split(const Fitted& whole, int capsule, int axis) const {
    Fitted parts{whole.capsules, whole.image, {}, {}, {}, kInfinity};
    std::vector<int> own, low, high;
    for (std::size_t i = 0; i < points_.size(); ++i)
      if (whole.nearest[i] == capsule) own.push_back(static_cast<int>(i));
    if (own.size() < 2) return parts;
    const Axes axes = axes_of(own);
    const Vector3d along = axes.directions.col(axis);
    for (const int i : own) ((points_[at(i)] - axes.mean).dot(along) < 0.0 ? low : high).push_back(i);
    if (low.empty() || high.empty()) return parts;
    parts.cost = 0.0;
    parts.capsules[at(capsule)] = around(low);
    parts.capsules.push_back(around(high));
    if (!options_.mirror) return parts;
    const int added = static_cast<int>(parts.capsules.size()) - 1, other = parts.image[at(capsule)];
    if (other != capsule) {
      parts.capsules.push_back(mirrored(parts.capsules.back(), *options_.mirror));
      parts.image.insert(parts.image.end(), {added + 1, added});
    } else if (std::abs(along[*options_.mirror]) > kAcross) {
      parts.image[at(capsule)] = added;
      parts.image.push_back(capsule);
    } else {
      parts.image.push_back(added);
    }
    return parts;
  }

  // Makes capsules as symmetric as their images require.
  [[nodiscard]] Capsules evened(Capsules capsules, const std::vector<int>& image) const {
    for (std::size_t i = 0; i < image.size(); ++i) {
      if (at(image[i]) < i) continue;
      LinkCapsule& own = capsules[i];
      LinkCapsule other = mirrored(own, *options_.mirror);
      if (at(image[i]) != i) {
        capsules[at(image[i])] = other;
        continue;
      }
      if ((other.to - own.from).norm() < (other.from - own.from).norm()) std::swap(other.from, other.to);
      own.from = 0.5 * (own.from + other.from);
      own.to = 0.5 * (own.to + other.to);
    }
    return capsules;
  }

  const Points& points_;
  const std::vector<ConvexHull>& hulls_;
  const CapsuleFitOptions& options_;
};

void check(const CapsuleFitOptions& options) {
  if (options.most < 1 || !(options.enough > 0.0) || !(options.excess > 0.0) || !(options.smallest > 0.0))
    throw ConfigError(
        "fit_capsules: the number of capsules (most) must be at least 1; the distance outside (enough), the "
        "ratio of excess (excess) and the least radius (smallest) must be above 0");
  if (options.mirror && (*options.mirror < 0 || *options.mirror > 2))
    throw ConfigError("fit_capsules: the axis across the mirror plane (mirror) must be 0, 1 or 2");
}

}  // namespace

double capsule_distance(const LinkCapsule& capsule, const Vector3d& p) noexcept {
  const double t = share_along(capsule, p);
  return (p - capsule.from - t * (capsule.to - capsule.from)).norm() - capsule.radius;
}

LinkCapsule mirrored(LinkCapsule capsule, int axis) noexcept {
  capsule.from[axis] = -capsule.from[axis];
  capsule.to[axis] = -capsule.to[axis];
  return capsule;
}

Surface surface_of(const std::vector<Points>& shapes, int count) {
  if (shapes.size() > kMostShapes) {
    Points all;
    for (const Points& shape : shapes) all.insert(all.end(), shape.begin(), shape.end());
    return surface_of({all}, count);
  }
  const auto directions = static_cast<int>(kDirections * kFew / std::max(kFew, shapes.size()));
  Surface surface;
  double whole = 0.0;
  for (const Points& shape : shapes) {
    surface.hulls.push_back(convex_hull(extreme_points(shape, directions)));
    whole += area(surface.hulls.back());
  }
  for (std::size_t own = 0; own < surface.hulls.size(); ++own) {
    const ConvexHull& hull = surface.hulls[own];
    const auto hidden = [&](const Vector3d& p) {
      for (std::size_t other = 0; other < surface.hulls.size(); ++other) {
        // of two equal shapes the first is seen
        if (other != own && outside(surface.hulls[other], p) < (other < own ? kWithin : -kWithin))
          return true;
      }
      return false;
    };
    const auto add = [&](const Points& points) {
      std::copy_if(points.begin(), points.end(), std::back_inserter(surface.points), std::not_fn(hidden));
    };
    add(hull.points);
    if (whole > 0.0) add(sample_surface(hull, static_cast<int>(std::lround(count * area(hull) / whole))));
  }
  return surface;
}

CapsuleFit fit_capsules(const Surface& surface, const CapsuleFitOptions& options) {
  check(options);
  Points points;
  std::copy_if(surface.points.begin(), surface.points.end(), std::back_inserter(points),
               [](const Vector3d& p) { return p.allFinite(); });
  CapsuleFit result;
  if (points.empty()) return result;
  if (options.mirror) {
    const auto behind = [&](const Vector3d& p) { return p[*options.mirror] < 0.0; };
    points.erase(std::remove_if(points.begin(), points.end(), behind), points.end());
    for (std::size_t i = 0, half = points.size(); i < half; ++i) {
      points.push_back(points[i]);
      points.back()[*options.mirror] *= -1.0;
    }
  }
  Fitted fitted = Fitter(points, surface.hulls, options).fit();
  result.capsules = std::move(fitted.capsules);
  for (const double d : fitted.distance) {
    result.outside_max = std::max(result.outside_max, d);
    result.excess_max = std::max(result.excess_max, -d);
    result.gap_mean += std::abs(d) / static_cast<double>(points.size());
  }
  for (const Beyond& end : fitted.beyond) result.excess_max = std::max(result.excess_max, end.by);
  return result;
}

}  // namespace panto::robot
