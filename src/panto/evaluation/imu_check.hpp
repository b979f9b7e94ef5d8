#pragma once
// Finds faults of raw sensors from their samples: wrong units, frozen values, missing readings. Rules and
// thresholds: docs/algorithms/imu_check.md.

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "panto/evaluation/findings.hpp"
#include "panto/evaluation/imu_units.hpp"
#include "panto/sample/imu_sample.hpp"

namespace panto {

/// From one stamp, of the reading that is repeated, to another, both included, a sensor said nothing new.
struct ImuStretch {
  int sensor = 0;
  Time from = 0, to = 0;
  bool gyro = true, acc = true, mag = true, orientation = true;  ///< which quantities
};

/// Watches raw sensors go by. Units are told after two seconds, and better after more.
class ImuCheck {
 public:
  /// `names`: of the sample's sensors.
  explicit ImuCheck(std::vector<std::string> names);

  /// Adds a sample; stamps must increase. Ignores a sample of another size.
  void add(const ImuSample& sample);

  [[nodiscard]] std::vector<ImuFigures> figures() const;
  /// Returns the faults: of the stamps, sensor by sensor, then of the recording.
  [[nodiscard]] std::vector<ImuFault> faults() const;
  /// Returns when sensors were dead or frozen, sensor by sensor.
  [[nodiscard]] std::vector<ImuStretch> stretches() const;

 private:
  // one quantity: its last value, and the axes that ever changed
  struct Steady {
    Eigen::Vector3d last = Eigen::Vector3d::Zero(), before = last;
    double spike_least = 0.0, spike_most = 0.0;  // off both neighbours; 0: not watched
    std::int64_t spikes = 0;
    Time last_at = 0, spike_at = 0;
    std::array<bool, 3> changes{};
    std::int64_t count = 0;

    /// Returns true when the value equals the one before exactly.
    bool add(const Eigen::Vector3d& value, Time t);
    void watch_spike(const Eigen::Vector3d& value);
    [[nodiscard]] bool dead() const;
    /// Returns whether exactly one axis never changes: a turn about one axis leaves two unchanged.
    [[nodiscard]] bool one_axis_dead() const;
  };
  struct Sensor {
    ImuUnits units;
    Steady gyro, acc, mag, turn;  // turn: x, y, z of the orientation's quaternion
    std::int64_t readings = 0;
    Time same_from = 0, same_to = 0;  // equal readings in a row
    std::vector<ImuStretch> frozen;   // the last may continue
    bool repeats = false;
  };

  void watch_copies(const ImuSample& sample);
  void watch_repeats(int index, bool same, Time t);
  void add_unit_faults(int index, std::vector<ImuFault>& faults) const;
  void add_dead_faults(int index, std::vector<ImuFault>& faults) const;
  void add_missing(int index, std::vector<ImuFault>& faults) const;
  void add_copies(std::vector<ImuFault>& faults) const;
  void add_spikes(int index, std::vector<ImuFault>& faults) const;
  void add_clock(std::vector<ImuFault>& faults) const;
  void add_gaps(std::vector<ImuFault>& faults) const;
  [[nodiscard]] const std::string& name(int index) const { return names_[static_cast<std::size_t>(index)]; }

  std::vector<std::string> names_;
  std::vector<Sensor> sensors_;
  struct Pair {
    std::int64_t both = 0,
                 equal = 0;  // samples in which both sensors measured, and in which they agree to the bit
  };
  std::vector<Pair> pairs_;  // of sensors i < k, in the order (0, 1), (0, 2), ... (1, 2) ...
  std::vector<Time> times_;
};

}  // namespace panto
