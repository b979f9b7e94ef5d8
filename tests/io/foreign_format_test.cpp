#include "panto/io/foreign_format.hpp"

#include <gtest/gtest.h>

#include <string>

#include "panto/base/error.hpp"
#include "panto/io/open_model.hpp"
#include "panto/io/open_recording.hpp"

namespace panto::io {
namespace {

bool names(std::string_view head, const std::string& words) {
  return foreign_format(head).find(words) != std::string_view::npos;
}

std::string c3d() {
  std::string head(1024, '\0');
  head[0] = 2, head[1] = 0x50, head[515] = 84;
  return head;
}

TEST(ForeignFormatTest, NamesFilesOfOtherProgramsByTheirFirstBytes) {
  EXPECT_TRUE(names(std::string("Kaydara FBX Binary  \0", 21), "an FBX file"));
  EXPECT_TRUE(names("; FBX 7.4.0 project file\n", "an FBX file"));
  EXPECT_TRUE(names(std::string("\x89MCAP0\r\n\x01", 9), "`panto live` reads"));
  EXPECT_TRUE(names(c3d(), "a C3D file"));
  EXPECT_TRUE(names(std::string("glTF\x02\0\0\0", 8), "a glTF file"));
  EXPECT_TRUE(names("{\n \"asset\": {\"version\": \"2.0\"}}", "a glTF file"));
  EXPECT_TRUE(names("PXR-USDC", "a USD file"));
  EXPECT_TRUE(names("#usda 1.0\n", "a USD file"));
  EXPECT_TRUE(names("<?xml version=\"1.0\"?>\n<OpenSimDocument Version=\"40000\">", "an OpenSim model"));
  EXPECT_TRUE(
      names(std::string("PK\x03\x04", 4) + std::string(22, '\0') + std::string("\x06\0\0\0", 4) + "a.usdc",
            "a USD file"));
}

TEST(ForeignFormatTest, NamesFilesOfPythonThatAreNeverUnpickled) {
  EXPECT_TRUE(names(std::string("\x80\x04\x95", 3), "a Python pickle"));
  EXPECT_TRUE(names("\x93NUMPY\x01", "one NumPy array"));
  EXPECT_TRUE(names(std::string("PK\x03\x04", 4) + std::string(22, '\0') + std::string("\x10\0\0\0", 4) +
                        "archive/data.pkl",
                    "a PyTorch file"));
}

TEST(ForeignFormatTest, NamesDocumentsPicturesAndArchives) {
  EXPECT_TRUE(names("<!doctype html>\n<meta name=\"generator\" content=\"Panto\" />", "`panto view`"));
  EXPECT_TRUE(names("\xef\xbb\xbf\n<HTML>", "a web page"));
  EXPECT_TRUE(names("%PDF-1.4", "a PDF document"));
  for (const std::string& head : {std::string("\x89PNG\r\n"), std::string("\xff\xd8\xff\xe0"),
                                  std::string("GIF89a"), std::string("RIFF1234WEBP")})
    EXPECT_TRUE(names(head, "an image")) << head;
  for (const std::string& head :
       {std::string("1234ftypisom"), std::string("\x1a\x45\xdf\xa3"), std::string("RIFF1234AVI ")})
    EXPECT_TRUE(names(head, "a video")) << head;
  EXPECT_TRUE(names("\x1f\x8b\x08", "is compressed"));
  EXPECT_TRUE(names("7z\xbc\xaf", "is compressed"));
  EXPECT_TRUE(
      names("\xfd"
            "7zXZ",
            "is compressed"));
}

TEST(ForeignFormatTest, LeavesFilesThatPantoReadsAlone) {
  for (const std::string& head :
       {std::string("HIERARCHY\nROOT"), std::string("<?xml version='1.0'?><mvnx version='4'>"), std::string(),
        std::string("<mujoco model='g1'>"), std::string("<robot name='g1'><mujoco><compiler/></mujoco>"),
        std::string("PathFileType\t4"), std::string("PK\x03\x04", 4) + std::string(40, '\0'),
        std::string("{ \"frames\": 3 }"), std::string("time_s,a.gyro_x_rad_s\n"), std::string("PK"),
        std::string("<!--"), std::string("\x02\x50"), std::string("RIFF"), std::string("abc")})
    EXPECT_EQ(foreign_format(head), "") << head;
}

TEST(ForeignFormatTest, IsRefusedByReadersWhateverTheFileIsCalled) {
  for (const std::string name : {"a.fbx", "a.bvh", "a.dat"}) {
    try {
      (void)open_recording("Kaydara FBX Binary  ", name);
      ADD_FAILURE() << name;
    } catch (const FormatError& error) {
      EXPECT_EQ(std::string(error.what()).rfind(name + ": is an FBX file", 0), 0U) << error.what();
    }
  }
}

}  // namespace
}  // namespace panto::io
