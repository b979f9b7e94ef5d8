#pragma once
// Trees by Denavit and Hartenberg's parameters, as models. docs/algorithms/dh.md

#include <string>
#include <vector>

#include "panto/model/model.hpp"

namespace panto {

/// Which of the two readings of the same four numbers.
enum class DhConvention : unsigned char {
  Classical,  ///< H = Rot_z(theta) Trans_z(d) Trans_x(a) Rot_x(alpha): the link's frame at its far end
  Modified,   ///< H = Rot_x(alpha) Trans_x(a) Rot_z(theta) Trans_z(d): at its near end (Craig)
};

/// One link and the joint that carries it. A hinge adds its variable to theta, a slide to d.
struct DhLink {
  std::string name{};
  std::string joint{};   ///< name of the joint
  std::string parent{};  ///< link before; empty: the root
  JointType type = JointType::Revolute;
  double theta = 0.0;           ///< [rad]
  double d = 0.0;               ///< [m]
  double a = 0.0;               ///< [m]
  double alpha = 0.0;           ///< [rad]
  double lower = -kInfinity;    ///< of the variable [rad] or [m]
  double upper = kInfinity;     ///< >= lower
  double velocity = kInfinity;  ///< [rad/s] or [m/s]; > 0
};

/// A tree of such links. The numbers say nothing about the convention, so it has no default.
struct DhTree {
  std::string name{};
  DhConvention convention;
  std::string root = "root";
  bool floating_base = false;
  std::vector<DhLink> links{};
};

/// The same tree. Link frames are those of the convention. A classical link has a constant part behind its
/// joint: there the joint `joint` carries a link `<name>_joint`, and a fixed joint `<joint>_end` the link
/// `name`. @throws ModelError naming the link: an unknown parent, a number that is not finite, and whatever
/// `Model` refuses.
[[nodiscard]] Model dh_model(const DhTree& tree);

}  // namespace panto
