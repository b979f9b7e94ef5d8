#include "panto/rig/names.hpp"

#include <gtest/gtest.h>

#include "panto/base/index.hpp"

namespace panto::rig {
namespace {

struct NamedFamily {
  const char* family;
  std::vector<std::pair<const char*, BodyPart>> names;
};

using enum BodyPart;

TEST(RigNames, TakesSidePrefixAndNumberOffAName) {
  const std::vector<std::tuple<const char*, NamedSide, const char*>> names{
      {"mixamorig:LeftUpLeg", NamedSide::Left, "upleg"},
      {"CC_Base_R_ToeBase", NamedSide::Right, "toebase"},
      {"thigh_r", NamedSide::Right, "thigh"},
      {"upper_arm.L", NamedSide::Left, "upperarm"},
      {"J_Bip_L_UpperLeg", NamedSide::Left, "upperleg"},
      {"J_Bip_C_UpperChest", NamedSide::None, "upperchest"},
      {"Skeleton_LThigh", NamedSide::Left, "thigh"},
      {"LFArm", NamedSide::Left, "farm"},
      {"LHipJoint", NamedSide::Left, "hipjoint"},
      {"rhand", NamedSide::Right, "hand"},
      {"LEFT_UPPER_LEG", NamedSide::Left, "upperleg"},
      {"leftLowerArm", NamedSide::Left, "lowerarm"},
      {"Bip01 L Calf", NamedSide::Left, "calf"},
      {"CC_Base_Spine02", NamedSide::None, "spine2"},
      {"left_foot", NamedSide::Left, "foot"},
      {"lowerback", NamedSide::None, "lowerback"},
      {"Root", NamedSide::None, "root"},
      {"", NamedSide::None, ""},
      {"j12", NamedSide::None, "12"}};
  for (const auto& [name, side, core] : names) {
    const PlainName plain = plain_name(name);
    EXPECT_EQ(plain.side, side) << name;
    EXPECT_EQ(plain.core, core) << name;
  }
}

// the same words, other joints: the family decides
// size: a table of names
TEST(RigNames, KnowsTheFamiliesAndWhatTheirWordsMean) {
  const std::vector<NamedFamily> families{{"xsens",
                                           {{"Hips", Pelvis},
                                            {"Chest", Spine},
                                            {"Chest4", Spine},
                                            {"Neck", Neck},
                                            {"Head", Head},
                                            {"LeftCollar", Clavicle},
                                            {"LeftShoulder", UpperArm},
                                            {"LeftElbow", ForeArm},
                                            {"LeftWrist", Hand},
                                            {"LeftHip", Thigh},
                                            {"LeftKnee", Shank},
                                            {"LeftAnkle", Foot},
                                            {"LeftToe", Toe}}},
                                          {"mixamo",
                                           {{"mixamorig:Hips", Pelvis},
                                            {"mixamorig:Spine2", Spine},
                                            {"mixamorig:LeftShoulder", Clavicle},
                                            {"mixamorig:LeftArm", UpperArm},
                                            {"mixamorig:LeftForeArm", ForeArm},
                                            {"mixamorig:LeftHand", Hand},
                                            {"mixamorig:LeftUpLeg", Thigh},
                                            {"mixamorig:LeftLeg", Shank},
                                            {"mixamorig:LeftFoot", Foot},
                                            {"mixamorig:LeftToeBase", Toe},
                                            {"mixamorig:LeftHandThumb1", Other},
                                            {"mixamorig:HeadTop_End", Other}}},
                                          {"lafan",
                                           {{"Hips", Pelvis},
                                            {"Spine2", Spine},
                                            {"LeftShoulder", Clavicle},
                                            {"LeftArm", UpperArm},
                                            {"LeftForeArm", ForeArm},
                                            {"LeftHand", Hand},
                                            {"LeftUpLeg", Thigh},
                                            {"LeftLeg", Shank},
                                            {"LeftFoot", Foot},
                                            {"LeftToe", Toe}}},
                                          {"noitom",
                                           {{"Hips", Pelvis},
                                            {"Spine3", Spine},
                                            {"Neck1", Neck},
                                            {"LeftArm", UpperArm},
                                            {"LeftForeArm", ForeArm},
                                            {"LeftUpLeg", Thigh},
                                            {"LeftLeg", Shank},
                                            {"LeftFoot", Foot}}},
                                          {"smpl",
                                           {{"Pelvis", Pelvis},
                                            {"Spine1", Spine},
                                            {"L_Hip", Thigh},
                                            {"L_Knee", Shank},
                                            {"L_Ankle", Foot},
                                            {"L_Foot", Toe},
                                            {"L_Collar", Clavicle},
                                            {"L_Shoulder", UpperArm},
                                            {"L_Elbow", ForeArm},
                                            {"L_Wrist", Hand},
                                            {"L_Hand", Other}}},
                                          {"smpl",
                                           {{"pelvis", Pelvis},
                                            {"spine1", Spine},
                                            {"left_hip", Thigh},
                                            {"left_knee", Shank},
                                            {"left_ankle", Foot},
                                            {"left_foot", Toe},
                                            {"left_collar", Clavicle},
                                            {"left_shoulder", UpperArm},
                                            {"left_elbow", ForeArm},
                                            {"left_wrist", Hand},
                                            {"left_index1", Other}}},
                                          {"optitrack",
                                           {{"Skeleton_Hip", Pelvis},
                                            {"Skeleton_Ab", Spine},
                                            {"Skeleton_Chest", Spine},
                                            {"Skeleton_LShoulder", Clavicle},
                                            {"Skeleton_LUArm", UpperArm},
                                            {"Skeleton_LFArm", ForeArm},
                                            {"Skeleton_LHand", Hand},
                                            {"Skeleton_LThigh", Thigh},
                                            {"Skeleton_LShin", Shank},
                                            {"Skeleton_LFoot", Foot},
                                            {"Skeleton_LToe", Toe}}},
                                          {"slimevr",
                                           {{"HIP", Pelvis},
                                            {"WAIST", Spine},
                                            {"UPPER_CHEST", Spine},
                                            {"LEFT_HIP", Other},
                                            {"LEFT_UPPER_LEG", Thigh},
                                            {"LEFT_LOWER_LEG", Shank},
                                            {"LEFT_FOOT", Foot},
                                            {"LEFT_SHOULDER", Clavicle},
                                            {"LEFT_UPPER_ARM", UpperArm},
                                            {"LEFT_LOWER_ARM", ForeArm},
                                            {"LEFT_HAND", Hand}}},
                                          {"vrm",
                                           {{"J_Bip_C_Hips", Pelvis},
                                            {"J_Bip_C_UpperChest", Spine},
                                            {"J_Bip_L_Shoulder", Clavicle},
                                            {"J_Bip_L_UpperArm", UpperArm},
                                            {"J_Bip_L_LowerArm", ForeArm},
                                            {"J_Bip_L_UpperLeg", Thigh},
                                            {"J_Bip_L_LowerLeg", Shank},
                                            {"J_Bip_L_Foot", Foot},
                                            {"J_Bip_L_ToeBase", Toe}}},
                                          {"vrm",
                                           {{"hips", Pelvis},
                                            {"chest", Spine},
                                            {"leftShoulder", Clavicle},
                                            {"leftUpperArm", UpperArm},
                                            {"leftLowerArm", ForeArm},
                                            {"leftUpperLeg", Thigh},
                                            {"leftLowerLeg", Shank},
                                            {"leftFoot", Foot},
                                            {"leftToes", Toe}}},
                                          {"unreal",
                                           {{"pelvis", Pelvis},
                                            {"spine_01", Spine},
                                            {"clavicle_l", Clavicle},
                                            {"upperarm_l", UpperArm},
                                            {"lowerarm_l", ForeArm},
                                            {"hand_l", Hand},
                                            {"thigh_l", Thigh},
                                            {"calf_l", Shank},
                                            {"foot_l", Foot},
                                            {"ball_l", Toe},
                                            {"calf_twist_01_l", Other}}},
                                          {"asf",
                                           {{"root", Pelvis},
                                            {"thorax", Spine},
                                            {"lclavicle", Clavicle},
                                            {"lhumerus", UpperArm},
                                            {"lradius", ForeArm},
                                            {"lwrist", Hand},
                                            {"lfemur", Thigh},
                                            {"ltibia", Shank},
                                            {"lfoot", Foot},
                                            {"ltoes", Toe}}},
                                          {"rokoko",
                                           {{"Hips", Pelvis},
                                            {"Spine4", Spine},
                                            {"LeftShoulder", Clavicle},
                                            {"LeftArm", UpperArm},
                                            {"LeftForeArm", ForeArm},
                                            {"LeftHand", Hand},
                                            {"LeftThigh", Thigh},
                                            {"LeftShin", Shank},
                                            {"LeftFoot", Foot},
                                            {"LeftToe", Toe}}},
                                          {"kinect",
                                           {{"PELVIS", Pelvis},
                                            {"SPINE_NAVEL", Spine},
                                            {"SPINE_CHEST", Spine},
                                            {"CLAVICLE_LEFT", Clavicle},
                                            {"SHOULDER_LEFT", UpperArm},
                                            {"ELBOW_LEFT", ForeArm},
                                            {"WRIST_LEFT", Hand},
                                            {"HAND_LEFT", Other},
                                            {"THUMB_LEFT", Other},
                                            {"HIP_LEFT", Thigh},
                                            {"KNEE_LEFT", Shank},
                                            {"ANKLE_LEFT", Foot},
                                            {"FOOT_LEFT", Toe}}},
                                          {"smpl",  // SMPL-X
                                           {{"pelvis", Pelvis},
                                            {"spine3", Spine},
                                            {"left_collar", Clavicle},
                                            {"left_shoulder", UpperArm},
                                            {"left_elbow", ForeArm},
                                            {"left_wrist", Hand},
                                            {"left_index1", Other},
                                            {"left_thumb3", Other},
                                            {"jaw", Other},
                                            {"left_eye_smplhf", Other},
                                            {"left_hip", Thigh},
                                            {"left_knee", Shank},
                                            {"left_ankle", Foot},
                                            {"left_foot", Toe}}},
                                          {"unknown",  // names of no table, but of plain words
                                           {{"Torso", Spine},
                                            {"Left Clavicle", Clavicle},
                                            {"Left Humerus", UpperArm},
                                            {"Left Ulna", ForeArm},
                                            {"Left Palm", Hand},
                                            {"Left Femur", Thigh},
                                            {"Left Shin", Shank},
                                            {"Left Foot", Foot},
                                            {"Left Forefoot", Toe}}}};
  for (const NamedFamily& family : families) {
    std::vector<std::string> names;
    for (const auto& [name, part] : family.names) names.emplace_back(name);
    // the right side of every left one
    const std::size_t middle = names.size();
    for (std::size_t i = 0; i < middle; ++i) {
      std::string other = names[i];
      const PlainName plain = plain_name(other);
      if (plain.side != NamedSide::Left) continue;
      for (const auto& [left, right] : {std::pair{"Left", "Right"},
                                        {"left", "right"},
                                        {"LEFT", "RIGHT"},
                                        {"_L_", "_R_"},
                                        {"L_", "R_"},
                                        {"_L", "_R"},
                                        {"_l", "_r"},
                                        {"l", "r"}}) {
        const std::size_t found = other.find(left);
        if (found == std::string::npos) continue;
        other.replace(found, std::string(left).size(), right);
        break;
      }
      if (plain_name(other).side == NamedSide::Right) names.push_back(other);
    }
    const NameReading reading = read_names(names);
    EXPECT_EQ(reading.family, family.family) << names.front();
    for (std::size_t i = 0; i < family.names.size(); ++i) {
      EXPECT_EQ(reading.parts[i].part, family.names[i].second) << family.family << " " << names[i];
    }
  }
}

TEST(RigNames, LearnsNothingFromNumberedJoints) {
  const NameReading reading = read_names({"j0", "j1", "j2", "joint3", "bone_004"});
  EXPECT_EQ(reading.family, "unknown");
  for (const NamedPart& part : reading.parts) {
    EXPECT_EQ(part.part, Unknown);
    EXPECT_EQ(part.side, NamedSide::None);
  }
}

}  // namespace
}  // namespace panto::rig
