#pragma once
// Stature of a person from standing feet: while a foot is flat on the floor and does not turn, the pelvis
// moves against the leg's change of shape, which grows with the length of the leg.
// (docs/formats/body_model.md)

#include <Eigen/Core>
#include <array>
#include <span>
#include <vector>

namespace panto::rig {

/// One clip of a person whose orientations and pelvis path are known, but no lengths.
struct LegPaths {
  double rate_hz = 0.0;
  std::vector<Eigen::Vector3d> pelvis;  ///< by frame [m]; a constant may be missing
  /// By side and frame: from pelvis to toes for a stature of 1 m, and the foot's orientation, same axes.
  std::array<std::vector<Eigen::Vector3d>, 2> reach;
  std::array<std::vector<Eigen::Matrix3d>, 2> foot;
};

struct StatureFit {
  bool found = false;      ///< enough stances agree
  double height = 0.0;     ///< [m]
  double deviation = 0.0;  ///< standard deviation from the spread of the stances [m]
  int stances = 0;         ///< number of stances used
};

/// Finds the stature that most stances agree on, then refines it with Huber weights. Pools clips of one
/// person. Not found: too few stances of similar weight, another stature fits nearly as well, or they spread
/// by over 3 %.
[[nodiscard]] StatureFit stature_from_stances(std::span<const LegPaths> clips);

}  // namespace panto::rig
