#include "panto/robot/map.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "panto/math/so3.hpp"
#include "tests/support/synthetic_robot.hpp"
#include "tests/support/test_data.hpp"

namespace panto::robot {
namespace {
using test::SyntheticRobot;
using test::SyntheticRobotOptions;

// frames that a limb's own geometry gives, whichever way is up
bool is_bone(const std::string& segment) {
  for (const char* bone : {"Arm", "Hand", "Leg"})
    if (segment.find(bone) != std::string::npos) return true;
  return false;
}

// what differs from the right map, frames of trunk and feet by more than `trunk` [rad]; empty: nothing
std::string differences(const MapProposal& found, const SyntheticRobot& robot, double trunk = 1e-9) {
  std::string text;
  std::map<std::string, const Attachment*> by_segment;
  for (const Attachment& a : found.map.attachments.attachments) by_segment[a.segment] = &a;
  for (const auto& [segment, link] : robot.link) {
    if (!by_segment.contains(segment)) {
      text += segment + " is missing (" + link + "); ";
    } else if (by_segment[segment]->link != link) {
      text += segment + " <- " + by_segment[segment]->link + ", not " + link + "; ";
    } else if (const double off = so3::distance(by_segment[segment]->R_SF, robot.R_SF.at(segment));
               off > (is_bone(segment) ? 1e-9 : trunk)) {
      text += segment + " is turned by " + std::to_string(off) + "; ";
    }
  }
  for (const auto& [segment, a] : by_segment) {
    if (!robot.link.contains(segment)) text += segment + " <- " + a->link + " is too much; ";
  }
  return text;
}

std::string describe(const SyntheticRobotOptions& o) {
  return "names " + std::to_string(o.telling_names) + " turned " + std::to_string(o.turned_links) +
         " flipped " + std::to_string(o.flipped_axes) + " arms " + std::to_string(static_cast<int>(o.arms)) +
         " crouch " + std::to_string(o.crouch) + " hip order " + std::to_string(o.hip_order) + " low yaw " +
         std::to_string(o.low_yaw) + " shift " + std::to_string(o.hip_shift) + " ankle " +
         std::to_string(o.ankle) + " toe " + std::to_string(o.toe) + " waist " + std::to_string(o.waist) +
         " neck " + std::to_string(o.neck) + " clavicle " + std::to_string(o.clavicle) + " offset " +
         std::to_string(o.elbow_offset) + " twist " + std::to_string(o.forearm_twist) + " wrist " +
         std::to_string(o.wrist) + " gripper " + std::to_string(o.gripper) + " sensors " +
         std::to_string(o.sensors) + " plate " + std::to_string(o.foot_plate);
}

TEST(Robot, FindsTheMapOfAnySyntheticHumanoid) {
  const int count = test::scaled(600);
  int wrong = 0;
  for (int i = 0; i < count; ++i) {
    const auto seed = static_cast<unsigned>(i);
    const SyntheticRobotOptions o = test::random_robot_options(seed);
    const SyntheticRobot robot = test::synthetic_robot(o, seed);
    const Model model(robot.spec);
    std::string text;
    try {
      // legs that crouch under a turned root tell up only as well as thigh and shank are equal
      const double up = o.crouch == 0.0 || !o.turned_links ? 1e-9 : o.ankle == 1 ? 0.1 : 0.01;
      text = differences(propose_robot_map(model), robot, up);
    } catch (const Error& error) {
      text = std::string("refused: ") + error.what();
    }
    if (text.empty()) continue;
    if (++wrong <= 12) ADD_FAILURE() << "seed " << seed << ": " << text << "\n" << describe(o);
  }
  EXPECT_EQ(wrong, 0) << "of " << count;
}

std::string all_notes(const MapProposal& proposal) {
  std::string text;
  for (const std::string& note : proposal.notes) text += note + "\n";
  return text;
}

void expect_mapped(const SyntheticRobotOptions& o, unsigned seed, const std::string& note = "") {
  const SyntheticRobot robot = test::synthetic_robot(o, seed);
  const MapProposal found = propose_robot_map(Model(robot.spec));
  EXPECT_EQ(differences(found, robot), "");
  EXPECT_NE(all_notes(found).find(note), std::string::npos) << note << "\nis not in\n" << all_notes(found);
  EXPECT_EQ(found.reasons.size(), found.map.attachments.attachments.size());
}

std::string refusal_of(const SyntheticRobotOptions& o, unsigned seed) {
  try {
    (void)propose_robot_map(Model(test::synthetic_robot(o, seed).spec));
  } catch (const ModelError& error) {
    return error.what();
  }
  return "";
}

// nothing but geometry to go by
SyntheticRobotOptions meaningless() {
  SyntheticRobotOptions o;
  o.telling_names = false;
  o.shuffled = true;
  return o;
}

TEST(Robot, NeedsNoNames) { expect_mapped(meaningless(), 1); }

TEST(Robot, FollowsAnyProportions) {
  SyntheticRobotOptions o = meaningless();
  o.thigh = 0.25;
  o.shank = 0.5;
  o.upper_arm = 0.4;
  o.forearm = 0.16;
  o.trunk = 0.7;
  expect_mapped(o, 2);
}

TEST(Robot, UnderstandsAxesAndFramesThatPointAnywhere) {
  SyntheticRobotOptions o = meaningless();
  o.turned_links = o.flipped_axes = true;
  expect_mapped(o, 3);
}

TEST(Robot, UnderstandsArmsWithoutWrists) {
  SyntheticRobotOptions o = meaningless();
  o.wrist = 0;
  o.forearm_twist = false;
  expect_mapped(o, 4, "the right arm has no wrist");
}

TEST(Robot, PassesOverFingersAndSensors) {
  SyntheticRobotOptions o = meaningless();
  o.gripper = 2;
  o.sensors = o.clavicle = o.toe = true;
  o.waist = o.neck = 3;
  expect_mapped(o, 5);
}

TEST(Robot, BelievesKneesFeetAndElbowsRatherThanSwappedNames) {
  SyntheticRobotOptions o;
  o.swapped_names = true;
  expect_mapped(o, 6, "has names of the other side");
}

TEST(Robot, BelievesNamesWhereLimitsAndFeetAreSilent) {
  SyntheticRobotOptions o;
  o.knee_limits = o.elbow_limits = o.feet_ahead = false;
  expect_mapped(o, 7, "do not show which way it bends");
}

TEST(Robot, RefusesWhenNothingTellsForward) {
  SyntheticRobotOptions o = meaningless();
  o.knee_limits = o.elbow_limits = o.feet_ahead = false;
  EXPECT_EQ(
      refusal_of(o, 8),
      "synthetic: the directions forward, left and right are unknown: knee and elbow limits, feet and names "
      "give no evidence");
}

TEST(Robot, MapsLegsWithoutArms) {
  SyntheticRobotOptions o;
  o.arm_count = 0;
  o.waist = o.neck = 0;
  for (const bool names : {true, false}) {
    o.telling_names = names;
    expect_mapped(o, 9, "found no arms");
  }
}

TEST(Robot, MapsArmsOnAFixedBase) {
  SyntheticRobotOptions o;
  o.legs = false;
  o.waist = 2;
  for (const bool names : {true, false}) {
    for (const bool floating : {true, false}) {
      o.telling_names = names;
      o.floating_base = floating;
      expect_mapped(o, 10, "found no legs");
    }
  }
}

TEST(Robot, MapsOneArmAlone) {
  SyntheticRobotOptions o;
  o.legs = o.floating_base = false;
  o.waist = o.neck = 0;
  o.arm_count = 1;
  expect_mapped(o, 11, "only one arm found");
  o.telling_names = false;
  o.turned_links = true;
  expect_mapped(o, 12, "it follows the right arm");
}

TEST(Robot, MapsABodyThatLostAnArm) {
  SyntheticRobotOptions o = meaningless();
  o.arm_count = 1;
  expect_mapped(o, 13, "only one arm found, on the right");
}

TEST(Robot, RefusesWhatHasNoLimb) {
  SyntheticRobotOptions o;
  o.legs = false;
  o.arm_count = 0;
  o.waist = 1;
  EXPECT_NE(refusal_of(o, 14).find("synthetic: found no limb that can follow a person"), std::string::npos);
  ModelSpec box;
  box.name = "box";
  box.links = {{.name = "box"}};
  EXPECT_THROW((void)propose_robot_map(Model(box)), ModelError);
}

// a knee whose limits are those of a bird's
TEST(Robot, NotesAKneeThatBendsTheOtherWay) {
  const SyntheticRobot robot = test::synthetic_robot({}, 15);
  ModelSpec spec = robot.spec;
  for (Joint& joint : spec.joints) {
    if (joint.name != robot.joint.at("kneeLeft")) continue;
    std::swap(joint.lower, joint.upper);
    joint.lower = -joint.lower;
    joint.upper = -joint.upper;
  }
  const MapProposal found = propose_robot_map(Model(spec));
  EXPECT_EQ(differences(found, robot), "");
  EXPECT_NE(all_notes(found).find("the limits of joint 'left_knee_joint'"), std::string::npos);
}

TEST(Robot, SaysWhichTurnsALinkCanFollow) {
  SyntheticRobotOptions o;
  o.wrist = 2;
  o.waist = 1;
  o.ankle = 1;
  const MapProposal found = propose_robot_map(Model(test::synthetic_robot(o, 16).spec));
  std::map<std::string, Eigen::Vector3d> follows;
  for (std::size_t i = 0; i < found.reasons.size(); ++i)
    follows[found.map.attachments.attachments[i].segment] = found.reasons[i].follows;
  const auto expect = [&](const char* segment, double x, double y, double z) {
    EXPECT_LT((follows.at(segment) - Eigen::Vector3d(x, y, z)).norm(), 1e-9)
        << segment << " " << follows.at(segment).transpose();
  };
  expect("Pelvis", 1, 1, 1);         // with the base
  expect("T8", 0, 0, 1);             // one joint, upright
  expect("RightUpperArm", 1, 1, 1);  // singular while it hangs, not elsewhere
  expect("RightForeArm", 0, 1, 1);   // bends and twists
  expect("LeftHand", 1, 0, 1);
  expect("LeftLowerLeg", 0, 1, 0);
  expect("LeftFoot", 0, 1, 0);
}

std::map<std::string, Eigen::Vector3d> follows_of(const MapProposal& found) {
  std::map<std::string, Eigen::Vector3d> follows;
  for (std::size_t i = 0; i < found.reasons.size(); ++i)
    follows[found.map.attachments.attachments[i].segment] = found.reasons[i].follows;
  return follows;
}

TEST(Robot, ReadsSyntheticMirroredLimbsAlike) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    SyntheticRobotOptions o = test::random_robot_options(seed);
    o.flipped_axes = o.turned_links = false;
    if (o.arm_count != 2) continue;
    const auto follows = follows_of(propose_robot_map(Model(test::synthetic_robot(o, seed).spec)));
    for (const auto& [segment, right] : follows) {
      if (!segment.starts_with("Right")) continue;
      const Eigen::Vector3d left = follows.at("Left" + segment.substr(5));
      EXPECT_LT((left - right).norm(), 1e-6) << seed << " " << segment << describe(o);
    }
  }
}

// the same with fingers that no two hands share
TEST(Robot, FindsArmsWhoseHandsDiffer) {
  SyntheticRobotOptions o;
  o.gripper = 0;
  SyntheticRobot robot = test::synthetic_robot(o, 31);
  ModelSpec& spec = robot.spec;
  double away = 0.05;
  for (const char* side : {"left", "right"}) {
    const std::string hand = robot.link.at(side == std::string("left") ? "LeftHand" : "RightHand");
    for (const char* finger : {"_a", "_b", "_c"}) {
      std::string before = hand;
      for (const char* phalanx : {"1", "2", "3"}) {
        const std::string name = std::string(side) + finger + phalanx;
        spec.links.push_back({.name = name, .mass = 0.01});
        Joint joint{name + "_joint", JointType::Revolute, before, name};
        joint.p_PJ = {away, 0.02 * away, -away};
        joint.axis = Eigen::Vector3d(0.0, side == std::string("left") ? 1.0 : 0.3, 1.0).normalized();
        joint.lower = 0.0;
        joint.upper = 1.0;
        spec.joints.push_back(joint);
        before = name;
        away += 0.004;
      }
    }
  }
  EXPECT_EQ(differences(propose_robot_map(Model(spec)), robot), "");
}

TEST(Robot, OneLockedJointTakesOneTurnAway) {
  SyntheticRobot robot = test::synthetic_robot({}, 32);
  const std::string knee = robot.joint.at("kneeLeft");
  for (Joint& joint : robot.spec.joints)
    if (joint.name == knee) joint.lower = joint.upper = 0.2;
  const MapProposal found = propose_robot_map(Model(robot.spec));
  EXPECT_EQ(follows_of(found).at("LeftLowerLeg").norm(), 0.0);
  EXPECT_NEAR(follows_of(found).at("RightLowerLeg").norm(), 1.0, 1e-9);
  EXPECT_NE(all_notes(found).find("warning: 1 joint cannot move, as both limits are equal: '" + knee + "'"),
            std::string::npos)
      << all_notes(found);
}

// the left shoulder is so far ahead of the right one that the arms are no pair: only one is found
TEST(Robot, WarnsOfAnArmThatItCannotMap) {
  SyntheticRobot robot = test::synthetic_robot({}, 33);
  for (Joint& joint : robot.spec.joints)
    if (joint.name == "left_shoulder_pitch_joint") joint.p_PJ.x() += 0.3;
  const std::string notes = all_notes(propose_robot_map(Model(robot.spec)));
  EXPECT_NE(notes.find("warning: no segment moves joint '"), std::string::npos) << notes;
  EXPECT_NE(notes.find("_shoulder_pitch_joint' and those after it"), std::string::npos) << notes;
}

Map map_of(const Model& model) { return propose_robot_map(model).map; }

TEST(Robot, IsSoundAsProposed) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    const Model model(test::synthetic_robot(test::random_robot_options(seed), seed).spec);
    EXPECT_TRUE(check_robot_map(map_of(model), model).empty()) << seed;
  }
}

// the first fault of a map that was spoilt
MapFault fault_after(const std::function<void(Map&)>& spoil) {
  const Model model(test::synthetic_robot({}, 17).spec);
  Map map = map_of(model);
  spoil(map);
  const std::vector<MapFault> faults = check_robot_map(map, model);
  return faults.empty() ? MapFault{} : faults.front();
}

TEST(Robot, NamesALinkOrJointThatIsNotThere) {
  const MapFault link = fault_after([](Map& m) { m.attachments.attachments[3].link = "left_knee_lnk"; });
  EXPECT_TRUE(link.error);
  EXPECT_NE(link.text.find("no link 'left_knee_lnk' in model 'synthetic'; did you mean 'left_knee_link'?"),
            std::string::npos)
      << link.text;
  const MapFault joint = fault_after([](Map& m) { m.rest.emplace_back("left_kne_joint", 0.2); });
  EXPECT_TRUE(joint.error);
  EXPECT_NE(joint.text.find(
                "rest: no joint 'left_kne_joint' in model 'synthetic'; did you mean 'left_knee_joint'?"),
            std::string::npos)
      << joint.text;
}

TEST(Robot, NamesPairsOfLinksThatAreNotThereOrHaveNoShape) {
  const MapFault missing = fault_after([](Map& m) {
    m.pair_rules.push_back({"left_knee_lnk", "right_knee_link", false});
  });
  EXPECT_TRUE(missing.error);
  EXPECT_EQ(missing.text.rfind("link_pairs: no link 'left_knee_lnk'", 0), 0U) << missing.text;
  const MapFault same = fault_after([](Map& m) {
    m.pair_rules.push_back({"left_knee_link", "left_knee_link", false});
  });
  EXPECT_TRUE(same.error);
  const MapFault shapeless = fault_after([](Map& m) {
    m.pair_rules.push_back({"left_knee_link", "right_knee_link", true});
  });
  EXPECT_FALSE(shapeless.error);
  EXPECT_EQ(shapeless.text,
            "link_pairs: 'left_knee_link' has no shape, so that nothing can keep apart from it");
}

TEST(Robot, NamesAMapForAnotherRobot) {
  const MapFault fault = fault_after([](Map& m) {
    m.robot = "other";
    for (Attachment& a : m.attachments.attachments) a.link = "other_" + a.link;
  });
  EXPECT_TRUE(fault.error);
  EXPECT_EQ(fault.text,
            "none of the map's links is in model 'synthetic': the map is for another robot, 'other'");
}

TEST(Robot, NamesInvalidEntries) {
  const auto first = [](Map& m) -> Attachment& { return m.attachments.attachments.front(); };
  EXPECT_NE(fault_after([&](Map& m) { first(m).segment = "Plevis"; }).text.find("did you mean 'Pelvis'?"),
            std::string::npos);
  EXPECT_EQ(fault_after([&](Map& m) { first(m).R_SF *= -1.0; }).text, "Pelvis: the offset is not a rotation");
  EXPECT_EQ(fault_after([&](Map& m) { first(m).position_weight = -1.0; }).text,
            "Pelvis: weight -1 must be larger than 0");
  EXPECT_EQ(fault_after([&](Map& m) { first(m).link = "head_2_link"; }).text,
            "link 'head_2_link' is attached to both Pelvis and Head");
  EXPECT_EQ(fault_after([](Map& m) { m.attachments.attachments.clear(); }).text,
            "the map has no segment, so no link would follow");
  const MapFault outside = fault_after([](Map& m) { m.rest.emplace_back("left_knee_joint", -1.0); });
  EXPECT_FALSE(outside.error);
  EXPECT_EQ(outside.text,
            "rest: joint 'left_knee_joint' at -1 is outside its limits -0.1 .. 2.2; clamped to them");
}

TEST(Robot, RestsAtZeroOrAsNearAsTheLimitsAllow) {
  SyntheticRobot robot = test::synthetic_robot({}, 18);
  for (Joint& joint : robot.spec.joints) {
    if (joint.name == "left_knee_joint") joint.lower = 0.3;
    if (joint.name == "right_knee_joint") joint.upper = -0.05;
  }
  const Model model(robot.spec);
  Map map = map_of(model);
  Eigen::VectorXd rest = rest_of(map, model);
  EXPECT_EQ(rest[model.joint_index("left_knee_joint")], 0.3);
  EXPECT_EQ(rest[model.joint_index("right_knee_joint")], -0.05);
  EXPECT_EQ(rest.cwiseAbs().sum(), 0.35);
  // without a line: the middle of what is left
  map.rest.clear();
  rest = rest_of(map, model);
  EXPECT_EQ(rest[model.joint_index("left_knee_joint")], 0.5 * (0.3 + 2.2));
  map.rest = {{"left_knee_joint", 9.0}};
  EXPECT_EQ(rest_of(map, model)[model.joint_index("left_knee_joint")], 2.2);
  map.rest = {{"knee", 0.0}};
  EXPECT_THROW((void)rest_of(map, model), ModelError);
}

}  // namespace
}  // namespace panto::robot
