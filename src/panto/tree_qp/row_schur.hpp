#pragma once
// Holds coupled rows at given values and adds costs over several bodies, on top of the tree's elimination.
// With H of the free joints and the rows' gradients A: Y = H^-1 A' by one O(n) pass per row, S = A Y,
// S mu = A q - values, q - Y mu (docs/algorithms/coupled_rows.md). A cost w (A q - wanted)^2 is a row that
// yields by 1/w: S + 1/w (docs/algorithms/own_targets.md).

#include <Eigen/Core>
#include <vector>

#include "panto/tree_qp/solver.hpp"

namespace panto {

/// Responses, Schur complement and multipliers of the held rows. noexcept and without allocation after
/// construction.
class RowSchur {
 public:
  explicit RowSchur(const TreeProblem& problem);

  /// Moves `solution`, the kernel's minimum on `working_set`, to the minimum with every row with `side` != 0
  /// at `value`. A row with `yield` y > 0 ends at value + y multiplier. A row whose coefficients at free
  /// joints depend on those of previous rows (equalities come first) is ignored: its multiplier is 0. Costs
  /// of `problem.costs` with a weight > 0 always count. Returns false if not finite.
  [[nodiscard]] bool hold(const TreeProblem& problem, TreeSolver& kernel, const LaneArray<3>& working_set,
                          const std::vector<signed char>& side, const std::vector<double>& value,
                          const std::vector<double>& yield, TreeSolution& solution) noexcept;

  /// Uses the same rows and factors for another right-hand side: `solution` is the kernel's answer to it, the
  /// rows get the values that they have in `answer`, and costs use `CostRows::companion`.
  void keep(const TreeProblem& problem, const TreeSolution& answer, TreeSolution& solution) noexcept;

  /// Releases all rows.
  void clear() noexcept { count_ = 0; }

  /// Returns multipliers of the halved cost: > 0 if the row's value would rise without the row. 0 unless
  /// held.
  [[nodiscard]] const std::vector<double>& multiplier() const noexcept { return multiplier_; }
  /// Returns how far a held row's value would move without the row, with the other rows held.
  [[nodiscard]] double pull(int r) noexcept;

 private:
  // Rows are numbered consecutively: coupled rows first, then costs.
  [[nodiscard]] double row_value(const TreeProblem& problem, int r, const TreeSolution& at) const noexcept;
  [[nodiscard]] double row_size(const TreeProblem& problem, int r, const TreeSolution& at) const noexcept;
  void respond_to(const TreeProblem& problem, TreeSolver& kernel, int place) noexcept;
  void respond_to_all(const TreeProblem& problem, TreeSolver& kernel) noexcept;
  void gather(const TreeProblem& problem, const std::vector<signed char>& side,
              const std::vector<double>& value, const std::vector<double>& yield) noexcept;
  void find_dependent(const LaneArray<3>& working_set) noexcept;
  void factor() noexcept;
  void solve(Eigen::VectorXd& x) const noexcept;
  void advance(const TreeProblem& problem, TreeSolver& kernel, double spread,
               TreeSolution& solution) noexcept;
  void take_responses(TreeSolution& solution) const noexcept;
  [[nodiscard]] double residual(const TreeProblem& problem, const TreeSolution& solution) noexcept;
  void add_gradient(const TreeProblem& problem, int r, double factor) noexcept;
  void clear_gradient(const TreeProblem& problem, int r) noexcept;

  int coupled_ = 0;  // number of rows that are no costs
  int count_ = 0;
  std::vector<int> held_, place_;  // rows by place, places by row
  std::vector<TreeSolution> response_;
  TreeSolution joint_response_;
  LaneArray<3> gradient_;
  Eigen::Vector3d base_force_ = Eigen::Vector3d::Zero(), base_moment_ = Eigen::Vector3d::Zero();
  std::vector<int> column_;     // entries that rows contain
  Eigen::MatrixXd A_;           // rows over these columns
  Eigen::MatrixXd basis_;       // (columns x rows) orthonormal, of the independent rows at free joints
  Eigen::MatrixXd S_, factor_;  // factor_: L below the diagonal, 1/D on it, 0 for a dependent row
  Eigen::VectorXd value_, yield_, mu_, work_;
  std::vector<double> multiplier_;
  std::vector<unsigned char> depends_;
};

}  // namespace panto
