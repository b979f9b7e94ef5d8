#pragma once
// Which blocks the kernel works on side by side, which of them take part in its recursion, and where each
// leaves what the body before it sees (docs/algorithms/tree_solver.md, Waves).

#include <array>
#include <vector>

#include "panto/math/four_lanes.hpp"
#include "panto/math/lanes.hpp"
#include "panto/tree_qp/problem.hpp"

namespace panto {

/// Right-hand sides that one sweep answers.
inline constexpr std::size_t kQuestions = 2;
/// Blocks side by side.
inline constexpr std::size_t kPack = 4;

/// A joint with less of it in the cost, without information and damping, stays where it is.
inline constexpr double kNoCurvature = 1e-300;

/// Costs of four bodies' velocities (v, omega): v'M v/2 + v'C omega + omega'K omega/2 - v'f - omega'b.
struct FourValues {
  Pack<6> K, M;
  Pack<9> C;
};
struct FourPulls {
  Pack<3> b, f;
};

/// Four eliminated blocks: columns u of their joints (omega part U, v part W), transformed by their factor
/// (Y, V).
struct Eliminated {
  Pack<6> factor, H;
  Pack<9> U, W, Y, V;
  Pack<3> free;  ///< 1 or 0 by joint
  Pack<3> arm;   ///< the block's point from that of the block before
};
/// ... and what right-hand sides left there.
struct Loaded {
  Pack<3> s;  ///< of the joints: S'b + ...
  Pack<3> z;  ///< D^-1 L^-1 of its free part
};

/// What one sweep answers: targets (null: none), or forces on the joints.
struct Load {
  const TreeProblem* targets = nullptr;
  const LaneArray<3>* held_rate = nullptr;
  const LaneArray<3>* force = nullptr;
  TreeSolution* solution = nullptr;
  TreeSolution* companion = nullptr;
  [[nodiscard]] int count() const noexcept { return companion != nullptr ? 2 : 1; }
  [[nodiscard]] TreeSolution& answer(int question) const noexcept {
    return question == 0 ? *solution : *companion;
  }
};

/// What pulls at the joints of a chunk themselves, and the rates of those that are held.
struct JointPulls {
  const Chunk<3>&lambda, &reference, &force, &rate;
};
/// Of one question, with zeros for what it does not ask.
PANTO_INLINE JointPulls joint_pulls(const TreeProblem& problem, const Load& given, const LaneArray<3>& zeros,
                                    std::size_t chunk, int question) noexcept {
  const bool refers = given.targets != nullptr && question == 0;
  return {(refers ? problem.lambda : zeros).chunk(chunk), problem.reference.chunk(chunk),
          (given.force != nullptr ? *given.force : zeros).chunk(chunk),
          (given.held_rate != nullptr ? *given.held_rate : zeros).chunk(chunk)};
}

/// Where the gradient says that the optimum of a held joint lies; of a free one (`free` 1) its rate q.
PANTO_INLINE double optimum(double q, double gradient, double h, double free) noexcept {
  const double there = q - gradient / (h > kNoCurvature ? h : 1.0);
  return free == 0.0 && h > kNoCurvature ? there : q;
}

/// One block further out of each of a wave's blocks, and where lies what it hands on; zeros if it hands
/// nothing on or is not there.
struct HandedOn {
  std::array<int, 4> child{-1, -1, -1, -1};  ///< lane; -1: none
  FourPlaces K{}, C{}, M{};
  std::array<FourPlaces, kQuestions> b{}, f{};
};

/// Up to four neighbouring blocks of one chunk, none of which hangs on another: eliminated side by side.
struct Wave {
  std::size_t first = 0, end = 0;       ///< lanes of its blocks
  std::size_t chunk = 0, offset = 0;    ///< the four lanes of a chunk that hold them
  Pack<1> member{};                     ///< 1 for its blocks, 0 for lanes that belong to others
  std::vector<HandedOn> further;        ///< the first blocks further out of all four, the second ones, ...
  std::array<std::size_t, 4> before{};  ///< the blocks before them, as first index of a LaneArray<3>
  bool slides = false;                  ///< has a slider
  bool hinges = true;                   ///< all its blocks are one hinge
  bool six = false;                     ///< has a block with a point row on it or further out
  bool held = false;                    ///< has a held joint
  bool runs = false;                    ///< takes part in the recursion
  bool absorbs = false;                 ///< all its blocks do
  bool dirty = false;                   ///< to be eliminated anew

  [[nodiscard]] bool hinges_alone() const noexcept { return hinges && !six; }
};

/// Vectors of the bodies before a wave's blocks.
PANTO_INLINE void take_parents(const LaneArray<3>& array, const Wave& wave, Pack<3>& out) noexcept {
  const double* first = array.data();
  const auto& before = wave.before;
  take(FourPlaces{first + before[0], first + before[1], first + before[2], first + before[3]}, kLanes, out);
}

/// The waves of one tree for the working set at hand.
class TreeWaves {
 public:
  explicit TreeWaves(const TreeProblem& problem);
  TreeWaves(const TreeWaves&) = delete;
  TreeWaves& operator=(const TreeWaves&) = delete;

  /// Geometry or weights are new: everything is dirty. Marks the bodies that points concern.
  void restart(const TreeProblem& problem) noexcept;

  /// Takes a working set in (null: no joint is held). `regular`: by lane, 1 where a free block can take any
  /// angular velocity; the same from one `restart` to the next.
  void read(const LaneArray<3>* side, const LaneArray<1>& regular) noexcept;

  /// A point row sits on the body or further out: the linear half of its velocity counts.
  [[nodiscard]] bool six(std::size_t lane) const noexcept { return six_[lane] != 0; }
  /// By lane 1 or 0: is regular and free.
  [[nodiscard]] const LaneArray<1>& absorbs() const noexcept { return absorbs_; }
  /// By lane 1 or 0: its rates follow from its body's velocity; the others' come from the recursion.
  [[nodiscard]] const LaneArray<1>& settled() const noexcept { return settled_; }
  [[nodiscard]] const LaneArray<3>& side() const noexcept { return side_; }
  [[nodiscard]] Wave& base() noexcept { return list.back(); }

  std::vector<Wave> list;          ///< from the base outwards; the last one is the base itself
  std::vector<std::size_t> place;  ///< by lane: within the four lanes of its wave
  std::vector<FourValues> handed;  ///< by wave: to the bodies before
  std::array<std::vector<FourPulls>, kQuestions> pulled;

 private:
  void add_waves(const TreeProblem& problem);
  void find_pattern() noexcept;
  bool point_at(HandedOn& further, std::size_t l) noexcept;
  void mark_dirty(std::size_t b) noexcept;

  std::size_t base_;
  std::vector<int> parent_;
  std::vector<std::size_t> wave_of_;  // by lane
  std::vector<unsigned char> six_, six_before_;
  std::vector<unsigned char> hands_on_, handed_on_;  // the body before sees it; before the set changed
  LaneArray<3> side_, none_;
  LaneArray<1> absorbs_, settled_, changed_;
  bool all_dirty_ = true;
  bool pattern_known_ = false;
};

}  // namespace panto
