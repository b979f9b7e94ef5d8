// The arithmetic of one lane against Eigen's, and lanes that go through arrays.

#include "panto/math/lanes.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <array>

#include "panto/math/four_lanes.hpp"
#include "panto/math/gather.hpp"
#include "tests/support/random_model.hpp"

namespace panto {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

// sums of three products of numbers below 1
constexpr double kRounding = 1e-15;

Matrix3d random_matrix(test::Random& random) {
  Matrix3d M;
  for (double& x : M.reshaped()) x = test::uniform(random, -1.0, 1.0);
  return M;
}

double off(const Vec3& a, const Vector3d& b) { return (to_eigen(a) - b).cwiseAbs().maxCoeff(); }
double off(const Mat3& A, const Matrix3d& B) { return (to_eigen(A) - B).cwiseAbs().maxCoeff(); }

TEST(Lanes, VectorsAreAddedAndMultipliedAsEigenDoes) {
  test::Random random(1);
  for (int i = 0; i < 100; ++i) {
    const Vector3d a = test::random_vector(random, 1.0), b = test::random_vector(random, 1.0);
    const Vec3 u = to_vec3(a), w = to_vec3(b);
    EXPECT_LT(off(u + w, a + b), kRounding);
    EXPECT_LT(off(u - w, a - b), kRounding);
    EXPECT_LT(off(0.3 * u, 0.3 * a), kRounding);
    EXPECT_LT(off(times(u, w), a.cwiseProduct(b)), kRounding);
    EXPECT_NEAR(dot(u, w), a.dot(b), kRounding);
    EXPECT_LT(off(cross(u, w), a.cross(b)), kRounding);
  }
}

TEST(Lanes, MatricesAreAddedAndMultipliedAsEigenDoes) {
  test::Random random(2);
  for (int i = 0; i < 100; ++i) {
    const Matrix3d A = random_matrix(random), B = random_matrix(random);
    const Vector3d a = test::random_vector(random, 1.0);
    const Mat3 M = to_mat3(A), N = to_mat3(B);
    const Vec3 u = to_vec3(a);
    EXPECT_LT(off(M * u, A * a), kRounding);
    EXPECT_LT(off(M * N, A * B), kRounding);
    EXPECT_LT(off(M + N, A + B), kRounding);
    EXPECT_LT(off(M - N, A - B), kRounding);
    EXPECT_LT(off(transposed_times(M, u), A.transpose() * a), kRounding);
    EXPECT_LT(off(transposed_times(M, N), A.transpose() * B), kRounding);
    EXPECT_LT(off(transposed(M), A.transpose()), kRounding);
    EXPECT_LT(off(times_transposed(M, N), A * B.transpose()), kRounding);
    EXPECT_LT(off(scale_columns(u, M), A * a.asDiagonal()), kRounding);
    for (int k = 0; k < 3; ++k)
      EXPECT_LT((to_eigen(cross(u, M)).col(k) - a.cross(A.col(k))).norm(), kRounding);
  }
}

TEST(Lanes, SymmetricMatricesAreAddedAndMultipliedAsEigenDoes) {
  test::Random random(3);
  for (int i = 0; i < 100; ++i) {
    const Matrix3d half = random_matrix(random), other = random_matrix(random), B = random_matrix(random);
    const Matrix3d A = 0.5 * (half + half.transpose()), C = 0.5 * (other + other.transpose());
    const Vector3d a = test::random_vector(random, 1.0);
    const Sym3 S = upper(to_mat3(A)), T = upper(to_mat3(C));
    EXPECT_EQ(to_eigen(full(S)), A);
    EXPECT_LT(off(full(S + T), A + C), kRounding);
    EXPECT_LT(off(full(S - T), A - C), kRounding);
    EXPECT_LT(off(full(0.3 * S), 0.3 * A), kRounding);
    EXPECT_LT(off(S * to_vec3(a), A * a), kRounding);
    EXPECT_LT(off(S * to_mat3(B), A * B), kRounding);
  }
  EXPECT_EQ(to_eigen(full(diagonal(3.0))), Matrix3d(3.0 * Matrix3d::Identity()));
}

TEST(Lanes, ComeBackFromAnyPlaceOfAnArrayAndTouchNoOther) {
  test::Random random(4);
  const Matrix3d A = random_matrix(random);
  const Sym3 S = upper(to_mat3(A));
  for (std::size_t lane = 0; lane < 20; ++lane) {
    LaneArray<3> vectors(20, 7.0);
    LaneArray<6> symmetric(20, 7.0);
    LaneArray<9> matrices(20, 7.0);
    store(to_vec3(A.col(0)), vectors, lane);
    store(S, symmetric, lane);
    store(to_mat3(A), matrices, lane);
    for (std::size_t other = 0; other < 20; ++other) {
      const bool own = other == lane;
      EXPECT_EQ(to_eigen(vec3(vectors, other)), own ? Vector3d(A.col(0)) : Vector3d::Constant(7.0));
      EXPECT_EQ(to_eigen(full(sym3(symmetric, other))), own ? to_eigen(full(S)) : Matrix3d::Constant(7.0));
      EXPECT_EQ(to_eigen(mat3(matrices, other)), own ? A : Matrix3d::Constant(7.0));
    }
  }
}

TEST(Lanes, AreReadFromNumbersThatLieApart) {
  std::array<double, 18> numbers{};
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<double>(i);
  const double* x = numbers.data() + 1;  // 1, 3, 5, ...
  EXPECT_EQ(to_eigen(vec3_at(x, 2)), Vector3d(1.0, 3.0, 5.0));
  Matrix3d columns, symmetric;
  columns << 1.0, 7.0, 13.0, 3.0, 9.0, 15.0, 5.0, 11.0, 17.0;
  symmetric << 1.0, 3.0, 5.0, 3.0, 7.0, 9.0, 5.0, 9.0, 11.0;
  EXPECT_EQ(to_eigen(mat3_at(x, 2)), columns);
  EXPECT_EQ(to_eigen(full(sym3_at(x, 2))), symmetric);
}

TEST(LaneArray, HasWholeChunksOfEightLanesInItsMemoryOrder) {
  EXPECT_EQ(LaneArray<3>().data(), nullptr);
  for (const std::size_t lanes : {1U, 8U, 9U, 16U}) {
    LaneArray<3> array(lanes, 2.0);
    EXPECT_EQ(array.chunk_count(), (lanes + 7) / 8);
    EXPECT_EQ(array.size(), 8 * array.chunk_count());
    EXPECT_EQ(array.flat_size(), 24 * array.chunk_count());
    for (std::size_t i = 0; i < array.flat_size(); ++i) EXPECT_EQ(array[i], 2.0);
    for (std::size_t lane = 0; lane < array.size(); ++lane) {
      for (int k = 0; k < 3; ++k) {
        array(k, lane) = 100.0 * k + static_cast<double>(lane);
        EXPECT_EQ(array.chunk(lane / 8).v[k][lane % 8], array(k, lane));
        EXPECT_EQ(array[LaneArray<3>::index(k, lane)], array(k, lane));
        EXPECT_EQ(LaneArray<3>::lane(LaneArray<3>::index(k, lane)), lane);
      }
    }
  }
}

TEST(Lanes, AreSummedAndStoreFactsAsOneAndZero) {
  EXPECT_EQ(sum_of({1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0}), 255.0);
  EXPECT_EQ(bit_of(true), 1.0);
  EXPECT_EQ(bit_of(false), 0.0);
}

}  // namespace
}  // namespace panto
