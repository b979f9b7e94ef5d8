#pragma once
// A robot whose base does not float: the upper body of the G1, bolted to the world or on wheels.

#include <string>
#include <utility>

#include "tests/support/bundled_walk.hpp"

namespace panto::test {

inline constexpr double kWheel = 0.1;  ///< [m] radius
inline constexpr double kAxle = 0.35;  ///< [m] below the root

/// The upper body of the G1 from its waist on; on wheels, or not.
inline Model upper_body(bool wheels) {
  const Model g1 = shipped_robot("unitree_g1").model;
  ModelSpec spec;
  spec.name = "upper";
  const auto is_leg = [](const std::string& name) {
    return name.find("hip") != std::string::npos || name.find("knee") != std::string::npos ||
           name.find("ankle") != std::string::npos;
  };
  for (const Link& link : g1.links())
    if (!is_leg(link.name)) spec.links.push_back(link);
  for (const Joint& joint : g1.all_joints())
    if (!is_leg(joint.child)) spec.joints.push_back(joint);
  for (const auto& [name, y] : {std::pair<std::string, double>{"left_wheel", 0.2}, {"right_wheel", -0.2}}) {
    if (!wheels) break;
    Link wheel{.name = name, .mass = 2.0};
    wheel.inertia = Eigen::Vector3d(0.6, 1.0, 0.6).asDiagonal() * (0.5 * 2.0 * kWheel * kWheel);
    spec.links.push_back(wheel);
    Joint joint{name + "_joint", JointType::Revolute, "pelvis", name};
    joint.p_PJ = {0.0, y, -kAxle};
    joint.axis = Eigen::Vector3d::UnitY();
    spec.joints.push_back(joint);
  }
  return Model(std::move(spec));
}

}  // namespace panto::test
