// Bodies that lie, hold things, are upside down, of odd sizes, two in a file, or animals: cases with known
// right values.

#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "panto/api/inspect.hpp"
#include "panto/api/retarget.hpp"
#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/io/bvh.hpp"
#include "panto/io/open_recording.hpp"
#include "panto/math/degrees.hpp"
#include "panto/math/directions.hpp"
#include "panto/math/so3.hpp"
#include "panto/rig/axes.hpp"
#include "panto/rig/map.hpp"
#include "tests/support/bundled_walk.hpp"
#include "tests/support/inspected.hpp"
#include "tests/support/refusals.hpp"
#include "tests/support/test_data.hpp"

namespace panto {
namespace {

using enum HumanSegment::Index;

using Eigen::Matrix3d;
using Eigen::Vector3d;

std::vector<SegmentSample> samples_of(const std::string& file, const RecordingHints& hints = {}) {
  const auto recording = io::open_recording(test::data_file(file), hints);
  std::vector<SegmentSample> samples;
  SegmentSample sample;
  while (recording->read(sample) == ReadStatus::Sample) samples.push_back(sample);
  return samples;
}

const rig::Decision* decision(const rig::Map& map, const std::string& what) {
  for (const rig::Decision& decision : map.decisions) {
    if (decision.what == what) return &decision;
  }
  return nullptr;
}

std::string all_of(const std::vector<std::string>& notes) {
  std::string text;
  for (const std::string& note : notes) text += note + "\n";
  return text;
}

rig::FileAxis up_of(const Inspection& found) {
  return rig::nearest_axis(found.rig->map.R_WF.transpose() * Vector3d::UnitZ());
}

// the largest difference between two clips in how a segment turns against the one before it [rad]
double worst_joint(const std::vector<SegmentSample>& a, const std::vector<SegmentSample>& b, int segment) {
  double worst = 0.0;
  const int parent = kHumanSegmentParent[at(segment)];
  for (std::size_t k = 0; k < a.size(); ++k) {
    const auto joint = [&](const SegmentSample& s) -> Matrix3d {
      return s.segments[at(parent)].R_WS.transpose() * s.segments[at(segment)].R_WS;
    };
    worst = std::max(worst, so3::distance(joint(a[k]), joint(b[k])));
  }
  return worst;
}

class ALyingPerson : public testing::TestWithParam<const char*> {};

// the same clip upright has the same joints; within 5 degrees (issue 32)
TEST_P(ALyingPerson, HasTheJointsOfTheSameClipUpright) {
  const std::string file = std::string("cases/") + GetParam();
  PANTO_NEED_DATA(file);
  PANTO_NEED_DATA("cases/01_upright_truth.bvh");
  const auto lying = samples_of(file), upright = samples_of("cases/01_upright_truth.bvh");
  const bool still = file.find("still") != std::string::npos;
  ASSERT_EQ(lying.size(), upright.size());
  // the one that lies still lies down into one pose from frame 72 on, where the other walks on: compare what
  // comes before
  std::vector<SegmentSample> a, b;
  for (std::size_t k = 0; k < lying.size(); ++k) {
    if (still && k >= 72) break;
    a.push_back(lying[k]);
    b.push_back(upright[k]);
  }
  ASSERT_GE(a.size(), 60U);
  for (int segment = 1; segment < kHumanSegmentCount; ++segment)
    EXPECT_LT(worst_joint(a, b, segment) * kToDegrees, 5.0) << kHumanSegmentNames[at(segment)];
}

INSTANTIATE_TEST_SUITE_P(Bodies, ALyingPerson,
                         testing::Values("01_lies_on_back_30.bvh", "01_lies_still_30.bvh"),
                         [](const auto& one) { return one.index == 0 ? "OnTheBack" : "Still"; });

class AClipWithLyingParts : public testing::TestWithParam<const char*> {};

// y is up in both; a rest pose along another axis does not outvote the frames
TEST_P(AClipWithLyingParts, NeedsNoOptionForItsUpAxis) {
  PANTO_NEED_DATA(GetParam());
  const Inspection found = test::inspected(test::data_file(GetParam()));
  ASSERT_TRUE(found.trackable) << found.refusal;
  EXPECT_EQ(to_string(up_of(found)), "y");
  EXPECT_GE(decision(found.rig->map, "up axis")->confidence, 0.9);
}

INSTANTIATE_TEST_SUITE_P(Bodies, AClipWithLyingParts,
                         testing::Values("lafan1/fallAndGetUp1_subject1.bvh",
                                         "cases/08_stands_then_lies_70.bvh", "cases/07_face_down_60.bvh",
                                         "cases/01_lies_on_back_30.bvh"),
                         [](const auto& one) { return "Clip" + std::to_string(one.index); });

TEST(Bodies, LyingFaceDownIsNoSwapOfLeftAndRight) {
  PANTO_NEED_DATA("cases/07_face_down_60.bvh");
  const Inspection found = test::inspected(test::data_file("cases/07_face_down_60.bvh"));
  ASSERT_TRUE(found.trackable) << found.refusal;
  for (const Finding& finding : found.findings)
    EXPECT_NE(finding.kind, FindingKind::LeftRightSwap) << finding.text;
}

// the prop stands at 90 degrees on the hand; the wrist never turns
TEST(Bodies, AThingHeldIsNotTheHandsDirection) {
  PANTO_NEED_DATA("cases/05_prop_in_hand.bvh");
  for (const SegmentSample& sample : samples_of("cases/05_prop_in_hand.bvh")) {
    const double wrist =
        so3::distance(sample.segments[RightForeArm].R_WS, sample.segments[RightHand].R_WS) * kToDegrees;
    ASSERT_LT(wrist, 10.0);
  }
}

TEST(Bodies, AFingerAtTheWristsPlaceIsNotTheHand) {
  PANTO_NEED_DATA("bvh/field/finger_base.bvh");
  const Inspection found = test::inspected(test::data_file("bvh/field/finger_base.bvh"));
  ASSERT_TRUE(found.rig);
  EXPECT_EQ(found.rig_joints[at(found.rig->map.segments[LeftHand].joint)], "LeftHand");
  EXPECT_EQ(found.rig_joints[at(found.rig->map.segments[RightHand].joint)], "RightHand");
}

TEST(Bodies, APersonOfUnknownUnitIsTakenFor175Centimetres) {
  PANTO_NEED_DATA("cases/10_person_of_43_units.bvh");
  const Inspection found = test::inspected(test::data_file("cases/10_person_of_43_units.bvh"));
  ASSERT_TRUE(found.subject);
  EXPECT_NEAR(found.subject->height, 1.75, 0.05);
  EXPECT_NE(all_of(found.notes).find("is implausible in every usual unit: scaled to 1.75 m"),
            std::string::npos);
}

TEST(Bodies, TwoPeopleAreNamedAndOneIsChosen) {
  const std::string file = "cases/11_two_people_first_stands.bvh";
  PANTO_NEED_DATA(file);
  const Inspection found = test::inspected(test::data_file(file));
  ASSERT_TRUE(found.trackable) << found.refusal;
  EXPECT_NE(all_of(found.notes).find("2 people in the file: Hips Hips_2; this is Hips_2"), std::string::npos)
      << all_of(found.notes);
  RecordingHints hints;
  hints.rig.person = "Hips";
  const auto first = io::open_recording(test::data_file(file), hints);
  EXPECT_EQ(first->info().rig_joints[at(first->info().rig->map.segments[Pelvis].joint)], "Hips");
  hints.rig.person = "Hips_3";
  EXPECT_THROW((void)io::open_recording(test::data_file(file), hints), ConfigError);
}

TEST(Bodies, OfOnePersonNoOtherCanBeChosen) {
  PANTO_NEED_DATA("cases/01_upright_truth.bvh");
  RecordingHints hints;
  hints.rig.person = "Hips";
  EXPECT_NO_THROW((void)io::open_recording(test::data_file("cases/01_upright_truth.bvh"), hints));
  hints.rig.person = "Hips_2";
  EXPECT_THROW((void)io::open_recording(test::data_file("cases/01_upright_truth.bvh"), hints), ConfigError);
}

TEST(Bodies, ADogIsNoPerson) {
  PANTO_NEED_DATA("bvh/field/dog_walk.bvh");
  const Inspection found = test::inspected(test::data_file("bvh/field/dog_walk.bvh"));
  EXPECT_FALSE(found.trackable);
  EXPECT_NE(found.refusal.find("on all fours"), std::string::npos) << found.refusal;
  EXPECT_NE(found.refusal.find("'Dog_Jaw'"), std::string::npos) << found.refusal;
  ASSERT_TRUE(found.rig) << "the best guess can be written all the same";
}

// x of the hands' joints along the bone, z from palm to back on the left and from back to palm on the right;
// x of the toes' joints level in stance: the body does not veto what the family says
TEST(Bodies, HandsAndFeetOfLafan1HaveItsOwnFrames) {
  const char* file = "lafan1/dance1_subject2.bvh";
  PANTO_NEED_DATA(file);
  const io::BvhClip clip = io::read_bvh_file(test::data_file(file));
  const auto samples = samples_of(file);
  const Inspection found = test::inspected(test::data_file(file));
  ASSERT_TRUE(found.rig);
  SkeletonPose pose;
  for (const int k : {0, 1000, 3000}) {
    io::bvh_pose(clip, k, pose);
    const auto joint = [&](const char* name) -> Matrix3d {
      return found.rig->map.R_WF * pose.R_FJ[at(*clip.find_joint(name))];
    };
    const auto segment = [&](int s) -> const Matrix3d& { return samples[at(k)].segments[at(s)].R_WS; };
    EXPECT_LT((segment(LeftHand).col(1) - joint("LeftHand").col(0)).norm(), 1e-6);
    EXPECT_LT((segment(LeftHand).col(2) - joint("LeftHand").col(2)).norm(), 1e-6);
    EXPECT_LT((segment(RightHand).col(1) + joint("RightHand").col(0)).norm(), 1e-6);
    EXPECT_LT((segment(RightHand).col(2) + joint("RightHand").col(2)).norm(), 1e-6);
    EXPECT_LT((segment(LeftFoot).col(0) - joint("LeftToe").col(0)).norm(), 1e-4);
    EXPECT_LT((segment(RightFoot).col(0) - joint("RightToe").col(0)).norm(), 1e-4);
  }
}

// Frames `first` to `first` + `count` - 1 of a BVH file.
std::string some_frames(const std::string& file, int first, int count) {
  std::ifstream in(test::data_file(file));
  std::string line, text;
  int frame = -1;  // before the motion
  while (std::getline(in, line)) {
    if (line.rfind("Frames:", 0) == 0) line = "Frames: " + std::to_string(count);
    if (frame < 0 || (frame >= first && frame < first + count)) text += line + "\n";
    if (frame >= 0 || line.rfind("Frame Time:", 0) == 0) ++frame;
  }
  return text;
}

TEST(Bodies, WhoLiesAllTheTimeIsNotCalledGoodWhereUpIsAGuess) {
  const char* file = "lafan1/fallAndGetUp1_subject1.bvh";
  PANTO_NEED_DATA(file);
  const std::string lying = some_frames(file, 230, 30);
  const auto recording = io::open_recording(lying, "lies.bvh");
  ASSERT_TRUE(recording->info().rig);
  EXPECT_LT(rig::sure_of_up(recording->info().rig->map), rig::kGuessedUp);
  const RetargetResult result = retarget(*recording, test::shipped_robot("unitree_g1"));
  EXPECT_TRUE(test::names(all_of(result.not_judged), "which way is up is a guess"));
  const auto whole = io::open_recording(test::data_file(file));
  EXPECT_GT(rig::sure_of_up(whole->info().rig->map), rig::kGuessedUp);
}

}  // namespace
}  // namespace panto
