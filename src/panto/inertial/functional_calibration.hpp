#pragma once
// Axes and centres of joints, from the motion of the two sensors beside them. docs/algorithms/calibration.md

#include <Eigen/Core>
#include <span>
#include <string>

#include "panto/sample/imu_sample.hpp"

namespace panto {

/// Two sensors beside one joint: their places in the samples and the biases of their gyroscopes.
struct SensorPair {
  std::size_t first = 0;                                  ///< on the segment before the joint
  std::size_t second = 0;                                 ///< on the one behind it
  Eigen::Vector3d first_bias = Eigen::Vector3d::Zero();   ///< [rad/s]
  Eigen::Vector3d second_bias = Eigen::Vector3d::Zero();  ///< [rad/s]
};

/// What counts as good.
struct FunctionalOptions {
  double moving = 0.5;  ///< samples count where the sensors turn against each other so fast [rad/s], > 0
  int least = 200;      ///< so many are needed, > 0
  double axis_residual = 0.3;    ///< part of the mean rate that a hinge leaves unexplained, > 0
  double axis_sigma = 0.09;      ///< uncertainty of an axis [rad], > 0
  double centre_residual = 1.0;  ///< [m/s^2], > 0
  double centre_sigma = 0.03;    ///< uncertainty of a centre [m], > 0
};

/// The axis of a hinge as each of its two sensors sees it.
struct HingeAxis {
  Eigen::Vector3d first = Eigen::Vector3d::UnitX();   ///< unit, in the first sensor's axes
  Eigen::Vector3d second = Eigen::Vector3d::UnitX();  ///< unit, in the second's
  double residual = 0.0;      ///< rate that one axis does not explain, root mean square [rad/s]
  double rate = 0.0;          ///< of the faster sensor, mean over the samples [rad/s]
  double sigma = 0.0;         ///< standard deviation of the worse axis, if residuals were independent [rad]
  double first_sigma = 0.0;   ///< the same of the first axis alone,
  double second_sigma = 0.0;  ///< and of the second
  int samples = 0;            ///< that counted
  bool good = false;
  std::string advice;  ///< what to repeat and why; empty where nothing is to be done
};

/// By the rates alone: across the axis both sensors turn equally fast, min sum (|w1 x j1| - |w2 x j2|)^2.
/// [Seel, Raisch, Schauer 2014, section 3.1] An axis and its opposite are the same to that; `near_first` and
/// `near_second` (of nominal mounts, any length) choose. @throws ConfigError for a sensor that the samples
/// lack, or a `near` that is zero. Readings that are not finite do not count.
[[nodiscard]] HingeAxis find_hinge_axis(std::span<const ImuSample> samples, const SensorPair& pair,
                                        const Eigen::Vector3d& near_first, const Eigen::Vector3d& near_second,
                                        const FunctionalOptions& options = {});

/// Where a joint's centre is, from each of its two sensors.
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

/// By both: the centre is accelerated as each sensor says, min sum (|a1 + G1 c1| - |a2 + G2 c2|)^2 with
/// G = [w']x + [w]x^2. [Seel, Raisch, Schauer 2014, section 3.2] Of a hinge every point of its axis is as
/// good: what is found lies on the axis, and `sigma` says that the way along it is open.
[[nodiscard]] JointCentre find_joint_centre(std::span<const ImuSample> samples, const SensorPair& pair,
                                            const FunctionalOptions& options = {});

}  // namespace panto
