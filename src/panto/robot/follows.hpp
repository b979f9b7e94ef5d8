#pragma once
// Which rotations of a link the joints between it and its predecessor can make.

#include <Eigen/Core>

#include "panto/model/model.hpp"

namespace panto::robot {

/// Returns how well the joints between tree bodies `from` and `to` rotate `to` about x, y and z of segment S,
/// with R_SB the body's frame in S: the length of each axis' projection onto the span of the joint axes, 0
/// to 1. All joints are at zero; if distinct axes coincide there (an arm that hangs), they are at a quarter
/// or three quarters of their ranges. Joints whose limits coincide do not count.
[[nodiscard]] Eigen::Vector3d axes_that_follow(const Model& model, int from, int to,
                                               const Eigen::Matrix3d& R_SB);

/// Returns false for a joint whose limits coincide. `dof`: in State::s.
[[nodiscard]] bool can_move(const Model& model, int dof);

}  // namespace panto::robot
