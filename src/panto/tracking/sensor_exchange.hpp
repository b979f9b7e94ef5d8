#pragma once
// Exchanges of two sensors, and which of them a recording hints at without filtering.
// docs/algorithms/swapped_sensors.md

#include <cstddef>
#include <string>
#include <vector>

#include "panto/tracking/inertial_tracker.hpp"
#include "panto/tracking/smoothed_inertial_tracker.hpp"

namespace panto {

/// Two mounts of a setup whose sensors are exchanged.
struct SensorExchange {
  std::size_t one = 0, other = 0;
  /// true: each keeps its orientation relative to the segment that it was calibrated on, transferred in the
  /// start pose; false: it takes the orientation of the other one.
  bool calibrated = false;

  [[nodiscard]] bool operator==(const SensorExchange&) const = default;
};

/// Returns the setup with the two sensors exchanged. Contact points stay in place and use the sensor that is
/// there then; gyroscope biases move with the sensor. @throws ModelError for an unknown link.
[[nodiscard]] InertialSetup exchanged(const Model& model, InertialSetup setup,
                                      const SensorExchange& exchange);

/// Returns every exchange of two of these mounts; `calibrated` ones only if they differ from those by name.
[[nodiscard]] std::vector<SensorExchange> exchanges_of(const Model& model, const InertialSetup& setup,
                                                       const std::vector<std::size_t>& mounts);

struct ExchangeHint {
  SensorExchange exchange;
  double gain = 0.0;  ///< misfit of the joints that it removes, mean of a second, > 0
  double t = 0.0;     ///< the gain in standard deviations of that mean
};

/// Returns exchanges with which joint centres accelerate equally on both sides, largest gain first. A joint's
/// centre is fixed in both segments, so the readings of both sensors, moved there along the model's levers,
/// have the same norm, whatever the joint angles and the sensors' headings [Seel, Schauer, Raisch 2012].
/// Reads at most a hundred seconds, spread over the recording; filters nothing. Ignores sensors without
/// gyroscope or accelerometer. @throws ConfigError for a mounted sensor that is not among `sensors`;
/// ModelError for an unknown link.
[[nodiscard]] std::vector<ExchangeHint> hinted_exchanges(const Model& model, const InertialSetup& setup,
                                                         const std::vector<std::string>& sensors,
                                                         const RecordedImuSamples& samples);

}  // namespace panto
