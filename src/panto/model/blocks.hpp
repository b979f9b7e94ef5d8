#pragma once
// The tree in blocks: up to three hinges, each perpendicular to the next, or one slider. Hinges of a block go
// through one point but where nobody asks for places.
// With a constant turn of the frames at both ends every block of hinges is the same function,
//   N_C = N_P Q R_x(q_0) R_y(q_1 + mu) R_z(q_2),
// with those angles zero that it lacks: one formula for all lanes. N is the orientation of a block's last
// body times a constant B (the identity for our humans).

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
  /// `ends`: bodies that must be the last of their block (those with a target), by tree body; may be empty.
  /// `turns_alone`: nobody asks where bodies are, but only how they turn. Then hinges up to such a body make
  /// a block even where their axes do not meet; `r_P` means nothing.
  explicit Blocks(const Model& model, const std::vector<unsigned char>& ends = {}, bool turns_alone = false);

  [[nodiscard]] int count() const noexcept { return count_; }
  [[nodiscard]] int base() const noexcept { return count_; }
  [[nodiscard]] std::size_t lanes() const noexcept { return parent.size(); }
  /// Block whose last body is `body`, `base()` for the base, -1 for a body inside a block.
  [[nodiscard]] int block_of(int body) const noexcept { return block_of_[static_cast<std::size_t>(body)]; }

  /// The turns R_x(q_0) R_y(q_1 + mu) R_z(q_2) of all blocks; sines and cosines on the way. Positions in rad
  /// and m, by slot.
  void turn(const LaneArray<3>& position, LaneArray<3>& sin, LaneArray<3>& cos,
            LaneArray<9>& L) const noexcept;
  /// The same of the first `count` blocks in `some` alone, in that order.
  void turn(const std::vector<std::size_t>& some, std::size_t count, const LaneArray<3>& position,
            LaneArray<3>& sin, LaneArray<3>& cos, LaneArray<9>& L) const noexcept;

  /// Values of all joints, from slots to the order of State::s; `by_dof` has room for them.
  void scatter(const LaneArray<3>& by_slot, Eigen::VectorXd& by_dof) const noexcept;

  std::vector<int> parent;            ///< block before, or `base()`; of every lane
  LaneSources lane_before;            ///< the same, to take lanes by
  std::vector<std::size_t> sliders;   ///< blocks that are
  std::vector<unsigned char> slider;  ///< by lane: number 0 is a length and no angle
  std::vector<unsigned char> ball;    ///< by lane: three hinges, with or without limits
  std::vector<int> group;  ///< by block: `Tree::group`, or a number of its own for a run of turns alone
  std::vector<Eigen::Matrix3d> Q, B;       ///< by lane
  std::vector<unsigned char> turned;       ///< by lane: Q is not the identity
  std::vector<std::size_t> turned_blocks;  ///< blocks where it is not
  std::vector<Eigen::Vector3d> r_P;  ///< by lane: the block's point from that of the block before, N_P axes
  std::vector<Eigen::Vector3d> slide_P;  ///< by lane: sliding direction, N_P axes
  LaneArray<3> mu;                       ///< [rad], added to the joint's position
  std::vector<int> dof_of_slot;          ///< by flat index of a LaneArray<3>: position in State::s, or -1
  std::vector<int> slot_of_dof;          ///< the inverse

 private:
  void add(const Model& model, const std::array<int, 3>& body, int count, int group);

  int count_ = 0;
  std::vector<double> mu_of_block_;
  std::vector<int> block_of_;
};

/// Poses of all blocks at a State. Remembers the State: asked again for the same one, number by number, it
/// does nothing.
class BlockKinematics {
 public:
  /// `positions`: whether points are needed too, and not only orientations. The blocks must outlive it.
  BlockKinematics(const Blocks& blocks, bool positions);

  /// The state has the model's joints.
  void update(const State& state) noexcept;
  /// The same for a state whose joints were just scattered from `position`: nothing is compared.
  void update(const State& state, const LaneArray<3>& position) noexcept;
  /// What another one of the same model and targets has found.
  void take(const BlockKinematics& other) noexcept;

  /// Orientation N of every block in the world; the base's lane is R_WB, padding is zero.
  [[nodiscard]] const LaneArray<9>& frames() const noexcept { return N_; }
  /// The point of every block from the base origin, world axes [m]; zeros when positions are not kept.
  [[nodiscard]] const LaneArray<3>& centre() const noexcept { return centre_; }
  /// A point of a block's last body from the base origin, world axes [m]; `r_N`: from the block's point, in
  /// its frame N. Where positions are kept.
  [[nodiscard]] Eigen::Vector3d point(std::size_t lane, const Eigen::Vector3d& r_N) const noexcept {
    const FourWide& N = columns_[lane];
    const FourWide::Column p = points_[lane].v + (N.x * r_N.x() + N.y * r_N.y() + N.z * r_N.z());
    return {p[0], p[1], p[2]};
  }
  /// Joint positions by slot, 0 where there is no joint; sines and cosines of hinges with mu added, else 0
  /// and 1.
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
  std::vector<FourWideVector> points_;  // the centre, as the chains read and write them
  LaneArray<3> centre_, position_, sin_, cos_;
};

}  // namespace panto
