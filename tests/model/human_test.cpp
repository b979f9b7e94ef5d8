#include "panto/model/human.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <limits>
#include <numbers>
#include <set>

#include "panto/model/kinematics.hpp"

namespace panto {
namespace {

using enum HumanSegment::Index;

constexpr double kDegree = std::numbers::pi / 180.0;

State zero_state(const Model& model) {
  State state;
  state.s = Eigen::VectorXd::Zero(model.dof());
  state.sdot = state.s;
  return state;
}

double lower_deg(const Model& model, const char* joint) {
  return model.lower()[model.joint_index(joint)] / kDegree;
}

double upper_deg(const Model& model, const char* joint) {
  return model.upper()[model.joint_index(joint)] / kDegree;
}

TEST(Human66, HasTwentyTwoFreeBallJointsInSegmentOrder) {
  const Model model = human66();
  EXPECT_EQ(model.dof(), 66);
  EXPECT_EQ(model.nv(), 72);
  EXPECT_EQ(model.link_count(), 23 + 44);
  EXPECT_EQ(model.links()[static_cast<std::size_t>(model.root_link())].name, "Pelvis");
  for (int i = 0; i < model.dof(); ++i) {
    EXPECT_EQ(model.lower()[i], -kInfinity);
    EXPECT_EQ(model.upper()[i], kInfinity);
    EXPECT_EQ(model.velocity_limit()[i], kInfinity);
    EXPECT_EQ(model.joint(i).axis, Eigen::Vector3d::Unit(i % 3));
  }
  int spherical = 0;
  for (const JointGroup& group : model.tree().groups) spherical += group.spherical ? 1 : 0;
  EXPECT_EQ(spherical, 22);
}

TEST(Human66, NamesJointsAndLinksAsHumanGazeboDoes) {
  const Model model = human66();
  EXPECT_EQ(model.joint_names().front(), "jL5S1_rotx");
  EXPECT_EQ(model.joint_names()[1], "jL5S1_roty");
  EXPECT_EQ(model.joint_names().back(), "jLeftBallFoot_rotz");
  EXPECT_TRUE(model.find_joint("jRightC7Shoulder_roty"));
  EXPECT_TRUE(model.find_joint("jLeftC7Shoulder_rotz"));
  EXPECT_FALSE(model.find_joint("jRightT4Shoulder_rotx"));
  for (const std::string& segment : human_segment_names()) EXPECT_TRUE(model.find_link(segment)) << segment;
  const Joint& first = model.joint(model.joint_index("jRightKnee_rotx"));
  const Joint& last = model.joint(model.joint_index("jRightKnee_rotz"));
  EXPECT_EQ(first.parent, "RightUpperLeg");
  EXPECT_EQ(first.child, "RightLowerLeg_f1");
  EXPECT_EQ(last.parent, "RightLowerLeg_f2");
  EXPECT_EQ(last.child, "RightLowerLeg");
}

TEST(Human66, AllFramesAreParallelInTheTPose) {
  const Model model = human66();
  Kinematics kinematics(model);
  kinematics.update(zero_state(model));
  for (int link = 0; link < model.link_count(); ++link) {
    EXPECT_TRUE(kinematics.R_WL(link).isIdentity(1e-15))
        << model.link_names()[static_cast<std::size_t>(link)];
  }
}

TEST(Human48, HasTheJointsAndLimitsOfTheClinicalTable) {
  const Model model = human48();
  EXPECT_EQ(model.dof(), 48);
  EXPECT_EQ(model.link_count(), 49);
  EXPECT_FALSE(model.find_joint("jL5S1_rotz"));
  EXPECT_FALSE(model.find_joint("jRightElbow_rotx"));
  EXPECT_NEAR(lower_deg(model, "jRightShoulder_rotx"), -135.0, 1e-12);
  EXPECT_NEAR(upper_deg(model, "jRightShoulder_rotx"), 90.0, 1e-12);
  EXPECT_NEAR(lower_deg(model, "jRightHip_roty"), -120.0, 1e-12);
  EXPECT_NEAR(upper_deg(model, "jRightHip_roty"), 15.0, 1e-12);
  EXPECT_NEAR(upper_deg(model, "jT1C7_roty"), 90.0, 1e-12);
  EXPECT_NEAR(upper_deg(model, "jRightElbow_rotz"), 145.0, 1e-12);
  EXPECT_EQ(lower_deg(model, "jRightElbow_rotz"), 0.0);
  for (int i = 0; i < model.dof(); ++i) EXPECT_EQ(model.velocity_limit()[i], 30.0);
}

TEST(Human48, MirrorsTheLeftSideAboutXAndZ) {
  const Model model = human48();
  int pairs = 0;
  for (int i = 0; i < model.dof(); ++i) {
    std::string name = model.joint_names()[static_cast<std::size_t>(i)];
    const auto side = name.find("Right");
    if (side == std::string::npos) continue;
    name.replace(side, 5, "Left");
    const int left = model.joint_index(name);
    const bool y = name.ends_with("_roty");
    EXPECT_EQ(model.lower()[left], y ? model.lower()[i] : -model.upper()[i]) << name;
    EXPECT_EQ(model.upper()[left], y ? model.upper()[i] : -model.lower()[i]) << name;
    ++pairs;
  }
  EXPECT_EQ(pairs, 17);
}

TEST(Human48, ToesBendFartherUpThanDown) {
  // clinical: extension 70-80 deg, flexion 30-45 deg
  const Model model = human48();
  State state = zero_state(model);
  const int joint = model.joint_index("jRightBallFoot_roty"), toe = model.link_index("RightToe");
  state.s[joint] = model.lower()[joint];
  Kinematics kinematics(model);
  kinematics.update(state);
  const double up = std::asin(kinematics.R_WL(toe)(2, 0)) / kDegree;
  EXPECT_GT(up, 70.0);
  EXPECT_NEAR(upper_deg(model, "jRightBallFoot_roty"), 45.0, 1e-12);
}

TEST(Human48, RestsInTheTPoseInsideItsLimits) {
  const Model model = human48();
  EXPECT_TRUE(model.rest().isZero());
  EXPECT_TRUE((model.rest().array() >= model.lower().array()).all());
  EXPECT_TRUE((model.rest().array() <= model.upper().array()).all());
}

TEST(Human48, IsTheSameBodyAsHuman66) {
  const SubjectDimensions subject = scaled_subject(1.62, 58.0);
  const Model a = human66(subject), b = human48(subject);
  Kinematics kinematics_a(a), kinematics_b(b);
  kinematics_a.update(zero_state(a));
  kinematics_b.update(zero_state(b));
  for (const std::string& name : human_segment_names()) {
    const int i = a.link_index(name), j = b.link_index(name);
    EXPECT_EQ(kinematics_a.p_WL(i), kinematics_b.p_WL(j)) << name;
    EXPECT_EQ(a.links()[static_cast<std::size_t>(i)].mass, b.links()[static_cast<std::size_t>(j)].mass);
  }
}

TEST(HumanModels, SignsOfTheMainJointsAreTheClinicalOnes) {
  const Model model = human48();
  Kinematics kinematics(model);
  const auto moved = [&](const char* joint, double angle, const char* link) {
    State state = zero_state(model);
    kinematics.update(state);
    const Eigen::Vector3d before = kinematics.p_WL(model.link_index(link));
    state.s[model.joint_index(joint)] = angle;
    kinematics.update(state);
    return Eigen::Vector3d(kinematics.p_WL(model.link_index(link)) - before);
  };
  EXPECT_GT(moved("jRightHip_roty", -0.5, "RightFoot").x(), 0.1) << "flexion lifts the leg forward";
  EXPECT_LT(moved("jRightHip_rotx", -0.5, "RightFoot").y(), -0.1) << "abduction moves the right leg outward";
  EXPECT_LT(moved("jRightKnee_roty", 0.5, "RightFoot").x(), -0.1) << "flexion brings the foot back";
  EXPECT_LT(moved("jRightAnkle_roty", 0.5, "RightToe").z(), -0.05) << "plantar flexion lowers the toes";
  EXPECT_GT(moved("jL5S1_roty", 0.5, "Head").x(), 0.1) << "flexion bends forward";
  EXPECT_LT(moved("jRightShoulder_rotx", 1.5, "RightHand").z(), -0.4) << "the right arm goes down";
  EXPECT_LT(moved("jLeftShoulder_rotx", -1.5, "LeftHand").z(), -0.4) << "the left arm goes down";
  EXPECT_GT(moved("jRightElbow_rotz", 0.5, "RightHand").x(), 0.05) << "flexion";
}

class SubjectHeights : public testing::TestWithParam<double> {};

TEST_P(SubjectHeights, StandsAsTallAsItsHeight) {
  const double height = GetParam();
  const SubjectDimensions subject = scaled_subject(height);
  const Model model = human66(subject);
  Kinematics kinematics(model);
  kinematics.update(zero_state(model));
  const double sole = kinematics.p_WL(model.link_index("RightToe")).z();
  const double vertex = kinematics.p_WL(model.link_index("Head")).z() + subject.end[Head].z();
  EXPECT_NEAR(vertex - sole, height, 0.002 * height);
}

TEST_P(SubjectHeights, SidesAreMirrorImages) {
  const SubjectDimensions subject = scaled_subject(GetParam());
  for (int right = RightShoulder; right <= RightHand; ++right) {
    const auto r = static_cast<std::size_t>(right), l = r + 4;
    EXPECT_EQ(subject.origin[r].y(), -subject.origin[l].y());
    EXPECT_EQ(subject.origin[r].x(), subject.origin[l].x());
    EXPECT_EQ(subject.origin[r].z(), subject.origin[l].z());
    EXPECT_EQ(subject.end[r].y(), -subject.end[l].y());
  }
}

TEST_P(SubjectHeights, HasTheProportionsOfTheTables) {
  const double height = GetParam();
  const SubjectDimensions subject = scaled_subject(height);
  EXPECT_NEAR(subject.origin[LeftLowerLeg].norm(), 0.275 * height, 1e-12);
  EXPECT_NEAR(subject.origin[LeftFoot].norm(), 0.250 * height, 1e-12);
  EXPECT_NEAR(subject.origin[LeftForeArm].norm(), 0.168 * height, 1e-12);
  EXPECT_NEAR(subject.origin[LeftHand].norm(), 0.138 * height, 1e-12);
  EXPECT_NEAR(2.0 * subject.origin[LeftUpperLeg].y(), 0.105 * height, 1e-12);
  EXPECT_NEAR(2.0 * (subject.origin[LeftShoulder] + subject.origin[LeftUpperArm]).y(), 0.204 * height, 1e-12);
}

INSTANTIATE_TEST_SUITE_P(Heights, SubjectHeights, testing::Values(0.3, 1.1, 1.68, 1.75, 2.05, 3.0));

void expect_physical(const Model& model) {
  for (const Link& link : model.links()) {
    if (link.mass == 0.0) continue;
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(link.inertia);
    const Eigen::Vector3d I = solver.eigenvalues();
    EXPECT_GT(I[0], 0.0) << link.name;
    EXPECT_GE(I[0] + I[1], I[2] * (1.0 - 1e-12)) << link.name;
    EXPECT_TRUE(link.inertia.isApprox(link.inertia.transpose(), 0.0)) << link.name;
  }
}

TEST(HumanModels, InertiasArePhysicalAndMassesSumUp) {
  for (const double height : {0.5, 1.75, 2.2}) {
    const Model model = human66(scaled_subject(height, 81.5));
    EXPECT_NEAR(model.total_mass(), 81.5, 1e-9);
    expect_physical(model);
  }
}

TEST(HumanModels, InertiaOfTheThighIsNearThePublishedOne) {
  // 12.5 % of 70 kg, 0.275 of 1.75 m; de Leva 1996: radius 0.348 of the length across, 0.156 along
  const Model model = human66(scaled_subject(1.75, 70.0));
  const Link& thigh = model.links()[static_cast<std::size_t>(model.link_index("RightUpperLeg"))];
  EXPECT_NEAR(thigh.mass, 8.75, 1e-9);
  EXPECT_NEAR(thigh.inertia(0, 0), 8.75 * std::pow(0.348 * 0.48125, 2), 0.01);
  EXPECT_NEAR(thigh.inertia(2, 2), 8.75 * std::pow(0.156 * 0.48125, 2), 0.001);
  EXPECT_NEAR(thigh.com.z(), -0.385 * 0.48125, 0.001);
}

TEST(HumanModels, TakeAnAsymmetricSubject) {
  SubjectDimensions subject = scaled_subject(1.7);
  subject.origin[LeftLowerLeg] = Eigen::Vector3d(0.01, 0.02, -0.40);  // a shorter, tilted left thigh
  subject.origin[LeftFoot].setZero();                                 // and no shank at all
  const Model model = human66(subject);
  EXPECT_EQ(model.joint(model.joint_index("jLeftKnee_rotx")).p_PJ, subject.origin[LeftLowerLeg]);
  EXPECT_EQ(model.joint(model.joint_index("jRightKnee_rotx")).p_PJ, subject.origin[RightLowerLeg]);
  expect_physical(model);
}

TEST(HumanModels, RefuseAnImpossibleSubjectAndSayWhat) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW((void)scaled_subject(0.2), ModelError);
  EXPECT_THROW((void)scaled_subject(3.1), ModelError);
  EXPECT_THROW((void)scaled_subject(nan), ModelError);
  EXPECT_THROW((void)scaled_subject(1.7, 1.0), ModelError);
  EXPECT_THROW((void)scaled_subject(1.7, 500.0), ModelError);
  EXPECT_THROW((void)scaled_subject(1.7, kInfinity), ModelError);
  SubjectDimensions subject = scaled_subject(1.7);
  subject.origin[LeftFoot].z() = nan;
  try {
    (void)human66(subject);
    FAIL() << "accepted a NaN";
  } catch (const ModelError& error) {
    EXPECT_NE(std::string(error.what()).find("LeftFoot"), std::string::npos) << error.what();
  }
  subject = scaled_subject(1.7);
  subject.end[Head].z() = 3.5;
  EXPECT_THROW((void)human48(subject), ModelError);
  subject = scaled_subject(1.7);
  subject.origin[Pelvis].x() = nan;  // unused
  EXPECT_NO_THROW((void)human48(subject));
}

TEST(HumanModels, RefuseCentimetres) {
  try {
    (void)scaled_subject(175.0);
    FAIL() << "accepted 175 m";
  } catch (const ModelError& error) {
    EXPECT_EQ(std::string(error.what()), "subject: height is 175.000; it must be 0.300 .. 3.000 m");
  }
}

}  // namespace
}  // namespace panto
