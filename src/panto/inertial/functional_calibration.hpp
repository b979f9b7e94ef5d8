#pragma once
// Finds axes and centres of joints from the motion of the two sensors beside them.
// docs/algorithms/calibration.md

#include <Eigen/Core>
#include <span>
#include <string>

#include "panto/sample/imu_sample.hpp"

namespace panto {

/// Two sensors beside one joint: their indices in the samples and the biases of their gyroscopes.
struct SensorPair {
  std::size_t first = 0;                                  ///< on the segment before the joint
  std::size_t second = 0;                                 ///< on the segment after it
  Eigen::Vector3d first_bias = Eigen::Vector3d::Zero();   ///< [rad/s]
  Eigen::Vector3d second_bias = Eigen::Vector3d::Zero();  ///< [rad/s]
};

/// Thresholds for a good result.
struct FunctionalOptions {
  double moving = 0.5;  ///< samples count if the sensors turn against each other this fast [rad/s], > 0
  int least = 200;      ///< fewest samples, > 0
  double axis_residual = 0.3;    ///< share of the mean rate that a hinge leaves unexplained, > 0
  double axis_sigma = 0.09;      ///< uncertainty of an axis [rad], > 0
  double centre_residual = 1.0;  ///< [m/s^2], > 0
  double centre_sigma = 0.03;    ///< uncertainty of a centre [m], > 0
};

/// The axis of a hinge in the axes of each of its two sensors.
struct HingeAxis {
  Eigen::Vector3d first = Eigen::Vector3d::UnitX();   ///< unit, in the first sensor's axes
  Eigen::Vector3d second = Eigen::Vector3d::UnitX();  ///< unit, in the second's
  double residual = 0.0;      ///< rate not explained by one axis, root mean square [rad/s]
  double rate = 0.0;          ///< of the faster sensor, mean over the samples [rad/s]
  double sigma = 0.0;         ///< standard deviation of the worse axis, if residuals were independent [rad]
  double first_sigma = 0.0;   ///< the same for the first axis,
  double second_sigma = 0.0;  ///< and for the second
  int samples = 0;            ///< counted samples
  bool good = false;
  std::string advice;  ///< what to repeat and why; empty if nothing
};

/// Finds the axis by the rates alone: across the axis both sensors turn equally fast, min sum (|w1 x j1| -
/// |w2 x j2|)^2. [Seel, Raisch, Schauer 2014, section 3.1] This cannot distinguish an axis from its opposite;
/// `near_first` and `near_second` (of nominal mounts, any length) decide. Readings that are not finite do not
/// count. @throws ConfigError for a sensor missing in the samples, or a zero `near`.
[[nodiscard]] HingeAxis find_hinge_axis(std::span<const ImuSample> samples, const SensorPair& pair,
                                        const Eigen::Vector3d& near_first, const Eigen::Vector3d& near_second,
                                        const FunctionalOptions& options = {});

/// A joint's centre from each of its two sensors.
struct JointCentre {
  Eigen::Vector3d first = Eigen::Vector3d::Zero();   ///< from the first sensor, in its axes [m]
  Eigen::Vector3d second = Eigen::Vector3d::Zero();  ///< from the second, in its axes [m]
  double residual = 0.0;  ///< difference of the two accelerations of the centre, rms [m/s^2]
  double sigma = 0.0;     ///< standard deviation of the worse direction, if residuals were independent [m]
  Eigen::Matrix3d first_covariance = Eigen::Matrix3d::Zero();  ///< of `first`, under the same condition [m^2]
  Eigen::Matrix3d second_covariance = Eigen::Matrix3d::Zero();  ///< of `second`
  int samples = 0;
  bool good = false;
  std::string advice;
};

/// Finds the centre by rates and forces: both sensors give the same acceleration of the centre, min sum (|a1
/// + G1 c1| - |a2 + G2 c2|)^2 with G = [w']x + [w]x^2. [Seel, Raisch, Schauer 2014, section 3.2] For a hinge
/// every point of its axis fits equally: the result lies on the axis, and `sigma` shows that the position
/// along it is undetermined.
[[nodiscard]] JointCentre find_joint_centre(std::span<const ImuSample> samples, const SensorPair& pair,
                                            const FunctionalOptions& options = {});

}  // namespace panto
