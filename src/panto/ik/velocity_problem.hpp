#pragma once
// Converts a model, its pose and its targets to a TreeProblem and back: unknowns of each joint, and damping.

#include <Eigen/Core>
#include <optional>
#include <vector>

#include "panto/ik/own_rows.hpp"
#include "panto/ik/solver_options.hpp"
#include "panto/model/blocks.hpp"
#include "panto/model/state.hpp"
#include "panto/targets/targets.hpp"
#include "panto/tree_qp/solver.hpp"

namespace panto {

/// Builds the velocity problem of one model and one set of target rows.
class VelocityProblem {
 public:
  /// `rows` fixes links and weights. `balls`: spherical triples without any limit become ball joints, whose
  /// unknown is the relative angular velocity, unless a coupled row contains one of their joints. Coupled
  /// rows have their terms, those of the model before those of `own`, and are free until their bounds are
  /// set. The model must outlive this object. @throws ConfigError naming a row that is out of range; also as
  /// `OwnRows`.
  VelocityProblem(const Model& model, const std::vector<Target>& rows, const DampingOptions& damping,
                  bool balls, const OwnTargets& own = {});
  VelocityProblem(const VelocityProblem&) = delete;
  VelocityProblem& operator=(const VelocityProblem&) = delete;

  /// Sets the pose.
  void set_pose(const State& state) noexcept;
  /// The same if the joint positions by slot are known.
  void set_pose(const State& state, const LaneArray<3>& position) noexcept {
    kinematics_.update(state, position);
  }
  /// The same if another problem of the same model and rows is at that pose.
  void set_pose(const VelocityProblem& other) noexcept { kinematics_.take(other.kinematics_); }
  /// Sets the active rows at that pose: axes, points, weights, damping and references.
  void set_rows(const Targets& targets, const State& state) noexcept {
    choose_rows(targets);
    build(state);
  }
  /// The two halves of `set_rows`: weights and damping of the active rows, and what depends on the pose.
  void choose_rows(const Targets& targets) noexcept;
  void build(const State& state) noexcept;

  /// Returns true if, after `choose_rows`, every body's own target determines its velocity except for
  /// conditions between neighbours (`DecoupledSolver`), so that nothing has to be built. This needs a
  /// floating base; one target per body, no weight more than a hundred times another; before each body three
  /// hinges with well-separated axes or fewer, with equal damping; no coupled row, no point away from the
  /// base origin, no active own target. The caller must ensure that frames are rotations and that this step
  /// adds no damping.
  [[nodiscard]] bool settles() const noexcept { return settles_ && !own_.any() && regular_pose(); }
  /// Returns a number that changes with every change of the active rows.
  [[nodiscard]] std::size_t rows_version() const noexcept { return rows_version_; }
  /// Returns the damping of joints in blocks of fewer than three hinges in settled problems; triples are not
  /// damped.
  [[nodiscard]] double hinge_damping() const noexcept { return damping_.determined; }
  /// Takes the bodies' angular velocities `omega`, by lane; of the points' velocities, by row, it uses the
  /// base's own. ...
  void settle_bodies(const LaneArray<3>& omega, const std::vector<Eigen::Vector3d>& linear,
                     TreeSolution& solution) const noexcept;
  /// ... and computes the resulting joint rates: of triples; of all joints, if the columns of `rows` give
  /// each joint's part of its body's rotation relative to the one before [world axes].
  void settle_rates(TreeSolution& solution) noexcept;
  void settle_rates(const LaneArray<9>& rows, TreeSolution& solution) noexcept;
  /// Adds `share` (>= 0) of the damping that residuals need, after `set_rows`: `versine` and origin `place`
  /// of every row at the pose, origin of the base, dt [s].
  void damp_residuals(const Targets& targets, const std::vector<double>& versine,
                      const std::vector<Eigen::Vector3d>& place, const Eigen::Vector3d& base, double dt,
                      double share) noexcept;
  /// Sets the wanted velocities of row j: angular [rad/s] and of its point [m/s].
  void set_velocities(const std::vector<Eigen::Vector3d>& angular, const std::vector<Eigen::Vector3d>& linear,
                      const Targets& targets) noexcept;
  /// Sets the wanted velocities of the points alone.
  void set_point_velocities(const std::vector<Eigen::Vector3d>& linear) noexcept;
  /// The same for the second question.
  void set_companion_velocities(const std::vector<Eigen::Vector3d>& linear) noexcept;
  /// Sets bounds by State::s order.
  void set_bounds(const Eigen::VectorXd& lower, const Eigen::VectorXd& upper) noexcept;
  /// Adds to the damping of joints and base. The next `set_rows` removes it.
  void add_joint_damping(double lambda) noexcept;
  void add_damping(double lambda) noexcept;
  /// Removes the pull towards the rest pose.
  void clear_references() noexcept { tree.reference.fill(0.0); }

  /// Returns the costs of own targets. After `set_rows` or `build` the caller loads them into `tree`.
  [[nodiscard]] OwnRows& own() noexcept { return own_; }
  [[nodiscard]] const OwnRows& own() const noexcept { return own_; }

  [[nodiscard]] const Blocks& blocks() const noexcept { return blocks_; }
  [[nodiscard]] const BlockKinematics& kinematics() const noexcept { return kinematics_; }
  /// Returns true for a ball joint: its three rates are an angular velocity in world axes.
  [[nodiscard]] bool is_ball(std::size_t lane) const noexcept { return ball_(0, lane) != 0.0; }
  [[nodiscard]] bool is_ball_slot(std::size_t slot) const noexcept {
    return is_ball(LaneArray<3>::lane(slot));
  }
  /// Returns by lane 1 or 0: three hinges without coupled rows may rotate as one; with a coupled row, they
  /// must move by their rates to satisfy it.
  [[nodiscard]] const LaneArray<1>& may_turn_whole() const noexcept { return may_turn_whole_; }
  /// Returns whether row j has a position to follow.
  [[nodiscard]] bool has_point(std::size_t j) const noexcept { return point_of_row_[j] >= 0; }
  [[nodiscard]] const std::vector<std::size_t>& point_rows() const noexcept { return row_of_point_; }
  /// Computes the positions of the rows' points at the pose [m]; ignores rows without a position.
  void place_rows(const State& state, std::vector<Eigen::Vector3d>& by_row) const noexcept;

  TreeProblem tree;

 private:
  VelocityProblem(const Model& model, const std::vector<Target>& rows, const DampingOptions& damping,
                  bool balls, const OwnTargets& own, Blocks blocks);
  void describe_blocks(bool balls);
  void add_coupled_rows(const std::vector<Target>& targets, const std::vector<JointRow>& own);
  void add_coupled_row(const CoupledRow& row);
  void weigh_points(const Targets& targets) noexcept;
  void choose_damping(const Targets& targets) noexcept;
  [[nodiscard]] bool settled_by_rows(const Targets& targets) const noexcept;
  [[nodiscard]] bool regular_pose() const noexcept;
  void pull_to_rest(const State& state) noexcept;
  void place_points() noexcept;

  const Model* model_;
  DampingOptions damping_;
  Blocks blocks_;
  BlockKinematics kinematics_;
  OwnRows own_;
  std::vector<std::size_t> lane_of_row_;
  std::vector<int> point_of_row_;  // index into tree.points; -1: orientation only
  std::vector<std::size_t> row_of_point_;
  double heaviest_ = 0.0;                 // largest weight of a row at set-up
  std::vector<Eigen::Vector3d> point_N_;  // by point: from the block's point, in its frame N
  std::vector<unsigned char> row_state_;  // what of each row was active last
  bool chosen_ = false;                   // the damping was chosen for them
  std::size_t rows_version_ = 0;
  std::vector<int> determined_by_;              // by block: the block of its group whose target determines it
  std::vector<Eigen::Matrix3d> rest_rotation_;  // of balls: N_P'N_C at rest
  LaneArray<1> ball_, triple_;                  // 1 or 0; triple: damped near singularities of its axes
  LaneArray<3> lambda_;                         // damping except that of triples near gimbal lock
  LaneArray<1> may_turn_whole_;
  bool balls_ = false;            // there are some
  bool settles_ = false;          // except for the pose
  LaneSources body_before_;       // by lane; the base and the padding: themselves, which do not move
  LaneArray<3> omega_before_;     // angular velocity of the body before, of `settle_rates`
  std::vector<double> residual_;  // by lane, of `damp_residuals`
  std::vector<int> loose_;        // slots of joints that no target determines
  std::vector<int> loose_balls_;
};

/// Computes joint rates of spherical triples, by lane, from the angular velocities of bodies at a pose: the
/// inverse of S, damped where it is nearly singular. `omega_before`: of the body before.
void triple_rates(const BlockKinematics& at, const LaneArray<3>& omega, const LaneArray<3>& omega_before,
                  const DampingOptions& damping, LaneArray<3>& rate) noexcept;

}  // namespace panto
