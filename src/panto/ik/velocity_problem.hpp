#pragma once
// From a model, its pose and its targets to a TreeProblem and back: which unknowns a joint has, how it is
// damped.

#include <Eigen/Core>
#include <optional>
#include <vector>

#include "panto/ik/solver_options.hpp"
#include "panto/ik/own_rows.hpp"
#include "panto/model/blocks.hpp"
#include "panto/model/state.hpp"
#include "panto/targets/targets.hpp"
#include "panto/tree_qp/solver.hpp"

namespace panto {

/// Builds the velocity problem of one model and one set of target rows.
class VelocityProblem {
 public:
  /// `rows` fixes links and weights. `balls`: spherical triples without any limit become ball joints, whose
  /// unknown is the relative angular velocity; not where a coupled row speaks of one of their joints. Coupled
  /// rows are there with their terms, those of the model before those of `own`, free until their bounds are
  /// set. The model must outlive this object.
  /// @throws ConfigError naming a row that is out of range; what `OwnRows` throws.
  VelocityProblem(const Model& model, const std::vector<Target>& rows, const DampingOptions& damping,
                  bool balls, const OwnTargets& own = {});
  VelocityProblem(const VelocityProblem&) = delete;
  VelocityProblem& operator=(const VelocityProblem&) = delete;

  /// The pose, and which rows take part: axes, points, weights, damping and references.
  void set_pose(const State& state) noexcept;
  /// The same where the joints' positions by slot are at hand.
  void set_pose(const State& state, const LaneArray<3>& position) noexcept {
    kinematics_.update(state, position);
  }
  /// The same where another problem of the same model and rows is at that pose.
  void set_pose(const VelocityProblem& other) noexcept { kinematics_.take(other.kinematics_); }
  void set_rows(const Targets& targets, const State& state) noexcept {
    choose_rows(targets);
    build(state);
  }
  /// The two halves of it: weights and damping of the rows that take part, and what depends on the pose.
  void choose_rows(const Targets& targets) noexcept;
  void build(const State& state) noexcept;

  /// After `choose_rows`: every body's own target settles its velocity but for conditions between neighbours
  /// (`DecoupledSolver`), and nothing has to be built. A floating base; one target a body, no weight more
  /// than a hundred times another; before each body three hinges well apart or fewer, damped alike; no
  /// coupled row, no point away from the base origin, no own target that is on. The caller's to know: frames
  /// are rotations, and this step adds no damping.
  [[nodiscard]] bool settles() const noexcept { return settles_ && !own_.any() && regular_pose(); }
  /// Another number after every change of the rows that take part.
  [[nodiscard]] std::size_t rows_version() const noexcept { return rows_version_; }
  /// Damping of joints in blocks of fewer than three hinges where they settle; a triple's are not damped.
  [[nodiscard]] double hinge_damping() const noexcept { return damping_.determined; }
  /// Bodies turn by `omega`, by lane; of the points' velocities, by row, the base's own count. ...
  void settle_bodies(const LaneArray<3>& omega, const std::vector<Eigen::Vector3d>& linear,
                     TreeSolution& solution) const noexcept;
  /// ... and the joints' rates that follow from the bodies: of triples; of all, where the columns of `rows`
  /// say what each joint sees of its body's turn against the one before [world axes].
  void settle_rates(TreeSolution& solution) noexcept;
  void settle_rates(const LaneArray<9>& rows, TreeSolution& solution) noexcept;
  /// Adds `share` (>= 0) of the damping that residuals ask for, after `set_rows`: `versine` and origin
  /// `place` of every row at the pose, origin of the base, dt [s].
  void damp_residuals(const Targets& targets, const std::vector<double>& versine,
                      const std::vector<Eigen::Vector3d>& place, const Eigen::Vector3d& base, double dt,
                      double share) noexcept;
  /// Wanted velocities of row j: angular [rad/s] and of its point [m/s].
  void set_velocities(const std::vector<Eigen::Vector3d>& angular, const std::vector<Eigen::Vector3d>& linear,
                      const Targets& targets) noexcept;
  /// Wanted velocities of the points alone.
  void set_point_velocities(const std::vector<Eigen::Vector3d>& linear) noexcept;
  /// The same for the second question.
  void set_companion_velocities(const std::vector<Eigen::Vector3d>& linear) noexcept;
  /// Bounds by State::s order.
  void set_bounds(const Eigen::VectorXd& lower, const Eigen::VectorXd& upper) noexcept;
  /// Adds to the damping of the joints, and of the base too. The next `set_rows` takes it back.
  void add_joint_damping(double lambda) noexcept;
  void add_damping(double lambda) noexcept;
  /// The pull towards the rest pose is left out.
  void clear_references() noexcept { tree.reference.fill(0.0); }

  /// Costs of own targets. After `set_rows` or `build` the caller loads them into `tree`.
  [[nodiscard]] OwnRows& own() noexcept { return own_; }
  [[nodiscard]] const OwnRows& own() const noexcept { return own_; }

  [[nodiscard]] const Blocks& blocks() const noexcept { return blocks_; }
  [[nodiscard]] const BlockKinematics& kinematics() const noexcept { return kinematics_; }
  /// Moves as a ball joint: its three rates are an angular velocity in world axes.
  [[nodiscard]] bool is_ball(std::size_t lane) const noexcept { return ball_(0, lane) != 0.0; }
  [[nodiscard]] bool is_ball_slot(std::size_t slot) const noexcept {
    return is_ball(LaneArray<3>::lane(slot));
  }
  /// By lane, 1 or 0: three hinges that no coupled row speaks of may turn as one rotation; where one does
  /// they must move by their rates for the row to be met.
  [[nodiscard]] const LaneArray<1>& may_turn_whole() const noexcept { return may_turn_whole_; }
  /// Whether row j has a position to follow.
  [[nodiscard]] bool has_point(std::size_t j) const noexcept { return point_of_row_[j] >= 0; }
  [[nodiscard]] const std::vector<std::size_t>& point_rows() const noexcept { return row_of_point_; }
  /// Places of the rows' points at the pose that was set [m]; rows without a position are left alone.
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
  double heaviest_ = 0.0;                 // weight of a row at set-up
  std::vector<Eigen::Vector3d> point_N_;  // by point: from the block's point, in its frame N
  std::vector<unsigned char> row_state_;  // what of each row took part last
  bool chosen_ = false;                   // damping, for them
  std::size_t rows_version_ = 0;
  std::vector<int> determined_by_;              // by block: the block of its group whose target determines it
  std::vector<Eigen::Matrix3d> rest_rotation_;  // of balls: N_P'N_C at rest
  LaneArray<1> ball_, triple_;                  // 1 or 0; triple: damped by how well apart its axes are
  LaneArray<3> lambda_;                         // damping but for that of triples near their gimbal lock
  LaneArray<1> may_turn_whole_;
  bool balls_ = false;            // there are some
  bool settles_ = false;          // but for the pose
  LaneSources body_before_;       // by lane; the base and the padding: themselves, which do not move
  LaneArray<3> omega_before_;     // angular velocity of the body before, of `settle_rates`
  std::vector<double> residual_;  // by lane, of `damp_residuals`
  std::vector<int> loose_;        // slots that no target determines
  std::vector<int> loose_balls_;
};

/// Joint rates of a spherical triple, by lane, from the angular velocities of bodies at a pose: the inverse
/// of S, damped where it is nearly singular. `omega_before`: of the body before.
void triple_rates(const BlockKinematics& at, const LaneArray<3>& omega, const LaneArray<3>& omega_before,
                  const DampingOptions& damping, LaneArray<3>& rate) noexcept;

}  // namespace panto
