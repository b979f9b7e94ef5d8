#pragma once
// A trunk with two arms of three hinges each, and capsules for all links.

#include <string>
#include <vector>

#include "panto/retarget/clear_motion.hpp"
#include "tests/support/solver_scenes.hpp"

namespace panto::test {

inline ModelSpec two_arms_spec() {
  const Eigen::Vector3d y = Eigen::Vector3d::UnitY(), z = Eigen::Vector3d::UnitZ();
  ModelSpec spec;
  spec.name = "two_arms";
  spec.floating_base = false;
  spec.links.push_back({"trunk"});
  spec.links.back().capsules = {{{0.0, 0.0, -0.3}, {0.0, 0.0, 0.25}, 0.1}};
  for (const std::string& side : {std::string("left"), std::string("right")}) {
    const double out = side == "left" ? 0.2 : -0.2;
    for (const char* part : {"_shoulder", "_upper", "_fore"}) spec.links.push_back({side + part});
    spec.links[spec.links.size() - 2].capsules = {{{0.03, 0.0, 0.0}, {0.22, 0.0, 0.0}, 0.03}};
    spec.links.back().capsules = {{{0.03, 0.0, 0.0}, {0.25, 0.0, 0.0}, 0.03}};
    spec.joints.push_back(hinge("trunk", side + "_shoulder", {0.0, out, 0.2}, z, -2.5, 2.5, 20.0));
    spec.joints.push_back(hinge(side + "_shoulder", side + "_upper", {0.0, 0.0, 0.0}, y, -1.5, 1.5, 20.0));
    spec.joints.push_back(hinge(side + "_upper", side + "_fore", {0.25, 0.0, 0.0}, z, -2.4, 2.4, 20.0));
  }
  return spec;
}

/// Upper arms and forearms of one arm against those of the other, and forearms against the trunk; all joints
/// give way.
inline ClearBody two_arms_body(const Model& model) {
  ClearBody all;
  for (int link = 0; link < model.link_count(); ++link)
    for (const LinkCapsule& c : model.links()[static_cast<std::size_t>(link)].capsules)
      all.body.capsules.push_back(
          {model.link_names()[static_cast<std::size_t>(link)], {link, c.from}, {link, c.to}, c.radius});
  all.body.pairs = {{0, 2}, {0, 4}, {1, 3}, {1, 4}, {2, 3}, {2, 4}};
  all.giving.cost = Eigen::VectorXd::Ones(model.dof());
  all.giving.rank.assign(static_cast<std::size_t>(model.dof()), 0);
  return all;
}

/// Returns the smallest distance of the pairs.
inline double smallest_distance(const Model& model, const CapsuleBody& body, const State& state) {
  Kinematics kinematics(model);
  kinematics.update(state);
  double smallest = kInfinity;
  for (const auto& [a, b] : body.pairs)
    smallest = std::min(smallest, -overlap(body.capsules[static_cast<std::size_t>(a)],
                                           body.capsules[static_cast<std::size_t>(b)], kinematics));
  return smallest;
}

}  // namespace panto::test
