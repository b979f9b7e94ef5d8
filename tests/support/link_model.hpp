#pragma once
// A small robot for tests of the live link: a chain of revolute joints with limits and speeds.

#include <string>
#include <utility>

#include "panto/model/model.hpp"

namespace panto::test {

/// Joints "joint_0" ... with limits +-1.5 rad and 4 rad/s, each 0.1 m above the one before.
inline Model chain_model(int joints, double limit = 1.5, double speed = 4.0) {
  ModelSpec spec;
  spec.name = "chain";
  Link base;
  base.name = "base";
  spec.links.push_back(base);
  for (int i = 0; i < joints; ++i) {
    Link link;
    link.name = "link_" + std::to_string(i);
    Joint joint;
    joint.name = "joint_" + std::to_string(i);
    joint.type = JointType::Revolute;
    joint.parent = spec.links.back().name;
    joint.child = link.name;
    joint.axis = Eigen::Vector3d::Unit(i % 3);
    joint.p_PJ = {0.0, 0.0, 0.1};
    joint.lower = -limit;
    joint.upper = limit;
    joint.velocity = speed;
    spec.links.push_back(link);
    spec.joints.push_back(joint);
  }
  return Model{std::move(spec)};
}

}  // namespace panto::test
