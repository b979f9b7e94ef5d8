// Damaged BVH files: a FormatError or a recovered part, never anything else. Run under the sanitizers too.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "panto/base/error.hpp"
#include "panto/io/bvh.hpp"
#include "panto/io/text_scanner.hpp"
#include "tests/support/corruption.hpp"
#include "tests/support/test_data.hpp"

namespace {

using namespace panto;
using namespace panto::io;

// every sample below 64 KiB
std::vector<std::string> small_recordings() {
  std::vector<std::string> paths;
  const auto folder = panto::test::data_root() / "bvh";
  if (!std::filesystem::exists(folder)) return paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".bvh" && entry.file_size() < 65536)
      paths.push_back(entry.path().string());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

// whatever was understood must hold together
void read_and_check(std::string_view text) {
  const BvhClip clip = read_bvh(text, "damaged.bvh");
  ASSERT_EQ(clip.values.size(),
            static_cast<std::size_t>(clip.frame_count) * static_cast<std::size_t>(clip.channel_count));
  ASSERT_LE(clip.values.size(), text.size());
  ASSERT_LE(clip.values.capacity(), text.size() + 16) << "memory follows the bytes present, not a count";
  ASSERT_TRUE(std::isfinite(clip.rate_hz) && clip.rate_hz > 0.0);
  for (const double value : clip.values) ASSERT_TRUE(std::isfinite(value));
  for (std::size_t i = 0; i < clip.joints.size(); ++i) ASSERT_LT(clip.joints[i].parent, static_cast<int>(i));
  if (clip.frame_count > 0) {
    SkeletonPose pose;
    bvh_pose(clip, clip.frame_count - 1, pose);
  }
}

TEST(BvhRobustness, EveryTruncationIsAnErrorOrARecoveredPart) {
  PANTO_NEED_DATA("bvh/oracle/walk01.bvh");
  panto::test::CorruptionCount total;
  for (const std::string& path : small_recordings()) {
    SCOPED_TRACE(path);
    const std::string text = read_text_file(path, 65536);
    total += panto::test::try_truncations(text, text.find("MOTION"), read_and_check);
  }
  RecordProperty("recovered", static_cast<int>(total.recovered));
  RecordProperty("refused", static_cast<int>(total.refused));
  EXPECT_GT(total.recovered, 100);
  EXPECT_GT(total.refused, 1000);
}

TEST(BvhRobustness, ATruncationNeverChangesTheFramesThatItKeeps) {
  PANTO_NEED_DATA("bvh/oracle/walk01.bvh");
  const std::string text = read_text_file(panto::test::data_file("bvh/oracle/walk01.bvh"), 65536);
  const BvhClip whole = read_bvh(text, "whole");
  std::size_t wrong = 0;
  for (std::size_t length = text.find("Frame Time") + 30; length < text.size();
       length += panto::test::thorough() ? 1 : 97) {
    const BvhClip part = read_bvh(std::string_view(text).substr(0, length), "part");
    // of the last number only digits can be missing
    const std::size_t sure = part.values.empty() ? 0 : part.values.size() - 1;
    if (!std::equal(part.values.begin(), part.values.begin() + static_cast<std::ptrdiff_t>(sure),
                    whole.values.begin()))
      ++wrong;
  }
  EXPECT_EQ(wrong, 0U);
}

TEST(BvhRobustness, RandomCorruptionIsAnErrorOrARecoveredPart) {
  PANTO_NEED_DATA("bvh/oracle/walk01.bvh");
  const auto paths = small_recordings();
  panto::test::CorruptionCount total;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    SCOPED_TRACE(paths[i]);
    total += panto::test::try_corruptions(read_text_file(paths[i], 65536), 2024 + i, read_and_check,
                                          1.0 / static_cast<double>(paths.size()));
  }
  RecordProperty("recovered", static_cast<int>(total.recovered));
  RecordProperty("refused", static_cast<int>(total.refused));
  EXPECT_GT(total.refused, 0);
}

TEST(BvhRobustness, CorruptedHierarchiesAreErrorsOrRecoveredParts) {
  // most of a recording is numbers: the grammar deserves its own share
  PANTO_NEED_DATA("bvh/corner-cases/standard_skeleton.bvh");
  const std::string text =
      read_text_file(panto::test::data_file("bvh/corner-cases/standard_skeleton.bvh"), 65536);
  const auto total = panto::test::try_corruptions(text, 7, read_and_check);
  EXPECT_GT(total.recovered, 0);
  EXPECT_GT(total.refused, 0);
}

TEST(BvhRobustness, WhateverWasUnderstoodCanBeWrittenAndReadBack) {
  PANTO_NEED_DATA("bvh/corner-cases/standard_skeleton.bvh");
  const std::string text =
      read_text_file(panto::test::data_file("bvh/corner-cases/standard_skeleton.bvh"), 65536);
  const auto round_trip = [](std::string_view damaged) {
    const BvhClip clip = read_bvh(damaged, "damaged.bvh");
    const BvhClip again = read_bvh(write_bvh(clip), "written.bvh");
    ASSERT_EQ(again.joints, clip.joints);
    ASSERT_EQ(again.values, clip.values);
    ASSERT_EQ(again.frame_count, clip.frame_count);
    ASSERT_EQ(again.frame_time, clip.frame_time);
  };
  panto::test::try_corruptions(text, 8, round_trip);
}

}  // namespace
