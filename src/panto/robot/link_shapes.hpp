#pragma once
// The shapes of a robot's links as capsules.

#include <Eigen/Core>
#include <string>
#include <vector>

#include "panto/robot/capsule_fit.hpp"
#include "panto/robot/map.hpp"

namespace panto::robot {

/// The shapes of a link: points on the surface of each, in the link's frame [m]. Only their convex hulls
/// matter, as in most simulators.
struct LinkSurface {
  std::string link;
  std::vector<std::vector<Eigen::Vector3d>> shapes;
};

/// Fits capsules to links, each to the surface of the union of its shapes' hulls. A link that is symmetric
/// about a plane of its axes gets symmetric capsules, and one that mirrors another link gets the mirrored
/// ones. Links without points get no capsules. @throws ConfigError for options out of range.
[[nodiscard]] std::vector<LinkFit> fit_links(const std::vector<LinkSurface>& links,
                                             const CapsuleFitOptions& options = {});

/// Returns the model with these capsules; links that are missing in it are ignored.
[[nodiscard]] Model with_capsules(const Model& model, const std::vector<LinkFit>& fits);

}  // namespace panto::robot
