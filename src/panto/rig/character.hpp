#pragma once
// A skeleton that is moved like a person: a model whose links have the frames of human segments, and which of
// them carries each joint (docs/character.md).

#include <Eigen/Core>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "panto/model/model.hpp"
#include "panto/rig/rig.hpp"
#include "panto/sample/skeleton.hpp"

namespace panto::rig {

/// A skeleton with its interpretation, and its joints as links of a model.
struct Character {
  SkeletonClip skeleton;  ///< `rest` is the pose to which joints return that nothing moves
  Rig rig;
  int base = 0;                           ///< the joint that carries the whole body
  std::vector<int> segment;               ///< by joint: the segment that it follows; -1: none
  std::vector<int> link;                  ///< by joint; -1: it stays on its parent, as at rest
  std::vector<Eigen::Matrix3d> R_JL;      ///< by joint: its link's frame
  std::vector<std::array<int, 3>> order;  ///< by link: the axes of its three joints, outermost first
  std::vector<int> first_dof;             ///< by link: position of the first of them in State::s
  std::vector<int> parent;                ///< by link: its parent link; -1: the base
  std::vector<Eigen::Matrix3d> R_rest;    ///< by link: in its parent link, at rest
};

/// A character, its model, and the model's joints at rest.
struct CharacterModel {
  Character character;
  Model model;
  std::vector<std::pair<std::string, double>> rest;  ///< [rad]
};

/// Makes the model: the base floats, every joint of `turns` below it is three revolute joints without limits,
/// all zero in the T-pose; link frames are then x forward, y left, z up. Lengths are those of
/// `skeleton.rest`.
/// @throws FormatError "<name>: ..." without a joint that carries the body.
[[nodiscard]] CharacterModel make_character(SkeletonClip skeleton, Rig rig, const std::vector<bool>& turns);

/// Returns which segment each joint follows itself, -1 for the others: of segments on one joint the first.
[[nodiscard]] std::vector<int> segments_of_joints(const Rig& rig, std::size_t joints);

/// Returns whether two skeletons have the same joints for their segments, and the same bones at rest up to
/// their lengths: then the frames of one's segments are those of the other's.
[[nodiscard]] bool same_axes(const SkeletonClip& a, const Rig& rig_a, const SkeletonClip& b,
                             const Rig& rig_b);

}  // namespace panto::rig
