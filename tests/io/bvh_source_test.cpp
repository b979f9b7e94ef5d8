#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>
#include <string>
#include <vector>

#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/io/bvh.hpp"
#include "panto/io/open_recording.hpp"
#include "panto/io/recording_formats.hpp"
#include "panto/io/text_scanner.hpp"
#include "panto/math/so3.hpp"
#include "panto/model/human.hpp"
#include "panto/rig/fit.hpp"
#include "tests/support/corruption.hpp"
#include "tests/support/test_data.hpp"

namespace {

using enum panto::HumanSegment::Index;

using namespace panto;
using namespace panto::io;
using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr double kDegree = std::numbers::pi / 180.0;
const std::string kTwin = "mvnx/blender-mvnx-io_test_mocap.bvh";
const std::string kTake = "mvnx/blender-mvnx-io_test_mocap.mvnx";
const std::string kOtherXsens = "bvh/corner-cases/bvh_test2.bvh";

// a file that goes away again
class TemporaryBvh {
 public:
  explicit TemporaryBvh(const BvhClip& clip)
      : path_(::testing::TempDir() + "panto_bvh_source_" +
              ::testing::UnitTest::GetInstance()->current_test_info()->name() + ".bvh") {
    std::ofstream(path_, std::ios::binary) << write_bvh(clip);
  }
  ~TemporaryBvh() { std::filesystem::remove(path_); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

BvhClip twin() { return read_bvh_file(panto::test::data_file(kTwin)); }

void erase_frame(BvhClip& clip, std::int64_t index) {
  const auto begin = clip.values.begin() + index * clip.channel_count;
  clip.values.erase(begin, begin + clip.channel_count);
  --clip.frame_count;
}

std::vector<SegmentSample> read_all(Recording& file) {
  std::vector<SegmentSample> samples;
  SegmentSample sample;
  ReadStatus status;
  while ((status = file.read(sample)) == ReadStatus::Sample) samples.push_back(sample);
  EXPECT_EQ(status, ReadStatus::EndOfMotion) << file.problem();
  return samples;
}

bool noted(const Recording& file, const std::string& part) {
  for (const std::string& note : file.info().notes) {
    if (note.find(part) != std::string::npos) return true;
  }
  return false;
}

std::string refusal(const std::string& path) {
  try {
    (void)open_bvh(path);
    return {};
  } catch (const FormatError& error) {
    return error.what();
  }
}

TEST(BvhSource, DescribesAnXsensRecording) {
  PANTO_NEED_DATA(kTwin);
  const auto file = open_bvh(panto::test::data_file(kTwin));
  EXPECT_EQ(file->info().format, "bvh (xsens)");
  EXPECT_EQ(file->info().rate_hz, 60.0);
  EXPECT_EQ(file->info().frames, 111);
  EXPECT_FALSE(file->info().has_angular_velocity);
  EXPECT_FALSE(file->info().has_linear_velocity);
  ASSERT_EQ(file->names().size(), 23U);
  EXPECT_EQ(file->names(), human_segment_names());
  EXPECT_EQ(file->info().attachments.attachments.size(), 23U);
  EXPECT_EQ(file->info().attachments.attachments[RightUpperArm].segment, "RightUpperArm");
  EXPECT_EQ(file->info().attachments.attachments[RightUpperArm].link, "RightUpperArm");
  ASSERT_TRUE(file->info().rig.has_value());
  EXPECT_EQ(file->info().rig->rest, rig::RestPose::T);
  // the trap of these names: their "shoulder" is MVN's upper arm
  const auto joint = [&](int segment) {
    return file->info().rig_joints[at(file->info().rig->map.segments[at(segment)].joint)];
  };
  EXPECT_EQ(joint(RightUpperArm), "RightShoulder");
  EXPECT_EQ(joint(RightShoulder), "RightCollar");
}

TEST(BvhSource, LeavesOutTheExportersRestPoseAndKeepsEveryFramesStamp) {
  PANTO_NEED_DATA(kTwin);
  const auto file = open_bvh(panto::test::data_file(kTwin));
  EXPECT_TRUE(noted(*file, "frame 0 is the exporter's rest pose"));
  const auto samples = read_all(*file);
  ASSERT_EQ(samples.size(), 111U);
  EXPECT_EQ(samples.front().t, frame_time(1, 60.0));
  EXPECT_EQ(samples.back().t, frame_time(111, 60.0));
  for (const SegmentMotion& segment : samples.front().segments) {
    EXPECT_TRUE(segment.has_orientation && segment.has_position);
    EXPECT_FALSE(segment.has_angular_velocity || segment.has_linear_velocity);
  }
}

TEST(BvhSource, EqualsItsMvnxTwinFrameByFrame) {
  PANTO_NEED_DATA(kTwin);
  PANTO_NEED_DATA(kTake);
  const auto bvh = read_all(*open_bvh(panto::test::data_file(kTwin)));
  const auto mvnx = read_all(*open_mvnx(panto::test::data_file(kTake)));
  ASSERT_EQ(bvh.size() + 1, mvnx.size());
  double angle = 0.0, arms = 0.0, others = 0.0;
  for (std::size_t k = 0; k < bvh.size(); ++k) {
    ASSERT_EQ(bvh[k].t, mvnx[k + 1].t);
    for (std::size_t i = 0; i < 23; ++i) {
      const SegmentMotion &a = bvh[k].segments[i], &b = mvnx[k + 1].segments[i];
      angle = std::max(angle, so3::distance(a.R_WS, b.R_WS));
      double& distance = i >= RightShoulder && i <= LeftHand ? arms : others;
      distance = std::max(distance, (a.p_WS - b.p_WS).norm());
    }
  }
  RecordProperty("worst_deg", std::to_string(angle / kDegree));
  RecordProperty("worst_arm_mm", std::to_string(arms * 1e3));
  RecordProperty("worst_other_mm", std::to_string(others * 1e3));
  EXPECT_LT(angle, 2e-4 * kDegree) << "six decimals in both files";
  EXPECT_LT(others, 2e-5);
  // MVN lets the shoulder girdle slide by up to 1.9 mm (formats 2.2); the bones of a BVH are rigid
  EXPECT_LT(arms, 2e-3);
}

TEST(BvhSource, KnowsTheSubjectAsItsMvnxTwinDoes) {
  PANTO_NEED_DATA(kTwin);
  const auto file = open_bvh(panto::test::data_file(kTwin));
  ASSERT_TRUE(file->info().subject);
  const SubjectDimensions& subject = *file->info().subject;
  // the points of the .mvnx: jL5S1 in Pelvis, jRightElbow in RightUpperArm, pTopOfHead in Head, ...
  EXPECT_LT((subject.origin[L5] - Vector3d(-0.000220, 0, 0.114960)).norm(), 1e-6);
  EXPECT_LT((subject.origin[RightForeArm] - Vector3d(0, -0.263697, 0)).norm(), 1e-6);
  EXPECT_LT((subject.origin[LeftLowerLeg] - Vector3d(-0.000048, 0, -0.395876)).norm(), 1e-6);
  EXPECT_LT((subject.origin[RightToe] - Vector3d(0.150185, 0, -0.070518)).norm(), 1e-6);
  EXPECT_LT((subject.end[Head] - Vector3d(-0.000176, 0, 0.171505)).norm(), 1e-6);
  EXPECT_LT((subject.end[LeftHand] - Vector3d(0, 0.163753, 0)).norm(), 1e-6);
  EXPECT_LT((subject.end[LeftToe] - Vector3d(0.053875, 0, -0.013147)).norm(), 1e-6);
  EXPECT_EQ(subject.end[RightUpperArm], Vector3d::Zero());
  // crown 0.7550 above the pelvis, tip of the toes 0.8781 below
  EXPECT_NEAR(subject.height, 1.633, 0.002);
}

TEST(BvhSource, KeepsAFrameZeroThatBelongsToTheMotion) {
  PANTO_NEED_DATA(kTwin);
  PANTO_NEED_DATA(kOtherXsens);
  // the twin without its rest pose: frame 0 is ordinary motion
  BvhClip clip = twin();
  erase_frame(clip, 0);
  const TemporaryBvh cut(clip);
  auto file = open_bvh(cut.path());
  EXPECT_EQ(file->info().frames, 111);
  EXPECT_EQ(read_all(*file).front().t, 0);

  // a recording of the same skeleton that never had one
  file = open_bvh(panto::test::data_file(kOtherXsens));
  EXPECT_EQ(file->info().frames, 61);
  EXPECT_EQ(file->info().rate_hz, 120.0);
  EXPECT_EQ(read_all(*file).front().t, 0);
}

TEST(BvhSource, KeepsATposeAtTheOriginFromWhichTheMotionGoesOn) {
  PANTO_NEED_DATA(kTwin);
  BvhClip clip = twin();
  // the rest pose twice: what follows goes on from the first
  const std::vector<double> rest(clip.values.begin(), clip.values.begin() + clip.channel_count);
  clip.values.insert(clip.values.begin(), rest.begin(), rest.end());
  ++clip.frame_count;
  const TemporaryBvh still(clip);
  EXPECT_EQ(open_bvh(still.path())->info().frames, 113);
}

TEST(BvhSource, LeavesOutAFrameOfZeroAngles) {
  PANTO_NEED_DATA(kTwin);
  BvhClip clip = twin();
  std::fill(clip.values.begin() + 3, clip.values.begin() + clip.channel_count, 0.0);
  const TemporaryBvh zero(clip);
  EXPECT_EQ(open_bvh(zero.path())->info().frames, 111);
}

TEST(BvhSource, KnowsMetresMillimetresAndCentimetresApart) {
  PANTO_NEED_DATA(kTwin);
  const auto reference = read_all(*open_bvh(panto::test::data_file(kTwin)));
  for (const double factor : {0.01, 10.0}) {
    BvhClip clip = twin();
    for (BvhJoint& joint : clip.joints) {
      joint.offset *= factor;
      for (Vector3d& end : joint.end_sites) end *= factor;
    }
    for (std::int64_t k = 0; k < clip.frame_count; ++k) {
      for (std::int64_t c = 0; c < 3; ++c)
        clip.values[static_cast<std::size_t>(k * clip.channel_count + c)] *= factor;
    }
    const TemporaryBvh scaled(clip);
    const auto file = open_bvh(scaled.path());
    EXPECT_NEAR(file->info().rig->map.unit, 0.01 / factor, 1e-12);
    const auto samples = read_all(*file);
    ASSERT_EQ(samples.size(), reference.size());
    EXPECT_LT((samples[50].segments[Head].p_WS - reference[50].segments[Head].p_WS).norm(), 1e-12);
    EXPECT_NEAR(file->info().subject->height, 1.633, 0.002);
  }
}

TEST(BvhSource, WarnsWhereAnglesAreInRadiansAndWhereTheRootHasNoPositions) {
  PANTO_NEED_DATA(kTwin);
  EXPECT_FALSE(noted(*open_bvh(panto::test::data_file(kTwin)), "radians"));
  EXPECT_FALSE(noted(*open_bvh(panto::test::data_file(kTwin)), "position channels"));
  BvhClip clip = twin();
  for (const BvhJoint& joint : clip.joints) {
    for (std::size_t c = 0; c < joint.channels.size(); ++c) {
      if (!is_rotation(joint.channels[c])) continue;
      for (std::int64_t k = 0; k < clip.frame_count; ++k)
        clip.values[static_cast<std::size_t>(k * clip.channel_count + joint.first_channel) + c] *= kDegree;
    }
  }
  const TemporaryBvh radians(clip);
  EXPECT_TRUE(noted(*open_bvh(radians.path()), "multiply them by 57.2958"));

  clip = twin();
  clip.joints.front().channels.erase(clip.joints.front().channels.begin(),
                                     clip.joints.front().channels.begin() + 3);
  for (std::size_t j = 1; j < clip.joints.size(); ++j) clip.joints[j].first_channel -= 3;
  for (std::int64_t k = clip.frame_count; k-- > 0;) {
    const auto begin = clip.values.begin() + k * clip.channel_count;
    clip.values.erase(begin, begin + 3);
  }
  clip.channel_count -= 3;
  const TemporaryBvh placeless(clip);
  EXPECT_TRUE(noted(*open_bvh(placeless.path()), "the root has no position channels"));
}

TEST(BvhSource, TakesFingersBesidesTheBody) {
  PANTO_NEED_DATA(kTwin);
  BvhClip clip = twin();
  BvhJoint finger;
  finger.name = "RightThumb";
  finger.parent = *clip.find_joint("LeftToe");
  finger.first_channel = clip.channel_count;
  clip.joints.push_back(finger);
  const TemporaryBvh with_finger(clip);
  const auto file = open_bvh(with_finger.path());
  EXPECT_EQ(file->names().size(), 23U);
  EXPECT_TRUE(noted(*file, "1 joint without a body segment"));
}

TEST(BvhSource, RefusesWhatIsNoHumanAndWhatDoesNotMove) {
  PANTO_NEED_DATA("bvh/corner-cases/sinusoidal.bvh");
  PANTO_NEED_DATA("bvh/corner-cases/standard_skeleton.bvh");
  const std::string chain = panto::test::data_file("bvh/corner-cases/sinusoidal.bvh"),
                    still = panto::test::data_file("bvh/corner-cases/standard_skeleton.bvh");
  EXPECT_EQ(refusal(chain).rfind(chain + ": ", 0), 0U) << refusal(chain);
  EXPECT_NE(refusal(chain).find("no human"), std::string::npos) << refusal(chain);
  EXPECT_EQ(refusal(still), still + ": nothing to track: one frame (a rest pose), no motion");
}

TEST(BvhSource, RefusesASkeletonWithoutAnyLength) {
  PANTO_NEED_DATA(kTwin);
  BvhClip clip = twin();
  for (BvhJoint& joint : clip.joints) joint.offset.setZero();
  const TemporaryBvh flat(clip);
  EXPECT_EQ(refusal(flat.path()).rfind(flat.path() + ": ", 0), 0U);
}

TEST(BvhSource, ReadsEveryFrameAsTheRigSaysThoughItSkipsJointsThatNothingNeeds) {
  const std::string name = "bvh/cmu/005_02.bvh";
  PANTO_NEED_DATA(name);
  const auto file = open_bvh(panto::test::data_file(name));
  const BvhClip clip = read_bvh_file(panto::test::data_file(name));
  SkeletonPose pose;
  std::vector<SegmentMotion> expected;
  std::int64_t frame = clip.frame_count - *file->info().frames;
  for (SegmentSample sample; file->read(sample) == ReadStatus::Sample; ++frame) {
    bvh_pose(clip, frame, pose);
    rig::rig_segments(*file->info().rig, pose, expected);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      ASSERT_EQ(sample.segments[i].R_WS, expected[i].R_WS);
      ASSERT_EQ(sample.segments[i].p_WS, expected[i].p_WS);
    }
  }
  EXPECT_EQ(frame, clip.frame_count);
}

TEST(BvhSource, AnnouncesACutWhereTheBodyJumps) {
  const std::string name = "bvh/oracle/walk01.bvh";
  PANTO_NEED_DATA(name);
  BvhClip clip = read_bvh_file(panto::test::data_file(name));
  for (std::int64_t k = 40; k < clip.frame_count; ++k)
    clip.values[static_cast<std::size_t>(k * clip.channel_count)] += 400.0;
  const TemporaryBvh jumping(clip);
  const auto file = open_bvh(jumping.path());
  EXPECT_TRUE(noted(*file, "frame 40: the body is 4"));
  const auto samples = read_all(*file);
  for (const SegmentSample& sample : samples) EXPECT_EQ(sample.cut, sample.t == frame_time(40, clip.rate_hz));
}

TEST(BvhSource, TakesATposeInFrameZeroForTheRestPoseItIs) {
  // T-poses that exporters put before the motion: where it begins, and over the origin
  for (const std::string name : {"bvh/corner-cases/cmu_12_01_walk.bvh", "bvh/cmu/007_04.bvh"}) {
    PANTO_NEED_DATA(name);
    const auto file = open_bvh(panto::test::data_file(name));
    EXPECT_TRUE(noted(*file, "frame 0 is the exporter's rest pose and is left out (a pose, in T")) << name;
    EXPECT_EQ(file->info().rig->rest, rig::RestPose::T) << name;
    EXPECT_EQ(read_all(*file).front().t, frame_time(1, file->info().rate_hz));
  }
}

TEST(BvhSource, SaysWhichFrameCannotBeComputed) {
  PANTO_NEED_DATA(kTwin);
  BvhClip clip = twin();
  const auto row = static_cast<std::size_t>(70 * clip.channel_count);
  for (std::size_t c = 0; c < 3; ++c) clip.values[row + c] = 1.7e308;
  const TemporaryBvh file_with_huge(clip);
  const auto file = open_bvh(file_with_huge.path());
  SegmentSample sample;
  ReadStatus status = ReadStatus::Sample;
  for (int k = 1; k < 70; ++k) ASSERT_EQ(status = file->read(sample), ReadStatus::Sample) << k;
  EXPECT_EQ(file->read(sample), ReadStatus::Malformed);
  EXPECT_NE(file->problem().find(": frame 70: "), std::string::npos) << file->problem();
  EXPECT_EQ(file->read(sample), ReadStatus::EndOfMotion);
}

TEST(BvhSource, GivesOnlyFiniteRotationsFromDamagedRecordings) {
  PANTO_NEED_DATA(kOtherXsens);
  const std::string text = read_text_file(panto::test::data_file(kOtherXsens), 1U << 20U);
  const std::string path = ::testing::TempDir() + "panto_bvh_source_damaged.bvh";
  const auto count = panto::test::try_corruptions(
      text, 99,
      [&](std::string_view damaged) {
        std::ofstream(path, std::ios::binary) << damaged;
        const auto file = open_bvh(path);
        SegmentSample sample;
        while (file->read(sample) == ReadStatus::Sample) {
          for (const SegmentMotion& segment : sample.segments) {
            ASSERT_TRUE(so3::is_rotation(segment.R_WS, 1e-9));
            ASSERT_TRUE(segment.p_WS.allFinite());
          }
        }
      },
      0.3);
  std::filesystem::remove(path);
  EXPECT_GT(count.recovered, 0);
  EXPECT_GT(count.refused, 0);
}

}  // namespace
