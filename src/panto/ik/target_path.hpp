#pragma once
// Targets on the way from the model's pose to those of one instant.

#include <vector>

#include "panto/model/kinematics.hpp"
#include "panto/targets/targets.hpp"

namespace panto {

/// A way from one set of targets to another that does not depend on where the model is and faces: each link
/// rotates, relative to the target before it in the tree, about one axis at one speed; origins move straight.
/// The model must outlive it; nothing allocates after construction.
class TargetPath {
 public:
  /// `rows` fixes the links of all later Targets.
  TargetPath(const Model& model, const std::vector<Target>& rows);

  /// Sets the ends: the links' poses in `from` (share 0) and `goal` (share 1).
  void set_ends(const Kinematics& from, const Targets& goal) noexcept;
  /// Returns the targets at a share of the way, 0 to 1; quantities missing in `goal` are missing here too. At
  /// 1 they equal `goal` to rounding.
  [[nodiscard]] const Targets& at_share(double share) noexcept;

 private:
  [[nodiscard]] int valid_before(std::size_t row) const noexcept;

  std::vector<int> before_;         // by row: the row of the nearest body before it with one; -1: none
  std::vector<std::size_t> order_;  // rows, each after the one before it
  Targets targets_;
  std::vector<Eigen::Matrix3d> R_start_;      // relative to the row before, else to the world
  std::vector<Eigen::Vector3d> turn_;         // from there to the goal [rad], in the link's frame
  std::vector<Eigen::Vector3d> start_, way_;  // of origins, in the world [m]
};

}  // namespace panto
