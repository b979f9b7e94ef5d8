#pragma once
// The samples of the last two instants by lane, and the resulting corrected velocities.

#include <Eigen/Core>
#include <vector>

#include "panto/base/status.hpp"
#include "panto/ik/solver_options.hpp"
#include "panto/math/lanes.hpp"
#include "panto/model/blocks.hpp"
#include "panto/targets/targets.hpp"

namespace panto {

/// Measurements in terms of the blocks: a row's orientation becomes that of the frame N of its block. Row j
/// has its own lane: that of its block if it is the first row there, else one after all blocks.
class TargetLanes {
 public:
  TargetLanes(const Model& model, const Blocks& blocks, const std::vector<Target>& rows);
  TargetLanes(const TargetLanes&) = delete;
  TargetLanes& operator=(const TargetLanes&) = delete;

  /// Returns the row of every lane, -1 for lanes without a row.
  [[nodiscard]] const std::vector<int>& row_of_lane() const noexcept { return row_of_lane_; }

  /// Reads a sample, from `Targets::by_lane` if it has these lanes; they are not copied and must stay until
  /// `keep` or the next sample. Returns `Solved`, or what is wrong with it.
  [[nodiscard]] StepStatus read(const Targets& targets) noexcept;
  /// Makes the sample that was read the previous one.
  void keep(Time t) noexcept;
  /// Returns true if there is a previous sample and it is of this instant.
  [[nodiscard]] bool has_before(Time t) const noexcept { return kept_ && t_before_ == t; }

  /// Computes v* = v + K r of every orientation and point, residual and feed-forward of the same interval
  /// `dt` [s]. [Rapetti 2020] Eq. (8), theory section 1.4. `p`: the points' positions [m] by row.
  void correct(const BlockKinematics& pose, const std::vector<Eigen::Vector3d>& p, double dt,
               bool from_before, const DynamicalOptions& options) noexcept;
  /// Takes the sample's own rates without correction: measured ones if any; the others are zero or, after
  /// `correct`, the interval's mean. Returns false if none is measured. (Corrections balance each other where
  /// targets cannot be met: those of some rows alone would be a motion that does not exist.)
  bool take_rates(const DynamicalOptions& options, bool others_zero) noexcept;

  /// Return v* by lane and, for points, by row; and the rates that were taken.
  [[nodiscard]] const LaneArray<3>& wanted() const noexcept { return wanted_; }
  [[nodiscard]] const std::vector<Eigen::Vector3d>& linear() const noexcept { return linear_; }
  [[nodiscard]] const LaneArray<3>& rates() const noexcept { return rates_; }
  [[nodiscard]] const std::vector<Eigen::Vector3d>& linear_rates() const noexcept { return linear_rates_; }
  /// Computes sum w v by lane of the blocks, for TreeProblem::rhs; v: one of the two by lane.
  void load(const LaneArray<3>& v, LaneArray<3>& rhs) const noexcept;

  /// Return, for the sample that was read: by lane the wanted orientation of the block's frame, its weight
  /// [1/rad^2], and 1 if it is valid; by row, until `keep`, the wanted position [m].
  [[nodiscard]] const LaneArray<9>& orientation() const noexcept { return now_->R; }
  [[nodiscard]] const LaneArray<1>& weight() const noexcept { return weight_; }
  [[nodiscard]] const LaneArray<1>& oriented() const noexcept { return now_->oriented; }
  [[nodiscard]] const Eigen::Vector3d& position(std::size_t row) const noexcept { return points_.p[row]; }
  /// Return a row's lane, and that of its block; and the rows where the two differ (not their block's first).
  [[nodiscard]] std::size_t row_count() const noexcept { return rows_.size(); }
  [[nodiscard]] std::size_t lane_of_row(std::size_t row) const noexcept { return lane_of_row_[row]; }
  [[nodiscard]] std::size_t block_of_row(std::size_t row) const noexcept { return block_of_row_[row]; }
  [[nodiscard]] const std::vector<std::size_t>& second_rows() const noexcept { return second_rows_; }
  /// Returns a pose's values by block, copied to every row's lane. Valid until the next call.
  [[nodiscard]] const LaneArray<9>& spread(const LaneArray<9>& by_block) noexcept;

  /// Computes 1 - cos(remaining angle) by row, NaN without an orientation.
  void versines(const BlockKinematics& pose, std::vector<double>& by_row) noexcept;
  /// Returns how still the targets are: 1 if nothing has moved since the previous sample, 1/2 if the fastest
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
  Target nothing_;                // without any measurement
  std::vector<int> row_of_lane_;  // -1: none
  LaneArray<9> R_FN_;
  bool turned_ = false;                   // some offset is not the identity
  std::vector<std::size_t> second_rows_;  // not their block's first
  const TurningFacts* now_;               // R: wanted orientation of the block's frame
  TurningFacts before_, own_;  // the previous sample; rows that are not yet in lanes, or need rotation
  Points points_, points_before_;
  bool kept_ = false;
  Time t_before_ = 0;
  LaneArray<9> N_;       // the model's, by lane of rows, when a block has two of them
  LaneArray<3> wanted_;  // v*
  LaneArray<3> rates_;   // of the sample itself
  LaneArray<3> mean_;    // the interval's mean rate, if it was computed, and 1 if so
  LaneArray<1> has_mean_;
  bool found_means_ = false;
  LaneArray<1> weight_, gain_, gain_now_, regular_, versine_;
  std::vector<double> point_gain_now_;  // by row
  double gain_dt_ = -1.0;               // [s] interval of the current gains
  std::vector<Eigen::Vector3d> linear_, linear_rates_, linear_mean_;
  std::vector<std::size_t> placed_rows_;  // rows with a position to follow
};

}  // namespace panto
