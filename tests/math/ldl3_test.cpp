#include "panto/math/ldl3.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>

#include "tests/support/random_model.hpp"

namespace panto {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

Sym3 sym(const Matrix3d& A) { return upper(to_mat3(A)); }

Vector3d solved(const Sym3& A, const Vector3d& b) {
  const Ldl3 f = ldl3(A);
  return to_eigen(backward(f, times(f.inverse, forward(f, to_vec3(b)))));
}

// A matrix with eigenvalues from 1 to 4, of any size.
Matrix3d random_matrix(test::Random& random, double size) {
  const Matrix3d turn = Eigen::Quaterniond(Eigen::Vector4d(test::random_vector(random, 1.0).homogeneous()))
                            .normalized()
                            .toRotationMatrix();
  return size * turn * Vector3d(1.0, 2.0, 4.0).asDiagonal() * turn.transpose();
}

TEST(Ldl3, SolvesSystemsOfAnySize) {
  test::Random random(1);
  for (const double size : {1e-200, 1e-8, 1.0, 1e8, 1e200}) {
    for (int i = 0; i < 100; ++i) {
      const Matrix3d A = random_matrix(random, size);
      const Vector3d x = test::random_vector(random, 1.0);
      // condition 4: all digits but one
      EXPECT_LT((solved(sym(A), A * x) - x).norm(), 1e-14) << size;
    }
  }
}

TEST(Ldl3, APivotThatVanishesBesideTheLargestLeavesItsUnknownZero) {
  for (const double size : {1e-200, 1e-8, 1.0, 1e8, 1e200}) {
    for (int k = 0; k < 3; ++k) {
      Matrix3d A = size * Matrix3d::Identity();
      const Vector3d b = size * Vector3d::Ones();
      A(k, k) = 2e-14 * size;
      EXPECT_NEAR(solved(sym(A), b)[k], 5e13, 1e3) << "twice as large as what counts as zero";
      for (const double share : {5e-15, 0.0, -1.0}) {
        A(k, k) = share * size;
        EXPECT_EQ(solved(sym(A), b), Vector3d(Vector3d::Ones() - Vector3d::Unit(k))) << size << ", " << share;
      }
    }
  }
  EXPECT_EQ(solved(Sym3{}, Vector3d::Ones()), Vector3d(Vector3d::Zero()));
}

TEST(Ldl3, OfAMatrixOfRankTwoSolvesWhatCanBeSolved) {
  test::Random random(2);
  for (int i = 0; i < 100; ++i) {
    Eigen::Matrix<double, 3, 2> J;
    J << test::random_vector(random, 1.0), test::random_vector(random, 1.0);
    const Matrix3d A = J * J.transpose();
    const Vector3d b = A * test::random_vector(random, 1.0), x = solved(sym(A), b);
    if (std::abs(J.topRows<2>().determinant()) < 0.1) continue;
    EXPECT_LT((A * x - b).norm(), 1e-12) << i;
    EXPECT_EQ(x[2], 0.0);
  }
}

TEST(Ldl3, FactorsOfManyLanesDivideColumnsFromTheRight) {
  test::Random random(3);
  const Matrix3d A = random_matrix(random, 1.0), B = random_matrix(random, 1.0);
  Chunk<6> factors{};
  store(ldl3(sym(A)), factors, 5);
  const Ldl3 f = ldl3(factors, 5);
  Matrix3d L = Matrix3d::Identity();
  L(1, 0) = f.l10;
  L(2, 0) = f.l20;
  L(2, 1) = f.l21;
  const Vector3d D = to_eigen(f.inverse).cwiseInverse();
  EXPECT_LT((L * D.asDiagonal() * L.transpose() - A).norm(), 1e-14);
  EXPECT_LT((to_eigen(times_backward(to_mat3(B), f)) * L.transpose() - B).norm(), 1e-14);
}

}  // namespace
}  // namespace panto
