#include "panto/io/landmarks.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/io/keypoint_io.hpp"
#include "panto/io/npy_writer.hpp"
#include "panto/io/open_recording.hpp"
#include "panto/keypoints/point_sets.hpp"
#include "tests/io/table_fixture.hpp"
#include "tests/support/corruption.hpp"

namespace panto::io {
namespace {

using panto::test::error_of;

KeypointClip csv(std::string_view text) {
  std::istringstream stream{std::string(text)};
  return read_landmark_csv(stream, "a.csv");
}
KeypointClip json(std::string_view text) { return read_landmark_json(text, "a.json"); }

const std::string kWide =
    "frame,nose_x,nose_y,nose_z,nose_visibility,left_hip_x,left_hip_y,left_hip_z,left_hip_visibility,"
    "right_hip_x,right_hip_y,right_hip_z,right_hip_visibility,left_knee_x,left_knee_y,left_knee_z,left_knee_"
    "visibility,"
    "left_heel_x,left_heel_y,left_heel_z,left_heel_visibility\n"
    "3,0,-0.6,0.1,0.9,0.1,0,0,0.9,-0.1,0,0,0.9,0.1,0.4,0,0.9,0.1,0.8,0,0.2\n"
    "5,0,-0.6,0.2,0.9,0.1,0,0,0.9,-0.1,0,0,0.9,,,,,0.1,0.8,0,0.9\n";

const std::string kFrames =
    R"([{"frame": 0, "people": [{"keypoints": [[0, 1, 2], [1, 1, 2], [2, 1, 3], [3, 1, 2], [4, 1, 5]]}]},
        {"frame": 2, "people": [{"keypoints": [[0, 1, 3], [1, 1, 2], [2, 1, 3], [3, 1, 2], [4, 1, NaN]]}]}])";
const std::string kNamed =
    R"({"fps": 50, "keypoint_names": ["nose", "left_hip", "right_hip", "left_knee", "right_knee"],
  "frames": )" +
    kFrames + "}";

TEST(Landmarks, OfATableKeepFrameNumbersAndTakeLowConfidenceAsNotSeen) {
  const KeypointClip clip = csv(kWide);
  EXPECT_EQ(clip.names,
            (std::vector<std::string>{"nose", "left_hip", "right_hip", "left_knee", "left_heel"}));
  ASSERT_EQ(clip.frames(), 2);
  // two frames of a video apart
  EXPECT_EQ(clip.times[1] - clip.times[0], frame_time(2, 30.0));
  EXPECT_EQ(clip.position(1, 0), Eigen::Vector3d(0, -0.6, 0.2));
  EXPECT_TRUE(std::isnan(clip.position(1, 3).x())) << "empty cells";
  EXPECT_TRUE(std::isnan(clip.position(0, 4).x())) << "confidence 0.2";
}

TEST(Landmarks, OfJsonAreFoundWhateverLiesAroundThem) {
  const KeypointClip clip = json(kNamed);
  ASSERT_EQ(clip.frames(), 2);
  EXPECT_EQ(clip.rate_hz, 25.0) << "every second frame of 50 Hz";
  EXPECT_EQ(clip.names[4], "right_knee");
  EXPECT_EQ(clip.position(0, 4), Eigen::Vector3d(4, 1, 5));
  EXPECT_TRUE(std::isnan(clip.position(1, 4).x())) << "Python writes NaN";
}

TEST(Landmarks, TablesAreToldFromTablesOfOtherThings) {
  EXPECT_TRUE(is_landmark_csv(kWide));
  EXPECT_TRUE(is_landmark_csv("frame,landmark,x,y,z\n"));
  EXPECT_TRUE(is_landmark_csv("class,x1,y1,z1,v1,x2,y2,z2,v2,x3,y3,z3,v3,x4,y4,z4,v4,x5,y5,z5,v5,x6"));
  EXPECT_FALSE(is_landmark_csv("time_s,pelvis.acc_x_m_s2,pelvis.acc_y_m_s2,pelvis.acc_z_m_s2\n"));
  EXPECT_FALSE(
      is_landmark_csv("time_s,base_x_m,base_y_m,base_z_m,base_qw,base_qx,base_qy,base_qz,jL5S1_rotx_rad\n"));
  EXPECT_FALSE(
      is_landmark_csv("Frame,root_translateX,root_translateY,root_translateZ,left_hip_pitch_joint_dof\n"));
  EXPECT_FALSE(is_landmark_csv("Time,acc_x,acc_y,acc_z,gyr_x,gyr_y,gyr_z,mag_x,mag_y,mag_z,q_x,q_y,q_z\n"));
  EXPECT_FALSE(is_landmark_csv("x,y,z\n"));
  EXPECT_FALSE(is_landmark_csv(""));
}

TEST(Landmarks, SayWhatIsWrongWhereAndWhatToDo) {
  EXPECT_NE(error_of([] { (void)csv(kWide + "4,a\n"); }).find("a.csv:4: 2 cells instead of 21"),
            std::string::npos);
  std::string text = kWide;
  text.replace(text.find("-0.6"), 4, "up");
  EXPECT_NE(error_of([&] { (void)csv(text); }).find("a.csv:2: cell 3 is 'up', not a number"),
            std::string::npos);
  text = kWide;
  text.replace(text.find("\n5,") + 1, 1, "2");
  EXPECT_NE(error_of([&] { (void)csv(text); }).find("a.csv:3: the frame 2 comes after frame 3"),
            std::string::npos);
  EXPECT_NE(error_of([] { (void)json(kNamed.substr(0, 300)); }).find("a.json: invalid JSON at byte 3"),
            std::string::npos);
  EXPECT_NE(error_of([] { (void)json("{\"people\": []}"); }).find("holds no landmarks"), std::string::npos);
  EXPECT_NE(error_of([] { (void)json(kFrames); }).find("5 points without names are no known set"),
            std::string::npos);
}

TEST(Landmarks, OfAnImageAreRefusedAtEveryDoor) {
  const std::string flat = R"([{"keypoints": [[10, 1], [1, 10], [2, 1], [3, 10], [4, 1]]}])";
  EXPECT_NE(error_of([&] { (void)json(flat); }).find("2D"), std::string::npos);
  EXPECT_NE(
      error_of([] {
        (void)csv(
            "frame,nose_x,nose_y,neck_x,neck_y,left_hip_x,left_hip_y,left_knee_x,left_knee_y,left_ankle_x,"
            "left_ankle_y\n0,1,2,3,4,5,6,7,8,9,10\n");
      }).find("2D"),
      std::string::npos);
  const std::string array = npy(std::vector<double>(34, 1.0), "1, 17, 2");
  EXPECT_NE(error_of([&] { (void)open_recording(array, "a.npy"); }).find("2D"), std::string::npos);
}

TEST(Landmarks, DamagedTablesAndJsonAreErrorsOrRecoveredParts) {
  const auto read_csv = [](std::string_view text) { (void)csv(text); };
  const auto read_json = [](std::string_view text) { (void)json(text); };
  auto count = test::try_truncations(kWide, 400, read_csv);
  count += test::try_corruptions(kWide, 5, read_csv, 0.5);
  EXPECT_GT(count.refused, 100);
  EXPECT_GT(count.recovered, 10);
  count = test::try_truncations(kNamed, 400, read_json);
  count += test::try_corruptions(kNamed, 6, read_json, 0.5);
  EXPECT_GT(count.refused, 100);
  EXPECT_GT(count.recovered, 3);
}

TEST(Landmarks, HostileFilesCostNoMoreThanTheirBytes) {
  // every row a new frame and a new name: frames x names would be a million million
  std::string tall = "frame,landmark,x,y,z\n";
  for (int k = 0; k < 900; ++k)
    tall += std::to_string(k) + ",n" + std::to_string(k) + ",1,2," + std::to_string(k) + "\n";
  EXPECT_NE(error_of([&] { (void)csv(tall); }).find("missing in most frames"), std::string::npos);
  for (int k = 900; k < 1100; ++k) tall += std::to_string(k) + ",n" + std::to_string(k) + ",1,2,3\n";
  EXPECT_NE(error_of([&] { (void)csv(tall); }).find("more than 1000 landmarks"), std::string::npos);
  EXPECT_NE(error_of([] { (void)json(std::string(200000, '[')); }).find("invalid JSON"), std::string::npos);
  EXPECT_NE(error_of([] {
              (void)json(std::string(50000, '[') + std::string(50000, ']'));
            }).find("holds no landmarks"),
            std::string::npos);
}

}  // namespace
}  // namespace panto::io
