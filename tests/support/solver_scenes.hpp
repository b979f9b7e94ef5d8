#pragma once
// Models, targets and motions that every solver is tried on.

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "panto/base/index.hpp"
#include "panto/math/so3.hpp"
#include "panto/model/human.hpp"
#include "panto/model/kinematics.hpp"
#include "panto/targets/targets.hpp"
#include "tests/support/random_model.hpp"

namespace panto::test {

/// A hinge called "j_<child>".
inline Joint hinge(const std::string& parent, const std::string& child, const Eigen::Vector3d& p,
                   const Eigen::Vector3d& axis, double lower, double upper, double velocity) {
  Joint joint;
  joint.name = "j_" + child;
  joint.type = JointType::Revolute;
  joint.parent = parent;
  joint.child = child;
  joint.p_PJ = p;
  joint.axis = axis;
  joint.lower = lower;
  joint.upper = upper;
  joint.velocity = velocity;
  return joint;
}

/// A floating torso with a head and two arms, axes on and off the coordinate axes, every joint limited in
/// angle and speed: 12 joints.
inline Model small_robot() {
  ModelSpec spec;
  spec.name = "small robot";
  spec.links = {{"torso", 10.0}};
  const auto add = [&](const std::string& parent, const std::string& child, const Eigen::Vector3d& p,
                       const Eigen::Vector3d& axis, double lower, double upper) {
    spec.links.push_back({child, 1.0});
    spec.joints.push_back(hinge(parent, child, p, axis.normalized(), lower, upper, 10.0));
  };
  add("torso", "neck", {0.0, 0.0, 0.4}, {0.0, 1.0, 0.0}, -0.6, 0.7);
  add("neck", "head", {0.0, 0.0, 0.1}, {0.0, 0.0, 1.0}, -1.2, 1.2);
  for (const double side : {1.0, -1.0}) {
    const std::string name = side > 0.0 ? "left_" : "right_";
    add("torso", name + "pitch", {0.0, 0.2 * side, 0.3}, {0.0, 1.0, 0.1 * side}, -2.0, 1.5);
    add(name + "pitch", name + "roll", {0.0, 0.05 * side, 0.0}, {1.0, 0.0, 0.0}, side > 0.0 ? -0.2 : -2.5,
        side > 0.0 ? 2.5 : 0.2);
    add(name + "roll", name + "yaw", {0.0, 0.0, -0.1}, {0.0, 0.0, 1.0}, -1.5, 1.5);
    add(name + "yaw", name + "elbow", {0.0, 0.0, -0.2}, {0.0, 1.0, 0.0}, -2.2, 0.0);
    add(name + "elbow", name + "wrist", {0.0, 0.0, -0.2}, {1.0, 0.3, 0.0}, -0.8, 0.8);
  }
  return Model(spec);
}

/// A floating body with the modules of an upper-body humanoid: a waist of pan and tilt, a spherical neck, and
/// arms whose twists are written down at the shoulder: 17 joints with limits. Links without mass are between
/// a module's joints.
inline Model upper_body() {
  ModelSpec spec;
  spec.name = "upper body";
  spec.links = {{"Pelvis", 10.0}};
  std::vector<double> rest;
  const auto add = [&](const std::string& parent, const std::string& child, const Eigen::Vector3d& p,
                       const Eigen::Vector3d& axis, double middle, double mass) {
    spec.links.push_back({child, mass, {0.1, 0.0, 0.0}});
    spec.joints.push_back(hinge(parent, child, p, axis, middle - 1.0, middle + 1.0, 15.0));
    rest.push_back(middle);
  };
  const Eigen::Vector3d x = Eigen::Vector3d::UnitX(), y = Eigen::Vector3d::UnitY(),
                        z = Eigen::Vector3d::UnitZ(), zero = Eigen::Vector3d::Zero();
  add("Pelvis", "waist", {0.0, 0.0, 0.1}, z, 0.0, 0.0);
  add("waist", "torso", zero, y, 0.1, 5.0);
  add("torso", "neck_1", {0.0, 0.0, 0.4}, z, 0.0, 0.0);
  add("neck_1", "neck_2", zero, y, 0.0, 0.0);
  add("neck_2", "head", zero, x, 0.0, 2.0);
  for (const double side : {1.0, -1.0}) {
    const std::string name = side > 0.0 ? "left_" : "right_";
    add("torso", name + "pan", {0.0, 0.2 * side, 0.3}, -y, -1.0, 0.0);
    add(name + "pan", name + "tilt", zero, z, 0.2 * side, 0.0);
    add(name + "tilt", name + "upper_arm", zero, x, -1.0 * side, 1.0);
    add(name + "upper_arm", name + "elbow", {0.3, 0.0, 0.0}, z, -1.1 * side, 0.0);
    add(name + "elbow", name + "forearm", zero, x, 0.0, 1.0);
    add(name + "forearm", name + "hand", {0.25, 0.0, 0.0}, z, 0.0, 0.5);
  }
  spec.rest = Eigen::Map<const Eigen::VectorXd>(rest.data(), static_cast<Eigen::Index>(rest.size()));
  return Model(spec);
}

/// A tree of about thirty joints that is the same every time: sliders, parallel axes, triples, limits.
inline Model random_tree() {
  RandomModelOptions options;
  options.min_joints = options.max_joints = 30;
  options.min_scale = options.max_scale = 0.3;
  return random_model(20, options);
}

/// Orientation targets on all links (with a pelvis: those with mass, the segments) and the position of the
/// base, nothing measured yet.
inline std::vector<Target> all_rows(const Model& model) {
  std::vector<Target> rows;
  const bool human = model.find_link("Pelvis").has_value();
  for (int link = 0; link < model.link_count(); ++link) {
    if (human && model.links()[at(link)].mass <= 0.0) continue;
    Target row;
    row.link = link;
    row.position_weight = link == model.root_link() ? 25.0 : 0.0;
    rows.push_back(row);
  }
  return rows;
}

/// What an observer of `state` would measure, rates included.
inline void observe(const Model& model, const State& state, Targets& targets) {
  Kinematics kinematics(model);
  kinematics.update_with_velocities(state);
  targets.t = state.t;
  for (Target& row : targets.rows) {
    row.R_WF = kinematics.R_WL(row.link);
    row.p_WF = kinematics.p_WL(row.link);
    row.w_WF = kinematics.w_WL(row.link);
    row.v_WF = kinematics.v_WL(row.link);
    row.has_orientation = row.has_position = row.has_angular_velocity = row.has_linear_velocity = true;
  }
}

inline Targets observed(const Model& model, const State& state) {
  Targets targets{state.t, all_rows(model)};
  observe(model, state, targets);
  return targets;
}

inline void stand_still(State& state) {
  state.v_WB.setZero();
  state.w_WB.setZero();
  state.sdot.setZero();
}

/// Standing still: joints up to `size` from the rest pose, inside their limits; any base pose.
inline State random_pose(const Model& model, Random& random, double size) {
  State state = rest_state(model);
  state.p_WB = random_vector(random, 1.0);
  state.R_WB = random_rotation(random);
  for (int i = 0; i < model.dof(); ++i) {
    state.s[i] =
        std::clamp(model.rest()[i] + uniform(random, -size, size), model.lower()[i], model.upper()[i]);
  }
  return state;
}

/// A smooth motion inside the limits of angle and speed, with exact velocities: sines about the middle of
/// what joints may do.
class SmoothMotion {
 public:
  SmoothMotion(const Model& model, Random& random, double size = 0.5) : state_(rest_state(model)) {
    for (int i = 0; i < model.dof(); ++i) {
      const double lower = std::max(model.lower()[i], model.rest()[i] - size),
                   upper = std::min(model.upper()[i], model.rest()[i] + size);
      const double reach = 0.45 * (upper - lower), speed = uniform(random, 1.0, 4.0);
      waves_.push_back({0.5 * (lower + upper), reach,
                        std::min(speed, 0.8 * model.velocity_limit()[i] / std::max(reach, 1e-9)),
                        uniform(random, 0.0, 6.0)});
    }
    turn_ = random_vector(random, 0.7);
    drift_ = random_vector(random, 0.5);
  }

  const State& at_time(Time t) {
    const double seconds = to_seconds(t);
    state_.t = t;
    state_.R_WB = so3::exp(seconds * turn_);
    state_.w_WB = turn_;
    state_.p_WB = seconds * drift_;
    state_.v_WB = drift_;
    for (std::size_t i = 0; i < waves_.size(); ++i) {
      const Wave& wave = waves_[i];
      const auto k = static_cast<Eigen::Index>(i);
      state_.s[k] = wave.middle + wave.size * std::sin(wave.frequency * seconds + wave.phase);
      state_.sdot[k] = wave.size * wave.frequency * std::cos(wave.frequency * seconds + wave.phase);
    }
    return state_;
  }

 private:
  struct Wave {
    double middle, size, frequency, phase;
  };
  State state_;
  std::vector<Wave> waves_;
  Eigen::Vector3d turn_, drift_;
};

/// Largest angle between a link and its orientation target [rad].
inline double worst_angle(const Model& model, const State& state, const Targets& targets) {
  Kinematics kinematics(model);
  kinematics.update(state);
  double worst = 0.0;
  for (const Target& row : targets.rows) {
    if (row.has_orientation && row.orientation_weight > 0.0)
      worst = std::max(worst, so3::distance(row.R_WF, kinematics.R_WL(row.link)));
  }
  return worst;
}

/// Largest distance beyond a joint limit; negative inside.
inline double beyond_limits(const Model& model, const State& state) {
  return std::max((state.s - model.upper()).maxCoeff(), (model.lower() - state.s).maxCoeff());
}

}  // namespace panto::test
