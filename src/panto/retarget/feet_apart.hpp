#pragma once
// Keeps feet that stand apart where a robot's soles would be in each other: they are wider for its hips than
// a person's are (docs/algorithms/planned_feet.md).

#include <Eigen/Core>
#include <array>
#include <span>
#include <vector>

#include "panto/motion/foot_plant.hpp"

namespace panto {

/// A sole somewhere.
struct SolePlace {
  std::span<const Eigen::Vector3d> corners;          ///< in the foot's frame [m]
  Eigen::Vector3d ahead = Eigen::Vector3d::UnitX();  ///< from heel to ball, in the foot's frame
  Eigen::Vector3d p_WF = Eigen::Vector3d::Zero();    ///< [m]
  Eigen::Matrix3d R_WF = Eigen::Matrix3d::Identity();
};

/// Returns the shortest way, along or across where both point, on which the left sole leaves the right one
/// and is 5 mm beside it; zero if they are not in each other, or one is above the other. To cross to the
/// other side of the right one counts as 3 cm more. In the plane, world axes [m].
[[nodiscard]] Eigen::Vector2d way_apart(const SolePlace& right, const SolePlace& left) noexcept;

/// How far stances are moved [m]: of the right and of the left foot, in the order of
/// `FootContacts::planted`.
using StanceShifts = std::array<std::vector<Eigen::Vector2d>, 2>;

/// Adds to `shifts` what soles that stand at the same time still need as they are `planned`: the shorter
/// stance takes more of it, as many times as it is shorter; 12 cm at most in all.
void part_stances(const FootMotion& right, const FootMotion& left, const FootTargets& right_planned,
                  const FootTargets& left_planned, StanceShifts& shifts);

/// Moves the way of a foot in its stances.
void move_stances(const std::vector<Eigen::Vector2d>& shifts, FootMotion& foot);

}  // namespace panto
