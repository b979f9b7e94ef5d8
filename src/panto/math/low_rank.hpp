#pragma once
// Differences of matrices that have few columns: the work of a filter that takes measurements one by one.

#include <Eigen/Core>

namespace panto {

/// Y -= W C, with Y (n x m), W (n x r), C (r x m). Every entry subtracts its products in the order of r, so
/// that all machines agree. No allocation. Y must not be part of W or C.
void subtract_product(const Eigen::Ref<const Eigen::MatrixXd>& W, const Eigen::Ref<const Eigen::MatrixXd>& C,
                      Eigen::Ref<Eigen::MatrixXd> Y) noexcept;

/// P -= W W^T in the lower half of the first `columns` columns of P (n x n); W (n x r). Of the upper half
/// anything may be left. No allocation.
void downdate_lower(const Eigen::Ref<const Eigen::MatrixXd>& W, Eigen::Index columns,
                    Eigen::Ref<Eigen::MatrixXd> P) noexcept;

}  // namespace panto
