#pragma once
// How sensors without magnetometers are turned about the vertical, from the way a person walks.
// docs/algorithms/calibration.md

#include <Eigen/Core>
#include <span>
#include <string>
#include <vector>

#include "panto/inertial/calibration.hpp"

namespace panto {

/// What counts as a swing.
struct SwingOptions {
  double smooth = 0.25;   ///< rates are means over so long [s], > 0: flesh trembles faster than legs swing
  double moving = 0.5;    ///< root mean square of the rate about the axis [rad/s], > 0
  double across = 0.3;    ///< that across it is at most this part of it, > 0
  double residual = 0.1;  ///< the two halves of the walk agree so far [rad], > 0
  double least = 5.0;     ///< so long a walk is needed [s], > 0
};

/// The axis across the vertical that a segment swings about.
struct SwingAxis {
  Eigen::Vector3d axis = Eigen::Vector3d::UnitY();  ///< unit, in the sensor's axes, at right angles to up
  double rate = 0.0;      ///< root mean square of the smoothed rate about it [rad/s]
  double across = 1.0;    ///< the same about the axis across it and the vertical, as a part of `rate`
  double residual = 0.0;  ///< angle between the axes of the two halves [rad]
  bool good = false;
  std::string advice;  ///< what to repeat and why; empty where nothing is to be done
};

/// By the rates of sensor `imu` while a person walks straight ahead: of all directions across `up_I` the one
/// about which it turned most. An axis and its opposite are the same to that; `near_I` (any length) chooses.
/// @throws ConfigError for a sensor that the samples lack, a direction that is zero, an option out of range.
[[nodiscard]] SwingAxis find_swing_axis(std::span<const ImuSample> walk, std::size_t imu,
                                        const Eigen::Vector3d& bias, const Eigen::Vector3d& up_I,
                                        const Eigen::Vector3d& near_I, const SwingOptions& options = {});

/// One pose and a walk, for sensors without magnetometers: gravity in the pose tells the inclination, and the
/// axis that a segment swings about while its person walks is the body's, from right to left. A sensor whose
/// segment does not swing about one axis (pelvis, trunk, head) keeps the heading of its nominal mount, and is
/// not good. The residual is the angle between the axes of the two halves.
/// `held.pose` faces x. @throws ConfigError as above, and as `calibrate_pose`.
[[nodiscard]] std::vector<CalibratedSensor> calibrate_walk(
    const Model& model, const std::vector<ImuMount>& mounts, const HeldPose& held,
    std::span<const ImuSample> walk, const CalibrationOptions& options = {}, const SwingOptions& swing = {});

}  // namespace panto
