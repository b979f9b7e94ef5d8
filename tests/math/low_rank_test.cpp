#include "panto/math/low_rank.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "panto/math/padded_matrix.hpp"
#include "tests/support/random_model.hpp"

namespace panto {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

// sums of some ten products of numbers below 1, quotients by numbers above 1
constexpr double kRounding = 1e-14;

MatrixXd random_matrix(Index rows, Index columns, test::Random& random) {
  MatrixXd m(rows, columns);
  for (double& x : m.reshaped()) x = test::uniform(random, -1.0, 1.0);
  return m;
}

MatrixXd random_factor(Index size, test::Random& random) {
  MatrixXd L = random_matrix(size, size, random);
  L.diagonal().array() += 3.0;
  return L;
}

Panel from(const MatrixXd& A, Index i = 0, Index j = 0) {
  return {A.data() + i + j * A.outerStride(), A.outerStride()};
}
WritablePanel into(MatrixXd& A, Index i = 0, Index j = 0) {
  return {A.data() + i + j * A.outerStride(), A.outerStride()};
}

// below, at and above every width of vectors and tiles
const std::vector<Index> kSizes{1, 2, 3, 7, 8, 9, 16, 17, 37};

TEST(LowRank, AProductIsSubtractedFromBlocksOfAnySize) {
  test::Random random(1);
  for (const Index n : kSizes)
    for (const Index rank : {0, 1, 6, 13})
      for (const Index m : {1, 2, 3, 4, 9}) {
        const MatrixXd W = random_matrix(n + 2, rank + 1, random), C = random_matrix(m + 3, rank + 1, random);
        MatrixXd Y = random_matrix(n + 5, m + 1, random), expected = Y;
        expected.block(1, 0, n, m) -= W.topLeftCorner(n, rank) * C.block(2, 0, m, rank).transpose();
        subtract_product(from(W), from(C, 2), n, rank, m, into(Y, 1));
        ASSERT_LT((Y - expected).cwiseAbs().maxCoeff(), kRounding) << n << " x " << rank << " x " << m;
      }
}

TEST(LowRank, TheLowerHalfLosesWWTransposedAndFurtherColumnsNothing) {
  test::Random random(2);
  for (const Index n : kSizes)
    for (const Index columns : {Index{0}, n / 2, n}) {
      const MatrixXd W = random_matrix(n, 7, random), before = random_matrix(n, n, random);
      MatrixXd P = before;
      downdate_lower(from(W), n, 7, columns, into(P));
      const MatrixXd expected = before - W * W.transpose();
      for (Index j = 0; j < n; ++j)
        for (Index i = j; i < n; ++i)
          ASSERT_NEAR(P(i, j), j < columns ? expected(i, j) : before(i, j), kRounding) << i << ", " << j;
    }
}

TEST(LowRank, ChosenColumnsAreSummedSideBySide) {
  test::Random random(3);
  const std::vector<int> columns{4, 0, 2, 2, 1};
  for (const Index n : kSizes)
    for (const Index count : {1, 3, 4, 7, 9}) {
      const MatrixXd A = random_matrix(n, 5, random), H = random_matrix(9, 5, random);
      MatrixXd Y = random_matrix(n, 12, random), expected = Y;
      // all five into columns 1 .. count; then the last two once more, of the second slope on
      expected.middleCols(1, count) = A(Eigen::all, columns) * H.topRows(count).transpose();
      const ColumnSum all{columns.data(), 5, H.data(), 9, 1, count, false};
      const ColumnSum more{columns.data() + 3, 2, H.data() + 3 * 9 + 1, 9, 2, count - 1, true};
      expected.middleCols(2, count - 1) += A(Eigen::all, {2, 1}) * H.block(1, 3, count - 1, 2).transpose();
      const std::vector<ColumnSum> sums{all, more};
      sum_columns(from(A), n, sums.data(), 2, into(Y));
      ASSERT_LT((Y - expected).cwiseAbs().maxCoeff(), kRounding) << n << " x " << count;
    }
}

TEST(LowRank, LowerTriangularSystemsAreSolvedFromTheRightAndTransposed) {
  test::Random random(4);
  for (const Index n : kSizes)
    for (const Index m : {1, 3, 6, 10, 25}) {
      const MatrixXd L = random_factor(m, random);  // its upper half is not looked at
      const MatrixXd lower = L.triangularView<Eigen::Lower>();
      const MatrixXd Y = random_matrix(n, m, random);
      MatrixXd solved = Y;
      divide_by_transposed(from(L), n, m, into(solved));
      ASSERT_LT((solved * lower.transpose() - Y).cwiseAbs().maxCoeff(), 10.0 * kRounding) << n << " x " << m;
      Eigen::VectorXd y = Y.row(0).transpose();
      solve_transposed(from(L), m, y.data());
      ASSERT_LT((lower.transpose() * y - Y.row(0).transpose()).cwiseAbs().maxCoeff(), 10.0 * kRounding) << m;
    }
}

TEST(LowRank, MatricesAreTurnedAndMirroredExactly) {
  test::Random random(5);
  for (const Index n : kSizes)
    for (const Index m : kSizes) {
      const MatrixXd A = random_matrix(n, m, random);
      MatrixXd B = MatrixXd::Zero(m, n);
      transpose(from(A), n, m, into(B));
      ASSERT_EQ(B, A.transpose()) << n << " x " << m;
      if (n != m) continue;
      MatrixXd expected = A;
      expected.triangularView<Eigen::StrictlyUpper>() = A.transpose();
      mirror_lower(from(A), n, into(B));
      ASSERT_EQ(B, expected) << n;
    }
}

TEST(PaddedMatrix, ColumnsBeginAtWholeChunksThatLieAnOddNumberApart) {
  for (const Index n : {1, 8, 9, 64, 264, 512}) {
    PaddedMatrix A(n, 3);
    EXPECT_EQ(A.stride() / 8 % 2, 1) << n;
    EXPECT_GE(A.stride(), A.padded_rows()) << n;
    EXPECT_EQ(A.padded_rows() % 8, 0) << n;
    for (Index j = 0; j < 3; ++j) EXPECT_EQ(reinterpret_cast<std::uintptr_t>(A.column(j)) % 64, 0U) << n;
    A.view().setConstant(2.0);
    EXPECT_EQ(A(n - 1, 2), 2.0);
    for (Index i = n; i < A.stride(); ++i) EXPECT_EQ(A.column(1)[i], 0.0) << n;
  }
}

}  // namespace
}  // namespace panto
