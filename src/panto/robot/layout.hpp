#pragma once
// Finds a robot's body: legs, arms, head, the trunk between them, and the directions up, forward and left.
// From tree, geometry, joint limits and names; docs/algorithms/robot_map.md.

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

/// A robot's limbs and directions. Points and axes in W, the root link's axes, with all joints at zero.
struct Layout {
  std::array<std::optional<Limb>, 2> leg, arm;  ///< right, left
  std::optional<Chain> neck;                    ///< ends at the head
  int pelvis = -1;  ///< body that carries the legs, else the base; -1: no own segment
  int chest = -1;   ///< body that carries the arms if joints lie between it and the pelvis; -1: none
  bool has_directions = false;  ///< false: a single arm
  Eigen::Vector3d forward = Eigen::Vector3d::UnitX(), left = Eigen::Vector3d::UnitY(),
                  up = Eigen::Vector3d::UnitZ();
  std::string forward_reason;
  std::vector<std::string> notes;

  /// Returns the segment axes S (x forward, y left, z up) in W.
  [[nodiscard]] Eigen::Matrix3d R_WS() const { return (Eigen::Matrix3d() << forward, left, up).finished(); }
};

/// Finds limbs and directions. @throws ModelError with the reason if no limb can follow a person, or if left,
/// right, forward or up is unknown.
[[nodiscard]] Layout find_robot_layout(const Bodies& bodies);

}  // namespace panto::robot
