#include "panto/io/chain_file.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "panto/model/kinematics.hpp"

namespace panto::io {
namespace {

using Eigen::Vector3d;

constexpr double kPi = 3.14159265358979323846;

const std::string kArm =
    "kind = \"dh chain\"\n"
    "version = 1\n"
    "name = \"arm\"\n"
    "convention = \"modified\"\n"
    "base = \"floating\"\n"
    "links = [\n"
    "  { name = \"upper\", joint = \"shoulder\", theta_deg = 90, range_deg = [-10, 20], speed_deg = 180 },\n"
    "  { name = \"rail\", parent = \"upper\", joint = \"slide\", type = \"prismatic\", d = 0.1, range = [0, "
    "0.2] },\n"
    "  { name = \"tip\", parent = \"rail\", type = \"fixed\", a = 0.3, alpha_deg = -45 },\n"
    "]\n";

TEST(ChainFile, HoldsEveryNumberInItsUnit) {
  const DhTree tree = read_dh_chain(kArm, "arm.toml");
  EXPECT_EQ(tree.convention, DhConvention::Modified);
  EXPECT_TRUE(tree.floating_base);
  ASSERT_EQ(tree.links.size(), 3u);
  EXPECT_NEAR(tree.links[0].theta, kPi / 2.0, 1e-15);
  EXPECT_NEAR(tree.links[0].upper, kPi / 9.0, 1e-15);
  EXPECT_NEAR(tree.links[0].velocity, kPi, 1e-15);
  EXPECT_EQ(tree.links[1].type, JointType::Prismatic);
  EXPECT_EQ(tree.links[1].d, 0.1);
  EXPECT_EQ(tree.links[1].upper, 0.2);
  EXPECT_EQ(tree.links[2].a, 0.3);
  EXPECT_NEAR(tree.links[2].alpha, -kPi / 4.0, 1e-15);
  EXPECT_EQ(dh_model(tree).dof(), 2);
}

std::string refusal_of(const std::string& from, const std::string& to) {
  std::string text = kArm;
  const std::size_t found = text.find(from);
  EXPECT_NE(found, std::string::npos) << from;
  try {
    (void)read_dh_chain(text.replace(found, from.size(), to), "arm.toml");
  } catch (const FormatError& error) {
    return error.what();
  }
  return "not refused";
}

TEST(ChainFile, RefusalsNameTheLineAndWhatWouldBeRight) {
  EXPECT_EQ(refusal_of("dh chain", "chain").rfind("arm.toml:1: no `kind", 0), 0u);
  EXPECT_NE(refusal_of("modified", "craig").find("arm.toml:4: "), std::string::npos);
  EXPECT_NE(refusal_of("modified", "craig").find("\"classical\" or \"modified\""), std::string::npos);
  EXPECT_NE(refusal_of("convention", "konvention").find("convention"), std::string::npos);
  EXPECT_NE(refusal_of("theta_deg", "theta").find("arm.toml:7: "), std::string::npos);
  EXPECT_NE(refusal_of("range = [0, 0.2]", "range_deg = [0, 2]").find("'rail' is prismatic"),
            std::string::npos);
  EXPECT_NE(refusal_of("[-10, 20]", "[20, -10]").find("[lower, upper]"), std::string::npos);
  EXPECT_NE(refusal_of("speed_deg = 180", "speed_deg = 0").find("larger than 0"), std::string::npos);
  EXPECT_NE(refusal_of("\"tip\"", "\"rail\"").find("two links are named 'rail'"), std::string::npos);
  EXPECT_NE(refusal_of("\"fixed\"", "\"screw\"").find("arm.toml:9: "), std::string::npos);
  EXPECT_NE(refusal_of(", joint = \"slide\"", "").find("joint"), std::string::npos);
  EXPECT_NE(refusal_of("d = 0.1", "d = inf").find("arm.toml:8: "), std::string::npos);
}

// where a link of the shipped arm is, joints in degrees by name
Vector3d where(const Model& arm, const std::string& link,
               const std::vector<std::pair<std::string, double>>& turned = {}) {
  State state = rest_state(arm);
  state.s.setZero();
  for (const auto& [joint, degrees] : turned) state.s[arm.joint_index(joint)] = degrees * kPi / 180.0;
  Kinematics kinematics(arm);
  kinematics.update(state);
  return kinematics.p_WL(arm.link_index(link));
}

TEST(ChainFile, TheShippedArmIsAnArm) {
  const Model arm = dh_model(read_dh_chain(PANTO_CHAINS "/right_arm.toml"));
  EXPECT_EQ(arm.dof(), 3 + 2 + 3 + 2 + 2);
  const auto near = [](const Vector3d& p, const Vector3d& expected) { return (p - expected).norm() < 1e-12; };
  const double carry = 12.0 * kPi / 180.0, out = std::sin(carry), down = std::cos(carry);

  // hanging: the shoulder 18 cm to the right, the forearm 12 deg outward
  EXPECT_TRUE(near(where(arm, "clavicle"), {0.0, -0.18, 0.45}));
  EXPECT_TRUE(near(where(arm, "upper_arm"), {0.0, -0.18, 0.15}));
  EXPECT_TRUE(near(where(arm, "forearm"), {0.0, -0.18 - 0.26 * out, 0.15 - 0.26 * down}));
  EXPECT_TRUE(near(where(arm, "pen"), {0.0, -0.18 - 0.46 * out, 0.15 - 0.46 * down}));
  const Vector3d hand = where(arm, "hand");
  EXPECT_TRUE(near(where(arm, "bar") - hand, {0.30, 0.0, 0.0})) << "out of the fist on the thumb's side";

  // names say what a positive angle does
  EXPECT_TRUE(near(where(arm, "upper_arm", {{"shoulder_flexion", 90}}), {0.30, -0.18, 0.45}));
  EXPECT_TRUE(near(where(arm, "upper_arm", {{"shoulder_adduction", -90}}), {0.0, -0.48, 0.45}));
  EXPECT_TRUE(near(where(arm, "forearm", {{"elbow_flexion", 90}}), {0.26 * down, -0.18 - 0.26 * out, 0.15}));
  EXPECT_GT(where(arm, "hand", {{"shoulder_rotation", 45}, {"elbow_flexion", 90}}).x(), 0.1);
  EXPECT_LT(where(arm, "hand", {{"shoulder_rotation", 45}, {"elbow_flexion", 90}}).y(), -0.4) << "outward";
  EXPECT_GT(where(arm, "hand", {{"wrist_flexion", 45}}).y(), hand.y()) << "towards the palm";
  EXPECT_GT(where(arm, "hand", {{"wrist_deviation", 20}}).x(), 0.01) << "towards the thumb";
  EXPECT_LT(where(arm, "bar", {{"forearm_supination", 90}}).y(), hand.y() - 0.2) << "the thumb outward";
  EXPECT_GT(where(arm, "clavicle", {{"clavicle_protraction", 20}}).x(), 0.05);
  EXPECT_LT(where(arm, "clavicle", {{"clavicle_depression", 10}}).z(), 0.44);
  EXPECT_LT(where(arm, "thorax", {{"torso_flexion", -20}}).x(), -0.1) << "backward";
  EXPECT_LT(where(arm, "thorax", {{"torso_lateral", 20}}).y(), -0.1) << "to the right";
  EXPECT_GT(where(arm, "clavicle", {{"torso_rotation", 20}}).x(), 0.05) << "the right shoulder forward";
}

}  // namespace
}  // namespace panto::io
