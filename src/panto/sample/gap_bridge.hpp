#pragma once
// Continues what a live sample lacks for a moment, as lost datagrams leave it.

#include <cstddef>
#include <limits>
#include <vector>

#include "panto/sample/segment_sample.hpp"

namespace panto {

/// Continues quantities of segments that were measured at most 0.1 s ago: poses by their last rates, rates by
/// their last value. What is missing for longer stays missing. No allocation after construction.
class GapBridge {
 public:
  explicit GapBridge(std::size_t segments);

  /// Returns the sample, completed; a sample that lacks nothing is the same to the bit. It must have as many
  /// segments as the constructor was told. Valid until the next call.
  [[nodiscard]] const SegmentSample& fill(const SegmentSample& sample) noexcept;
  void reset() noexcept;

 private:
  static constexpr Time kNever = std::numeric_limits<Time>::min() / 4;
  // the last measurements of a segment, and when they were
  struct Known {
    SegmentMotion last;
    Time R_at = kNever, p_at = kNever;  // of the pose
    Time w_at = kNever, v_at = kNever;  // of rates that were measured
  };
  static void fill_turn(Known& known, SegmentMotion& now, Time t) noexcept;
  static void fill_place(Known& known, SegmentMotion& now, Time t) noexcept;

  SegmentSample filled_;
  std::vector<Known> known_;
};

}  // namespace panto
