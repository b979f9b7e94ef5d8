#pragma once
// Shared code of human motions: curves by joint name, mirrored sides, feet on the ground. Used inside this
// module.

#include <string>
#include <string_view>
#include <vector>

#include "panto/model/kinematics.hpp"
#include "panto/synthesis/synthesis.hpp"

namespace panto::detail {

/// Curves of the joints of a human model by name; other joints stay at zero, or at their nearest limit.
class HumanCurves {
 public:
  /// @throws ConfigError naming the motion when `model` is not human: a segment, or one of the joints that
  /// every motion needs, is missing, or the pelvis is not a floating base.
  HumanCurves(std::string_view motion, const Model& model);

  /// Sets a central joint ("jL5S1_rotx"). No effect when the model lacks it.
  void set(const std::string& joint, const Curve& curve);
  /// Sets a right joint ("jRightHip", axis 'x', 'y' or 'z') and its mirror image on the left, `delay` seconds
  /// later.
  void set_sides(std::string_view right_joint, char axis, const Curve& right, double delay);

  /// Moves every curve inside the limits, `period` seconds long: a moving one keeps 2 deg, or 5 % of its
  /// range, away from them. It is scaled about its mean only as far as needed, then shifted.
  void fit_into_limits(double period);

  [[nodiscard]] const Model& model() const noexcept { return *model_; }
  [[nodiscard]] const std::vector<Curve>& curves() const noexcept { return curves_; }

 private:
  const Model* model_;
  std::vector<Curve> curves_;
};

/// A point of the right sole and its velocity, in world axes.
struct SolePoint {
  Eigen::Vector3d p = Eigen::Vector3d::Zero();
  Eigen::Vector3d v = Eigen::Vector3d::Zero();
};

/// The sole of one foot: heel, ball and tip of the toes. The heel is a quarter of the foot's length behind
/// the ankle; the tip is as far beyond the toes' centre of mass as that is from the ball.
class Sole {
 public:
  /// `side` "Right" or "Left"; the model must outlive it.
  Sole(const Model& model, const std::string& side);
  /// Returns the lowest of the three points; `kinematics` must be up to date with velocities.
  [[nodiscard]] SolePoint lowest(const Kinematics& kinematics) const noexcept;

 private:
  int foot_, toe_;
  Eigen::Vector3d heel_, tip_;
};

/// Returns the height of the pelvis with straight legs and both soles on z = 0 [m].
[[nodiscard]] double standing_height(const Model& model);

/// The motions; see `make_synthesis`.
[[nodiscard]] Synthesis walk(const Model& model);
[[nodiscard]] Synthesis fast_walk(const Model& model);
[[nodiscard]] Synthesis run(const Model& model);
[[nodiscard]] Synthesis reach(const Model& model);
[[nodiscard]] Synthesis wave(const Model& model);
[[nodiscard]] Synthesis conduct(const Model& model);
[[nodiscard]] Synthesis forearm_roll(const Model& model);
[[nodiscard]] Synthesis overflex(const Model& model);
[[nodiscard]] Synthesis singular(const Model& model);
[[nodiscard]] Synthesis gesture(const Model& model, std::uint64_t seed);
[[nodiscard]] Synthesis singular_arm(const Model& model);
[[nodiscard]] Synthesis singular_hold(const Model& model);
[[nodiscard]] Synthesis random_motion(const Model& model, std::uint64_t seed);

}  // namespace panto::detail
