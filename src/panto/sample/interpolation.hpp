#pragma once
// Interpolates segments between two samples.

#include "panto/sample/segment_sample.hpp"

namespace panto {

/// Interpolates one segment, `share` (0 .. 1) of the way from `a` to `b`: positions, rates and touch
/// linearly, the orientation along the shortest turn. A quantity is valid when it is valid in both.
[[nodiscard]] SegmentMotion between(const SegmentMotion& a, const SegmentMotion& b, double share) noexcept;

}  // namespace panto
