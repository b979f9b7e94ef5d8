#pragma once
// What segments did between two samples.

#include "panto/sample/segment_sample.hpp"

namespace panto {

/// Between two motions of one segment, `share` (0 .. 1) of the way from `a` to `b`: places, rates and touch
/// in a straight line, the orientation by the shortest turn. Known is what both know.
[[nodiscard]] SegmentMotion between(const SegmentMotion& a, const SegmentMotion& b, double share) noexcept;

}  // namespace panto
