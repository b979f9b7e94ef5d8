#include "panto/math/decompositions.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>

namespace panto {

SymmetricEigen<3> symmetric_eigen(const Eigen::Matrix3d& A) noexcept {
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> eigen(A);
  return {eigen.eigenvalues(), eigen.eigenvectors()};
}

SymmetricEigen<Eigen::Dynamic> symmetric_eigen(const Eigen::MatrixXd& A) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(A);
  return {eigen.eigenvalues(), eigen.eigenvectors()};
}

Eigen::Vector3d solve_symmetric(const Eigen::Matrix3d& A, const Eigen::Vector3d& b) noexcept {
  return A.ldlt().solve(b);
}

Eigen::VectorXd solve_symmetric(const Eigen::MatrixXd& A, const Eigen::VectorXd& b) {
  return A.ldlt().solve(b);
}

Eigen::Matrix3d symmetric_inverse(const Eigen::Matrix3d& A) noexcept {
  return A.ldlt().solve(Eigen::Matrix3d::Identity());
}

}  // namespace panto
