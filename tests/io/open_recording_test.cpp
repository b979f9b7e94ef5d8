#include "panto/io/open_recording.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "panto/base/error.hpp"
#include "tests/support/test_data.hpp"

namespace {

using namespace panto;
using namespace panto::io;

class MotionFileTest : public ::testing::Test {
 protected:
  MotionFileTest()
      : folder_(std::filesystem::path(::testing::TempDir()) /
                (std::string("panto_") + ::testing::UnitTest::GetInstance()->current_test_info()->name())) {
    std::filesystem::create_directories(folder_);
  }
  ~MotionFileTest() override { std::filesystem::remove_all(folder_); }

  std::string put(const std::string& name, const std::string& content) const {
    std::ofstream(folder_ / name, std::ios::binary) << content;
    return (folder_ / name).string();
  }
  std::string copy(const std::string& data, const std::string& name) const {
    std::filesystem::copy_file(panto::test::data_file(data), folder_ / name);
    return (folder_ / name).string();
  }
  static std::string refusal(const std::string& path) {
    try {
      (void)open_recording(path);
      return {};
    } catch (const FormatError& error) {
      return error.what();
    }
  }

  std::filesystem::path folder_;
};

TEST_F(MotionFileTest, IsToldApartByContentNotByName) {
  PANTO_NEED_DATA("mvnx/blender-mvnx-io_test_mocap.bvh");
  PANTO_NEED_DATA("mvnx/blender-mvnx-io_test_mocap.mvnx");
  EXPECT_EQ(open_recording(copy("mvnx/blender-mvnx-io_test_mocap.bvh", "a.bvh"))->info().format,
            "bvh (xsens)");
  EXPECT_EQ(open_recording(copy("mvnx/blender-mvnx-io_test_mocap.bvh", "b.mvnx"))->info().format,
            "bvh (xsens)");
  EXPECT_EQ(open_recording(copy("mvnx/blender-mvnx-io_test_mocap.mvnx", "c.mvnx"))->info().format, "mvnx 4");
  EXPECT_EQ(open_recording(copy("mvnx/blender-mvnx-io_test_mocap.mvnx", "d"))->info().format, "mvnx 4");
}

TEST_F(MotionFileTest, IsRecognisedAsItIsOpened) {
  EXPECT_EQ(recognise(put("a.bvh", "PathFileType\t4\n")), RecordingKind::Trc) << "whatever its name";
  EXPECT_EQ(recognise(put("b.dat", "\xef\xbb\xbf hierarchy\n")), RecordingKind::Bvh);
  EXPECT_EQ(recognise(put("c.bvh", "nonsense")), RecordingKind::Bvh);
  EXPECT_EQ(recognise(put("d.sto", "DataType=Quaternion\nendheader\n")), RecordingKind::Orientations);
  EXPECT_EQ(recognise(put("e.sto", "endheader\n")), RecordingKind::States);
  EXPECT_EQ(recognise(put("f.dat", "nonsense")), RecordingKind::Unknown);
  EXPECT_THROW((void)recognise((folder_ / "nowhere").string()), FormatError);
}

TEST_F(MotionFileTest, FallsBackOnTheExtensionForTheReadersOwnMessage) {
  EXPECT_NE(refusal(put("a.BVH", "nonsense")).find("a BVH file begins with HIERARCHY"), std::string::npos);
  EXPECT_NE(refusal(put("a.mvnx", "nonsense")), "");
}

TEST_F(MotionFileTest, SaysWhatARecordingWouldBeginWith) {
  const std::string path = put("take.txt", "time,x\n1,2\n");
  const std::string message = refusal(path);
  EXPECT_EQ(message.rfind(path + ":1: begins with 'time,x'", 0), 0U) << message;
  EXPECT_NE(message.find("HIERARCHY"), std::string::npos);
  EXPECT_NE(refusal(put("empty.dat", "")).find("is empty"), std::string::npos);
  EXPECT_NE(refusal((folder_ / "absent.bvh").string()).find("cannot be read"), std::string::npos);
}

TEST_F(MotionFileTest, ASettingOfPointsIsRefusedWhereNoPointsAre) {
  RecordingHints hints;
  hints.clean = PointCleaning::Off;  // nothing is cleaned, as asked
  EXPECT_NE(open_recording(PANTO_EXAMPLES "/data/walk.bvh", hints), nullptr);
  hints.clean = PointCleaning::Strong;
  try {
    (void)open_recording(PANTO_EXAMPLES "/data/walk.bvh", hints);
    ADD_FAILURE() << "cleaning of a BVH";
  } catch (const ConfigError& error) {
    EXPECT_NE(std::string(error.what()).find("cleaning applies to points"), std::string::npos)
        << error.what();
  }
}

TEST_F(MotionFileTest, RefusesWhatIsNoRegularFileBeforeReadingIt) {
  const std::string pipe = (folder_ / "pipe.mvnx").string();
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  // reading the pipe would wait for ever: nobody writes into it
  for (const std::string& path : {pipe, std::string("/dev/null")})
    EXPECT_EQ(refusal(path), path + ": not a regular file; save its content to a file first");
  EXPECT_EQ(
      refusal(folder_.string()).rfind(folder_.string() + ": this folder holds neither sensor exports", 0),
      0U);
}

}  // namespace
