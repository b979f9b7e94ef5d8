#pragma once
// Converts coupled rows over joint positions, mimics included, to bounds on the rows' rates for one step
// (docs/algorithms/coupled_rows.md).

#include <Eigen/Core>
#include <vector>

#include "panto/ik/joint_limits.hpp"
#include "panto/model/model.hpp"
#include "panto/tree_qp/sparse_rows.hpp"

namespace panto {

/// Rate bounds of coupled rows of the model and the user, each by the joints' limit law in the row's own
/// units.
class RowLimits {
 public:
  /// `speed`: speed limits of the joints in force, by State::s order (`JointLimits::speed`). `own`: rows of
  /// the user in addition to those of the model.
  RowLimits(const Model& model, const LimitOptions& options, const std::vector<double>& speed,
            const std::vector<CoupledRow>& own = {});

  /// Sets the bounds of `own`; a row with invalid bounds (NaN, lower > upper) keeps its last ones. `own` must
  /// have the same rows as at construction.
  void set_bounds(const std::vector<CoupledRow>& own) noexcept;

  /// Returns the rows over State::s with their bounds on positions: `Model::rows()` in order, then the
  /// user's.
  [[nodiscard]] const SparseRows& positions() const noexcept { return rows_; }
  [[nodiscard]] bool empty() const noexcept { return rows_.empty(); }

  /// Computes bounds on the rows' rates for a step of `dt` [s] from joints at `s`. Always lower <= upper. A
  /// row outside its bounds, or a violated equality, is sent back with at most half the speed that its
  /// joints' limits allow together. LimitLaw::None ignores inequalities; equalities are part of the
  /// mechanism.
  void rate_bounds(const Eigen::VectorXd& s, double dt, std::vector<double>& lower,
                   std::vector<double>& upper) const noexcept;

  /// Computes bounds on the rates at an instant: the rows' speed limits; zero for equalities.
  void speed_bounds(std::vector<double>& lower, std::vector<double>& upper) const noexcept;

  /// Returns how far `s` is outside the row that it violates most, in the row's units; 0 inside.
  [[nodiscard]] double violation(const Eigen::VectorXd& s) const noexcept;

 private:
  void add(const Model& model, const CoupledRow& row, const std::vector<double>& speed);

  LimitOptions options_;
  SparseRows rows_;
  std::size_t first_own_ = 0;
  std::vector<double> speed_, gain_;  // sum |a| v_max, sum |a|
};

}  // namespace panto
