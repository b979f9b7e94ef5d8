#include "panto/robot/capsule_fit.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>

#include "panto/base/error.hpp"
#include "panto/robot/link_shapes.hpp"
#include "tests/support/test_data.hpp"

namespace panto::robot {
namespace {

using Eigen::Vector3d;
using Points = std::vector<Vector3d>;

Vector3d direction(std::mt19937_64& engine) {
  std::normal_distribution<double> normal;
  return Vector3d(normal(engine), normal(engine), normal(engine)).normalized();
}

Points surface_points(const LinkCapsule& capsule, std::mt19937_64& engine, int count) {
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  Points points;
  const Vector3d along = capsule.to - capsule.from;
  for (int i = 0; i < count; ++i) {
    Vector3d out = direction(engine);
    const double share = i % 2 == 0 ? uniform(engine) : (out.dot(along) > 0.0 ? 1.0 : 0.0);
    if (i % 2 == 0 && along.norm() > 0.0)
      out = (out - out.dot(along) / along.squaredNorm() * along).normalized();
    points.push_back(capsule.from + share * along + capsule.radius * out);
  }
  return points;
}

Points box(const Vector3d& half, const Vector3d& at = Vector3d::Zero()) {
  Points points;
  for (int i = 0; i < 8; ++i)
    points.push_back(at + Vector3d((i & 1) != 0 ? half.x() : -half.x(), (i & 2) != 0 ? half.y() : -half.y(),
                                   (i & 4) != 0 ? half.z() : -half.z()));
  return points;
}

Points cylinder(double radius, double length,
                const Eigen::Isometry3d& place = Eigen::Isometry3d::Identity()) {
  Points points;
  for (int i = 0; i < 24; ++i) {
    const double angle = 2.0 * std::numbers::pi * i / 24.0;
    for (const double end : {-0.5, 0.5})
      points.push_back(place * Vector3d(radius * std::cos(angle), radius * std::sin(angle), end * length));
  }
  return points;
}

// Volumes of the capsules' union and of the hulls', counted on a grid.
double volume_ratio(const CapsuleFit& fit, const Surface& surface) {
  Eigen::Array3d low = Eigen::Array3d::Constant(1e9), high = -low;
  for (const Vector3d& p : surface.points) {
    low = low.min(p.array() - 0.05);
    high = high.max(p.array() + 0.05);
  }
  int in_capsules = 0, in_hulls = 0;
  constexpr int kSteps = 40;
  for (int i = 0; i < kSteps * kSteps * kSteps; ++i) {
    const Eigen::Array3d share(i % kSteps + 0.5, i / kSteps % kSteps + 0.5, i / (kSteps * kSteps) + 0.5);
    const Vector3d p = low + share / kSteps * (high - low);
    in_capsules += std::any_of(fit.capsules.begin(), fit.capsules.end(),
                               [&](const LinkCapsule& c) { return capsule_distance(c, p) < 0.0; });
    in_hulls += std::any_of(surface.hulls.begin(), surface.hulls.end(),
                            [&](const ConvexHull& hull) { return outside(hull, p) < 0.0; });
  }
  return static_cast<double>(in_capsules) / in_hulls;
}

TEST(CapsuleFit, FindsManyCapsulesAgain) {
  std::mt19937_64 engine(5);
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  for (int i = 0; i < test::scaled_numerical(40); ++i) {
    LinkCapsule truth;
    truth.from = 0.3 * direction(engine);
    truth.radius = 0.02 + 0.1 * uniform(engine);
    truth.to = truth.from + 0.4 * uniform(engine) * direction(engine);
    const CapsuleFit fit = fit_capsules(surface_of({surface_points(truth, engine, 3000)}));
    ASSERT_EQ(fit.capsules.size(), 1U);
    EXPECT_LT(fit.outside_max, 0.004);
    EXPECT_NEAR(fit.capsules[0].radius, truth.radius, 0.003);
    const bool swapped =
        (fit.capsules[0].from - truth.from).norm() > (fit.capsules[0].from - truth.to).norm();
    // the ends of a short one are as uncertain as its roundness
    if ((truth.to - truth.from).norm() < 0.1) continue;
    EXPECT_LT(((swapped ? fit.capsules[0].to : fit.capsules[0].from) - truth.from).norm(), 0.01);
    EXPECT_LT(((swapped ? fit.capsules[0].from : fit.capsules[0].to) - truth.to).norm(), 0.01);
  }
}

TEST(CapsuleFit, CoversBoxesOfTheSizeOfLinksWithin20Millimetres) {
  for (const Vector3d& half :
       {Vector3d(0.03, 0.03, 0.15), Vector3d(0.10, 0.04, 0.02), Vector3d(0.06, 0.1, 0.16)}) {
    const Surface surface = surface_of({box(half)});
    const CapsuleFit fit = fit_capsules(surface);
    EXPECT_LE(fit.capsules.size(), 4U);
    // corners are what a capsule cannot fill: as far as those of its square section and end
    EXPECT_LT(fit.outside_max, 0.020) << half.transpose();
    EXPECT_LT(fit.excess_max, 0.03);
    EXPECT_LT(fit.gap_mean, 0.009);
    EXPECT_NEAR(volume_ratio(fit, surface), 1.2, 0.2) << "sticking out costs half as much as lacking";
  }
}

TEST(CapsuleFit, OfACylinderIsOneCapsuleOrFew) {
  Eigen::Isometry3d place = Eigen::Isometry3d::Identity();
  place.linear() = Eigen::AngleAxisd(0.7, Vector3d(1, 2, 3).normalized()).toRotationMatrix();
  place.translation() = Vector3d(0.1, 0.2, -0.3);
  const Surface surface = surface_of({cylinder(0.03, 0.3, place)});
  const CapsuleFit fit = fit_capsules(surface);
  EXPECT_LT(fit.outside_max, 0.008) << "its rim, 0.4 of the radius";
  EXPECT_NEAR(volume_ratio(fit, surface), 1.2, 0.1) << "sticking out costs half as much as lacking";
  for (const LinkCapsule& c : fit.capsules)
    for (const Vector3d& end : {c.from, c.to}) {
      const Vector3d own = place.inverse() * end;
      EXPECT_LT(own.head<2>().norm() + c.radius, 0.036);
    }
}

TEST(CapsuleFit, FollowsABentTube) {
  const double angle = std::numbers::pi / 2.0;
  Eigen::Isometry3d upper = Eigen::Isometry3d::Identity(), lower = upper;
  upper.translation() = Vector3d(0.0, 0.0, 0.1);
  lower.linear() = Eigen::AngleAxisd(angle, Vector3d::UnitY()).toRotationMatrix();
  lower.translation() = Vector3d(0.1, 0.0, 0.0);
  const Surface surface = surface_of({cylinder(0.03, 0.2, upper), cylinder(0.03, 0.2, lower)});
  const CapsuleFit fit = fit_capsules(surface);
  EXPECT_GE(fit.capsules.size(), 2U);
  EXPECT_LT(fit.outside_max, 0.012);
  for (const LinkCapsule& c : fit.capsules)
    EXPECT_GT(capsule_distance(c, {0.12, 0.0, 0.12}), 0.05) << "the inside of the bend stays free";
}

TEST(CapsuleFit, OfASymmetricShapeIsSymmetric) {
  const Points torso = box({0.07, 0.11, 0.16});
  CapsuleFitOptions options;
  options.mirror = 1;
  const CapsuleFit fit = fit_capsules(surface_of({torso}), options);
  for (const LinkCapsule& c : fit.capsules) {
    const LinkCapsule image = mirrored(c, 1);
    EXPECT_TRUE(std::any_of(fit.capsules.begin(), fit.capsules.end(), [&](const LinkCapsule& other) {
      const double same = (other.from - image.from).norm() + (other.to - image.to).norm(),
                   swapped = (other.from - image.to).norm() + (other.to - image.from).norm();
      return std::min(same, swapped) < 1e-9 && std::abs(other.radius - c.radius) < 1e-9;
    }));
  }
}

TEST(CapsuleFit, TakesInputsWithoutVolumeAndOnesThatAreNotFinite) {
  EXPECT_TRUE(fit_capsules({}).capsules.empty());
  EXPECT_TRUE(fit_capsules(surface_of({{}, {}})).capsules.empty());
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(fit_capsules(surface_of({{Vector3d(nan, 0, 0)}})).capsules.empty());
  const Points point(5, Vector3d(0.1, 0.2, 0.3));
  Points line, plate = box({0.1, 0.04, 0.0});
  for (int i = 0; i < 10; ++i) line.emplace_back(0.01 * i, 0.0, 0.0);
  for (const Points& shape : {point, line, plate}) {
    const CapsuleFit fit = fit_capsules(surface_of({shape}));
    ASSERT_FALSE(fit.capsules.empty());
    EXPECT_LT(fit.outside_max, 0.02);
    for (const LinkCapsule& c : fit.capsules) {
      EXPECT_TRUE(c.from.allFinite() && c.to.allFinite());
      EXPECT_GE(c.radius, 0.002);
    }
  }
  Points with_nan = box({0.1, 0.04, 0.03});
  const CapsuleFit good = fit_capsules(surface_of({with_nan}));
  with_nan.emplace_back(nan, nan, nan);
  with_nan.emplace_back(0.0, std::numeric_limits<double>::infinity(), 0.0);
  const CapsuleFit same = fit_capsules(surface_of({with_nan}));
  ASSERT_EQ(good.capsules.size(), same.capsules.size());
  for (std::size_t i = 0; i < good.capsules.size(); ++i)
    EXPECT_EQ(good.capsules[i].from, same.capsules[i].from);
}

TEST(CapsuleFit, RefusesOptionsOutOfRange) {
  CapsuleFitOptions none;
  none.most = 0;
  EXPECT_THROW(static_cast<void>(fit_capsules({}, none)), ConfigError);
  CapsuleFitOptions axis;
  axis.mirror = 3;
  EXPECT_THROW(static_cast<void>(fit_capsules({}, axis)), ConfigError);
  CapsuleFitOptions exact;
  exact.enough = 0.0;
  EXPECT_THROW(static_cast<void>(fit_capsules({}, exact)), ConfigError);
}

TEST(LinkShapes, OfAMirroredLinkAreTheMirroredOnes) {
  std::mt19937_64 engine(9);
  Points left, right;
  for (int i = 0; i < 400; ++i) {
    left.push_back(direction(engine).cwiseProduct(Vector3d(0.03, 0.05, 0.12)) + Vector3d(0.01, 0.02, -0.1));
    if (left.back().z() < -0.15) left.back().x() *= 2.0;
    right.push_back(left.back());
    right.back().y() *= -1.0;
  }
  const std::vector<LinkFit> fits = fit_links({{"left", {left}}, {"right", {right}}, {"none", {}}});
  ASSERT_EQ(fits.size(), 3U);
  EXPECT_EQ(fits[1].link, "right");
  ASSERT_EQ(fits[0].capsules.size(), fits[1].capsules.size());
  for (std::size_t i = 0; i < fits[0].capsules.size(); ++i) {
    EXPECT_EQ(fits[1].capsules[i].from, mirrored(fits[0].capsules[i], 1).from);
    EXPECT_EQ(fits[1].capsules[i].radius, fits[0].capsules[i].radius);
  }
  EXPECT_TRUE(fits[2].capsules.empty());
}

TEST(LinkShapes, HideInEachOther) {
  // a small box within a large one does not change the fit's surface
  const Surface one = surface_of({box({0.1, 0.1, 0.1})});
  const Surface two = surface_of({box({0.1, 0.1, 0.1}), box({0.02, 0.02, 0.02}, {0.03, 0.0, 0.0})});
  for (const Vector3d& p : two.points) EXPECT_GT(p.cwiseAbs().maxCoeff(), 0.099);
  EXPECT_GT(two.points.size(), one.points.size() / 2);
}

}  // namespace
}  // namespace panto::robot
