#pragma once
// Finds sensors that may be swapped: which two fit better in each other's positions.
// docs/algorithms/swapped_sensors.md

#include <functional>
#include <string>
#include <vector>

#include "panto/evaluation/findings.hpp"
#include "panto/tracking/inertial_tracker.hpp"
#include "panto/tracking/smoothed_inertial_tracker.hpp"

namespace panto {

struct SwapSearchOptions {
  /// Mean squared innovation, >= 0, above which a sensor disagrees; 2 is enough if it is ten times the median
  /// of all sensors.
  double disagreeing = 4.0;
  int reach = 2;                   ///< tries sensors this far from one that disagrees, >= 0
  std::size_t disagreement = 300;  ///< number of evaluated samples with an innovation above 30, >= 1,
  std::size_t moving = 600;        ///< or in which a sensor turns at 1 rad/s, for `hints_alone`, >= 1,
  std::size_t longest = 10000;     ///< and of samples in total, >= 1
  double better = 0.8;             ///< share of the misfit, (0, 1), below which a swap is accepted;
  /// or this share, `better` to 1, if nine of ten seconds improve and the mean of all does significantly
  double consistent = 0.98;
  int most = 3;           ///< largest number of pairs, found one after the other, >= 0
  std::size_t hints = 5;  ///< number of `hinted_exchanges` that are tried
  /// No sensor disagrees, as is already known: tries only the hinted exchanges.
  bool hints_alone = false;
  /// Called at every sample that is filtered; an exception ends the search. May be empty.
  std::function<void()> watch = {};
};

/// Returns the limit of the squared innovation above which a sensor disagrees with the model. `innovations`:
/// means of all sensors.
[[nodiscard]] double disagreement_limit(std::vector<double> innovations,
                                        const SwapSearchOptions& options = {});

/// Returns the pairs whose swap explains the recording better, best first; each applies with the pairs before
/// it swapped back. Empty if nothing hints at one and no sensor disagrees, or if no swap helps. Two whole
/// arms cannot be distinguished. Filters the beginning of the recording once per tried pair. @throws as
/// `InertialTracker` does; ConfigError for options out of range.
[[nodiscard]] std::vector<SwappedSensors> find_swapped_sensors(const Model& model, const InertialSetup& setup,
                                                               const std::vector<std::string>& sensors,
                                                               const RecordedImuSamples& samples,
                                                               const SwapSearchOptions& options = {});

}  // namespace panto
