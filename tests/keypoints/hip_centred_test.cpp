#include "panto/keypoints/hip_centred.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "panto/base/index.hpp"
#include "panto/keypoints/point_sets.hpp"

namespace panto::keypoints {
namespace {

using Eigen::Vector3d;

// A person who leans forward by 1 cm a frame over feet that stand: points around the hips, z up.
KeypointClip leaning(int frames) {
  const std::vector<std::pair<std::string, Vector3d>> body{{"right_hip", {0, -0.1, 0}},
                                                           {"left_hip", {0, 0.1, 0}},
                                                           {"right_knee", {0.1, -0.1, -0.4}},
                                                           {"left_knee", {0.1, 0.1, -0.4}},
                                                           {"right_ankle", {0, -0.1, -0.8}},
                                                           {"left_ankle", {0, 0.1, -0.8}},
                                                           {"right_heel", {-0.05, -0.1, -0.88}},
                                                           {"left_heel", {-0.05, 0.1, -0.88}},
                                                           {"right_toe", {0.15, -0.1, -0.88}},
                                                           {"left_toe", {0.15, 0.1, -0.88}},
                                                           {"neck", {0, 0, 0.5}},
                                                           {"right_shoulder", {0, -0.2, 0.48}},
                                                           {"left_shoulder", {0, 0.2, 0.48}},
                                                           {"head", {0, 0, 0.6}}};
  KeypointClip clip;
  clip.name = "a.npz";
  clip.unit = 1.0;
  clip.rate_hz = 30.0;
  for (const auto& [name, place] : body) clip.names.push_back(name);
  for (int k = 0; k < frames; ++k) {
    clip.times.push_back(frame_time(k, 30.0));
    for (const auto& [name, place] : body) {
      const bool stands = name.find("ankle") != std::string::npos || name.find("heel") != std::string::npos ||
                          name.find("toe") != std::string::npos;
      Vector3d p = place;
      if (stands) p -= k * Vector3d(0.01, 0, -0.002);
      clip.positions.insert(clip.positions.end(), p.data(), p.data() + 3);
    }
  }
  return clip;
}

TEST(HipCentred, FeetThatStandGiveTheHipsTheirPath) {
  KeypointClip clip = leaning(20);
  ASSERT_TRUE(is_hip_centred(clip));
  EXPECT_NE(give_path(clip).find("have no path"), std::string::npos);
  for (int k = 0; k < 20; ++k) {
    // x forward in the file and in the world; the hips come down by 2 mm a frame
    const Vector3d hips = 0.5 * (clip.position(k, 0) + clip.position(k, 1));
    EXPECT_LT((hips - Vector3d(0.01 * k, 0, 0.88 - 0.002 * k)).norm(), 1e-9) << k;
    EXPECT_NEAR(clip.position(k, 6).z(), 0.0, 1e-9);
  }
  EXPECT_FALSE(is_hip_centred(clip)) << "a path is not given twice";
}

TEST(HipCentred, PointsThatMoveTheirHipsKeepTheirPath) {
  KeypointClip clip = leaning(20);
  for (std::size_t i = 0; i < clip.positions.size(); i += 3) clip.positions[i] += 0.5;
  EXPECT_FALSE(is_hip_centred(clip));
}

TEST(PointSets, AreRefusedByNumberWithTheNumbersThatAreKnown) {
  std::string problem;
  EXPECT_EQ(find_point_set(19, std::vector<double>(57, 1.0), problem), nullptr);
  EXPECT_NE(problem.find("19 points without names are no known set (17, 18"), std::string::npos);
  EXPECT_EQ(find_point_set(17, std::vector<double>(51, 1.0), problem), nullptr);
  EXPECT_NE(problem.find("coco 17, human3.6m"), std::string::npos) << "all in one place";
  EXPECT_TRUE(is_point_count(133));
  EXPECT_FALSE(is_point_count(19));
}

TEST(PointSets, OfWholeBodiesNameFeetAndKnuckles) {
  std::string body;
  for (int i = 0; i < 17; ++i) body += (i == 0 ? "p" : " p") + std::to_string(i);
  const std::vector<std::string> names = names_of({"a", 133, body, 91, 112});
  ASSERT_EQ(names.size(), 133U);
  // mmpose/configs/_base_/datasets/coco_wholebody.py: 96 left_forefinger1, 129 right_pinky_finger1
  EXPECT_EQ(names[96], "left_index");
  EXPECT_EQ(names[129], "right_pinky");
  EXPECT_EQ(names[30], "");
}

}  // namespace
}  // namespace panto::keypoints
