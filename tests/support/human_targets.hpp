#pragma once
// A human's poses and what is measured of them.

#include <algorithm>
#include <numbers>
#include <string_view>
#include <vector>

#include "panto/model/human.hpp"
#include "panto/model/kinematics.hpp"
#include "panto/targets/targets.hpp"
#include "tests/support/random_model.hpp"

namespace panto::test {

/// Orientations, places and rates of links at a State; only the base's place has a weight.
inline Targets targets_at(const Model& model, const State& state, const std::vector<int>& links) {
  Kinematics kinematics(model);
  kinematics.update_with_velocities(state);
  Targets targets;
  targets.t = state.t;
  for (const int link : links) {
    Target row;
    row.link = link;
    row.position_weight = model.frame(link).body == 0 ? 25.0 : 0.0;
    row.R_WF = kinematics.R_WL(link);
    row.p_WF = kinematics.p_WL(link);
    row.w_WF = kinematics.w_WL(link);
    row.v_WF = kinematics.v_WL(link);
    row.has_orientation = row.has_position = row.has_angular_velocity = row.has_linear_velocity = true;
    targets.rows.push_back(row);
  }
  return targets;
}

inline std::vector<int> human_links(const Model& model) {
  std::vector<int> links;
  for (const std::string_view name : kHumanSegmentNames) links.push_back(model.link_index(name));
  return links;
}

inline State random_human_state(const Model& model, Random& random) {
  State state = rest_state(model);
  state.p_WB = random_vector(random, 2.0);
  state.R_WB = random_rotation(random);
  for (int i = 0; i < model.dof(); ++i) {
    const double lower = std::max(model.lower()[i], -std::numbers::pi),
                 upper = std::min(model.upper()[i], std::numbers::pi);
    state.s[i] = uniform(random, lower, upper);
  }
  return state;
}

/// All orientations of a human and the place of its pelvis.
inline Targets settling_targets(const Model& model, const State& state) {
  Targets targets = targets_at(model, state, human_links(model));
  for (Target& row : targets.rows) row.has_position = row.position_weight > 0.0;
  return targets;
}

}  // namespace panto::test
