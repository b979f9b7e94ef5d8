// Points as cameras give them, onto a robot: findings B7 to B10 at their right values.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <random>
#include <string>

#include "panto/api/retarget.hpp"
#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/io/mapped_recording.hpp"
#include "panto/io/open_recording.hpp"
#include "panto/io/sample_file.hpp"
#include "panto/math/degrees.hpp"
#include "panto/recording/grounded.hpp"
#include "panto/recording/person_reader.hpp"
#include "tests/support/bundled_walk.hpp"
#include "tests/support/test_data.hpp"

namespace panto {
namespace {

RetargetResult onto_g1(Recording& recording) {
  recording.rewind();
  return retarget(recording, test::shipped_robot("unitree_g1"), {});
}

double largest_step(const RetargetResult& result) {
  double most = 0.0;
  const std::vector<State>& states = result.motion.states;
  for (std::size_t k = 1; k < states.size(); ++k)
    most = std::max(most, (states[k].p_WB - states[k - 1].p_WB).norm());
  return most;
}

std::string notes_of(const Recording& recording) {
  std::string all;
  for (const std::string& note : recording.info().notes) all += note + "\n";
  return all;
}

// angle between thigh and shank of both legs, over the frames [deg]
std::vector<double> knees(Recording& recording) {
  recording.rewind();
  PersonReader reader(recording);
  std::vector<double> angles;
  for (SegmentSample sample; reader.read(sample) == ReadStatus::Sample;) {
    for (const int thigh : {int{HumanSegment::RightUpperLeg}, int{HumanSegment::LeftUpperLeg}}) {
      const auto upper = entry_of(reader.names(), thigh), lower = entry_of(reader.names(), thigh + 1);
      const auto& R = sample.segments[*upper].R_WS;
      angles.push_back(std::acos(std::clamp(R.col(2).dot(sample.segments[*lower].R_WS.col(2)), -1.0, 1.0)) /
                       kDegree);
    }
  }
  return angles;
}

TEST(PointRecordings, BridgeShortGapsOfAnkleAndHipSoThatTheBaseDoesNotJump) {
  for (const char* file : {"cases/03_ankle_every_other_frame.trc", "cases/03_hip_missing_2_frames.trc"}) {
    PANTO_NEED_DATA(file);
    const auto recording = io::open_recording(test::data_file(file));
    EXPECT_NE(notes_of(*recording).find("gaps of up to 0.2 s bridged"), std::string::npos) << file;
    EXPECT_LT(largest_step(onto_g1(*recording)), 0.045) << file;  // findings B7
  }
}

TEST(PointRecordings, TakeOutNoiseOfTenMillimetres) {
  PANTO_NEED_DATA("cases/04_noise_10mm.trc");
  const auto recording = io::open_recording(test::data_file("cases/04_noise_10mm.trc"));
  EXPECT_LT(largest_step(onto_g1(*recording)), 0.045);  // findings B8: feet off 49 mm, the truth 31 mm
}

TEST(PointRecordings, TakeAFrozenAnkleAsNotSeen) {
  PANTO_NEED_DATA("cases/14_frozen_ankle_20_frames.trc");
  const auto recording = io::open_recording(test::data_file("cases/14_frozen_ankle_20_frames.trc"));
  EXPECT_NE(notes_of(*recording).find("LAnkle from 1.03 to 1.63 s"), std::string::npos)
      << notes_of(*recording);
  const auto truth = io::open_recording(test::data_file("cases/03_points_truth.trc"));
  const std::vector<double> frozen = knees(*recording), right = knees(*truth);
  ASSERT_EQ(frozen.size(), right.size());
  double most = 0.0;
  for (std::size_t k = 0; k < right.size(); ++k) most = std::max(most, std::abs(frozen[k] - right[k]));
  EXPECT_LT(most, 25.0);  // a guess over 0.6 s of swing; followed as it stands, the knee is over 60 deg off
}

TEST(PointRecordings, RefuseAVideoFromOneSideAndSayWhatWouldDo) {
  PANTO_NEED_DATA("cases/06_planar_side_view.trc");
  const auto recording = io::open_recording(test::data_file("cases/06_planar_side_view.trc"));
  EXPECT_NE(recording->info().untrackable.find("lie in one plane"), std::string::npos);
  EXPECT_NE(recording->info().untrackable.find("several cameras"), std::string::npos);
  EXPECT_THROW((void)onto_g1(*recording), FormatError);
}

class NoisyWalks : public ::testing::TestWithParam<const char*> {};

TEST_P(NoisyWalks, MoveARobotNearlyAsTheCleanOnesDo) {
  PANTO_NEED_DATA(GetParam());
  const auto folder =
      std::filesystem::path(::testing::TempDir()) / ("panto_noisy_walks_" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  const auto write = [&](const std::string& name, double noise, double missing) {
    const auto source = io::open_recording(test::data_file(GetParam()));
    const std::string path = (folder / name).string();
    const auto out = io::create_sample_file(path, source->names(), {source->info().rate_hz});
    std::mt19937_64 random(7);
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> share;
    for (SegmentSample sample; source->read(sample) == ReadStatus::Sample;) {
      for (SegmentMotion& segment : sample.segments) {
        segment.p_WS += noise * Eigen::Vector3d(normal(random), normal(random), normal(random));
        if (share(random) < missing) segment.has_position = false;
      }
      EXPECT_EQ(out->write(sample), WriteStatus::Written);
    }
    out->close();
    return io::open_recording(path);
  };
  const auto clean = write("clean.trc", 0.0, 0.0), noisy = write("noisy.trc", 0.015, 0.05);
  EXPECT_EQ(notes_of(*clean).find("jitter"), std::string::npos);
  EXPECT_NE(notes_of(*noisy).find("jitter"), std::string::npos);
  const RetargetResult right = onto_g1(*clean), result = onto_g1(*noisy);
  EXPECT_LT(largest_step(result), 1.5 * largest_step(right));
  ASSERT_TRUE(result.figures.foot_skate_p95_mm_s.has_value());
  EXPECT_LT(*result.figures.foot_skate_p95_mm_s, 30.0);
  const std::vector<double> a = knees(*clean), b = knees(*noisy);
  ASSERT_EQ(a.size(), b.size());
  double sum = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += (a[k] - b[k]) * (a[k] - b[k]);
  EXPECT_LT(std::sqrt(sum / static_cast<double>(a.size())), 3.0);  // without cleaning 4.7
  std::filesystem::remove_all(folder);
}

INSTANTIATE_TEST_SUITE_P(Clips, NoisyWalks,
                         ::testing::Values("bvh/cmu/002_01.bvh", "bvh/cmu/007_01.bvh", "bvh/cmu/007_04.bvh"));

TEST(PointRecordings, GroundPutsSolesThatFloatOntoTheFloor) {
  for (const char* file : {"bvh/field/rokoko_jesse_dance.bvh", "cases/13_squats_with_fixed_root.bvh"}) {
    PANTO_NEED_DATA(file);
    io::MappedHints hints;
    std::vector<std::string> notes;
    const auto floating = io::open_mapped_recording(test::data_file(file), hints, notes);
    const FloorFit before = find_floor(read_soles(*floating));
    EXPECT_NE(floor_note(before).find("the soles float"), std::string::npos) << file;
    hints.hints.ground = true;
    const auto grounded = io::open_mapped_recording(test::data_file(file), hints, notes);
    EXPECT_NE(notes_of(*grounded).find("put on the floor"), std::string::npos) << file;
    const FloorFit after = find_floor(read_soles(*grounded));
    EXPECT_TRUE(after.drop.empty()) << file;
    EXPECT_NEAR(after.height, 0.0, 0.01) << file;
    EXPECT_TRUE(floor_note(after).empty()) << file;
  }
}

TEST(PointRecordings, GroundLeavesADanceOnItsFloor) {
  PANTO_NEED_DATA("lafan1/dance1_subject2.bvh");
  const auto dance = io::open_recording(test::data_file("lafan1/dance1_subject2.bvh"));
  EXPECT_TRUE(floor_note(find_floor(read_soles(*dance))).empty());
}

}  // namespace
}  // namespace panto
