#pragma once
// Feet that stand where they stand: from the poses that a robot's feet would have and the times at which they
// stand, to targets that neither slide nor sink, with smooth ways in and out. For whole clips.

#include <Eigen/Core>
#include <optional>
#include <string>
#include <vector>

#include "panto/base/time.hpp"
#include "panto/motion/foot_contacts.hpp"

namespace panto {

/// One foot over a clip: the pose F that its link would have without planting, at the robot's own size. All
/// lists are as long as the clip.
struct FootMotion {
  std::string name;                   ///< for messages
  std::vector<Eigen::Vector3d> p_WF;  ///< [m]
  std::vector<Eigen::Matrix3d> R_WF;
  FootSole sole;          ///< in F
  FootContacts contacts;  ///< of the person's foot that it follows
};

struct PlantOptions {
  std::optional<double> ground = std::nullopt;  ///< height of the floor [m]; unset: the median height of the
                                                ///< soles while they stand
  double blend = 0.1;          ///< [s], > 0: way in before a foot stands and out after it; larger: smoother
  double longest_blend = 0.3;  ///< [s], >= blend: where the shorter way would need more acceleration than ...
  double most_acceleration = 1.4;  ///< ... so many times that without planting, >= 1
  double turn = 0.35;        ///< [rad], >= 0: a foot whose heading turns by more while it stands is let turn
  double level_time = 0.1;   ///< [s], > 0: in which a foot on its heel or ball alone comes to lie flat
  double clearance = 0.004;  ///< [m], > 0: nearer to the floor than this, a swinging foot is lifted
  double base_time = 0.15;   ///< [s], > 0: standard deviation of the filter of the base's shift
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
  /// What the base would have to move by so that both legs keep their reach: the mean correction of the feet
  /// that stand, filtered [m].
  std::vector<Eigen::Vector3d> base_shift;
};

/// Targets that do not slide. While a foot stands, the point that stands (ball or heel) stays on one place of
/// the floor; where both stand it lies flat; where one stands alone it keeps the pitch that it has about
/// that point. Between, the correction goes in and out with the least jerk. `cuts`: frames that do not
/// continue the one before. @throws ConfigError for lists that differ in length, stamps that do not increase,
/// planted frames that are not there or overlap, a sole without length, options out of range.
[[nodiscard]] PlantedFeet plant_feet(const std::vector<Time>& t, const std::vector<FootMotion>& feet,
                                     const PlantOptions& options = {}, const std::vector<int>& cuts = {});

/// The same shift of the base from given targets: the mean correction of the feet that stand, carried over
/// where none does, under a Gaussian of standard deviation `deviation` [s].
[[nodiscard]] std::vector<Eigen::Vector3d> base_shift(const std::vector<Time>& t,
                                                      const std::vector<FootMotion>& feet,
                                                      const std::vector<FootTargets>& targets,
                                                      double deviation, const std::vector<int>& cuts = {});

}  // namespace panto
