#pragma once
// How the common families of skeletons name and hang their joints: from their makers' documentation and
// exporters, not from recordings.

#include <array>
#include <string>
#include <vector>

namespace panto::test {

/// What a family does differently from a plain tree: pelvis, spine, neck, head, arms, legs.
struct FamilyTraits {
  bool split_pelvis = false;       ///< a hip joint carries both a pelvis with the legs and the spine
  bool hip_joints = false;         ///< a joint per side between pelvis and thigh, at the pelvis
  bool thighs_on_spine = false;    ///< thighs hang on the lowest spine joint, and move with the pelvis
  bool clavicles_on_neck = false;  ///< collar bones hang on the neck, and move with the chest
  bool ik_bones = false;           ///< joints on the ground that follow hands and feet
  bool leaf_twists = false;        ///< twist joints beside the bones
  bool line_twists = false;        ///< twist joints within the bones
  bool bend_bones = false;         ///< the first joint of a bone swings, the next twists
  bool end_joints = false;         ///< ends are joints
  bool sideless = false;           ///< names whose sides Panto cannot read
  std::string root;                ///< joint above the pelvis; empty: none
  bool root_in_pelvis = false;     ///< ... which moves with it; else it lies on the ground
};

/// Names; "%" is the side, "@" a finger, "1" its joint.
struct FamilyNames {
  std::string family, left, right, pelvis;
  std::vector<std::string> spine, neck;
  std::string head;
  std::array<std::string, 8> limb;  ///< collar, upper arm, forearm, hand, thigh, shank, foot, toe
  std::string finger;
  FamilyTraits traits;
};

inline FamilyTraits traits_with(const std::string& root, bool in_pelvis) {
  FamilyTraits traits;
  traits.root = root;
  traits.root_in_pelvis = in_pelvis;
  return traits;
}

inline FamilyNames prefixed(FamilyNames names, const std::string& family, const std::string& prefix) {
  names.family = family;
  for (std::string* name : {&names.pelvis, &names.head, &names.finger}) *name = prefix + *name;
  for (auto* list : {&names.spine, &names.neck}) {
    for (std::string& name : *list) name = prefix + name;
  }
  for (std::string& name : names.limb) name = prefix + name;
  return names;
}

inline FamilyNames hips_family(const std::string& family, const std::string& toe) {
  return {family,
          "Left",
          "Right",
          "Hips",
          {"Spine", "Spine1", "Spine2", "Spine3", "Spine4"},
          {"Neck", "Neck1"},
          "Head",
          {"%Shoulder", "%Arm", "%ForeArm", "%Hand", "%UpLeg", "%Leg", "%Foot", toe},
          "%Hand@1",
          {}};
}

inline std::vector<FamilyNames> word_families() {
  std::vector<FamilyNames> list;
  const FamilyNames mixamo = hips_family("mixamo", "%ToeBase"), lafan = hips_family("lafan", "%Toe");
  list.push_back(lafan);
  list.push_back(mixamo);
  list.back().traits.end_joints = true;
  list.push_back(prefixed(mixamo, "mixamorig", "mixamorig:"));
  list.back().traits.end_joints = true;
  list.push_back(prefixed(mixamo, "noitom robot", "Robot_"));
  list.push_back(prefixed(mixamo, "optitrack long", "Skeleton 001_"));
  list.back().traits = traits_with("Skeleton 001", false);
  list.push_back(mixamo);
  list.back().family = "perception neuron";
  list.back().finger = "%InHand@1";
  list.push_back({"rokoko",
                  "Left",
                  "Right",
                  "Hips",
                  {"Spine1", "Spine2", "Spine3", "Spine4", "Spine5"},
                  {"Neck", "Neck2"},
                  "Head",
                  {"%Shoulder", "%Arm", "%ForeArm", "%Hand", "%Thigh", "%Shin", "%Foot", "%Toe"},
                  "%Finger@1",
                  traits_with("Root", false)});
  list.push_back(
      {"vrm",
       "left",
       "right",
       "hips",
       {"spine", "chest", "upperChest", "upperChest2", "upperChest3"},
       {"neck", "neck2"},
       "head",
       {"%Shoulder", "%UpperArm", "%LowerArm", "%Hand", "%UpperLeg", "%LowerLeg", "%Foot", "%Toes"},
       "%@Proximal1",
       {}});
  list.push_back({"slimevr",
                  "LEFT",
                  "RIGHT",
                  "HIP",
                  {"WAIST", "CHEST", "UPPER_CHEST", "UPPER_CHEST2", "UPPER_CHEST3"},
                  {"NECK", "NECK2"},
                  "HEAD",
                  {"%_SHOULDER", "%_UPPER_ARM", "%_LOWER_ARM", "%_HAND", "%_UPPER_LEG", "%_LOWER_LEG",
                   "%_FOOT", "%_TOES"},
                  "%_@_1",
                  {}});
  list.back().traits.hip_joints = true;
  list.push_back({"mmd",
                  "左",
                  "右",
                  "下半身",
                  {"上半身", "上半身2", "上半身3", "上半身4", "上半身5"},
                  {"首", "首1"},
                  "頭",
                  {"%肩", "%腕", "%ひじ", "%手首", "%足", "%ひざ", "%足首", "%つま先"},
                  "%@1",
                  traits_with("センター", true)});
  list.back().traits.split_pelvis = list.back().traits.sideless = true;
  return list;
}

inline std::vector<FamilyNames> letter_families() {
  std::vector<FamilyNames> list;
  const FamilyNames smpl{
      "smpl",
      "L",
      "R",
      "Pelvis",
      {"Spine1", "Spine2", "Spine3", "Spine4", "Spine5"},
      {"Neck", "Neck2"},
      "Head",
      {"%_Collar", "%_Shoulder", "%_Elbow", "%_Wrist", "%_Hip", "%_Knee", "%_Ankle", "%_Foot"},
      "%_@1",
      {}};
  list.push_back(smpl);
  list.push_back({"smpl lower",
                  "left",
                  "right",
                  "pelvis",
                  {"spine1", "spine2", "spine3", "spine4", "spine5"},
                  {"neck", "neck2"},
                  "head",
                  {"%_collar", "%_shoulder", "%_elbow", "%_wrist", "%_hip", "%_knee", "%_ankle", "%_foot"},
                  "%_@1",
                  {}});
  list.push_back({"optitrack",
                  "L",
                  "R",
                  "Skeleton 001_Hip",
                  {"Skeleton 001_Ab", "Skeleton 001_Chest", "Skeleton 001_Chest2", "Skeleton 001_Chest3",
                   "Skeleton 001_Chest4"},
                  {"Skeleton 001_Neck", "Skeleton 001_Neck2"},
                  "Skeleton 001_Head",
                  {"Skeleton 001_%Shoulder", "Skeleton 001_%UArm", "Skeleton 001_%FArm", "Skeleton 001_%Hand",
                   "Skeleton 001_%Thigh", "Skeleton 001_%Shin", "Skeleton 001_%Foot", "Skeleton 001_%Toe"},
                  "Skeleton 001_%@1",
                  {}});
  list.push_back(
      {"vroid",
       "L",
       "R",
       "J_Bip_C_Hips",
       {"J_Bip_C_Spine", "J_Bip_C_Chest", "J_Bip_C_UpperChest", "J_Bip_C_UpperChest2", "J_Bip_C_UpperChest3"},
       {"J_Bip_C_Neck", "J_Bip_C_Neck2"},
       "J_Bip_C_Head",
       {"J_Bip_%_Shoulder", "J_Bip_%_UpperArm", "J_Bip_%_LowerArm", "J_Bip_%_Hand", "J_Bip_%_UpperLeg",
        "J_Bip_%_LowerLeg", "J_Bip_%_Foot", "J_Bip_%_ToeBase"},
       "J_Bip_%_@1",
       traits_with("Root", false)});
  return list;
}

inline std::vector<FamilyNames> engine_families() {
  std::vector<FamilyNames> list;
  list.push_back(
      {"unreal",
       "l",
       "r",
       "pelvis",
       {"spine_01", "spine_02", "spine_03", "spine_04", "spine_05"},
       {"neck_01", "neck_02"},
       "head",
       {"clavicle_%", "upperarm_%", "lowerarm_%", "hand_%", "thigh_%", "calf_%", "foot_%", "ball_%"},
       "@_01_%",
       traits_with("root", false)});
  list.back().traits.ik_bones = list.back().traits.leaf_twists = true;
  list.push_back({"biped",
                  "L",
                  "R",
                  "Bip01 Pelvis",
                  {"Bip01 Spine", "Bip01 Spine1", "Bip01 Spine2", "Bip01 Spine3", "Bip01 Spine4"},
                  {"Bip01 Neck", "Bip01 Neck1"},
                  "Bip01 Head",
                  {"Bip01 % Clavicle", "Bip01 % UpperArm", "Bip01 % Forearm", "Bip01 % Hand", "Bip01 % Thigh",
                   "Bip01 % Calf", "Bip01 % Foot", "Bip01 % Toe0"},
                  "Bip01 % @1",
                  traits_with("Bip01", true)});
  list.push_back(list.back());
  list.back().family = "biped, thighs on spine";
  list.back().traits.thighs_on_spine = true;
  list.push_back(list.back());
  list.back().family = "biped, clavicles on neck";
  list.back().traits.clavicles_on_neck = true;
  list.push_back(
      {"rigify",
       "L",
       "R",
       "spine",
       {"spine.001", "spine.002", "spine.003", "spine.0031", "spine.0032"},
       {"spine.004", "spine.005"},
       "spine.006",
       {"shoulder.%", "upper_arm.%", "forearm.%", "hand.%", "thigh.%", "shin.%", "foot.%", "toe.%"},
       "f_@.01.%",
       {}});
  list.push_back(prefixed(list.back(), "rigify deform", "DEF-"));
  list.back().traits.line_twists = true;
  list.push_back({"daz",
                  "l",
                  "r",
                  "pelvis",
                  {"abdomenLower", "abdomenUpper", "chestLower", "chestUpper", "chestTop"},
                  {"neckLower", "neckUpper"},
                  "head",
                  {"%Collar", "%ShldrBend", "%ForearmBend", "%Hand", "%ThighBend", "%Shin", "%Foot", "%Toe"},
                  "%@1",
                  traits_with("hip", true)});
  list.back().traits.split_pelvis = list.back().traits.bend_bones = true;
  return list;
}

inline const std::vector<FamilyNames>& rig_families() {
  static const std::vector<FamilyNames> families = [] {
    std::vector<FamilyNames> list = word_families();
    for (const auto& more : {letter_families(), engine_families()})
      list.insert(list.end(), more.begin(), more.end());
    return list;
  }();
  return families;
}

}  // namespace panto::test
