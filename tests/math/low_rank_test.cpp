#include "panto/math/low_rank.hpp"

#include <gtest/gtest.h>

#include "tests/support/random_model.hpp"

namespace panto {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

MatrixXd random_matrix(Index rows, Index columns, test::Random& random) {
  MatrixXd m(rows, columns);
  for (double& x : m.reshaped()) x = test::uniform(random, -1.0, 1.0);
  return m;
}

TEST(LowRank, AProductIsSubtractedFromBlocksOfAnySize) {
  test::Random random(1);
  for (const Index n : {1, 3, 7, 8, 9, 16, 37})
    for (const Index rank : {0, 1, 6, 13})
      for (const Index m : {1, 2, 3, 4, 9}) {
        const MatrixXd W = random_matrix(n + 2, rank + 1, random), C = random_matrix(rank + 3, m, random);
        MatrixXd Y = random_matrix(n + 5, m + 1, random);
        MatrixXd expected = Y;
        expected.block(1, 0, n, m) -= W.topLeftCorner(n, rank) * C.topRows(rank);
        subtract_product(W.topLeftCorner(n, rank), C.topRows(rank), Y.block(1, 0, n, m));
        // sums of 13 products of numbers below 1
        ASSERT_LT((Y - expected).cwiseAbs().maxCoeff(), 1e-14) << n << " x " << rank << " x " << m;
      }
}

TEST(LowRank, TheLowerHalfLosesWWTransposedAndFurtherColumnsNothing) {
  test::Random random(2);
  for (const Index n : {1, 2, 5, 8, 30})
    for (const Index columns : {Index{0}, n / 2, n}) {
      const MatrixXd W = random_matrix(n, 7, random);
      const MatrixXd before = random_matrix(n, n, random);
      MatrixXd P = before;
      downdate_lower(W, columns, P);
      const MatrixXd expected = before - W * W.transpose();
      for (Index j = 0; j < n; ++j)
        for (Index i = j; i < n; ++i)
          ASSERT_NEAR(P(i, j), j < columns ? expected(i, j) : before(i, j), 1e-14) << i << ", " << j;
    }
}

}  // namespace
}  // namespace panto
