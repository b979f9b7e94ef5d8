#pragma once
// Finds the mounting of sensors on segments from poses that a person holds. docs/algorithms/calibration.md

#include <Eigen/Core>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "panto/inertial/calibration_result.hpp"
#include "panto/model/state.hpp"
#include "panto/sample/imu_sample.hpp"

namespace panto {

/// A sensor's readings at rest: means and remaining movement.
struct StillReading {
  Eigen::Vector3d gyro = Eigen::Vector3d::Zero();  ///< [rad/s]: its bias
  Eigen::Vector3d acc = Eigen::Vector3d::Zero();   ///< [m/s^2]
  Eigen::Vector3d mag = Eigen::Vector3d::Zero();   ///< in the unit of its reference
  double turning = 0.0;                            ///< root mean square of the rate about its mean [rad/s]
  double shaking = 0.0;                            ///< the same for the specific force [m/s^2]
  Eigen::Matrix3d R_GI = Eigen::Matrix3d::Identity();  ///< mean of fused orientations
  double wandering = 0.0;                              ///< rms of these about their mean [rad]
  int readings = 0;
  bool has_mag = false;
  bool has_gravity = false;      ///< rates and forces are present
  bool has_orientation = false;  ///< from a sensor without rates
};

/// Returns the means over a part of a recording, by sensor (of `imus`). Ignores missing readings; uses
/// orientations for sensors without rates.
[[nodiscard]] std::vector<StillReading> still_readings(std::span<const ImuSample> samples, std::size_t imus);

/// A held pose.
struct HeldPose {
  State pose;
  std::vector<StillReading> readings;  ///< in the order of the mounts
};

/// Thresholds for a good result.
struct CalibrationOptions {
  double turning = 0.05;    ///< largest rate of a sensor at rest [rad/s], > 0
  double gravity = 0.2;     ///< largest difference of its force from gravity [m/s^2], > 0
  double wandering = 0.02;  ///< largest movement of a fused orientation at rest [rad], > 0
  double residual = 0.1;    ///< largest disagreement of directions [rad], > 0
  double spread = 0.35;     ///< least angle between directions of gravity that fix a mounting [rad], > 0
  double field = 0.15;      ///< largest relative difference of fields from their reference, > 0
};

/// Returns why a sensor was not at rest, and what to do; empty if it was.
[[nodiscard]] std::string unrest(const StillReading& reading, const CalibrationOptions& options);

/// Returns a calibration pose: npose (arms hanging), tpose (arms out), chair (seated, arms hanging).
/// @throws ConfigError for an unknown name or a model whose joints are not a human's.
[[nodiscard]] State calibration_pose(const Model& human, std::string_view name);

/// A direction in the link and the same in the sensor; any length.
struct DirectionPair {
  Eigen::Vector3d in_link;
  Eigen::Vector3d in_sensor;
  double weight = 1.0;  ///< > 0
};

/// The rotation R_LI that best aligns the directions. [Wahba 1965; Markley 1988]
struct MountingFit {
  Eigen::Matrix3d R_LI = Eigen::Matrix3d::Identity();
  double residual = 0.0;  ///< root mean square of the remaining angles [rad]
  double spread = 0.0;    ///< largest angle between two of the directions, 0 .. pi/2 as lines [rad]
};
/// Solves for R_LI. @throws ConfigError without pairs, or for a direction that is zero or not finite.
[[nodiscard]] MountingFit fit_mounting(std::span<const DirectionPair> pairs);

/// Calibrates by one pose, gravity and the field: for sensors with magnetometers. A sensor without one keeps
/// the heading of its nominal mount, and is not good. The residual is the difference of the dip from the
/// reference. @throws ConfigError when readings and mounts do not match, or gravity was not measured.
[[nodiscard]] std::vector<CalibratedSensor> calibrate_pose(const Model& model,
                                                           const std::vector<ImuMount>& mounts,
                                                           const HeldPose& held,
                                                           const Surroundings& surroundings = {},
                                                           const CalibrationOptions& options = {});

/// Calibrates by several poses and gravity alone: for segments that are inclined differently in them.
/// @throws ConfigError as above, and for fewer than two poses.
[[nodiscard]] std::vector<CalibratedSensor> calibrate_poses(const Model& model,
                                                            const std::vector<ImuMount>& mounts,
                                                            std::span<const HeldPose> held,
                                                            const CalibrationOptions& options = {});

/// Calibrates trackers with fused orientations: finds the mounts that reproduce the held poses. `R_WG`:
/// direction that the person faced (`world_from_pose`, or known). The residual is the disagreement of the
/// poses; for one pose, the movement of the orientations. @throws ConfigError when readings and mounts do not
/// match, or a sensor has no orientation.
[[nodiscard]] std::vector<CalibratedSensor> calibrate_oriented(const Model& model,
                                                               const std::vector<ImuMount>& mounts,
                                                               std::span<const HeldPose> held,
                                                               const Eigen::Matrix3d& R_WG,
                                                               const CalibrationOptions& options = {});

/// Returns R_WG, a turn about z of the trackers' frame G, from the sensor `trusted`, whose mounting about the
/// vertical is right, in the held pose. @throws ConfigError for an unknown sensor, or one without
/// orientation.
[[nodiscard]] Eigen::Matrix3d world_from_pose(const Model& model, const std::vector<ImuMount>& mounts,
                                              const HeldPose& held, const std::string& trusted);

/// Returns the field around a person who faces x: norm and dip from all sensors, heading from the sensor
/// `trusted`, whose mounting about the vertical is right. @throws ConfigError for an unknown sensor, or when
/// no sensor measured a field.
[[nodiscard]] Eigen::Vector3d field_from_pose(const Model& model, const std::vector<ImuMount>& mounts,
                                              const HeldPose& held, const std::string& trusted);

}  // namespace panto
