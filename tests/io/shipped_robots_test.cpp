// size: every shipped table against its source, by the same comparisons
// The shipped robots against the public files and papers that they are tables of.

#include "panto/io/shipped_robots.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <numbers>
#include <regex>
#include <set>
#include <string>

#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/io/urdf.hpp"
#include "panto/math/so3.hpp"
#include "panto/model/kinematics.hpp"
#include "tests/support/random_model.hpp"
#include "tests/support/test_data.hpp"

namespace panto::io {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr double kDegree = std::numbers::pi / 180.0;
constexpr const char* kIcub = "models/icub/teleoperation_iCub_model_V_2_5.urdf";
constexpr const char* kG1 = "models/unitree/g1_29dof_rev_1_0.urdf";

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

const Joint& joint_named(const Model& model, const std::string& name) {
  for (const Joint& joint : model.all_joints()) {
    if (joint.name == name) return joint;
  }
  throw ModelError("no joint '" + name + "'");
}

const Link& link_named(const Model& model, const std::string& name) {
  return model.links()[at(model.link_index(name))];
}

double simulators_limit(double value) { return value >= 50000.0 ? kInfinity : value; }

// every joint of ours is theirs; 1e-9 is 1 nm and 1 nrad
void expect_same_joints(const Model& ours, const Model& theirs, bool all = true) {
  if (all) {
    EXPECT_EQ(ours.joint_names(), theirs.joint_names()) << "movable joints, in the order of State::s";
  }
  for (const Joint& a : ours.all_joints()) {
    const Joint& b = joint_named(theirs, a.name);
    EXPECT_EQ(a.type, b.type) << a.name;
    EXPECT_EQ(a.parent, b.parent) << a.name;
    EXPECT_EQ(a.child, b.child) << a.name;
    EXPECT_LT((a.p_PJ - b.p_PJ).cwiseAbs().maxCoeff(), 1e-9) << a.name;
    EXPECT_LT((a.R_PJ - b.R_PJ).cwiseAbs().maxCoeff(), 1e-9) << a.name;
    if (a.type == JointType::Fixed) continue;
    EXPECT_LT((a.axis - b.axis).cwiseAbs().maxCoeff(), 1e-9) << a.name;
    EXPECT_NEAR(a.lower, b.lower, 1e-9) << a.name;
    EXPECT_NEAR(a.upper, b.upper, 1e-9) << a.name;
    EXPECT_EQ(a.velocity, simulators_limit(b.velocity)) << a.name;
    EXPECT_EQ(a.effort, simulators_limit(b.effort)) << a.name;
  }
}

void expect_same_links(const Model& ours, const Model& theirs, const std::string& massless_end) {
  for (const Link& a : ours.links()) {
    if (!massless_end.empty() && ends_with(a.name, massless_end)) {
      EXPECT_EQ(a.mass, 0.0) << a.name;
      continue;
    }
    const Link& b = link_named(theirs, a.name);
    EXPECT_NEAR(a.mass, b.mass, 1e-9) << a.name;
    EXPECT_LT((a.com - b.com).cwiseAbs().maxCoeff(), 1e-9) << a.name;
    EXPECT_LT((a.inertia - b.inertia).cwiseAbs().maxCoeff(), 1e-9) << a.name;
  }
}

std::set<std::string> links_left_out(const Model& ours, const Model& theirs) {
  std::set<std::string> left_out;
  for (const std::string& name : theirs.link_names()) {
    if (!ours.find_link(name)) left_out.insert(name);
  }
  return left_out;
}

void expect_same_kinematics(const Model& ours, const Model& theirs) {
  test::Random random(29);
  Kinematics a(ours), b(theirs);
  for (int pose = 0; pose < 100; ++pose) {
    const State state = test::random_state(ours, random);
    State their_state = rest_state(theirs);
    their_state.p_WB = state.p_WB;
    their_state.R_WB = state.R_WB;
    for (int i = 0; i < ours.dof(); ++i)
      their_state.s[theirs.joint_index(ours.joint_names()[at(i)])] = state.s[i];
    a.update(state);
    b.update(their_state);
    for (int link = 0; link < ours.link_count(); ++link) {
      const std::string& name = ours.link_names()[at(link)];
      const int same = theirs.link_index(name);
      ASSERT_LT((a.R_WL(link) - b.R_WL(same)).cwiseAbs().maxCoeff(), 1e-9) << name;
      ASSERT_LT((a.p_WL(link) - b.p_WL(same)).cwiseAbs().maxCoeff(), 1e-9) << name;
    }
  }
}

TEST(ShippedIcub, IsThePublicModelLinkByLink) {
  PANTO_NEED_DATA(kIcub);
  const Model ours = shipped_robot("icub"), theirs = read_urdf(test::data_file(kIcub));
  EXPECT_EQ(ours.dof(), 32) << "the paper counts 34; no public file has more";
  EXPECT_TRUE(ours.floating_base());
  expect_same_joints(ours, theirs);
  expect_same_links(ours, theirs, "_fake");
  expect_same_kinematics(ours, theirs);
  for (const std::string& name : links_left_out(ours, theirs)) {
    EXPECT_TRUE(name == "base_link" || name == "imu_frame" || ends_with(name, "_dh_frame") ||
                ends_with(name, "_back_contact") || name.find("_skin_") != std::string::npos)
        << name;
    EXPECT_EQ(link_named(theirs, name).mass, 0.0) << name;
  }
  // theirs weighs 0.1 g more per fake frame
  EXPECT_NEAR(ours.total_mass() + 15 * 1e-4, theirs.total_mass(), 1e-9);
}

TEST(ShippedG1, IsThePublicModelLinkByLink) {
  PANTO_NEED_DATA(kG1);
  const Model ours = shipped_robot("unitree_g1"), theirs = read_urdf(test::data_file(kG1));
  EXPECT_EQ(ours.dof(), 29);
  EXPECT_TRUE(ours.floating_base());
  expect_same_joints(ours, theirs);
  expect_same_links(ours, theirs, "");
  expect_same_kinematics(ours, theirs);
  EXPECT_EQ(links_left_out(ours, theirs),
            (std::set<std::string>{"pelvis_contour_link", "logo_link", "imu_in_torso", "imu_in_pelvis",
                                   "d435_link", "mid360_link"}));
  EXPECT_NEAR(ours.total_mass() + 2 * 1e-3, theirs.total_mass(), 1e-9);
}

// A table of a maker's file: all that moves is theirs, what is left out has no part in the body.
struct MakersFile {
  const char *robot, *file;
  int dof;
  const char* left_out;  ///< a regular expression of links
};

void expect_makers(const MakersFile& makers) {
  const Model ours = shipped_robot(makers.robot), theirs = read_urdf(test::data_file(makers.file));
  EXPECT_EQ(ours.dof(), makers.dof);
  EXPECT_TRUE(ours.floating_base());
  std::vector<std::string> order;
  for (const std::string& joint : theirs.joint_names())
    if (ours.find_joint(joint)) order.push_back(joint);
  EXPECT_EQ(ours.joint_names(), order) << "in the maker's order";
  expect_same_joints(ours, theirs, false);
  expect_same_links(ours, theirs, "");
  expect_same_kinematics(ours, theirs);
  const std::regex allowed(makers.left_out);
  for (const std::string& name : links_left_out(ours, theirs))
    EXPECT_TRUE(std::regex_match(name, allowed)) << name;
  EXPECT_FALSE(shipped_robot_source(makers.robot).empty());
}

TEST(ShippedH1, IsTheMakersModelLinkByLink) {
  PANTO_NEED_DATA("models/unitree/h1.urdf");
  expect_makers({"unitree_h1", "models/unitree/h1.urdf", 19, "imu_link|logo_link|mid360_link|d435_.*"});
}

TEST(ShippedT1, IsTheMakersModelLinkByLink) {
  PANTO_NEED_DATA("models/field/booster_t1_serial.urdf");
  expect_makers({"booster_t1", "models/field/booster_t1_serial.urdf", 23, ""});
}

TEST(ShippedTalos, IsTheMakersModelWithoutGrippersLinkByLink) {
  PANTO_NEED_DATA("models/talos/talos_reduced.urdf");
  expect_makers({"talos", "models/talos/talos_reduced.urdf", 30,
                 "imu_link|rgbd_.*|gripper_(left|right)_(motor|inner|fingertip)_.*"});
}

TEST(ShippedNao, IsTheMakersModelWithoutFingersLinkByLink) {
  PANTO_NEED_DATA("models/field/nao50.urdf");
  expect_makers({"nao", "models/field/nao50.urdf", 24, ".*_frame|gaze|[lr]_gripper|[LR](Finger|Thumb).*"});
  const Model nao = shipped_robot("nao");
  ASSERT_EQ(nao.rows().size(), 1u) << "one motor yaws and pitches both hips";
  EXPECT_EQ(nao.rows().front().name, "mimic RHipYawPitch");
}

// not in every collection of test data
TEST(ShippedH12, IsTheMakersModelLinkByLink) {
  const char* file = "models/unitree/h1_2_handless.urdf";
  if (!std::filesystem::exists(test::data_file(file)))
    GTEST_SKIP() << "no " << file << ": the unitree_h1_2 table is not compared with its maker's file";
  expect_makers({"unitree_h1_2", file, 27, "imu_link|logo_link|camera_link|lidar_link"});
}

TEST(ShippedGr1, IsTheMakersModelLinkByLink) {
  const char* file = "models/fourier/gr1t1.urdf";
  if (!std::filesystem::exists(test::data_file(file)))
    GTEST_SKIP() << "no " << file << ": the fourier_gr1 table is not compared with its maker's file";
  expect_makers({"fourier_gr1", file, 32, "(left|right)_end_effector_link"});
}

// --- the rows of the iCub, as Rapetti et al. configure them ---

double value_of(const CoupledRow& row, const Model& model, const Eigen::VectorXd& s) {
  double sum = 0.0;
  for (const CoupledRow::Term& term : row.terms) sum += term.coefficient * s[model.joint_index(term.joint)];
  return sum;
}

const CoupledRow& row_named(const Model& model, const std::string& name) {
  for (const CoupledRow& row : model.rows()) {
    if (row.name == name) return row;
  }
  throw ModelError("no row '" + name + "'");
}

TEST(ShippedIcub, CouplesShouldersAndForearmsByThePublishedRows) {
  const Model model = shipped_robot("icub");
  struct Published {
    double pitch, roll, yaw, elbow, prosup, lower, upper;
  };
  const Published table[] = {
      {1.7105, -1.7105, 0, 0, 0, -6.0563, kInfinity},
      {1.7105, -1.7105, -1.7105, 0, 0, -6.3979, 1.9622},
      {0, 1, 1, 0, 0, -1.1623, 3.7228},
      {0, 1, 0.0427, 0, 0, 0.4611, kInfinity},
      {0, 1, 0, 0, 0, -kInfinity, 1.7453},
      {0, 0, 0, 2.5, 1, -kInfinity, 5.2796},
      {0, 0, 0, -2.5, 1, -5.2796, kInfinity},
  };
  ASSERT_EQ(model.rows().size(), 14u);
  for (std::size_t arm = 0; arm < 2; ++arm) {
    const std::string side = arm == 0 ? "l_" : "r_";
    for (std::size_t i = 0; i < 7; ++i) {
      const CoupledRow& row = model.rows()[7 * arm + i];
      std::map<std::string, double> expected, found;
      const Published& p = table[i];
      for (const auto& [joint, coefficient] : {std::pair{"shoulder_pitch", p.pitch},
                                               {"shoulder_roll", p.roll},
                                               {"shoulder_yaw", p.yaw},
                                               {"elbow", p.elbow},
                                               {"wrist_prosup", p.prosup}}) {
        if (coefficient != 0.0) expected[side + joint] = coefficient;
      }
      for (const CoupledRow::Term& term : row.terms) found[term.joint] = term.coefficient;
      EXPECT_EQ(found, expected) << row.name;
      EXPECT_EQ(row.lower, p.lower) << row.name;
      EXPECT_EQ(row.upper, p.upper) << row.name;
    }
  }
}

TEST(ShippedIcub, ViolatesARowWithAllJointsAtZero) {
  const Model model = shipped_robot("icub");
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(model.dof());
  for (const char* name : {"l_roll_away", "r_roll_away"}) {
    const CoupledRow& row = row_named(model, name);
    EXPECT_LT(value_of(row, model, zero), row.lower) << "roll + 0.0427 yaw >= 0.4611";
    EXPECT_EQ(row.lower, 0.4611);
  }
}

// --- modules of Tee et al. ---

Matrix3d x(double angle) { return so3::about_axis(0, angle); }
Matrix3d y(double angle) { return so3::about_axis(1, angle); }
Matrix3d z(double angle) { return so3::about_axis(2, angle); }

TEST(ShippedTee7, IsTheArmOfThePapersEquation30) {
  const Model model = shipped_robot("tee7");
  ASSERT_EQ(model.dof(), 7);
  EXPECT_FALSE(model.floating_base());
  const double l1 = 0.30, l2 = 0.25;
  const Matrix3d P1 = x(90 * kDegree), P2 = y(90 * kDegree);
  test::Random random(30);
  Kinematics kinematics(model);
  for (int pose = 0; pose < 100; ++pose) {
    State state = test::random_state(model, random);
    state.p_WB.setZero();
    state.R_WB.setIdentity();
    const Eigen::VectorXd& q = state.s;
    kinematics.update(state);
    const Matrix3d R1 = P1 * z(q[0]) * y(q[1]), R2 = R1 * P2 * z(q[2]) * y(q[3]);
    const Matrix3d R3 = R2 * z(q[4]) * y(q[5]) * x(q[6]);
    const Vector3d elbow = l1 * R1.col(0), wrist = elbow + l2 * R2.col(2);
    EXPECT_LT((kinematics.p_WL(model.link_index("elbow_1")) - elbow).norm(), 1e-12);
    EXPECT_LT((kinematics.p_WL(model.link_index("forearm")) - elbow).norm(), 1e-12);
    EXPECT_LT((kinematics.p_WL(model.link_index("hand")) - wrist).norm(), 1e-12);
    EXPECT_LT((kinematics.R_WL(model.link_index("hand")) - R3).norm(), 1e-12);
    // and back: the elbow's angles from the direction of the forearm
    const Vector3d E = (R1 * P2).transpose() * (wrist - elbow) / l2;
    EXPECT_NEAR(std::remainder(std::atan2(E.y(), E.x()) - q[2], std::numbers::pi), 0.0, 1e-9);
  }
}

TEST(ShippedTee7, HasThreeModulesThroughOnePointEachAndNoLimits) {
  const Model model = shipped_robot("tee7");
  ASSERT_EQ(model.tree().groups.size(), 3u);
  EXPECT_EQ(model.tree().groups[0].count, 2);
  EXPECT_EQ(model.tree().groups[1].count, 2);
  EXPECT_EQ(model.tree().groups[2].count, 3);
  EXPECT_TRUE(model.tree().groups[2].spherical);
  EXPECT_EQ(model.lower(), Eigen::VectorXd::Constant(7, -kInfinity).eval());
  EXPECT_EQ(model.upper(), Eigen::VectorXd::Constant(7, kInfinity).eval());
  EXPECT_EQ(model.velocity_limit(), Eigen::VectorXd::Constant(7, kInfinity).eval());
  EXPECT_NEAR(model.rest()[1], -90 * kDegree, 1e-15) << "the paper's simulation begins singular";
  EXPECT_NEAR(model.rest()[3], -45 * kDegree, 1e-15);
}

TEST(ShippedOlivia17, HasTwoJointsInTheTorsoThreeInTheHeadAndSixInEachArm) {
  const Model model = shipped_robot("olivia17");
  ASSERT_EQ(model.dof(), 17);
  EXPECT_FALSE(model.floating_base());
  std::map<std::string, int> count;
  for (const std::string& joint : model.joint_names()) ++count[joint.substr(0, joint.find('_'))];
  EXPECT_EQ(count, (std::map<std::string, int>{{"waist", 2}, {"neck", 3}, {"right", 6}, {"left", 6}}));
  EXPECT_NEAR(model.upper()[model.joint_index("right_elbow")], 80 * kDegree, 1e-15) << "published";
  EXPECT_NEAR(model.lower()[model.joint_index("left_elbow")], -80 * kDegree, 1e-15);
}

TEST(ShippedOlivia17, IsMadeOfPanTiltAndSphericalModules) {
  const Model model = shipped_robot("olivia17");
  // modules as the kernel sees them: waist, neck, and per arm shoulder (3), elbow with roll (2), wrist (1)
  std::multiset<std::pair<int, bool>> found;
  for (const JointGroup& group : model.tree().groups) found.insert({group.count, group.spherical});
  EXPECT_EQ(
      found,
      (std::multiset<std::pair<int, bool>>{
          {1, false}, {1, false}, {2, false}, {2, false}, {2, false}, {3, true}, {3, true}, {3, true}}));

  // modules as the paper writes them
  const Matrix3d P1 = x(90 * kDegree), P2 = y(90 * kDegree), C = P1 * P2;
  test::Random random(31);
  Kinematics kinematics(model);
  for (int pose = 0; pose < 100; ++pose) {
    State state = test::random_state(model, random);
    state.p_WB.setZero();
    state.R_WB.setIdentity();
    const auto q = [&](const std::string& joint) { return state.s[model.joint_index(joint)]; };
    kinematics.update(state);
    const auto R = [&](const std::string& link) { return kinematics.R_WL(model.link_index(link)); };
    const auto p = [&](const std::string& link) { return kinematics.p_WL(model.link_index(link)); };
    const Matrix3d R_torso = z(q("waist_pan")) * y(q("waist_tilt"));
    EXPECT_LT((R("torso") - R_torso).norm(), 1e-12);
    EXPECT_LT((R("head") - R_torso * z(q("neck_yaw")) * y(q("neck_pitch")) * x(q("neck_roll"))).norm(),
              1e-12);
    for (const auto& [side, sign] : {std::pair<std::string, double>{"right_", -1.0}, {"left_", 1.0}}) {
      const Vector3d shoulder = Vector3d(0, 0, 0.1) + R_torso * Vector3d(0, sign * 0.17, 0.36);
      const Matrix3d R1 = R_torso * P1 * z(q(side + "shoulder_pan")) * y(q(side + "shoulder_tilt"));
      const Matrix3d R2 = R1 * P2 * z(q(side + "shoulder_twist")) * y(q(side + "elbow"));
      const Matrix3d R3 = R2 * z(q(side + "forearm_roll")) * y(q(side + "wrist"));
      const Vector3d elbow = shoulder + 0.28 * R1.col(0), wrist = elbow + 0.24 * R2.col(2);
      EXPECT_LT((p(side + "upper_arm") - shoulder).norm(), 1e-12);
      EXPECT_LT((p(side + "forearm") - elbow).norm(), 1e-12);
      EXPECT_LT((p(side + "hand") - wrist).norm(), 1e-12);
      EXPECT_LT((R(side + "elbow_1") - R2 * C.transpose()).norm(), 1e-12);
      EXPECT_LT((R(side + "hand") - R3 * C.transpose()).norm(), 1e-12);
    }
  }
}

TEST(ShippedOlivia17, IsItsOwnMirrorImage) {
  const Model model = shipped_robot("olivia17");
  test::Random random(32);
  Kinematics one(model), other(model);
  const Matrix3d M = Vector3d(1, -1, 1).asDiagonal();
  for (int pose = 0; pose < 20; ++pose) {
    State state = test::random_state(model, random);
    state.p_WB.setZero();
    state.R_WB.setIdentity();
    State mirrored = state;
    for (int i = 0; i < model.dof(); ++i) {
      std::string name = model.joint(i).name;
      if (name.rfind("right_", 0) == 0) {
        name = "left_" + name.substr(6);
      } else if (name.rfind("left_", 0) == 0) {
        name = "right_" + name.substr(5);
      }
      const int k = model.joint_index(name);
      // turning about y is its own mirror image
      const double sign = std::abs(model.joint(i).axis.y()) == 1.0 ? 1.0 : -1.0;
      mirrored.s[k] = sign * state.s[i];
      EXPECT_EQ(sign > 0 ? model.lower()[k] : -model.upper()[k], model.lower()[i]) << name;
    }
    one.update(state);
    other.update(mirrored);
    for (const char* link : {"head", "upper_arm", "forearm", "hand"}) {
      const bool middle = std::string(link) == "head";
      const int a = model.link_index((middle ? "" : "right_") + std::string(link));
      const int b = model.link_index((middle ? "" : "left_") + std::string(link));
      EXPECT_LT((M * one.p_WL(a) - other.p_WL(b)).norm(), 1e-12) << link;
      EXPECT_LT((M * one.R_WL(a) * M - other.R_WL(b)).norm(), 1e-12) << link;
    }
  }
}

// --- all of them ---

class ShippedRobot : public testing::TestWithParam<std::string> {};

TEST_P(ShippedRobot, WeighsWhatItShould) {
  const std::map<std::string, std::pair<double, double>> kilograms{
      {"icub", {28.0, 34.0}},        // public: about 30 kg
      {"unitree_g1", {31.0, 37.0}},  // the maker: about 35 kg with battery
      {"olivia17", {30.0, 50.0}},    // ours: a person's upper body
      {"tee7", {3.0, 6.0}},          // ours: a person's arm
      {"booster_t1", {29.0, 34.0}},  // the makers: 30 kg, 55, 5.5, 95, 47 (its URDF says 59), 70
      {"fourier_gr1", {50.0, 57.0}},  {"nao", {5.0, 5.6}},
      {"talos", {85.0, 97.0}},        {"unitree_h1", {45.0, 60.0}},
      {"unitree_h1_2", {60.0, 72.0}},
  };
  ASSERT_EQ(kilograms.count(GetParam()), 1u);
  const auto [least, most] = kilograms.at(GetParam());
  EXPECT_GT(shipped_robot(GetParam()).total_mass(), least);
  EXPECT_LT(shipped_robot(GetParam()).total_mass(), most);
}

TEST_P(ShippedRobot, HasInertiasOfRealBodies) {
  const Model model = shipped_robot(GetParam());
  for (const Link& link : model.links()) {
    if (link.mass == 0.0) {
      EXPECT_TRUE(link.com.isZero(0.0) && link.inertia.isZero(0.0)) << link.name << " is a frame";
      continue;
    }
    if (link.inertia.isZero(0.0)) continue;  // a point, in its maker's file too
    const Vector3d I = Eigen::SelfAdjointEigenSolver<Matrix3d>(link.inertia).eigenvalues();
    EXPECT_GT(I[0], 0.0) << link.name;
    EXPECT_GE(I[0] + I[1], I[2] * (1 - 1e-9)) << link.name << ": no body has so long an ellipsoid";
    EXPECT_LT(link.com.norm(), 0.5) << link.name;
  }
}

// simulators refuse a moving body without mass
TEST_P(ShippedRobot, HasMassOnEveryMovingBody) {
  const Model model = shipped_robot(GetParam());
  std::vector<double> mass(at(model.tree().size()), 0.0);
  for (int link = 0; link < model.link_count(); ++link)
    mass[at(model.frame(link).body)] += model.links()[at(link)].mass;
  for (int body = 1; body < model.tree().size(); ++body)
    EXPECT_GT(mass[at(body)], 0.01) << model.joint(model.tree().dof[at(body)]).name;
}

TEST_P(ShippedRobot, HasATreeInLevelOrder) {
  const Model model = shipped_robot(GetParam());
  const Tree& tree = model.tree();
  ASSERT_EQ(tree.size(), model.dof() + 1);
  for (int i = 1; i < tree.size(); ++i) {
    EXPECT_LT(tree.parent[at(i)], i);
    EXPECT_GE(tree.level[at(i)], tree.level[at(i - 1)]);
  }
}

TEST_P(ShippedRobot, RestsInsideItsLimitsAndRows) {
  const Model model = shipped_robot(GetParam());
  EXPECT_TRUE((model.rest().array() >= model.lower().array()).all());
  EXPECT_TRUE((model.rest().array() <= model.upper().array()).all());
  for (const CoupledRow& row : model.rows()) {
    if (row.lower == row.upper) {  // one motor for two joints
      EXPECT_NEAR(value_of(row, model, model.rest()), row.lower, 1e-12) << row.name;
      continue;
    }
    // room to both sides: no solver begins on a row
    EXPECT_GT(value_of(row, model, model.rest()), row.lower + 0.01) << row.name;
    EXPECT_LT(value_of(row, model, model.rest()), row.upper - 0.01) << row.name;
  }
}

TEST_P(ShippedRobot, IsTheSameAsUrdf) {
  const Model model = shipped_robot(GetParam());
  UrdfOptions options;
  options.floating_base = model.floating_base();
  const Model again(read_urdf_spec(write_urdf(model), GetParam() + ".urdf", options));
  EXPECT_EQ(again.joint_names(), model.joint_names());
  EXPECT_EQ(again.link_names(), model.link_names());
  EXPECT_EQ(again.lower(), model.lower());
  EXPECT_EQ(again.upper(), model.upper());
  EXPECT_EQ(again.velocity_limit(), model.velocity_limit());
  expect_same_kinematics(model, again);
}

TEST_P(ShippedRobot, IsNamedLikeItsFileAndSaysWhereItComesFrom) {
  const std::string& name = GetParam();
  EXPECT_EQ(shipped_robot(name).name(), name);
  const std::string text(shipped_robot_table(name));
  EXPECT_NE(text.find("\nsource = \""), std::string::npos);
  EXPECT_EQ(text.find("# "), 0u) << "its first line says what it is";
}

INSTANTIATE_TEST_SUITE_P(All, ShippedRobot, testing::ValuesIn(shipped_robots()),
                         [](const auto& tested) { return tested.param; });

TEST(ShippedRobots, AreTen) {
  EXPECT_EQ(shipped_robots(),
            (std::vector<std::string>{"booster_t1", "fourier_gr1", "icub", "nao", "olivia17", "talos", "tee7",
                                      "unitree_g1", "unitree_h1", "unitree_h1_2"}));
}

TEST(ShippedRobots, HaveShortNames) {
  for (const auto& [alias, robot] : {std::pair{"h1", "unitree_h1"},
                                     {"H1-2", "unitree_h1_2"},
                                     {"t1", "booster_t1"},
                                     {"gr1", "fourier_gr1"},
                                     {"g1", "unitree_g1"},
                                     {"talos", "talos"}})
    EXPECT_EQ(unaliased(alias), robot);
}

TEST(ShippedRobots, AWrongNameListsAllAndTheNearest) {
  try {
    (void)shipped_robot("icube");
    FAIL() << "accepted";
  } catch (const ConfigError& error) {
    EXPECT_EQ(
        std::string(error.what()),
        "no robot 'icube' in Panto; did you mean 'icub'? (10 robots: booster_t1, fourier_gr1, icub, nao, "
        "olivia17, talos, tee7, unitree_g1, unitree_h1, unitree_h1_2)");
  }
}

// a rest pose that stands: both soles level and equally high
TEST(ShippedRobots, RestWithLevelFeet) {
  for (const auto& [robot, left, right] : {std::tuple{"icub", "l_sole", "r_sole"},
                                           {"unitree_g1", "left_ankle_roll_link", "right_ankle_roll_link"}}) {
    const Model model = shipped_robot(robot);
    Kinematics kinematics(model);
    kinematics.update(rest_state(model));
    const int l = model.link_index(left), r = model.link_index(right);
    for (const int foot : {l, r}) EXPECT_GT(std::abs(kinematics.R_WL(foot)(2, 2)), 1.0 - 1e-9) << robot;
    EXPECT_NEAR(kinematics.p_WL(l).z(), kinematics.p_WL(r).z(), 1e-6) << robot;
    EXPECT_LT(kinematics.p_WL(l).z(), -0.4) << robot;
  }
}

}  // namespace
}  // namespace panto::io
