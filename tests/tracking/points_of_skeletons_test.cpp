// Recorded skeletons written as points and tracked from those: judged against the skeleton's own joints.

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "panto/base/index.hpp"
#include "panto/io/open_recording.hpp"
#include "panto/io/sample_file.hpp"
#include "panto/math/so3.hpp"
#include "panto/model/human.hpp"
#include "tests/support/test_data.hpp"
#include "tests/support/tracked_motion.hpp"

namespace panto {
namespace {

using test::between;
using test::kDegree;
using test::track;
using test::Tracked;

constexpr std::array kClips{"bvh/cmu/002_01.bvh",
                            "bvh/cmu/005_02.bvh",
                            "bvh/cmu/007_01.bvh",
                            "bvh/cmu/131_01.bvh",
                            "bvh/cmu/131_02.bvh",
                            "bvh/cmu/scaled_131_01.bvh",
                            "bvh/corner-cases/bvh_example.bvh",
                            "bvh/corner-cases/bvh_test2.bvh",
                            "bvh/corner-cases/cmu_12_01_walk.bvh",
                            "bvh/corner-cases/test_freebvh.bvh",
                            "bvh/oracle/walk01.bvh"};

constexpr double kPlace = 0.01;  // [m], half of what docs/formats/convert.md promises of points
constexpr double kBone = 3.0;    // [deg]
constexpr double kShort = 0.05;  // [m] shorter bones have no direction to speak of

class PointsOfSkeletons : public ::testing::TestWithParam<const char*> {
 protected:
  PointsOfSkeletons()
      : folder_(std::filesystem::path(::testing::TempDir()) /
                ("panto_points_" + std::filesystem::path(GetParam()).stem().string())) {
    std::filesystem::create_directories(folder_);
  }
  ~PointsOfSkeletons() override { std::filesystem::remove_all(folder_); }

  // the recording's segments, written as points and tracked from those
  Tracked through(const std::string& extension) {
    const auto source = io::open_recording(test::data_file(GetParam()));
    const std::string path = (folder_ / ("points" + extension)).string();
    const auto out = io::create_sample_file(path, source->names(), {source->info().rate_hz});
    truth_.clear();
    for (SegmentSample sample; source->read(sample) == ReadStatus::Sample;) {
      truth_.push_back(sample);
      EXPECT_EQ(out->write(sample), WriteStatus::Written);
    }
    out->close();
    const auto file = io::open_recording(path);
    EXPECT_EQ(file->info().untrackable, "");
    return track(*file);
  }

  // worst over the clip, of every joint that the recording has
  void expect_joints_where_they_were(const Tracked& tracked, const std::string& extension) const {
    ASSERT_EQ(tracked.states.size(), truth_.size());
    double worst_place = 0.0, worst_bone = 0.0;
    for (std::size_t k = 0; k < truth_.size(); ++k) {
      for (int i = 0; i < kHumanSegmentCount; ++i) {
        const SegmentMotion& own = truth_[k].segments[at(i)];
        if (!own.has_position) continue;
        const double place = (tracked.p[k][at(i)] - own.p_WS).norm();
        worst_place = std::max(worst_place, place);
        ASSERT_LT(place, kPlace) << kHumanSegmentNames[at(i)] << " in frame " << k << " of " << extension;
        const int parent = kHumanSegmentParent[at(i)];
        if (parent < 0 || !truth_[k].segments[at(parent)].has_position) continue;
        const Eigen::Vector3d bone = own.p_WS - truth_[k].segments[at(parent)].p_WS;
        if (bone.norm() < kShort) continue;
        const double angle = between(bone, tracked.p[k][at(i)] - tracked.p[k][at(parent)]);
        worst_bone = std::max(worst_bone, angle);
        ASSERT_LT(angle, kBone) << kHumanSegmentNames[at(i)] << " in frame " << k << " of " << extension;
      }
    }
    std::printf("%s %s: joints within %.1f mm, bones within %.2f deg\n", GetParam(), extension.c_str(),
                1e3 * worst_place, worst_bone);
  }

  std::vector<SegmentSample> truth_;

 private:
  std::filesystem::path folder_;
};

TEST_P(PointsOfSkeletons, PlaceEveryJointWhereTheSkeletonHasIt) {
  PANTO_NEED_DATA(GetParam());
  expect_joints_where_they_were(through(".trc"), ".trc");
}

TEST_P(PointsOfSkeletons, WithOrientationsTurnEverySegmentAsTheSkeletonDoes) {
  PANTO_NEED_DATA(GetParam());
  const Tracked tracked = through(".npz");
  expect_joints_where_they_were(tracked, ".npz");
  for (std::size_t k = 0; k < truth_.size(); ++k) {
    for (int i = 0; i < kHumanSegmentCount; ++i) {
      const SegmentMotion& own = truth_[k].segments[at(i)];
      if (!own.has_orientation) continue;
      ASSERT_TRUE(tracked.samples[k].segments[at(i)].has_orientation) << kHumanSegmentNames[at(i)];
      ASSERT_LT(so3::distance(own.R_WS, tracked.R[k][at(i)]) / kDegree, 0.1)
          << kHumanSegmentNames[at(i)] << " in frame " << k;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Clips, PointsOfSkeletons, ::testing::ValuesIn(kClips),
                         [](const auto& clip) { return std::filesystem::path(clip.param).stem().string(); });

}  // namespace
}  // namespace panto
