#include "panto/math/decompositions.hpp"

#include <gtest/gtest.h>

#include <random>

namespace panto {
namespace {

Eigen::MatrixXd random_symmetric(int n, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Eigen::MatrixXd B(n, n);
  for (int i = 0; i < B.size(); ++i) B.data()[i] = static_cast<double>(random() >> 11) * 0x1p-53 - 0.5;
  return B * B.transpose() + 0.01 * Eigen::MatrixXd::Identity(n, n);
}

TEST(Decompositions, EigenvectorsRebuildTheMatrixInAscendingOrder) {
  for (int n : {1, 3, 6, 11}) {
    const Eigen::MatrixXd A = random_symmetric(n, 7);
    const SymmetricEigen<Eigen::Dynamic> eigen = symmetric_eigen(A);
    EXPECT_LT((eigen.vectors * eigen.values.asDiagonal() * eigen.vectors.transpose() - A).norm(), 1e-13);
    for (int i = 1; i < n; ++i) EXPECT_LE(eigen.values[i - 1], eigen.values[i]);
  }
  const Eigen::Matrix3d A = random_symmetric(3, 8);
  const SymmetricEigen<3> eigen = symmetric_eigen(A);
  EXPECT_LT((A * eigen.vectors.col(2) - eigen.values[2] * eigen.vectors.col(2)).norm(), 1e-14);
}

TEST(Decompositions, SolutionsMeetTheirEquations) {
  const Eigen::MatrixXd A = random_symmetric(9, 9);
  const Eigen::VectorXd r = random_symmetric(9, 10).col(0);
  EXPECT_LT((A * solve_symmetric(A, r) - r).norm(), 1e-12);
  const Eigen::Matrix3d A3 = random_symmetric(3, 11);
  const Eigen::Vector3d b(1.0, -2.0, 3.0);
  EXPECT_LT((A3 * solve_symmetric(A3, b) - b).norm(), 1e-12);
  EXPECT_LT((A3 * symmetric_inverse(A3) - Eigen::Matrix3d::Identity()).norm(), 1e-12);
}

}  // namespace
}  // namespace panto
