#include "panto/io/npz_motion.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <utility>

#include "panto/io/npy_writer.hpp"
#include "panto/io/open_recording.hpp"
#include "panto/io/shipped_robots.hpp"
#include "panto/io/state_file.hpp"
#include "panto/math/so3.hpp"
#include "panto/model/human.hpp"
#include "panto/model/kinematics.hpp"
#include "tests/support/random_motion.hpp"
#include "tests/support/refusals.hpp"

namespace {

using namespace panto;
using namespace panto::io;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// A motion of twelve frames with a foot in stance in frames 4 to 7.
Motion standing(const Model& model) {
  Motion motion = test::random_motion(model, 12, 0.8, 5);
  for (State& state : motion.states) {
    state.p_WB = {0.1, 0.2, 0.3 + to_seconds(state.t)};
    state.R_WB = so3::exp(Eigen::Vector3d(0.1, 0.2, to_seconds(state.t)));
    state.v_WB = {1.0, 2.0, 3.0};
  }
  for (const char* link : {"left_foot", "right_foot"}) {
    LinkContacts foot{link, {}, {}};
    for (int k = 0; k < 12; ++k) {
      foot.heel.push_back(k >= 4 && k < 8 ? 1 : 0);
      foot.ball.push_back(k >= 5 && k < 8 ? 1 : 0);
      foot.anchor.emplace_back();
      if (foot.heel.back() != 0)
        foot.anchor.back() = Anchor{{0.1 * k, 0.0, 0.05}, so3::exp(Eigen::Vector3d(0, 0, 0.1 * k))};
    }
    motion.contacts.push_back(std::move(foot));
  }
  return motion;
}

TEST(NpzMotion, GivesBackStatesContactsAndAnchors) {
  const Model g1 = shipped_robot("unitree_g1");
  const Motion given = standing(g1);
  const Motion read = read_npz_motion(motion_bytes(given, g1, "a.npz"), "a.npz", g1);
  ASSERT_EQ(read.states.size(), given.states.size());
  EXPECT_EQ(read.rate_hz, given.rate_hz);
  for (std::size_t k = 0; k < given.states.size(); ++k) {
    EXPECT_EQ(read.states[k].t, given.states[k].t);
    EXPECT_EQ(read.states[k].s, given.states[k].s);
    EXPECT_EQ(read.states[k].sdot, given.states[k].sdot);
    EXPECT_EQ(read.states[k].v_WB, given.states[k].v_WB);
    EXPECT_LT(so3::distance(read.states[k].R_WB, given.states[k].R_WB), 1e-7);
  }
  ASSERT_EQ(read.contacts.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    const LinkContacts &a = read.contacts[i], &b = given.contacts[i];
    EXPECT_EQ(a.link, b.link);
    EXPECT_EQ(a.heel, b.heel);
    EXPECT_EQ(a.ball, b.ball);
    ASSERT_EQ(a.anchor.size(), b.anchor.size());
    for (std::size_t k = 0; k < b.anchor.size(); ++k) {
      ASSERT_EQ(a.anchor[k].has_value(), b.anchor[k].has_value()) << k;
      if (!b.anchor[k]) continue;
      EXPECT_EQ(a.anchor[k]->p_WL, b.anchor[k]->p_WL);
      EXPECT_LT(so3::distance(a.anchor[k]->R_WL, b.anchor[k]->R_WL), 1e-7);
    }
  }
  EXPECT_EQ(motion_bytes(read, g1, "a.npz").size(), motion_bytes(given, g1, "a.npz").size());
}

TEST(NpzMotion, IsTheSameBytesEachTime) {
  const Model g1 = shipped_robot("unitree_g1");
  EXPECT_EQ(motion_bytes(standing(g1), g1, "a.npz"), motion_bytes(standing(g1), g1, "b.npz"));
}

TEST(NpzMotion, LeavesOutContactsOfFramesThatItLeavesOut) {
  const Model g1 = shipped_robot("unitree_g1");
  Motion given = standing(g1);
  given.states[2].t = given.states[1].t;  // the file takes increasing stamps only
  std::string bytes;
  EXPECT_EQ(write_motion(given, g1, Destination("a.npz", bytes)), 1U);
  const Motion read = read_npz_motion(bytes, "a.npz", g1);
  EXPECT_EQ(read.contacts.front().heel, (std::vector<unsigned char>{0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0}));
}

TEST(NpzMotion, WithoutAnchorsOrContactsHasNone) {
  const Model g1 = shipped_robot("unitree_g1");
  Motion motion = standing(g1);
  for (LinkContacts& foot : motion.contacts) foot.anchor.clear();
  const Motion loose = read_npz_motion(motion_bytes(motion, g1, "a.npz"), "a.npz", g1);
  ASSERT_EQ(loose.contacts.size(), 2U);
  EXPECT_TRUE(loose.contacts.front().anchor.empty());
  motion.contacts.clear();
  EXPECT_TRUE(read_npz_motion(motion_bytes(motion, g1, "a.npz"), "a.npz", g1).contacts.empty());
}

TEST(NpzMotion, RefusesToWriteContactsOfAnotherNumberOfFrames) {
  const Model g1 = shipped_robot("unitree_g1");
  Motion motion = standing(g1);
  motion.contacts.back().ball.pop_back();
  EXPECT_EQ(test::refusal_of([&] { (void)motion_bytes(motion, g1, "a.npz"); }),
            "contacts of 'right_foot': not one for each of the 12 frames");
}

// One hinge for archives by hand.
Model hinge() {
  ModelSpec spec;
  spec.name = "hinge";
  spec.links.resize(2);
  spec.links[0].name = "base";
  spec.links[1].name = "foot";
  Joint joint;
  joint.name = "knee";
  joint.type = JointType::Revolute;
  joint.parent = "base";
  joint.child = "foot";
  spec.joints.push_back(joint);
  return Model(std::move(spec));
}

using Numbers = std::vector<double>;
using Members = std::vector<std::pair<std::string, std::string>>;

// Two frames of the hinge as an early version wrote them, without rate, velocities and contacts.
Members old_members() {
  return {{"times_s.npy", npy(Numbers{0.0, 0.1}, "2,")},
          {"joint_names.npy", npy(std::vector<std::string>{"knee"}, "1,")},
          {"base_position.npy", npy(Numbers(6, 0.5), "2, 3")},
          {"base_quaternion_wxyz.npy", npy(Numbers{1, 0, 0, 0, 1, 0, 0, 0}, "2, 4")},
          {"joint_position.npy", npy(Numbers{0.1, 0.2}, "2, 1")}};
}

// Returns them with one member replaced or added.
std::string with(const std::string& key, const std::string& array, Members members = old_members()) {
  std::erase_if(members, [&](const auto& member) { return member.first == key + ".npy"; });
  if (!array.empty()) members.emplace_back(key + ".npy", array);
  return pack_npz(members);
}

TEST(NpzMotion, ReadsFilesWithoutRateVelocitiesAndContacts) {
  const Motion read = read_npz_motion(pack_npz(old_members()), "a.npz", hinge());
  ASSERT_EQ(read.states.size(), 2U);
  EXPECT_EQ(read.states[1].s[0], 0.2);
  EXPECT_EQ(read.states[1].sdot[0], 0.0);
  EXPECT_EQ(read.rate_hz, 10.0);
  EXPECT_TRUE(read.contacts.empty());
}

TEST(NpzMotion, DamagedArraysAreRefusedByName) {
  const Members feet = [] {
    Members members = old_members();
    members.emplace_back("contact_names.npy", npy(std::vector<std::string>{"foot"}, "1,"));
    members.emplace_back("contact_points.npy", npy(std::vector<unsigned char>(4, 1), "2, 1, 2"));
    return members;
  }();
  const Model model = hinge();
  EXPECT_EQ(read_npz_motion(pack_npz(feet), "a.npz", model).contacts.size(), 1U);
  const std::vector<std::pair<std::string, std::vector<std::string>>> cases{
      {with("times_s", ""), {"a.npz", "no array 'times_s'"}},
      {with("times_s", npy(Numbers{0.0, 0.0}, "2,")), {"times_s", "frame 1"}},
      {with("times_s", npy(Numbers{0.0, 1e300}, "2,")), {"times_s", "frame 1"}},
      {with("times_s", npy(Numbers{0.0, kNone}, "2,")), {"times_s", "frame 1", "not finite"}},
      {with("joint_names", npy(std::vector<std::string>{"hip"}, "1,")), {"'hip'", "model 'hinge'"}},
      {with("joint_names", ""), {"holds no motion"}},
      {with("joint_position", npy(Numbers{0.1}, "1, 1")), {"joint_position", "shape (2, 1)"}},
      {with("joint_position", npy(Numbers{0.1, kNone}, "2, 1")), {"joint_position", "frame 1 is not finite"}},
      {with("base_quaternion_wxyz", npy(Numbers(8, 0.9), "2, 4")), {"base_quaternion_wxyz", "length 1"}},
      {with("joint_velocity", npy(Numbers{0.1, 0.2}, "2,")), {"joint_velocity", "shape (2, 1)"}},
      {with("contact_names", npy(std::vector<std::string>{"foot"}, "1,")), {"no array 'contact_points'"}},
      {with("contact_names", npy(Numbers{1.0}, "1,"), feet), {"contact_names", "must be names"}},
      {with("contact_points", npy(std::vector<unsigned char>(2, 1), "2, 1"), feet),
       {"contact_points", "shape (2, 1, 2)"}},
      {with("contact_anchors", npy(Numbers(14, 0.0), "2, 1, 7"), feet), {"contact_anchors", "length 1"}},
      {with("contact_anchors", npy(Numbers{0, 0, kNone, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0}, "2, 1, 7"), feet),
       {"contact_anchors", "frame 0 is not finite"}}};
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const std::string said = test::refusal_of([&] { (void)read_npz_motion(cases[i].first, "a.npz", model); });
    for (const std::string& word : cases[i].second)
      EXPECT_NE(said.find(word), std::string::npos) << i << ": " << said << " lacks " << word;
  }
}

TEST(NpzMotion, OfAHumanIsARecordingAndOfARobotAResult) {
  const Model human = human66(scaled_subject(1.75));
  Motion motion = test::random_motion(human, 5, 0.5, 2);
  const auto recording = open_recording(motion_bytes(motion, human, "a.npz"), "a.npz");
  EXPECT_EQ(recording->info().format, "npz (human66)");
  SegmentSample sample;
  Kinematics kinematics(human);
  for (const State& state : motion.states) {
    ASSERT_EQ(recording->read(sample), ReadStatus::Sample);
    kinematics.update(state);
    EXPECT_EQ(sample.t, state.t);
    EXPECT_LT(so3::distance(sample.segments[HumanSegment::LeftFoot].R_WS,
                            kinematics.R_WL(human.link_index("LeftFoot"))),
              1e-7);
  }
  const Model g1 = shipped_robot("unitree_g1");
  const std::string said =
      test::refusal_of([&] { (void)open_recording(motion_bytes(standing(g1), g1, "g1.npz"), "g1.npz"); });
  EXPECT_NE(said.find("a result, not a recording"), std::string::npos) << said;
}

}  // namespace
