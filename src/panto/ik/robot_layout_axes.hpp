#pragma once
// Up, forward and left of a robot: a vote of its limbs, feet, names and axes.

#include "panto/ik/robot_layout.hpp"

namespace panto {

/// A pair of limbs, side not known yet.
struct LimbTwins {
  RobotTwins twins;
  std::array<RobotLimb, 2> limb;  ///< of twins.a and twins.b
  double legness = 0.0;           ///< > 0 when more like legs than like arms
};

/// The line across the body, sign not known, exact: of the axes and lines near `across` the one on which most
/// agree.
[[nodiscard]] Eigen::Vector3d exact_across(const RobotBodies& bodies, const Eigen::Vector3d& across,
                                           const LimbTwins* legs, const LimbTwins* arms);

/// Up, exact, at right angles to `across`. Notes say what was assumed.
[[nodiscard]] Eigen::Vector3d find_up(const RobotBodies& bodies, const Eigen::Vector3d& across,
                                      const LimbTwins* legs, const LimbTwins* arms, const RobotChain* neck,
                                      std::vector<std::string>& notes);

/// Fills left and forward from across and up. @throws ModelError when nothing tells forward.
void find_forward(const RobotBodies& bodies, const Eigen::Vector3d& across, const LimbTwins* legs,
                  const LimbTwins* arms, RobotLayout& layout);

}  // namespace panto
