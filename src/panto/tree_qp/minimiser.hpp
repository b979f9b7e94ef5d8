#pragma once
// Interface of a solver that replaces the kernel in `ActiveSetSolver`.

#include "panto/math/lanes.hpp"
#include "panto/tree_qp/solver.hpp"

namespace panto {

/// Minimises a problem of a tree for a given working set of joints. Implementations do not allocate.
class Minimiser {
 public:
  virtual ~Minimiser() = default;

  /// Finds the minimum with joint i held at `held_rate[i]` [rad/s] where `side[i]` is -1 or 1 (0: free or no
  /// joint; null: none held), and `rho`: a free joint's rate; for a held joint, the optimum that its
  /// multiplier indicates (`curvature`). Returns false if a rate is not finite. Both arrays must outlive
  /// `complete`.
  [[nodiscard]] virtual bool minimise(const LaneArray<3>* side, const LaneArray<3>& held_rate,
                                      TreeSolution& solution, TreeSolution* companion) noexcept = 0;

  /// Returns by slot, for held joints: curvature (rate - rho) is the cost's gradient, as in `TreeSolver`.
  [[nodiscard]] virtual const LaneArray<3>& curvature() const noexcept = 0;

 protected:
  Minimiser() = default;
  Minimiser(const Minimiser&) = default;
  Minimiser& operator=(const Minimiser&) = default;
};

}  // namespace panto
