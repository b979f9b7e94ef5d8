#pragma once
// Finds points that a camera system lost without saying so: frozen, exchanged with another, or astray for a
// moment.

#include <span>
#include <vector>

#include "panto/base/time.hpp"
#include "panto/keypoints/point_bones.hpp"

namespace panto::keypoints {

/// Frames `first` to `last` of a point; of two points that are exchanged, `other` is the second one.
struct PointSpan {
  int point = 0, first = 0, last = 0, other = -1;
};

/// Returns where points stay in place to within 0.1 mm for 0.1 s or longer while the bones to their
/// neighbours change by over 30 mm, or a neighbour is frozen so. The first frame of a standstill was still
/// measured. `metre`: in the table's unit.
[[nodiscard]] std::vector<PointSpan> frozen_points(const PointTable& table,
                                                   const std::vector<PointBone>& bones,
                                                   std::span<const Time> times, double metre);

/// Returns where two points are exchanged: at the first frame both jump to where the other one was, and at
/// the end back. Bones, or a second pair of left and right, must agree. Of a pair that is exchanged in most
/// frames, the other frames are returned. `mirror`: the column of the same point on the other side, or -1.
[[nodiscard]] std::vector<PointSpan> exchanged_points(const PointTable& table,
                                                      const std::vector<PointBone>& bones,
                                                      std::span<const Time> times,
                                                      const std::vector<int>& mirror, double metre);

/// Returns single frames in which a point is far off both its neighbours in time, and off its bones.
[[nodiscard]] std::vector<PointSpan> stray_points(const PointTable& table,
                                                  const std::vector<PointBone>& bones, double metre);

}  // namespace panto::keypoints
