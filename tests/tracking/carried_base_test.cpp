#include "panto/tracking/carried_base.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace panto {
namespace {

using Eigen::Vector3d;

constexpr double kT = 0.01;  // [s]

struct Path {
  std::vector<Vector3d> filtered, published;
};

// A filter that takes a walking person for a standing one for 0.4 s, then learns speed and way in one frame.
Path late_speed(const MeasuredPlace& measured) {
  Path path;
  const Vector3d rest = Vector3d::Zero(), speed{1.2, 0.0, 0.0};
  BaseOffset offset;
  BaseAnswer was{rest, rest, rest};
  for (int k = 1; k <= 300; ++k) {
    const bool knows = k >= 40;
    const BaseAnswer is{knows ? Vector3d(k * kT * speed) : rest, knows ? speed : rest, rest};
    offset = carried_on(offset, was, is, kT, measured);
    path.filtered.push_back(is.p);
    path.published.emplace_back(is.p + offset.p);
    was = is;
  }
  return path;
}

double largest_step(const std::vector<Vector3d>& path) {
  double largest = 0.0;
  for (std::size_t k = 1; k < path.size(); ++k) largest = std::max(largest, (path[k] - path[k - 1]).norm());
  return largest;
}

double largest_acceleration(const std::vector<Vector3d>& path) {
  double largest = 0.0;
  for (std::size_t k = 2; k < path.size(); ++k)
    largest = std::max(largest, (path[k] - 2.0 * path[k - 1] + path[k - 2]).norm() / (kT * kT));
  return largest;
}

TEST(CarriedBase, ASpeedThatIsLearntLateIsTakenOverSmoothly) {
  const Path path = late_speed({false});
  EXPECT_NEAR(largest_step(path.filtered), 0.48, 1e-9);
  // behind by 0.48 m and 1.2 m/s, with modes of 0.2 and 1 s: v = -2.1 exp(-5t) + 0.9 exp(-t) m/s, 0.39 at
  // most
  EXPECT_LT(largest_step(path.published), 1.6 * kT) << "hardly faster than the person";
  EXPECT_LT(largest_acceleration(path.published), 5.0 * 2.1 - 0.9 + 0.1);
  // the way that it did not know of is not lost: 0.9 m exp(-t), 2.6 s later
  const Vector3d behind = path.published.back() - path.filtered.back();
  EXPECT_NEAR(behind.x(), -0.9 * std::exp(-2.6), 0.003);
}

TEST(CarriedBase, AVelocityIsThatOfThePublishedPlace) {
  const Vector3d rest = Vector3d::Zero();
  BaseOffset before{{-0.3, 0.2, 0.1}, {0.5, -1.0, 0.3}};
  for (int k = 0; k < 100; ++k) {
    const BaseOffset now = carried_on(before, {rest, rest, rest}, {rest, rest, rest}, kT, {k % 2 == 0});
    // the trapezoid's error is T^3/12 of the third derivative, at most 5^3 |p| + 3 * 5^2 |v|
    EXPECT_LT((now.p - before.p - 0.5 * kT * (now.v + before.v)).norm(), 2e-5);
    before = now;
  }
}

TEST(CarriedBase, APlaceThatIsMeasuredIsFoundAgain) {
  const Path path = late_speed({true});
  EXPECT_LT((path.published.back() - path.filtered.back()).norm(), 1e-3);
  EXPECT_LT(largest_step(path.published), 0.05);
}

TEST(CarriedBase, HeightComesBackAlways) {
  const Vector3d rest = Vector3d::Zero();
  BaseOffset offset = carried_on({}, {rest, rest, rest}, {{0.0, 0.0, 0.1}, rest, rest}, kT, {false});
  EXPECT_NEAR(offset.p.z(), -0.1, 1e-12) << "at first it stays where it was";
  double steepest = 0.0;
  for (int k = 0; k < 200; ++k) {
    const double before = offset.p.z();
    offset = carried_on(offset, {rest, rest, rest}, {rest, rest, rest}, kT, {false});
    steepest = std::max(steepest, std::abs(offset.p.z() - before));
  }
  EXPECT_LT(std::abs(offset.p.z()), 1e-3);
  EXPECT_LT(steepest, 0.1 / 0.2 * kT) << "of a critically damped spring";
}

TEST(CarriedBase, AFilterThatExplainsItsStepsIsPublishedAsItIs) {
  BaseOffset offset;
  const auto at = [](int k) {
    const double t = k * kT, w = 6.0;
    const Vector3d d{1.0, -0.5, 0.2};
    return BaseAnswer{0.05 * std::sin(w * t) * d, 0.05 * w * std::cos(w * t) * d,
                      -0.05 * w * w * std::sin(w * t) * d};
  };
  for (int k = 1; k < 500; ++k) offset = carried_on(offset, at(k - 1), at(k), kT, {false});
  EXPECT_LT(offset.p.norm(), 2e-3);
  EXPECT_LT(offset.v.norm(), 1e-3);
}

}  // namespace
}  // namespace panto
