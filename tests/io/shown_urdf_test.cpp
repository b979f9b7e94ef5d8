#include "panto/io/shown_urdf.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <string>

#include "panto/base/error.hpp"
#include "panto/io/urdf.hpp"
#include "tests/support/link_model.hpp"

namespace panto::io {
namespace {

std::ptrdiff_t count(const std::string& text, const std::string& part) {
  const std::regex word(part);
  return std::distance(std::sregex_iterator(text.begin(), text.end(), word), std::sregex_iterator());
}

TEST(ShownUrdf, DrawsARodToEveryChildJointWhereALinkHasNoShape) {
  const Model model = test::chain_model(3);
  const std::string text = shown_urdf(model);
  // three rods, each a cylinder between two balls; the last link has no child
  EXPECT_EQ(count(text, "<cylinder radius=\"0.02\" length=\"0.1\"/>"), 3);
  EXPECT_EQ(count(text, "<sphere radius=\"0.02\"/>"), 6);
  EXPECT_EQ(count(text, "<link name=\"link_2\"/>"), 1);
}

TEST(ShownUrdf, DrawsCapsulesAlongTheirAxes) {
  ModelSpec spec = test::chain_model(1).spec();
  spec.links[0].capsules.push_back({{0.0, 0.0, 0.0}, {0.4, 0.0, 0.0}, 0.05});
  spec.links[1].capsules.push_back({{0.0, 0.0, 0.1}, {0.0, 0.0, 0.1}, 0.03});
  const std::string text = shown_urdf(Model(spec));
  EXPECT_EQ(count(text, "<cylinder"), 1) << "a capsule of no length is one ball";
  EXPECT_EQ(count(text, "<sphere"), 3);
  // a cylinder of URDF is along z: a quarter turn about y lays it along x, from its middle
  EXPECT_TRUE(std::regex_search(
      text, std::regex("xyz=\"0.2 0 0\" rpy=\"-?0 1.570796\\d* -?0\"/><geometry><cylinder radius=\"0.05\"")))
      << text;
}

TEST(ShownUrdf, IsTheSameModelWithShapes) {
  const Model model = test::chain_model(4);
  const Model read = read_urdf(std::string_view(shown_urdf(model)), "shown.urdf", UrdfOptions{});
  EXPECT_EQ(read.joint_names(), model.joint_names());
  EXPECT_EQ(read.link_names(), model.link_names());
  EXPECT_EQ(write_urdf(read), write_urdf(model));
}

TEST(ShownUrdf, IsTheRobotsOwnFileToTheLetterUnlessThatIsNoUrdf) {
  const std::string path =
      std::filesystem::temp_directory_path() / ("panto_shown_" + std::to_string(getpid()) + ".urdf");
  const Model model = test::chain_model(2);
  const std::string own =
      "<?xml version=\"1.0\"?>\n<robot name=\"r\"><!-- mine --><link name=\"a\"/></robot>\n";
  std::ofstream(path) << own;
  EXPECT_EQ(shown_urdf(model, path), own);
  std::ofstream(path) << "<mujoco model=\"r\"/>";
  EXPECT_EQ(shown_urdf(model, path), shown_urdf(model));
  std::filesystem::remove(path);
  EXPECT_THROW((void)shown_urdf(model, path), FormatError);
}

}  // namespace
}  // namespace panto::io
