#pragma once
// The joint between two links of a robot, which several motors may share.

#include <Eigen/Core>

#include "panto/model/kinematics.hpp"

namespace panto::robot {

/// Returns the point nearest to the axes of the joints between two bodies, in the world [m]: least squares
/// over the lines; the body's own origin where the axes leave it free.
[[nodiscard]] Eigen::Vector3d joint_centre(const Kinematics& kinematics, int body, int before);

}  // namespace panto::robot
