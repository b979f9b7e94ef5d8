#include "panto/inertial/imu_watch.hpp"

#include "panto/math/so3.hpp"

namespace panto {

namespace {

constexpr double kTurns = 0.05;  // [rad/s]: a turn this fast does not repeat to the bit

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

void remember(const ImuSample& sample, std::vector<ImuMemory>& memory) noexcept {
  for (std::size_t k = 0; k < memory.size(); ++k) {
    const ImuReading& reading = sample.imus[k];
    if (!reading.tells_motion()) continue;
    ImuMemory& known = memory[k];
    known.seen = sample.t;
    const bool same = (!reading.has_gyro || reading.gyro == known.gyro) &&
                      (!reading.has_acc || reading.acc == known.acc) &&
                      (!reading.has_orientation || (known.oriented && reading.wxyz_GI == known.wxyz_GI));
    if (same) continue;
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
    return others ? ImuCondition::Held : ImuCondition::Working;
  }
  return others || known.gyro.norm() > kTurns ? ImuCondition::Frozen : ImuCondition::Working;
}

}  // namespace panto
