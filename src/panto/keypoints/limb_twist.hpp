#pragma once
// How a limb turns about its own bone: from the plane in which it bends, where it does, and from what it was
// before and will be after where it is straight.

#include <Eigen/Core>
#include <vector>

#include "panto/base/time.hpp"

namespace panto::keypoints {

/// What one frame says of a limb. NaN or zero in `bone` where the limb was not seen.
struct LimbFrame {
  Eigen::Vector3d bone;       ///< direction of the upper bone, unit
  Eigen::Vector3d hinge;      ///< axis of its knee or elbow by this frame alone; any length but zero, or NaN
  double weight = 0.0;        ///< of that: the squared sine of the bend, 1 for a measured axis
  Eigen::Vector3d reference;  ///< the axis when nothing else is known, or NaN
  bool either_sign = false;   ///< the hinge's sign is a guess: that of the reference counts
};

struct LimbTwistOptions {
  double time = 0.01;  ///< [s] over which an axis of weight 1 is smoothed; it grows as 1 / sqrt(weight)
  double reference_weight = 1e-3;  ///< of the reference: the squared sine of 2 deg
};

/// The hinge axis of every frame, unit and perpendicular to the bone (NaN where there is no limb), as the
/// minimum over the whole clip of
///   sum dt w (alpha - hinge)^2 + dt w_ref (alpha - reference)^2 + time^2 (alpha' - alpha)^2 / dt
/// with alpha the angle about the bone, counted from a direction that is carried along the bone without
/// twist. A straight limb keeps its twist; nothing jumps; noise of the bend plane has the weight that its
/// sine deserves.
[[nodiscard]] std::vector<Eigen::Vector3d> limb_hinges(const std::vector<LimbFrame>& frames,
                                                       const std::vector<Time>& times,
                                                       const LimbTwistOptions& options = {});

}  // namespace panto::keypoints
