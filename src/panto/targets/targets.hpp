#pragma once
// What the model's links should do at one instant: the measured facts in the model's terms. One row type
// serves every solver.

#include <Eigen/Core>
#include <vector>

#include "panto/base/time.hpp"
#include "panto/math/lanes.hpp"
#include "panto/targets/own_targets.hpp"

namespace panto {

/// What is asked of one link F. Which rows there are (weights > 0) and the gains are fixed at set-up; the
/// facts change with every sample, and so may the weight of a position, which must stay > 0. A fact that is
/// not valid takes no part: its rows have weight zero, they are never zeros posing as measurements.
struct Target {
  int link = 0;                     ///< index into Model::links()
  double orientation_weight = 1.0;  ///< [1/rad^2], >= 0; 0: no orientation rows
  double position_weight = 0.0;     ///< [1/m^2], >= 0; 0: no position rows
  double orientation_gain = 20.0;   ///< K [1/s], >= 0
  double position_gain = 20.0;      ///< K [1/s], >= 0

  Eigen::Matrix3d R_WF = Eigen::Matrix3d::Identity();  ///< orientation, orthonormal
  Eigen::Vector3d p_WF = Eigen::Vector3d::Zero();      ///< origin [m]
  Eigen::Vector3d w_WF = Eigen::Vector3d::Zero();      ///< angular velocity [rad/s], world axes
  Eigen::Vector3d v_WF = Eigen::Vector3d::Zero();      ///< velocity of the origin [m/s], world axes
  bool has_orientation = false;
  bool has_position = false;
  bool has_angular_velocity = false;
  bool has_linear_velocity = false;
};

/// What is asked of orientations, in the lanes of a solver that works on many at once
/// (`Solver::row_of_lane`): it looks here and not into R_WF and w_WF of rows, which may be old
/// (`Attachments::complete`). What is valid is finite, orientations are rotations.
struct TurningFacts {
  LaneArray<9> R;         ///< R_WF; empty: nothing is kept by lane
  LaneArray<3> w;         ///< w_WF [rad/s]
  LaneArray<1> oriented;  ///< 1 where there is an orientation, else 0
  LaneArray<1> turning;   ///< 1 where there is one and a rate
};

/// All targets of one instant.
struct Targets {
  Time t = 0;  ///< [ns]
  std::vector<Target> rows;
  TurningFacts by_lane{};
  OwnTargets own{};  ///< what the user asks for besides; as many as were declared
};

}  // namespace panto
