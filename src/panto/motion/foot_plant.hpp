#pragma once
// Plants feet: turns the poses of a robot's feet and their stance times into targets that neither slide nor
// sink, with smooth transitions. For whole clips.

#include <Eigen/Core>
#include <optional>
#include <string>
#include <vector>

#include "panto/base/time.hpp"
#include "panto/motion/foot_contacts.hpp"

namespace panto {

/// One foot over a clip: the pose F of its link without planting, at the robot's size. All lists have the
/// length of the clip.
struct FootMotion {
  std::string name;                   ///< for messages
  std::vector<Eigen::Vector3d> p_WF;  ///< [m]
  std::vector<Eigen::Matrix3d> R_WF;
  FootSole sole;          ///< in F
  FootContacts contacts;  ///< contacts of the person's foot that it follows
  std::vector<Eigen::Vector3d> corners =
      {};  ///< of the foot in F, not to be under the floor; empty: the sole's
};

struct PlantOptions {
  std::optional<double> ground =
      std::nullopt;            ///< height of the floor [m]; unset: the median height of the soles in stance
  double blend = 0.1;          ///< [s], > 0: transition before and after a stance; larger: smoother
  double longest_blend = 0.3;  ///< [s], >= blend: used where shorter transitions exceed `most_acceleration`
  double most_acceleration = 1.4;  ///< as a multiple of the acceleration without planting, >= 1
  double turn = 0.35;        ///< [rad], >= 0: a foot whose heading changes by more during a stance may turn
  double level_time = 0.1;   ///< [s], > 0: time in which a foot on its heel or ball alone becomes flat
  double clearance = 0.004;  ///< [m], > 0: a swinging foot nearer to the floor is lifted
};

/// Targets of one foot by frame.
struct FootTargets {
  std::vector<Eigen::Vector3d> p_WF;  ///< [m]
  std::vector<Eigen::Matrix3d> R_WF;
  std::vector<Eigen::Vector3d> v_WF, w_WF;  ///< their rates by central differences [m/s], [rad/s], world axes
};

struct PlantedFeet {
  double ground = 0.0;  ///< [m]
  std::vector<FootTargets> feet;
};

/// Computes targets that do not slide. During a stance, the contact point (ball or heel) stays on one place
/// of the floor; with both in contact the foot lies flat; with one alone it keeps its pitch about that point,
/// and its roll where it lies on its side. Between stances, the correction changes with the least jerk.
/// `cuts`: frames that do not continue the one before. @throws ConfigError for lists that differ in length,
/// stamps that do not increase, planted frames that overlap or lie outside the clip, a sole without length,
/// options out of range.
[[nodiscard]] PlantedFeet plant_feet(const std::vector<Time>& t, const std::vector<FootMotion>& feet,
                                     const PlantOptions& options = {}, const std::vector<int>& cuts = {});

/// Returns the shift of the base that keeps both legs within reach [m]: the mean correction of the feet in
/// stance, interpolated where none is, smoothed by a Gaussian of standard deviation `deviation` [s].
[[nodiscard]] std::vector<Eigen::Vector3d> base_shift(const std::vector<Time>& t,
                                                      const std::vector<FootMotion>& feet,
                                                      const std::vector<FootTargets>& targets,
                                                      const std::vector<int>& cuts = {},
                                                      double deviation = 0.15);

}  // namespace panto
