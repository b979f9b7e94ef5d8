#pragma once
// The recorded skeletons and what their joints truly are, written down after looking at the files.

#include <gtest/gtest.h>

#include <array>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/support/rig_variants.hpp"
#include "tests/support/skeleton_clip.hpp"
#include "tests/support/test_data.hpp"

namespace panto::test {

/// Names of one family's joints: sided ones without their side, "%" stands for it.
struct RigNames {
  std::string family, pelvis;
  std::vector<std::string> spine;
  std::string neck, head;
  std::array<std::string, 8>
      limb;  ///< collar, upper arm, forearm, hand, thigh, shank, foot, toe ("" for none)
  std::string right, left;
};

struct RigClip {
  const char* file;
  RigNames names;
  rig::FileAxis up;
  double unit;
};

inline const std::vector<RigClip>& rig_clips() {
  static const RigNames xsens{
      "xsens", "Hips", {"Chest", "Chest2", "Chest3", "Chest4"},
      "Neck",  "Head", {"%Collar", "%Shoulder", "%Elbow", "%Wrist", "%Hip", "%Knee", "%Ankle", "%Toe"},
      "Right", "Left"};
  static const RigNames cgspeed{
      "cgspeed", "Hips", {"lowerback", "Chest", "Chest2"}, "lowerneck", "Head", xsens.limb, "Right", "Left"};
  static const RigNames cmu{
      "cmu",   "Hips", {"LowerBack", "Spine", "Spine1"},
      "Neck",  "Head", {"%Shoulder", "%Arm", "%ForeArm", "%Hand", "%UpLeg", "%Leg", "%Foot", "%ToeBase"},
      "Right", "Left"};
  static const RigNames noitom{
      "noitom", "Hips", {"Spine", "Spine1", "Spine2", "Spine3"}, "Neck", "Head", cmu.limb, "Right", "Left"};
  static const RigNames walk{
      "motionbuilder", "Hips", {"Spine", "Spine1"},
      "Neck",          "Head", {"%Shoulder", "%Arm", "%ForeArm", "%Hand", "%UpLeg", "%Leg", "%Foot", ""},
      "Right",         "Left"};
  static const RigNames mixamo{
      "mixamo",
      "mixamorig:Hips",
      {"mixamorig:Spine", "mixamorig:Spine1", "mixamorig:Spine2"},
      "mixamorig:Neck",
      "mixamorig:Head",
      {"mixamorig:%Shoulder", "mixamorig:%Arm", "mixamorig:%ForeArm", "mixamorig:%Hand", "mixamorig:%UpLeg",
       "mixamorig:%Leg", "mixamorig:%Foot", "mixamorig:%ToeBase"},
      "Right",
      "Left"};
  static const RigNames reallusion{
      "reallusion",
      "CC_Base_Pelvis",
      {"CC_Base_Waist", "CC_Base_Spine01", "CC_Base_Spine02"},
      "CC_Base_NeckTwist01",
      "CC_Base_Head",
      {"CC_Base_%_Clavicle", "CC_Base_%_Upperarm", "CC_Base_%_Forearm", "CC_Base_%_Hand", "CC_Base_%_Thigh",
       "CC_Base_%_Calf", "CC_Base_%_Foot", "CC_Base_%_ToeBase"},
      "R",
      "L"};
  constexpr rig::FileAxis kY{1, false}, kZ{2, false};
  constexpr double kCmuUnit = 0.0254 / 0.45;
  static const std::vector<RigClip> clips{{"bvh/cmu/002_01.bvh", reallusion, kY, 0.01},
                                          {"bvh/cmu/002_03.bvh", reallusion, kY, 0.01},
                                          {"bvh/cmu/002_04.bvh", reallusion, kY, 0.01},
                                          {"bvh/cmu/005_02.bvh", reallusion, kY, 0.01},
                                          {"bvh/cmu/007_01.bvh", reallusion, kY, 0.01},
                                          {"bvh/cmu/007_04.bvh", reallusion, kY, 0.01},
                                          {"bvh/cmu/131_01.bvh", cgspeed, kY, kCmuUnit},
                                          {"bvh/cmu/131_02.bvh", cgspeed, kY, kCmuUnit},
                                          {"bvh/cmu/scaled_131_01.bvh", cgspeed, kY, 1.0},
                                          {"bvh/corner-cases/bvh_example.bvh", noitom, kZ, 0.0254},
                                          {"bvh/corner-cases/bvh_test2.bvh", xsens, kY, 0.01},
                                          {"bvh/corner-cases/cmu_12_01_walk.bvh", cmu, kY, kCmuUnit},
                                          {"bvh/corner-cases/standard_skeleton.bvh", noitom, kZ, 0.0254},
                                          {"bvh/corner-cases/test_freebvh.bvh", mixamo, kY, 0.01},
                                          {"bvh/oracle/walk01.bvh", walk, kY, 0.01},
                                          {"mvnx/blender-mvnx-io_test_mocap.bvh", xsens, kY, 0.01}};
  return clips;
}

inline int joint_index(const SkeletonClip& clip, const std::string& name) {
  for (std::size_t j = 0; j < clip.joints.size(); ++j) {
    if (clip.joints[j].name == name) return static_cast<int>(j);
  }
  throw std::logic_error("the table of expected joints names '" + name + "', which " + clip.name +
                         " has not");
}

/// The clip and its truth.
inline RigVariant load_rig(const RigClip& source) {
  RigVariant variant;
  variant.clip = skeleton_clip(data_file(source.file));
  variant.how = source.file;
  RigTruth& truth = variant.truth;
  truth.up = source.up;
  truth.unit = source.unit;
  truth.joint.fill(-1);
  const SkeletonClip& clip = variant.clip;
  truth.joint[HumanSegment::Pelvis] = joint_index(clip, source.names.pelvis);
  truth.joint[HumanSegment::Neck] = joint_index(clip, source.names.neck);
  truth.joint[HumanSegment::Head] = joint_index(clip, source.names.head);
  for (const std::string& name : source.names.spine) truth.spine.push_back(joint_index(clip, name));
  for (std::size_t i = 0; i < source.names.limb.size(); ++i) {
    for (const bool right : {true, false}) {
      std::string name = source.names.limb[i];
      if (name.empty()) continue;
      name.replace(name.find('%'), 1, right ? source.names.right : source.names.left);
      const int limb = static_cast<int>(i);
      const int segment = limb < 4
                              ? (right ? HumanSegment::RightShoulder : HumanSegment::LeftShoulder) + limb
                              : (right ? HumanSegment::RightUpperLeg : HumanSegment::LeftUpperLeg) + limb - 4;
      truth.joint[at(segment)] = joint_index(clip, name);
    }
  }
  return variant;
}

}  // namespace panto::test
