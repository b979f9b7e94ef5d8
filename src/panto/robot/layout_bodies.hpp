#pragma once
// A robot's moving bodies with all joints at zero, and the chains that they form: mirrored pairs and single
// chains.

#include <Eigen/Core>
#include <vector>

#include "panto/model/model.hpp"
#include "panto/robot/layout_names.hpp"

namespace panto::robot {

/// One moving body with the links fixed to it, all joints at zero. Axes are those of the root link, called W.
struct Body {
  int parent = -1;
  std::vector<int> children;
  std::vector<int> links;  ///< indices of all links that move with it
  int proximal_link = -1;  ///< the joint's parent link, on the previous body; -1 for the base
  int distal_link = -1;    ///< the joint's child link; the root link for the base
  int dof = -1;            ///< the joint in State::s
  bool turns = false;      ///< on a revolute joint
  double lower = -kInfinity, upper = kInfinity;
  Eigen::Matrix3d R_WB = Eigen::Matrix3d::Identity();
  Eigen::Vector3d p_WB = Eigen::Vector3d::Zero();  ///< a point on the joint's axis [m]
  Eigen::Vector3d axis = Eigen::Vector3d::Zero();  ///< in W, unit
  double mass = 0.0;                               ///< of all its links [kg]
  Eigen::Vector3d com = Eigen::Vector3d::Zero();   ///< in W [m]; if it has mass
  Name name;                                       ///< meaning of the names of its joint and links together
  int depth = 0;       ///< number of joints to the farthest leaf, its own included
  double reach = 0.0;  ///< from the parent's origin to the farthest leaf's [m]
};

/// All bodies in the order of the model's tree; body 0 is the base.
class Bodies {
 public:
  explicit Bodies(const Model& model);

  [[nodiscard]] const Model& model() const noexcept { return *model_; }
  [[nodiscard]] int size() const noexcept { return static_cast<int>(bodies_.size()); }
  [[nodiscard]] const Body& operator[](int body) const noexcept {
    return bodies_[static_cast<std::size_t>(body)];
  }
  /// Returns the pose of a link [m].
  [[nodiscard]] Eigen::Matrix3d R_WL(int link) const;
  [[nodiscard]] Eigen::Vector3d p_WL(int link) const;
  /// Returns the bodies along the tree from the one after `from` to `to`, including those up to the common
  /// ancestor.
  [[nodiscard]] std::vector<int> joints_between(int from, int to) const;

 private:
  void read_names();
  const Model* model_;
  std::vector<Body> bodies_;
};

/// A sequence of bodies.
struct Chain {
  int carrier = 0;          ///< body that carries the chain
  std::vector<int> bodies;  ///< proximal first
};

/// Two chains on one body that mirror each other.
struct Twins {
  Chain a, b;
  Eigen::Vector3d across = Eigen::Vector3d::UnitY();  ///< unit, from b to a
  Eigen::Vector3d middle = Eigen::Vector3d::Zero();   ///< between their first joints [m]
  double misfit = 0.0;  ///< deviation from the mirror image, as a share of the chain's length
};

/// The chains that hang on the trunk.
struct Chains {
  std::vector<Twins> twins;
  std::vector<Chain> singles;
};

/// Finds all twins with three joints or more, from the base outwards; does not search beyond twins.
[[nodiscard]] Chains find_chains(const Bodies& bodies);

}  // namespace panto::robot
