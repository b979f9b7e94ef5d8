#pragma once
// What a calibration found: of sensors by held poses, of sensors, joints and lengths by motion.

#include <Eigen/Core>
#include <string>
#include <vector>

#include "panto/sample/imu_sample.hpp"

namespace panto {

/// What was found for one sensor, how far it contradicts itself, and what would help.
struct CalibratedSensor {
  ImuMount mount;                                       ///< the nominal one with R_LI found
  Eigen::Vector3d gyro_bias = Eigen::Vector3d::Zero();  ///< [rad/s]
  double residual = 0.0;                                ///< angle that directions disagree by, rms [rad]
  bool good = false;
  std::string advice;  ///< what to repeat and why; empty where nothing is to be done
};

/// What was found of one joint.
struct JointFinding {
  enum class Kind : unsigned char { Axis, Centre };
  Kind kind = Kind::Axis;
  std::vector<std::string> joints;  ///< the hinge, or those whose common centre it is
  std::string first, second;        ///< sensors before and behind it; `first` is empty for the base
  int samples = 0;                  ///< that counted
  double residual = 0.0;            ///< rms [rad/s] or [m/s^2]
  double sigma = 0.0;               ///< of the worse sensor's answer, with residuals that last [rad] or [m]
  double off = 0.0;                 ///< of the worse sensor's answer from its nominal mount's [rad] or [m]
  bool good = false;
  std::string advice{};  ///< what to repeat and why; of a good one what stays open
};

/// Length of a segment between two of its joints' centres, as motion shows it.
struct SegmentLength {
  std::string link;       ///< that carries the sensor
  std::string near, far;  ///< joints, the one nearer to the root first
  double model = 0.0;     ///< [m]
  double found = 0.0;     ///< [m]
  double sigma = 0.0;     ///< of `found` [m]
};

/// What was found for one sensor.
struct MovedSensor {
  ImuMount mount;         ///< with sigmas where anything was found
  int directions = 0;     ///< axes and lines between centres that turned it
  int centres = 0;        ///< that placed it
  double residual = 0.0;  ///< angle by which its directions disagree, rms [rad]
  double turned = 0.0;    ///< from its nominal mount [rad]
  double moved = 0.0;     ///< the same of its place [m]
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
