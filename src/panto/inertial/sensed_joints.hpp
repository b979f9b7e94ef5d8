#pragma once
// Which joints of a model lie between two sensors: what motion can tell about them.
// docs/algorithms/calibration.md

#include <Eigen/Core>
#include <string>
#include <vector>

#include "panto/model/model.hpp"
#include "panto/model/state.hpp"
#include "panto/sample/imu_sample.hpp"

namespace panto {

/// The joints between two sensors of which no other lies between.
struct SensedJoint {
  int before = -1;          ///< mount before them; -1: the base, which stands fast
  int behind = 0;           ///< mount behind them
  std::vector<int> bodies;  ///< of the tree, whose joints these are, from the root outward; never empty
  bool centred = false;     ///< hinges alone, whose axes meet in one point whatever the pose
};

/// For every mount the joints before it, in the order of the mounts; none where a base that floats carries no
/// sensor. @throws ModelError for an unknown link.
[[nodiscard]] std::vector<SensedJoint> sensed_joints(const Model& model, const std::vector<ImuMount>& mounts);

/// The joint of `joints` in which the model's joint `dof` lies; the one with the fewest joints where there
/// are several. @throws ConfigError for a slide, and where there is no sensor before it or behind it, saying
/// on which links one would help.
[[nodiscard]] int sensed_joint_of(const Model& model, const std::vector<ImuMount>& mounts,
                                  const std::vector<SensedJoint>& joints, int dof);

/// Names of the joints, from the root outward.
[[nodiscard]] std::vector<std::string> joint_names_of(const Model& model, const SensedJoint& joint);

/// A hinge's axis and a joint's centre in the axes of the links that carry the two sensors, at a pose.
struct SensedAxis {
  Eigen::Vector3d in_first, in_second;  ///< unit
  double first_lever = 0.0;   ///< by how much it turns there when the hinges between do, root of the sum of
                              ///< squares [rad/rad]
  double second_lever = 0.0;  ///< the same on the other side
};
[[nodiscard]] SensedAxis axis_between(const Model& model, const std::vector<ImuMount>& mounts,
                                      const SensedJoint& joint, int dof, const State& pose);
struct SensedCentre {
  Eigen::Vector3d in_first, in_second;  ///< from the links' origins [m]
  Eigen::Vector3d axis_in_second;       ///< of the last hinge, unit
};
/// Of a joint that is `centred`. Of a single hinge the point of its axis that the model calls the joint.
[[nodiscard]] SensedCentre centre_between(const Model& model, const std::vector<ImuMount>& mounts,
                                          const SensedJoint& joint, const State& pose);

}  // namespace panto
