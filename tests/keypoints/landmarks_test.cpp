#include "panto/keypoints/landmarks.hpp"

#include <gtest/gtest.h>

#include "panto/model/human.hpp"

namespace panto::keypoints {
namespace {

using enum HumanSegment::Index;
using enum Landmark::Index;

std::string meanings(const std::vector<std::string>& names) {
  const LandmarkNames read = read_landmark_names(names);
  std::string text = read.family + ":";
  for (const int landmark : read.landmark) text += " " + landmark_name(landmark) + ",";
  return text;
}

TEST(Landmarks, ReadsCoco17) {
  EXPECT_EQ(meanings({"nose", "left_eye", "right_ear", "left_shoulder", "right_elbow", "left_wrist",
                      "right_hip", "left_knee", "right_ankle"}),
            "coco 17: nose, left eye, right ear, left shoulder, right elbow, left wrist, right hip, left "
            "knee, right ankle,");
}

TEST(Landmarks, ReadsOpenPoseBody25) {
  EXPECT_EQ(meanings({"Nose", "Neck", "RShoulder", "LElbow", "MidHip", "RAnkle", "LBigToe", "LSmallToe",
                      "LHeel", "Background"}),
            "body 25: nose, base of the neck, right shoulder, left elbow, middle of the hips, right ankle, "
            "left big toe, left small toe, left heel, nothing,");
}

TEST(Landmarks, ReadsHuman36mWhereTheFootIsTheAnkleAndTheThoraxTheNeck) {
  EXPECT_EQ(meanings({"Hip", "RHip", "RKnee", "RFoot", "Spine", "Thorax", "Neck", "Head", "LShoulder"}),
            "human3.6m: middle of the hips, right hip, right knee, right ankle, middle spine, base of the "
            "neck, head, top of the head, left shoulder,");
}

TEST(Landmarks, ReadsSmplWhereTheFootIsItsBall) {
  EXPECT_EQ(meanings({"pelvis", "left_hip", "spine1", "spine2", "spine3", "left_ankle", "left_foot", "neck",
                      "left_collar", "head", "left_shoulder", "left_hand"}),
            "smpl: middle of the hips, left hip, lower spine, middle spine, upper spine, left ankle, left "
            "ball of the foot, base of the neck, left collar, head, left shoulder, left hand,");
}

TEST(Landmarks, ReadsMediaPipe) {
  EXPECT_EQ(meanings({"left_eye_inner", "left_eye", "left_pinky", "right_index", "left_heel",
                      "left_foot_index", "left_ankle"}),
            "mediapipe: nothing, left eye, left little finger, right index finger, left heel, left tip of "
            "the toes, left ankle,");
}

TEST(Landmarks, ReadsOurSegmentsAsTheJointsAtTheirOrigins) {
  const LandmarkNames read = read_landmark_names(human_segment_names());
  EXPECT_EQ(read.family, "human segments");
  EXPECT_EQ(read.landmark[RightShoulder], sided(CollarJoint, 0));
  EXPECT_EQ(read.landmark[LeftUpperArm], sided(ShoulderJoint, 1));
  EXPECT_EQ(read.landmark[RightForeArm], sided(ElbowJoint, 0));
  EXPECT_EQ(read.landmark[LeftFoot], sided(AnkleJoint, 1));
  EXPECT_EQ(read.landmark[LeftToe], sided(BallPoint, 1));
  for (const int landmark : read.landmark) EXPECT_GE(landmark, 0);
}

TEST(Landmarks, ReadsTheMarkersOfPlugInGaitWithASubjectsName) {
  EXPECT_EQ(meanings({"Anna:LASI", "Anna:RPSI", "Anna:RTHI", "Anna:RKNE", "Anna:LTIB", "Anna:LANK",
                      "Anna:LHEE", "Anna:RTOE", "Anna:C7", "Anna:CLAV", "Anna:RWRA", "Anna:LFHD"}),
            "skin markers: left ASIS, right PSIS, right thigh, right outer knee, left shank, left outer "
            "ankle, left heel, right ball of the foot, C7, jugular notch, right wrist (thumb side), left "
            "front of the head,");
}

TEST(Landmarks, ReadsTheMarkersOfGait2392) {
  EXPECT_EQ(meanings({"R.ASIS", "V.Sacral", "R.Thigh.Upper", "L.Shank.Rear", "R.Midfoot.Sup", "L.Toe.Tip",
                      "R.Acromium", "R.Bicep", "L.Elbow", "R.Wrist.Med", "L.Toe.Lat", "R.Temple", "Top.Head",
                      "R.Knee.Lat"}),
            "skin markers: right ASIS, sacrum, right thigh, left shank, right foot, left tip of the toes, "
            "right acromion, nothing, left outer elbow, right wrist (little finger's side), left small toe, "
            "right front of the head, top of the head, right outer knee,");
}

TEST(Landmarks, KnowsGait2392ByItsSacrumAndClusters) {
  EXPECT_TRUE(
      read_landmark_names({"R.ASIS", "V.Sacral", "R.Thigh.Upper", "R.Shank.Upper", "R.Heel"}).gait2392);
  EXPECT_FALSE(read_landmark_names({"R.ASIS", "V.Sacral", "R.Thigh", "R.Shank", "R.Heel"}).gait2392);
}

TEST(Landmarks, ReadsPlugInGaitInAnyCaseAndWithAnySubject) {
  const std::string legs =
      "plug-in gait: left ASIS, right ASIS, left PSIS, right outer knee, left heel, right ball of the foot,";
  EXPECT_EQ(meanings({"lasi", "rasi", "lpsi", "rkne", "lhee", "rtoe"}), legs);
  EXPECT_EQ(meanings({"S02_LASI", "S02_RASI", "S02_LPSI", "S02_RKNE", "S02_LHEE", "S02_RTOE"}), legs);
}

TEST(Landmarks, ReadsWhatCgm2Adds) {
  EXPECT_EQ(meanings({"LASI", "RASI", "RTHAP", "LTHAD", "RTIAP", "LKNM", "RMED", "LSMH", "RFMH", "LVMH"}),
            "plug-in gait: left ASIS, right ASIS, right thigh, left thigh, right shank, left inner knee, "
            "right inner ankle, left ball of the foot, right big toe, left small toe,");
}

TEST(Landmarks, ReadsRajagopalsMarkersAndJointCentres) {
  EXPECT_EQ(
      meanings({"RASI", "LASI", "RTH1", "LTB3", "RLFC", "LMFC", "RLMAL", "LMMAL", "RCAL", "LMT5", "RHJC",
                "LKJC", "RACR", "LLEL", "RFAradius"}),
      "plug-in gait: right ASIS, left ASIS, right thigh, left shank, right outer knee, left inner knee, "
      "right outer ankle, left inner ankle, right heel, left small toe, right hip, left knee, right "
      "acromion, left outer elbow, right wrist (thumb side),");
}

TEST(Landmarks, ReadsTheMarkersOfTheRizzoliInstitute) {
  EXPECT_EQ(
      meanings({"R_IAS", "L_IPS", "R_FLE", "L_FME", "R_FAX", "R_FAL", "L_TAM", "R_FCC", "L_FM1", "R_FM5",
                "CV7", "SJN", "L_SAE"}),
      "skin markers: right ASIS, left PSIS, right outer knee, left inner knee, right shank, right outer "
      "ankle, left inner ankle, right heel, left big toe, right small toe, C7, jugular notch, left "
      "acromion,");
}

TEST(Landmarks, ReadsTheExtrasOfTheOxfordFootModel) {
  EXPECT_EQ(
      meanings({"RASI", "LASI", "RHFB", "LMMA", "RLCA", "LSTL", "RP1M", "LD1M", "RD5M", "LHLX"}),
      "plug-in gait: right ASIS, left ASIS, right shank, left inner ankle, right foot, left foot, right "
      "foot, left big toe, right small toe, nothing,");
}

TEST(Landmarks, GivesANameThatComesTwiceToTheFirst) {
  const LandmarkNames read = read_landmark_names({"left_knee", "LeftKnee", "gripper", "L5"});
  EXPECT_EQ(read.landmark, (std::vector<int>{sided(KneeJoint, 1), -1, -1, SpineLow}));
}

}  // namespace
}  // namespace panto::keypoints
