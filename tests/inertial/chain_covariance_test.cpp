#include "panto/inertial/chain_covariance.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <array>
#include <limits>
#include <utility>

#include "panto/base/index.hpp"
#include "panto/inertial/row_stack.hpp"
#include "tests/support/random_model.hpp"

namespace panto {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

MatrixXd random_matrix(Index rows, Index columns, test::Random& random) {
  MatrixXd m(rows, columns);
  for (double& x : m.reshaped()) x = test::uniform(random, -1.0, 1.0);
  return m;
}

MatrixXd random_covariance(Index size, test::Random& random) {
  const MatrixXd root = random_matrix(size, size, random);
  return root * root.transpose() + MatrixXd::Identity(size, size);
}

double difference(const MatrixXd& a, const MatrixXd& b) {
  return (a - b).cwiseAbs().maxCoeff() / b.cwiseAbs().maxCoeff();
}

// entries of sums of some ten products
constexpr double kRounding = 1e-14;

TEST(ChainCovariance, TriplesMoveAndTheRestStays) {
  test::Random random(1);
  for (const auto& [triples, rest] : {std::pair{1, 0}, {2, 3}, {5, 2}, {7, 30}}) {
    const Index size = 3 * triples + rest;
    TripleTransition transition(size, triples);
    MatrixXd F = MatrixXd::Identity(size, size);
    // twice: what was set before must be gone
    for (int round = 0; round < 2; ++round) {
      for (int u = 0; u < triples; ++u) {
        F.block<3, 3>(3 * u, 3 * u) = random_matrix(3, 3, random);
        transition.set(u, F.block<3, 3>(3 * u, 3 * u));
      }
      const MatrixXd P = random_covariance(size, random);
      PaddedMatrix moved(size, size);
      transition.move(P, moved);
      EXPECT_LT(difference(moved.view(), F * P * F.transpose()), kRounding) << triples << ", " << rest;
    }
  }
}

TEST(ChainCovariance, NineNumbersAreTurnedWhereverTheyAre) {
  test::Random random(2);
  for (const NineIndices& index :
       {NineIndices{0, 1, 2, 3, 4, 5, 6, 7, 8}, NineIndices{9, 3, 6, 10, 4, 7, 11, 5, 8}}) {
    for (const Index size : {12, 13, 29}) {
      Eigen::Matrix<double, 9, 9> J = random_matrix(9, 9, random);
      for (int k = 0; k < 3; ++k) J.block(3 * k, 3 * k + 3, 3, 6 - 3 * k).setZero();
      MatrixXd G = MatrixXd::Identity(size, size);
      for (int k = 0; k < 9; ++k)
        for (int l = 0; l < 9; ++l) G(index[at(k)], index[at(l)]) = J(k, l);
      const MatrixXd before = random_covariance(size, random);
      MatrixXd P = before;
      turn_nine(J, index, P);
      EXPECT_LT(difference(P, G * before * G.transpose()), kRounding) << size;
    }
  }
}

// A stack of three blocks against one dense update of all their rows. `free`: what is only considered behind
// it has no gain, and keeps its own covariance.
TEST(RowStack, IsOneDenseUpdateOfAllItsRows) {
  test::Random random(3);
  for (const Index size : {12, 21})
    for (const Index free : {size, size - 3}) {
      PaddedMatrix P(size, size);
      P.view() = random_covariance(size, random);
      const MatrixXd before = P.view();
      RowStack stack(size, 3, 11, 30);
      stack.set_free(free);
      MatrixXd H = MatrixXd::Zero(11, size);
      VectorXd nu = random_matrix(11, 1, random), R = VectorXd::Constant(11, 0.3);
      const auto add = [&](int row, int rows, int skipped, int column) {
        RowStack::Slopes& slopes = stack.add(column);
        for (int r = skipped; r < rows; ++r)
          slopes[r] = H(row + r, column) = test::uniform(random, -1.0, 1.0);
      };
      stack.clear();
      stack.begin(6);
      for (const int column : {0, 5, 7}) add(0, 6, 0, column);
      stack.narrow(3);
      for (const int column : {2, 9}) add(0, 6, 3, column);
      stack.begin(1);
      for (const int column : {1, 11}) add(6, 1, 0, column);
      stack.begin(4);
      for (const int column : {0, 3, 10}) add(7, 4, 0, column);
      for (int r = 0; r < 11; ++r) stack.nu(r) = nu[r], stack.R(r) = R[r];

      const VectorXd none = VectorXd::Zero(size);
      stack.move(none, none);
      stack.project(P);
      for (int b = 0; b < stack.blocks(); ++b) stack.condition(b), stack.factor(b);
      VectorXd x = VectorXd::Zero(size);
      stack.change(x);
      stack.whiten();
      MatrixXd S = H * before * H.transpose();
      S.diagonal() += R;
      MatrixXd K = before * H.transpose() * S.inverse();
      const MatrixXd known = before - K * S * K.transpose();
      MatrixXd after = known;
      K.bottomRows(size - free).setZero();
      after.bottomRightCorner(size - free, size - free) = before.bottomRightCorner(size - free, size - free);
      EXPECT_LT((x - K * nu).cwiseAbs().maxCoeff(), 1e-12) << size << ", " << free;

      // drawn as one more row would, with what is known by then; the covariance stays what the rows say
      const std::array<int, 2> columns{4, 6};
      const std::array<double, 2> slopes{0.7, -0.2};
      VectorXd h = VectorXd::Zero(size);
      h[4] = 0.7, h[6] = -0.2;
      VectorXd drawn = known * h * 1.5 / (h.dot(known * h) + 0.25);
      drawn.tail(size - free).setZero();
      const VectorXd undrawn = x;
      stack.draw(P, columns.data(), slopes.data(), 2, 1.5, 0.25, free, x);
      stack.downdate(P);
      EXPECT_LT((x - undrawn - drawn).cwiseAbs().maxCoeff(), 1e-12) << size << ", " << free;
      const MatrixXd lower = P.view();
      for (Index j = 0; j < size; ++j)
        for (Index i = j; i < size; ++i)
          ASSERT_NEAR(lower(i, j), after(i, j), 1e-12 * before.cwiseAbs().maxCoeff()) << i << ", " << j;
    }
}

TEST(RowStack, SaysByHowMuchTheModelBends) {
  RowStack stack(2, 2, 3, 2);
  const VectorXd around = VectorXd::Zero(2), x = VectorXd::Constant(2, 0.5);
  const auto collect = [&stack](double first) {
    stack.clear();
    stack.begin(1);
    stack.add(1)[0] = 2.0;
    stack.nu(0) = first, stack.R(0) = 0.25;
  };
  collect(3.0);
  stack.expect(around, x);  // 3 - 2 * 0.5
  collect(2.1);
  EXPECT_NEAR(stack.left_out(), 0.2, 1e-14);
  // other rows cannot be compared
  stack.begin(1);
  EXPECT_EQ(stack.left_out(), std::numeric_limits<double>::infinity());
}

TEST(RowStack, NoiseOfASurpriseIsRaised) {
  PaddedMatrix P(3, 3);
  P.view().setIdentity();
  RowStack stack(3, 1, 3, 3);
  stack.clear();
  stack.begin(3);
  for (int k = 0; k < 3; ++k) stack.add(k)[k] = 1.0;
  for (int k = 0; k < 3; ++k) stack.nu(k) = k == 0 ? 8.0 : 0.0, stack.R(k) = 3.0;
  const VectorXd none = VectorXd::Zero(3);
  stack.move(none, none);
  stack.project(P);
  stack.condition(0);
  // 8 / sqrt(1 + 3) = 4 standard deviations, twice what counts fully
  EXPECT_NEAR(stack.weigh(0, 3, 2.0), 16.0, 1e-12);
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(stack.R(k), 6.0, 1e-12) << k;
  EXPECT_NEAR(stack.weigh(0, 1, 4.0), 64.0 / 7.0, 1e-12);
  EXPECT_EQ(stack.R(0), 6.0);
}

}  // namespace
}  // namespace panto
