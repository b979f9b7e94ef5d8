// size: all tests of one header, by the rule of three places
#include "panto/io/bvh.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>
#include <string>
#include <vector>

#include "panto/base/error.hpp"
#include "panto/io/text_scanner.hpp"
#include "panto/math/euler.hpp"
#include "panto/math/so3.hpp"
#include "tests/support/test_data.hpp"

namespace {

using namespace panto;
using namespace panto::io;
using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr double kDegree = std::numbers::pi / 180.0;

// Hips (at 0 90 0) -> Head, three frames
const std::string kTwoJoints = R"(HIERARCHY
ROOT Hips
{
  OFFSET 0 90 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation Xrotation
  JOINT Head
  {
    OFFSET 0 12 0
    CHANNELS 3 Zrotation Yrotation Xrotation
    End Site
    {
      OFFSET 0 3 0
    }
  }
}
MOTION
Frames: 3
Frame Time: 0.016667
1 91 2 90 0 0 0 0 0
2 92 3 0 90 0 0 0 0
3 93 4 0 0 90 1 2 3
)";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

std::string replaced_everywhere(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

BvhClip parse(const std::string& text, const BvhOptions& options = {}) {
  return read_bvh(text, "t.bvh", options);
}

// the message must begin with the place and hold `part`
void expect_refused(const std::string& text, const std::string& place, const std::string& part,
                    const BvhOptions& options = {}) {
  try {
    (void)parse(text, options);
    ADD_FAILURE() << "accepted, expected: " << part;
  } catch (const FormatError& error) {
    const std::string message = error.what();
    EXPECT_EQ(message.rfind(place, 0), 0U) << message;
    EXPECT_NE(message.find(part), std::string::npos) << message;
    EXPECT_LT(message.size(), 600U) << "short enough to be read";
  }
}

bool noted(const BvhClip& clip, const std::string& part) {
  for (const std::string& note : clip.notes) {
    if (note.find(part) != std::string::npos) return true;
  }
  return false;
}

void expect_same_motion(const BvhClip& a, const BvhClip& b) {
  EXPECT_EQ(a.joints, b.joints);
  EXPECT_EQ(a.channel_count, b.channel_count);
  EXPECT_EQ(a.frame_count, b.frame_count);
  EXPECT_EQ(a.values, b.values);
  EXPECT_EQ(a.frame_time, b.frame_time);
  EXPECT_EQ(a.rate_hz, b.rate_hz);
}

// ---- what a good file holds

TEST(BvhReader, GivesHierarchyChannelsAndFramesAsDeclared) {
  const BvhClip clip = parse(kTwoJoints);
  ASSERT_EQ(clip.joints.size(), 2U);
  EXPECT_EQ(clip.joints[0].name, "Hips");
  EXPECT_EQ(clip.joints[0].parent, -1);
  EXPECT_EQ(clip.joints[0].offset, Vector3d(0, 90, 0));
  EXPECT_EQ(clip.joints[1].parent, 0);
  EXPECT_EQ(clip.joints[1].first_channel, 6);
  EXPECT_EQ(clip.joints[1].channels,
            (std::vector<BvhChannel>{BvhChannel::Zrotation, BvhChannel::Yrotation, BvhChannel::Xrotation}));
  ASSERT_EQ(clip.joints[1].end_sites.size(), 1U);
  EXPECT_EQ(clip.joints[1].end_sites[0], Vector3d(0, 3, 0));
  EXPECT_EQ(clip.frame_count, 3);
  EXPECT_EQ(clip.channel_count, 9);
  EXPECT_EQ(clip.frame(1)[4], 90.0);
  EXPECT_EQ(clip.find_joint("Head"), 1);
  EXPECT_EQ(clip.find_joint("head"), std::nullopt);
  EXPECT_TRUE(clip.notes.empty());
}

TEST(BvhReader, ReadsBackWhatItWroteToTheBit) {
  BvhClip clip = parse(kTwoJoints);
  clip.values[3] = 1.0 / 3.0;
  clip.values[4] = -1e-300;
  clip.values[1] = 1.7976931348623157e308;
  clip.values[5] = 999999999.99999988;
  clip.joints[0].name = "two words:and a colon";
  expect_same_motion(parse(write_bvh(clip)), clip);
}

TEST(BvhKinematics, PositionChannelsReplaceTheOffset) {
  SkeletonPose pose;
  bvh_pose(parse(kTwoJoints), 0, pose);
  EXPECT_EQ(pose.p_FJ[0], Vector3d(1, 91, 2)) << "adding the OFFSET would give 181";
  // turned by 90 degrees about z, the head lies along -x
  EXPECT_TRUE(pose.p_FJ[1].isApprox(Vector3d(1 - 12, 91, 2), 1e-12)) << pose.p_FJ[1].transpose();
}

TEST(BvhKinematics, PositionChannelsAddToTheOffsetOnRequest) {
  BvhOptions options;
  options.positions = BvhPositions::Add;
  SkeletonPose pose;
  bvh_pose(parse(kTwoJoints, options), 0, pose);
  EXPECT_EQ(pose.p_FJ[0], Vector3d(1, 181, 2));
}

TEST(BvhKinematics, ASinglePositionChannelReplacesOnlyItsOwnComponent) {
  const BvhClip clip = parse(
      "HIERARCHY ROOT a { OFFSET 1 2 3 CHANNELS 1 Yposition End Site { OFFSET 0 0 1 } } MOTION Frames: 1 "
      "Frame Time: 0.04 7\n");
  SkeletonPose pose;
  bvh_pose(clip, 0, pose);
  EXPECT_EQ(pose.p_FJ[0], Vector3d(1, 7, 3));
}

TEST(BvhKinematics, TheFirstListedRotationIsOutermost) {
  const BvhClip clip = parse(kTwoJoints);
  SkeletonPose pose;
  bvh_pose(clip, 2, pose);
  const Matrix3d head =
      so3::about_axis(2, 1 * kDegree) * so3::about_axis(1, 2 * kDegree) * so3::about_axis(0, 3 * kDegree);
  EXPECT_LT(so3::distance(pose.R_FJ[1], so3::about_axis(0, 90 * kDegree) * head), 1e-15);
}

TEST(BvhKinematics, WholeTurnsDoNotMatter) {
  const std::string turned = replaced(kTwoJoints, "3 93 4 0 0 90 1 2 3", "3 93 4 0 0 90 361 -3598 3600003");
  SkeletonPose a, b;
  bvh_pose(parse(kTwoJoints), 2, a);
  bvh_pose(parse(turned), 2, b);
  EXPECT_LT(so3::distance(a.R_FJ[1], b.R_FJ[1]), 1e-15);
}

TEST(BvhKinematics, RestPosePutsEveryJointAtItsOffset) {
  SkeletonPose pose;
  bvh_rest_pose(parse(kTwoJoints), pose);
  EXPECT_EQ(pose.p_FJ[1], Vector3d(0, 102, 0));
  EXPECT_EQ(pose.R_FJ[1], Matrix3d::Identity());
}

// ---- the traps of formats, section 3.3

TEST(BvhReader, TakesSixChannelsOnEveryJoint) {
  const BvhClip clip = parse(R"(HIERARCHY
ROOT joint_Root
{ OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT Hips
  { OFFSET 0 93.9 -3
    CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
    End Site
    { OFFSET 0 1 0 } } }
MOTION
Frames: 1
Frame Time: 0.0333333
0 0 0 0 0 0 -1.7 90.3 -407 0 0 0
)");
  EXPECT_EQ(clip.channel_count, 12);
  SkeletonPose pose;
  bvh_pose(clip, 0, pose);
  EXPECT_EQ(pose.p_FJ[1], Vector3d(-1.7, 90.3, -407))
      << "the hips carry the travel; their OFFSET is replaced";
}

TEST(BvhReader, TakesMixedRotationOrders) {
  const std::string text = replaced(kTwoJoints, "CHANNELS 3 Zrotation Yrotation Xrotation",
                                    "CHANNELS 3 Yrotation Zrotation Xrotation");
  SkeletonPose pose;
  bvh_pose(parse(text), 2, pose);
  const Matrix3d head =
      so3::about_axis(1, 1 * kDegree) * so3::about_axis(2, 2 * kDegree) * so3::about_axis(0, 3 * kDegree);
  EXPECT_LT(so3::distance(pose.R_FJ[1], so3::about_axis(0, 90 * kDegree) * head), 1e-15);
}

TEST(BvhReader, TakesRotationsBeforePositionsOnTheRoot) {
  PANTO_NEED_DATA("bvh/corner-cases/rotation_first_root.bvh");
  const BvhClip clip = read_bvh_file(panto::test::data_file("bvh/corner-cases/rotation_first_root.bvh"));
  SkeletonPose pose;
  bvh_pose(clip, 0, pose);
  EXPECT_EQ(pose.p_FJ[0], Vector3d(10, 50, -20));
  EXPECT_LT(so3::distance(pose.R_FJ[0], so3::about_axis(2, 5 * kDegree) * so3::about_axis(0, -3 * kDegree)),
            1e-15);
  EXPECT_EQ(clip.rate_hz, 25.0);
}

TEST(BvhReader, AcceptsMissingEndSitesWithANote) {
  PANTO_NEED_DATA("bvh/corner-cases/sinusoidal.bvh");
  const BvhClip clip = read_bvh_file(panto::test::data_file("bvh/corner-cases/sinusoidal.bvh"));
  EXPECT_EQ(clip.frame_count, 120);
  EXPECT_EQ(clip.rate_hz, 60.0);
  EXPECT_TRUE(noted(clip, "no End Site"));
}

TEST(BvhReader, TakesSeveralEndSites) {
  const BvhClip clip =
      parse(replaced(kTwoJoints, "      OFFSET 0 3 0\n    }",
                     "      OFFSET 0 3 0\n    }\n    End Site\n    {\n      OFFSET 1 2 0\n    }"));
  ASSERT_EQ(clip.joints[1].end_sites.size(), 2U);
  EXPECT_EQ(clip.joints[1].end_sites[1], Vector3d(1, 2, 0));
}

TEST(BvhReader, TakesNamesWithColonsAndBlanks) {
  const BvhClip clip =
      parse(replaced(replaced(kTwoJoints, "Hips", "mixamorig:Hips"), "Head", "Bip01 Head\t"));
  EXPECT_EQ(clip.joints[0].name, "mixamorig:Hips");
  EXPECT_EQ(clip.joints[1].name, "Bip01 Head");
}

TEST(BvhReader, TakesKeywordsAndChannelsInAnyCase) {
  std::string text = replaced(kTwoJoints, "End Site", "End site");
  text = replaced(replaced(text, "Xposition", "xPosition"), "Yrotation", "YROTATION");
  text = replaced(replaced(replaced(text, "HIERARCHY", "hierarchy"), "MOTION", "Motion"),
                  "Frame Time:", "FRAME TIME:");
  expect_same_motion(parse(text), parse(kTwoJoints));
}

TEST(BvhReader, TakesNumbersInEveryUsualForm) {
  const BvhClip clip = parse(
      replaced(kTwoJoints, "1 91 2 90 0 0 0 0 0", "+1 .5 -.25 1.2e-05 -9.23872e-007 3. 1E2 0007 1e-400"));
  const auto f = clip.frame(0);
  const std::vector<double> expected{1, 0.5, -0.25, 1.2e-5, -9.23872e-7, 3, 100, 7, 0};
  EXPECT_TRUE(std::equal(f.begin(), f.end(), expected.begin()));
}

TEST(BvhReader, TakesEveryKindOfBlankAndLineEnd) {
  const BvhClip plain = parse(kTwoJoints);
  expect_same_motion(parse(replaced_everywhere(kTwoJoints, "\n", "\r\n")), plain);
  expect_same_motion(parse(replaced_everywhere(kTwoJoints, "\n", " \t \n\n")), plain);
  expect_same_motion(parse("\xef\xbb\xbf" + kTwoJoints), plain);
  expect_same_motion(parse(kTwoJoints.substr(0, kTwoJoints.size() - 1)), plain);
  expect_same_motion(parse(kTwoJoints + "\n\n \t\n"), plain);
  // tabs between everything that may be apart
  expect_same_motion(parse(replaced_everywhere(kTwoJoints, " ", "\t")), plain);
}

TEST(BvhReader, CountsNumbersNotLines) {
  const std::size_t motion = kTwoJoints.find("1 91");
  const std::string head = kTwoJoints.substr(0, motion), data = kTwoJoints.substr(motion);
  expect_same_motion(parse(head + replaced_everywhere(data, " ", "\n")), parse(kTwoJoints));
  expect_same_motion(parse(head + replaced_everywhere(data, "\n", " ")), parse(kTwoJoints));
}

TEST(BvhReader, RefusesALineOfTheWrongCountWhereFramesHaveLinesOfTheirOwn) {
  // one number less or more would shift every later one into another channel
  expect_refused(replaced(kTwoJoints, "2 92 3 0 90 0 0 0 0", "2 92 3 0 90 0 0 0"),
                 "t.bvh:20: this line has 8 numbers, but a frame has 9", "own line");
  expect_refused(replaced(kTwoJoints, "2 92 3 0 90 0 0 0 0", "2 92 3 0 90 0 0 0 0 7"),
                 "t.bvh:20: this line has 10 numbers, but a frame has 9", "own line");
  // so does the last frame that is declared, when it is not the last line
  const std::string two = replaced(kTwoJoints, "Frames: 3", "Frames: 2");
  EXPECT_EQ(parse(two).frame_count, 2);
  expect_refused(replaced(two, "2 92 3 0 90 0 0 0 0", "2 92 3 0 90 0 0 0 0 7"),
                 "t.bvh:20: this line has 10 numbers", "");
  // blank lines and line ends of any kind do not matter
  expect_refused(replaced_everywhere(replaced(kTwoJoints, "2 92 3 0 90", "2 92 3 0"), "\n", "\r\n\r\n"),
                 "t.bvh:39: this line has 8 numbers", "");
}

TEST(BvhReader, TakesAShortLastLineAsACut) {
  const BvhClip clip = parse(replaced(kTwoJoints, "3 93 4 0 0 90 1 2 3", "3 93 4 0 0 90 1 2"));
  EXPECT_EQ(clip.frame_count, 2);
  EXPECT_TRUE(noted(clip, "the truncated one is left out"));
  EXPECT_EQ(clip.frame(1)[4], 90.0);
}

TEST(BvhReader, LetsFramesRunOverSeveralLinesWhereTheFirstOneDoes) {
  const std::size_t motion = kTwoJoints.find("1 91");
  const std::string head = kTwoJoints.substr(0, motion);
  expect_same_motion(parse(head + "1 91 2\n90 0 0 0 0 0\n2 92 3 0 90 0 0\n0 0\n3 93 4 0 0 90 1 2 3\n"),
                     parse(kTwoJoints));
  expect_same_motion(parse(head + "1 91 2 90 0 0 0 0 0 2\n92 3 0 90 0 0 0 0\n3 93 4 0 0 90 1 2 3\n"),
                     parse(kTwoJoints));
  // a frame that begins behind the frame time has no line to itself
  expect_same_motion(parse(head.substr(0, head.size() - 1) + " 1 91 2 90 0 0 0 0 0\n2 92 3 0 90 0 0 0 0\n" +
                           "3 93 4\n0 0 90 1 2 3\n"),
                     parse(kTwoJoints));
}

TEST(BvhReader, RefusesLinesThatAllHaveTheSameWrongCount) {
  // read on across lines, every number would end in another channel than the one it was written for
  const std::size_t motion = kTwoJoints.find("1 91");
  const auto frames = [&](const std::string& line, int lines) {
    std::string text = replaced(kTwoJoints.substr(0, motion), "Frames: 3", "Frames: 4");
    for (int i = 0; i < lines; ++i) text += line + "\n";
    return text;
  };
  expect_refused(frames("1 2 3 4 5 6 7 8", 4),
                 "t.bvh:19: this line has 8 numbers, like every other line, but the joints have 9 channels",
                 "");
  expect_refused(frames("1 2 3 4 5 6 7 8 9 10", 4),
                 "t.bvh:19: this line has 10 numbers, like every other line", "9 channels");
  // but a frame may be broken into parts of one length, or two of them stand on a line
  EXPECT_EQ(parse(frames("1 2 3", 12)).frame_count, 4);
  EXPECT_EQ(parse(frames("1 2 3 4 5 6 7 8 9 1 2 3 4 5 6 7 8 9", 2)).frame_count, 4);
  // nor are numbers told frame by frame where there are more lines than frames
  EXPECT_EQ(parse(frames("1 2", 18)).frame_count, 4);
}

TEST(BvhReader, TakesAFrameTimeBeyondASecondForMilliseconds) {
  for (const char* time : {"16.67", "1.001", "1e5"}) {
    expect_refused(replaced(kTwoJoints, "0.016667", time), std::string("t.bvh:18: Frame Time is "),
                   "expected seconds from 1e-4 to 1, such as 0.01667 for 60 Hz");
  }
  EXPECT_EQ(parse(replaced(kTwoJoints, "0.016667", "1")).rate_hz, 1.0);
  for (const char* time : {"1e-7", "1e-5"})  // no camera takes more than 10 000 frames a second
    expect_refused(replaced(kTwoJoints, "0.016667", time), "t.bvh:18:", "seconds");
}

TEST(BvhReader, TakesAnyFrameTimeWhereThereIsButOneFrame) {
  const std::string one = replaced(kTwoJoints.substr(0, kTwoJoints.find("2 92")), "Frames: 3", "Frames: 1");
  for (const char* time : {"0", "16.67", "1e5", "1e-300"}) {
    const BvhClip clip = parse(replaced(one, "0.016667", time));
    EXPECT_EQ(clip.frame_count, 1) << time;
    EXPECT_EQ(clip.rate_hz, 30.0) << time;
    EXPECT_TRUE(noted(clip, "it is not needed")) << time;
  }
  expect_refused(replaced(one, "0.016667", "-1"), "t.bvh:18:", "Frame Time is -1;");
}

TEST(BvhReader, TakesAHierarchyWithoutLineBreaks) {
  const std::size_t motion = kTwoJoints.find("MOTION");
  const std::string head = replaced_everywhere(kTwoJoints.substr(0, motion), "\n", " ");
  expect_same_motion(parse(head + kTwoJoints.substr(motion)), parse(kTwoJoints));
}

TEST(BvhReader, TakesChannelsBeforeTheOffset) {
  const std::string text =
      replaced(kTwoJoints, "    OFFSET 0 12 0\n    CHANNELS 3 Zrotation Yrotation Xrotation",
               "    CHANNELS 3 Zrotation Yrotation Xrotation\n    OFFSET 0 12 0");
  expect_same_motion(parse(text), parse(kTwoJoints));
}

TEST(BvhReader, TakesJointForRootAndChannelsZeroForEndSites) {
  // as alinen/t-pose.bvh
  const BvhClip clip = parse(
      "HIERARCHY\nJOINT Hips\n{\nOFFSET 0 100 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation "
      "Yrotation Xrotation\n"
      "JOINT Tip\n{\nOFFSET 0 1 0\nCHANNELS 0\n}\n}\nMOTION\nFrames: 1\nFrame Time: 0.01\n0 100 0 0 0 0\n");
  EXPECT_TRUE(noted(clip, "JOINT where ROOT should be"));
  EXPECT_TRUE(noted(clip, "no End Site"));
  SkeletonPose pose;
  bvh_pose(clip, 0, pose);
  EXPECT_EQ(pose.p_FJ[1], Vector3d(0, 101, 0));
}

TEST(BvhReader, TakesSeveralRoots) {
  const BvhClip clip = parse(
      "HIERARCHY ROOT a { OFFSET 0 0 0 CHANNELS 1 Xrotation } ROOT b { OFFSET 1 0 0 CHANNELS 1 Yrotation "
      "JOINT c { OFFSET 0 0 1 } }\n"
      "MOTION Frames: 1 Frame Time: 0.01 10 90\n");
  ASSERT_EQ(clip.joints.size(), 3U);
  EXPECT_EQ(clip.joints[1].parent, -1);
  EXPECT_EQ(clip.joints[2].parent, 1);
  SkeletonPose pose;
  bvh_pose(clip, 0, pose);
  EXPECT_TRUE(pose.p_FJ[2].isApprox(Vector3d(2, 0, 0), 1e-15));
  expect_same_motion(parse(write_bvh(clip)), clip);
}

TEST(BvhReader, UsesTheSmallerOfDeclaredAndPresentFrames) {
  const BvhClip fewer = parse(replaced(kTwoJoints, "Frames: 3", "Frames: 2"));
  EXPECT_EQ(fewer.frame_count, 2);
  EXPECT_TRUE(noted(fewer, "after the 2 declared frames"));
  const BvhClip more = parse(replaced(kTwoJoints, "Frames: 3", "Frames: 30"));
  EXPECT_EQ(more.frame_count, 3);
  EXPECT_TRUE(noted(more, "30 frames are declared but only 3"));
  const BvhClip broken = parse(replaced(kTwoJoints, "0 0 90 1 2 3\n", "0 0 90 1 2"));
  EXPECT_EQ(broken.frame_count, 2);
  EXPECT_TRUE(noted(broken, "the truncated one"));
}

TEST(BvhReader, LeavesOutALastNumberThatLostItsDigits) {
  std::string text = replaced_everywhere(kTwoJoints, "Frames: 3", "Frames: 4");
  text = replaced(text, "1 2 3\n", "1.25 2.25 3.2");  // the text stops inside 3.25
  EXPECT_EQ(parse(text).frame_count, 2);
  EXPECT_EQ(parse(text + "5").frame_count, 3) << "complete after all, only the line end is missing";
}

TEST(BvhReader, LeavesOutALastNumberThatIsOnlyBegun) {
  for (const char* begun : {"-", "1.2e-", "."}) {
    const BvhClip clip = parse(replaced(kTwoJoints, "1 2 3\n", std::string("1 2 ") + begun));
    EXPECT_EQ(clip.frame_count, 2) << begun;
    EXPECT_TRUE(noted(clip, "the truncated one")) << begun;
  }
  expect_refused(replaced(kTwoJoints, "1 2 3\n", "1 2 3,5"), "t.bvh:21:", "decimals need a point");
}

TEST(BvhReader, TakesFilesThatAreOnlyARestPose) {
  PANTO_NEED_DATA("bvh/corner-cases/standard_skeleton.bvh");
  EXPECT_EQ(read_bvh_file(panto::test::data_file("bvh/corner-cases/standard_skeleton.bvh")).frame_count, 1);
}

TEST(BvhReader, SnapsRoundedFrameTimesToTheUsualRates) {
  const std::vector<std::pair<double, double>> cases{
      {0.016667, 60},  {0.0083333, 120}, {0.008333, 120}, {0.0416667, 24},           {0.04, 25},
      {0.033333, 30},  {0.0333333, 30},  {0.01, 100},     {0.004167, 240},           {0.0138889, 72},
      {0.0111111, 90}, {0.0208333, 48},  {0.02, 50},      {0.016666666666666666, 60}};
  for (const auto& [frame_time, rate] : cases) EXPECT_EQ(snapped_rate(frame_time), rate) << frame_time;
  // NTSC rates lie 0.1 % from the round ones and are meant
  EXPECT_EQ(snapped_rate(0.0417083), 24000.0 / 1001.0);
  EXPECT_EQ(snapped_rate(0.0417083750417), 23.976) << "the file's own digits";
  EXPECT_EQ(snapped_rate(0.033367), 30000.0 / 1001.0);
  // anything else is kept
  EXPECT_EQ(snapped_rate(1.0 / 29.97), 29.97) << "written with all digits";
  EXPECT_EQ(snapped_rate(0.07), 1.0 / 0.07);
  EXPECT_EQ(snapped_rate(0.0169), 1.0 / 0.0169);
}

TEST(BvhReader, KeepsTheFrameTimeAsWritten) {
  EXPECT_EQ(parse(kTwoJoints).frame_time, 0.016667);
  EXPECT_EQ(parse(replaced(kTwoJoints, "0.016667", ".0083333")).frame_time, 0.0083333);
  EXPECT_EQ(parse(replaced(kTwoJoints, "Frame Time: 0.016667", "Frame Time:0.04")).rate_hz, 25.0);
  EXPECT_EQ(parse(replaced(kTwoJoints, "Frames: 3", "Frames:\t3")).frame_count, 3);
}

// ---- what is refused, and where

TEST(BvhReader, RefusesNumbersThatAreNotFiniteNamingTheLine) {
  for (const char* bad : {"nan", "NaN", "inf", "-Infinity", "1e999", "-1.#IND", "1.#QNAN"}) {
    expect_refused(replaced(kTwoJoints, "2 92 3", std::string("2 ") + bad + " 3"),
                   "t.bvh:20: number 2 of 9 of frame 1", "not a finite number");
    expect_refused(replaced(kTwoJoints, "OFFSET 0 12 0", std::string("OFFSET 0 ") + bad + " 0"),
                   "t.bvh:8: number 2 of OFFSET in joint 'Head'", "not a finite number");
  }
}

TEST(BvhReader, RefusesAnglesThatNoBodyTurnsNamingTheChannel) {
  for (const char* bad : {"1e300", "-2e9", "1000000001"})
    expect_refused(replaced(kTwoJoints, "0 0 90 1 2 3", std::string("0 0 90 1 ") + bad + " 3"),
                   "t.bvh:21: number 8 of 9 of frame 2, Yrotation of joint 'Head'", "beyond 1e9 degrees");
  EXPECT_EQ(parse(replaced(kTwoJoints, "0 0 90 1 2 3", "0 0 90 1 -720000 3")).values[25], -720000.0)
      << "2000 turns of one who spins and is never wrapped";
  EXPECT_EQ(parse(replaced(kTwoJoints, "3 93 4", "3 2000000 4")).values[19], 2e6) << "a place is no angle";
}

TEST(BvhReader, ExplainsDecimalCommas) {
  expect_refused(replaced(kTwoJoints, "2 92 3", "2 92,5 3"), "t.bvh:20:", "decimals need a point");
  expect_refused(replaced(kTwoJoints, "0.016667", "0,016667"), "t.bvh:18:", "decimals need a point");
}

TEST(BvhReader, RefusesHugeCountsWithoutAllocating) {
  expect_refused(replaced(kTwoJoints, "Frames: 3", "Frames: 1000000000"),
                 "t.bvh:17:", "the limit is 100000000");
  expect_refused(replaced(kTwoJoints, "Frames: 3", "Frames: 99999999999999999999"),
                 "t.bvh:17:", "the limit is");
  expect_refused(replaced(kTwoJoints, "CHANNELS 3", "CHANNELS 1000000000"), "t.bvh:9:", "the limit is 6");
  // a count that fits the limit but not the bytes costs the bytes, not the count
  const BvhClip clip = parse(replaced(kTwoJoints, "Frames: 3", "Frames: 99999999"));
  EXPECT_EQ(clip.frame_count, 3);
  EXPECT_LT(clip.values.capacity(), 1000U);
}

TEST(BvhReader, RefusesBadCountsAndTimes) {
  expect_refused(replaced(kTwoJoints, "Frames: 3", "Frames: -3"), "t.bvh:17:", "'-3'");
  expect_refused(replaced(kTwoJoints, "Frames: 3", "Frames: 3.5"), "t.bvh:17:", "not a whole number");
  expect_refused(replaced(kTwoJoints, "0.016667", "0"), "t.bvh:18:", "Frame Time");
  expect_refused(replaced(kTwoJoints, "0.016667", "-0.01"), "t.bvh:18:", "Frame Time");
  expect_refused(replaced(kTwoJoints, "CHANNELS 3 Zrotation", "CHANNELS 4 Zrotation"),
                 "t.bvh:10:", "channel 4 of 4 of joint 'Head' is 'End'");
  expect_refused(replaced(kTwoJoints, "CHANNELS 3 Zrotation", "CHANNELS 2 Zrotation"),
                 "t.bvh:9:", "'Xrotation'");
  expect_refused(replaced(kTwoJoints, "Zrotation", "Wrotation"),
                 "t.bvh:5:", "'Wrotation'; expected one of Xposition");
}

TEST(BvhReader, RefusesBrokenHierarchies) {
  expect_refused("", "t.bvh:1:", "empty");
  expect_refused("<?xml version=\"1.0\"?>", "t.bvh:1:", "begins with HIERARCHY");
  expect_refused("\xff\xfeH", "t.bvh:1:", "UTF-16");
  expect_refused("HIERARCHY MOTION", "t.bvh:1:", "no ROOT");
  expect_refused("HIERARCHY\nROOT\n{", "t.bvh:2:", "a name");
  expect_refused(replaced(kTwoJoints, "}\nMOTION", "MOTION"), "t.bvh:15:", "still open (the last is 'Hips')");
  expect_refused(replaced(kTwoJoints, "}\nMOTION", "}\n}\nMOTION"), "t.bvh:16:", "'}'");
  expect_refused(replaced(kTwoJoints, "OFFSET 0 12 0", "OFFSET 0 12"),
                 "t.bvh:9:", "number 3 of OFFSET in joint 'Head' is 'CHANNELS'");
  expect_refused(replaced(kTwoJoints, "OFFSET 0 12 0", "OFFSET 0 12 0\nOFFSET 0 12 0"),
                 "t.bvh:9:", "second OFFSET");
  expect_refused(replaced(kTwoJoints, "JOINT Head", "ROOT Head"), "t.bvh:6:", "ROOT inside another joint");
  expect_refused(kTwoJoints.substr(0, kTwoJoints.find("MOTION")), "t.bvh:", "expected MOTION");
}

std::string chain(std::size_t depth) {
  std::string text = "HIERARCHY\n";
  for (std::size_t i = 0; i < depth; ++i)
    text += (i == 0 ? "ROOT j" : "JOINT j") + std::to_string(i) + "\n{\nOFFSET 0 1 0\n";
  for (std::size_t i = 0; i < depth; ++i) text += "}\n";
  return text + "MOTION\nFrames: 0\nFrame Time: 0.01\n";
}

TEST(BvhReader, BoundsDepthJointsAndBytes) {
  expect_refused(chain(1001), "t.bvh:3002:", "deeper than the limit of 1000");
  EXPECT_EQ(parse(chain(1000)).joints.size(), 1000U);
  BvhOptions small;
  small.max_joints = 3;
  expect_refused(chain(4), "t.bvh:11:", "more than the limit of 3 joints", small);
  small = {};
  small.max_bytes = 100;
  expect_refused(kTwoJoints, "t.bvh: ", "larger than 100 bytes", small);
}

TEST(BvhReader, DoesNotOverflowTheStackHoweverDeepTheHierarchy) {
  const std::string deep = chain(100'000);
  expect_refused(deep, "t.bvh:", "nested deeper");
  BvhOptions loose;
  loose.max_depth = loose.max_joints = 200'000;
  const BvhClip clip = parse(deep, loose);
  ASSERT_EQ(clip.joints.size(), 100'000U);
  SkeletonPose pose;
  bvh_rest_pose(clip, pose);
  EXPECT_EQ(pose.p_FJ.back(), Vector3d(0, 100'000, 0));
  expect_same_motion(parse(write_bvh(clip), loose), clip);
}

TEST(BvhReader, SaysWhichFileCannotBeRead) {
  const std::vector<std::pair<std::string, std::string>> why{{"/nowhere/at/all.bvh", "cannot be read"},
                                                             {"/", "this is a folder"}};
  for (const auto& [path, reason] : why) {
    try {
      (void)read_bvh_file(path);
      ADD_FAILURE();
    } catch (const FormatError& error) {
      EXPECT_EQ(std::string(error.what()).rfind(path + ": " + reason, 0), 0U) << error.what();
    }
  }
}

// ---- the independent oracle: OlafHaag/bvh-toolbox's tables of walk01.bvh

struct Table {
  std::vector<std::string> columns;
  std::vector<std::vector<double>> rows;
};

Table read_csv(const std::string& path) {
  Table table;
  std::ifstream file(path);
  const auto split = [](const std::string& line) {
    std::vector<std::string> cells;
    std::size_t begin = 0;
    for (std::size_t comma; (comma = line.find(',', begin)) != std::string::npos; begin = comma + 1)
      cells.push_back(line.substr(begin, comma - begin));
    cells.push_back(line.substr(begin));
    return cells;
  };
  std::string line;
  std::getline(file, line);
  table.columns = split(line.substr(0, line.find_last_not_of("\r\n") + 1));
  while (std::getline(file, line)) {
    if (line.empty()) continue;
    table.rows.emplace_back();
    for (const std::string& cell : split(line)) table.rows.back().push_back(std::stod(cell));
  }
  return table;
}

TEST(BvhKinematics, EqualsTheTableOfWorldPositionsOfWalk01) {
  PANTO_NEED_DATA("bvh/oracle/walk01_pos.csv");
  const BvhClip clip = read_bvh_file(panto::test::data_file("bvh/oracle/walk01.bvh"));
  const Table table = read_csv(panto::test::data_file("bvh/oracle/walk01_pos.csv"));
  ASSERT_EQ(clip.frame_count, static_cast<std::int64_t>(table.rows.size()));
  SkeletonPose pose;
  double worst = 0.0;
  int compared = 0;
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    bvh_pose(clip, static_cast<std::int64_t>(row), pose);
    for (std::size_t c = 1; c < table.columns.size(); ++c) {
      const std::string& column = table.columns[c];
      std::string name = column.substr(0, column.size() - 2);
      const bool end = name.size() > 4 && name.substr(name.size() - 4) == "_End";
      if (end) name.resize(name.size() - 4);
      const auto joint = clip.find_joint(name);
      ASSERT_TRUE(joint) << column;
      const auto j = static_cast<std::size_t>(*joint);
      Vector3d p = pose.p_FJ[j];
      if (end) p += pose.R_FJ[j] * clip.joints[j].end_sites.front();
      worst = std::max(worst, std::abs(p[column.back() - 'x'] - table.rows[row][c]));
      ++compared;
    }
  }
  RecordProperty("worst_cm", std::to_string(worst));
  EXPECT_GT(compared, 7000);
  EXPECT_LT(worst, 1e-5) << "the table has five decimals";
}

TEST(BvhKinematics, EqualsTheTableOfRotationsOfWalk01) {
  // the table holds the file's own local angles, z then x then y
  PANTO_NEED_DATA("bvh/oracle/walk01_rot.csv");
  const BvhClip clip = read_bvh_file(panto::test::data_file("bvh/oracle/walk01.bvh"));
  const Table table = read_csv(panto::test::data_file("bvh/oracle/walk01_rot.csv"));
  SkeletonPose pose;
  double worst = 0.0;
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    bvh_pose(clip, static_cast<std::int64_t>(row), pose);
    for (std::size_t c = 1; c + 2 < table.columns.size(); c += 3) {
      const std::string name = table.columns[c].substr(0, table.columns[c].size() - 2);
      ASSERT_EQ(table.columns[c], name + ".z");
      ASSERT_EQ(table.columns[c + 2], name + ".y");
      const auto j = static_cast<std::size_t>(clip.find_joint(name).value());
      const Vector3d angles(table.rows[row][c], table.rows[row][c + 1], table.rows[row][c + 2]);
      const Matrix3d local = euler::to_rotation(angles * kDegree, euler::ZXY);
      const int parent = clip.joints[j].parent;
      const Matrix3d ours =
          parent < 0 ? pose.R_FJ[j]
                     : Matrix3d(pose.R_FJ[static_cast<std::size_t>(parent)].transpose() * pose.R_FJ[j]);
      worst = std::max(worst, so3::distance(local, ours));
    }
  }
  RecordProperty("worst_deg", std::to_string(worst / kDegree));
  EXPECT_LT(worst, 2e-5 * kDegree) << "the table has five decimals of a degree";
}

// ---- every recording at hand

std::vector<std::string> recordings() {
  std::vector<std::string> paths;
  if (!std::filesystem::exists(panto::test::data_root() / "bvh")) return paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(panto::test::data_root() / "bvh")) {
    if (entry.path().extension() == ".bvh") paths.push_back(entry.path().string());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

TEST(BvhReader, ReadsEveryRecordingAndWritesItBack) {
  PANTO_NEED_DATA("bvh/cmu/131_01.bvh");
  for (const std::string& path : recordings()) {
    const BvhClip clip = read_bvh_file(path);
    EXPECT_GT(clip.frame_count, 0) << path;
    expect_same_motion(read_bvh(write_bvh(clip), path), clip);
    SkeletonPose pose;
    bvh_pose(clip, clip.frame_count - 1, pose);
    for (const Vector3d& p : pose.p_FJ) EXPECT_TRUE(p.allFinite()) << path;
  }
}

TEST(BvhReader, HasNothingToRepairInGoodRecordings) {
  PANTO_NEED_DATA("bvh/cmu/131_01.bvh");
  for (const char* name : {"bvh/cmu/131_01.bvh", "bvh/cmu/131_02.bvh", "bvh/cmu/002_01.bvh",
                           "bvh/oracle/walk01.bvh", "bvh/corner-cases/cmu_12_01_walk.bvh"}) {
    const BvhClip clip = read_bvh_file(panto::test::data_file(name));
    EXPECT_TRUE(clip.notes.empty()) << name << ": " << (clip.notes.empty() ? "" : clip.notes.front());
  }
}

}  // namespace
