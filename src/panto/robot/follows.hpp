#pragma once
// Which turns of a link the joints before it can make.

#include <Eigen/Core>

#include "panto/model/model.hpp"

namespace panto::robot {

/// How well the joints between tree bodies `from` and `to` turn `to` about x, y and z of segment S, with R_SB
/// the body's frame seen from S: the length of each axis' share in the span of the joints' axes, 0 to 1. All
/// joints are at zero; where axes fall together there that are apart elsewhere (an arm that hangs), in the
/// middle of their ranges.
[[nodiscard]] Eigen::Vector3d axes_that_follow(const Model& model, int from, int to,
                                               const Eigen::Matrix3d& R_SB);

}  // namespace panto::robot
