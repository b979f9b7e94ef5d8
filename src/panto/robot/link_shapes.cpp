#include "panto/robot/link_shapes.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "panto/base/index.hpp"

namespace panto::robot {
namespace {

using Eigen::Vector3d;

constexpr double kAlike = 0.015;  // of the size: surfaces that are nowhere farther apart are the same

// A surface and the box around it.
struct Boxed {
  explicit Boxed(Surface own) : surface(std::move(own)) {
    for (const Vector3d& p : surface.points) {
      low = low.cwiseMin(p);
      high = high.cwiseMax(p);
    }
    if (!surface.points.empty()) alike = kAlike * (high - low).norm();
  }
  Surface surface;
  Vector3d low = Vector3d::Constant(kInfinity), high = -low;
  double alike = 0.0;  // [m]
};

// Returns whether the mirror image of `a` is `b`.
bool mirrors(const Boxed& a, const Boxed& b, int axis) {
  if (a.surface.points.empty() || b.surface.points.empty()) return false;
  Vector3d low = a.low, high = a.high;
  low[axis] = -a.high[axis];
  high[axis] = -a.low[axis];
  if (std::max((low - b.low).cwiseAbs().maxCoeff(), (high - b.high).cwiseAbs().maxCoeff()) > a.alike)
    return false;
  const auto covers = [&](const Surface& from, const Surface& to) {
    return std::all_of(from.points.begin(), from.points.end(), [&](Vector3d p) {
      p[axis] = -p[axis];
      double least = kInfinity;
      for (const ConvexHull& hull : to.hulls) least = std::min(least, outside(hull, p));
      return std::abs(least) <= a.alike;
    });
  };
  return covers(a.surface, b.surface) && covers(b.surface, a.surface);
}

LinkFit fitted(const Boxed& own, const std::vector<Boxed>& before, const std::vector<LinkFit>& fits,
               CapsuleFitOptions options) {
  for (std::size_t other = 0; other < before.size(); ++other)
    for (const int axis : {1, 0, 2}) {
      if (!mirrors(before[other], own, axis)) continue;
      LinkFit fit = fits[other];
      for (LinkCapsule& capsule : fit.capsules) capsule = mirrored(capsule, axis);
      return fit;
    }
  for (const int axis : {1, 0, 2})
    if (!options.mirror && mirrors(own, own, axis)) options.mirror = axis;
  CapsuleFit fit = fit_capsules(own.surface, options);
  return {{}, std::move(fit.capsules), fit.outside_max, fit.excess_max, fit.gap_mean};
}

}  // namespace

std::vector<LinkFit> fit_links(const std::vector<LinkSurface>& links, const CapsuleFitOptions& options) {
  std::vector<Boxed> surfaces;
  std::vector<LinkFit> fits;
  for (const LinkSurface& link : links) {
    Boxed own(surface_of(link.shapes));
    LinkFit fit = fitted(own, surfaces, fits, options);
    fit.link = link.link;
    fits.push_back(std::move(fit));
    surfaces.push_back(std::move(own));
  }
  return fits;
}

Model with_capsules(const Model& model, const std::vector<LinkFit>& fits) {
  ModelSpec spec = model.spec();
  for (const LinkFit& fit : fits)
    if (const auto link = model.find_link(fit.link)) spec.links[at(*link)].capsules = fit.capsules;
  return Model(std::move(spec));
}

}  // namespace panto::robot
