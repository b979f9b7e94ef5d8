#pragma once
// The sets of points that detectors of people in video give without names, told by their number and, where
// several sets have that number, by the body that they form.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace panto::keypoints {

/// A set of points in the order of a detector.
struct PointSet {
  std::string_view name;       ///< "coco 17"
  std::size_t points;          ///< in a frame
  std::string_view body;       ///< names of the first points, separated by blanks
  std::size_t left_hand = 0;   ///< where the 21 points of a hand begin; 0: no hands in the body's axes
  std::size_t right_hand = 0;  ///< likewise
};

/// Returns the names of a set's points by index; empty names belong to no point of the body.
[[nodiscard]] std::vector<std::string> names_of(const PointSet& set);

/// Finds the set of points without names. `positions` are frames x points x 3, NaN where not seen. The limbs
/// decide between sets of the same number: they keep their lengths, alike on both sides. Returns nullptr and
/// the reason in `problem` when no set has that number, or two fit alike.
[[nodiscard]] const PointSet* find_point_set(std::size_t points, std::span<const double> positions,
                                             std::string& problem);

/// Returns how badly limbs keep their lengths, differ between the sides and are out of proportion, as a mean
/// share of their length; infinite where limbs are not named. A body has 0.1, other joints under a body's
/// names 0.3 and more.
[[nodiscard]] double limb_misfit(const std::vector<std::string>& names, std::span<const double> positions);

/// Returns true for a number of points that some set has.
[[nodiscard]] bool is_point_count(std::size_t points) noexcept;

/// Returns the confidence below which a detector's own programs take a point as not seen.
[[nodiscard]] double least_confidence(std::string_view family) noexcept;

}  // namespace panto::keypoints
