#include "panto/retarget/foot_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "panto/base/index.hpp"
#include "tests/support/shown_person.hpp"

namespace panto {
namespace {

using enum HumanSegment::Index;

using Eigen::Vector3d;
using FootBytes = std::vector<unsigned char>;

// A robot of other proportions than the person's, and the plan of its feet.
struct FootScene {
  test::ShownPerson person = test::shown_person("walk", 3.0);
  Model robot = human48(test::long_shanks());
  robot::Skeleton skeleton{robot, test::human_map(), *person.about.subject, human_segment_names()};
  PersonFeet feet;
  FootPlan plan;

  void find() {
    person.rewind();
    feet = find_person_feet(person, *person.about.subject);
    person.rewind();
    plan = plan_feet(person, feet, skeleton);
  }
  // the largest way of a ball between two frames in which it touches [m]. `poses(k, i)`: p_WF
  // and R_WF of foot i
  template <typename Poses>
  [[nodiscard]] double slide(const Poses& poses) const {
    double most = 0.0;
    for (std::size_t i = 0; i < 2; ++i) {
      const FootBytes& ball = feet.contacts.feet[i].ball;
      const auto place = [&](std::size_t k) {
        const auto [p, R] = poses(k, i);
        return Vector3d(p + R * robot_sole(skeleton, feet.sides[i]).ball);
      };
      for (std::size_t k = 1; k < ball.size(); ++k)
        if (ball[k] != 0 && ball[k - 1] != 0) most = std::max(most, Vector3d(place(k) - place(k - 1)).norm());
    }
    return most;
  }
  [[nodiscard]] double planned_slide() const {
    return slide([&](std::size_t k, std::size_t i) {
      return std::pair(plan.planted.feet[i].p_WF[k], plan.planted.feet[i].R_WF[k]);
    });
  }
};

TEST(FootPlan, FindsStancesAndTheFloorOfAWalk) {
  FootScene scene;
  std::vector<SegmentSample>& samples = scene.person.samples;
  for (SegmentSample& sample : samples)
    for (SegmentMotion& segment : sample.segments) segment.p_WS.z() += 0.3;  // [m] a floor that is not z = 0
  samples[100].t = samples[99].t;  // a stamp that stands still is no frame
  samples[150].cut = true;
  scene.find();
  const PersonFeet& feet = scene.feet;
  EXPECT_EQ(feet.sides, (std::vector<int>{0, 1}));
  EXPECT_EQ(feet.t.size(), 179U);
  EXPECT_EQ(feet.cuts, (std::vector<int>{149})) << "frames are counted without that one";
  EXPECT_NEAR(feet.contacts.ground, 0.3, 0.01);
  int standing = 0;
  for (std::size_t k = 0; k < feet.t.size(); ++k)
    for (const FootContacts& foot : feet.contacts.feet) standing += foot.heel[k] != 0 || foot.ball[k] != 0;
  EXPECT_GT(standing, 160) << "of 179: a walker has nearly always one foot on the floor";
  EXPECT_LT(standing, 240) << "and seldom both";
  EXPECT_NEAR(stance_options(*scene.person.about.subject).leg_length, 0.53 * 1.75, 0.1)
      << "hip to sole: about half of the height";
}

TEST(FootPlan, PlannedFeetDoNotSlideAndTheBaseComesAlong) {
  FootScene scene;
  scene.find();
  std::vector<SegmentSample> posed(180);
  for (std::size_t k = 0; k < 180; ++k) scene.skeleton.pose(scene.person.samples[k], posed[k]);
  const double before = scene.slide([&](std::size_t k, std::size_t i) {
    const int foot = i == 0 ? RightFoot : LeftFoot;
    const SegmentMotion& segment = posed[k].segments[at(foot)];
    return std::pair(segment.p_WS, segment.R_WS);  // the offset of a human's link is the identity
  });
  EXPECT_GT(before, 0.003) << "[m] a frame: the legs are too long for the way";
  EXPECT_LT(scene.planned_slide(), 0.0012) << "the ball comes down while the foot turns about its heel";
  EXPECT_EQ(scene.plan.sides, (std::vector<int>{0, 1}));
  ASSERT_EQ(scene.plan.base_shift.size(), 180U);
  double shift = 0.0;
  for (const Vector3d& p : scene.plan.base_shift) shift = std::max(shift, p.norm());
  EXPECT_GT(shift, 0.01) << "[m] feet that stand back hold the base back";
}

// 1/3 s, far longer than the gaps that are closed: nothing is known, so nothing stands.
TEST(FootPlan, FramesWithoutAFootHaveNoContactAndThePlanStaysFinite) {
  const auto spoil = [](int kind, SegmentMotion& foot) {
    if (kind == 0) foot.has_position = false;
    if (kind == 1) foot.p_WS.x() = std::numeric_limits<double>::quiet_NaN();
    if (kind == 2) foot.has_orientation = false;
  };
  for (const int kind : {0, 1, 2}) {
    FootScene scene;
    scene.find();
    const FootBytes whole = scene.feet.contacts.feet[0].ball;
    EXPECT_GT(std::count(whole.begin() + 60, whole.begin() + 80, 1), 5) << "it did stand";
    for (std::size_t k = 60; k < 80; ++k) spoil(kind, scene.person.samples[k].segments[RightFoot]);
    scene.find();
    const FootContacts& foot = scene.feet.contacts.feet[0];
    for (std::size_t k = 60; k < 80; ++k) EXPECT_EQ(foot.heel[k] + foot.ball[k], 0) << kind << ", " << k;
    for (const FootTargets& target : scene.plan.planted.feet)
      for (std::size_t k = 0; k < 180; ++k)
        EXPECT_TRUE(target.p_WF[k].allFinite() && target.R_WF[k].allFinite()) << kind << ", " << k;
  }
  FootScene none;
  none.person.samples.clear();
  none.find();
  EXPECT_EQ(none.feet.sides.size(), 2U) << "feet that would be measured";
  EXPECT_TRUE(none.feet.t.empty() && none.plan.planted.feet[0].p_WF.empty());
}

TEST(FootPlan, ContactsMoveToOtherFramesAndBreakWhereTheyAreNotAllowed) {
  const FootContacts all{"RightFoot", {0, 1, 1, 0}, {0, 0, 1, 1}, {{1, 2}, {3, 3}}, 0.0, 0.0, 0.0, 0.0, {}};
  const auto always = [](std::size_t) { return true; };
  // frames 1 and 2 last twice as long; frame 4 shows nothing
  const FootContacts slow = contacts_at(all, {0, 1, 1, 2, -1, 2, 3}, always);
  EXPECT_EQ(slow.heel, (FootBytes{0, 1, 1, 1, 0, 1, 0}));
  EXPECT_EQ(slow.ball, (FootBytes{0, 0, 0, 1, 0, 1, 1}));
  ASSERT_EQ(slow.planted.size(), 3U) << "a frame without contact ends a stance; another stance is its own";
  const std::array<std::pair<int, int>, 3> expected{{{1, 3}, {5, 5}, {6, 6}}};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(slow.planted[i].first, expected[i].first);
    EXPECT_EQ(slow.planted[i].last, expected[i].second);
  }
  const FootContacts some = contacts_at(all, {1, 2}, [](std::size_t k) { return k == 1; });
  EXPECT_EQ(some.heel, (FootBytes{0, 1}));
  EXPECT_TRUE(contacts_at(all, {}, always).planted.empty());
  EXPECT_EQ(contacts_at({}, {-1, -1}, always).heel, (FootBytes{0, 0})) << "no frames to show";
}

TEST(FootPlan, ARobotsContactsAreThePersonsAtTheSameStampsAndItsSolesHaveCorners) {
  FootScene scene;
  scene.find();
  Motion motion;
  for (const Time t : {scene.feet.t[75], scene.feet.t[75] + 1})
    motion.states.push_back(rest_state(scene.robot)), motion.states.back().t = t;
  const std::vector<LinkContacts> contacts =
      person_contacts(scene.robot, scene.skeleton, scene.feet, scene.plan, motion);
  ASSERT_EQ(contacts.size(), 2U);
  EXPECT_EQ(contacts[0].link, "RightFoot");
  EXPECT_EQ(contacts[0].ball, (FootBytes{1, 0})) << "a stamp that is not the person's has no contact";
  ASSERT_TRUE(contacts[0].anchor[0].has_value());
  EXPECT_EQ(contacts[0].anchor[0]->p_WL, scene.plan.planted.feet[0].p_WF[75]);
  EXPECT_FALSE(contacts[0].anchor[1].has_value());

  const std::vector<FootCorners> soles = corners_of_feet(scene.robot, scene.skeleton, {1});
  ASSERT_EQ(soles.size(), 1U);
  EXPECT_EQ(soles[0].link, scene.robot.link_index("LeftFoot"));
  EXPECT_EQ(soles[0].corners.size(), 4U) << "a model without corners: the rectangle of the sole";
  ModelSpec spec = scene.robot.spec();
  spec.links[at(soles[0].link)].corners = {{0.1, 0.0, -0.05}};
  const Model told(spec);
  const std::vector<Vector3d> corners = foot_corners(told, scene.skeleton, 1);
  ASSERT_EQ(corners.size(), 1U);
  EXPECT_LT((corners[0] - Vector3d(0.1, 0.0, -0.05)).norm(), 1e-12);
  EXPECT_TRUE(link_corners(told, scene.robot.link_index("RightFoot")).empty());
}

TEST(FootPlan, OneFrameThatIsNotANumberLeavesThePlanOfTheOthersFinite) {
  for (const bool foot : {false, true}) {
    test::ShownPerson person = test::shown_person("walk", 3.0);
    if (foot)
      person.samples[100].segments[HumanSegment::RightFoot].R_WS(0, 0) =
          std::numeric_limits<double>::quiet_NaN();
    else
      person.samples[100].segments[HumanSegment::Pelvis].p_WS.x() = std::numeric_limits<double>::quiet_NaN();
    const Model robot = human48(test::long_shanks());
    robot::Skeleton skeleton(robot, test::human_map(), *person.about.subject, human_segment_names());
    const PersonFeet feet = find_person_feet(person, *person.about.subject);
    person.rewind();
    const FootPlan plan = plan_feet(person, feet, skeleton);
    int spoilt = 0;
    for (std::size_t k = 0; k < 180; ++k)
      spoilt += plan.base_shift[k].allFinite() && plan.planted.feet[0].p_WF[k].allFinite() ? 0 : 1;
    EXPECT_LE(spoilt, 1) << "foot " << foot;
  }
}

}  // namespace
}  // namespace panto
