#include "panto/retarget/feet_apart.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "panto/base/index.hpp"

namespace panto {
namespace {

using Eigen::Vector3d;

constexpr double kRate = 100.0;

// A sole of 0.2 m by 0.1 m; `place` is its middle.
template <typename Place>
FootMotion foot(int frames, const Place& place) {
  FootMotion motion;
  motion.sole.heel = {-0.1, 0.0, 0.0};
  motion.sole.ball = {0.1, 0.0, 0.0};
  for (const double x : {-0.1, 0.1})
    for (const double y : {-0.05, 0.05}) motion.corners.emplace_back(x, y, 0.0);
  for (int k = 0; k < frames; ++k) {
    motion.p_WF.push_back(place(k / kRate));
    motion.R_WF.push_back(Eigen::Matrix3d::Identity());
    motion.contacts.heel.push_back(1);
    motion.contacts.ball.push_back(1);
  }
  return motion;
}

std::vector<Time> stamps(int frames) {
  std::vector<Time> t;
  for (int k = 0; k < frames; ++k) t.push_back(frame_time(k, kRate));
  return t;
}

TEST(FeetApart, SolesThatWouldBeInEachOtherAreLedApartAlike) {
  FootMotion right = foot(200, [](double) { return Vector3d(0.0, -0.03, 0.0); }),
             left = foot(200, [](double) { return Vector3d(0.05, 0.03, 0.0); });
  part_feet(stamps(200), {}, right, left);
  for (int k = 0; k < 200; ++k) {
    EXPECT_NEAR(left.p_WF[at(k)].y() - right.p_WF[at(k)].y(), 0.105, 1e-3) << k << " [m] 5 mm are left";
    EXPECT_NEAR(left.p_WF[at(k)].y() + right.p_WF[at(k)].y(), 0.0, 1e-9);
    EXPECT_EQ(left.p_WF[at(k)].x(), 0.05) << "sideways alone";
  }
}

TEST(FeetApart, AFootBesideTheOtherMakesRoomSmoothlyAndFarFramesKeepTheirBits) {
  const auto passing = [](double t) { return Vector3d(0.5 * (t - 2.0), 0.04, 0.02); };
  FootMotion right = foot(400, [](double) { return Vector3d(0.0, -0.04, 0.0); }), left = foot(400, passing);
  const FootMotion before = left;
  part_feet(stamps(400), {}, right, left);
  EXPECT_GT(left.p_WF[200].y() - right.p_WF[200].y(), 0.1) << "[m] side by side";
  EXPECT_EQ(left.p_WF[0], before.p_WF[0]);
  EXPECT_EQ(left.p_WF[399], before.p_WF[399]);
  double most = 0.0;
  for (std::size_t k = 1; k + 1 < left.p_WF.size(); ++k)
    most = std::max(most, std::abs(left.p_WF[k + 1].y() - 2.0 * left.p_WF[k].y() + left.p_WF[k - 1].y()));
  EXPECT_LT(most * kRate * kRate, 3.0) << "[m/s^2]";
}

TEST(FeetApart, FeetThatAreCrossedStayCrossed) {
  FootMotion right = foot(50, [](double) { return Vector3d(0.0, 0.04, 0.0); }),
             left = foot(50, [](double) { return Vector3d(0.0, -0.04, 0.0); });
  part_feet(stamps(50), {}, right, left);
  EXPECT_NEAR(right.p_WF[25].y() - left.p_WF[25].y(), 0.105, 1e-3);
}

TEST(FeetApart, FeetAboveOrBesideEachOtherKeepTheirBits) {
  const auto kept = [](const Vector3d& place) {
    FootMotion right = foot(50, [](double) { return Vector3d(0.0, 0.0, 0.0); }),
               left = foot(50, [&](double) { return place; });
    part_feet(stamps(50), {}, right, left);
    return right.p_WF[25].isZero(0.0) && left.p_WF[25] == place;
  };
  EXPECT_TRUE(kept({0.0, 0.04, 0.2}));
  EXPECT_TRUE(kept({0.0, 0.106, 0.0}));
  EXPECT_TRUE(kept({0.21, 0.02, 0.0}));
  EXPECT_FALSE(kept({0.1, 0.06, 0.0}));
  EXPECT_TRUE(kept({0.0, 0.0, 0.0})) << "which is left cannot be told";
}

TEST(FeetApart, SwingingFeetAreLeftToTheClearingOfLimbs) {
  FootMotion right = foot(50, [](double) { return Vector3d(0.0, -0.03, 0.0); }),
             left = foot(50, [](double) { return Vector3d(0.0, 0.03, 0.0); });
  std::fill(left.contacts.heel.begin(), left.contacts.heel.end(), static_cast<unsigned char>(0));
  std::fill(left.contacts.ball.begin(), left.contacts.ball.end(), static_cast<unsigned char>(0));
  part_feet(stamps(50), {}, right, left);
  EXPECT_EQ(left.p_WF[25].y(), 0.03);
}

TEST(FeetApart, CutsAreNotSmoothedOver) {
  const auto jump = [](double t) { return Vector3d(t < 0.995 ? 1.0 : 0.0, 0.03, 0.0); };
  FootMotion right = foot(200, [](double) { return Vector3d(0.0, -0.03, 0.0); }), left = foot(200, jump);
  part_feet(stamps(200), {100}, right, left);
  EXPECT_EQ(left.p_WF[99].y(), 0.03) << "the frame before the cut";
  EXPECT_NEAR(left.p_WF[120].y() - right.p_WF[120].y(), 0.105, 2e-3);
}

}  // namespace
}  // namespace panto
