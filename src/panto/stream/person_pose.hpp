#pragma once
// A person's segments put together from joints: what decoders of joints share.

#include <Eigen/Core>
#include <array>
#include <bitset>

#include "panto/base/index.hpp"
#include "panto/model/human.hpp"

namespace panto::stream {

/// Side of a limb: 0 right, 1 left. Right arms point along -y, left arms along +y.
[[nodiscard]] inline double along_y(int side) noexcept { return side == 0 ? -1.0 : 1.0; }
/// Returns the segment of a side, from the right one.
[[nodiscard]] int of_side(int right_segment, int side) noexcept;

/// Frames and origins of the human's segments in the world [m]; what is not known is not set.
struct PersonPose {
  std::array<Eigen::Matrix3d, at(kHumanSegmentCount)> R;
  std::array<Eigen::Vector3d, at(kHumanSegmentCount)> p;
  std::bitset<at(kHumanSegmentCount)> turned, placed;

  /// NaN: not known.
  void turn(int segment, const Eigen::Matrix3d& orientation) noexcept;
  void place(int segment, const Eigen::Vector3d& origin) noexcept;
  /// Turns the spine evenly between Pelvis and T8, which are known.
  void turn_spine() noexcept;
  /// Sets upper arm, forearm and hand. `hinge`: the elbow's axis, z of the upper arm. `R_hand`: NaN: not
  /// known; else the forearm twists with it.
  void set_arm(int side, const Eigen::Vector3d& shoulder, const Eigen::Vector3d& elbow,
               const Eigen::Vector3d& wrist, const Eigen::Vector3d& hinge,
               const Eigen::Matrix3d& R_hand) noexcept;
  /// Sets thigh and shank, and the place of the foot. `hinge`: the knee's axis, y of both.
  void set_leg(int side, const Eigen::Vector3d& hip, const Eigen::Vector3d& knee,
               const Eigen::Vector3d& ankle, const Eigen::Vector3d& hinge) noexcept;
};

/// Returns the joint between two bones of these lengths [m] that reach from `root` to `end`, on the side of
/// `pole`. Moves an end that is out of reach.
[[nodiscard]] Eigen::Vector3d middle_joint(const Eigen::Vector3d& root, Eigen::Vector3d& end, double upper,
                                           double lower, const Eigen::Vector3d& pole) noexcept;

/// The axis of a knee or elbow: the normal of the plane in which the limb bends, carried along while it is
/// straight. The step of `keypoints::limb_hinges` that looks back alone.
class LimbHinge {
 public:
  /// `bone`: direction of the upper bone, unit. `normal`: of the plane, its length is the sine of the bend.
  /// `reference`: the axis where nothing else is known. `dt`: since the last call [s]. Returns a unit vector.
  Eigen::Vector3d next(const Eigen::Vector3d& bone, const Eigen::Vector3d& normal,
                       const Eigen::Vector3d& reference, double dt) noexcept;
  void forget() noexcept { known_ = false; }

 private:
  Eigen::Vector3d axis_ = Eigen::Vector3d::Zero(), bone_ = Eigen::Vector3d::Zero();
  bool known_ = false;
};

}  // namespace panto::stream
