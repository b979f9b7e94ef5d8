#pragma once
// Checks results against thresholds, and robot maps against their models.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "panto/evaluation/figures.hpp"
#include "panto/evaluation/thresholds.hpp"
#include "panto/robot/map.hpp"

namespace panto {

/// Returns the figures of a card under the keys of its JSON form, in its order; unknown and non-finite
/// figures have no number.
[[nodiscard]] std::vector<ReportValue> report_values(const ReportCard& card);

/// One threshold and its result.
struct Check {
  CheckResult result;
  bool failed = false;
  std::string worst;  ///< where in the recording a failed figure is worst; empty: unknown
};

/// The results of all thresholds.
struct CheckReport {
  std::vector<Check> checks;
  std::int64_t failed = 0;  ///< of them
};

/// How `check` works.
struct CheckOptions {
  bool absent_passes = false;  ///< unknown figures pass; false: they fail
  /// Tells where in the run the figure of a key is worst, or nothing; may be empty.
  std::function<std::string(const std::string& key)> worst = {};
};

/// Checks figures against thresholds. @throws ConfigError for a key that the figures lack (with the nearest)
/// and for texts compared by < or >.
[[nodiscard]] CheckReport check(const std::vector<ReportValue>& values,
                                const std::vector<Threshold>& thresholds, const CheckOptions& options = {});
/// Checks a report card against thresholds. @throws as above.
[[nodiscard]] CheckReport check(const ReportCard& card, const std::vector<Threshold>& thresholds,
                                const CheckOptions& options = {});

/// Checks that report cards have every key of the thresholds. @throws ConfigError for one that they lack.
void check_keys(const std::vector<Threshold>& thresholds);

/// The faults of a robot map for its model.
struct MapCheck {
  std::vector<robot::MapFault> faults;  ///< errors first
  bool usable = false;                  ///< none of them is an error
};

/// Checks a robot map against its model.
[[nodiscard]] MapCheck check(const robot::Map& map, const Model& model);

}  // namespace panto
