#pragma once
// The samples of the last two instants by lane, and the corrected velocities that follow from them.

#include <Eigen/Core>
#include <vector>

#include "panto/base/status.hpp"
#include "panto/ik/solver_options.hpp"
#include "panto/math/lanes.hpp"
#include "panto/model/blocks.hpp"
#include "panto/targets/targets.hpp"

namespace panto {

/// What was measured, in the terms of the blocks: a row's orientation becomes one of the frame N of its
/// block. Row j has a lane of its own: that of its block where it is the first one there, else one behind all
/// blocks.
class TargetLanes {
 public:
  TargetLanes(const Model& model, const Blocks& blocks, const std::vector<Target>& rows);
  TargetLanes(const TargetLanes&) = delete;
  TargetLanes& operator=(const TargetLanes&) = delete;

  /// Row of every lane, -1 for lanes without.
  [[nodiscard]] const std::vector<int>& row_of_lane() const noexcept { return row_of_lane_; }

  /// Takes a sample in, from `Targets::by_lane` where it has these lanes; they are not copied and must stay
  /// until `keep` or the next sample. `Solved`, or what is wrong with it.
  [[nodiscard]] StepStatus read(const Targets& targets) noexcept;
  /// The sample that was read is the one before from now on.
  void keep(Time t) noexcept;
  /// There is a sample before, and it is of this instant.
  [[nodiscard]] bool has_before(Time t) const noexcept { return kept_ && t_before_ == t; }

  /// v* = v + K r of every orientation and point, residual and feed-forward of the same interval `dt` [s].
  /// [Rapetti 2020] Eq. (8), theory section 1.4. `p`: the points' places [m] by row.
  void correct(const BlockKinematics& pose, const std::vector<Eigen::Vector3d>& p, double dt,
               bool from_before, const DynamicalOptions& options) noexcept;
  /// The rates of the sample itself, nothing corrected: those measured, where there are any, others zero or,
  /// after `correct`, the interval's mean. False if none is measured. (Corrections hold each other in balance
  /// where targets cannot be met: of some rows alone they would be a motion that there is not.)
  bool take_rates(const DynamicalOptions& options, bool others_zero) noexcept;

  /// v* by lane and, of points, by row; the rates that were taken.
  [[nodiscard]] const LaneArray<3>& wanted() const noexcept { return wanted_; }
  [[nodiscard]] const std::vector<Eigen::Vector3d>& linear() const noexcept { return linear_; }
  [[nodiscard]] const LaneArray<3>& rates() const noexcept { return rates_; }
  [[nodiscard]] const std::vector<Eigen::Vector3d>& linear_rates() const noexcept { return linear_rates_; }
  /// sum w v by lane of the blocks, for TreeProblem::rhs; v: one of the two by lane.
  void load(const LaneArray<3>& v, LaneArray<3>& rhs) const noexcept;

  /// Of the sample that was read: by lane the wanted orientation of the block's frame, its weight [1/rad^2],
  /// and 1 where it is valid; by row, until `keep`, the wanted place [m].
  [[nodiscard]] const LaneArray<9>& orientation() const noexcept { return now_->R; }
  [[nodiscard]] const LaneArray<1>& weight() const noexcept { return weight_; }
  [[nodiscard]] const LaneArray<1>& oriented() const noexcept { return now_->oriented; }
  [[nodiscard]] const Eigen::Vector3d& position(std::size_t row) const noexcept { return points_.p[row]; }
  /// A row's lane, and that of its block; the rows where the two differ, not their block's first.
  [[nodiscard]] std::size_t row_count() const noexcept { return rows_.size(); }
  [[nodiscard]] std::size_t lane_of_row(std::size_t row) const noexcept { return lane_of_row_[row]; }
  [[nodiscard]] std::size_t block_of_row(std::size_t row) const noexcept { return block_of_row_[row]; }
  [[nodiscard]] const std::vector<std::size_t>& second_rows() const noexcept { return second_rows_; }
  /// What a pose has by block, for every row's lane. Until the next call.
  [[nodiscard]] const LaneArray<9>& spread(const LaneArray<9>& by_block) noexcept;

  /// 1 - cos(angle left) by row, NaN where there is no orientation.
  void versines(const BlockKinematics& pose, std::vector<double>& by_row) noexcept;
  /// How still what is asked stands: 1 where nothing has moved since the sample before, 1/2 where the fastest
  /// row moved at `speed` [rad/s] or [m/s]; `dt`: the time between [s].
  [[nodiscard]] double stillness(double dt, double speed) noexcept;

 private:
  struct Points {                       // by row
    std::vector<Eigen::Vector3d> p, v;  // wanted place, measured velocity
    std::vector<unsigned char> placed, moving;
  };

  [[nodiscard]] bool any(const TurningFacts& facts, const std::vector<Target>& rows) const noexcept;
  [[nodiscard]] bool any_placed(const std::vector<Target>& rows) const noexcept;
  [[nodiscard]] bool take(const std::vector<Target>& rows, bool& finite) noexcept;
  [[nodiscard]] Target row_of(const TurningFacts& facts, std::size_t lane) const noexcept;
  [[nodiscard]] Target point_of(const Points& points, std::size_t j) const noexcept;
  void correct_lane(const Mat3& N, std::size_t lane, double dt, bool from_before,
                    const DynamicalOptions& options) noexcept;
  void correct_points(const std::vector<Eigen::Vector3d>& p, double dt, bool from_before, bool measured,
                      const DynamicalOptions& options) noexcept;
  void set_gains(double dt, GainLaw law) noexcept;

  std::size_t blocks_;        // lanes of the blocks; extra rows follow
  std::vector<Target> rows_;  // weights and gains
  std::vector<std::size_t> lane_of_row_, block_of_row_;
  Target nothing_;                // without any fact
  std::vector<int> row_of_lane_;  // -1: none
  LaneArray<9> R_FN_;
  bool turned_ = false;                   // one of them is not the identity
  std::vector<std::size_t> second_rows_;  // not their block's first
  const TurningFacts* now_;               // R: wanted orientation of the block's frame
  TurningFacts before_, own_;  // the sample before; what does not lie in lanes already, or turns them
  Points points_, points_before_;
  bool kept_ = false;
  Time t_before_ = 0;
  LaneArray<9> N_;       // the model's, by lane of rows, when a block has two of them
  LaneArray<3> wanted_;  // v*
  LaneArray<3> rates_;   // of the sample itself
  LaneArray<3> mean_;    // the interval's mean rate, where it had to be found, and 1 where it was
  LaneArray<1> has_mean_;
  bool found_means_ = false;
  LaneArray<1> weight_, gain_, gain_now_, regular_, versine_;
  std::vector<double> point_gain_now_;  // by row
  double gain_dt_ = -1.0;               // [s] that the gains of now are for
  std::vector<Eigen::Vector3d> linear_, linear_rates_, linear_mean_;
  std::vector<std::size_t> placed_rows_;  // rows with a position to follow
};

}  // namespace panto
