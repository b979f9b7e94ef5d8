#include "panto/io/urdf_shapes.hpp"

#include <gtest/gtest.h>

#include <unistd.h>

#include <Eigen/Geometry>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "panto/base/error.hpp"
#include "panto/io/link_meshes.hpp"
#include "panto/io/urdf.hpp"
#include "panto/math/directions.hpp"
#include "panto/math/so3.hpp"
#include "panto/robot/soles.hpp"
#include "tests/support/test_data.hpp"

namespace panto::io {
namespace {

using Eigen::Vector3d;

constexpr const char* kRobot = R"(<robot name="r">
<material name="dark"><color rgba="0.1 0.2 0.3 1"/></material>
<link name="base"><visual><origin xyz="0 0 1" rpy="0 0 1.5707963267948966"/><geometry><box size="1 2 3"/></geometry>
<material name="dark"/></visual></link>
<link name="foot"><collision><geometry><sphere radius="0.1"/></geometry></collision>
<visual><geometry><mesh filename="package://shapes/meshes/foot.obj" scale="1 1 2"/></geometry></visual>
<visual><geometry><mesh filename="meshes/gone.stl"/></geometry></visual>
<visual><geometry><box size="1 2"/></geometry></visual><visual><geometry><capsule/></geometry></visual></link>
</robot>)";

class ShapesOnDisk : public ::testing::Test {
 protected:
  ShapesOnDisk() {
    std::filesystem::create_directories(folder / "shapes/urdf");
    std::filesystem::create_directories(folder / "shapes/meshes");
    write("shapes/urdf/r.urdf", kRobot);
    write("shapes/meshes/foot.obj", "v 0 0 -0.1\nv 0.2 0 -0.1\nv 0 0.1 0.4\nf 1 2 3\n");
  }
  ~ShapesOnDisk() override { std::filesystem::remove_all(folder); }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder / name, std::ios::binary) << text;
  }

  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("panto_shapes_" + std::to_string(::getpid()));
  const std::string urdf = (folder / "shapes/urdf/r.urdf").string();
};

TEST_F(ShapesOnDisk, ReadsEveryShapeAndSaysWhichItCannot) {
  const RobotShapes robot = read_shapes_of(kRobot, "r.urdf");
  const std::vector<LinkShape>& shapes = robot.shapes;
  const std::vector<std::string>& notes = robot.notes;
  ASSERT_EQ(shapes.size(), 4U);
  EXPECT_EQ(shapes[0].kind, LinkShape::Kind::Box);
  EXPECT_EQ(shapes[0].size, Vector3d(1, 2, 3));
  EXPECT_LT((shapes[0].R_LG * Vector3d::UnitX() - Vector3d::UnitY()).norm(), 1e-12);
  EXPECT_EQ(shapes[0].rgba.value()[2], 0.3) << "of the material that it names";
  EXPECT_TRUE(shapes[1].collision);
  EXPECT_EQ(shapes[2].mesh, "package://shapes/meshes/foot.obj");
  ASSERT_EQ(notes.size(), 2U);
  EXPECT_NE(notes[0].find("r.urdf:8: a shape of link 'foot' is ignored: its sizes"), std::string::npos)
      << notes[0];
  EXPECT_NE(notes[1].find("not a box, cylinder, sphere or mesh"), std::string::npos) << notes[1];
}

TEST_F(ShapesOnDisk, FindsMeshesInThePackageAndBesideTheFile) {
  const std::string mesh = (folder / "shapes/meshes/foot.obj").string();
  const MeshSearch here{urdf};
  EXPECT_EQ(find_mesh_file("package://shapes/meshes/foot.obj", here), mesh)
      << "a folder above is the package";
  EXPECT_EQ(find_mesh_file("../meshes/foot.obj", here), (folder / "shapes/urdf/../meshes/foot.obj").string());
  EXPECT_FALSE(find_mesh_file("meshes/foot.obj", here).empty()) << "beside the urdf folder";
  EXPECT_TRUE(find_mesh_file("package://other/meshes/foot.obj", here).empty());
  // another place altogether: by the path of packages
  MeshSearch away{"/nowhere/r.urdf"};
  away.packages = {"/tmp", folder.string()};
  EXPECT_EQ(find_mesh_file("package://shapes/meshes/foot.obj", away), mesh);
  away.packages = {(folder / "shapes").string()};
  EXPECT_EQ(find_mesh_file("package://shapes/meshes/foot.obj", away), mesh);
  EXPECT_TRUE(find_mesh_file("package://other/meshes/foot.obj", away).empty()) << "not in another package";
  EXPECT_TRUE(find_mesh_file("package://shapes", here).empty());
}

TEST_F(ShapesOnDisk, FindsMeshesInGivenFoldersAndInMeshdir) {
  const std::string mesh = (folder / "shapes/meshes/foot.obj").string();
  MeshSearch given{"/nowhere/r.urdf"};
  for (const char* dir : {"", "shapes", "shapes/meshes"}) {
    given.dirs = {"/tmp", (folder / dir).string()};
    EXPECT_FALSE(find_mesh_file("package://shapes/meshes/foot.obj", given).empty()) << dir;
  }
  EXPECT_EQ(find_mesh_file("any/where/foot.obj", given), mesh) << "without its folders";
  EXPECT_TRUE(find_mesh_file("gone.obj", given).empty());
  const MeshSearch meshdir{urdf, "../meshes"};
  EXPECT_FALSE(find_mesh_file("foot.obj", meshdir).empty());
  const RobotShapes shapes = read_shapes_of(
      "<robot name='r'><mujoco><compiler meshdir='../meshes'/></mujoco><link name='a'/></robot>", urdf);
  EXPECT_EQ(mesh_search(shapes).mesh_dir, "../meshes");
}

// Whoever wrote the robot's file must not choose which files of this computer a page shows.
TEST_F(ShapesOnDisk, FindsNoMeshOutsideTheRobotsFolderAndPackages) {
  std::filesystem::create_directories(folder / "home/Downloads/other_meshes");
  std::filesystem::create_directories(folder / "home/private");
  write("home/Downloads/r.urdf", kRobot);
  write("home/private/face.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  const std::string secret = (folder / "home/private/face.obj").string();
  std::filesystem::create_symlink(secret, folder / "home/Downloads/link.obj");
  std::filesystem::create_directory_symlink(folder / "home/private", folder / "home/Downloads/linked");
  const std::string hostile = (folder / "home/Downloads/r.urdf").string();
  const std::vector<std::string> names{secret,
                                       "file://" + secret,
                                       "../private/face.obj",
                                       "private/face.obj",
                                       "link.obj",
                                       "linked/face.obj",
                                       "package://home/private/face.obj",
                                       "package://private/face.obj",
                                       "package://Downloads/../private/face.obj",
                                       "package://../private/face.obj",
                                       "model://home/private/face.obj"};
  for (const std::string& name : names) EXPECT_EQ(find_mesh_file(name, MeshSearch{hostile}), "") << name;
  for (const char* dir : {"..", "../private", "/"})
    EXPECT_EQ(find_mesh_file("face.obj", MeshSearch{hostile, dir}), "") << "mesh_dir " << dir;
  // where the user points to is allowed, and no more
  MeshSearch given{hostile, "", {(folder / "home/Downloads/other_meshes").string()}, {}};
  for (const std::string& name : names) EXPECT_EQ(find_mesh_file(name, given), "") << name;
  given.dirs = {(folder / "home/private").string()};
  EXPECT_FALSE(find_mesh_file("link.obj", given).empty()) << "a link into a given folder";
  EXPECT_FALSE(find_mesh_file("file://" + secret, given).empty());
}

TEST_F(ShapesOnDisk, FindsMeshesOfPackagesAboveAndOfARobotThatIsALink) {
  std::filesystem::create_directories(folder / "ws/robot/urdf/variants/a");
  std::filesystem::create_directories(folder / "ws/parts/meshes");
  std::filesystem::create_directories(folder / "installed");
  write("ws/robot/urdf/variants/a/r.urdf", kRobot);
  write("ws/robot/package.xml", "<package/>");
  write("ws/robot/own.obj", "v 0 0 0\n");
  write("ws/parts/meshes/part.obj", "v 0 0 0\n");
  const MeshSearch deep{(folder / "ws/robot/urdf/variants/a/r.urdf").string()};
  EXPECT_FALSE(find_mesh_file("../../../own.obj", deep).empty()) << "its own package";
  EXPECT_TRUE(find_mesh_file("package://parts/meshes/part.obj", deep).empty()) << "no package";
  write("ws/parts/package.xml", "<package/>");
  EXPECT_FALSE(find_mesh_file("package://parts/meshes/part.obj", deep).empty());
  EXPECT_TRUE(find_mesh_file("package://parts/../../shapes/meshes/foot.obj", deep).empty());
  // as build tools install it: file and meshes are links into one source folder
  std::filesystem::create_symlink(urdf, folder / "installed/r.urdf");
  std::filesystem::create_symlink(folder / "shapes/meshes/foot.obj", folder / "installed/foot.obj");
  EXPECT_FALSE(find_mesh_file("foot.obj", MeshSearch{(folder / "installed/r.urdf").string()}).empty());
}

TEST_F(ShapesOnDisk, MakesTrianglesInTheLinksFrameAndNamesWhatIsMissing) {
  const LinkMeshes all = read_link_meshes(read_shapes_of(urdf), [](const LinkShape&) { return true; });
  ASSERT_EQ(all.meshes.size(), 3U);
  // the box, turned by a quarter: 2 m along x, 1 m along y, 1 m up
  Eigen::Vector3f low = all.meshes[0].mesh.points[0], high = low;
  for (const Eigen::Vector3f& p : all.meshes[0].mesh.points) {
    low = low.cwiseMin(p);
    high = high.cwiseMax(p);
  }
  EXPECT_LT((high - Eigen::Vector3f(1, 0.5F, 2.5F)).norm(), 1e-5);
  EXPECT_LT((low - Eigen::Vector3f(-1, -0.5F, -0.5F)).norm(), 1e-5);
  for (const Eigen::Vector3f& p : all.meshes[1].mesh.points) EXPECT_NEAR(p.norm(), 0.1, 1e-6);
  EXPECT_NEAR(all.meshes[2].mesh.points[2].z(), 0.8, 1e-6) << "scaled";
  EXPECT_EQ(all.missing, std::vector<std::string>{"meshes/gone.stl"});
}

// A leg with a foot of the given shapes, its ankle at the link's origin.
robot::Map map_of_foot(const std::string& shapes, std::vector<std::string>& notes,
                       const std::string& more = "") {
  const std::string text =
      "<robot name='leg'><link name='base'/><link name='foot'>" + shapes + "</link>" + more +
      "<joint name='ankle' type='continuous'><parent link='base'/><child link='foot'/></joint></robot>";
  const Model model{read_urdf_spec(text, "leg.urdf")};
  robot::Map map;
  Attachment foot;
  foot.segment = "RightFoot";
  foot.link = "foot";
  map.attachments.attachments = {foot};
  const auto folder =
      std::filesystem::temp_directory_path() / ("panto_leg_" + std::to_string(::getpid()) + ".urdf");
  std::ofstream(folder) << text;
  std::vector<robot::LinkPoints> points;
  for (const LinkMesh& mesh :
       read_link_meshes(read_shapes_of(folder.string()), [](const LinkShape&) { return true; }).meshes) {
    points.push_back({mesh.link, {}});
    for (const Eigen::Vector3f& p : mesh.mesh.points) points.back().points.push_back(p.cast<double>());
  }
  std::filesystem::remove(folder);
  robot::level_robot_feet(model, points, map, notes);
  robot::find_robot_soles(model, points, map, notes);
  return map;
}

TEST(RobotSoles, ABoxEndsWhereItsCornersAre) {
  std::vector<std::string> notes;
  const robot::Map map = map_of_foot(
      "<collision><origin xyz='0.05 0.01 -0.05'/><geometry><box size='0.28 0.1 "
      "0.024'/></geometry></collision>",
      notes);
  ASSERT_TRUE(map.soles[0]);
  EXPECT_NEAR(map.soles[0]->down, 0.062, 1e-6);
  EXPECT_NEAR(map.soles[0]->across, 0.01, 1e-6);
  EXPECT_NEAR(map.soles[0]->ahead.value()[0], -0.09, 1e-6);
  EXPECT_NEAR(map.soles[0]->ahead.value()[1], 0.19, 1e-6);
  EXPECT_FALSE(map.soles[1]) << "there is no left foot";
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_NE(notes[0].find("62 mm below the link origin (from shapes)"), std::string::npos) << notes[0];
}

TEST(RobotSoles, AFootWhoseZeroPoseIsBentIsFlatWhereItsSoleIs) {
  // Berkeley Humanoid's: 10 deg; a positive pitch puts the front down
  for (const double pitch : {0.17, -0.1}) {
    std::vector<std::string> notes;
    const robot::Map map =
        map_of_foot("<collision><origin xyz='0.04 0.01 -0.05' rpy='0 " + std::to_string(pitch) +
                        " 0'/><geometry><box size='0.16 0.055 0.012'/></geometry></collision>",
                    notes);
    const Eigen::Matrix3d& R_SF = map.attachments.attachments[0].R_SF;
    EXPECT_LT(so3::distance(R_SF, so3::about_axis(1, -pitch)), 1e-3)
        << "corners are read as floats, the hull moves them by 1e-5 of the size";
    ASSERT_TRUE(map.soles[0]);
    const Eigen::Vector3d middle = so3::about_axis(1, -pitch) * Eigen::Vector3d(0.04, 0.01, -0.05);
    EXPECT_NEAR(map.soles[0]->down, 0.006 - middle.z(), 5e-4);
    EXPECT_NEAR(map.soles[0]->ahead.value()[0], middle.x() - 0.08, 5e-4) << "both ends touch";
    EXPECT_NEAR(map.soles[0]->ahead.value()[1], middle.x() + 0.08, 5e-4);
    ASSERT_EQ(notes.size(), 2U);
    EXPECT_NE(
        notes[0].find(pitch > 0.0 ? "inclined by 9.7 deg lengthways" : "inclined by 5.7 deg lengthways"),
        std::string::npos)
        << notes[0];
  }
  std::vector<std::string> notes;
  const robot::Map roll = map_of_foot(
      "<collision><origin xyz='0 0 -0.05' rpy='0.2 0 0'/><geometry><box size='0.2 0.1 "
      "0.02'/></geometry></collision>",
      notes);
  EXPECT_LT(so3::distance(roll.attachments.attachments[0].R_SF, so3::about_axis(0, -0.2)), 0.003);
  EXPECT_NE(notes[0].find("sideways"), std::string::npos);
}

TEST(RobotSoles, AreLevelledWhereTheToesPointOutwardToo) {
  // about the sole's own axes, so that in the foot's axes an incline lengthways is one sideways too
  for (const double out : {0.1, 0.2, 0.35, -0.5})
    for (const double pitch : {0.08, 0.17, 0.3, -0.25})
      for (const char* kind : {"<box size='0.2 0.08 0.01'/>", "<box size='0.16 0.055 0.012'/>"}) {
        std::vector<std::string> notes;
        std::ostringstream shape;
        shape << "<collision><origin xyz='0.03 0.01 -0.06' rpy='0 " << pitch << " " << out << "'/><geometry>"
              << kind << "</geometry></collision>";
        const robot::Map map = map_of_foot(shape.str(), notes);
        const Eigen::Matrix3d& R_SF = map.attachments.attachments[0].R_SF;
        const Eigen::Vector3d up = (Eigen::AngleAxisd(out, Eigen::Vector3d::UnitZ()) *
                                    Eigen::AngleAxisd(pitch, Eigen::Vector3d::UnitY()))
                                       .toRotationMatrix()
                                       .col(2);
        EXPECT_LT(angle_between(R_SF * up, Eigen::Vector3d::UnitZ()), 0.01)
            << shape.str() << " a step, and a bit";
        EXPECT_EQ(notes.size(), 2U) << shape.str();
      }
}

TEST(RobotSoles, WhatIsRoundOrFlatKeepsItsAxes) {
  for (const char* shape : {"<sphere radius='0.04'/>", "<cylinder radius='0.05' length='0.03'/>",
                            "<box size='0.2 0.1 0.02'/>", "<box size='0.03 0.03 0.1'/>"}) {
    std::vector<std::string> notes;
    const robot::Map map = map_of_foot(
        "<collision><origin xyz='0 0 -0.08'/><geometry>" + std::string(shape) + "</geometry></collision>",
        notes);
    EXPECT_EQ(map.attachments.attachments[0].R_SF, Eigen::Matrix3d::Identity()) << shape;
    EXPECT_EQ(notes.size(), 1U) << shape;
  }
}

TEST(RobotSoles, AFrameThatIsCalledSoleTellsTheHeightAndShapesAreBetter) {
  const std::string sole =
      "<link name='right_sole_link'/><joint name='fixed' type='fixed'><parent link='foot'/><child "
      "link='right_sole_link'/><origin xyz='0 0 -0.107'/></joint>";
  std::vector<std::string> notes;
  const robot::Map by_frame = map_of_foot("", notes, sole);
  ASSERT_TRUE(by_frame.soles[0]);
  EXPECT_NEAR(by_frame.soles[0]->down, 0.107, 1e-12);
  EXPECT_FALSE(by_frame.soles[0]->ahead) << "it does not say where it ends";
  const robot::Map by_shape = map_of_foot(
      "<visual><origin xyz='0 0 -0.1'/><geometry><cylinder radius='0.1' length='0.02'/></geometry></visual>",
      notes, sole);
  EXPECT_NEAR(by_shape.soles[0]->down, 0.11, 1e-6);
}

TEST(RobotSoles, WhatCannotBeASoleIsSaidAndLeftOut) {
  std::vector<std::string> notes;
  const robot::Map map = map_of_foot("<visual><geometry><box size='100 100 60'/></geometry></visual>", notes);
  EXPECT_FALSE(map.soles[0]);
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_NE(notes[0].find("which is no sole"), std::string::npos);
}

TEST(RobotSoles, ThoseOfRealRobotsAreTheirMakers) {
  PANTO_NEED_DATA("models/unitree/g1_29dof_rev_1_0.urdf");
  std::vector<std::string> notes;
  const std::string path = test::data_file("models/unitree/g1_29dof_rev_1_0.urdf");
  const Model model = read_urdf(path);
  robot::Map map = robot::propose_robot_map(model).map;
  std::vector<robot::LinkPoints> points;
  const auto collides = [](const LinkShape& shape) {
    return shape.collision && shape.kind != LinkShape::Kind::Mesh;
  };
  for (const LinkMesh& mesh : read_link_meshes(read_shapes_of(path), collides).meshes) {
    points.push_back({mesh.link, {}});
    for (const Eigen::Vector3f& p : mesh.mesh.points) points.back().points.push_back(p.cast<double>());
  }
  robot::find_robot_soles(model, points, map, notes);
  for (const auto& sole : map.soles) {
    ASSERT_TRUE(sole);
    // spheres of 5 mm at -0.05 and 0.12 m, 30 mm below the ankle
    EXPECT_NEAR(sole->down, 0.035, 1e-6);
    EXPECT_NEAR(sole->ahead.value()[0], -0.055, 0.001);
    EXPECT_NEAR(sole->ahead.value()[1], 0.125, 0.001);
  }
}

}  // namespace
}  // namespace panto::io
