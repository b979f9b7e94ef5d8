#include "panto/inertial/imu_watch.hpp"

#include <algorithm>

#include "panto/math/so3.hpp"

namespace panto {

namespace {

constexpr double kLivelinessMemory = 0.5;  // [s]
// a sensor rests while its readings stay near their mean, and the rate is no more than a bias [as VQF]
constexpr double kRestingTurn = 0.035, kRestingForce = 0.5, kRestingBias = 0.06;  // [rad/s], [m/s^2], [rad/s]
constexpr double kLasts = 0.2;          // [s] of an angular acceleration: a process's default
constexpr double kLongestChange = 0.1;  // [s] between readings whose difference says how a sensor moves
constexpr double kTurns = 0.05;         // [rad/s]: a turn this fast does not repeat to the bit

}  // namespace

const char* to_string(ImuCondition condition) noexcept {
  switch (condition) {
    case ImuCondition::Working:
      return "working";
    case ImuCondition::Missing:
      return "missing";
    case ImuCondition::Held:
      return "held";
    case ImuCondition::Dead:
      return "dead";
    case ImuCondition::Frozen:
      return "frozen";
  }
  return "?";
}

// White angular jerk of density D changes the slope of the rate from one interval to the next by D T 2/3;
// noise of the gyroscope adds 6 sigma^2 / T^2. A motion that is smooth over an interval shows little of it,
// but its acceleration is of the process too, whose variance is D times half the time that an acceleration
// lasts. White noise of the accelerometer changes differences by 6 sigma^2.
void feel(const ImuReading& reading, const Eigen::Vector3d& gyro_before, const Eigen::Vector3d& acc_before,
          double T, double gyro_noise, ImuLiveliness& lively) noexcept {
  const double before = lively.interval, weight = T / (T + kLivelinessMemory);
  lively.interval = T;
  if (!(before > 0.0)) lively.gyro_mean = gyro_before, lively.acc_mean = acc_before;
  lively.gyro_mean += weight * (reading.gyro - lively.gyro_mean);
  lively.acc_mean += weight * (reading.acc - lively.acc_mean);
  const bool still = reading.has_gyro && reading.has_acc && lively.gyro_mean.norm() < kRestingBias &&
                     (reading.gyro - lively.gyro_mean).norm() < kRestingTurn &&
                     (reading.acc - lively.acc_mean).norm() < kRestingForce;
  lively.still = still ? lively.still + T : 0.0;
  const Eigen::Vector3d gyro_slope = (reading.gyro - gyro_before) / T, acc_slope = reading.acc - acc_before;
  const Eigen::Vector3d bent = gyro_slope - lively.gyro_slope, shaken = acc_slope - lively.acc_slope;
  lively.gyro_slope = gyro_slope;
  lively.acc_slope = acc_slope;
  if (!(before > 0.0)) return;
  if (reading.has_gyro) {
    const double noise =
        2.0 * gyro_noise * gyro_noise * (1.0 / (T * T) + 1.0 / (before * before) + 1.0 / (T * before));
    const double jerk = std::max(0.0, bent.squaredNorm() / 3.0 - noise) * 3.0 / (T + before);
    const double acceleration =
        std::max(0.0, gyro_slope.squaredNorm() / 3.0 - 2.0 * gyro_noise * gyro_noise / (T * T));
    lively.turning_now = std::max(jerk, 2.0 / kLasts * acceleration);
    lively.turning += weight * (lively.turning_now - lively.turning);
  }
  if (reading.has_acc) lively.shaking += weight * (shaken.squaredNorm() / 18.0 - lively.shaking);
}

void remember(const ImuSample& sample, double gyro_noise, std::vector<ImuMemory>& memory) noexcept {
  for (std::size_t k = 0; k < memory.size(); ++k) {
    const ImuReading& reading = sample.imus[k];
    if (!reading.tells_motion()) continue;
    ImuMemory& known = memory[k];
    known.seen = sample.t;
    const bool same = (!reading.has_gyro || reading.gyro == known.gyro) &&
                      (!reading.has_acc || reading.acc == known.acc) &&
                      (!reading.has_orientation || (known.oriented && reading.wxyz_GI == known.wxyz_GI));
    if (same) continue;
    const double T = to_seconds(sample.t - known.changed);
    if (T > 0.0 && T < kLongestChange) {
      feel(reading, known.gyro, known.acc, T, gyro_noise, known.lively);
    } else {
      known.lively.interval = 0.0;
    }
    known.changed = sample.t;
    if (reading.has_gyro) known.gyro = reading.gyro;
    if (reading.has_acc) known.acc = reading.acc;
    known.oriented = reading.has_orientation;
    if (reading.has_orientation) known.wxyz_GI = reading.wxyz_GI;
  }
}

bool difference(const ImuReading& reading, Time t, const ImuMemory& memory, Eigen::Vector3d& rate) noexcept {
  if (!reading.has_orientation || reading.has_gyro || !memory.oriented || reading.wxyz_GI == memory.wxyz_GI)
    return false;
  const double T = to_seconds(t - memory.changed);
  if (!(T > 0.0 && T <= kLongestTurn)) return false;
  rate = so3::log(so3::from_quaternion_wxyz(memory.wxyz_GI).transpose() *
                  so3::from_quaternion_wxyz(reading.wxyz_GI)) /
         T;
  return true;
}

ImuCondition condition(const ImuSample& sample, const std::vector<ImuMemory>& memory, std::size_t k,
                       const ImuWatchOptions& options) noexcept {
  const ImuMemory& known = memory[k];
  if (!sample.imus[k].tells_motion()) {
    const bool dead = to_seconds(sample.t - known.seen) > options.dead_after;
    return dead ? ImuCondition::Dead : ImuCondition::Missing;
  }
  if (known.changed == sample.t) return ImuCondition::Working;
  bool others = false;
  for (const ImuMemory& other : memory) others = others || other.changed == sample.t;
  if (to_seconds(sample.t - known.changed) <= options.frozen_after) {
    return others || known.gyro.norm() > kTurns ? ImuCondition::Held : ImuCondition::Working;
  }
  return others || known.gyro.norm() > kTurns ? ImuCondition::Frozen : ImuCondition::Working;
}

}  // namespace panto
