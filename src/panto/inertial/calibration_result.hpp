#pragma once
// What a calibration found: of sensors by held poses, of sensors, joints and lengths by motion.

#include <Eigen/Core>
#include <string>
#include <vector>

#include "panto/sample/imu_sample.hpp"

namespace panto {

/// Result for one sensor: mounting, inconsistency, and advice.
struct CalibratedSensor {
  ImuMount mount;                                       ///< the nominal one with R_LI found
  Eigen::Vector3d gyro_bias = Eigen::Vector3d::Zero();  ///< [rad/s]
  double residual = 0.0;  ///< angle between directions that should agree, rms [rad]
  bool good = false;
  std::string advice;  ///< what to repeat and why; empty if nothing
};

/// Result for one joint.
struct JointFinding {
  enum class Kind : unsigned char { Axis, Centre };
  Kind kind = Kind::Axis;
  std::vector<std::string> joints;  ///< the hinge, or the hinges with this common centre
  std::string first, second;        ///< sensors before and after it; `first` is empty for the base
  int samples = 0;                  ///< counted samples
  double residual = 0.0;            ///< rms [rad/s] or [m/s^2]
  double sigma = 0.0;               ///< of the worse sensor's result, with correlated residuals [rad] or [m]
  double off = 0.0;  ///< difference of the worse sensor's result from its nominal mount [rad] or [m]
  bool good = false;
  std::string advice{};  ///< what to repeat and why; for a good one what stays open
};

/// Length of a segment between two joint centres, found from motion.
struct SegmentLength {
  std::string link;       ///< link that carries the sensor
  std::string near, far;  ///< joints, the one nearer to the root first
  double model = 0.0;     ///< [m]
  double found = 0.0;     ///< [m]
  double sigma = 0.0;     ///< of `found` [m]
};

/// Result for one sensor.
struct MovedSensor {
  ImuMount mount;         ///< with sigmas if anything was found
  int directions = 0;     ///< axes and lines between centres that determine its turn
  int centres = 0;        ///< centres that determine its position
  double residual = 0.0;  ///< disagreement of its directions, rms [rad]
  double turned = 0.0;    ///< from its nominal mount [rad]
  double moved = 0.0;     ///< the same for its position [m]
  bool good = false;
  std::string advice;
};

/// What motion told of mounts, joints and lengths.
struct MotionCalibration {
  std::vector<MovedSensor> sensors;  ///< in the order of the mounts
  std::vector<JointFinding> joints;
  std::vector<SegmentLength> lengths;
};

}  // namespace panto
