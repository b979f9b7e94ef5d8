#pragma once
// Two sensors that change places, and which exchanges a recording hints at before anything is filtered.
// docs/algorithms/swapped_sensors.md

#include <cstddef>
#include <string>
#include <vector>

#include "panto/tracking/inertial_tracker.hpp"
#include "panto/tracking/smoothed_inertial_tracker.hpp"

namespace panto {

/// Two mounts of a setup whose sensors change places.
struct SensorExchange {
  std::size_t one = 0, other = 0;
  /// Each keeps its turn against the segment that it was calibrated on, carried over in the start's pose;
  /// false: it takes the turn of the other one.
  bool calibrated = false;

  [[nodiscard]] bool operator==(const SensorExchange&) const = default;
};

/// The setup with the two exchanged. What feels the floor stays where it is, and asks the sensor that is
/// there then; what is known of a gyroscope goes with it. @throws ModelError for a link the model has not.
[[nodiscard]] InertialSetup exchanged(const Model& model, InertialSetup setup,
                                      const SensorExchange& exchange);

/// Every exchange of two of these mounts; `calibrated` where that is another one than by name.
[[nodiscard]] std::vector<SensorExchange> exchanges_of(const Model& model, const InertialSetup& setup,
                                                       const std::vector<std::size_t>& mounts);

struct ExchangeHint {
  SensorExchange exchange;
  double gain = 0.0;  ///< misfit of the joints that it takes away, mean of a second, > 0
  double t = 0.0;     ///< the same in standard deviations of that mean
};

/// Exchanges with which joints' centres accelerate alike on both sides, the one with the largest gain first.
/// A joint's centre is fixed in both segments, so what the two sensors feel, moved there along the model's
/// levers, has one norm, whatever the joint's angles and the sensors' headings [Seel, Schauer, Raisch 2012].
/// Reads a hundred seconds at most, spread over the recording; filters nothing. Sensors without gyroscope or
/// accelerometer hint at nothing.
/// @throws ConfigError for a mounted sensor that is not among `sensors`; ModelError for an unknown link.
[[nodiscard]] std::vector<ExchangeHint> hinted_exchanges(const Model& model, const InertialSetup& setup,
                                                         const std::vector<std::string>& sensors,
                                                         const RecordedImuSamples& samples);

}  // namespace panto
