#pragma once
// The body that a robot has: legs, arms, head, the trunk between them, which way is up, forward and left.
// From tree, geometry, limits and names; docs/algorithms/robot_map.md.

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "panto/robot/layout_bodies.hpp"
#include "panto/robot/layout_limb.hpp"

namespace panto::robot {

/// Sides of the human, as indices.
struct RobotSide {
  enum Index : int { RightSide = 0, LeftSide = 1 };
};

/// The limbs of a robot and its directions. Points and axes in W, the root link's axes, all joints at zero.
struct Layout {
  std::array<std::optional<Limb>, 2> leg, arm;  ///< right, left
  std::optional<Chain> neck;                    ///< cut behind the head
  int pelvis = -1;  ///< body that carries the legs, else the base; -1: no segment of its own
  int chest = -1;   ///< body that carries the arms where joints lie between it and the pelvis; -1: none
  bool has_directions = false;  ///< false: one arm alone
  Eigen::Vector3d forward = Eigen::Vector3d::UnitX(), left = Eigen::Vector3d::UnitY(),
                  up = Eigen::Vector3d::UnitZ();
  std::string forward_reason;
  std::vector<std::string> notes;

  /// Segment axes S (x forward, y left, z up) seen from W.
  [[nodiscard]] Eigen::Matrix3d R_WS() const { return (Eigen::Matrix3d() << forward, left, up).finished(); }
};

/// Finds limbs and directions. @throws ModelError with the reason when there is nothing to follow or left,
/// right, forward or up cannot be told.
[[nodiscard]] Layout find_robot_layout(const Bodies& bodies);

}  // namespace panto::robot
