#include "panto/motion/contacts.hpp"

#include <gtest/gtest.h>

#include "panto/base/index.hpp"
#include "panto/io/shipped_robots.hpp"
#include "panto/math/so3.hpp"
#include "panto/motion/range_scaling.hpp"
#include "panto/motion/smoothing.hpp"
#include "panto/motion/time_scaling.hpp"
#include "tests/support/random_motion.hpp"

namespace panto {
namespace {

Anchor anchor(double x, double turn) {
  return {Eigen::Vector3d(x, 0.0, 0.1), so3::exp(Eigen::Vector3d(0.0, turn, 0.0))};
}

// Stance in frames 10 to 29 of every 40, on an anchor that moves by 1 mm a frame.
std::vector<LinkContacts> contacts_of(int frames) {
  LinkContacts foot{"foot", {}, {}};
  for (int k = 0; k < frames; ++k) {
    const bool stands = k % 40 >= 10 && k % 40 < 30;
    foot.heel.push_back(stands ? 1 : 0);
    foot.ball.push_back(k % 40 >= 12 && k % 40 < 32 ? 1 : 0);
    foot.anchor.push_back(stands ? std::optional(anchor(0.001 * k, 0.01 * k)) : std::nullopt);
  }
  return {foot};
}

void expect_same(const std::vector<LinkContacts>& a, const std::vector<LinkContacts>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].link, b[i].link);
    EXPECT_EQ(a[i].heel, b[i].heel);
    EXPECT_EQ(a[i].ball, b[i].ball);
    ASSERT_EQ(a[i].anchor.size(), b[i].anchor.size());
    for (std::size_t k = 0; k < a[i].anchor.size(); ++k) {
      ASSERT_EQ(a[i].anchor[k].has_value(), b[i].anchor[k].has_value()) << k;
      if (!a[i].anchor[k]) continue;
      EXPECT_EQ(a[i].anchor[k]->p_WL, b[i].anchor[k]->p_WL);
    }
  }
}

const std::vector<Time> kStamps{0, 100, 200, 300};
const std::vector<LinkContacts> kFeet{
    {"foot", {0, 1, 1, 0}, {0, 0, 1, 1}, {std::nullopt, anchor(1.0, 0.2), anchor(2.0, 0.4), std::nullopt}}};

TEST(Contacts, AtOtherInstantsAreThoseOfTheNearestFrameWithAnchorsInBetween) {
  const LinkContacts foot = contacts_at(kFeet, kStamps, {0, 49, 51, 125, 199, 250, 400}).front();
  EXPECT_EQ(foot.heel, (std::vector<unsigned char>{0, 0, 1, 1, 1, 0, 0}));
  EXPECT_EQ(foot.ball, (std::vector<unsigned char>{0, 0, 0, 0, 1, 1, 1}));
  ASSERT_EQ(foot.anchor.size(), 7U);
  EXPECT_FALSE(foot.anchor[1] || foot.anchor[5] || foot.anchor[6]);
  EXPECT_DOUBLE_EQ(foot.anchor[2]->p_WL.x(), 1.0) << "the frame before has none: nothing to interpolate";
  EXPECT_DOUBLE_EQ(foot.anchor[3]->p_WL.x(), 1.25);
  EXPECT_NEAR(so3::distance(foot.anchor[3]->R_WL, anchor(0.0, 0.25).R_WL), 0.0, 1e-9);
  EXPECT_DOUBLE_EQ(foot.anchor[4]->p_WL.x(), 1.99);
}

TEST(Contacts, WithoutAnchorsStayWithoutThem) {
  const LinkContacts bare{"foot", {0, 1, 1, 0}, {0, 0, 1, 1}};
  EXPECT_TRUE(contacts_at({bare}, kStamps, {100, 150}).front().anchor.empty());
  EXPECT_TRUE(contacts_between({bare}, 1, 2).front().anchor.empty());
  EXPECT_TRUE(contacts_at({}, kStamps, {100}).empty());
  EXPECT_TRUE(contacts_at(kFeet, {}, {100}).empty()) << "no frames, no contacts";
}

TEST(Contacts, OfAPartAreItsFrames) {
  const LinkContacts part = contacts_between(kFeet, 1, 2).front();
  EXPECT_EQ(part.heel, (std::vector<unsigned char>{1, 1}));
  EXPECT_EQ(part.ball, (std::vector<unsigned char>{0, 1}));
  EXPECT_EQ(part.anchor.back()->p_WL.x(), 2.0);
}

TEST(Contacts, NearestFramesOfNoFramesAreNone) {
  EXPECT_EQ(nearest_frames({}, {5}), std::vector<int>{-1});
  EXPECT_EQ(nearest_frames(kStamps, {-7, 150, 149, 900}), (std::vector<int>{0, 2, 1, 3}));
}

TEST(Contacts, StayWithTheirFramesWhenAMotionIsSmoothedOrScaledInRange) {
  const Model g1 = io::shipped_robot("unitree_g1");
  Motion motion = test::random_motion(g1, 120, 1.2, 3);
  motion.contacts = contacts_of(120);
  expect_same(smooth_motion(motion, g1, {}).motion.contacts, motion.contacts);
  expect_same(scale_range(motion, g1).motion.contacts, motion.contacts);
}

TEST(Contacts, FollowTheInstantsThatASlowedMotionShows) {
  const Model g1 = io::shipped_robot("unitree_g1");
  Motion motion = test::random_motion(g1, 120, 0.9, 3);
  motion.contacts = contacts_of(120);
  TimeScalingOptions slow;
  slow.speed_limit = 0.5;
  slow.max_acceleration = 5.0;
  const TimeScaledMotion scaled = scale_time(motion, g1, slow);
  const LinkContacts& foot = scaled.motion.contacts.front();
  ASSERT_GT(scaled.motion.states.size(), 150U) << "the motion must be slowed for this test";
  ASSERT_EQ(foot.heel.size(), scaled.motion.states.size());
  ASSERT_EQ(foot.anchor.size(), scaled.motion.states.size());
  for (std::size_t k = 0; k < foot.heel.size(); ++k) {
    const double frame = to_seconds(scaled.from[k]) * 80.0;  // of the motion before
    const auto nearest = static_cast<std::size_t>(std::floor(frame + 0.5));
    EXPECT_EQ(foot.heel[k], motion.contacts.front().heel[std::min<std::size_t>(nearest, 119)]) << k;
    // half a frame at either end of a stance has no second frame to interpolate with
    if (!foot.anchor[k]) continue;
    EXPECT_NEAR(foot.anchor[k]->p_WL.x(), 0.001 * frame, 0.00051) << k;
  }
  slow.speed_limit = slow.max_acceleration = kInfinity;
  TimeScaledMotion same = scale_time(test::random_motion(g1, 1, 0.9, 3), g1, slow);
  EXPECT_TRUE(same.motion.contacts.empty());
}

}  // namespace
}  // namespace panto
