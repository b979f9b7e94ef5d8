#pragma once
// Builds models from Denavit-Hartenberg parameters. docs/algorithms/dh.md

#include <string>
#include <vector>

#include "panto/model/model.hpp"

namespace panto {

/// The two conventions for the same four numbers.
enum class DhConvention : unsigned char {
  Classical,  ///< H = Rot_z(theta) Trans_z(d) Trans_x(a) Rot_x(alpha): the link's frame at its far end
  Modified,   ///< H = Rot_x(alpha) Trans_x(a) Rot_z(theta) Trans_z(d): at its near end (Craig)
};

/// One link and the joint that carries it. A hinge adds its variable to theta, a slide to d.
struct DhLink {
  std::string name{};
  std::string joint{};   ///< name of the joint
  std::string parent{};  ///< parent link; empty: the root
  JointType type = JointType::Revolute;
  double theta = 0.0;           ///< [rad]
  double d = 0.0;               ///< [m]
  double a = 0.0;               ///< [m]
  double alpha = 0.0;           ///< [rad]
  double lower = -kInfinity;    ///< of the variable [rad] or [m]
  double upper = kInfinity;     ///< >= lower
  double velocity = kInfinity;  ///< [rad/s] or [m/s]; > 0
};

/// A tree of such links. The numbers do not reveal the convention, so it has no default.
struct DhTree {
  std::string name{};
  DhConvention convention;
  std::string root = "root";
  bool floating_base = false;
  std::vector<DhLink> links{};
};

/// Converts the tree. Link frames follow the convention. A classical link has a constant part after its
/// joint: the joint `joint` carries a link `<name>_joint`, and a fixed joint `<joint>_end` carries the link
/// `name`. @throws ModelError naming the link, for an unknown parent, a number that is not finite, and
/// everything that `Model` refuses.
[[nodiscard]] Model dh_model(const DhTree& tree);

}  // namespace panto
