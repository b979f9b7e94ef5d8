#pragma once
// The side that joint names give to the limbs of a body.

#include <array>
#include <optional>
#include <vector>

#include "panto/rig/names.hpp"
#include "panto/rig/shape.hpp"

namespace panto::rig {

/// Returns the joints of a limb, from the girdle to the toe.
[[nodiscard]] std::vector<int> joints_of(const Tree& tree, const Limb& limb);

/// Evidence from joint names for side 0 being left.
struct SideVotes {
  int named = 0;     ///< joints whose names have a side
  int for_side = 0;  ///< votes for it minus votes against it

  /// Returns whether nearly all agree.
  [[nodiscard]] bool clear() const noexcept;
};
[[nodiscard]] SideVotes votes_of(const Tree& tree, const NameReading& names,
                                 const std::array<Limb, 2>& limbs);

/// Returns the side that is left if at least four joints have a side in their name and nearly all agree.
[[nodiscard]] std::optional<int> left_by_names(const Tree& tree, const NameReading& names, const Body& body);

}  // namespace panto::rig
