#include "panto/motion/live_contacts.hpp"

#include <gtest/gtest.h>

#include <array>
#include <limits>

#include "panto/base/error.hpp"

namespace panto {
namespace {

// A sole that swings for 0.4 s, 0.1 m above a floor at 0.2 m, and then lies on it.
constexpr double kRate = 60.0, kFloor = 0.2, kLands = 0.4;
constexpr int kFrames = 60;

Eigen::Vector3d point_at(double t) {
  const double left = std::max(kLands - t, 0.0);
  return {-2.0 * left, 0.0, kFloor + std::min(2.0 * left, 0.1)};
}

// Returns the time at which the first contact is decided; `later`: frames that are known by then.
double lands_at(LiveContacts& contacts, int later) {
  double landed = kInfinity;
  for (int k = 0; k < kFrames; ++k) {
    const std::array<Eigen::Vector3d, 1> points{point_at(k / kRate)};
    contacts.push(frame_time(k, kRate), k > 0, points);
    if (k < later) continue;
    const auto now = static_cast<std::size_t>(k - later);
    contacts.judge(now);
    contacts.decide(now);
    if (contacts.stands(0, now)) landed = std::min(landed, static_cast<double>(now) / kRate);
  }
  return landed;
}

TEST(LiveContacts, FindTheInstantOfTouchDownWithLookAheadAndSoonAfterItWithout) {
  LiveContacts blind(1, kFrames, {}, kFloor), seeing(1, kFrames, {}, kFloor);
  EXPECT_NEAR(lands_at(seeing, 6), kLands, 0.04);
  const double late = lands_at(blind, 0);
  EXPECT_GE(late, kLands);
  EXPECT_LE(late, kLands + 0.06);
}

TEST(LiveContacts, FindTheFloorUnderTheLowestSlowPoint) {
  LiveContacts contacts(1, kFrames, {}, {});
  (void)lands_at(contacts, 0);
  EXPECT_NEAR(contacts.ground(), kFloor, 0.1);  // begins at the first height, 0.1 m above
  contacts.reset();
  contacts.begin(std::array<Eigen::Vector3d, 1>{point_at(1.0)});
  EXPECT_EQ(contacts.ground(), kFloor);
}

TEST(LiveContacts, TakePointsThatAreNotMeasuredForNoContact) {
  LiveContacts contacts(1, 4, {}, 0.0);
  const std::array<Eigen::Vector3d, 1> unknown{
      Eigen::Vector3d::Constant(std::numeric_limits<double>::quiet_NaN())};
  contacts.push(0, false, unknown);
  contacts.judge(0);
  contacts.decide(0);
  EXPECT_FALSE(contacts.stands(0, 0));
  EXPECT_EQ(contacts.ground(), 0.0);
}

TEST(LiveContacts, RefuseAFloorThatIsNotFinite) {
  EXPECT_THROW(LiveContacts(1, 4, {}, kInfinity), ConfigError);
}

}  // namespace
}  // namespace panto
