#pragma once
// Which blocks the kernel processes side by side, which take part in its recursion, and where each stores its
// contribution to the body before it (docs/algorithms/tree_solver.md, Waves).

#include <array>
#include <vector>

#include "panto/math/four_lanes.hpp"
#include "panto/math/lanes.hpp"
#include "panto/tree_qp/problem.hpp"

namespace panto {

/// Right-hand sides per sweep.
inline constexpr std::size_t kQuestions = 2;
/// Blocks side by side.
inline constexpr std::size_t kPack = 4;

/// A joint with less curvature in the cost, without information and damping, keeps its position.
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
/// ... and the remaining right-hand sides.
struct Loaded {
  Pack<3> s;  ///< of the joints: S'b + ...
  Pack<3> z;  ///< D^-1 L^-1 of its free part
};

/// Input of one sweep: targets (null: none), or forces on the joints.
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

/// Right-hand sides of the joints of a chunk, and the rates of the held ones.
struct JointPulls {
  const Chunk<3>&lambda, &reference, &force, &rate;
};
/// Right-hand sides of one question; zeros for what it does not use.
PANTO_INLINE JointPulls joint_pulls(const TreeProblem& problem, const Load& given, const LaneArray<3>& zeros,
                                    std::size_t chunk, int question) noexcept {
  const bool refers = given.targets != nullptr && question == 0;
  return {(refers ? problem.lambda : zeros).chunk(chunk), problem.reference.chunk(chunk),
          (given.force != nullptr ? *given.force : zeros).chunk(chunk),
          (given.held_rate != nullptr ? *given.held_rate : zeros).chunk(chunk)};
}

/// Returns the optimum of a held joint from the gradient; for a free one (`free` 1) its rate q.
PANTO_INLINE double optimum(double q, double gradient, double h, double free) noexcept {
  const double there = q - gradient / (h > kNoCurvature ? h : 1.0);
  return free == 0.0 && h > kNoCurvature ? there : q;
}

/// One child block of each block of a wave, and where its contribution is stored; zeros if it has none or
/// there is no child.
struct HandedOn {
  std::array<int, 4> child{-1, -1, -1, -1};  ///< lane; -1: none
  FourPlaces K{}, C{}, M{};
  std::array<FourPlaces, kQuestions> b{}, f{};
};

/// Up to four neighbouring, independent blocks of one chunk: eliminated side by side.
struct Wave {
  std::size_t first = 0, end = 0;       ///< lanes of its blocks
  std::size_t chunk = 0, offset = 0;    ///< the four lanes of a chunk that contain them
  Pack<1> member{};                     ///< 1 for its blocks, 0 for lanes that belong to others
  std::vector<HandedOn> further;        ///< the first children of all four blocks, the second ones, ...
  std::array<std::size_t, 4> before{};  ///< the parent blocks, as first index of a LaneArray<3>
  bool slides = false;                  ///< has a slider
  bool hinges = true;                   ///< all its blocks are one hinge
  bool six = false;                     ///< has a block with a point row on it or further out
  bool held = false;                    ///< has a held joint
  bool runs = false;                    ///< takes part in the recursion
  bool absorbs = false;                 ///< all its blocks do
  bool dirty = false;                   ///< must be eliminated again

  [[nodiscard]] bool hinges_alone() const noexcept { return hinges && !six; }
};

/// Reads vectors of the parent bodies of a wave's blocks.
PANTO_INLINE void take_parents(const LaneArray<3>& array, const Wave& wave, Pack<3>& out) noexcept {
  const double* first = array.data();
  const auto& before = wave.before;
  take(FourPlaces{first + before[0], first + before[1], first + before[2], first + before[3]}, kLanes, out);
}

/// The waves of one tree for the current working set.
class TreeWaves {
 public:
  explicit TreeWaves(const TreeProblem& problem);
  TreeWaves(const TreeWaves&) = delete;
  TreeWaves& operator=(const TreeWaves&) = delete;

  /// Handles new geometry or weights: marks everything dirty, and the bodies that points concern.
  void restart(const TreeProblem& problem) noexcept;

  /// Takes a working set (null: no joint is held). `regular`: by lane, 1 if a free block can reach any
  /// angular velocity; unchanged between two `restart`s.
  void read(const LaneArray<3>* side, const LaneArray<1>& regular) noexcept;

  /// Returns true if a point row sits on the body or further out: the linear half of its velocity matters.
  [[nodiscard]] bool six(std::size_t lane) const noexcept { return six_[lane] != 0; }
  /// Returns by lane 1 or 0: is regular and free.
  [[nodiscard]] const LaneArray<1>& absorbs() const noexcept { return absorbs_; }
  /// Returns by lane 1 or 0: its rates follow from its body's velocity; other rates come from the recursion.
  [[nodiscard]] const LaneArray<1>& settled() const noexcept { return settled_; }
  [[nodiscard]] const LaneArray<3>& side() const noexcept { return side_; }
  [[nodiscard]] Wave& base() noexcept { return list.back(); }

  std::vector<Wave> list;          ///< from the base outwards; the last one is the base itself
  std::vector<std::size_t> place;  ///< by lane: index within the four lanes of its wave
  std::vector<FourValues> handed;  ///< by wave: contribution to the bodies before
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
  std::vector<unsigned char> hands_on_,
      handed_on_;  // the body before sees it; the same before the set changed
  LaneArray<3> side_, none_;
  LaneArray<1> absorbs_, settled_, changed_;
  bool all_dirty_ = true;
  bool pattern_known_ = false;
};

}  // namespace panto
