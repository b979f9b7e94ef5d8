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

/// Memory of a sensor. A plain value.
struct ImuMemory {
  Time seen = 0;     ///< last stamp with a reading [ns]
  Time changed = 0;  ///< last stamp with a changed reading [ns]
  Eigen::Vector3d gyro = Eigen::Vector3d::Zero();
  Eigen::Vector3d acc = Eigen::Vector3d::Zero();
  Eigen::Vector4d wxyz_GI{1.0, 0.0, 0.0, 0.0};
  bool oriented = false;  ///< `wxyz_GI` is the orientation at `changed`
};

/// Longest interval over which two orientations give a rate [s].
inline constexpr double kLongestTurn = 0.1;

/// For sensors with orientations but no rates: returns the mean rate since the orientation in `memory`, in I
/// [rad/s]. Call it before `remember`. False when there is no orientation, it is too old, or it is unchanged.
[[nodiscard]] bool difference(const ImuReading& reading, Time t, const ImuMemory& memory,
                              Eigen::Vector3d& rate) noexcept;

/// Stores a sample, sensor by sensor.
void remember(const ImuSample& sample, std::vector<ImuMemory>& memory) noexcept;

/// Returns the condition of sensor k after `remember`. If no reading changes at all, nothing moves, and only
/// a sensor that reports a turn is frozen.
[[nodiscard]] ImuCondition condition(const ImuSample& sample, const std::vector<ImuMemory>& memory,
                                     std::size_t k, const ImuWatchOptions& options) noexcept;

}  // namespace panto
