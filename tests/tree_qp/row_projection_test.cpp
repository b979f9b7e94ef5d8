// The nearest point of a box cut by rows: against its own optimality conditions.

#include "panto/tree_qp/row_projection.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "apps/support/allocation_count.hpp"
#include "panto/model/model.hpp"
#include "tests/support/random_model.hpp"
#include "tests/support/test_data.hpp"

namespace panto {
namespace {

using test::chance;
using test::pick;
using test::Random;
using test::uniform;

struct Case {
  SparseRows rows;
  std::vector<double> lower, upper, start;
};

Case random_case(Random& random, bool solvable) {
  Case c;
  const int n = 1 + pick(random, 8), m = 1 + pick(random, 7);
  std::vector<double> inside;
  for (int i = 0; i < n; ++i) {
    c.lower.push_back(chance(random, 0.1) ? -kInfinity : uniform(random, -2.0, 0.0));
    c.upper.push_back(chance(random, 0.1) ? kInfinity : uniform(random, 0.0, 2.0));
    if (chance(random, 0.05) && std::isfinite(c.lower.back())) c.upper.back() = c.lower.back();
    inside.push_back(std::clamp(uniform(random, -2.0, 2.0), c.lower.back(), c.upper.back()));
    c.start.push_back(uniform(random, -4.0, 4.0));
  }
  for (int r = 0; r < m; ++r) {
    std::vector<std::pair<int, double>> terms;
    const int count = 1 + pick(random, 4);
    for (int k = 0; k < count; ++k) terms.push_back({pick(random, n), uniform(random, -2.0, 2.0)});
    c.rows.add(terms, 0.0, 0.0);
    const double value = solvable ? c.rows.value(r, inside.data()) : uniform(random, -2.0, 2.0);
    const bool equality = chance(random, 0.2);
    c.rows.lower.back() = equality              ? value
                          : chance(random, 0.3) ? -kInfinity
                                                : value - uniform(random, 0.0, 1.0);
    c.rows.upper.back() = equality ? value : value + uniform(random, 0.0, 1.0);
  }
  return c;
}

bool spoken_of(const Case& c, std::size_t entry) {
  return std::find(c.rows.entry.begin(), c.rows.entry.end(), static_cast<int>(entry)) != c.rows.entry.end();
}

double violation(const Case& c, const std::vector<double>& x) {
  double worst = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (spoken_of(c, i)) worst = std::max({worst, x[i] - c.upper[i], c.lower[i] - x[i]});
  }
  for (int r = 0; r < c.rows.size(); ++r) {
    const double value = c.rows.value(r, x.data());
    worst = std::max({worst, value - c.rows.upper[at(r)], c.rows.lower[at(r)] - value});
  }
  return worst;
}

TEST(RowProjection, FindsAPointWhereverThereIsOneAndNoOtherIsNearer) {
  Random random(1);
  for (int i = 0; i < test::scaled_numerical(5000); ++i) {
    const Case c = random_case(random, true);
    RowProjection projection(c.rows);
    std::vector<double> x = c.start;
    const std::vector<unsigned char> none(at(c.rows.size()), 0);
    ASSERT_TRUE(projection.project(c.rows, c.lower.data(), c.upper.data(), none, x.data())) << "case " << i;
    ASSERT_LE(violation(c, x), 1e-8) << "case " << i;

    // what no row speaks of is left alone
    for (std::size_t k = 0; k < x.size(); ++k) {
      if (!spoken_of(c, k)) {
        ASSERT_EQ(x[k], c.start[k]);
      }
    }
    // nearest: no other admissible point lies on the start's side, (start - x).(y - x) <= 0
    for (int trial = 0; trial < 5; ++trial) {
      std::vector<double> y = c.start;
      for (double& value : y) value += uniform(random, -3.0, 3.0);
      for (std::size_t k = 0; k < x.size(); ++k) {
        if (!spoken_of(c, k)) y[k] = x[k];
      }
      ASSERT_TRUE(projection.project(c.rows, c.lower.data(), c.upper.data(), none, y.data()));
      double dot = 0.0;
      for (std::size_t k = 0; k < x.size(); ++k) dot += (c.start[k] - x[k]) * (y[k] - x[k]);
      ASSERT_LE(dot, 1e-7) << "case " << i;
    }
  }
}

// Whether the rows can be met: least squares of their violations inside the box, by projected gradients.
double least_violation(const Case& c) {
  std::vector<double> x = c.start;
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::clamp(x[i], c.lower[i], c.upper[i]);
  double size = 1e-3;
  for (const double a : c.rows.coefficient) size += a * a;
  double value = 0.0;
  for (int k = 0; k < 20000; ++k) {
    std::vector<double> gradient(x.size(), 0.0);
    value = 0.0;
    for (int r = 0; r < c.rows.size(); ++r) {
      const double at_x = c.rows.value(r, x.data());
      const double off =
          std::max(at_x - c.rows.upper[at(r)], 0.0) - std::max(c.rows.lower[at(r)] - at_x, 0.0);
      value += off * off;
      for (int t = c.rows.begin[at(r)]; t < c.rows.begin[at(r + 1)]; ++t)
        gradient[at(c.rows.entry[at(t)])] += off * c.rows.coefficient[at(t)];
    }
    if (value < 1e-16) break;
    for (std::size_t i = 0; i < x.size(); ++i)
      x[i] = std::clamp(x[i] - gradient[i] / size, c.lower[i], c.upper[i]);
  }
  return std::sqrt(value);
}

TEST(RowProjection, SaysWhenThereIsNoSuchPointAndThenTouchesNothing) {
  Random random(2);
  int none_found = 0;
  for (int i = 0; i < test::scaled_numerical(300); ++i) {
    const Case c = random_case(random, false);
    RowProjection projection(c.rows);
    std::vector<double> x = c.start;
    const std::vector<unsigned char> none(at(c.rows.size()), 0);
    const bool found = projection.project(c.rows, c.lower.data(), c.upper.data(), none, x.data());
    if (found) {
      ASSERT_LE(violation(c, x), 1e-8) << "case " << i;
      continue;
    }
    ++none_found;
    ASSERT_EQ(x, c.start);
    ASSERT_GT(least_violation(c), 1e-6) << "case " << i << " can be met";
    // without any row there is a point
    const std::vector<unsigned char> all(at(c.rows.size()), 1);
    ASSERT_TRUE(projection.project(c.rows, c.lower.data(), c.upper.data(), all, x.data()));
  }
  EXPECT_GT(none_found, test::scaled_numerical(50));
}

TEST(RowProjection, DoesNotAllocate) {
  if (!AllocationCount::available()) GTEST_SKIP() << "the sanitizer owns malloc";
  Random random(3);
  for (int i = 0; i < 50; ++i) {
    Case c = random_case(random, i % 2 == 0);
    RowProjection projection(c.rows);
    const std::vector<unsigned char> none(at(c.rows.size()), 0);
    const AllocationCount count;
    (void)projection.project(c.rows, c.lower.data(), c.upper.data(), none, c.start.data());
    EXPECT_EQ(count.value(), 0);
  }
}

}  // namespace
}  // namespace panto
