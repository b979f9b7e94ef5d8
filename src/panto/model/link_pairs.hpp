#pragma once
// Chooses the pairs of links whose shapes must not overlap.

#include <Eigen/Core>
#include <utility>
#include <vector>

#include "panto/model/capsule.hpp"
#include "panto/model/model.hpp"

namespace panto {

/// Returns the depth of the overlap of two links' capsules [m]; negative: their distance; minus infinity when
/// one has none. `kinematics` must be up to date.
[[nodiscard]] double link_overlap(const Model& model, int a, int b, const Kinematics& kinematics) noexcept;

/// Returns whether one of two links is at most three joints before the other: such links may touch.
[[nodiscard]] bool are_kin(const Model& model, int a, int b) noexcept;

/// Returns the pairs of links (a < b) that have capsules and can meet. Leaves out kin; pairs that overlap at
/// `rest` (by State::s) and at nearly all poses near it; pairs that overlap at nearly all poses within the
/// limits.
/// @throws ModelError for a rest pose of another size.
[[nodiscard]] std::vector<std::pair<int, int>> link_pairs(const Model& model, const Eigen::VectorXd& rest);

}  // namespace panto
