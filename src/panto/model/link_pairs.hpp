#pragma once
// How links hang on each other, and the pairs of links whose shapes must not overlap.

#include <Eigen/Core>
#include <utility>
#include <vector>

#include "panto/model/capsule.hpp"
#include "panto/model/model.hpp"

namespace panto {

/// Returns whether two links move as one; no link (-1) moves with none.
[[nodiscard]] bool move_together(const Model& model, int a, int b) noexcept;

/// Returns whether `link` moves with `carrier`, or is carried by it.
[[nodiscard]] bool is_carried(const Model& model, int link, int carrier) noexcept;

/// Returns the outermost body of the tree that carries both bodies.
[[nodiscard]] int common_body(const Tree& tree, int a, int b) noexcept;

/// Returns the depth of the overlap of two links' capsules [m]; negative: their distance; minus infinity when
/// one has none. `kinematics` must be up to date.
[[nodiscard]] double link_overlap(const Model& model, int a, int b, const Kinematics& kinematics) noexcept;

/// Returns whether one of two links is at most three joints before the other: such links may touch.
[[nodiscard]] bool are_kin(const Model& model, int a, int b) noexcept;

/// Returns the rules of pairs without those that a later rule about the same pair replaces.
[[nodiscard]] std::vector<LinkPairRule> last_rules(const std::vector<LinkPairRule>& rules);

/// Returns the pairs of links (a < b) that have capsules and can meet. Leaves out kin; pairs that overlap at
/// `rest` (by State::s) and at nearly all poses near it, or at a quarter of these if joints of the same link
/// carry both; pairs that overlap at nearly all poses within the limits. The model's own rules
/// (`ModelSpec::pair_rules`) outweigh all of this.
/// @throws ModelError for a rest pose of another size.
[[nodiscard]] std::vector<std::pair<int, int>> link_pairs(const Model& model, const Eigen::VectorXd& rest);

}  // namespace panto
