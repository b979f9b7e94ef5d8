#pragma once
// Computes frames from points: axes, rigid marker clusters, and the axis about which two of them rotate.

#include <Eigen/Core>
#include <limits>
#include <span>
#include <vector>

namespace panto::keypoints {

/// Orientation and origin of a rigid body.
struct RigidPose {
  Eigen::Matrix3d R = Eigen::Matrix3d::Identity();
  Eigen::Vector3d p = Eigen::Vector3d::Zero();
};

/// Returns a missing point (NaN).
[[nodiscard]] inline Eigen::Vector3d no_point() noexcept {
  return Eigen::Vector3d::Constant(std::numeric_limits<double>::quiet_NaN());
}

/// Returns the rotation to our world W (x forward, y left, z up) from axes with x forward and y up, such as
/// OpenSim's ground.
[[nodiscard]] inline Eigen::Matrix3d from_y_up() noexcept {
  return (Eigen::Matrix3d() << 1, 0, 0, 0, 0, -1, 0, 1, 0).finished();
}

/// Returns the point mirrored in the x-z plane: the same place on the other side.
[[nodiscard]] inline Eigen::Vector3d mirrored(const Eigen::Vector3d& v) { return {v.x(), -v.y(), v.z()}; }

/// Returns the median of the finite numbers; NaN if there are none. Sorts its copy.
[[nodiscard]] double median(std::vector<double> values);

/// Returns the median of each component.
[[nodiscard]] Eigen::Vector3d median(const std::vector<Eigen::Vector3d>& points);

/// Markers with constant distances.
class RigidCluster {
 public:
  RigidCluster() = default;
  /// Finds the shape from frames of the markers, frame by frame, NaN for an invisible one: the mean shape
  /// after fitting each frame to the others [Soederkvist and Wedin 1993]. `count` markers per frame.
  RigidCluster(const std::vector<Eigen::Vector3d>& frames, int count);

  /// Returns true for three markers or more that are not on one line.
  [[nodiscard]] bool usable() const noexcept { return usable_; }
  /// Fits the cluster's pose: least squares over the visible markers. Returns false for fewer than three
  /// visible markers or for markers on one line.
  [[nodiscard]] bool fit(std::span<const Eigen::Vector3d> markers, RigidPose& pose) const noexcept;
  /// Returns the markers in the cluster's own frame.
  [[nodiscard]] const std::vector<Eigen::Vector3d>& shape() const noexcept { return shape_; }

 private:
  std::vector<Eigen::Vector3d> shape_;
  bool usable_ = false;
};

/// The axis about which two bodies rotate against each other, fixed in both.
struct FunctionalAxis {
  Eigen::Vector3d axis_a, axis_b;    ///< direction in the frames of body A and B, unit; sign arbitrary
  Eigen::Vector3d point_a, point_b;  ///< a point on it
  double residual = 0.0;             ///< root mean square distance between both predictions of the point [m]
  bool valid = false;                ///< the bodies rotated far enough against each other
};

/// Finds the symmetrical axis of rotation [Ehrig et al., J. Biomech. 40 (2007) 2150-2157]: the point
/// minimises |A c_a + a - B c_b - b|^2 over the frames; the direction is the one along which it is least
/// determined. Ignores frames with NaN in either pose.
[[nodiscard]] FunctionalAxis functional_axis(const std::vector<RigidPose>& a,
                                             const std::vector<RigidPose>& b);

/// Finds the centre of rotation of two bodies whose motion determines it weakly: the same least squares with
/// a prior for the point in the frame of B, with `weight` per frame. Sets only the points and the residual;
/// not `valid` if no frame has both poses or the prior is NaN.
[[nodiscard]] FunctionalAxis functional_centre(const std::vector<RigidPose>& a,
                                               const std::vector<RigidPose>& b,
                                               const Eigen::Vector3d& prior_b, double weight);

}  // namespace panto::keypoints
