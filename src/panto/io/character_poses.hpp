#pragma once
// States of a character's model as steady poses of its joints, for the files that hold them
// (docs/character.md). Internal.

#include <Eigen/Core>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "panto/io/bvh_character.hpp"
#include "panto/model/kinematics.hpp"

namespace panto::io {

/// Wanted rotations of all joints against their parents, and where the base is, in the file's axes and unit.
struct CharacterPose {
  std::vector<Eigen::Matrix3d> R;
  Eigen::Vector3d p_base = Eigen::Vector3d::Zero();
};

/// Where a joint is against its parent.
struct CharacterPlace {
  int joint = -1;
  Eigen::Vector3d p = Eigen::Vector3d::Zero();
};

/// Keeps States, and returns the poses at a steady rate from the first on.
class CharacterPoses {
 public:
  /// `file` is named in messages. @throws ConfigError for a rate below 1 Hz or above `kFastestRate`.
  CharacterPoses(const Model& model, std::shared_ptr<const BvhCharacter> character,
                 const StateFileOptions& options, std::string file);

  /// Drops States that are not valid or not later than the one before.
  [[nodiscard]] WriteStatus add(const State& state) noexcept;
  /// Calls `take` with every frame. @throws Error for a pause above a minute.
  void for_each_frame(const std::function<void(const CharacterPose&)>& take);

  [[nodiscard]] double rate_hz() const noexcept { return rate_hz_; }
  /// Returns where a joint is at rest against its parent.
  [[nodiscard]] Eigen::Vector3d rest_place(std::size_t joint) const;
  /// Returns the joint that takes the way of the base, and where it then is: the nearest one from the base
  /// upwards with channels of position; nothing without one.
  [[nodiscard]] std::optional<CharacterPlace> place_of(const CharacterPose& pose) const;

 private:
  [[nodiscard]] int parent(std::size_t joint) const;
  [[nodiscard]] Eigen::Matrix3d rest_turn(std::size_t joint) const;
  /// Returns a place in the file's axes against the joint's parent at rest.
  [[nodiscard]] Eigen::Vector3d in_parent(std::size_t joint, const Eigen::Vector3d& p_F) const;
  [[nodiscard]] CharacterPose pose_of(const State& state);

  std::shared_ptr<const BvhCharacter> character_;
  std::string file_;
  double rate_hz_;
  const Model& model_;
  Kinematics kinematics_;
  SkeletonPose rest_;
  std::vector<State> states_;
};

}  // namespace panto::io
