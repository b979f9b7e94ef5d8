#pragma once
// Sensors that were perhaps changed over: which two fit better on each other's places.
// docs/algorithms/swapped_sensors.md

#include <string>
#include <vector>

#include "panto/pipeline/inertial_tracker.hpp"
#include "panto/pipeline/smoothed_inertial_tracker.hpp"

namespace panto {

struct SwapSearchOptions {
  double disagreeing = 4.0;        ///< mean squared innovation, >= 0, above which a sensor disagrees
  int reach = 2;                   ///< sensors this far from one that disagrees are tried, >= 0
  std::size_t disagreement = 300;  ///< samples with an innovation above 30 that are looked at, >= 1,
  std::size_t longest = 10000;     ///< and samples in all, >= 1
  double better = 0.8;  ///< part of the misfit, (0, 1), that must not be left where two were changed over
  int most = 3;         ///< pairs that are looked for, one after the other, >= 0
};

struct SwappedSensors {
  std::string one, other;            ///< names of sensors
  std::string one_link, other_link;  ///< where the setup has them
  /// True: they were calibrated on the wrong segments, each keeps its turn against the segment that it sits
  /// on; false: the names were changed over afterwards. The same where neither is turned.
  bool calibrated = false;
  double before = 0.0, after = 0.0;  ///< squared innovation, mean of all sensors, with one and the other way
};

/// The pairs whose change makes all sensors agree with the model, best first; each is told with the ones
/// before it changed back. Empty: no sensor disagrees, or no change helps. Two that move alike cannot be told
/// apart, nor two whole arms. Filters the begin of the recording once for every pair that is tried.
/// @throws whatever `InertialTracker` refuses; ConfigError for options out of range.
[[nodiscard]] std::vector<SwappedSensors> find_swapped_sensors(const Model& model, const InertialSetup& setup,
                                                               const std::vector<std::string>& sensors,
                                                               const RecordedImuSamples& samples,
                                                               const SwapSearchOptions& options = {});

}  // namespace panto
