#pragma once
// Sensors that were perhaps changed over: which two fit better on each other's places.
// docs/algorithms/swapped_sensors.md

#include <string>
#include <vector>

#include "panto/evaluation/findings.hpp"
#include "panto/tracking/inertial_tracker.hpp"
#include "panto/tracking/smoothed_inertial_tracker.hpp"

namespace panto {

struct SwapSearchOptions {
  /// Mean squared innovation, >= 0, above which a sensor disagrees; at 2 already where it is ten times the
  /// median of all sensors.
  double disagreeing = 4.0;
  int reach = 2;                   ///< sensors this far from one that disagrees are tried, >= 0
  std::size_t disagreement = 300;  ///< samples with an innovation above 30 that are looked at, >= 1,
  std::size_t moving = 600;        ///< or in which a sensor turns at 1 rad/s, for `hints_alone`, >= 1,
  std::size_t longest = 10000;     ///< and samples in all, >= 1
  double better = 0.8;  ///< part of the misfit, (0, 1), that must not be left where two were changed over;
  /// or this part, `better` to 1, where nine of ten seconds are better and the mean of all surely is
  double consistent = 0.98;
  int most = 3;           ///< pairs that are looked for, one after the other, >= 0
  std::size_t hints = 5;  ///< of `hinted_exchanges` that are tried
  /// No sensor disagrees, which is known already: only what is hinted at is tried.
  bool hints_alone = false;
};

/// Above this squared innovation a sensor disagrees with the model. `innovations`: of all sensors, means.
[[nodiscard]] double disagreement_limit(std::vector<double> innovations,
                                        const SwapSearchOptions& options = {});

/// The pairs whose change explains the recording better, best first; each is told with the ones before it
/// changed back. Empty: nothing hints at one and no sensor disagrees, or no change helps. Two whole arms
/// cannot be told apart. Filters the begin of the recording once for every pair that is tried.
/// @throws whatever `InertialTracker` refuses; ConfigError for options out of range.
[[nodiscard]] std::vector<SwappedSensors> find_swapped_sensors(const Model& model, const InertialSetup& setup,
                                                               const std::vector<std::string>& sensors,
                                                               const RecordedImuSamples& samples,
                                                               const SwapSearchOptions& options = {});

}  // namespace panto
