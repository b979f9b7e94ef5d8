#include "panto/motion/base_path.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <cmath>

#include "panto/base/error.hpp"

namespace panto {
namespace {

// The same least squares as a dense matrix: weights by the trapezoidal rule, second divided differences.
Eigen::VectorXd dense_path(const std::vector<Time>& t, const PathWishes& wishes, double time) {
  const auto n = static_cast<Eigen::Index>(t.size());
  const auto when = [&](Eigen::Index i) { return to_seconds(t[static_cast<std::size_t>(i)]); };
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n, n);
  Eigen::VectorXd b = Eigen::VectorXd::Zero(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const double span = when(std::min(i + 1, n - 1)) - when(std::max<Eigen::Index>(i - 1, 0));
    const double w = 0.5 * span * wishes.weight[static_cast<std::size_t>(i)];
    A(i, i) += w;
    b[i] += w * wishes.value[static_cast<std::size_t>(i)];
  }
  for (Eigen::Index i = 1; i + 1 < n; ++i) {
    const double before = when(i) - when(i - 1), after = when(i + 1) - when(i), mean = 0.5 * (before + after);
    Eigen::VectorXd row = Eigen::VectorXd::Zero(n);
    row[i - 1] = 1.0 / (before * mean);
    row[i] = -(1.0 / before + 1.0 / after) / mean;
    row[i + 1] = 1.0 / (after * mean);
    A += std::pow(time, 4) * mean * row * row.transpose();
  }
  return A.ldlt().solve(b);
}

TEST(SmoothPath, IsTheLeastSquaresPathOfUnevenStamps) {
  std::vector<Time> t;
  PathWishes wishes;
  for (int k = 0; k < 60; ++k) {
    t.push_back(from_seconds(0.02 * k + 0.006 * std::sin(1.3 * k)));
    wishes.value.push_back(std::sin(0.2 * k) + (k % 7 == 0 ? 0.3 : 0.0));
    wishes.weight.push_back(k % 5 == 0 ? 0.0 : 0.1 * (1 + k % 3));
  }
  const std::vector<double> path = smooth_path(t, wishes, 0.08);
  const Eigen::VectorXd expected = dense_path(t, wishes, 0.08);
  for (std::size_t k = 0; k < path.size(); ++k)
    EXPECT_NEAR(path[k], expected[static_cast<Eigen::Index>(k)], 1e-5);  // the band adds 1e-9 to the diagonal
}

TEST(SmoothPath, KeepsALineAndBridgesFramesWithoutWish) {
  std::vector<Time> t;
  PathWishes wishes;
  for (int k = 0; k < 100; ++k) {
    t.push_back(from_seconds(0.01 * k));
    const bool known = k < 30 || k > 70;
    wishes.value.push_back(known ? 2.0 - 0.5 * k : 1e3);
    wishes.weight.push_back(known ? 1.0 : 0.0);
  }
  const std::vector<double> path = smooth_path(t, wishes, 0.05);
  for (std::size_t k = 0; k < path.size(); ++k)
    EXPECT_NEAR(path[k], 2.0 - 0.5 * static_cast<double>(k), 1e-2);
}

TEST(SmoothPath, PartsBetweenCutsDoNotSeeEachOther) {
  std::vector<Time> t;
  PathWishes both, one;
  for (int k = 0; k < 40; ++k) {
    t.push_back(from_seconds(0.01 * k));
    both.value.push_back(k < 20 ? std::sin(0.4 * k) : 50.0);
    both.weight.push_back(1.0);
  }
  one.value.assign(both.value.begin(), both.value.begin() + 20);
  one.weight.assign(20, 1.0);
  const std::vector<double> cut = smooth_path(t, both, 0.03, {20});
  const std::vector<double> alone = smooth_path({t.begin(), t.begin() + 20}, one, 0.03);
  for (std::size_t k = 0; k < 20; ++k) EXPECT_EQ(cut[k], alone[k]);
  for (std::size_t k = 20; k < 40; ++k) EXPECT_NEAR(cut[k], 50.0, 1e-9);
}

TEST(SmoothPath, AcceptsPartsOfOneAndTwoFrames) {
  const std::vector<double> path = smooth_path({0, 10, 20}, {{1.0, 2.0, 3.0}, {1.0, 1.0, 1.0}}, 0.1, {1});
  EXPECT_NEAR(path[0], 1.0, 1e-9);
  EXPECT_NEAR(path[1], 2.0, 1e-9);
  EXPECT_NEAR(path[2], 3.0, 1e-9);
}

TEST(SmoothPath, RefusesStampsThatDoNotIncreaseAndListsThatDiffer) {
  const PathWishes wishes{{0.0, 0.0}, {1.0, 1.0}};
  EXPECT_THROW((void)smooth_path({5, 5}, wishes, 0.1), ConfigError);
  EXPECT_THROW((void)smooth_path({5}, wishes, 0.1), ConfigError);
  EXPECT_THROW((void)smooth_path({5, 6}, wishes, 0.0), ConfigError);
}

}  // namespace
}  // namespace panto
