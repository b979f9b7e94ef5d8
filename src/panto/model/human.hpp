#pragma once
// The human models: 23 segments joined by 22 joints, of 66 or 48 degrees of freedom, scaled to a subject.

#include <Eigen/Core>
#include <array>

#include "panto/model/human_segments.hpp"
#include "panto/model/model.hpp"

namespace panto {

/// Sizes of one person in the T-pose (x forward, y left, z up in every segment).
struct SubjectDimensions {
  using Points = std::array<Eigen::Vector3d, kHumanSegmentCount>;
  double height = 1.75;  ///< [m], 0.3 .. 3
  double mass = 70.0;    ///< [kg], 2 .. 400
  /// Origin of segment i in its parent segment (`kHumanSegmentParent`) [m]; the pelvis entry is unused.
  Points origin = zeros();
  /// Far end of the segments without children (Head, hands, toes) in their own frame [m]; zero elsewhere.
  Points end = zeros();

 private:
  static Points zeros() {
    Points points;
    points.fill(Eigen::Vector3d::Zero());
    return points;
  }
};

/// Returns average adult proportions scaled to `height` [m]; `mass` [kg]. @throws ModelError outside the
/// ranges above.
[[nodiscard]] SubjectDimensions scaled_subject(double height, double mass = 70.0);

/// Builds the model with 66 revolute joints: every joint turns about x, y, z in this order (`<joint>_rotx`,
/// `_roty`, `_rotz`), without limits.
[[nodiscard]] Model human66(const SubjectDimensions& subject = scaled_subject(1.75));

/// Builds the model with 48 revolute joints within clinical limits.
[[nodiscard]] Model human48(const SubjectDimensions& subject = scaled_subject(1.75));

}  // namespace panto
