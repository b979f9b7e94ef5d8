#pragma once
// Finds the turn about the vertical of sensors without magnetometers from a person's walk.
// docs/algorithms/calibration.md

#include <Eigen/Core>
#include <span>
#include <string>
#include <vector>

#include "panto/inertial/calibration.hpp"

namespace panto {

/// Thresholds of a swing.
struct SwingOptions {
  double smooth = 0.25;   ///< window of the mean rates [s], > 0: soft tissue trembles faster than legs swing
  double moving = 0.5;    ///< least root mean square of the rate about the axis [rad/s], > 0
  double across = 0.3;    ///< largest share of the rate across the axis, > 0
  double residual = 0.1;  ///< largest disagreement of the two halves of the walk [rad], > 0
  double least = 5.0;     ///< shortest walk [s], > 0
};

/// The horizontal axis about which a segment swings.
struct SwingAxis {
  Eigen::Vector3d axis = Eigen::Vector3d::UnitY();  ///< unit, in the sensor's axes, perpendicular to up
  double rate = 0.0;      ///< root mean square of the smoothed rate about it [rad/s]
  double across = 1.0;    ///< the same about the axis across it and the vertical, relative to `rate`
  double residual = 0.0;  ///< angle between the axes of the two halves [rad]
  bool good = false;
  std::string advice;  ///< what to repeat and why; empty if nothing
};

/// Finds the axis by the rates of sensor `imu` while a person walks straight ahead: of all directions
/// perpendicular to `up_I` the one about which it turned most. This cannot distinguish an axis from its
/// opposite; `near_I` (any length) decides. @throws ConfigError for a sensor missing in the samples, a zero
/// direction, or an option out of range.
[[nodiscard]] SwingAxis find_swing_axis(std::span<const ImuSample> walk, std::size_t imu,
                                        const Eigen::Vector3d& bias, const Eigen::Vector3d& up_I,
                                        const Eigen::Vector3d& near_I, const SwingOptions& options = {});

/// Calibrates by one pose and a walk, for sensors without magnetometers: gravity in the pose gives the
/// inclination, and the axis of a segment's swing during the walk points from right to left of the body. A
/// sensor whose segment does not swing about one axis (pelvis, trunk, head) keeps the heading of its nominal
/// mount, and is not good. The residual is the angle between the axes of the two halves. `held.pose` faces x.
/// @throws ConfigError as above, and as `calibrate_pose`.
[[nodiscard]] std::vector<CalibratedSensor> calibrate_walk(
    const Model& model, const std::vector<ImuMount>& mounts, const HeldPose& held,
    std::span<const ImuSample> walk, const CalibrationOptions& options = {}, const SwingOptions& swing = {});

}  // namespace panto
