#pragma once
// Converts own targets to costs of the velocity problem: rows over the joints between a link and the base, or
// between two links, with their wanted velocities (docs/algorithms/own_targets.md).
//
//   relative   R_A' (v_B - v_A - w_A x (p_B - p_A)) = sum over the joints from A to B, without the base
//   v*         v + K r, feed-forward and residual of the same interval, as for measured targets

#include <Eigen/Core>
#include <vector>

#include "panto/base/time.hpp"
#include "panto/model/blocks.hpp"
#include "panto/model/model.hpp"
#include "panto/targets/own_targets.hpp"
#include "panto/tree_qp/problem.hpp"

namespace panto {

struct DynamicalOptions;

/// The own targets of one model as cost rows. All methods except the constructor are noexcept and do not
/// allocate. Order in a step: `read`, `place`, then wanted velocities (`correct`, `take_rates` or `descend`),
/// then `load`.
class OwnRows {
 public:
  /// Returns links whose bodies must end a block (`Blocks`). @throws as `check(own, model)`.
  [[nodiscard]] static std::vector<int> links(const OwnTargets& own, const Model& model);

  /// @throws ModelError for a target that no joint can move, e.g. between links that are rigidly joined.
  OwnRows(const Model& model, const Blocks& blocks, const OwnTargets& own);

  /// Returns true if nothing was declared.
  [[nodiscard]] bool empty() const noexcept { return ties_.empty(); }
  /// Reads the values of a sample. Returns false if the counts differ from the declaration.
  [[nodiscard]] bool read(const OwnTargets& own) noexcept;
  /// Returns true if a target is on.
  [[nodiscard]] bool any() const noexcept { return any_; }
  /// Makes the sample that was read the previous one.
  void keep(Time t) noexcept;
  [[nodiscard]] bool has_before(Time t) const noexcept { return kept_ && t_before_ == t; }

  /// Places the targets' links at the pose of `at`, whose base origin is at `p_WB` [m].
  void place(const BlockKinematics& at, const Eigen::Vector3d& p_WB) noexcept;

  /// Sets the wanted velocities v* = v + K r over `dt` [s] from the placed pose, and the interval's mean v
  /// for the second question.
  void correct(double dt, bool from_before, const DynamicalOptions& options) noexcept;
  /// Sets the mean velocity since the previous sample, `dt` [s] ago, as wanted; a target without one is
  /// ignored.
  void take_rates(double dt, bool from_before) noexcept;
  /// Sets the steepest direction to the targets as wanted: the potential's gradient over its weight.
  /// `recover`: errors beyond 150 degrees keep the length that they have there. `per_gain` > 0: weights are
  /// multiplied by gain and by it, here and in `potential`.
  void descend(bool recover, double per_gain = 0.0) noexcept;

  /// Returns 1/2 sum w |e|^2 of positions plus sum w (1 - cos theta) of directions and orientations; for
  /// weights that differ by axis 2 sum w_k q_k^2, with q the vector part of the error's quaternion.
  [[nodiscard]] double potential(double per_gain = 0.0) const noexcept;
  /// Returns true if an orientation or direction is off by 150 degrees or more.
  [[nodiscard]] bool any_far() const noexcept;
  /// Subtracts the potential's pull from its gradient, after `load`: by slot, and for the base.
  void add_gradient(LaneArray<3>& joints, Eigen::Vector3d& linear, Eigen::Vector3d& angular) const noexcept;
  /// Adds, by lane of a block, the largest curvature of the cost due to residuals in a step of `dt` [s]
  /// (`VelocityProblem::damp_residuals`).
  void add_curvature(const TreeProblem& tree, double dt, std::vector<double>& by_lane) const noexcept;
  /// Returns the same as `TargetLanes::stillness`.
  [[nodiscard]] double stillness(double dt, double speed) const noexcept;

  /// Writes rows, weights and wanted velocities into `tree.costs`, for the axes and centres of `tree`;
  /// coupled rows that yield then outweigh them.
  void load(TreeProblem& tree) noexcept;
  /// Returns what `load` fills, with all rows off.
  [[nodiscard]] const CostRows& costs() const noexcept { return costs_; }

  /// Computes the remaining errors by target at the last `place`, in the order of `StepReport::own_error`:
  /// [m] of positions, [rad] of orientations and directions, over axes with weight > 0; NaN if it is off.
  void report(std::vector<double>& by_target) const noexcept;
  [[nodiscard]] std::size_t size() const noexcept { return ties_.size(); }

 private:
  enum class Kind : unsigned char { Place, Turn, Direction };
  struct Goal {
    bool on = false, feed_forward = true;
    double gain = 0.0;
    Eigen::Vector3d weight = Eigen::Vector3d::Zero();  // by row
    Eigen::Vector3d p = Eigen::Vector3d::Zero();       // position [m] or direction
    Eigen::Matrix3d R = Eigen::Matrix3d::Identity();
  };
  // one target's rows: constants, and the placed links. Axes F: the world's, or those of link A
  struct Tie {
    Kind kind = Kind::Place;
    bool relative = false;
    std::size_t lane = 0, from_lane = 0;  // blocks of B and A
    Eigen::Vector3d r_N, from_r_N;        // B's point, A's origin, from their block's point in its frame
    Eigen::Matrix3d R_NT, R_NF;           // frames T on B's body and F on A's
    std::vector<std::size_t> way;         // blocks between them
    std::vector<double> sign;             // 1 on B's side, -1 on A's
    std::size_t row = 0, rows = 3;        // of costs_
    Goal now, before;
    Eigen::Matrix3d F, R_FT;             // at the pose: F in the world, T in F
    Eigen::Vector3d point, p_F, d;       // B's point from the base origin, in F; the direction in F
    Eigen::Vector3d wanted, mean, pull;  // by row's axis
    bool counts = false;                 // is on in this problem
  };

  void add(const Model& model, const Blocks& blocks, Kind kind, const std::string& link,
           const std::string& from, const Eigen::Vector3d& point, const Eigen::Matrix3d& R);
  [[nodiscard]] Eigen::Matrix3d row_axes(const Tie& tie) const noexcept;
  [[nodiscard]] Eigen::Vector3d residual(const Tie& tie, const Goal& goal, bool recover) const noexcept;
  [[nodiscard]] Eigen::Vector3d mean_velocity(const Tie& tie, double dt) const noexcept;
  [[nodiscard]] double cosine(const Tie& tie) const noexcept;
  void write_row(const Tie& tie, std::size_t row, const Eigen::Vector3d& e, const TreeProblem& tree) noexcept;

  bool floating_base_;
  bool any_ = false, kept_ = false;
  Time t_before_ = 0;
  std::vector<Tie> ties_;
  OwnTargets declared_;
  CostRows costs_;
};

}  // namespace panto
