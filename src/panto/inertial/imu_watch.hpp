#pragma once
// Which sensors still say something: those that stopped talking, and those that repeat themselves.

#include <Eigen/Core>
#include <vector>

#include "panto/base/time.hpp"
#include "panto/inertial/sensor_setup.hpp"
#include "panto/sample/imu_sample.hpp"

namespace panto {

/// What a sensor does at this sample.
enum class ImuCondition : unsigned char {
  Working,
  Missing,  ///< no reading in this sample
  Held,     ///< the last reading once more, bit by bit, while others change: not used
  Dead,     ///< none for longer than `dead_after`
  Frozen,   ///< that for longer than `frozen_after`
};

[[nodiscard]] const char* to_string(ImuCondition condition) noexcept;

/// What is remembered of a sensor. A plain value.
struct ImuMemory {
  Time seen = 0;     ///< last stamp with a reading [ns]
  Time changed = 0;  ///< last stamp with a reading unlike the one before [ns]
  Eigen::Vector3d gyro = Eigen::Vector3d::Zero();
  Eigen::Vector3d acc = Eigen::Vector3d::Zero();
  Eigen::Vector4d wxyz_GI{1.0, 0.0, 0.0, 0.0};
  bool oriented = false;  ///< `wxyz_GI` is the orientation at `changed`
};

/// Longest interval over which two orientations tell a rate [s].
inline constexpr double kLongestTurn = 0.1;

/// Of sensors that say orientations but no rates: the mean rate since the orientation in `memory`, in I
/// [rad/s]. To be asked before `remember`. False where there is none, or too long ago, or the same one.
[[nodiscard]] bool difference(const ImuReading& reading, Time t, const ImuMemory& memory,
                              Eigen::Vector3d& rate) noexcept;

/// Remembers a sample, sensor by sensor.
void remember(const ImuSample& sample, std::vector<ImuMemory>& memory) noexcept;

/// Condition of sensor k after `remember`. Where no reading changes at all nothing moves, and nobody is
/// frozen but a sensor that claims to turn.
[[nodiscard]] ImuCondition condition(const ImuSample& sample, const std::vector<ImuMemory>& memory,
                                     std::size_t k, const ImuWatchOptions& options) noexcept;

}  // namespace panto
