#include "panto/retarget/link_pairs.hpp"

#include <algorithm>

#include "panto/base/index.hpp"

namespace panto {

CapsuleBody link_pairs(const Model& model) {
  CapsuleBody body;
  std::vector<int> link_of;
  for (int link = 0; link < model.link_count(); ++link)
    for (const LinkCapsule& c : model.links()[at(link)].capsules) {
      body.capsules.push_back({model.link_names()[at(link)], {link, c.from}, {link, c.to}, c.radius});
      link_of.push_back(link);
    }
  const auto kin = [&](int a, int b) {
    for (int i = 0; i <= 3 && a >= 0; ++i, a = model.tree().parent[at(a)])
      if (a == b) return true;
    return false;
  };
  Kinematics kinematics(model);
  State state = rest_state(model);
  state.s = model.rest();
  kinematics.update(state);
  std::vector<std::pair<int, int>> touching;
  const int n = static_cast<int>(link_of.size());
  for (int a = 0; a < n; ++a)
    for (int b = 0; b < a; ++b)
      if (overlap(body.capsules[at(a)], body.capsules[at(b)], kinematics) > 0.0)
        touching.emplace_back(link_of[at(b)], link_of[at(a)]);
  for (int a = 0; a < n; ++a)
    for (int b = 0; b < a; ++b) {
      const int one = model.frame(link_of[at(a)]).body, two = model.frame(link_of[at(b)]).body;
      if (one == two || kin(one, two) || kin(two, one) ||
          std::find(touching.begin(), touching.end(), std::pair(link_of[at(b)], link_of[at(a)])) !=
              touching.end())
        continue;
      body.pairs.emplace_back(b, a);
    }
  return body;
}

}  // namespace panto
