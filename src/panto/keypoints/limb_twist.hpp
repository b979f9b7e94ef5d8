#pragma once
// Finds the twist of a limb about its bone: from the plane in which it bends, and, while it is straight, from
// the frames before and after.

#include <Eigen/Core>
#include <vector>

#include "panto/base/time.hpp"

namespace panto::keypoints {

/// Measurements of a limb in one frame. `bone` is NaN or zero if the limb is not visible.
struct LimbFrame {
  Eigen::Vector3d bone;   ///< direction of the upper bone, unit
  Eigen::Vector3d hinge;  ///< axis of its knee or elbow from this frame alone; any length except zero, or NaN
  double weight = 0.0;    ///< of the hinge: the squared sine of the bend, 1 for a measured axis
  Eigen::Vector3d reference;  ///< the axis if nothing else is known, or NaN
  bool either_sign = false;   ///< the hinge's sign is a guess: the reference decides
};

struct LimbTwistOptions {
  double time = 0.01;  ///< [s] smoothing time for an axis of weight 1; it grows as 1 / sqrt(weight)
  double reference_weight = 1e-3;  ///< of the reference: the squared sine of 2 deg
};

/// Computes the hinge axis of every frame, unit and perpendicular to the bone (NaN without a limb), as the
/// minimum over the whole clip of
///   sum dt w (alpha - hinge)^2 + dt w_ref (alpha - reference)^2 + time^2 (alpha' - alpha)^2 / dt
/// with alpha the angle about the bone, from a direction that is carried along the bone without twist. A
/// straight limb keeps its twist; nothing jumps; noise of the bend plane has the weight of its sine.
[[nodiscard]] std::vector<Eigen::Vector3d> limb_hinges(const std::vector<LimbFrame>& frames,
                                                       const std::vector<Time>& times,
                                                       const LimbTwistOptions& options = {});

}  // namespace panto::keypoints
