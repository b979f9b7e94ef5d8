#pragma once
// How sensors sit on their segments, from poses that a person holds. docs/algorithms/calibration.md

#include <Eigen/Core>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "panto/inertial/calibration_result.hpp"
#include "panto/model/state.hpp"
#include "panto/sample/imu_sample.hpp"

namespace panto {

/// What a sensor said while nobody moved: means, and how much it moved all the same.
struct StillReading {
  Eigen::Vector3d gyro = Eigen::Vector3d::Zero();  ///< [rad/s]: its bias
  Eigen::Vector3d acc = Eigen::Vector3d::Zero();   ///< [m/s^2]
  Eigen::Vector3d mag = Eigen::Vector3d::Zero();   ///< in the unit of its reference
  double turning = 0.0;                            ///< root mean square of the rate about its mean [rad/s]
  double shaking = 0.0;                            ///< the same of the specific force [m/s^2]
  Eigen::Matrix3d R_GI = Eigen::Matrix3d::Identity();  ///< mean of fused orientations
  double wandering = 0.0;                              ///< the same of these [rad]
  int readings = 0;
  bool has_mag = false;
  bool has_gravity = false;      ///< rates and forces were read
  bool has_orientation = false;  ///< from a sensor that says no rates
};

/// Means of a part of a recording, sensor by sensor (of `imus`). Readings that are not there do not count;
/// of a sensor that fuses, and says no rates, the orientations do.
[[nodiscard]] std::vector<StillReading> still_readings(std::span<const ImuSample> samples, std::size_t imus);

/// A pose that was held.
struct HeldPose {
  State pose;
  std::vector<StillReading> readings;  ///< in the order of the mounts
};

/// What counts as good.
struct CalibrationOptions {
  double turning = 0.05;    ///< of a sensor that is held still [rad/s], > 0
  double gravity = 0.2;     ///< what it feels is so near to gravity [m/s^2], > 0
  double wandering = 0.02;  ///< of a fused orientation that is held still [rad], > 0
  double residual = 0.1;    ///< directions agree so far [rad], > 0
  double spread = 0.35;     ///< directions of gravity that are to fix a mounting differ by this [rad], > 0
  double field = 0.15;      ///< fields differ by less than this part from their reference, > 0
};

/// What speaks against a sensor having been still, and what to do; empty where nothing does.
[[nodiscard]] std::string unrest(const StillReading& reading, const CalibrationOptions& options);

/// Poses that people hold for this: npose (arms hanging), tpose (arms out), chair (seated, arms hanging).
/// @throws ConfigError for an unknown name or a model whose joints are not a human's.
[[nodiscard]] State calibration_pose(const Model& human, std::string_view name);

/// A direction of the link and the same as the sensor feels it; any length.
struct DirectionPair {
  Eigen::Vector3d in_link;
  Eigen::Vector3d in_sensor;
  double weight = 1.0;  ///< > 0
};

/// The rotation R_LI that brings directions nearest to each other. [Wahba 1965; Markley 1988]
struct MountingFit {
  Eigen::Matrix3d R_LI = Eigen::Matrix3d::Identity();
  double residual = 0.0;  ///< root mean square of the angles that remain [rad]
  double spread = 0.0;    ///< largest angle between two of the directions, 0 .. pi/2 as lines [rad]
};
/// @throws ConfigError for no pair, or a direction that is zero or not finite.
[[nodiscard]] MountingFit fit_mounting(std::span<const DirectionPair> pairs);

/// One pose, gravity and the field: for sensors with magnetometers. A sensor without one keeps the heading of
/// its nominal mount, and is not good. The residual is the dip's, against the reference.
/// @throws ConfigError when readings and mounts do not fit, or gravity was not felt.
[[nodiscard]] std::vector<CalibratedSensor> calibrate_pose(const Model& model,
                                                           const std::vector<ImuMount>& mounts,
                                                           const HeldPose& held,
                                                           const Surroundings& surroundings = {},
                                                           const CalibrationOptions& options = {});

/// Several poses and gravity alone: for segments that were differently inclined in them.
/// @throws ConfigError as above, and for fewer than two poses.
[[nodiscard]] std::vector<CalibratedSensor> calibrate_poses(const Model& model,
                                                            const std::vector<ImuMount>& mounts,
                                                            std::span<const HeldPose> held,
                                                            const CalibrationOptions& options = {});

/// Trackers that fuse: the mounts with which all poses look as they were held. `R_WG`: which way the person
/// faced (`world_from_pose`, or what is known). The residual is how far the poses disagree; of one pose, how
/// far the orientations wandered.
/// @throws ConfigError when readings and mounts do not fit, or a sensor said no orientation.
[[nodiscard]] std::vector<CalibratedSensor> calibrate_oriented(const Model& model,
                                                               const std::vector<ImuMount>& mounts,
                                                               std::span<const HeldPose> held,
                                                               const Eigen::Matrix3d& R_WG,
                                                               const CalibrationOptions& options = {});

/// Of G, in which trackers say their orientations, so that the sensor `trusted`, whose mounting is right
/// about the vertical, is where the pose puts it: R_WG, a turn about z.
/// @throws ConfigError for an unknown sensor, or one that said no orientation.
[[nodiscard]] Eigen::Matrix3d world_from_pose(const Model& model, const std::vector<ImuMount>& mounts,
                                              const HeldPose& held, const std::string& trusted);

/// The field around a person who faces x: norm and dip as all sensors felt them, its heading as the sensor
/// `trusted` says, whose mounting is right about the vertical.
/// @throws ConfigError for an unknown sensor, or where nobody felt a field.
[[nodiscard]] Eigen::Vector3d field_from_pose(const Model& model, const std::vector<ImuMount>& mounts,
                                              const HeldPose& held, const std::string& trusted);

}  // namespace panto
