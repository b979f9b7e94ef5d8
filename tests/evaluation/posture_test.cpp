#include "panto/evaluation/posture.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "panto/math/degrees.hpp"
#include "panto/model/human.hpp"

namespace panto {
namespace {

int joint_of(const Model& model, const std::string& name) {
  const auto& names = model.joint_names();
  return static_cast<int>(std::find(names.begin(), names.end(), name) - names.begin());
}

const std::vector<std::string> kLegs{"Pelvis",       "RightUpperLeg", "RightLowerLeg", "RightFoot",
                                     "LeftUpperLeg", "LeftLowerLeg",  "LeftFoot"};

// A person who walks on the spot: thighs swing by 25 degrees, knees bend up to 60; `turn` [deg] is added to
// one joint.
std::vector<PostureFinding> walking(const std::string& joint = "", double turn = 0.0, int frames = 1000,
                                    const std::vector<std::string>& links = kLegs) {
  const Model model = human66();
  PostureWatch watch(model, links);
  State state = rest_state(model);
  const auto angle = [&](const std::string& name) -> double& { return state.s[joint_of(model, name)]; };
  for (int k = 0; k < frames; ++k) {
    state.s.setZero();
    const double phase = 0.06 * k;
    for (const bool left : {false, true}) {
      const double swing = std::sin(left ? phase : phase + 3.14159);
      const std::string side = left ? "jLeft" : "jRight";
      angle(side + "Hip_roty") = -0.43 * swing;
      angle(side + "Knee_roty") = 0.5 * (1.0 + std::cos(left ? phase : phase + 3.14159));
    }
    if (!joint.empty()) angle(joint) += turn / kToDegrees;
    watch.add(state);
  }
  return watch.findings();
}

TEST(Posture, OfAWalkIsThatOfAPerson) { EXPECT_TRUE(walking().empty()); }

TEST(Posture, NamesAKneeThatBendsSidewaysOrBackward) {
  auto found = walking("jLeftKnee_rotx", 30.0);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found.front().text, "the left knee bends sideways by 26 deg in the median");
  EXPECT_FALSE(found.front().impossible);
  found = walking("jRightKnee_roty", -80.0);
  ASSERT_FALSE(found.empty());
  EXPECT_NE(found.front().text.find("the right knee bends backward by 51 deg"), std::string::npos)
      << found.front().text;
  EXPECT_TRUE(found.front().impossible);
}

TEST(Posture, NamesThighsThatSwingPastThePelvis) {
  // a pelvis turned by 40 degrees turns both thighs against it, one inward and one outward
  const Model model = human66();
  PostureWatch watch(model, kLegs);
  State state = rest_state(model);
  for (int k = 0; k < 1000; ++k) {
    for (const char* side : {"jLeft", "jRight"}) {
      const double swing = (side[1] == 'L' ? 0.43 : -0.43) * std::sin(0.06 * k);
      state.s[joint_of(model, std::string(side) + "Hip_rotx")] = 0.64 * swing;
      state.s[joint_of(model, std::string(side) + "Hip_roty")] = -0.77 * swing;
    }
    watch.add(state);
  }
  const auto found = watch.findings();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].text, "the thighs swing 39 deg away from where the pelvis faces");
}

TEST(Posture, LooksOnlyAtJointsBetweenSensorsAndAtTwoSecondsOrMore) {
  EXPECT_TRUE(walking("jLeftKnee_rotx", 80.0, 199).empty());
  EXPECT_TRUE(walking("jLeftKnee_rotx", 80.0, 1000, {"Pelvis", "LeftUpperLeg"}).empty())
      << "no sensor on the shank";
  EXPECT_TRUE(walking("jLeftKnee_rotx", 80.0, 1000, {}).empty());
}

}  // namespace
}  // namespace panto
