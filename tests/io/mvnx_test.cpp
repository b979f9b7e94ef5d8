// size: all tests of one header, by the rule of three places
#include "panto/io/mvnx.hpp"
#include "panto/io/recording_formats.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iostream>

#include "tests/support/mvnx_samples.hpp"
#include "tests/support/test_data.hpp"

namespace panto::io {
namespace {

using enum HumanSegment::Index;

using Eigen::Matrix3d;
using Eigen::Vector3d;
using test::mvnx_text;
using test::MvnxSample;
using test::replaced;
using test::stream_of;

constexpr const char* kTake = "mvnx/blender-mvnx-io_test_mocap.mvnx";
constexpr double kDegrees = 180.0 / std::numbers::pi;

std::unique_ptr<Recording> opened(const std::string& text) { return open_mvnx(text, "take.mvnx"); }
MvnxFile file_of(const std::string& text) { return {stream_of(text), "take.mvnx"}; }

/// All samples; the last status goes to `status`.
std::vector<SegmentSample> all(Recording& motion, ReadStatus* status = nullptr) {
  std::vector<SegmentSample> samples;
  SegmentSample sample;
  ReadStatus last;
  while ((last = motion.read(sample)) == ReadStatus::Sample) samples.push_back(sample);
  if (status != nullptr) *status = last;
  return samples;
}

std::string refusal(const std::string& text) {
  try {
    static_cast<void>(opened(text));
  } catch (const FormatError& error) {
    return error.what();
  }
  return "(accepted)";
}

bool noted(const RecordingInfo& info, std::string_view part) {
  return std::any_of(info.notes.begin(), info.notes.end(),
                     [&](const std::string& note) { return note.find(part) != std::string::npos; });
}

// largest difference of the samples to the poses they were made from [rad], [m], [m/s], [rad/s]
void expect_sample_poses(const std::vector<SegmentSample>& samples, bool n_pose_arms) {
  for (std::size_t k = 0; k < samples.size(); ++k) {
    const test::MvnxPose pose = test::mvnx_pose(static_cast<int>(k));
    const AttachmentMap map = mvn_attachments(n_pose_arms ? MvnArms::Hanging : MvnArms::TPose);
    for (std::size_t i = 0; i < kHumanSegmentCount; ++i) {
      const SegmentMotion& S = samples[k].segments[i];
      ASSERT_TRUE(S.has_orientation && S.has_position && S.has_angular_velocity && S.has_linear_velocity);
      // six decimals in the file
      EXPECT_LT(so3::distance(S.R_WS * map.attachments[i].R_SF, pose.R[i]), 3e-6) << kHumanSegmentNames[i];
      EXPECT_LT((S.p_WS - pose.p[i]).norm(), 1e-6);
      EXPECT_LT((S.v_WS - pose.v[i]).norm(), 1e-6);
      EXPECT_LT((S.w_WS - pose.w[i]).norm(), 1e-6);
    }
  }
}

// ---- the recorded file

TEST(MvnxReader, YieldsEveryNormalFrameOfARecordedFileWithTimesFromTheRate) {
  PANTO_NEED_DATA(kTake);
  const auto motion = open_mvnx(test::data_file(kTake));
  EXPECT_EQ(motion->info().format, "mvnx 4");
  EXPECT_EQ(motion->info().rate_hz, 60.0);
  EXPECT_TRUE(motion->info().has_angular_velocity);
  EXPECT_TRUE(motion->info().has_linear_velocity);
  EXPECT_EQ(motion->names(), human_segment_names());

  ReadStatus status;
  const auto samples = all(*motion, &status);
  EXPECT_EQ(status, ReadStatus::EndOfMotion);
  EXPECT_TRUE(motion->problem().empty());
  ASSERT_EQ(samples.size(), 112u);
  for (std::size_t k = 0; k < samples.size(); ++k) {
    EXPECT_EQ(samples[k].t, frame_time(static_cast<std::int64_t>(k), 60.0));
    for (const SegmentMotion& S : samples[k].segments) {
      ASSERT_TRUE(S.has_orientation && S.has_position && S.has_angular_velocity && S.has_linear_velocity);
      ASSERT_TRUE(so3::is_rotation(S.R_WS, 1e-12));
    }
  }
  // first numbers of the first frame
  const SegmentMotion& pelvis = samples[0].segments[Pelvis];
  EXPECT_NEAR(so3::to_quaternion_wxyz(pelvis.R_WS)[0], 0.988107, 1e-6);
  EXPECT_NEAR(pelvis.p_WS.z(), -0.000657, 1e-12);
  EXPECT_NEAR(pelvis.v_WS.y(), 0.035164, 1e-12);
  EXPECT_NEAR(pelvis.w_WS.z(), 0.028831, 1e-12);
}

TEST(MvnxReader, ReadsTheWholeHeaderOfARecordedFile) {
  PANTO_NEED_DATA(kTake);
  const MvnxFile file(test::data_file(kTake));
  const MvnxHeader& header = file.header();
  EXPECT_EQ(header.major, 4);
  EXPECT_EQ(header.software, "2019.0.0");
  EXPECT_EQ(header.configuration, "UpperBody");
  EXPECT_EQ(header.segments.size(), 23u);
  EXPECT_EQ(header.joints.size(), 22u);
  EXPECT_EQ(header.sensors.size(), 11u);  // of 17: the legs carry none
  EXPECT_EQ(header.contacts.size(), 4u);
  EXPECT_EQ(header.ergonomic_joint_count, 4);
  EXPECT_EQ(header.segments[0].points.size(), 14u);
  EXPECT_EQ(header.joints[6].parent_point, "jRightT4Shoulder");
  for (std::size_t i = 0; i < 23; ++i) EXPECT_EQ(header.segments[i].id, static_cast<int>(i) + 1);

  const MvnxFrame& first = file.first();
  EXPECT_EQ(first.time_code, "04:17:11:50");
  EXPECT_EQ(first[MvnxVector::SensorMagneticField].size(), 33u);
  EXPECT_EQ(first[MvnxVector::SensorOrientation].size(), 44u);
  EXPECT_EQ(first[MvnxVector::FootContacts], std::vector<double>(4, 1.0));
  EXPECT_EQ(first[MvnxVector::JointAngleErgo].size(), 12u);
  EXPECT_EQ(first[MvnxVector::CenterOfMass].size(), 3u);
  EXPECT_NE(file.special("identity"), nullptr);
  EXPECT_EQ(file.special("npose"), nullptr);
  EXPECT_TRUE(file.notes().empty());
}

TEST(MvnxReader, JointsOfTheRecordedFileMeetWithinTwoMillimetres) {
  PANTO_NEED_DATA(kTake);
  MvnxFile file(test::data_file(kTake));
  EXPECT_LT(mvnx_closure(file.header(), *file.special("identity"), false).value(), 3e-6);
  EXPECT_LT(mvnx_closure(file.header(), *file.special("tpose"), false).value(), 3e-6);
  double largest = 0.0;
  MvnxFrame frame;
  while (file.read(frame) == ReadStatus::Sample)
    largest = std::max(largest, mvnx_closure(file.header(), frame, false).value());
  EXPECT_LT(largest, 2e-3);
  EXPECT_GT(mvnx_closure(file.header(), file.first(), true).value(), 0.2);  // the arms' reading for version 3
  RecordProperty("largest_closure_mm", std::to_string(largest * 1e3));
}

TEST(MvnxReader, TakesThePersonsDimensionsFromTheJoints) {
  PANTO_NEED_DATA(kTake);
  const auto motion = open_mvnx(test::data_file(kTake));
  ASSERT_TRUE(motion->info().subject.has_value());
  const SubjectDimensions& subject = *motion->info().subject;
  EXPECT_TRUE(subject.origin[RightUpperLeg].isApprox(Vector3d(0.000110, -0.095115, 0.001080), 1e-12));
  EXPECT_TRUE(subject.origin[LeftHand].isApprox(Vector3d(0.000090, 0.217663, 0.0), 1e-12));
  EXPECT_TRUE(subject.end[Head].isApprox(Vector3d(-0.000176, 0.0, 0.171505), 1e-12));
  EXPECT_TRUE(subject.end[RightToe].isApprox(Vector3d(0.053875, 0.0, -0.013147), 1e-12));
  EXPECT_TRUE(subject.end[RightHand].isApprox(Vector3d(0.0, -0.163753, 0.0), 1e-12));
  // MVN's identity frame has the balls of the feet at z = 0; the soles lie 0.090662 - 0.070518 m lower
  const MvnxFile file(test::data_file(kTake));
  const double head = (*file.special("identity"))[MvnxVector::Position][3 * Head + 2];
  EXPECT_NEAR(subject.height, head + 0.171505 + 0.020144, 5e-6);
  EXPECT_EQ(subject.mass, 70.0);
}

// largest error of the formula against the file's own jointAngle [deg]
double isb_error(MvnxFile& file, const std::array<Matrix3d, kHumanSegmentCount>& R_T_isb, bool n_pose_arms) {
  double largest = 0.0;
  const AttachmentMap map = mvn_attachments(n_pose_arms ? MvnArms::Hanging : MvnArms::TPose);
  MvnxFrame frame;
  while (file.read(frame) == ReadStatus::Sample) {
    std::array<Matrix3d, kHumanSegmentCount> R;
    for (std::size_t i = 0; i < R.size(); ++i) {
      const Eigen::Vector4d wxyz(&frame[MvnxVector::Orientation][4 * i]);
      R[i] = so3::from_quaternion_wxyz(wxyz) * map.attachments[i].R_SF;
    }
    const auto angles = isb_angles(R, R_T_isb);
    for (std::size_t j = 0; j < angles.size(); ++j) {
      for (int k = 0; k < 3; ++k) {
        const double recorded = frame[MvnxVector::JointAngle][3 * j + static_cast<std::size_t>(k)];
        largest = std::max(largest, std::abs(std::remainder(kDegrees * angles[j][k] - recorded, 360.0)));
      }
    }
  }
  return largest;
}

TEST(MvnxReader, IsbAnglesEqualTheRecordedOnesOnAllJointsAndFrames) {
  PANTO_NEED_DATA(kTake);
  MvnxFile file(test::data_file(kTake));
  const auto R_T_isb = mvnx_isb_frames(file, false);
  ASSERT_TRUE(R_T_isb.has_value());
  const double own = isb_error(file, *R_T_isb, false);
  EXPECT_LT(own, 0.01);

  MvnxFile again(test::data_file(kTake));
  const double standard = isb_error(again, standard_isb_frames(), false);
  EXPECT_LT(standard, 0.01);
  std::cout << "largest error of isb_angles [deg]: own frames " << own << ", standard frames " << standard
            << "\n";
}

// ---- versions and their traps

TEST(MvnxReader, ReadsVersionFour) {
  const auto motion = opened(mvnx_text());
  EXPECT_EQ(motion->info().format, "mvnx 4");
  EXPECT_TRUE(motion->info().notes.empty()) << motion->info().notes.front();
  const auto samples = all(*motion);
  ASSERT_EQ(samples.size(), 3u);
  expect_sample_poses(samples, false);
  for (const Attachment& a : motion->info().attachments.attachments) EXPECT_TRUE(a.R_SF.isIdentity());
}

TEST(MvnxReader, TurnsTheArmsOfVersionThree) {
  const std::string text = mvnx_text({.version = 3});
  MvnxFile file = file_of(text);
  EXPECT_GT(mvnx_closure(file.header(), file.first(), false).value(), 0.3);
  EXPECT_LT(mvnx_closure(file.header(), file.first(), true).value(), 1e-5);

  const auto motion = opened(text);
  EXPECT_EQ(motion->info().format, "mvnx 3");
  EXPECT_TRUE(motion->info().notes.empty()) << motion->info().notes.front();
  expect_sample_poses(all(*motion), true);
  ASSERT_TRUE(motion->info().subject.has_value());  // joints C7Shoulder, points pos_s
  EXPECT_TRUE(motion->info().subject->origin[RightShoulder].isApprox(
      scaled_subject(1.75).origin[RightShoulder], 1e-4));
}

TEST(MvnxReader, BelievesTheDataWhenTheVersionContradictsThem) {
  const auto claims_four = opened(mvnx_text({.version = 3, .version_attribute = "4"}));
  EXPECT_EQ(claims_four->info().format, "mvnx 3");
  EXPECT_TRUE(noted(claims_four->info(), "referenced to the N-pose"));
  expect_sample_poses(all(*claims_four), true);

  const auto claims_three = opened(mvnx_text({.version = 4, .version_attribute = "3"}));
  EXPECT_EQ(claims_three->info().format, "mvnx 4");
  EXPECT_TRUE(noted(claims_three->info(), "referenced to the T-pose"));
  expect_sample_poses(all(*claims_three), false);
}

TEST(MvnxReader, BelievesTheVersionWhenThereAreNoPositionsToTell) {
  EXPECT_EQ(opened(mvnx_text({.version = 3, .positions = false}))->info().format, "mvnx 3");
  EXPECT_EQ(opened(mvnx_text({.version = 4, .positions = false}))->info().format, "mvnx 4");
  const auto unknown = opened(replaced(mvnx_text({.positions = false}), " version=\"4\"", ""));
  EXPECT_EQ(unknown->info().format, "mvnx 4");
  EXPECT_TRUE(noted(unknown->info(), "states no version of MVN and holds no positions"));
}

TEST(MvnxReader, SpecialFramesAreNotMotion) {
  const MvnxFile four = file_of(mvnx_text());
  for (const char* type : {"identity", "tpose", "tpose-isb"}) {
    ASSERT_NE(four.special(type), nullptr);
    EXPECT_FALSE(four.special(type)->index.has_value());  // version 4 gives them none
  }
  const MvnxFile three = file_of(mvnx_text({.version = 3}));
  ASSERT_NE(three.special("npose"), nullptr);
  EXPECT_EQ(three.special("npose")->index, -3);
  EXPECT_EQ(three.special("tpose")->index, -2);
  EXPECT_EQ(three.first().index, 0);
  EXPECT_EQ(three.first().time_code, "15:59:46:065");
  EXPECT_EQ(three.first()[MvnxVector::SensorAcceleration].size(), 6u);
  EXPECT_EQ(four.first()[MvnxVector::SensorFreeAcceleration].size(), 6u);
}

TEST(MvnxReader, IsbAnglesOfBothVersionsEqualTheirFiles) {
  for (const int version : {3, 4}) {
    MvnxFile file = file_of(mvnx_text({.version = version}));
    const auto frames = mvnx_isb_frames(file, version == 3);
    ASSERT_TRUE(frames.has_value());
    EXPECT_LT(isb_error(file, *frames, version == 3), 0.001) << version;
  }
}

TEST(MvnxReader, TimeCountsFramesAndIgnoresRoundedMilliseconds) {
  const auto motion = opened(mvnx_text({.frames = 4, .rate = "240"}));
  const auto samples = all(*motion);
  ASSERT_EQ(samples.size(), 4u);
  for (std::size_t k = 0; k < 4; ++k)
    EXPECT_EQ(samples[k].t, frame_time(static_cast<std::int64_t>(k), 240.0));
}

TEST(MvnxReader, AnExcerptStartsAtZeroAndKeepsItsGaps) {
  std::string text = replaced(mvnx_text(), "index=\"0\" tc", "index=\"100\" tc");
  text = replaced(replaced(text, "index=\"1\" tc", "index=\"101\" tc"), "index=\"2\" tc", "index=\"107\" tc");
  const auto motion = opened(text);
  const auto samples = all(*motion);
  ASSERT_EQ(samples.size(), 3u);
  EXPECT_EQ(samples[0].t, 0);
  EXPECT_EQ(samples[2].t, frame_time(7, 60.0));
  EXPECT_TRUE(noted(motion->info(), "5 frames are missing here"));
}

TEST(MvnxReader, AnIndexThatRunsBackCountsAsTheNext) {
  for (const char* bad :
       {"index=\"0\" tc", "index=\"-5\" tc", "index=\"999999999999\" tc", "index=\"9e99\" tc", "tc"}) {
    const auto motion = opened(replaced(mvnx_text(), "index=\"1\" tc", bad));
    const auto samples = all(*motion);
    ASSERT_EQ(samples.size(), 3u);
    EXPECT_EQ(samples[1].t, frame_time(1, 60.0)) << bad;
    EXPECT_EQ(samples[2].t, frame_time(2, 60.0)) << bad;
  }
}

TEST(MvnxReader, PropsAreReadAndNotAttached) {
  const auto motion = opened(mvnx_text({.props = {"Prop1", "Sword"}}));
  ASSERT_EQ(motion->names().size(), 25u);
  EXPECT_EQ(motion->names()[24], "Sword");
  const auto samples = all(*motion);
  ASSERT_EQ(samples.size(), 3u);
  expect_sample_poses(samples, false);
  EXPECT_NEAR(samples[0].segments[24].p_WS.y(), 0.2, 1e-9);
  EXPECT_EQ(motion->info().attachments.attachments.size(), 23u);
  EXPECT_TRUE(noted(motion->info(), "2 of 25 segments"));
}

TEST(MvnxReader, FingerSegmentsAreNotBodySegments) {
  const std::string fingers =
      "</segments>\n<fingerTrackingSegmentsLeft><segment label=\"LeftCarpus\" id=\"1\"><points/></segment>"
      "</fingerTrackingSegmentsLeft>";
  const auto motion = opened(replaced(mvnx_text(), "</segments>", fingers));
  EXPECT_EQ(motion->names().size(), 23u);
  expect_sample_poses(all(*motion), false);
}

TEST(MvnxReader, OrderOfFileNotOfTheManualDecides) {
  // two segments change places in the list and in nothing else: the names follow the list
  std::string text = replaced(mvnx_text(), "label=\"L5\"", "label=\"?\"");
  text = replaced(replaced(text, "label=\"L3\"", "label=\"L5\""), "label=\"?\"", "label=\"L3\"");
  const auto motion = opened(text);
  EXPECT_EQ(motion->names()[1], "L3");
  EXPECT_EQ(motion->names()[2], "L5");
}

TEST(MvnxReader, MatchesLocalNamesWithoutNamespace) {
  std::string text = mvnx_text();
  expect_sample_poses(all(*opened(replaced(text, " xmlns=\"http://www.xsens.com/mvn/mvnx\"", ""))), false);
  // prefixed throughout, the prefix not even declared
  for (const char* tag : {"mvnx ", "subject ", "frames ", "orientation>", "position>"}) {
    text = replaced(text, std::string("<") + tag, std::string("<m:") + tag, true);
    std::string closing(tag);
    if (closing.back() == ' ') closing.back() = '>';
    text = replaced(text, "</" + closing, "</m:" + closing, true);
  }
  const auto samples = all(*opened(text));
  ASSERT_EQ(samples.size(), 3u);
  expect_sample_poses(samples, false);
}

TEST(MvnxReader, AcceptsCarriageReturnsByteOrderMarkAndTabs) {
  const std::string text = mvnx_text();
  expect_sample_poses(all(*opened("\xef\xbb\xbf" + text)), false);
  const std::string crlf =
      replaced(replaced(text, "\n", "\r\n", true), "<orientation>", "<orientation>\r\n\t ", true);
  expect_sample_poses(all(*opened(crlf)), false);
}

TEST(MvnxReader, IgnoresElementsItDoesNotKnow) {
  std::string text = replaced(mvnx_text(), "<points>", "<segmentScale>1 1 1</segmentScale><points>");
  text = replaced(text, "<footContacts>",
                  "<orientationFingersLeft>1 0 0 0</orientationFingersLeft><footContacts>");
  const auto samples = all(*opened(text));
  ASSERT_EQ(samples.size(), 3u);
  expect_sample_poses(samples, false);
}

TEST(MvnxReader, FramesMayHoldNothingButOrientation) {
  const auto motion = opened(mvnx_text({.positions = false, .velocities = false}));
  EXPECT_FALSE(motion->info().has_angular_velocity);
  EXPECT_FALSE(motion->info().has_linear_velocity);
  const auto samples = all(*motion);
  ASSERT_EQ(samples.size(), 3u);
  for (const SegmentMotion& S : samples[1].segments) {
    EXPECT_TRUE(S.has_orientation);
    EXPECT_FALSE(S.has_position || S.has_angular_velocity || S.has_linear_velocity);
  }
}

TEST(MvnxReader, SkipsVectorsThatNobodyWants) {
  MvnxFile file(stream_of(mvnx_text()), "take.mvnx", only(MvnxVector::JointAngle));
  MvnxFrame frame;
  ASSERT_EQ(file.read(frame), ReadStatus::Sample);
  ASSERT_EQ(file.read(frame), ReadStatus::Sample);
  EXPECT_EQ(frame[MvnxVector::JointAngle].size(), 66u);
  EXPECT_EQ(frame[MvnxVector::Orientation].size(), 92u);  // always
  EXPECT_TRUE(frame[MvnxVector::Velocity].empty());
}

TEST(MvnxReader, KeepsTheUsersMarker) {
  MvnxFile file =
      file_of(replaced(mvnx_text(), "<footContacts>", "<marker> jump &amp; run </marker><footContacts>"));
  MvnxFrame frame;
  ASSERT_EQ(file.read(frame), ReadStatus::Sample);
  EXPECT_EQ(frame.marker, "jump & run");
  ASSERT_EQ(file.read(frame), ReadStatus::Sample);
  EXPECT_TRUE(frame.marker.empty());
}

TEST(MvnxReader, AcceptsTheLongFormOfTheCentreOfMass) {
  MvnxFile file = file_of(replaced(mvnx_text(), "0.03 -0.01 0.05", "0.03 -0.01 0.05 1 2 3 4 5 6"));
  EXPECT_EQ(file.first()[MvnxVector::CenterOfMass].size(), 9u);
}

TEST(MvnxReader, EstimatesHeightAndEndsWithoutSurfacePoints) {
  const auto motion = opened(mvnx_text({.end_points = false}));
  ASSERT_TRUE(motion->info().subject.has_value());
  EXPECT_NEAR(motion->info().subject->height, 1.75, 1e-4);
  EXPECT_TRUE(motion->info().subject->end[LeftHand].isApprox(scaled_subject(1.75).end[LeftHand], 1e-4));
}

TEST(MvnxReader, FindsJointsByTheirPointsWhenConnectorsAreMissing) {
  std::string text = mvnx_text();
  const std::size_t begin = text.find("<joints>"), end = text.find("</joints>");
  text.erase(begin, end + 9 - begin);
  const auto motion = opened(text);
  ASSERT_TRUE(motion->info().subject.has_value());
  EXPECT_TRUE(motion->info().subject->origin[Head].isApprox(scaled_subject(1.75).origin[Head], 1e-4));
}

TEST(MvnxReader, SaysWhichJointLeavesThePersonWithoutDimensions) {
  const auto motion =
      opened(replaced(mvnx_text(), "<point label=\"jRightKnee\">", "<point label=\"x\">", true));
  EXPECT_FALSE(motion->info().subject.has_value());
  EXPECT_TRUE(noted(motion->info(), "the joint between RightUpperLeg and RightLowerLeg"));
  EXPECT_EQ(all(*motion).size(), 3u);
}

// ---- what is wrong in a file

TEST(MvnxReader, ANumberThatIsNoneInvalidatesItsSegmentOnly) {
  for (const char* bad : {"nan", "-1.#IND00", "inf", "1e999", "0,97", "x"}) {
    // the second frame's pelvis
    std::string text = mvnx_text();
    const std::size_t at = text.find("<orientation>", text.find("index=\"1\" tc")) + 13;
    text.replace(at, text.find(' ', at) - at, bad);
    const auto motion = opened(text);
    const auto samples = all(*motion);
    ASSERT_EQ(samples.size(), 3u) << bad;
    EXPECT_FALSE(samples[1].segments[Pelvis].has_orientation) << bad;
    EXPECT_TRUE(samples[1].segments[Pelvis].has_position) << bad;
    EXPECT_TRUE(samples[1].segments[L5].has_orientation) << bad;
    EXPECT_TRUE(samples[2].segments[Pelvis].has_orientation) << bad;
    EXPECT_TRUE(noted(motion->info(), "not finite decimal numbers")) << bad;
    EXPECT_TRUE(noted(motion->info(), "1 orientations were invalid, 1 numbers unreadable")) << bad;
  }
}

TEST(MvnxReader, AQuaternionNearUnitNormIsNormalisedAndAFarOneRefused) {
  std::string text = mvnx_text({.positions = false});
  const std::size_t at = text.find("<orientation>", text.find("index=\"1\" tc")) + 13;
  std::size_t end = at;
  for (int i = 0; i < 8; ++i) end = text.find(' ', end) + 1;
  text.replace(at, end - at, "1.009 0 0 0 1.011 0 0 0 ");
  const auto samples = all(*opened(text));
  ASSERT_EQ(samples.size(), 3u);
  EXPECT_TRUE(samples[1].segments[Pelvis].has_orientation);
  EXPECT_TRUE(samples[1].segments[Pelvis].R_WS.isIdentity(1e-15));
  EXPECT_FALSE(samples[1].segments[L5].has_orientation);
}

TEST(MvnxReader, AVectorOfTheWrongCountIsLeftOutAndNoted) {
  std::string text = mvnx_text();
  const std::size_t at = text.find("</velocity>", text.find("index=\"1\" tc"));
  text.insert(at, " 0.5");
  const auto motion = opened(text);
  const auto samples = all(*motion);
  ASSERT_EQ(samples.size(), 3u);
  EXPECT_FALSE(samples[1].segments[3].has_linear_velocity);
  EXPECT_TRUE(samples[1].segments[3].has_angular_velocity);
  EXPECT_TRUE(samples[2].segments[3].has_linear_velocity);
  EXPECT_TRUE(noted(motion->info(), "<velocity> holds 70 numbers, expected 69"));
}

TEST(MvnxReader, RefusesAFirstFrameThatDoesNotFitTheSegments) {
  const std::string text = mvnx_text();
  const std::string refused =
      refusal(replaced(text, "</orientation>\n<position>", " 1.0</orientation>\n<position>", true));
  EXPECT_NE(refused.find("92 numbers"), std::string::npos) << refused;
  EXPECT_NE(refused.find("holds 93"), std::string::npos) << refused;
  EXPECT_EQ(refused.rfind("take.mvnx:", 0), 0u) << refused;

  std::string without = text;
  const std::size_t normal = without.find("type=\"normal\"");
  const std::size_t begin = without.find("<orientation>", normal),
                    end = without.find("</orientation>", normal);
  without.erase(begin, end + 14 - begin);
  EXPECT_NE(refusal(without).find("no usable <orientation>"), std::string::npos);
}

TEST(MvnxReader, RefusesAFirstFrameWithoutOneUnitQuaternion) {
  const auto with_first = [](const std::string& quaternions) {
    std::string text = mvnx_text();
    const std::size_t at = text.find("<orientation>", text.find("type=\"normal\"")) + 13;
    return text.replace(at, text.find("</orientation>", at) - at, quaternions);
  };
  std::string none, one = "1.005 0 0 0";
  for (std::size_t i = 0; i < kHumanSegmentCount; ++i) {
    none += i % 2 == 0 ? "0 0 0 0 " : "2 0 0 0 ";
    if (i > 0) one += i % 2 == 0 ? " 0.5 0 0 0" : " nan nan nan nan";
  }
  const std::string refused = refusal(with_first(none));
  EXPECT_NE(refused.find("no usable orientation"), std::string::npos) << refused;
  EXPECT_NE(refused.find("23 quaternions"), std::string::npos) << refused;
  EXPECT_EQ(refused.rfind("take.mvnx:", 0), 0u) << refused;
  EXPECT_EQ(refusal(with_first(one)), "(accepted)");
}

TEST(MvnxReader, RefusesPositionsThatAreNotInMetres) {
  for (const double unit : {100.0, 1000.0}) {
    for (const int version : {3, 4}) {
      std::string text = mvnx_text({.version = version});
      const std::size_t normal = text.find("type=\"normal\"");
      const std::size_t at = text.find("<position>", normal) + 10, end = text.find("</position>", at);
      std::istringstream metres(text.substr(at, end - at));
      std::string scaled;
      for (double x; metres >> x;) scaled += fmt::format("{} ", x * unit);
      text.replace(at, end - at, scaled);
      const std::string refused = refusal(text);
      const auto line =
          1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(normal), '\n');
      EXPECT_EQ(refused.rfind(fmt::format("take.mvnx:{}:", line), 0), 0u) << refused;
      EXPECT_NE(refused.find("(gap "), std::string::npos) << refused;
      EXPECT_NE(refused.find("in metres"), std::string::npos) << refused;
    }
  }
}

TEST(MvnxReader, ALaterFrameWithoutOrientationIsAllInvalid) {
  std::string text = mvnx_text();
  const std::size_t frame = text.find("index=\"1\" tc");
  const std::size_t begin = text.find("<orientation>", frame), end = text.find("</orientation>", frame);
  text.erase(begin, end + 14 - begin);
  const auto motion = opened(text);
  const auto samples = all(*motion);
  ASSERT_EQ(samples.size(), 3u);
  for (const SegmentMotion& S : samples[1].segments) EXPECT_FALSE(S.has_orientation);
  EXPECT_TRUE(noted(motion->info(), "is missing"));
}

TEST(MvnxReader, ACutFileYieldsTheFramesBeforeTheCut) {
  const std::string text = mvnx_text();
  const std::size_t cut = text.find("<velocity>", text.find("index=\"2\" tc"));
  const auto motion = opened(text.substr(0, cut + 30));
  ReadStatus status;
  const auto samples = all(*motion, &status);
  EXPECT_EQ(status, ReadStatus::Malformed);
  ASSERT_EQ(samples.size(), 2u);
  expect_sample_poses(samples, false);
  const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(cut), '\n');
  EXPECT_EQ(motion->problem().rfind("take.mvnx:" + std::to_string(line) + ":", 0), 0u) << motion->problem();
  EXPECT_NE(motion->problem().find("2 complete frames"), std::string::npos) << motion->problem();
  EXPECT_TRUE(noted(motion->info(), "it is truncated"));
  SegmentSample sample;
  EXPECT_EQ(motion->read(sample), ReadStatus::Malformed);  // and stays so
}

TEST(MvnxReader, DamageAfterTheLastFrameLosesNothing) {
  const std::string text = mvnx_text();
  const auto motion = opened(text.substr(0, text.find("</subject>")));
  ReadStatus status;
  EXPECT_EQ(all(*motion, &status).size(), 3u);
  EXPECT_EQ(status, ReadStatus::EndOfMotion);
  EXPECT_TRUE(noted(motion->info(), "no frame is affected"));
}

TEST(MvnxReader, ReadsTheFirstOfSeveralSubjectsAndSaysSo) {
  const std::string text = mvnx_text();
  const std::size_t begin = text.find("<subject"), end = text.find("</subject>") + 10;
  std::string two = text;
  two.insert(end, text.substr(begin, end - begin));
  const auto motion = opened(two);
  EXPECT_EQ(all(*motion).size(), 3u);
  EXPECT_TRUE(noted(motion->info(), "only the first subject"));
}

TEST(MvnxReader, ADeclaredCountIsNotBelieved) {
  const auto motion =
      opened(replaced(mvnx_text(), "<frames segmentCount=\"23\"", "<frames segmentCount=\"2000000000\""));
  EXPECT_EQ(all(*motion).size(), 3u);
  EXPECT_TRUE(noted(motion->info(), "23 segments are listed"));
}

TEST(MvnxReader, RefusesHeadersThatCannotBeUsedAndSaysWhy) {
  const std::string text = mvnx_text();
  const auto expect_refused = [](const std::string& damaged, std::string_view part) {
    const std::string reason = refusal(damaged);
    EXPECT_NE(reason.find(part), std::string::npos) << reason;
    EXPECT_EQ(reason.rfind("take.mvnx:", 0), 0u) << reason;
  };
  for (const char* rate : {"0", "-60", "nan", "1e300", "fast", ""})
    expect_refused(mvnx_text({.rate = rate}), "not a rate in Hz");
  expect_refused(replaced(text, "<mvnx ", "<bvh "), "root element is <bvh>");
  expect_refused(replaced(text, "label=\"L5\"", "label=\"Pelvis\""), "two segments are named 'Pelvis'");
  expect_refused(replaced(text, "label=\"L5\"", "name=\"L5\""), "no usable label");
  expect_refused(replaced(replaced(text, "<segments>", "<parts>"), "</segments>", "</parts>"),
                 "before any <segment>");
  expect_refused(replaced(text, "type=\"normal\"", "type=\"tpose\"", true), "the recording is empty");
  expect_refused("", "ends before");
  expect_refused("HIERARCHY\nROOT Hips", "syntax error; this is not XML");
  expect_refused(std::string(100000, '\0'), "not well-formed");
  EXPECT_THROW(static_cast<void>(open_mvnx("/nonexistent/take.mvnx")), Error);
}

TEST(MvnxReader, RefusesEntityBombsAndAcceptsAnExternalDocumentType) {
  const std::string root = "<mvnx xmlns:xsi";
  const std::string bomb =
      "<!DOCTYPE mvnx [<!ENTITY a \"ha\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;\">]>\n";
  const std::string reason = refusal(replaced(mvnx_text(), root, bomb + root));
  EXPECT_NE(reason.find("declares the entity 'a'"), std::string::npos) << reason;
  // the vendor's own suggestion; nothing is fetched
  const std::string external = "<!DOCTYPE mvnx SYSTEM \"http://www.xsens.com/mvn/mvnx/schema.dtd\">\n";
  EXPECT_EQ(all(*opened(replaced(mvnx_text(), root, external + root))).size(), 3u);
}

TEST(MvnxReader, RefusesWhatIsBeyondItsLimits) {
  const std::string text = mvnx_text();
  std::string deep, many;
  for (int i = 0; i < 100000; ++i) deep += "<a>";
  EXPECT_NE(refusal(replaced(text, "<comment>", deep)).find("nested deeper"), std::string::npos);
  for (int i = 0; i < 1000; ++i) many += "<segment label=\"s" + std::to_string(i) + "\"/>";
  EXPECT_NE(refusal(replaced(text, "<segments>", "<segments>" + many)).find("more than 512 segments"),
            std::string::npos);
  const std::string comment = "<!--" + std::string(4'000'000, 'x') + "-->";
  EXPECT_NE(refusal(replaced(text, "<comment>", comment + "<comment>")).find("longer than"),
            std::string::npos);
  const std::string numbers(1'000'000, '1');
  EXPECT_NE(refusal(replaced(text, "<orientation>", "<orientation>" + numbers)).find("bytes of text"),
            std::string::npos);
}

// ---- contacts

// contacts of every sample, as "heel right, heel left, ball right, ball left"
std::vector<std::array<int, 4>> contacts_of(Recording& motion) {
  std::vector<std::array<int, 4>> contacts;
  SegmentSample sample;
  while (motion.read(sample) == ReadStatus::Sample) {
    const GivenContacts given = motion.contacts();
    contacts.push_back({given.heel[0], given.heel[1], given.ball[0], given.ball[1]});
  }
  return contacts;
}
using Contacts = std::vector<std::array<int, 4>>;

TEST(MvnxContacts, ARecordedFileSaysThatBothFeetStand) {
  PANTO_NEED_DATA(kTake);
  const auto motion = open_mvnx(test::data_file(kTake));
  EXPECT_EQ(contacts_of(*motion), Contacts(112, {1, 1, 1, 1})) << "of a person who sits";
}

TEST(MvnxContacts, GoWhereTheirLabelsSay) {
  const auto motion = opened(mvnx_text());  // left heel, left toe, right heel, right toe: 1 1 1 0
  EXPECT_EQ(contacts_of(*motion), Contacts(3, {1, 1, 0, 1}));
  EXPECT_EQ(contacts_of(*opened(replaced(mvnx_text(), "<footContacts>1 1 1 0", "<footContacts>0 1 0 0"))),
            (Contacts{{0, 0, 0, 1}, {1, 1, 0, 1}, {1, 1, 0, 1}}));
  // in another order, and with one that is no part of a foot
  std::string swapped = replaced(mvnx_text(), "LeftFoot_Toe", "RightFoot_Heel2");
  swapped =
      replaced(replaced(swapped, "RightFoot_Heel\"", "LeftFoot_Toe\""), "RightFoot_Heel2", "RightHand_Palm");
  const auto other = opened(swapped);
  EXPECT_TRUE(noted(other->info(), "RightHand_Palm"));
  EXPECT_EQ(contacts_of(*other), Contacts(3, {-1, 1, 0, 1}));
}

TEST(MvnxContacts, WithoutDefinitionsOrTheVectorNothingIsKnown) {
  EXPECT_EQ(contacts_of(*opened(mvnx_text({.version = 3}))), Contacts(3, {-1, -1, -1, -1}));
  std::string bare = replaced(mvnx_text(), "<footContacts>1 1 1 0</footContacts>", "", true);
  EXPECT_EQ(contacts_of(*opened(bare)), Contacts(3, {-1, -1, -1, -1}));
}

TEST(MvnxContacts, DamagedOnesAreUnknownAndSaidAndThePosesStay) {
  const auto with = [](const std::string& first) {
    return opened(replaced(mvnx_text(), "<footContacts>1 1 1 0", "<footContacts>" + first));
  };
  const auto number = with("1 2 1 0");
  EXPECT_EQ(contacts_of(*number), (Contacts{{1, 1, 0, -1}, {1, 1, 0, 1}, {1, 1, 0, 1}}));
  EXPECT_TRUE(noted(number->info(), "LeftFoot_Toe is 2, neither 0 nor 1"));
  const auto word = with("1 yes 1 0");
  EXPECT_EQ(contacts_of(*word)[0], (std::array<int, 4>{1, 1, 0, -1}));
  EXPECT_TRUE(noted(word->info(), "<footContacts> holds 1 words"));
  const auto few = with("1 1");
  EXPECT_EQ(contacts_of(*few)[0], (std::array<int, 4>{-1, -1, -1, -1})) << "which two is not known";
  EXPECT_TRUE(noted(few->info(), "<footContacts> holds 2 numbers, expected 4"));
  expect_sample_poses(all(*with("1 1")), false);
}

TEST(MvnxContacts, ACutRecordedFileKeepsThoseBeforeTheCut) {
  PANTO_NEED_DATA(kTake);
  std::ifstream file(test::data_file(kTake), std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  for (const double share : {0.4, 0.7, 0.9}) {
    const auto motion =
        opened(text.substr(0, static_cast<std::size_t>(share * static_cast<double>(text.size()))));
    const Contacts contacts = contacts_of(*motion);
    EXPECT_FALSE(motion->problem().empty());
    EXPECT_GT(contacts.size(), 10U);
    EXPECT_EQ(contacts, Contacts(contacts.size(), {1, 1, 1, 1}));
  }
}

}  // namespace
}  // namespace panto::io
