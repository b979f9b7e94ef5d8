#include "panto/tracking/silent_sensors.hpp"

#include <algorithm>

#include "panto/base/index.hpp"

namespace panto {
namespace {

constexpr int kDetermined = 3;  // hinges between two sensors: as many as a rotation has angles

}  // namespace

SilentSensors::SilentSensors(const ImuModel& imus)
    : turns_(at(imus.layout().unknowns()), 0),
      silent_(imus.imus().size(), 0),
      held_(turns_.size(), 0),
      seen_(silent_.size(), 0) {
  const Model& model = imus.layout().model();
  const int base = model.nv() - model.dof();
  for (const ChainLayout::Step& step : imus.layout().steps())
    turns_[at(step.unknown)] = !step.slides && step.unknown >= base ? 1 : 0;
  for (int k = 0; k < static_cast<int>(silent_.size()); ++k) {
    moves_.emplace_back(turns_.size(), 0);
    for (const int unknown : imus.imu_path(k)) moves_.back()[at(unknown)] = 1;
  }
}

void SilentSensors::begin(Time t) noexcept {
  std::fill(seen_.begin(), seen_.end(), t);
  look(t);
}

void SilentSensors::resume(Time t, const std::vector<Time>& seen) noexcept {
  if (seen.size() != seen_.size()) return;
  std::copy(seen.begin(), seen.end(), seen_.begin());
  look(t);
}

void SilentSensors::add(Time t, const std::vector<ImuReading>& readings) noexcept {
  for (std::size_t k = 0; k < std::min(seen_.size(), readings.size()); ++k)
    if (readings[k].tells_motion()) seen_[k] = t;
  look(t);
}

void SilentSensors::look(Time t) noexcept {
  bool changed = false;
  for (std::size_t k = 0; k < seen_.size(); ++k) {
    const unsigned char silent = to_seconds(t - seen_[k]) > kSilent ? 1 : 0;
    changed = changed || silent != silent_[k];
    silent_[k] = silent;
  }
  if (changed) find_held();
}

bool SilentSensors::is_told(std::size_t unknown, bool all) const noexcept {
  for (std::size_t k = 0; k < silent_.size(); ++k)
    if ((all || silent_[k] == 0) && moves_[k][unknown] != 0) return true;
  return false;
}

// Whether the same sensors move with both: then only the two's sum is measured.
bool SilentSensors::alike(std::size_t one, std::size_t other, bool all) const noexcept {
  for (std::size_t k = 0; k < silent_.size(); ++k)
    if ((all || silent_[k] == 0) && moves_[k][one] != moves_[k][other]) return false;
  return true;
}

void SilentSensors::find_held() noexcept {
  any_ = false;
  for (std::size_t u = 0; u < held_.size(); ++u) {
    held_[u] = 0;
    if (!is_told(u, true)) continue;  // no sensor ever tells of it
    held_[u] = is_told(u, false) ? 0 : 1;
    if (held_[u] == 0 && turns_[u] != 0) {
      int now = 0, always = 0;
      for (std::size_t v = 0; v < held_.size(); ++v) {
        if (turns_[v] == 0) continue;
        now += alike(u, v, false) ? 1 : 0;
        always += alike(u, v, true) ? 1 : 0;
      }
      held_[u] = now > kDetermined && always <= kDetermined ? 1 : 0;
    }
    any_ = any_ || held_[u] != 0;
  }
}

}  // namespace panto
