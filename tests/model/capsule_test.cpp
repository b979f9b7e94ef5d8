#include "panto/model/capsule.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "tests/support/test_data.hpp"

namespace panto {
namespace {

using Eigen::Vector3d;

/// The smallest distance over a grid of points on both segments: never too small.
double sampled_distance(const Vector3d& a0, const Vector3d& a1, const Vector3d& b0, const Vector3d& b1,
                        int steps) {
  double best = kInfinity;
  for (int i = 0; i <= steps; ++i) {
    for (int j = 0; j <= steps; ++j) {
      const double s = static_cast<double>(i) / steps, t = static_cast<double>(j) / steps;
      best = std::min(best, (a0 + s * (a1 - a0) - b0 - t * (b1 - b0)).norm());
    }
  }
  return best;
}

/// The smallest distance by search: that of a point of one segment to the other is convex along the first.
double searched_distance(const Vector3d& a0, const Vector3d& a1, const Vector3d& b0, const Vector3d& b1) {
  const auto to_b = [&](double s) {
    const Vector3d p = a0 + s * (a1 - a0);
    double low = 0.0, high = 1.0;
    for (int i = 0; i < 100; ++i) {
      const double first = low + (high - low) / 3.0, second = high - (high - low) / 3.0;
      const bool left = (b0 + first * (b1 - b0) - p).norm() < (b0 + second * (b1 - b0) - p).norm();
      (left ? high : low) = left ? second : first;
    }
    return (b0 + low * (b1 - b0) - p).norm();
  };
  double low = 0.0, high = 1.0;
  for (int i = 0; i < 100; ++i) {
    const double first = low + (high - low) / 3.0, second = high - (high - low) / 3.0;
    const bool left = to_b(first) < to_b(second);
    (left ? high : low) = left ? second : first;
  }
  return to_b(low);
}

TEST(SegmentDistance, IsThatOfTheNearestPointsOfManySegments) {
  std::mt19937_64 engine(11);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  const auto point = [&] { return Vector3d(uniform(engine), uniform(engine), uniform(engine)); };
  for (int i = 0; i < test::scaled_numerical(1000); ++i) {
    const Vector3d a0 = point(), b0 = point();
    Vector3d a1 = point(), b1 = point();
    if (i % 5 == 1) b1 = b0 + 0.7 * (a1 - a0);                   // parallel
    if (i % 5 == 2) b1 = b0 + 0.7 * (a1 - a0) + 1e-6 * point();  // nearly
    if (i % 5 == 3) a1 = a0;                                     // a point
    if (i % 10 == 3) b1 = b0;                                    // and another
    if (i % 5 == 4) a1 = a0 + 1e-3 * point();                    // very short
    const double distance = segment_distance(a0, a1, b0, b1), sampled = sampled_distance(a0, a1, b0, b1, 40);
    EXPECT_NEAR(distance, searched_distance(a0, a1, b0, b1), 1e-7) << i;
    EXPECT_LE(distance, sampled + 1e-12) << "points in between may be nearer";
    // a point of the grid is within 1/80 of each length of the nearest ones
    EXPECT_GE(distance, sampled - (a1 - a0).norm() / 80.0 - (b1 - b0).norm() / 80.0);
    EXPECT_NEAR(segment_distance(b1, b0, a0, a1), segment_distance(a0, a1, b0, b1), 1e-12);
  }
}

TEST(NearestPoints, OfParallelSegmentsAreInTheMiddleOfTheirCommonPart) {
  const Vector3d o = Vector3d::Zero(), x = Vector3d::UnitX(), y = Vector3d::UnitY();
  const NearestPoints points = nearest_points(o, 4.0 * x, 6.0 * x + y, 2.0 * x + y);
  EXPECT_LT((points.a - 3.0 * x).norm(), 1e-12);
  EXPECT_LT((points.b - 3.0 * x - y).norm(), 1e-12);
  EXPECT_NEAR(points.on_a, 0.75, 1e-12);
  EXPECT_NEAR(points.on_b, 0.75, 1e-12);
  EXPECT_NEAR(points.distance, 1.0, 1e-12);
}

TEST(SegmentDistance, KnowsTheSimpleCases) {
  const Vector3d o = Vector3d::Zero(), x = Vector3d::UnitX(), y = Vector3d::UnitY(), z = Vector3d::UnitZ();
  EXPECT_EQ(segment_distance(-x, x, z - y, z + y), 1.0) << "crossing, one above the other";
  EXPECT_EQ(segment_distance(-x, x, -y, y), 0.0) << "crossing in a point";
  EXPECT_EQ(segment_distance(o, x, 3.0 * x, 5.0 * x), 2.0) << "on one line";
  EXPECT_EQ(segment_distance(o, 4.0 * x, x, 2.0 * x), 0.0) << "one inside the other";
  EXPECT_EQ(segment_distance(o, 4.0 * x, x + y, 2.0 * x + y), 1.0) << "side by side";
  EXPECT_EQ(segment_distance(o, o, y, y), 1.0);
}

}  // namespace
}  // namespace panto
