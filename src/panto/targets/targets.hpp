#pragma once
// Targets of the model's links at one instant: measured quantities in the model's terms. One row type serves
// every solver.

#include <Eigen/Core>
#include <vector>

#include "panto/base/time.hpp"
#include "panto/math/lanes.hpp"
#include "panto/targets/own_targets.hpp"

namespace panto {

/// Targets of one link F. Which rows exist (weights > 0) and the gains are fixed at set-up; the measured
/// quantities change with every sample, and so may the weight of a position, which must stay > 0. Invalid
/// quantities get weight zero; a zero is never mistaken for a measurement.
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

/// Orientation targets in SIMD order (`Solver::row_of_lane`). Solvers that use lanes read these; R_WF and
/// w_WF of rows may be stale until `Attachments::complete`. Valid numbers are finite, orientations are
/// rotations.
struct TurningFacts {
  LaneArray<9> R;         ///< R_WF; empty: no lanes
  LaneArray<3> w;         ///< w_WF [rad/s]
  LaneArray<1> oriented;  ///< 1 if there is an orientation, else 0
  LaneArray<1> turning;   ///< 1 if there are orientation and rate
};

/// All targets of one instant.
struct Targets {
  Time t = 0;  ///< [ns]
  std::vector<Target> rows;
  TurningFacts by_lane{};
  OwnTargets own{};  ///< the user's targets; as many as were declared
};

}  // namespace panto
