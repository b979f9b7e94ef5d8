#include "panto/math/convex_hull.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>

#include "tests/support/test_data.hpp"

namespace panto {
namespace {

using Eigen::Vector3d;

std::vector<Vector3d> box(const Vector3d& half) {
  std::vector<Vector3d> points;
  for (int i = 0; i < 8; ++i)
    points.emplace_back((i & 1) != 0 ? half.x() : -half.x(), (i & 2) != 0 ? half.y() : -half.y(),
                        (i & 4) != 0 ? half.z() : -half.z());
  return points;
}

std::vector<Vector3d> ball(std::mt19937_64& engine, int count) {
  std::normal_distribution<double> normal;
  std::vector<Vector3d> points;
  for (int i = 0; i < count; ++i)
    points.push_back(Vector3d(normal(engine), normal(engine), normal(engine)).normalized());
  return points;
}

// A closed surface has each edge once in either direction.
void expect_closed(const ConvexHull& hull) {
  std::map<std::pair<int, int>, int> edges;
  for (const auto& t : hull.triangles)
    for (std::size_t i = 0; i < 3; ++i) ++edges[{t[i], t[(i + 1) % 3]}];
  for (const auto& [edge, count] : edges) {
    EXPECT_EQ(count, 1);
    EXPECT_EQ(edges.count({edge.second, edge.first}), 1U);
  }
  EXPECT_EQ(hull.triangles.size(), 2 * hull.points.size() - 4) << "Euler";
}

TEST(ConvexHull, OfABoxHasItsCornersAndItsArea) {
  std::vector<Vector3d> points = box({0.1, 0.2, 0.3});
  points.emplace_back(0.0, 0.0, 0.0);
  points.emplace_back(0.05, -0.1, 0.2);
  const ConvexHull hull = convex_hull(points);
  EXPECT_EQ(hull.points.size(), 8U) << "points within are none of it";
  EXPECT_NEAR(area(hull), 8.0 * (0.02 + 0.03 + 0.06), 1e-4);
  EXPECT_NEAR(outside(hull, {0.15, 0.0, 0.0}), 0.05, 1e-5);
  EXPECT_NEAR(outside(hull, {0.09, 0.0, 0.0}), -0.01, 1e-5);
  expect_closed(hull);
}

TEST(ConvexHull, HoldsAllPointsAndIsClosedForManyShapes) {
  std::mt19937_64 engine(3);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  for (int round = 0; round < test::scaled_numerical(60); ++round) {
    std::vector<Vector3d> points = ball(engine, 10 + 3 * round);
    const Vector3d size(std::exp(2.0 * uniform(engine)), std::exp(2.0 * uniform(engine)), 1.0);
    for (Vector3d& p : points) {
      p = p.cwiseProduct(size);
      // grids have many points on one plane, and equal ones
      if (round % 3 == 1) p = (4.0 * p).array().round().matrix() / 4.0;
      if (round % 3 == 2) p.z() = std::clamp(p.z(), -0.3, 0.3);
    }
    const ConvexHull hull = convex_hull(points);
    ASSERT_FALSE(hull.triangles.empty());
    expect_closed(hull);
    for (const Vector3d& p : points)
      EXPECT_LT(outside(hull, p), 1e-3 * 2.0 * size.maxCoeff()) << "equal points are one";
    for (const Vector3d& p : sample_surface(hull, 50))
      EXPECT_NEAR(outside(hull, p), 0.0, 1e-4 * size.maxCoeff()) << "samples are on the surface";
  }
}

TEST(ConvexHull, OfPointsWithoutVolumeHasNoTriangles) {
  EXPECT_TRUE(convex_hull({}).triangles.empty());
  EXPECT_TRUE(convex_hull({Vector3d::Zero(), Vector3d::UnitX(), Vector3d::UnitY()}).triangles.empty());
  EXPECT_TRUE(convex_hull(std::vector<Vector3d>(9, Vector3d::Ones())).triangles.empty());
  std::vector<Vector3d> flat = box({0.1, 0.2, 0.0}), line = box({0.1, 0.0, 0.0});
  EXPECT_TRUE(convex_hull(flat).triangles.empty());
  EXPECT_EQ(convex_hull(flat).points.size(), 8U) << "its points remain";
  EXPECT_TRUE(convex_hull(line).triangles.empty());
  EXPECT_TRUE(sample_surface(convex_hull(line), 10).empty());
  EXPECT_EQ(outside(convex_hull(line), Vector3d::Zero()), 1e300);
}

TEST(ExtremePoints, LeaveOutWhatIsWithinAndWhatIsNotFinite) {
  std::vector<Vector3d> points = box({0.1, 0.2, 0.3});
  points.emplace_back(0.0, 0.0, 0.0);
  points.emplace_back(std::numeric_limits<double>::quiet_NaN(), 0.0, 0.0);
  points.emplace_back(0.0, std::numeric_limits<double>::infinity(), 0.0);
  EXPECT_EQ(extreme_points(points, 200), box({0.1, 0.2, 0.3}));
  EXPECT_TRUE(extreme_points({}, 200).empty());
}

TEST(SampleSurface, SpreadsPointsByArea) {
  const ConvexHull hull = convex_hull(box({0.1, 0.2, 0.3}));
  const std::vector<Vector3d> samples = sample_surface(hull, 1100);
  ASSERT_EQ(samples.size(), 1100U);
  int top = 0;
  for (const Vector3d& p : samples) top += p.z() > 0.2999 ? 1 : 0;
  EXPECT_NEAR(top, 100, 3) << "0.08 of 0.88 m^2";
  EXPECT_EQ(samples[7], sample_surface(hull, 1100)[7]) << "always the same";
}

}  // namespace
}  // namespace panto
