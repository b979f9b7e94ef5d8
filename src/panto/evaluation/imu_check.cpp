#include "panto/evaluation/imu_check.hpp"

#include <algorithm>
#include <utility>

#include "panto/base/index.hpp"
#include "panto/base/text.hpp"
#include "panto/math/median.hpp"

namespace panto {
namespace {

using Eigen::Vector3d;

constexpr Time kFrozen =
    500'000'000;  // [ns] of equal readings; noise changes every reading of a working sensor
constexpr std::int64_t kFewest = 100;  // fewest readings for calling a constant quantity dead
constexpr double kGap = 1.8;           // in usual intervals
constexpr double kGyroSpike = 30.0, kAccSpike = 150.0;  // [rad/s], [m/s^2] off both neighbours,
constexpr double kAgree = 0.2;                          // which differ by less than this share of it
constexpr std::size_t kClocked = 20;                    // fewest samples that tell the unit of their stamps
constexpr double kSlowest = 0.5e9, kFastest = 1e9 / 9000.0;  // [ns] usual interval of any such sensor
constexpr double kMentioned = 0.001;                         // share of missing readings that is reported

std::string seconds(Time t) { return decimals(to_seconds(t), 2) + " s"; }

}  // namespace

const char* to_string(ImuFaultKind kind) noexcept {
  switch (kind) {
    case ImuFaultKind::GyroUnit:
      return "gyro_unit";
    case ImuFaultKind::AccUnit:
      return "acc_unit";
    case ImuFaultKind::Dead:
      return "dead";
    case ImuFaultKind::Frozen:
      return "frozen";
    case ImuFaultKind::Silent:
      return "silent";
    case ImuFaultKind::Copied:
      return "copied";
    case ImuFaultKind::Dropout:
      return "dropout";
    case ImuFaultKind::Gap:
      return "gap";
    case ImuFaultKind::Clock:
      return "clock";
    case ImuFaultKind::Spike:
      return "spike";
  }
  return "";
}

bool ImuCheck::Steady::add(const Vector3d& value, Time t) {
  watch_spike(value);
  const bool first = count++ == 0, same = !first && value == last;
  for (std::size_t i = 0; i < 3 && !first; ++i)
    changes[i] = changes[i] || value[static_cast<Eigen::Index>(i)] != last[static_cast<Eigen::Index>(i)];
  before = last;
  last = value;
  last_at = t;
  return same;
}

// Is the last value far off the one before and this one, which agree with each other?
void ImuCheck::Steady::watch_spike(const Vector3d& value) {
  if (count < 2 || spike_least <= 0.0) return;
  const double off = std::min((last - before).norm(), (last - value).norm());
  if (off < spike_least || (value - before).norm() > kAgree * off) return;
  ++spikes;
  if (off > spike_most) spike_most = off, spike_at = last_at;
}

bool ImuCheck::Steady::dead() const {
  return count >= kFewest && std::none_of(changes.begin(), changes.end(), [](bool c) { return c; });
}

bool ImuCheck::Steady::one_axis_dead() const {
  return count >= kFewest && std::count(changes.begin(), changes.end(), true) == 2;
}

ImuCheck::ImuCheck(std::vector<std::string> names)
    : names_(std::move(names)),
      sensors_(names_.size()),
      pairs_(names_.empty() ? 0 : names_.size() * (names_.size() - 1) / 2) {
  for (Sensor& sensor : sensors_) sensor.gyro.spike_least = kGyroSpike, sensor.acc.spike_least = kAccSpike;
}

void ImuCheck::add(const ImuSample& sample) {
  if (sample.imus.size() != sensors_.size()) return;
  times_.push_back(sample.t);
  watch_copies(sample);
  for (std::size_t i = 0; i < sensors_.size(); ++i) {
    const ImuReading& reading = sample.imus[i];
    Sensor& sensor = sensors_[i];
    if (reading.has_mag) (void)sensor.mag.add(reading.mag, sample.t);
    if (!reading.tells_motion()) continue;
    ++sensor.readings;
    // all its quantities must repeat
    const bool same_gyro = !reading.has_gyro || sensor.gyro.add(reading.gyro, sample.t);
    const bool same_acc = !reading.has_acc || sensor.acc.add(reading.acc, sample.t);
    const bool same_turn = !reading.has_orientation || sensor.turn.add(reading.wxyz_GI.tail<3>(), sample.t);
    const bool repeats = same_gyro && same_acc && same_turn;
    sensor.units.add(reading, sample.t, repeats);
    watch_repeats(static_cast<int>(i), repeats, sample.t);
  }
}

void ImuCheck::watch_copies(const ImuSample& sample) {
  std::size_t pair = 0;
  for (std::size_t i = 0; i < sensors_.size(); ++i) {
    for (std::size_t k = i + 1; k < sensors_.size(); ++k, ++pair) {
      const ImuReading &a = sample.imus[i], &b = sample.imus[k];
      if (!a.has_acc || !b.has_acc || !a.has_gyro || !b.has_gyro) continue;
      ++pairs_[pair].both;
      pairs_[pair].equal += a.acc == b.acc && a.gyro == b.gyro ? 1 : 0;
    }
  }
}

void ImuCheck::add_copies(std::vector<ImuFault>& faults) const {
  std::size_t pair = 0;
  for (std::size_t i = 0; i < sensors_.size(); ++i) {
    for (std::size_t k = i + 1; k < sensors_.size(); ++k, ++pair) {
      const Pair& found = pairs_[pair];
      const bool dead = sensors_[i].acc.dead() || sensors_[i].gyro.dead();
      if (dead || found.both < kFewest || 2 * found.equal < found.both) continue;
      faults.push_back({ImuFaultKind::Copied, static_cast<int>(i), false,
                        "sensors '" + names_[i] + "' and '" + names_[k] + "' hold the same numbers in " +
                            std::to_string(found.equal) + " of " + std::to_string(found.both) +
                            " samples: one was copied over the other, or columns have wrong names"});
    }
  }
}

void ImuCheck::watch_repeats(int index, bool same, Time t) {
  Sensor& sensor = sensors_[at(index)];
  if (!same) {
    sensor.repeats = false;
    sensor.same_from = t;
    return;
  }
  if (t - sensor.same_from < kFrozen) return;
  if (!sensor.repeats) sensor.frozen.push_back({index, sensor.same_from, t});
  sensor.repeats = true;
  sensor.frozen.back().to = t;
}

std::vector<ImuFigures> ImuCheck::figures() const {
  std::vector<ImuFigures> result;
  for (const Sensor& sensor : sensors_) {
    ImuFigures& figures = result.emplace_back();
    figures.readings = sensor.readings;
    figures.gyro = sensor.gyro.count;
    figures.acc = sensor.acc.count;
    figures.mag = sensor.mag.count;
    figures.orientation = sensor.turn.count;
    figures.force_median = sensor.units.force();
    figures.rate_max = sensor.units.largest_rate();
    for (const ImuStretch& stretch : sensor.frozen) figures.frozen_s += to_seconds(stretch.to - stretch.from);
  }
  return result;
}

std::vector<ImuStretch> ImuCheck::stretches() const {
  std::vector<ImuStretch> result;
  for (std::size_t i = 0; i < sensors_.size(); ++i) {
    const Sensor& sensor = sensors_[i];
    ImuStretch dead{static_cast<int>(i),
                    0,
                    0,
                    sensor.gyro.dead() || sensor.gyro.one_axis_dead(),
                    sensor.acc.dead(),
                    sensor.mag.dead(),
                    sensor.turn.dead()};
    if (dead.gyro || dead.acc || dead.mag || dead.orientation) {
      dead.from = times_.front();
      dead.to = times_.back();
      result.push_back(dead);
    }
    result.insert(result.end(), sensor.frozen.begin(), sensor.frozen.end());
  }
  return result;
}

void ImuCheck::add_unit_faults(int index, std::vector<ImuFault>& faults) const {
  const Sensor& sensor = sensors_[at(index)];
  const ImuUnits& units = sensor.units;
  const std::string of = "sensor '" + name(index) + "': ";
  const RateUnit rate = units.rate_unit();
  if (rate != RateUnit::Plausible && !sensor.gyro.dead()) {
    const std::string largest = digits(units.largest_rate().value_or(0.0), 3);
    faults.push_back(
        {ImuFaultKind::GyroUnit, index, true,
         of + (rate == RateUnit::Degrees
                   ? "its rates (up to " + largest +
                         ") are in degrees per second, not rad/s: multiply them by pi/180, or name the "
                         "columns "
                         "gyro_x_deg_s"
                   : "its rates (up to " + largest +
                         " rad/s) are 57 times too small for the turn of gravity: radians per second were "
                         "converted from degrees once too often")});
  }
  if (sensor.acc.dead()) return;
  const std::string force = digits(units.force().value_or(0.0), 3);
  const auto add = [&](const std::string& text) {
    faults.push_back(
        {ImuFaultKind::AccUnit, index, true, of + "its accelerations (" + force + " in the median) " + text});
  };
  switch (units.force_unit()) {
    case ForceUnit::Plausible:
      break;
    case ForceUnit::Gravities:
      return add("are in g, not m/s^2: multiply them by 9.80665, or name the columns acc_x_g");
    case ForceUnit::Thousandths:
      return add("are in thousandths of g, not m/s^2: multiply them by 0.00980665");
    case ForceUnit::NoGravity:
      return add("lack gravity (9.81 m/s^2 at rest): export raw acceleration");
    case ForceUnit::Odd:
      return add("are neither m/s^2 (about 9.81) nor g (about 1)");
  }
}

void ImuCheck::add_dead_faults(int index, std::vector<ImuFault>& faults) const {
  const Sensor& sensor = sensors_[at(index)];
  if (sensor.readings == 0) {
    faults.push_back(
        {ImuFaultKind::Silent, index, false, "sensor '" + name(index) + "' has no measurements"});
    return;
  }
  const std::array<std::pair<const char*, const Steady*>, 4> quantities{{{"gyroscope", &sensor.gyro},
                                                                         {"accelerometer", &sensor.acc},
                                                                         {"magnetometer", &sensor.mag},
                                                                         {"orientation", &sensor.turn}}};
  for (const auto& [what, steady] : quantities) {
    if (steady->count < kFewest) continue;
    const std::string text = "sensor '" + name(index) + "': its " + what + " is dead: ";
    if (steady->dead()) {
      const Vector3d& v = steady->last;
      faults.push_back({ImuFaultKind::Dead, index, false,
                        text + "its value is always (" + digits(v.x(), 4) + ", " + digits(v.y(), 4) + ", " +
                            digits(v.z(), 4) + ")"});
      continue;
    }
    for (std::size_t i = 0; i < 3 && steady != &sensor.turn; ++i) {  // a sensor may turn about one axis
      if (!steady->changes[i])
        faults.push_back(
            {ImuFaultKind::Dead, index, false, text + "its " + "xyz"[i] + " axis never changes"});
    }
  }
}

void ImuCheck::add_spikes(int index, std::vector<ImuFault>& faults) const {
  const Sensor& sensor = sensors_[at(index)];
  const auto add = [&](const char* what, const Steady& quantity, const char* unit) {
    if (quantity.spikes == 0) return;
    faults.push_back({ImuFaultKind::Spike, index, false,
                      "sensor '" + name(index) + "': its " + what + " has " +
                          counted(quantity.spikes, "spike") + " of a single sample, the largest " +
                          digits(quantity.spike_most, 3) + " " + unit + " at " + seconds(quantity.spike_at) +
                          ": remove these readings"});
  };
  add("gyroscope", sensor.gyro, "rad/s");
  add("accelerometer", sensor.acc, "m/s^2");
}

void ImuCheck::add_missing(int index, std::vector<ImuFault>& faults) const {
  const Sensor& sensor = sensors_[at(index)];
  const bool dead = sensor.gyro.dead() || sensor.acc.dead() || sensor.turn.dead();
  if (!sensor.frozen.empty() && !dead) {
    const auto longest = std::max_element(
        sensor.frozen.begin(), sensor.frozen.end(),
        [](const ImuStretch& a, const ImuStretch& b) { return a.to - a.from < b.to - b.from; });
    faults.push_back({ImuFaultKind::Frozen, index, false,
                      "sensor '" + name(index) + "' is frozen " +
                          counted(static_cast<std::int64_t>(sensor.frozen.size()), "time") +
                          ": unchanged values for " + seconds(longest->to - longest->from) + " from " +
                          seconds(longest->from) + " on"});
  }
  const auto samples = static_cast<std::int64_t>(times_.size());
  const double missing = static_cast<double>(samples - sensor.readings) /
                         static_cast<double>(std::max<std::int64_t>(samples, 1));
  if (sensor.readings > 0 && missing > kMentioned)
    faults.push_back(
        {ImuFaultKind::Dropout, index, false,
         "sensor '" + name(index) + "' is missing in " + digits(100.0 * missing, 3) + " % of the samples"});
}

// Stamps in another unit make every rate and duration wrong.
void ImuCheck::add_clock(std::vector<ImuFault>& faults) const {
  if (times_.size() < kClocked) return;
  std::vector<double> intervals;
  for (std::size_t k = 1; k < times_.size(); ++k)
    intervals.push_back(static_cast<double>(times_[k] - times_[k - 1]));
  const double usual = median(std::move(intervals));
  if (usual >= kFastest && usual <= kSlowest) return;
  const std::string text =
      "samples are " + digits(1e-9 * usual, 3) + " s apart, which is unusual for such sensors: ";
  faults.push_back(
      {ImuFaultKind::Clock, -1, true,
       text + (usual > kSlowest
                   ? "the stamps are probably milliseconds read as seconds: divide them by 1000"
                   : "the stamps are probably seconds read as milliseconds: multiply them by 1000, "
                     "or name their column time_s")});
}

void ImuCheck::add_gaps(std::vector<ImuFault>& faults) const {
  if (times_.size() < 3) return;
  std::vector<Time> intervals;
  for (std::size_t k = 1; k < times_.size(); ++k) intervals.push_back(times_[k] - times_[k - 1]);
  const auto longest = std::max_element(intervals.begin(), intervals.end());
  const Time length = *longest, from = times_[static_cast<std::size_t>(longest - intervals.begin())];
  const auto middle = intervals.begin() + static_cast<std::ptrdiff_t>(intervals.size() / 2);
  std::nth_element(intervals.begin(), middle, intervals.end());
  const double usual = static_cast<double>(*middle);
  const auto gaps = std::count_if(intervals.begin(), intervals.end(),
                                  [&](Time t) { return static_cast<double>(t) > kGap * usual; });
  if (gaps > 0)
    faults.push_back({ImuFaultKind::Gap, -1, false,
                      counted(gaps, "gap") + " between samples, the longest " +
                          decimals(to_seconds(length), 3) + " s after " + seconds(from) +
                          " (usual: " + decimals(1e-9 * usual, 4) + " s)"});
}

std::vector<ImuFault> ImuCheck::faults() const {
  std::vector<ImuFault> faults;
  add_clock(faults);
  for (int i = 0; i < static_cast<int>(sensors_.size()); ++i) {
    add_unit_faults(i, faults);
    add_dead_faults(i, faults);
    add_spikes(i, faults);
    add_missing(i, faults);
  }
  add_copies(faults);
  add_gaps(faults);
  return faults;
}

}  // namespace panto
