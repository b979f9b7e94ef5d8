#pragma once
// Targets for links and rows over joints that users add to a recording (docs/algorithms/own_targets.md). One
// plain value declares them and sets their values: "set-up" fields (names, points, joints) are read once, all
// others at every sample.
//
// A target with weight 0 or with an invalid number is off for that sample.

#include <Eigen/Core>
#include <functional>
#include <string>
#include <vector>

#include "panto/model/model.hpp"
#include "panto/model/state.hpp"
#include "panto/sample/segment_sample.hpp"

namespace panto {

/// Moves a point of a link to a place in the world.
struct PositionTarget {
  std::string link;                                   ///< set-up
  Eigen::Vector3d point_L = Eigen::Vector3d::Zero();  ///< set-up: in the link's frame [m]
  Eigen::Vector3d place_W = Eigen::Vector3d::Zero();  ///< [m]
  double weight = 25.0;                               ///< [1/m^2], >= 0; 25: 0.2 m count like 1 rad
  Eigen::Vector3d axes_W = Eigen::Vector3d::Ones();   ///< factors of the weight by axis of the world, >= 0
  double gain = 20.0;  ///< K [1/s], >= 0: a step reduces an error to e^(-K dt) of it
  bool feed_forward =
      true;  ///< a change of the value is a motion to follow; false: `gain` alone approaches it
};

/// Turns a link to an orientation in the world.
struct OrientationTarget {
  std::string link;                                    ///< set-up
  Eigen::Matrix3d R_LT = Eigen::Matrix3d::Identity();  ///< set-up: the frame T to turn, in the link's frame
  Eigen::Matrix3d R_WT = Eigen::Matrix3d::Identity();  ///< a rotation to 1e-2
  double weight = 1.0;                                 ///< [1/rad^2], >= 0
  Eigen::Vector3d axes_W = Eigen::Vector3d::Ones();    ///< as in `PositionTarget`
  double gain = 20.0;
  bool feed_forward = true;
};

/// Points a direction fixed on a link along a direction of the world; rotation about it stays free.
struct DirectionTarget {
  std::string link;                                        ///< set-up
  Eigen::Vector3d direction_L = Eigen::Vector3d::UnitZ();  ///< set-up: in the link's frame, of any length
  Eigen::Vector3d direction_W = Eigen::Vector3d::UnitZ();  ///< of any nonzero length
  double weight = 1.0;                                     ///< [1/rad^2], >= 0
  double gain = 20.0;                                      ///< as in `PositionTarget`
  bool feed_forward = true;
};

/// Holds link B at a place, an orientation or both in the frame of link A, wherever A is.
struct RelativeTarget {
  std::string from;                                           ///< set-up: link A
  std::string link;                                           ///< set-up: link B
  Eigen::Vector3d point_B = Eigen::Vector3d::Zero();          ///< set-up: point of B in its frame [m]
  Eigen::Vector3d place_A = Eigen::Vector3d::Zero();          ///< of that point, in A's frame [m]
  Eigen::Matrix3d R_AB = Eigen::Matrix3d::Identity();         ///< orientation of B in A, a rotation to 1e-2
  double position_weight = 25.0;                              ///< [1/m^2], >= 0
  double orientation_weight = 0.0;                            ///< [1/rad^2], >= 0
  Eigen::Vector3d position_axes_A = Eigen::Vector3d::Ones();  ///< factors by axis of A, >= 0
  Eigen::Vector3d orientation_axes_A = Eigen::Vector3d::Ones();  ///< factors by axis of A, >= 0
  double gain = 20.0;                                            ///< as in `PositionTarget`
  bool feed_forward = true;
};

/// Weighs the position that a link already follows in the recording; its row stays among the measured ones.
/// Every method accepts it.
struct FollowedPosition {
  std::string link;      ///< set-up
  double weight = 25.0;  ///< [1/m^2], > 0; invalid: the weight of the link's attachment
};

/// Keeps lower <= sum coefficient * s_joint <= upper exactly, as a model's coupled rows. Set-up: name,
/// joints, coefficients. Invalid bounds (NaN, lower > upper) leave the last valid ones in force.
using JointRow = CoupledRow;

/// All targets and rows of a user.
struct OwnTargets {
  std::vector<PositionTarget> positions;
  std::vector<OrientationTarget> orientations;
  std::vector<DirectionTarget> directions;
  std::vector<RelativeTarget> relatives;
  std::vector<JointRow> rows;
  std::vector<FollowedPosition> followed;

  [[nodiscard]] bool has_targets() const noexcept {
    return !(positions.empty() && orientations.empty() && directions.empty() && relatives.empty());
  }
  /// Neither target nor row, whatever `followed` weighs: any method will do.
  [[nodiscard]] bool empty() const noexcept { return !has_targets() && rows.empty(); }
};

/// Returns whether both have the same number of each kind: values must match their declaration.
[[nodiscard]] bool same_counts(const OwnTargets& a, const OwnTargets& b) noexcept;

/// Returns the first target, or row, of `b` whose set-up names are not those of `a`, in words; empty: none.
/// Both have the same counts.
[[nodiscard]] std::string renamed(const OwnTargets& a, const OwnTargets& b);

/// Returns the first target, or row, with an invalid number, which switches it off, in words; empty: none.
[[nodiscard]] std::string invalid_value(const OwnTargets& own);

/// Checks a declaration. @throws ModelError for an unknown link or joint (with the nearest name) and for a
/// row that no pose within the joint limits can meet (with both ranges); ConfigError for a set-up point that
/// is not finite, a direction without length, an offset that is not a rotation.
void check(const OwnTargets& own, const Model& model);

/// Sets the values of own targets for one sample. The tracker calls it before every step, with the State at
/// its beginning. Must not throw and must keep all counts; if it allocates, so does `step`. Where a tracker
/// solves samples more than once (`SubsteppingTracker`, `TwoWayTracker`) it must set all values at every
/// call, from sample and State alone.
using OwnTargetsUpdate =
    std::function<void(const SegmentSample& sample, const State& state, OwnTargets& own)>;

/// Own targets as an option: the declaration, and a function that sets the values. Without `update`, the
/// values stay as declared, or the caller edits them between steps.
struct OwnTargetsOption {
  OwnTargets targets = {};
  OwnTargetsUpdate update = {};
};

}  // namespace panto
