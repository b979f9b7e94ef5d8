#pragma once
// Finds the body in a tree of joints: two legs, two arms, the spine between them, neck and head, from shape,
// lengths and motion. Names only break ties.

#include <array>
#include <vector>

#include "panto/rig/names.hpp"
#include "panto/rig/tree.hpp"

namespace panto::rig {

/// A leg or an arm.
struct Limb {
  int girdle = -1;  ///< joint of the collar bone, for arms that have one
  int root = -1;    ///< joint at the hip or shoulder: moves thigh or upper arm
  int middle = -1;  ///< joint at the knee or elbow: moves shank or forearm
  int end = -1;    ///< point at the ankle or wrist: the joint that moves foot or hand, or the tip of the limb
  int toe = -1;    ///< joint at the ball of the foot, for legs that have one
  int ahead = -1;  ///< first point beyond `end`, towards toes or fingers; -1: none
};

/// The joints of a body. Sides 0 and 1 are opposite; which one is left is not yet known.
struct Body {
  std::array<Limb, 2> leg, arm;
  int pelvis = -1;  ///< joint that carries the thighs
  std::vector<int>
      spine;            ///< joints from above the pelvis to the chest, which carries the arms; may be empty
  int neck = -1;        ///< joint; -1: the head sits on the chest
  int head = -1;        ///< joint; -1: none
  int crown = -1;       ///< highest point above the head joint; the head joint itself if there is none
  double cost = 0.0;    ///< departure from a usual human [negative log likelihood, up to a constant]
  double margin = 0.0;  ///< additional cost of the next best reading

  /// Returns the chest joint: the last of the spine, else the pelvis.
  [[nodiscard]] int chest() const noexcept { return spine.empty() ? pelvis : spine.back(); }
};

/// Returns the length of thigh and shank together, mean of both legs [units].
[[nodiscard]] double leg_length(const Tree& tree, const Body& body) noexcept;

/// Returns the mid-point of the hips or shoulders at frame f [units].
[[nodiscard]] Eigen::Vector3d mid_point(const Tree& tree, const std::array<Limb, 2>& limbs, int f) noexcept;

/// Finds the body. @throws FormatError "<clip.name>: ..." if there is none, saying what is missing.
[[nodiscard]] Body find_body(const Tree& tree, const NameReading& names);

}  // namespace panto::rig
