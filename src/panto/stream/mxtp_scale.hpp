#pragma once
// Collects the dimensions of a character from datagrams of type 13.

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "panto/model/human.hpp"

namespace panto::stream {

/// Segment origins in the T-pose and the points that tell ends and height; several datagrams, in any order,
/// repeated as often as the sender likes.
class MxtpScale {
 public:
  /// Takes a datagram of type 13. Returns false, and keeps nothing of it, when it is damaged. Does not
  /// allocate.
  bool take(std::span<const std::byte> datagram) noexcept;

  [[nodiscard]] bool any() const noexcept { return segments_ != 0; }

  /// Returns the dimensions, or nothing with a note of what is missing.
  [[nodiscard]] std::optional<SubjectDimensions> person(std::vector<std::string>& notes) const;

 private:
  std::uint32_t segments_ = 0;  // bit i: segment i has come
  std::array<Eigen::Vector3d, kHumanSegmentCount> p_W_;
  std::array<std::optional<Eigen::Vector3d>, kHumanSegmentCount> end_{};
  // lowest surface point of each segment in its frame, with z up and with y up [m]
  std::array<std::array<double, 2>, kHumanSegmentCount> lowest_ = nothing();

  static std::array<std::array<double, 2>, kHumanSegmentCount> nothing() {
    std::array<std::array<double, 2>, kHumanSegmentCount> lowest{};
    lowest.fill({std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()});
    return lowest;
  }
};

}  // namespace panto::stream
