#pragma once
// Decompositions of small symmetric matrices for set-up and fits. Compiled once: Eigen's templates for them
// cost the compiler seconds in every source that names them.

#include <Eigen/Core>

namespace panto {

template <int n>
struct SymmetricEigen {
  Eigen::Matrix<double, n, 1> values;   // ascending
  Eigen::Matrix<double, n, n> vectors;  // columns of length 1, in the order of the values
};

/// Returns eigenvalues and eigenvectors of a symmetric matrix; its lower triangle is read.
[[nodiscard]] SymmetricEigen<3> symmetric_eigen(const Eigen::Matrix3d& A) noexcept;
[[nodiscard]] SymmetricEigen<Eigen::Dynamic> symmetric_eigen(const Eigen::MatrixXd& A);

/// Returns x of A x = b for a symmetric positive semidefinite A (LDL^T with pivots).
[[nodiscard]] Eigen::Vector3d solve_symmetric(const Eigen::Matrix3d& A, const Eigen::Vector3d& b) noexcept;
[[nodiscard]] Eigen::VectorXd solve_symmetric(const Eigen::MatrixXd& A, const Eigen::VectorXd& b);

/// Returns the inverse of a symmetric positive definite A (LDL^T with pivots).
[[nodiscard]] Eigen::Matrix3d symmetric_inverse(const Eigen::Matrix3d& A) noexcept;

}  // namespace panto
