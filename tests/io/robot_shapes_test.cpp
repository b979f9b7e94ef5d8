// Shapes of an opened robot's links as capsules.
#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "panto/io/open_model.hpp"
#include "panto/io/shipped_robots.hpp"
#include "panto/io/urdf_shapes.hpp"
#include "panto/model/link_pairs.hpp"
#include "panto/robot/capsule_fit.hpp"
#include "tests/support/test_data.hpp"

namespace panto::io {
namespace {

using Eigen::Vector3d;

constexpr const char* kTetrahedron =
    "v 0 0 0\nv 0.1 0 0\nv 0 0.1 0\nv 0 0 0.2\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";

std::string robot(const std::string& base, const std::string& arm) {
  return "<robot name='r'><link name='base'>" + base + "</link><link name='arm'>" + arm +
         "</link><joint name='j' type='continuous'><parent link='base'/><child link='arm'/>"
         "<axis xyz='1 0 0'/><limit velocity='1' effort='1'/></joint></robot>";
}

std::string mesh(const std::string& kind, const std::string& file) {
  return "<" + kind + "><geometry><mesh filename='" + file + "'/></geometry></" + kind + ">";
}

class RobotShapesOnDisk : public ::testing::Test {
 protected:
  RobotShapesOnDisk() { std::filesystem::create_directories(folder / "parts"); }
  ~RobotShapesOnDisk() override { std::filesystem::remove_all(folder); }
  [[nodiscard]] std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder / name, std::ios::binary) << text;
    return (folder / name).string();
  }
  [[nodiscard]] RobotFile open(const std::string& text, const std::vector<std::string>& dirs = {}) const {
    return open_robot(write("r.urdf", text), scaled_subject(1.75), dirs);
  }
  [[nodiscard]] static const std::vector<LinkCapsule>& capsules(const RobotFile& file, const char* link) {
    return file.model.links()[static_cast<std::size_t>(file.model.link_index(link))].capsules;
  }
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("panto_robot_shapes_" + std::to_string(::getpid()));
};

TEST_F(RobotShapesOnDisk, AreThoseForCollisionsOrElseTheVisibleOnes) {
  const RobotFile file =
      open(robot("<visual><geometry><box size='1 1 1'/></geometry></visual>"
                 "<collision><geometry><sphere radius='0.1'/></geometry></collision>",
                 "<visual><origin xyz='0 0 -0.1'/><geometry><cylinder radius='0.03' "
                 "length='0.2'/></geometry></visual>"));
  ASSERT_EQ(capsules(file, "base").size(), 1U);
  EXPECT_NEAR(capsules(file, "base")[0].radius, 0.1, 0.002) << "the sphere, not the box";
  ASSERT_FALSE(capsules(file, "arm").empty());
  EXPECT_LT(robot::capsule_distance(capsules(file, "arm")[0], Vector3d(0, 0, -0.1)), 0.0);
  ASSERT_EQ(file.fits.size(), 2U);
  EXPECT_LT(file.fits[0].outside_max, 0.002);
  EXPECT_EQ(file.notes, std::vector<std::string>{});
}

TEST_F(RobotShapesOnDisk, OfALinkWithPointsOfContactAloneAreTheVisibleOnesToo) {
  std::string foot = "<visual><geometry><box size='0.4 0.1 0.04'/></geometry></visual>";
  for (const char* place : {"-0.1 0.03 -0.02", "-0.1 -0.03 -0.02", "0.1 0.03 -0.02", "0.1 -0.03 -0.02"})
    foot += std::string("<collision><origin xyz='") + place +
            "'/><geometry><sphere radius='0.005'/></geometry></collision>";
  const RobotFile file = open(robot(foot, ""));
  double nearest = 1.0;  // to the toe, which no sphere is near
  for (const LinkCapsule& capsule : capsules(file, "base"))
    nearest = std::min(nearest, robot::capsule_distance(capsule, Vector3d(0.19, 0.0, 0.0)));
  EXPECT_LT(nearest, 0.005) << "[m]";
}

TEST_F(RobotShapesOnDisk, NameMissingMeshesOnce) {
  const std::string text = robot(mesh("collision", "parts/a.obj") + mesh("collision", "parts/b.stl"),
                                 mesh("collision", "parts/a.obj") + mesh("visual", "parts/c.obj"));
  const RobotFile file = open(text);
  EXPECT_TRUE(capsules(file, "base").empty() && capsules(file, "arm").empty());
  ASSERT_EQ(file.notes.size(), 1U);
  EXPECT_NE(file.notes[0].find("3 mesh files are missing (parts/a.obj, parts/b.stl, parts/c.obj)"),
            std::string::npos)
      << file.notes[0];
  EXPECT_NE(file.notes[0].find("--package-dir DIR"), std::string::npos);
  std::vector<std::string> notes;
  EXPECT_TRUE(page_meshes(file.shapes.get(), file.model, notes).empty());
  EXPECT_TRUE(notes.empty()) << "already noted";
}

TEST_F(RobotShapesOnDisk, AreFoundInAGivenFolder) {
  (void)write("parts/a.obj", kTetrahedron);
  const std::string text = robot("", mesh("collision", "package://any_robot/meshes/a.obj"));
  EXPECT_TRUE(capsules(open(text), "arm").empty());
  const RobotFile file = open(text, {(folder / "parts").string()});
  EXPECT_FALSE(capsules(file, "arm").empty());
  EXPECT_EQ(file.notes, std::vector<std::string>{});
}

TEST_F(RobotShapesOnDisk, OfADamagedMeshAreTheVisibleOnesWithANote) {
  (void)write("parts/a.obj", "v 0 0 zero\nf 1 2 3\n");
  const RobotFile file = open(robot(
      "", mesh("collision", "parts/a.obj") + "<visual><geometry><sphere radius='0.1'/></geometry></visual>"));
  ASSERT_EQ(capsules(file, "arm").size(), 1U);
  EXPECT_NEAR(capsules(file, "arm")[0].radius, 0.1, 0.002);
  ASSERT_EQ(file.notes.size(), 1U);
  EXPECT_NE(file.notes[0].find("a.obj:1: a point needs three numbers"), std::string::npos) << file.notes[0];
}

TEST_F(RobotShapesOnDisk, OfAMeshFromBytesAreTheSame) {
  (void)write("parts/a.obj", kTetrahedron);
  const std::string text = robot("", mesh("collision", "parts/a.obj"));
  const RobotFile a = open(text);
  const RobotFile b = open_robot(text, "r.urdf", [](const std::string& name) -> std::optional<std::string> {
    return name == "parts/a.obj" ? std::optional<std::string>(kTetrahedron) : std::nullopt;
  });
  ASSERT_FALSE(capsules(a, "arm").empty());
  ASSERT_EQ(capsules(a, "arm").size(), capsules(b, "arm").size());
  for (std::size_t i = 0; i < capsules(a, "arm").size(); ++i) {
    EXPECT_EQ(capsules(a, "arm")[i].from, capsules(b, "arm")[i].from);
    EXPECT_EQ(capsules(a, "arm")[i].to, capsules(b, "arm")[i].to);
    EXPECT_EQ(capsules(a, "arm")[i].radius, capsules(b, "arm")[i].radius);
  }
}

TEST(ShippedG1, OfTheG1AreThoseOfTheIndependentJudge) {
  const Model g1 = io::shipped_robot("unitree_g1");
  // MuJoCo on the maker's hulls: 25 moving bodies with shapes give 357 pairs that are not kin, none of which
  // touches at its neutral poses
  std::vector<std::pair<int, int>> bodies;
  for (const auto& [a, b] : link_pairs(g1, g1.rest())) {
    const int i = g1.frame(a).body, j = g1.frame(b).body;
    bodies.emplace_back(std::min(i, j), std::max(i, j));
  }
  std::sort(bodies.begin(), bodies.end());
  bodies.erase(std::unique(bodies.begin(), bodies.end()), bodies.end());
  EXPECT_EQ(bodies.size(), 357U);
}

TEST(ShippedG1, HasTheSameShapesOnBothSides) {
  const Model g1 = shipped_robot("unitree_g1");
  for (const Link& link : g1.links()) {
    EXPECT_FALSE(link.capsules.empty()) << link.name;
    if (link.name.rfind("left_", 0) != 0) continue;
    const Link& other = g1.links()[static_cast<std::size_t>(g1.link_index("right_" + link.name.substr(5)))];
    ASSERT_EQ(link.capsules.size(), other.capsules.size()) << link.name;
    for (const LinkCapsule& capsule : link.capsules) {
      const LinkCapsule image = robot::mirrored(capsule, 1);
      EXPECT_TRUE(std::any_of(other.capsules.begin(), other.capsules.end(), [&](const LinkCapsule& c) {
        return (c.from - image.from).norm() + (c.to - image.to).norm() < 1e-9 && c.radius == image.radius;
      })) << link.name;
    }
  }
}

}  // namespace
}  // namespace panto::io
