#pragma once
// Holds results against what they must keep.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "panto/evaluation/figures.hpp"
#include "panto/evaluation/thresholds.hpp"
#include "panto/robot/map.hpp"

namespace panto {

/// Returns the figures of a card under the keys of its JSON form, in its order; what is not known, or not
/// finite, has no number.
[[nodiscard]] std::vector<ReportValue> report_values(const ReportCard& card);

/// One threshold and what became of it.
struct Check {
  CheckResult result;
  bool failed = false;
  std::string worst;  ///< where in the recording a failed figure is worst; empty: not known
};

/// What became of all thresholds.
struct CheckReport {
  std::vector<Check> checks;
  std::int64_t failed = 0;  ///< of them
};

/// How `check` works.
struct CheckOptions {
  bool absent_passes = false;  ///< a figure that is not known passes; false: it fails
  /// Tells where in the run the figure of a key is worst, or nothing; may be empty.
  std::function<std::string(const std::string& key)> worst = {};
};

/// Holds figures against thresholds. @throws ConfigError for a key that the figures do not have (with the
/// nearest) and for an order of texts.
[[nodiscard]] CheckReport check(const std::vector<ReportValue>& values,
                                const std::vector<Threshold>& thresholds, const CheckOptions& options = {});
/// Holds a report card against thresholds. @throws as above.
[[nodiscard]] CheckReport check(const ReportCard& card, const std::vector<Threshold>& thresholds,
                                const CheckOptions& options = {});

/// Checks that every key of the thresholds is one of a report card. @throws ConfigError for one that is not.
void check_keys(const std::vector<Threshold>& thresholds);

/// What is wrong with a robot map for its model.
struct MapCheck {
  std::vector<robot::MapFault> faults;  ///< errors first
  bool usable = false;                  ///< none of them is an error
};

/// Checks a robot map against its model.
[[nodiscard]] MapCheck check(const robot::Map& map, const Model& model);

}  // namespace panto
