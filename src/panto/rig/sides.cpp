#include "panto/rig/sides.hpp"

#include <cstdlib>

#include "panto/base/index.hpp"

namespace panto::rig {

std::vector<int> joints_of(const Tree& tree, const Limb& limb) {
  std::vector<int> joints;
  for (const int point : {limb.girdle, limb.root, limb.middle, limb.end, limb.toe}) {
    if (point >= 0 && !tree.is_tip(point)) joints.push_back(point);
  }
  return joints;
}

bool SideVotes::clear() const noexcept { return std::abs(for_side) >= 0.8 * named; }

SideVotes votes_of(const Tree& tree, const NameReading& names, const std::array<Limb, 2>& limbs) {
  SideVotes votes;
  for (const std::size_t side : {0U, 1U}) {
    for (const int joint : joints_of(tree, limbs[side])) {
      const int said = static_cast<int>(names.parts[at(joint)].side);
      votes.named += said != 0 ? 1 : 0;
      votes.for_side += side == 0 ? said : -said;
    }
  }
  return votes;
}

std::optional<int> left_by_names(const Tree& tree, const NameReading& names, const Body& body) {
  const SideVotes legs = votes_of(tree, names, body.leg), arms = votes_of(tree, names, body.arm);
  const SideVotes all{legs.named + arms.named, legs.for_side + arms.for_side};
  if (all.named < 4 || !all.clear()) return std::nullopt;
  return all.for_side > 0 ? 0 : 1;
}

}  // namespace panto::rig
