#pragma once
// Which blocks the kernel works on side by side, which of them take part in its recursion, and where each
// leaves what the body before it sees (docs/algorithms/tree_solver.md, Waves).

#include <array>
#include <vector>

#include "panto/ik/tree_problem.hpp"
#include "panto/math/four_lanes.hpp"
#include "panto/math/lanes.hpp"

namespace panto {

/// Right-hand sides that one sweep answers.
inline constexpr std::size_t kQuestions = 2;

/// Costs of four bodies' velocities (v, omega): v'M v/2 + v'C omega + omega'K omega/2 - v'f - omega'b.
struct FourValues {
  Pack<6> K, M;
  Pack<9> C;
};
struct FourPulls {
  Pack<3> b, f;
};

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
  bool six = false;                     ///< has a block with a point row on it or further out
  bool held = false;                    ///< has a held joint
  bool runs = false;                    ///< takes part in the recursion
  bool absorbs = false;                 ///< all its blocks do
  bool dirty = false;                   ///< to be eliminated anew
};

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
  /// The body before sees it.
  [[nodiscard]] bool hands_on(std::size_t lane) const noexcept { return hands_on_[lane] != 0; }
  /// By lane 1 or 0: is regular and free.
  [[nodiscard]] const LaneArray<1>& absorbs() const noexcept { return absorbs_; }
  /// By lane 1 or 0: its rates follow from its body's velocity; the others' come from the recursion.
  [[nodiscard]] const LaneArray<1>& settled() const noexcept { return settled_; }
  [[nodiscard]] const LaneArray<3>& side() const noexcept { return side_; }
  [[nodiscard]] Wave& base() noexcept { return list.back(); }

  std::vector<Wave> list;            ///< from the base outwards; the last one is the base itself
  std::vector<std::size_t> wave_of;  ///< by lane
  std::vector<std::size_t> place;    ///< by lane: within the four lanes of its wave
  std::vector<FourValues> handed;    ///< by wave: to the bodies before
  std::array<std::vector<FourPulls>, kQuestions> pulled;

 private:
  void add_waves(const TreeProblem& problem);
  void find_pattern() noexcept;
  bool point_at(HandedOn& further, std::size_t l) noexcept;
  void mark_dirty(std::size_t b) noexcept;

  std::size_t base_;
  std::vector<int> parent_;
  std::vector<unsigned char> six_, six_before_;
  std::vector<unsigned char> hands_on_, handed_on_;  // now; before the working set changed
  LaneArray<3> side_, none_;
  LaneArray<1> absorbs_, settled_, changed_;
  bool all_dirty_ = true;
  bool pattern_known_ = false;
};

}  // namespace panto
