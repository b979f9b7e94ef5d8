#pragma once
// Reads one chain of a robot as a limb: which joints are shoulder, elbow and wrist, or hip, knee and ankle,
// and how the two bones are oriented against the hinge between them.

#include <Eigen/Core>
#include <optional>
#include <string>
#include <vector>

#include "panto/robot/layout_bodies.hpp"

namespace panto::robot {

/// A chain read as a limb. Indices count the chain's bodies, each with its own joint.
struct Limb {
  Chain chain;
  int girdle_end = 0;     ///< first joint of shoulder or hip; earlier joints carry a collar bone
  int hinge_begin = 0;    ///< first joint of elbow or knee
  int hinge = 0;          ///< the joint that bends it
  int end_begin = 0;      ///< first joint of wrist or ankle; the chain's size if there is none
  int end_end = 0;        ///< one past the last; fingers or toes follow
  bool from_tip = false;  ///< the second bone ends at the tip of the last body, not at a joint
  bool has_tip = false;   ///< the last body's end is known
  Eigen::Vector3d root = Eigen::Vector3d::Zero();     ///< centre of shoulder or hip, all joints at zero [m]
  Eigen::Vector3d middle = Eigen::Vector3d::Zero();   ///< of elbow or knee [m]
  Eigen::Vector3d end = Eigen::Vector3d::Zero();      ///< of wrist or ankle [m]
  Eigen::Vector3d tip = Eigen::Vector3d::Zero();      ///< of hand or foot, where `has_tip` [m]
  Eigen::Vector3d axis = Eigen::Vector3d::UnitY();    ///< of the hinge, unit
  Eigen::Vector3d upper = -Eigen::Vector3d::UnitZ();  ///< along the first bone, outwards, across the axis
  Eigen::Vector3d lower = -Eigen::Vector3d::UnitZ();  ///< along the second
  Eigen::Vector3d hand = -Eigen::Vector3d::UnitZ();   ///< along the hand of an arm at zero
  double straight = 0.0;                              ///< hinge angle at which both bones are in line [rad]
  int flexion = 0;      ///< +1: it bends about +axis, -1: about -axis, 0: unknown from its limits
  double length = 0.0;  ///< both bones together [m]

  [[nodiscard]] int size() const noexcept { return static_cast<int>(chain.bodies.size()); }
  [[nodiscard]] int body(int joint) const noexcept { return chain.bodies[static_cast<std::size_t>(joint)]; }
};

/// Direction hints for a hinge with several equal axes: a leg's axis is across, a hanging arm's too, a raised
/// arm's is up. Zero: unknown.
struct LimbHints {
  Eigen::Vector3d across = Eigen::Vector3d::Zero();
  Eigen::Vector3d up = Eigen::Vector3d::Zero();
};

/// Reads a chain as a limb; empty if no joint in it bends between two bones.
[[nodiscard]] std::optional<Limb> read_limb(const Bodies& bodies, const Chain& chain, const LimbHints& hints);

}  // namespace panto::robot
