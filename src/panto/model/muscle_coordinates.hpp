#pragma once
// Coordinates of OpenSim's musculoskeletal models from the orientations of a person's segments
// (docs/formats/opensim.md#coordinates-of-other-models).

#include <Eigen/Core>
#include <array>
#include <span>
#include <string>
#include <vector>

#include "panto/model/human.hpp"

namespace panto {

/// Models of muscles that a field knows, by the coordinates of their joints. Source: the models themselves,
/// in opensim-org/opensim-models.
enum class MuscleModel : unsigned char {
  Gait2392,   ///< legs and trunk: Delp et al. 1990, gait2392_thelen2003muscle.osim
  Rajagopal,  ///< the whole body: Rajagopal et al. 2016, Rajagopal2016.osim
  Hamner,     ///< the whole body: Hamner et al. 2010, FullBodyModel_Hamner2010_v2_0.osim
};

/// The coordinates of one model, pose by pose. No allocation after construction.
class MuscleCoordinates {
 public:
  /// `half_hips`: distance of a hip from the middle of both [m], to place the pelvis' origin.
  MuscleCoordinates(MuscleModel model, double half_hips);

  /// Returns the coordinates' names, in the model's order.
  [[nodiscard]] const std::vector<std::string>& labels() const noexcept { return labels_; }
  /// Returns whether a coordinate is a length [m], else an angle [rad].
  [[nodiscard]] static bool is_length(std::size_t coordinate) noexcept {
    return coordinate >= 3 && coordinate < 6;
  }

  /// Returns the coordinates of a pose. `R_WS`: the 23 segments in T-pose frames (x forward, y left, z up in
  /// the T-pose); `p_hips`: middle of the hips in W [m]. A ball joint gets its three angles exactly, one or
  /// two axes the angles that come nearest to the orientation.
  /// Angles are within a half turn; those of a ball on the branch nearest to the pose before; the pelvis' go
  /// on. Valid until the next call.
  [[nodiscard]] std::span<const double> update(std::span<const Eigen::Matrix3d, kHumanSegmentCount> R_WS,
                                               const Eigen::Vector3d& p_hips) noexcept;

 private:
  struct Joint {
    int parent = 0, child = 0;                                                 // segments
    int axes = 3;                                                              // 3: a ball, R = Rz Rx Ry
    double side = 1.0;                                                         // -1: left, mirrored
    Eigen::Vector3d a = Eigen::Vector3d::Zero(), b = Eigen::Vector3d::Zero();  // axes in the bodies
    double around = 0.0;  // the second angle is within a half turn of this [rad]
  };
  void add(const std::string& names, const Joint& joint);
  void add_leg(MuscleModel model, bool right);
  void add_arm(bool right);
  void measure(const Joint& joint, const Eigen::Matrix3d& R, double* angles) const noexcept;

  std::vector<std::string> labels_;
  std::vector<Joint> joints_;
  std::vector<double> values_;
  std::array<Eigen::Matrix3d, kHumanSegmentCount> R_SB_;  // the model's body in the segment
  Eigen::Vector3d hips_ = Eigen::Vector3d::Zero();        // their middle in the pelvis [m]
  bool begun_ = false;
};

}  // namespace panto
