#pragma once
// Where a sequence of solves begins its search: on which side of its bounds each joint will be, told from the
// last three answers.

#include "panto/math/lanes.hpp"

namespace panto {

/// Carries joints whose optimum went on in the last solve as it had gone before; all others keep their side.
/// A guess alone: a working set has the same answer, to the last bit, however the search came to it.
class SideForecast {
 public:
  explicit SideForecast(std::size_t lanes);

  /// Takes in an answer: bounds, sides (-1, 0, +1), optima `rho` and curvatures by slot (`TreeSolution`,
  /// `TreeSolver`). A free joint's number is its rate, a held one's its bound and the multiplier beyond it:
  /// both go on without a leap when a joint changes sides, and when those around it do.
  void learn(const LaneArray<3>& lower, const LaneArray<3>& upper, const LaneArray<3>& side,
             const LaneArray<3>& rho, const LaneArray<3>& curvature) noexcept;

  /// Puts joints to the side that they are expected on. No effect before three answers.
  void apply(const LaneArray<3>& lower, const LaneArray<3>& upper, LaneArray<3>& side) const noexcept;

  void forget() noexcept { known_ = 0; }

 private:
  int known_ = 0;               // answers in turn
  LaneArray<3> before_, last_;  // numbers of the last two
  LaneArray<3> expected_;       // of the next; NaN: the joint keeps its side
};

}  // namespace panto
