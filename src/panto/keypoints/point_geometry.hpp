#pragma once
// Frames from points: axes, rigid clusters of markers, and the axis about which two of them turn.

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

/// A point that is not there.
[[nodiscard]] inline Eigen::Vector3d no_point() noexcept {
  return Eigen::Vector3d::Constant(std::numeric_limits<double>::quiet_NaN());
}

/// The right-handed frame whose axis `a` (0 x, 1 y, 2 z) is along `exact` and whose axis `b` is as near
/// `about` as can be. NaN in every element where the two are parallel, zero or NaN.
[[nodiscard]] Eigen::Matrix3d frame_along(int a, const Eigen::Vector3d& exact, int b,
                                          const Eigen::Vector3d& about) noexcept;

/// Our world W (x forward, y left, z up) from axes of which x is forward and y up, as OpenSim's ground has
/// them.
[[nodiscard]] inline Eigen::Matrix3d from_y_up() noexcept {
  return (Eigen::Matrix3d() << 1, 0, 0, 0, 0, -1, 0, 1, 0).finished();
}

/// Median of the numbers that are finite, NaN when there are none. Sorts its copy.
[[nodiscard]] double median(std::vector<double> values);

/// Component by component.
[[nodiscard]] Eigen::Vector3d median(const std::vector<Eigen::Vector3d>& points);

/// Markers that keep their distances.
class RigidCluster {
 public:
  RigidCluster() = default;
  /// Shape from frames of the markers, frame by frame, NaN where one was not seen: the mean shape after
  /// fitting each to the others [Soederkvist and Wedin 1993]. `count` markers per frame.
  RigidCluster(const std::vector<Eigen::Vector3d>& frames, int count);

  /// Three markers or more that are not in a line.
  [[nodiscard]] bool usable() const noexcept { return usable_; }
  /// Where the cluster is: least squares over the markers that are there. False when fewer than three
  /// are, or when those lie on one line.
  [[nodiscard]] bool fit(std::span<const Eigen::Vector3d> markers, RigidPose& pose) const noexcept;
  /// The markers in the cluster's own frame.
  [[nodiscard]] const std::vector<Eigen::Vector3d>& shape() const noexcept { return shape_; }

 private:
  std::vector<Eigen::Vector3d> shape_;
  bool usable_ = false;
};

/// The line about which two bodies turn against each other, fixed in both.
struct FunctionalAxis {
  Eigen::Vector3d axis_a, axis_b;    ///< direction in the frames of body A and B, unit; sign arbitrary
  Eigen::Vector3d point_a, point_b;  ///< a point on it
  double residual = 0.0;             ///< root mean square distance between both predictions of the point [m]
  bool valid = false;                ///< the bodies turned far enough against each other
};

/// Symmetrical axis of rotation [Ehrig et al., J. Biomech. 40 (2007) 2150-2157]: the point minimises
/// |A c_a + a - B c_b - b|^2 over the frames; the direction is the one along which it is least determined.
/// Frames with NaN in either pose are left out.
[[nodiscard]] FunctionalAxis functional_axis(const std::vector<RigidPose>& a,
                                             const std::vector<RigidPose>& b);

/// The point about which two bodies turn against each other where their motion tells little of it: the same
/// least squares with a prior for the point in the frame of B, which counts as `weight` per frame. Only the
/// points and the residual are set; not `valid` when no frame has both or the prior is NaN.
[[nodiscard]] FunctionalAxis functional_centre(const std::vector<RigidPose>& a,
                                               const std::vector<RigidPose>& b,
                                               const Eigen::Vector3d& prior_b, double weight);

}  // namespace panto::keypoints
