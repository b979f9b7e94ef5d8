#pragma once
// Random kinematic trees and states, the same for a seed on every machine (no std distributions, whose
// sequences are the library's choice).

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <utility>

#include "panto/math/so3.hpp"
#include "panto/model/model.hpp"
#include "panto/model/state.hpp"

namespace panto::test {

using Random = std::mt19937_64;

/// Uniform in [low, high).
inline double uniform(Random& random, double low, double high) {
  return low + (high - low) * (static_cast<double>(random() >> 11) * 0x1p-53);
}

/// Uniform in 0 .. count - 1.
inline int pick(Random& random, int count) {
  return static_cast<int>(random() % static_cast<std::uint64_t>(count));
}

inline bool chance(Random& random, double probability) { return uniform(random, 0.0, 1.0) < probability; }

inline Eigen::Vector3d random_vector(Random& random, double size) {
  const double x = uniform(random, -size, size), y = uniform(random, -size, size);
  return {x, y, uniform(random, -size, size)};
}

inline Eigen::Vector3d random_direction(Random& random) {
  for (;;) {
    const Eigen::Vector3d v = random_vector(random, 1.0);
    if (v.norm() > 0.1 && v.norm() < 1.0) return v.normalized();
  }
}

inline Eigen::Matrix3d random_rotation(Random& random) {
  const double angle = uniform(random, -3.1, 3.1);
  return so3::exp(angle * random_direction(random));
}

struct RandomModelOptions {
  int min_joints = 1;
  int max_joints = 80;     ///< movable and fixed ones together; a triple may exceed it by two
  double min_scale = 0.1;  ///< size of a link [m], drawn once for a model, uniform in its logarithm
  double max_scale = 10.0;
  bool limits = true;
  bool mimics = false;
};

/// A tree of revolute, prismatic and fixed joints: chains and branches, links of no length, parallel axes in
/// series, spherical triples, axes along and off the coordinate axes. Joints are listed in an order of their
/// own, so that nothing relies on parents coming first.
class RandomTree {
 public:
  RandomTree(std::uint64_t seed, const RandomModelOptions& options) : random_(seed), options_(options) {
    spec_.name = "random" + std::to_string(seed);
    scale_ = std::exp(uniform(random_, std::log(options.min_scale), std::log(options.max_scale)));
    add_link();
    const int count = options.min_joints + pick(random_, options.max_joints - options.min_joints + 1);
    while (static_cast<int>(spec_.joints.size()) < count) add_motif();
    shuffle();
    if (options.mimics) add_mimics();
  }

  ModelSpec spec() && { return std::move(spec_); }

 private:
  std::string add_link() {
    Link link;
    link.name = "link" + std::to_string(spec_.links.size());
    if (chance(random_, 0.7)) {
      link.mass = uniform(random_, 0.01, 20.0);
      link.com = random_vector(random_, scale_);
      const Eigen::Matrix3d R = random_rotation(random_);
      const Eigen::Vector3d moments = Eigen::Vector3d::Constant(1.1) + random_vector(random_, 0.3);
      const Eigen::Matrix3d I = link.mass * scale_ * scale_ * (R * moments.asDiagonal() * R.transpose());
      link.inertia = 0.5 * (I + I.transpose());
    }
    spec_.links.push_back(link);
    return link.name;
  }

  Eigen::Vector3d axis() {
    if (chance(random_, 0.4)) return random_direction(random_);
    return (chance(random_, 0.5) ? 1.0 : -1.0) * Eigen::Vector3d::Unit(pick(random_, 3));
  }

  void set_limits(Joint& joint) {
    const double size = joint.type == JointType::Revolute ? 2.5 : scale_;
    if (chance(random_, 0.5)) joint.velocity = uniform(random_, 0.5, 20.0);
    if (chance(random_, 0.3)) joint.effort = uniform(random_, 1.0, 200.0);
    if (!options_.limits || chance(random_, 0.3)) return;
    // around zero, or (1 in 4) to one side of it
    const double middle = chance(random_, 0.25) ? uniform(random_, -size, size) : 0.0;
    if (chance(random_, 0.9)) joint.lower = middle - uniform(random_, 0.0, size);
    if (chance(random_, 0.9)) joint.upper = middle + uniform(random_, 0.0, size);
  }

  Joint& add_joint(JointType type, const std::string& parent, const Eigen::Vector3d& p_PJ) {
    Joint joint;
    joint.name = "joint" + std::to_string(spec_.joints.size());
    joint.type = type;
    joint.parent = parent;
    joint.child = add_link();
    joint.p_PJ = p_PJ;
    if (chance(random_, 0.5)) joint.R_PJ = random_rotation(random_);
    if (type != JointType::Fixed) {
      joint.axis = axis();
      set_limits(joint);
    }
    spec_.joints.push_back(joint);
    return spec_.joints.back();
  }

  Eigen::Vector3d offset() {
    if (chance(random_, 0.15)) return Eigen::Vector3d::Zero();
    return random_vector(random_, scale_);
  }

  void add_motif() {
    const bool branch = chance(random_, 0.25);
    const std::size_t on = branch ? random_() % spec_.links.size() : spec_.links.size() - 1;
    const std::string parent = spec_.links[on].name;
    const double kind = uniform(random_, 0.0, 1.0);
    if (kind < 0.15) {
      add_joint(JointType::Fixed, parent, offset());
    } else if (kind < 0.25) {
      add_joint(JointType::Prismatic, parent, offset());
    } else if (kind < 0.40) {
      add_parallel_pair(parent);
    } else if (kind < 0.65) {
      add_triple(parent);
    } else {
      add_joint(JointType::Revolute, parent, offset());
    }
  }

  void add_parallel_pair(const std::string& parent) {
    const Eigen::Vector3d shared = axis();
    Joint& first = add_joint(JointType::Revolute, parent, offset());
    first.axis = shared;
    const std::string between = first.child;
    Joint& second = add_joint(JointType::Revolute, between, offset());
    second.R_PJ.setIdentity();
    second.axis = chance(random_, 0.5) ? shared : Eigen::Vector3d{-shared};
  }

  // three axes through one point: each perpendicular to its neighbours, or (1 in 4) at random
  void add_triple(const std::string& parent) {
    const bool any = chance(random_, 0.25);
    const int first = pick(random_, 3), step = 1 + pick(random_, 2);
    const bool proper_euler = chance(random_, 0.2);  // z-x-z and its like
    std::string on = parent;
    for (int k = 0; k < 3; ++k) {
      Joint& joint = add_joint(JointType::Revolute, on, k == 0 ? offset() : Eigen::Vector3d::Zero());
      const int axis_index = k == 2 && proper_euler ? first : (first + k * step) % 3;
      if (!any) joint.axis = Eigen::Vector3d::Unit(axis_index);
      if (!any && k > 0) joint.R_PJ.setIdentity();
      on = joint.child;
    }
  }

  void shuffle() {
    if (chance(random_, 0.3)) return;
    for (std::size_t i = spec_.joints.size(); i > 1; --i) {
      std::swap(spec_.joints[i - 1], spec_.joints[random_() % i]);
    }
    for (std::size_t i = spec_.links.size(); i > 1; --i) {
      std::swap(spec_.links[i - 1], spec_.links[random_() % i]);
    }
  }

  void add_mimics() {
    const Joint* source = nullptr;
    for (const Joint& joint : spec_.joints) {
      if (joint.type == JointType::Fixed) continue;
      if (source != nullptr && chance(random_, 0.1)) {
        const double multiplier = uniform(random_, -2.0, 2.0);
        const Mimic mimic{joint.name, source->name, multiplier, uniform(random_, -0.5, 0.5)};
        // one that no pose can meet is refused; several together may still contradict each other
        const double a = multiplier * source->lower + mimic.offset,
                     b = multiplier * source->upper + mimic.offset;
        if (std::min(a, b) <= joint.upper && std::max(a, b) >= joint.lower) spec_.mimics.push_back(mimic);
      } else {
        source = &joint;
      }
    }
  }

  Random random_;
  RandomModelOptions options_;
  ModelSpec spec_;
  double scale_ = 1.0;
};

inline ModelSpec random_spec(std::uint64_t seed, const RandomModelOptions& options = {}) {
  return RandomTree(seed, options).spec();
}

inline Model random_model(std::uint64_t seed, const RandomModelOptions& options = {}) {
  return Model{random_spec(seed, options)};
}

/// Any base pose, joints within their limits (without: within 2.5 rad or m), velocities of about 1.
inline State random_state(const Model& model, Random& random) {
  State state = rest_state(model);
  state.p_WB = random_vector(random, 2.0);
  state.R_WB = random_rotation(random);
  state.v_WB = random_vector(random, 1.0);
  state.w_WB = random_vector(random, 2.0);
  for (int i = 0; i < model.dof(); ++i) {
    const double lower =
        std::isfinite(model.lower()[i]) ? model.lower()[i] : std::min(-2.5, model.upper()[i] - 1.0);
    const double upper = std::isfinite(model.upper()[i]) ? model.upper()[i] : std::max(2.5, lower + 1.0);
    state.s[i] = uniform(random, lower, upper);
    state.sdot[i] = uniform(random, -2.0, 2.0);
  }
  return state;
}

}  // namespace panto::test
