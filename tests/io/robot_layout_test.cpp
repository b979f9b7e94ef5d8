// Maps of public robots, found from their files alone.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <string>
#include <vector>

#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/io/urdf.hpp"
#include "panto/math/so3.hpp"
#include "panto/model/human.hpp"
#include "panto/model/kinematics.hpp"
#include "panto/robot/map.hpp"
#include "tests/support/test_data.hpp"

namespace panto {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using Links = std::map<std::string, std::string>;

constexpr double kDegrees = 180.0 / std::numbers::pi;

// "pelvis torso_link ..." in the order of a full map; - where no link follows
struct PublicRobot {
  std::string file;
  bool twist_axes;  ///< the arms' bones are axes of twist
  Links links;
};

// both sides of a limb: R becomes the side's word
void add_sides(Links& links, const std::string& segment, const std::string& link, const std::string& right,
               const std::string& left) {
  for (const auto& [side, word] : {std::pair<std::string, std::string>{"Right", right}, {"Left", left}}) {
    std::string name = link;
    name.replace(name.find('@'), 1, word);
    links[side + segment] = name;
  }
}

Links icub_links(const std::string& root, bool head) {
  Links links{{"Pelvis", root}, {"T8", "chest"}};
  if (head) links["Head"] = "head";
  for (const auto& [segment, link] : Links{{"UpperArm", "@_upper_arm"},
                                           {"ForeArm", "@_forearm"},
                                           {"Hand", "@_hand"},
                                           {"UpperLeg", "@_upper_leg"},
                                           {"LowerLeg", "@_lower_leg"},
                                           {"Foot", "@_foot"}})
    add_sides(links, segment, link, "r", "l");
  return links;
}

Links unitree_links(const Links& limbs) {
  Links links{{"Pelvis", "pelvis"}, {"T8", "torso_link"}};
  for (const auto& [segment, link] : limbs) add_sides(links, segment, link, "right", "left");
  return links;
}

std::vector<PublicRobot> public_robots() {
  Links talos{{"Pelvis", "base_link"}, {"T8", "torso_2_link"}, {"Head", "head_2_link"}};
  for (const auto& [segment, link] : Links{{"UpperArm", "arm_@_3_link"},
                                           {"ForeArm", "arm_@_5_link"},
                                           {"Hand", "arm_@_7_link"},
                                           {"UpperLeg", "leg_@_3_link"},
                                           {"LowerLeg", "leg_@_4_link"},
                                           {"Foot", "leg_@_6_link"}})
    add_sides(talos, segment, link, "right", "left");
  Links simple{{"Pelvis", "BODY"}, {"T8", "torso"}};
  for (const auto& [segment, link] : Links{{"UpperArm", "@ARM_LINK3"},
                                           {"ForeArm", "@ARM_LINK5"},
                                           {"UpperLeg", "@LEG_LINK3"},
                                           {"LowerLeg", "@LEG_LINK4"}})
    add_sides(simple, segment, link, "R", "L");
  add_sides(simple, "Hand", "@_wrist", "r", "l");
  add_sides(simple, "Foot", "@_ankle", "r", "l");
  const Links g1 = unitree_links({{"UpperArm", "@_shoulder_yaw_link"},
                                  {"ForeArm", "@_wrist_roll_link"},
                                  {"Hand", "@_wrist_yaw_link"},
                                  {"UpperLeg", "@_hip_yaw_link"},
                                  {"LowerLeg", "@_knee_link"},
                                  {"Foot", "@_ankle_roll_link"}});
  const Links h1 = unitree_links({{"UpperArm", "@_shoulder_yaw_link"},
                                  {"ForeArm", "@_elbow_link"},
                                  {"UpperLeg", "@_hip_pitch_link"},
                                  {"LowerLeg", "@_knee_link"},
                                  {"Foot", "@_ankle_link"}});
  Links human;
  for (const std::string& segment : human_segment_names()) human[segment] = segment;
  for (const char* between : {"L5", "L3", "T12", "Neck"}) human.erase(between);
  return {{"icub/iCubGazeboV2_5", true, icub_links("root_link", true)},
          {"icub/teleoperation_iCub_model_V_2_5", true, icub_links("root_link", true)},
          {"talos/icub_reduced", true, icub_links("root_link", false)},
          {"talos/talos_reduced", true, talos},
          {"talos/simple_humanoid", true, simple},
          {"unitree/g1_29dof_rev_1_0", true, g1},
          {"unitree/h1", false, h1},
          {"human-gazebo/humanSubject01_48dof", false, human},
          {"human-gazebo/humanSubject03_48dof", false, human},
          {"human-gazebo/humanSubject01_66dof", false, human}};
}

std::string path_of(const PublicRobot& robot) { return "models/" + robot.file + ".urdf"; }
Model read(const PublicRobot& robot) { return io::read_urdf(test::data_file(path_of(robot))); }

Links links_of(const robot::Map& map) {
  Links links;
  for (const Attachment& a : map.attachments.attachments) links[a.segment] = a.link;
  return links;
}

TEST(Robot, MapsEveryPublicRobotLinkByLink) {
  for (const PublicRobot& robot : public_robots()) {
    PANTO_NEED_DATA(path_of(robot));
    const Model model = read(robot);
    const robot::MapProposal found = robot::propose_robot_map(model);
    EXPECT_EQ(links_of(found.map), robot.links) << robot.file;
    EXPECT_EQ(found.map.attachments.attachments.front().segment, "Pelvis") << robot.file;
    EXPECT_TRUE(robot::check_robot_map(found.map, model).empty()) << robot.file;
    // place: what stands, holds and carries
    for (const Attachment& a : found.map.attachments.attachments) {
      const bool hand =
          a.segment.ends_with("Hand") || (robot.file == "unitree/h1" && a.segment.ends_with("ForeArm"));
      EXPECT_EQ(a.position, hand || a.segment == "Pelvis" || a.segment.ends_with("Foot"))
          << robot.file << " " << a.segment;
    }
  }
}

// The authors of the method give iCub's frames as fixed links, *_fake. All but the thighs, whose knees lie
// 0.2 deg beside the hips, are theirs to what their numbers are rounded to.
TEST(Robot, FindsTheFramesThatICubsAuthorsUse) {
  const std::string file = "models/icub/teleoperation_iCub_model_V_2_5.urdf";
  PANTO_NEED_DATA(file);
  const Model model = io::read_urdf(test::data_file(file));
  Kinematics kinematics(model);
  kinematics.update(rest_state(model));
  const robot::Map map = robot::propose_robot_map(model).map;
  EXPECT_EQ(map.attachments.attachments.size(), 15U);
  for (const Attachment& a : map.attachments.attachments) {
    const int link = model.link_index(a.link), theirs = model.link_index(a.link + "_fake");
    const Matrix3d R_SF = kinematics.R_WL(theirs).transpose() * kinematics.R_WL(link);
    const bool thigh = a.segment.ends_with("UpperLeg");
    EXPECT_LT(so3::distance(R_SF, a.R_SF) * kDegrees, thigh ? 0.25 : 0.001) << a.segment;
  }
}

// the model of a person: every frame is its segment's own; their wrists and ankles lie up to 0.03 deg off the
// lines of the bones
TEST(Robot, FindsThatAPersonsFramesAreThePersons) {
  for (const PublicRobot& robot : public_robots()) {
    if (robot.links.at("Pelvis") != "Pelvis") continue;
    PANTO_NEED_DATA(path_of(robot));
    for (const Attachment& a : robot::propose_robot_map(read(robot)).map.attachments.attachments)
      EXPECT_LT(so3::angle(a.R_SF) * kDegrees, 0.03) << robot.file << " " << a.segment;
  }
}

// Axes and points of a model's joints in the frame of a link, all joints at zero.
class TPose {
 public:
  explicit TPose(const Model& model) : model_(model), kinematics_(model) {
    State zero = rest_state(model);
    zero.s.setZero();
    kinematics_.update(zero);
    for (const Attachment& a : robot::propose_robot_map(model).map.attachments.attachments)
      map_[a.segment] = a;
  }
  [[nodiscard]] bool has(const std::string& segment) const { return map_.contains(segment); }
  [[nodiscard]] int link(const std::string& segment) const {
    return model_.link_index(map_.at(segment).link);
  }
  [[nodiscard]] int body(const std::string& segment) const { return model_.frame(link(segment)).body; }
  /// The first body after `from` on the way to `to`.
  [[nodiscard]] int first_joint(const std::string& from, const std::string& to) const {
    int body_to = body(to);
    while (model_.tree().parent[at(body_to)] != body(from)) body_to = model_.tree().parent[at(body_to)];
    return body_to;
  }
  /// A vector of the zero pose where the T-pose of this segment's link takes it.
  [[nodiscard]] Vector3d turned(const std::string& segment, const Vector3d& v) const {
    return map_.at(segment).R_SF * kinematics_.R_WL(link(segment)).transpose() * v;
  }
  [[nodiscard]] Vector3d axis(int body) const { return kinematics_.joint_axis()[at(body)]; }
  [[nodiscard]] Vector3d point(int body) const { return kinematics_.body_position()[at(body)]; }
  [[nodiscard]] Vector3d origin(const std::string& segment) const { return kinematics_.p_WL(link(segment)); }

 private:
  const Model& model_;
  Kinematics kinematics_;
  std::map<std::string, Attachment> map_;
};

// Every link turned as the map says for a T-pose: knees bend about the line across, shanks are upright in
// side view, elbows bend about the vertical, arms that turn about themselves lie across the body; right is
// right.
TEST(Robot, StandsInATPose) {
  for (const PublicRobot& robot : public_robots()) {
    PANTO_NEED_DATA(path_of(robot));
    const Model model = read(robot);
    const TPose pose(model);
    // axes and lengths in these files are rounded to 1e-5
    const double exact = 1e-9;
    for (const std::string side : {"Right", "Left"}) {
      SCOPED_TRACE(robot.file + " " + side);
      const std::string thigh = side + "UpperLeg", shank = side + "LowerLeg", foot = side + "Foot";
      const std::string upper = side + "UpperArm", fore = side + "ForeArm";
      const bool person = robot.links.at("Pelvis") == "Pelvis";
      if (!person) {
        const int knee = pose.first_joint(thigh, shank), ankle = pose.first_joint(shank, foot);
        for (const std::string& segment : {thigh, shank})
          EXPECT_NEAR(std::abs(pose.turned(segment, pose.axis(knee)).y()), 1.0, exact) << segment;
        const Vector3d lower = pose.turned(shank, pose.point(ankle) - pose.point(knee));
        EXPECT_LT(lower.z(), -0.1);
        EXPECT_NEAR(lower.x() / lower.norm(), 0.0, exact);
        const int elbow = pose.first_joint(upper, fore);
        EXPECT_NEAR(std::abs(pose.turned(upper, pose.axis(elbow)).z()), 1.0, exact);
        if (robot.twist_axes) {
          const double sign = pose.turned(upper, pose.axis(pose.body(upper))).y();
          EXPECT_GT(std::abs(sign), 0.996);  // an elbow beside the axis of twist: up to 5 deg
        }
        // the arm leads away from the body
        const Vector3d out = pose.turned(upper, pose.point(elbow) - pose.point(pose.body(upper)));
        if (out.norm() > 0.01) {
          EXPECT_GT(out.y() * (side == "Left" ? 1.0 : -1.0), 0.0);
        }
      }
      const Vector3d down = pose.turned("Pelvis", pose.origin(foot) - pose.origin("Pelvis"));
      EXPECT_LT(down.z(), -0.3);
      EXPECT_GT(down.y() * (side == "Left" ? 1.0 : -1.0), 0.02);
      const Vector3d up = pose.turned("Pelvis", pose.origin(upper) - pose.origin("Pelvis"));
      EXPECT_GT(up.z(), 0.05);
      EXPECT_GT(up.y() * (side == "Left" ? 1.0 : -1.0), 0.05);
    }
  }
}

TEST(Robot, FindsThatICubLooksBackwardsAlongItsRootsX) {
  const std::string file = "models/icub/iCubGazeboV2_5.urdf";
  PANTO_NEED_DATA(file);
  const robot::MapProposal found = robot::propose_robot_map(io::read_urdf(test::data_file(file)));
  EXPECT_LT((found.map.attachments.attachments.front().R_SF - so3::about_axis(2, std::numbers::pi)).norm(),
            1e-9);
}

// simple_humanoid's file gives left joints the limits of their neighbours
TEST(Robot, NotesLimitsThatContradictEachOther) {
  const std::string file = "models/talos/simple_humanoid.urdf";
  PANTO_NEED_DATA(file);
  const robot::MapProposal found = robot::propose_robot_map(io::read_urdf(test::data_file(file)));
  const auto has = [&](const std::string& text) {
    return std::any_of(found.notes.begin(), found.notes.end(),
                       [&](const std::string& note) { return note.find(text) != std::string::npos; });
  };
  EXPECT_TRUE(has("evidence against this forward direction: the limits of joint 'LLEG_KNEE'"));
  EXPECT_TRUE(has("the joint limits of the left knee let it bend forward"));
}

// what G1's elbow can do: bend and twist, not sway
TEST(Robot, SaysWhatG1CanFollow) {
  const std::string file = "models/unitree/g1_29dof_rev_1_0.urdf";
  PANTO_NEED_DATA(file);
  const robot::MapProposal found = robot::propose_robot_map(io::read_urdf(test::data_file(file)));
  const auto follows = [&](const std::string& segment) {
    for (std::size_t i = 0; i < found.reasons.size(); ++i)
      if (found.map.attachments.attachments[i].segment == segment) return found.reasons[i].follows;
    return Vector3d(-1, -1, -1);
  };
  EXPECT_LT((follows("T8") - Vector3d(1, 1, 1)).norm(), 1e-6);
  // the upper arm twists about an axis 4.6 deg off the line from shoulder to elbow, sin 4.6 deg = 0.08
  EXPECT_LT((follows("RightForeArm") - Vector3d(0, 1, 1)).norm(), 0.08);
  EXPECT_LT((follows("LeftHand") - Vector3d(1, 0, 1)).norm(), 1e-6);
  EXPECT_LT((follows("RightLowerLeg") - Vector3d(0, 1, 0)).norm(), 1e-6);
  EXPECT_LT((follows("LeftFoot") - Vector3d(1, 1, 0)).norm(), 1e-6);
}

std::string all_notes(const robot::MapProposal& found) {
  std::string text;
  for (const std::string& note : found.notes) text += note + "\n";
  return text;
}

std::map<std::string, Vector3d> follows_of(const robot::MapProposal& found) {
  std::map<std::string, Vector3d> follows;
  for (std::size_t i = 0; i < found.reasons.size(); ++i)
    follows[found.map.attachments.attachments[i].segment] = found.reasons[i].follows;
  return follows;
}

// shoulders of T1 and AzureLoong are singular while the arms hang or are raised
TEST(RobotLayout, ReadsMirroredArmsAlike) {
  for (const char* file : {"models/field/booster_t1_serial.urdf", "models/field/azure_loong.urdf"}) {
    PANTO_NEED_DATA(file);
    const auto follows = follows_of(robot::propose_robot_map(io::read_urdf(test::data_file(file))));
    EXPECT_LT((follows.at("LeftUpperArm") - Vector3d::Ones()).norm(), 1e-9) << file;
    for (const char* part : {"UpperArm", "ForeArm", "UpperLeg", "LowerLeg", "Foot"}) {
      const Vector3d right = follows.at(std::string("Right").append(part));
      EXPECT_LT((follows.at(std::string("Left").append(part)) - right).norm(), 1e-6) << file << " " << part;
    }
  }
}

TEST(RobotLayout, FindsArmsWhoseHandsHaveFingers) {
  PANTO_NEED_DATA("models/field/nao50.urdf");
  const robot::MapProposal found =
      robot::propose_robot_map(io::read_urdf(test::data_file("models/field/nao50.urdf")));
  std::map<std::string, std::string> link;
  for (const Attachment& a : found.map.attachments.attachments) link[a.segment] = a.link;
  EXPECT_EQ(link["RightUpperArm"], "RElbow");
  EXPECT_EQ(link["LeftUpperArm"], "LElbow");
  EXPECT_EQ(link["RightForeArm"], "r_wrist");
  EXPECT_EQ(link["LeftForeArm"], "l_wrist");
  EXPECT_EQ(all_notes(found).find("no arms"), std::string::npos) << all_notes(found);
}

TEST(RobotLayout, NamesJointsWhoseLimitsAreEqual) {
  PANTO_NEED_DATA("cases/09_all_limits_zero.urdf");
  const robot::MapProposal found =
      robot::propose_robot_map(io::read_urdf(test::data_file("cases/09_all_limits_zero.urdf")));
  EXPECT_NE(all_notes(found).find("warning: 29 joints cannot move, as both limits are equal: "
                                  "'left_hip_pitch_joint'"),
            std::string::npos)
      << all_notes(found);
  const auto follows = follows_of(found);
  for (const char* segment : {"T8", "RightUpperArm", "LeftHand", "RightUpperLeg", "LeftFoot"})
    EXPECT_EQ(follows.at(segment).norm(), 0.0) << segment;
}

}  // namespace
}  // namespace panto
