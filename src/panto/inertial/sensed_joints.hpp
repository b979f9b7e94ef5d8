#pragma once
// Finds the joints of a model between two sensors, which motion can calibrate. docs/algorithms/calibration.md

#include <Eigen/Core>
#include <string>
#include <vector>

#include "panto/model/model.hpp"
#include "panto/model/state.hpp"
#include "panto/sample/imu_sample.hpp"

namespace panto {

/// The joints between two neighbouring sensors.
struct SensedJoint {
  int before = -1;          ///< mount before them; -1: the fixed base
  int behind = 0;           ///< mount after them
  std::vector<int> bodies;  ///< tree bodies of these joints, from the root outward; never empty
  bool centred = false;     ///< only hinges whose axes meet in one point in every pose
};

/// Returns for every mount the joints before it, in the order of the mounts; none when a floating base
/// carries no sensor. @throws ModelError for an unknown link.
[[nodiscard]] std::vector<SensedJoint> sensed_joints(const Model& model, const std::vector<ImuMount>& mounts);

/// Returns the entry of `joints` that contains the model's joint `dof`; the one with the fewest joints if
/// there are several. @throws ConfigError for a slide, and without a sensor before or after it, naming links
/// for one.
[[nodiscard]] int sensed_joint_of(const Model& model, const std::vector<ImuMount>& mounts,
                                  const std::vector<SensedJoint>& joints, int dof);

/// Returns the names of the joints, from the root outward.
[[nodiscard]] std::vector<std::string> joint_names_of(const Model& model, const SensedJoint& joint);

/// A hinge's axis and a joint's centre in the axes of the links that carry the two sensors, at a pose.
struct SensedAxis {
  Eigen::Vector3d in_first, in_second;  ///< unit
  double first_lever =
      0.0;  ///< its turn there per turn of the hinges between, root of the sum of squares [rad/rad]
  double second_lever = 0.0;  ///< the same on the other side
};
[[nodiscard]] SensedAxis axis_between(const Model& model, const std::vector<ImuMount>& mounts,
                                      const SensedJoint& joint, int dof, const State& pose);
struct SensedCentre {
  Eigen::Vector3d in_first, in_second;  ///< from the links' origins [m]
  Eigen::Vector3d axis_in_second;       ///< of the last hinge, unit
};
/// Returns the centre of a `centred` joint. For a single hinge the model's joint origin on its axis.
[[nodiscard]] SensedCentre centre_between(const Model& model, const std::vector<ImuMount>& mounts,
                                          const SensedJoint& joint, const State& pose);

}  // namespace panto
