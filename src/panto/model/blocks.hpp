#pragma once
// The tree in blocks: up to three hinges, each perpendicular to the next, or one slider. Hinges of a block go
// through one point unless only orientations are needed. With a constant turn of the frames at both ends,
// every block of hinges is the same function,
//   N_C = N_P Q R_x(q_0) R_y(q_1 + mu) R_z(q_2),
// where missing angles are zero: one formula for all lanes. N is the orientation of a block's last body times
// a constant B (the identity for our humans).

#include <Eigen/Core>
#include <array>
#include <vector>

#include "panto/math/four_lanes.hpp"
#include "panto/math/four_wide.hpp"
#include "panto/math/lanes.hpp"
#include "panto/model/model.hpp"
#include "panto/model/state.hpp"

namespace panto {

/// The constant part. Lane b is block b in level order; lane `base()` is the base; the rest pads.
class Blocks {
 public:
  /// `ends`: bodies that must end their block (those with a target), by tree body; may be empty.
  /// `turns_alone`: only orientations are needed, no positions. Then hinges up to such a body form a block
  /// even when their axes do not meet; `r_P` is meaningless.
  explicit Blocks(const Model& model, const std::vector<unsigned char>& ends = {}, bool turns_alone = false);

  [[nodiscard]] int count() const noexcept { return count_; }
  [[nodiscard]] int base() const noexcept { return count_; }
  [[nodiscard]] std::size_t lanes() const noexcept { return parent.size(); }
  /// Returns the block whose last body is `body`, `base()` for the base, -1 for a body inside a block.
  [[nodiscard]] int block_of(int body) const noexcept { return block_of_[static_cast<std::size_t>(body)]; }

  /// Computes the turns R_x(q_0) R_y(q_1 + mu) R_z(q_2) of all blocks, and their sines and cosines. Positions
  /// in rad and m, by slot.
  void turn(const LaneArray<3>& position, LaneArray<3>& sin, LaneArray<3>& cos,
            LaneArray<9>& L) const noexcept;
  /// The same for the first `count` blocks in `some` only, in that order.
  void turn(const std::vector<std::size_t>& some, std::size_t count, const LaneArray<3>& position,
            LaneArray<3>& sin, LaneArray<3>& cos, LaneArray<9>& L) const noexcept;

  /// Copies joint values from slots to the order of State::s; `by_dof` must have their size.
  void scatter(const LaneArray<3>& by_slot, Eigen::VectorXd& by_dof) const noexcept;

  std::vector<int> parent;            ///< by lane: parent block, or `base()`
  LaneSources lane_before;            ///< the same, for gathering lanes
  std::vector<std::size_t> sliders;   ///< blocks that are sliders
  std::vector<unsigned char> slider;  ///< by lane: number 0 is a length, not an angle
  std::vector<unsigned char> ball;    ///< by lane: three hinges, with or without limits
  std::vector<int> group;  ///< by block: `Tree::group`, or a separate number for a run of turns alone
  std::vector<Eigen::Matrix3d> Q, B;       ///< by lane
  std::vector<unsigned char> turned;       ///< by lane: Q is not the identity
  std::vector<std::size_t> turned_blocks;  ///< blocks whose Q is not the identity
  std::vector<Eigen::Vector3d> r_P;        ///< by lane: the block's point from its parent's point, N_P axes
  std::vector<Eigen::Vector3d> slide_P;    ///< by lane: sliding direction, N_P axes
  LaneArray<3> mu;                         ///< [rad], added to the joint's position
  std::vector<int> dof_of_slot;            ///< by flat index of a LaneArray<3>: position in State::s, or -1
  std::vector<int> slot_of_dof;            ///< the inverse

 private:
  void add(const Model& model, const std::array<int, 3>& body, int count, int group);

  int count_ = 0;
  std::vector<double> mu_of_block_;
  std::vector<int> block_of_;
};

/// Poses of all blocks at a State. Caches the State: a second update with the same bits does nothing.
class BlockKinematics {
 public:
  /// `positions`: computes points as well as orientations. The blocks must outlive this object.
  BlockKinematics(const Blocks& blocks, bool positions);

  /// Updates to `state`, which has the model's joints.
  void update(const State& state) noexcept;
  /// The same for a state whose joints were just scattered from `position`; skips the comparison.
  void update(const State& state, const LaneArray<3>& position) noexcept;
  /// Copies the result of another object of the same model and targets.
  void take(const BlockKinematics& other) noexcept;

  /// Returns the orientation N of every block in the world; the base's lane is R_WB, padding is zero.
  [[nodiscard]] const LaneArray<9>& frames() const noexcept { return N_; }
  /// Returns every block's point from the base origin, world axes [m]; zeros when positions are not computed.
  [[nodiscard]] const LaneArray<3>& centre() const noexcept { return centre_; }
  /// Returns a point of a block's last body from the base origin, world axes [m]; `r_N`: from the block's
  /// point, in its frame N. Needs `positions`.
  [[nodiscard]] Eigen::Vector3d point(std::size_t lane, const Eigen::Vector3d& r_N) const noexcept {
    const FourWide& N = columns_[lane];
    const FourWide::Column p = points_[lane].v + (N.x * r_N.x() + N.y * r_N.y() + N.z * r_N.z());
    return {p[0], p[1], p[2]};
  }
  /// Return joint positions by slot (0 without a joint), and sines and cosines of hinges with mu added (else
  /// 0 and 1).
  [[nodiscard]] const LaneArray<3>& position() const noexcept { return position_; }
  [[nodiscard]] const LaneArray<3>& sin() const noexcept { return sin_; }
  [[nodiscard]] const LaneArray<3>& cos() const noexcept { return cos_; }

 private:
  void set_base(const Eigen::Matrix3d& R_WB) noexcept;
  void chain() noexcept;

  const Blocks* blocks_;
  bool positions_;
  bool known_ = false;
  Eigen::Matrix3d R_WB_ = Eigen::Matrix3d::Identity();
  Eigen::VectorXd s_;
  LaneArray<9> N_;
  std::vector<FourWide> columns_;       // N, and
  std::vector<FourWideVector> points_;  // the centres, in the layout of the chains
  LaneArray<3> centre_, position_, sin_, cos_;
};

}  // namespace panto
