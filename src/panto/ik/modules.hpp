#pragma once
// Divides a model into hinges, pan-tilt and spherical modules, each with the targets that determine its
// angles. Tee et al. group the motors by hand; here the groups are found from the joint axes at zero, or
// given.

#include <Eigen/Core>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "panto/ik/solver_options.hpp"
#include "panto/model/model.hpp"
#include "panto/targets/targets.hpp"

namespace panto {

enum class ModuleKind : unsigned char {
  Hinge,      ///< one joint: a tilt without a pan
  PanTilt,    ///< two joints with perpendicular axes
  Spherical,  ///< three, each perpendicular to the next
};

[[nodiscard]] const char* to_string(ModuleKind kind) noexcept;

/// How the direction of a module's link is measured.
struct DirectionSource {
  int row = -1;                                    ///< R_WF d_F of this row; -1: from points
  Eigen::Vector3d d_F = Eigen::Vector3d::UnitX();  ///< unit
  int from = -1, to = -1;  ///< rows of points: p_to - p_from; from = -1: the module's own centre
  [[nodiscard]] bool known() const noexcept { return row >= 0 || to >= 0; }
};

/// One module. With A = R_W,parent P, the last body's orientation is A Rz(q1) Ry(q2 + mu) Rx(q3) Q; angles
/// that it lacks are zero.
struct Module {
  ModuleKind kind = ModuleKind::Hinge;
  int parent = 0, last = 0;                         ///< bodies of the tree
  std::array<int, 3> body{-1, -1, -1};              ///< moved by pan (q1), tilt (q2) and roll (q3)
  std::array<int, 3> dof{-1, -1, -1};               ///< their joints in State::s
  Eigen::Matrix3d P = Eigen::Matrix3d::Identity();  ///< z: the first axis, y: the second (a hinge: y its own)
  Eigen::Matrix3d Q = Eigen::Matrix3d::Identity();
  double mu = 0.0;                                     ///< [rad]
  Eigen::Vector3d d = Eigen::Vector3d::UnitX();        ///< of the link, in the frame before Q
  bool one_point = false;                              ///< all axes intersect
  Eigen::Vector3d centre_P = Eigen::Vector3d::Zero();  ///< at this point, in the parent body [m]
  Eigen::Vector3d centre_B = Eigen::Vector3d::Zero();  ///< the same in the last body

  int orientation_row = -1;                            ///< Spherical: of its last body; -1: at rest
  Eigen::Matrix3d R_LF = Eigen::Matrix3d::Identity();  ///< Q R_BF of that row
  DirectionSource direction;                           ///< Hinge, PanTilt
  int axis_row = -1;  ///< PanTilt: a row whose link carries the tilt axis; -1: none
  Eigen::Vector3d axis_F = Eigen::Vector3d::UnitY();  ///< the tilt axis in that link
  /// PanTilt: the direction decides and the axis only helps where it is singular (two different links); else
  /// the axis alone, which is never singular.
  bool direction_first = false;

  [[nodiscard]] bool told() const noexcept {
    return kind == ModuleKind::Spherical ? orientation_row >= 0 : direction.known();
  }
};

/// Finds the modules of a model, parents first, with every joint in exactly one. A module ends at a link with
/// a target, at a branch, and if the next axis is not perpendicular. A joint that rotates about the line to
/// the next module, and so does not move it, belongs to that one, as in the paper. @throws ModelError with
/// the joint and the reason: a slider, coupled joints, or axes that fit no module and that no target
/// separates; ConfigError for a description that does not fit.
[[nodiscard]] std::vector<Module> find_modules(const Model& model, const std::vector<Target>& rows,
                                               const std::vector<ModuleDescription>& descriptions = {});

}  // namespace panto
