#include "panto/robot/link_shapes.hpp"

#include <algorithm>
#include <cmath>

namespace panto::robot {
namespace {

using Eigen::Vector3d;

constexpr double kAlike = 5e-3;  // [m] surfaces that are nowhere farther apart are the same

bool on_surface(const Surface& surface, const Vector3d& p) {
  double least = 1.0;
  for (const ConvexHull& hull : surface.hulls) least = std::min(least, outside(hull, p));
  return std::abs(least) <= kAlike;
}

// Returns whether the mirror image of `a` is `b`.
bool mirrors(const Surface& a, const Surface& b, int axis) {
  const auto covers = [axis](const Surface& from, const Surface& to) {
    return std::all_of(from.points.begin(), from.points.end(), [&](Vector3d p) {
      p[axis] = -p[axis];
      return on_surface(to, p);
    });
  };
  return !a.points.empty() && covers(a, b) && covers(b, a);
}

CapsuleFit fitted(const Surface& own, const std::vector<Surface>& before, const std::vector<LinkFit>& fits,
                  CapsuleFitOptions options) {
  for (std::size_t other = 0; other < before.size(); ++other)
    for (const int axis : {1, 0, 2}) {
      if (!mirrors(before[other], own, axis)) continue;
      CapsuleFit fit = fits[other].fit;
      for (LinkCapsule& capsule : fit.capsules) capsule = mirrored(capsule, axis);
      return fit;
    }
  for (const int axis : {1, 0, 2})
    if (!options.mirror && mirrors(own, own, axis)) options.mirror = axis;
  return fit_capsules(own, options);
}

}  // namespace

std::vector<LinkFit> fit_links(const std::vector<LinkSurface>& links, const CapsuleFitOptions& options) {
  std::vector<Surface> surfaces;
  std::vector<LinkFit> fits;
  for (const LinkSurface& link : links) {
    Surface own = surface_of(link.shapes);
    CapsuleFit fit = fitted(own, surfaces, fits, options);
    fits.push_back({link.link, std::move(fit)});
    surfaces.push_back(std::move(own));
  }
  return fits;
}

}  // namespace panto::robot
