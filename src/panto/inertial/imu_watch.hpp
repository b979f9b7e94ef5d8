#pragma once
// Finds sensors that stopped sending or that repeat their readings.

#include <Eigen/Core>
#include <vector>

#include "panto/base/time.hpp"
#include "panto/inertial/sensor_setup.hpp"
#include "panto/sample/imu_sample.hpp"

namespace panto {

/// Condition of a sensor at a sample.
enum class ImuCondition : unsigned char {
  Working,
  Missing,  ///< no reading in this sample
  Held,     ///< the last reading repeated to the bit while others change: not used
  Dead,     ///< missing for longer than `dead_after`
  Frozen,   ///< held for longer than `frozen_after`
};

[[nodiscard]] const char* to_string(ImuCondition condition) noexcept;

/// How restlessly a sensor moves, from differences of successive readings. A plain value.
struct ImuLiveliness {
  Eigen::Vector3d gyro_slope = Eigen::Vector3d::Zero(),
                  acc_slope = Eigen::Vector3d::Zero();  ///< last changes
  double interval = 0.0;                                ///< [s] of these changes; 0: none yet
  double turning = 0.0;      ///< spectral density of the angular jerk, per axis [rad^2/s^5]
  double turning_now = 0.0;  ///< the same of the last readings alone
  double still = 0.0;        ///< how long it has rested [s]
  Eigen::Vector3d gyro_mean = Eigen::Vector3d::Zero(),
                  acc_mean = Eigen::Vector3d::Zero();  ///< over half a second
  double shaking = 0.0;  ///< variance of the specific force that changes from sample to sample [m^2/s^4]
};

/// A field that a sensor has learnt besides the reference, and one that it may learn. A plain value.
struct FieldMemory {
  double norm = 0.0, dip = 0.0, turn = 0.0;  ///< [of the field], [rad], heading against the reference [rad]
  double variance = 0.0;                     ///< of `turn` [rad^2]
  double held = 0.0;                         ///< how long it has stayed the same in motion [s]
};

/// Updates by a new reading after `T` [s]. `gyro_noise`: standard deviation of a rate [rad/s].
void feel(const ImuReading& reading, const Eigen::Vector3d& gyro_before, const Eigen::Vector3d& acc_before,
          double T, double gyro_noise, ImuLiveliness& lively) noexcept;

/// Memory of a sensor. A plain value.
struct ImuMemory {
  Time seen = 0;     ///< last stamp with a reading [ns]
  Time changed = 0;  ///< last stamp with a changed reading [ns]
  Eigen::Vector3d gyro = Eigen::Vector3d::Zero();
  Eigen::Vector3d acc = Eigen::Vector3d::Zero();
  Eigen::Vector4d wxyz_GI{1.0, 0.0, 0.0, 0.0};
  bool oriented = false;  ///< `wxyz_GI` is the orientation at `changed`
  ImuLiveliness lively = {};
  FieldMemory field = {}, candidate = {};  ///< learnt: `held` > 0
  bool field_is_learnt = false;            ///< the field at present is the learnt one, not the reference
};

/// Longest interval over which two orientations give a rate [s].
inline constexpr double kLongestTurn = 0.1;

/// For sensors with orientations but no rates: returns the mean rate since the orientation in `memory`, in I
/// [rad/s]. Call it before `remember`. False when there is no orientation, it is too old, or it is unchanged.
[[nodiscard]] bool difference(const ImuReading& reading, Time t, const ImuMemory& memory,
                              Eigen::Vector3d& rate) noexcept;

/// Stores a sample, sensor by sensor.
void remember(const ImuSample& sample, double gyro_noise, std::vector<ImuMemory>& memory) noexcept;

/// Returns the condition of sensor k after `remember`. If no reading changes at all, nothing moves, and only
/// a sensor that reports a turn is frozen.
[[nodiscard]] ImuCondition condition(const ImuSample& sample, const std::vector<ImuMemory>& memory,
                                     std::size_t k, const ImuWatchOptions& options) noexcept;

}  // namespace panto
