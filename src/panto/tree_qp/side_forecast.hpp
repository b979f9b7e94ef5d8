#pragma once
// Forecasts from the last three answers on which side of its bounds each joint will be, as the start of the
// next search.

#include "panto/math/lanes.hpp"

namespace panto {

/// Extrapolates joints whose optimum continued its trend in the last solve; all others keep their side. Only
/// a guess: a working set has the same answer, bit by bit, however the search reached it.
class SideForecast {
 public:
  explicit SideForecast(std::size_t lanes);

  /// Learns an answer: bounds, sides (-1, 0, +1), optima `rho` and curvatures by slot (`TreeSolution`,
  /// `TreeSolver`). A free joint's number is its rate, a held one's is its bound plus the multiplier beyond
  /// it: both are continuous when this joint or its neighbours change sides.
  void learn(const LaneArray<3>& lower, const LaneArray<3>& upper, const LaneArray<3>& side,
             const LaneArray<3>& rho, const LaneArray<3>& curvature) noexcept;

  /// Moves joints to their expected sides. No effect before three answers.
  void apply(const LaneArray<3>& lower, const LaneArray<3>& upper, LaneArray<3>& side) const noexcept;

  void forget() noexcept { known_ = 0; }

 private:
  int known_ = 0;               // number of consecutive answers
  LaneArray<3> before_, last_;  // numbers of the last two answers
  LaneArray<3> expected_;       // numbers of the next answer; NaN: the joint keeps its side
};

}  // namespace panto
