#pragma once
// Moves one limb so that its end meets a pose, under a body that does not move
// (docs/algorithms/planned_feet.md).

#include <Eigen/Core>
#include <span>
#include <vector>

#include "panto/model/model.hpp"
#include "panto/model/state.hpp"

namespace panto {

/// What the last link of a limb is asked for.
struct LimbWish {
  Eigen::Vector3d p_WL = Eigen::Vector3d::Zero();  ///< its origin [m]
  Eigen::Matrix3d R_WL = Eigen::Matrix3d::Identity();
  double position = 2500.0;  ///< weight [1/m^2], >= 0
  double orientation = 4.0;  ///< weight [1/rad^2], >= 0
};

/// The links of a limb, from the body outwards.
struct LimbLinks {
  int root = -1;   ///< carries the limb, such as the trunk; -1: the base
  int lower = -1;  ///< shank or forearm: joints after it turn the end; -1: none. Of a ball there the first
                   ///< joint moves
  int end = 0;     ///< foot or hand
};

/// Returns whether a coupled row or a mimic contains a joint, by its position in State::s.
[[nodiscard]] bool in_row(const Model& model, int dof);

/// Damped Gauss-Newton with bounds over the joints of one limb. No allocation after construction.
class LimbSolver {
 public:
  static constexpr int kMost = 8;  ///< joints of a limb; further ones keep their positions
  using Vector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, kMost, 1>;  ///< by joint

  /// Joints that a coupled row or a mimic contains keep their positions. The model must outlive it.
  LimbSolver(const Model& model, const LimbLinks& links);

  /// Returns the link at the end.
  [[nodiscard]] int end() const noexcept { return links_.end; }
  /// Returns the positions in State::s of the joints that move.
  [[nodiscard]] const std::vector<int>& joints() const noexcept { return dofs_; }

  /// Returns those of them after the lower link.
  [[nodiscard]] std::span<const int> turning() const noexcept { return std::span(dofs_).subspan(wrist_); }

  /// Moves the limb's joints of `state` towards the wish within `lower` and `upper` (State::s order), as near
  /// to `like` (the same order) as the wish leaves open. Begins at `state`, which must be within the bounds.
  void solve(const LimbWish& wish, const Eigen::VectorXd& like, const Eigen::VectorXd& lower,
             const Eigen::VectorXd& upper, State& state) noexcept;
  /// Turns the end of `state` towards `R_WL` with the joints after the lower link alone.
  void turn_end(const Eigen::Matrix3d& R_WL, State& state) noexcept;

  /// Where a joint is on a limit that `like` is not on, moves the limb to `like`, such joints bent away from
  /// their limits, within `lower` and `upper`, and returns true: another start for `solve`.
  bool lead_out(const Eigen::VectorXd& like, const Eigen::VectorXd& lower, const Eigen::VectorXd& upper,
                State& state) const noexcept;

  /// Return the pose of the end after `solve` or `turn_end`.
  [[nodiscard]] const Eigen::Vector3d& p_WL() const noexcept { return p_WL_; }
  [[nodiscard]] const Eigen::Matrix3d& R_WL() const noexcept { return R_WL_; }

 private:
  struct Step {
    int body = 0;
    int column = -1;  // -1: keeps its position
  };
  struct Problem {
    const LimbWish& wish;
    const Eigen::VectorXd &like, &lower, &upper;
  };

  void update(const State& state) noexcept;
  double evaluate(const Problem& problem, const State& state) noexcept;
  [[nodiscard]] Vector bounded_step(const Problem& problem, double damping,
                                    const State& state) const noexcept;

  const Model* model_;
  LimbLinks links_;
  LinkFrame end_;
  std::vector<Step> chain_;                // base to end
  std::vector<double> angle_, sin_, cos_;  // of the chain
  std::vector<int> dofs_;
  std::size_t wrist_ = 0;          // the first of them after the lower link
  Vector alike_;                   // [1/rad^2] weights of `like`
  Eigen::VectorXd lower_, upper_;  // of `turn_end`
  Eigen::Matrix<double, 6, Eigen::Dynamic, 0, 6, kMost> J_;
  Eigen::Matrix<double, 6, 1> off_, weight_;
  Eigen::Vector3d p_WL_ = Eigen::Vector3d::Zero();
  Eigen::Matrix3d R_WL_ = Eigen::Matrix3d::Identity();
};

}  // namespace panto
