// MJCF that Panto writes, read back. That MuJoCo opens it and moves it alike: tests/python/test_mjcf.py.

#include <gtest/gtest.h>

#include "panto/io/mjcf.hpp"
#include "panto/io/shipped_robots.hpp"
#include "panto/model/human.hpp"
#include "panto/model/kinematics.hpp"
#include "tests/support/random_model.hpp"

namespace panto::io {
namespace {

// links and joints that `model` has are in `again`, and move alike
void expect_same(const Model& model, const Model& again) {
  ASSERT_EQ(again.dof(), model.dof());
  test::Random random(3);
  Kinematics ours(model), theirs(again);
  const State state = test::random_state(model, random);
  State other = state;
  for (int i = 0; i < model.dof(); ++i) {
    const int j = again.joint_index(model.joint_names()[static_cast<std::size_t>(i)]);
    other.s[j] = state.s[i];
    const Joint &a = model.joint(i), &b = again.joint(j);
    if (a.lower < a.upper) {
      EXPECT_EQ(a.lower, b.lower) << a.name;
      EXPECT_EQ(a.upper, b.upper) << a.name;
    }
    EXPECT_EQ(a.velocity, b.velocity) << a.name;
    EXPECT_EQ(a.effort > 0.0 ? a.effort : kInfinity, b.effort) << a.name;
    EXPECT_NEAR(model.rest()[i], again.rest()[j], 1e-15) << a.name;
  }
  ours.update(state);
  theirs.update(other);
  for (int link = 0; link < model.link_count(); ++link) {
    const int twin = again.link_index(model.link_names()[static_cast<std::size_t>(link)]);
    EXPECT_LT((ours.p_WL(link) - theirs.p_WL(twin)).norm(), 1e-12);
    EXPECT_LT((ours.R_WL(link) - theirs.R_WL(twin)).norm(), 1e-12);
    const Link &a = model.links()[static_cast<std::size_t>(link)],
               &b = again.links()[static_cast<std::size_t>(twin)];
    EXPECT_EQ(a.mass, b.mass) << a.name;
    EXPECT_LT(a.mass * (a.com - b.com).norm(), 1e-15) << a.name;
  }
}

TEST(MjcfWriter, ReadingAWrittenModelGivesItsKinematicsRangesSpeedsAndMasses) {
  for (const std::string& name : shipped_robots()) {
    SCOPED_TRACE(name);
    const Model model = shipped_robot(name);
    const Model again = read_mjcf_robot(write_mjcf(model), "again.xml").model;
    if (model.floating_base()) expect_same(model, again);
    EXPECT_EQ(again.rows().size(), model.rows().size());
  }
  expect_same(human66(), read_mjcf_robot(write_mjcf(human66()), "again.xml").model);
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Model model = test::random_model(seed);
    if (model.floating_base()) expect_same(model, read_mjcf_robot(write_mjcf(model), "again.xml").model);
  }
}

Model small(bool floating, const std::string& root) {
  ModelSpec spec;
  spec.name = "a<b";
  spec.floating_base = floating;
  spec.links = {
      Link{.name = root},
      Link{.name = "b", .mass = 1.0, .capsules = {{{0, 0, 0}, {0, 0, 1}, 0.1}, {{0, 0, 0}, {0, 0, 0}, 0.2}}}};
  spec.joints = {Joint{.name = "j",
                       .type = JointType::Revolute,
                       .parent = root,
                       .child = "b",
                       .p_PJ = {0, 0, 0.5},
                       .lower = 0.25,
                       .upper = 0.25}};
  return Model(spec);
}

TEST(MjcfWriter, WritesCapsulesAFloorAFreeJointAndAKeyframeAboveIt) {
  std::vector<std::string> notes;
  const std::string text = write_mjcf(small(true, "a"), &notes);
  const auto has = [&](const std::string& part) { return text.find(part) != std::string::npos; };
  EXPECT_TRUE(has("<mujoco model=\"a&lt;b\">"));
  EXPECT_TRUE(has("<freejoint name=\"floating_base_joint\"/>"));
  EXPECT_TRUE(has("<geom name=\"floor\" type=\"plane\""));
  EXPECT_TRUE(has("<geom fromto=\"0 0 0 0 0 1\" size=\"0.1\"/>"));
  EXPECT_TRUE(has("<geom type=\"sphere\" pos=\"0 0 0\" size=\"0.2\"/>"));
  EXPECT_TRUE(has("<geom class=\"bone\" fromto=\"0 0 0 0 0 0.5\"")) << "a link without a shape is thin";
  EXPECT_TRUE(has("<joint joint1=\"j\" polycoef=\"0.25 0 0 0 0\"/>"))
      << "MuJoCo has no range from 0.25 to 0.25";
  EXPECT_TRUE(has("<key name=\"rest\" qpos=\"0 0 0 1 0 0 0 0.25\"/>")) << text;
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_NE(notes[0].find("link 'b' has no inertia"), std::string::npos);
}

TEST(MjcfWriter, PairsThatMayTouchAreExcludedContactsAndReadAsSuch) {
  ModelSpec spec = small(true, "a").spec();
  spec.pair_rules = {{"b", "a", true}, {"a", "b", false}};  // the last one counts
  const std::string text = write_mjcf(Model(spec));
  EXPECT_NE(text.find("<exclude body1=\"a\" body2=\"b\"/>"), std::string::npos);
  const Model again = read_mjcf_robot(text, "again.xml").model;
  ASSERT_EQ(again.spec().pair_rules.size(), 1U) << "MuJoCo has no word for links that must keep apart";
  EXPECT_EQ(again.spec().pair_rules[0].first, "a");
  EXPECT_EQ(again.spec().pair_rules[0].second, "b");
  EXPECT_FALSE(again.spec().pair_rules[0].apart);
}

TEST(MjcfWriter, AFixedBaseHasNoFreeJointAndAWorldNoBody) {
  EXPECT_EQ(write_mjcf(small(false, "a")).find("freejoint"), std::string::npos);
  EXPECT_NE(write_mjcf(small(false, "a")).find("<body name=\"a\">"), std::string::npos);
  EXPECT_EQ(write_mjcf(small(false, "world")).find("<body name=\"world\">"), std::string::npos);
  EXPECT_EQ(read_mjcf_robot(write_mjcf(small(false, "world")), "w.xml").model.link_names(),
            (std::vector<std::string>{"world", "b"}));
}

}  // namespace
}  // namespace panto::io
