// Points onto the human: a recording with an independent answer, and synthetic truth through every file
// format.

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <numbers>
#include <random>

#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/evaluation/metrics.hpp"
#include "panto/io/keypoint_io.hpp"
#include "panto/io/open_recording.hpp"
#include "panto/io/opensim.hpp"
#include "panto/io/recording_formats.hpp"
#include "panto/io/sample_file.hpp"
#include "panto/io/state_file.hpp"
#include "panto/keypoints/keypoints.hpp"
#include "panto/math/so3.hpp"
#include "panto/model/human.hpp"
#include "panto/tracking/segment_tracker.hpp"
#include "tests/support/recorded_motion.hpp"
#include "tests/support/test_data.hpp"
#include "tests/support/tracked_motion.hpp"

namespace panto {
namespace {

using enum HumanSegment::Index;

using Eigen::Matrix3d;
using Eigen::Vector3d;

using test::between;
using test::kDegree;
using test::mean;
using test::track;
using test::Tracked;

// ---- synthetic truth --------------------------------------------------------------------------------------

class Synthetic : public ::testing::Test {
 protected:
  Synthetic()
      : folder_(std::filesystem::path(::testing::TempDir()) /
                ("panto_" + std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()))) {
    std::filesystem::create_directories(folder_);
  }
  ~Synthetic() override { std::filesystem::remove_all(folder_); }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  // writes only the origins: joint centres without any orientation
  std::string write_points(const std::string& name, const test::RecordedMotion& motion) const {
    const auto file = io::create_sample_file(path(name), human_segment_names(), {kRate});
    for (SegmentSample sample : motion.samples) {
      for (SegmentMotion& segment : sample.segments) segment.has_orientation = false;
      EXPECT_EQ(file->write(sample), WriteStatus::Written);
    }
    file->close();
    return path(name);
  }

  static constexpr double kRate = 60.0;
  std::filesystem::path folder_;
};

TEST_F(Synthetic, JointCentresThroughEveryFormatGiveBackDirectionsAndKnees) {
  const Model truth = human66();
  const test::RecordedMotion motion = test::synthetic_motion("walk", truth, 4.0, kRate);
  for (const char* name : {"walk.npz", "walk.csv", "walk.trc"}) {
    const auto file = io::open_recording(write_points(name, motion));
    const Tracked tracked = track(*file);
    ASSERT_EQ(tracked.states.size(), motion.samples.size()) << name;
    std::vector<double> knee, hip_error;
    double worst = 0.0;
    for (std::size_t k = 0; k < tracked.states.size(); ++k) {
      EXPECT_EQ(tracked.states[k].t, motion.samples[k].t);
      for (int i :
           {int{RightLowerLeg}, int{RightFoot}, int{LeftLowerLeg}, int{LeftFoot}, int{RightForeArm},
            int{RightHand}, int{LeftForeArm}, int{LeftHand}, int{Neck}, int{RightToe}, int{LeftToe}}) {
        const int parent = i == Neck ? int{T8} : kHumanSegmentParent[at(i)];
        const auto& s = motion.samples[k].segments;
        worst = std::max(worst, between(s[at(i)].p_WS - s[at(parent)].p_WS,
                                        tracked.p[k][at(i)] - tracked.p[k][at(parent)]));
      }
      for (const char* joint : {"jRightKnee_roty", "jLeftKnee_roty"})
        knee.push_back(std::abs(tracked.joint(k, joint) - motion.truth[k].s[truth.joint_index(joint)]) /
                       kDegree);
    }
    std::printf("%s: directions within %.3f deg, knee flexion within %.3f deg (mean %.3f)\n", name, worst,
                *std::max_element(knee.begin(), knee.end()), mean(knee));
    EXPECT_LT(worst, 1.0) << name;
    EXPECT_LT(*std::max_element(knee.begin(), knee.end()), 1.0) << name;
  }
}

TEST_F(Synthetic, OtherUnitsAndUpAxesAreTheSameMotion) {
  const Model truth = human66();
  const test::RecordedMotion motion = test::synthetic_motion("walk", truth, 2.0, kRate);
  const KeypointClip clip = io::read_npz(write_points("walk.npz", motion));
  const auto read = [](KeypointClip changed) {
    changed.unit = 0.0;
    changed.up.clear();
    const auto file = io::open_keypoints(std::move(changed), "npz");
    EXPECT_EQ(file->info().untrackable, "");
    std::vector<SegmentSample> samples;
    for (SegmentSample sample; file->read(sample) == ReadStatus::Sample;) samples.push_back(sample);
    return samples;
  };
  const auto reference = read(clip);
  for (const double scale : {0.01, 1.0, 100.0, 1000.0, 3.7}) {
    for (int turns = 0; turns < 3; ++turns) {
      KeypointClip changed = clip;
      for (std::size_t i = 0; i < changed.positions.size() / 3; ++i) {
        for (std::size_t axis = 0; axis < 3; ++axis)
          changed.positions[3 * i + (axis + static_cast<std::size_t>(turns)) % 3] =
              scale * clip.positions[3 * i + axis];
      }
      const auto samples = read(changed);
      ASSERT_EQ(samples.size(), reference.size());
      for (std::size_t k = 0; k < samples.size(); k += 10) {
        for (int i = 0; i < kHumanSegmentCount; ++i) {
          EXPECT_LT(so3::distance(samples[k].segments[at(i)].R_WS, reference[k].segments[at(i)].R_WS), 1e-6)
              << scale << " " << turns << " " << kHumanSegmentNames[at(i)];
        }
      }
    }
  }
}

TEST_F(Synthetic, OrientationsInTheFileCountForMoreThanPoints) {
  const Model truth = human66();
  const test::RecordedMotion motion = test::synthetic_motion("walk", truth, 1.0, kRate);
  for (const char* name : {"full.csv", "full.npz"}) {
    const auto out = io::create_sample_file(path(name), human_segment_names(), {kRate});
    for (const SegmentSample& sample : motion.samples) ASSERT_EQ(out->write(sample), WriteStatus::Written);
    out->close();
    const auto file = io::open_recording(path(name));
    SegmentSample sample;
    for (std::size_t k = 0; file->read(sample) == ReadStatus::Sample; ++k) {
      for (int i = 0; i < kHumanSegmentCount; ++i) {
        EXPECT_LT(so3::distance(sample.segments[at(i)].R_WS, motion.samples[k].segments[at(i)].R_WS), 1e-7)
            << name;
        EXPECT_LT((sample.segments[at(i)].p_WS - motion.samples[k].segments[at(i)].p_WS).norm(), 1e-12)
            << name;
      }
    }
  }
}

// The capture of Tee et al.: points of the upper body, Euler angles of hands and head, 80 Hz.
TEST_F(Synthetic, AnUpperBodyWithEulerAnglesOfHandsAndHeadIsTracked) {
  const Model truth = human66();
  const test::RecordedMotion motion = test::synthetic_motion("reach", truth, 3.0, 80.0);
  std::ofstream out(path("tee.csv"));
  out.precision(12);
  out << "# joints and orientations of a "
         "gesture\ntime_s,waist_x_mm,waist_y_mm,waist_z_mm,neck_x_mm,neck_y_mm,neck_z_mm";
  const std::vector<std::pair<const char*, int>> arms{
      {"right_shoulder", int{RightUpperArm}}, {"right_elbow", int{RightForeArm}},
      {"right_wrist", int{RightHand}},        {"left_shoulder", int{LeftUpperArm}},
      {"left_elbow", int{LeftForeArm}},       {"left_wrist", int{LeftHand}}};
  const std::vector<std::pair<const char*, int>> turned{
      {"right_hand", int{RightHand}}, {"left_hand", int{LeftHand}}, {"head", int{Head}}};
  for (const auto& [name, segment] : arms)
    for (const char axis : {'x', 'y', 'z'}) out << "," << name << "_" << axis << "_mm";
  for (const auto& [name, segment] : turned)
    for (const char axis : {'z', 'y', 'x'}) out << "," << name << "_zyx_" << axis << "_deg";
  out << "\n";
  for (const SegmentSample& sample : motion.samples) {
    out << to_seconds(sample.t);
    const auto point = [&](int segment) {
      for (const double x : sample.segments[at(segment)].p_WS) out << "," << 1e3 * x;
    };
    point(Pelvis);
    point(Neck);
    for (const auto& arm : arms) point(arm.second);
    for (const auto& [name, segment] : turned) {
      const Matrix3d& R = sample.segments[at(segment)].R_WS;
      out << "," << std::atan2(R(1, 0), R(0, 0)) / kDegree << "," << -std::asin(R(2, 0)) / kDegree << ","
          << std::atan2(R(2, 1), R(2, 2)) / kDegree;
    }
    out << "\n";
  }
  out.close();
  const auto file = io::open_recording(path("tee.csv"));
  EXPECT_EQ(file->info().untrackable, "");
  EXPECT_NEAR(file->info().rate_hz, 80.0, 1e-3);
  const Tracked tracked = track(*file);
  ASSERT_EQ(tracked.states.size(), motion.samples.size());
  for (std::size_t k = 0; k < tracked.states.size(); ++k) {
    for (const int segment : {int{RightHand}, int{LeftHand}, int{Head}})
      ASSERT_LT(so3::distance(tracked.R[k][at(segment)], motion.samples[k].segments[at(segment)].R_WS),
                0.01 * kDegree);
    for (const int segment : {int{RightHand}, int{LeftHand}, int{RightForeArm}, int{LeftForeArm}}) {
      const auto& s = motion.samples[k].segments;
      const int parent = kHumanSegmentParent[at(segment)];
      ASSERT_LT(between(s[at(segment)].p_WS - s[at(parent)].p_WS,
                        tracked.p[k][at(segment)] - tracked.p[k][at(parent)]),
                0.1);
    }
  }
}

TEST_F(Synthetic, OurOwnTablesOfJointAnglesOpenAsRecordings) {
  for (const bool large : {true, false}) {
    const Model model = large ? human66() : human48();
    const test::RecordedMotion motion = test::synthetic_motion("walk", model, 1.0, kRate);
    for (const char* name : {"walk.csv", "walk.mot", "walk.sto"}) {
      const auto out = io::create_state_file(path(name), model, {kRate});
      for (const State& state : motion.truth) ASSERT_EQ(out->write(state), WriteStatus::Written);
      out->close();
      const auto file = io::open_recording(path(name));
      EXPECT_NE(file->info().format.find(model.name()), std::string::npos) << file->info().format;
      EXPECT_EQ(file->info().rate_hz, kRate);
      SegmentSample sample;
      std::size_t k = 0;
      for (; file->read(sample) == ReadStatus::Sample; ++k) {
        ASSERT_EQ(sample.t, motion.samples[k].t);
        for (int i = 0; i < kHumanSegmentCount; ++i) {
          ASSERT_LT(so3::distance(sample.segments[at(i)].R_WS, motion.samples[k].segments[at(i)].R_WS), 1e-9);
          ASSERT_LT((sample.segments[at(i)].p_WS - motion.samples[k].segments[at(i)].p_WS).norm(), 1e-9);
        }
      }
      EXPECT_EQ(k, motion.samples.size());
    }
  }
}

TEST_F(Synthetic, OrientationsOfSegmentsGoThroughATableOfOpenSim) {
  const Model truth = human66();
  const test::RecordedMotion motion = test::synthetic_motion("walk", truth, 1.0, kRate);
  const auto out = io::create_sample_file(path("walk.sto"), human_segment_names(), {kRate});
  for (const SegmentSample& sample : motion.samples) ASSERT_EQ(out->write(sample), WriteStatus::Written);
  out->close();
  const auto file = io::open_recording(path("walk.sto"));
  EXPECT_EQ(file->info().untrackable, "");
  EXPECT_EQ(file->info().attachments.attachments.size(), 23U);
  SegmentSample sample;
  for (std::size_t k = 0; file->read(sample) == ReadStatus::Sample; ++k) {
    for (int i = 0; i < kHumanSegmentCount; ++i)
      ASSERT_LT(so3::distance(sample.segments[at(i)].R_WS, motion.samples[k].segments[at(i)].R_WS), 1e-7);
  }
}

// Markers of the Plug-in Gait set on a body of known joints.
// size: a marker set, marker by marker
TEST_F(Synthetic, OuterMarkersOfAKnownBodyGiveItsJoints) {
  const Model truth = human66();
  const test::RecordedMotion motion = test::synthetic_motion("walk", truth, 3.0, kRate);
  KeypointClip clip;
  clip.name = "synthetic";
  clip.unit = 1.0;
  clip.rate_hz = kRate;
  struct Marker {
    const char* name;
    int segment;
    Vector3d place;  // in the segment, right side
  };
  const double H = 1.75;
  // half a breadth and a marker's radius out from knee and ankle, as the reader assumes for this height;
  // ASIS and PSIS so that Harrington's hips are the model's: depth 0.15, breadth from the hips' distance
  const double breadth = (0.0525 * H - 0.0073) / 0.33, depth = 0.15;
  const double x = 0.24 * depth + 0.0099, z = 0.30 * breadth + 0.0109;
  const std::array markers{Marker{"ASI", Pelvis, {x, -0.5 * breadth, z}},
                           Marker{"PSI", Pelvis, {x - depth, -0.05, z}},
                           Marker{"KNE", RightLowerLeg, {0, -(0.0285 * H + 0.007), 0}},
                           Marker{"ANK", RightFoot, {0, -(0.020 * H + 0.007), 0}},
                           Marker{"HEE", RightFoot, {-0.06, 0, -0.05}},
                           Marker{"TOE", RightToe, {0, 0, 0.018}},
                           Marker{"SHO", RightUpperArm, {0, 0, 0.06}},
                           Marker{"ELB", RightForeArm, {0, 0, 0.020 * H + 0.007}},
                           Marker{"WRA", RightHand, {0.03, 0, 0}},
                           Marker{"WRB", RightHand, {-0.03, 0, 0}}};
  for (const Marker& marker : markers) {
    for (const char* side : {"R", "L"}) clip.names.push_back(std::string(side) + marker.name);
  }
  for (const SegmentSample& sample : motion.samples) {
    clip.times.push_back(sample.t);
    for (const Marker& marker : markers) {
      for (const int side : {0, 1}) {
        int segment = marker.segment;
        if (side == 1 && segment >= RightUpperLeg) segment += LeftUpperLeg - RightUpperLeg;
        if (side == 1 && segment >= RightShoulder && segment <= RightHand)
          segment += LeftShoulder - RightShoulder;
        Vector3d place = marker.place;
        if (side == 1) place.y() = -place.y();
        const SegmentMotion& s = sample.segments[at(segment)];
        // markers of the lower segment's frame sit beside the joint at its origin
        const Vector3d p = s.R_WS * place + s.p_WS;
        clip.positions.insert(clip.positions.end(), p.begin(), p.end());
      }
    }
  }
  const auto file = io::open_keypoints(clip, "markers");
  ASSERT_EQ(file->info().untrackable, "");
  const Tracked tracked = track(*file);
  std::vector<double> knee, place;
  for (std::size_t k = 0; k < tracked.states.size(); ++k) {
    for (const char* joint : {"jRightKnee_roty", "jLeftKnee_roty"})
      knee.push_back(std::abs(tracked.joint(k, joint) - motion.truth[k].s[truth.joint_index(joint)]) /
                     kDegree);
    for (const int i :
         {int{RightLowerLeg}, int{LeftLowerLeg}, int{RightFoot}, int{LeftFoot}, int{RightUpperLeg}})
      place.push_back((tracked.p[k][at(i)] - motion.samples[k].segments[at(i)].p_WS).norm());
  }
  std::printf("outer markers: knee flexion mean %.2f, max %.2f deg; joints mean %.1f mm\n", mean(knee),
              *std::max_element(knee.begin(), knee.end()), 1e3 * mean(place));
  EXPECT_LT(mean(knee), 2.0);
  EXPECT_LT(mean(place), 0.015);
}

}  // namespace
}  // namespace panto
