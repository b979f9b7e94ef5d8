#pragma once
// A person's dimensions from points that a recording or stream tells.

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "panto/model/human.hpp"

namespace panto {

/// What was measured of a person, in the T-pose (x forward, y left, z up) [m].
struct SubjectPoints {
  /// Origin of segment i in its parent segment; the pelvis entry is unused.
  SubjectDimensions::Points origin = SubjectDimensions{}.origin;
  /// Far ends of Head, hands and toes in their own frames; unset: unknown.
  std::array<std::optional<Eigen::Vector3d>, kHumanSegmentCount> end{};
  /// Height of the lowest surface point of both feet and toes, from the pelvis' origin; unset: unknown.
  std::optional<double> sole;
};

/// Returns MVN's name of the far end of a segment without children ("pTopOfHead"); empty for the others.
[[nodiscard]] std::string_view far_end_name(int segment) noexcept;

/// Returns the height of each segment's origin above the pelvis in the T-pose [m].
[[nodiscard]] std::array<double, kHumanSegmentCount> height_over_pelvis(
    const SubjectDimensions::Points& origin) noexcept;

/// Returns the dimensions. The height is from the sole to the top of the head if both are known, else by the
/// span from ankle to head; missing or implausible ends are average ones. Returns nothing, with a note of the
/// reason, if a segment is longer than 1.5 m or the height is not within 0.3 .. 3 m.
[[nodiscard]] std::optional<SubjectDimensions> measured_subject(const SubjectPoints& points,
                                                                std::vector<std::string>& notes);

}  // namespace panto
