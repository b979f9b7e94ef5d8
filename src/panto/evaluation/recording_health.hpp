#pragma once
// Finds oddities of a recording from its samples: jumps, gaps, repeated frames, constant or missing segments,
// left and right swapped, the floor, drift, wrong units. Rules and thresholds:
// docs/algorithms/recording_health.md.

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "panto/evaluation/findings.hpp"
#include "panto/sample/segment_sample.hpp"

namespace panto {

/// Watches a recording go by. Segments are told by MVN's names; others count for faults of values and steps
/// only.
class RecordingHealth {
 public:
  /// `names`: segments in the sample's order. `rate_hz`: nominal, for gaps; 0: the median interval.
  /// `first_frame`: number of the first sample in its file, 1 after an omitted rest pose.
  RecordingHealth(const std::vector<std::string>& names, double rate_hz, std::int64_t first_frame = 0);
  ~RecordingHealth();
  RecordingHealth(RecordingHealth&&) noexcept;
  RecordingHealth& operator=(RecordingHealth&&) noexcept;

  void add(const SegmentSample& sample);

  [[nodiscard]] RecordingFigures figures() const;
  /// Returns the findings, most severe first; one of each kind, with all its segments.
  [[nodiscard]] std::vector<Finding> findings() const;

 private:
  struct Watches;
  std::unique_ptr<Watches> watches_;
};

}  // namespace panto
