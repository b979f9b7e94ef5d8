#pragma once
// Up, forward and left of a robot: a vote of its limbs, feet, names and axes.

#include "panto/robot/layout.hpp"

namespace panto::robot {

/// A pair of limbs, side not known yet.
struct LimbTwins {
  Twins twins;
  std::array<Limb, 2> limb;  ///< of twins.a and twins.b
  double legness = 0.0;      ///< > 0 when more like legs than like arms
};

/// The line across the body, sign not known, exact: of the axes and lines near `across` the one on which most
/// agree.
[[nodiscard]] Eigen::Vector3d exact_across(const Bodies& bodies, const Eigen::Vector3d& across,
                                           const LimbTwins* legs, const LimbTwins* arms);

/// Up, exact, at right angles to `across`. Notes say what was assumed.
[[nodiscard]] Eigen::Vector3d find_up(const Bodies& bodies, const Eigen::Vector3d& across,
                                      const LimbTwins* legs, const LimbTwins* arms, const Chain* neck,
                                      std::vector<std::string>& notes);

/// Fills left and forward from across and up. @throws ModelError when nothing tells forward.
void find_forward(const Bodies& bodies, const Eigen::Vector3d& across, const LimbTwins* legs,
                  const LimbTwins* arms, Layout& layout);

}  // namespace panto::robot
