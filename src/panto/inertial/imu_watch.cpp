#include "panto/inertial/imu_watch.hpp"

namespace panto {

namespace {

constexpr double kTurns = 0.05;  // [rad/s]: a turn so fast does not stay the same, bit by bit

bool is_there(const ImuReading& reading) noexcept { return reading.has_gyro || reading.has_acc; }

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
    if (!is_there(reading)) continue;
    ImuMemory& known = memory[k];
    known.seen = sample.t;
    const bool same =
        (!reading.has_gyro || reading.gyro == known.gyro) && (!reading.has_acc || reading.acc == known.acc);
    if (same) continue;
    known.changed = sample.t;
    if (reading.has_gyro) known.gyro = reading.gyro;
    if (reading.has_acc) known.acc = reading.acc;
  }
}

ImuCondition condition(const ImuSample& sample, const std::vector<ImuMemory>& memory, std::size_t k,
                       const ImuWatchOptions& options) noexcept {
  const ImuMemory& known = memory[k];
  if (!is_there(sample.imus[k])) {
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
