// The shapes of an MJCF's links. Poses from `fromto` are MuJoCo's.

#include <gtest/gtest.h>

#include <algorithm>

#include "panto/io/link_meshes.hpp"
#include "panto/io/mjcf.hpp"
#include "panto/math/so3.hpp"

namespace panto::io {
namespace {

using Eigen::Vector3d;

RobotShapes shapes_of(const std::string& geoms, const std::string& before = "") {
  std::string text = "<mujoco>";
  ((text += before) += "\n<worldbody><body name='a'>") += geoms;
  text += "</body></worldbody></mujoco>";
  return read_mjcf_robot(text, "robots/r.xml").shapes;
}

TEST(MjcfShapes, SizesAreOurs) {
  const RobotShapes all = shapes_of(
      "<geom type='box' size='0.1 0.2 0.3' contype='0' conaffinity='0' rgba='0.1 0.2 0.3 0.4'/>"
      "<geom type='cylinder' size='0.1 0.2' contype='0' conaffinity='0'/><geom size='0.5' contype='0' "
      "conaffinity='0'/>"
      "<geom type='ellipsoid' size='0.1 0.2 0.3' contype='0' conaffinity='0'/>"
      "<geom type='capsule' fromto='0 0 0 0.1 0.2 -0.3' size='0.05' contype='0' conaffinity='0'/>");
  ASSERT_EQ(all.shapes.size(), 5U);
  EXPECT_EQ(all.path, "robots/r.xml");
  EXPECT_EQ(all.shapes[0].size, Vector3d(0.2, 0.4, 0.6)) << "edges";
  EXPECT_EQ((*all.shapes[0].rgba)[3], 0.4);
  EXPECT_EQ(all.shapes[1].size, Vector3d(0.1, 0.4, 0)) << "radius and length";
  EXPECT_EQ(all.shapes[2].kind, LinkShape::Kind::Sphere);
  EXPECT_EQ(all.shapes[3].size, Vector3d(0.1, 0.2, 0.3));
  EXPECT_EQ(all.shapes[4].kind, LinkShape::Kind::Capsule);
  EXPECT_NEAR(all.shapes[4].size.y(), 2 * 0.18708286933869708, 1e-15);
  EXPECT_LT((all.shapes[4].p_LG - Vector3d(0.05, 0.1, -0.15)).norm(), 1e-15);
  EXPECT_LT((all.shapes[4].R_LG -
             so3::from_quaternion_wxyz({0.9491532346616307, 0.2815786030668715, -0.14078930153343575, 0}))
                .norm(),
            1e-14);
  for (const LinkShape& shape : all.shapes) EXPECT_FALSE(shape.collision);
}

TEST(MjcfShapes, GroupsClassesAndContactsTellCollisionFromSight) {
  const std::string classes =
      "<default><default class='seen'><geom contype='0' conaffinity='0' group='2'/></default>"
      "<default class='my_collision'><geom contype='0' conaffinity='0'/></default></default>";
  const RobotShapes both = shapes_of(
      "<geom class='seen' size='1'/><geom size='2'/><geom class='my_collision' size='3'/>"
      "<geom contype='0' conaffinity='0' group='3' size='4'/>",
      classes);
  ASSERT_EQ(both.shapes.size(), 4U);
  EXPECT_FALSE(both.shapes[0].collision);
  for (std::size_t i = 1; i < 4; ++i) EXPECT_TRUE(both.shapes[i].collision) << i;
  const RobotShapes one = shapes_of("<geom size='2'/>");
  ASSERT_EQ(one.shapes.size(), 2U) << "without shapes for sight those that collide are seen";
  EXPECT_NE(one.shapes[0].collision, one.shapes[1].collision);
}

TEST(MjcfShapes, MeshesAreNamedFromTheModelsFolderWithScaleAndReference) {
  const RobotShapes all = shapes_of(
      "<geom type='mesh' mesh='hand' pos='1 0 0' material='red'/>",
      "<compiler meshdir='assets'/><asset><mesh file='hand.stl' scale='0.1 0.1 -0.1' refpos='0 0 2'/>"
      "<material name='red' rgba='1 0 0 1'/></asset>");
  ASSERT_EQ(all.shapes.size(), 2U);
  EXPECT_EQ(all.shapes[0].mesh, "assets/hand.stl");
  EXPECT_EQ(all.shapes[0].size, Vector3d(0.1, 0.1, -0.1));
  EXPECT_LT((all.shapes[0].p_LG - Vector3d(1, 0, 0.2)).norm(), 1e-15)
      << "the reference is the mesh's new origin";
  EXPECT_EQ((*all.shapes[0].rgba)[0], 1.0);
}

TEST(MjcfShapes, WhatIsNoShapeIsNotedWithItsLine) {
  const RobotShapes all = shapes_of(
      "<geom type='box' size='1 1'/>\n<geom type='mesh' mesh='x'/><geom type='plane' size='1 1 1'/><geom "
      "size='-1'/>");
  EXPECT_TRUE(all.shapes.empty());
  ASSERT_EQ(all.notes.size(), 4U);
  EXPECT_EQ(all.notes[0], "robots/r.xml:2: a shape of link 'a' is ignored: its size needs 3 numbers");
  EXPECT_EQ(all.notes[1], "robots/r.xml:3: a shape of link 'a' is ignored: mesh 'x' is not in <asset>");
  EXPECT_NE(all.notes[2].find("a plane is not a shape of a link"), std::string::npos);
}

TEST(MjcfShapes, CapsulesAndEllipsoidsBecomeClosedSurfaces) {
  const RobotShapes all = shapes_of(
      "<geom type='capsule' size='0.1 0.3' pos='0 0 1'/><geom type='ellipsoid' size='0.1 0.2 0.3'/>");
  const LinkMeshes meshes = read_link_meshes(all, [](const LinkShape& shape) { return shape.collision; });
  ASSERT_EQ(meshes.meshes.size(), 2U);
  const auto extent = [](const TriangleMesh& mesh, int axis) {
    float least = 1e9F, most = -1e9F;
    for (const Eigen::Vector3f& p : mesh.points) {
      least = std::min(least, p[axis]);
      most = std::max(most, p[axis]);
    }
    return std::pair(least, most);
  };
  EXPECT_NEAR(extent(meshes.meshes[0].mesh, 2).first, 0.6, 1e-6);
  EXPECT_NEAR(extent(meshes.meshes[0].mesh, 2).second, 1.4, 1e-6);
  EXPECT_NEAR(extent(meshes.meshes[0].mesh, 0).second, 0.1, 1e-6);
  EXPECT_NEAR(extent(meshes.meshes[1].mesh, 1).second, 0.2, 1e-6);
  EXPECT_NEAR(extent(meshes.meshes[1].mesh, 2).second, 0.3, 1e-6);
}

}  // namespace
}  // namespace panto::io
