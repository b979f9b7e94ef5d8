#pragma once
// From a model, its pose and its targets to a TreeProblem and back: which unknowns a joint has, how it is
// damped.

#include <Eigen/Core>
#include <optional>
#include <vector>

#include "panto/ik/targets.hpp"
#include "panto/ik/tree_solver.hpp"
#include "panto/model/kinematics.hpp"

namespace panto {

/// Local damping (decision 3): part of the problem's definition, given to every oracle.
struct DampingOptions {
  double determined =
      1e-6;  ///< joints whose own child link has an orientation target [1/rad^2 of weight 1]; >= 0
  double undetermined = 1e-4;  ///< all others, towards (s_rest - s) * rest_rate; > 0
  double rest_rate = 1.0;      ///< [1/s]; >= 0
  double singular = 1e-2;      ///< spherical triple at |det S| <= singular_below; falls by a C1 cubic to 0 at
                               ///< |det S| >= regular_above
  double singular_below = 0.05;
  double regular_above = 0.3;
  std::optional<double> uniform;  ///< paper mode: this one for all joints and the base, towards zero
};

/// Damping of a well-targeted spherical triple with |det S| = `det`.
[[nodiscard]] double triple_damping(double det, const DampingOptions& options) noexcept;

/// Builds the velocity problem of one model and one set of target rows.
class VelocityProblem {
 public:
  /// `rows` fixes links and weights. `balls`: spherical triples without any limit become ball joints, whose
  /// unknown is the relative angular velocity; not where a coupled row speaks of one of their joints. Coupled
  /// rows are there with their terms, free until their bounds are set. The model must outlive this object.
  /// @throws ConfigError naming a row that is out of range.
  VelocityProblem(const Model& model, const std::vector<Target>& rows, const DampingOptions& damping,
                  bool balls);

  /// Which rows take part, with their points at the current pose.
  void set_rows(const Targets& targets, const Kinematics& kinematics) noexcept;
  /// Axes, damping, references at the current pose. After `set_rows`.
  void set_geometry(const Kinematics& kinematics, const State& state) noexcept;
  /// Wanted velocities of row j: angular [rad/s] and of its point [m/s].
  void set_velocities(const std::vector<Eigen::Vector3d>& angular, const std::vector<Eigen::Vector3d>& linear,
                      const Targets& targets) noexcept;
  /// Bounds by State::s order; ball joints have none.
  void set_bounds(const Eigen::VectorXd& lower, const Eigen::VectorXd& upper) noexcept;

  [[nodiscard]] bool is_ball(int group) const noexcept { return ball_[static_cast<std::size_t>(group)] != 0; }
  /// Spherical, no link inside the triple has a target, and no coupled row speaks of its joints, which must
  /// move by their rates for the row to be met.
  [[nodiscard]] bool is_triple(int group) const noexcept {
    return triple_[static_cast<std::size_t>(group)] != 0 && coupled_[static_cast<std::size_t>(group)] == 0;
  }

  TreeProblem tree;

 private:
  void add_coupled_rows(const std::vector<Target>& targets);

  const Model* model_;
  DampingOptions damping_;
  std::vector<unsigned char> ball_, triple_, coupled_,
      joined_;                                  // by group; joined: its joints share the last body's target
  std::vector<int> point_of_row_;               // index into tree.points; -1: orientation only
  std::vector<Eigen::Matrix3d> rest_rotation_;  // of ball groups, in A R B form
  std::vector<unsigned char> oriented_;         // by body: an orientation row takes part now
};

/// Sines and cosines of a triple's first angle and of its second plus mu.
struct TripleAngles {
  double sin_a = 0.0, cos_a = 1.0, sin_b = 0.0, cos_b = 1.0;
};

/// Joint rates of a spherical triple from the angular velocity of its last body relative to the body before
/// it, in that body's axes: the inverse of S, damped by `lambda`.
[[nodiscard]] Eigen::Vector3d triple_rates(const JointGroup& group, const TripleAngles& at,
                                           const Eigen::Vector3d& w_PC_P, double lambda) noexcept;

}  // namespace panto
