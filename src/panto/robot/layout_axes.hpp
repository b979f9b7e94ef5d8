#pragma once
// Finds up, forward and left of a robot by a vote of its limbs, feet, names and axes.

#include "panto/robot/layout.hpp"

namespace panto::robot {

/// A pair of limbs whose sides are not yet known.
struct LimbTwins {
  Twins twins;
  std::array<Limb, 2> limb;  ///< of twins.a and twins.b
  double legness = 0.0;      ///< > 0: more like legs than like arms
};

/// Returns the exact line across the body, sign unknown: of the axes and lines near `across`, the one on
/// which most agree.
[[nodiscard]] Eigen::Vector3d exact_across(const Bodies& bodies, const Eigen::Vector3d& across,
                                           const LimbTwins* legs, const LimbTwins* arms);

/// Returns the exact up direction, perpendicular to `across`. Adds notes about assumptions.
[[nodiscard]] Eigen::Vector3d find_up(const Bodies& bodies, const Eigen::Vector3d& across,
                                      const LimbTwins* legs, const LimbTwins* arms, const Chain* neck,
                                      std::vector<std::string>& notes);

/// Sets left and forward from across and up. @throws ModelError if there is no evidence for forward.
void find_forward(const Bodies& bodies, const Eigen::Vector3d& across, const LimbTwins* legs,
                  const LimbTwins* arms, Layout& layout);

}  // namespace panto::robot
