#include "panto/io/mesh_file.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

#include "panto/base/error.hpp"
#include "panto/io/link_meshes.hpp"
#include "tests/support/corruption.hpp"

namespace panto::io {
namespace {

using Triangle = std::array<Eigen::Vector3f, 3>;

// a pyramid of four triangles, 1 m wide and 2 m high
std::vector<Triangle> pyramid() {
  const Eigen::Vector3f a(0, 0, 0), b(1, 0, 0), c(0, 1, 0), top(0, 0, 2);
  return {{a, c, b}, {a, b, top}, {b, c, top}, {c, a, top}};
}

std::string binary_stl(const std::vector<Triangle>& triangles, const std::string& head = "made by a test") {
  std::string bytes = head;
  bytes.resize(80, ' ');
  const auto count = static_cast<std::uint32_t>(triangles.size());
  const auto append = [&bytes](const void* data, std::size_t size) {
    bytes.append(static_cast<const char*>(data), size);
  };
  append(&count, 4);
  for (const Triangle& triangle : triangles) {
    const std::array<float, 3> normal{};
    append(normal.data(), 12);
    for (const Eigen::Vector3f& p : triangle) append(p.data(), 12);
    bytes.append(2, '\0');
  }
  return bytes;
}

std::string ascii_stl(const std::vector<Triangle>& triangles) {
  std::string text = "solid pyramid\n";
  for (const Triangle& triangle : triangles) {
    text += "facet normal 0 0 1\nouter loop\n";
    for (const Eigen::Vector3f& p : triangle)
      text += "vertex " + std::to_string(p.x()) + " " + std::to_string(p.y()) + " " + std::to_string(p.z()) +
              "\n";
    text += "endloop\nendfacet\n";
  }
  return text + "endsolid pyramid\n";
}

constexpr const char* kObj =
    "# a square and a triangle\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvn 0 0 1\nf 1//1 2//1 3//1 4//1\nv 0 0 "
    "2\nf -1 1 "
    "2\n";

std::string dae(const std::string& up, const std::string& metre) {
  return "<?xml version='1.0'?><COLLADA version='1.4.1'><asset><unit meter='" + metre + "'/><up_axis>" + up +
         "</up_axis></asset><library_geometries><geometry id='g'><mesh><source id='s'><float_array id='f' "
         "count='9'>0 0 0 100 0 0 0 100 0</float_array></source><vertices id='v'><input semantic='POSITION' "
         "source='#s'/></vertices><triangles count='1'><input semantic='VERTEX' source='#v' "
         "offset='0'/><input "
         "semantic='NORMAL' source='#n' offset='1'/><p>0 7 1 7 2 7</p></triangles></mesh></geometry>"
         "</library_geometries><library_visual_scenes><visual_scene><node><translate>0 0 10</translate>"
         "<instance_geometry url='#g'/></node></visual_scene></library_visual_scenes></COLLADA>";
}

std::string refusal(const std::string& bytes, const std::string& name) {
  try {
    (void)read_mesh(bytes, name);
  } catch (const FormatError& error) {
    return error.what();
  }
  return "(accepted)";
}

void expect_pyramid(const TriangleMesh& mesh) {
  EXPECT_EQ(mesh.points.size(), 4U) << "of twelve corners";
  ASSERT_EQ(mesh.triangles.size(), 4U);
  const std::vector<Triangle> truth = pyramid();
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t corner = 0; corner < 3; ++corner)
      EXPECT_EQ(mesh.points[mesh.triangles[i][corner]], truth[i][corner]);
  }
}

TEST(MeshFile, ReadsBothKindsOfStl) {
  expect_pyramid(read_mesh(binary_stl(pyramid()), "a.stl"));
  expect_pyramid(read_mesh(binary_stl(pyramid(), "solid, but binary"), "a.STL"));
  expect_pyramid(read_mesh(ascii_stl(pyramid()), "a.stl"));
}

TEST(MeshFile, ReadsPolygonsOfAnObj) {
  const TriangleMesh mesh = read_mesh(kObj, "a.obj");
  EXPECT_EQ(mesh.points.size(), 5U);
  ASSERT_EQ(mesh.triangles.size(), 3U);
  EXPECT_EQ(mesh.triangles[1], (std::array<std::uint32_t, 3>{0, 2, 3}));
  EXPECT_EQ(mesh.triangles[2], (std::array<std::uint32_t, 3>{4, 0, 1})) << "counted from the last point";
}

TEST(MeshFile, ReadsADaeInItsUnitWithZUp) {
  const TriangleMesh z_up = read_mesh(dae("Z_UP", "0.01"), "a.dae");
  ASSERT_EQ(z_up.triangles.size(), 1U);
  EXPECT_LT((z_up.points[1] - Eigen::Vector3f(1, 0, 0.1F)).norm(), 1e-6);
  EXPECT_LT((z_up.points[2] - Eigen::Vector3f(0, 1, 0.1F)).norm(), 1e-6);
  const TriangleMesh y_up = read_mesh(dae("Y_UP", "1"), "a.dae");
  EXPECT_LT((y_up.points[2] - Eigen::Vector3f(0, -10, 100)).norm(), 1e-4);
}

TEST(MeshFile, RefusesWhatIsNoneWithTheReason) {
  const std::string whole = binary_stl(pyramid());
  EXPECT_NE(refusal(whole.substr(0, 200), "a.stl").find("4 triangles need 284 bytes, the file has 200"),
            std::string::npos);
  EXPECT_NE(refusal("solid x\nfacet\nouter loop\nvertex 0 0 a\n", "a.stl")
                .find("a.stl:4: a vertex needs three numbers"),
            std::string::npos)
      << refusal("solid x\nfacet\nouter loop\nvertex 0 0 a\n", "a.stl");
  EXPECT_NE(refusal("v 0 0 0\nv 1 0 0\nf 1 2 3\n", "a.obj").find("a.obj:3: '3' is not one of the 2 points"),
            std::string::npos)
      << refusal("v 0 0 0\nv 1 0 0\nf 1 2 3\n", "a.obj");
  EXPECT_NE(refusal("# nothing\n", "a.obj").find("holds no triangles"), std::string::npos);
  EXPECT_NE(refusal("<robot/>", "a.dae").find("<COLLADA>"), std::string::npos);
  EXPECT_NE(refusal("x", "a.step").find(".stl, .obj or .dae"), std::string::npos);
}

// a small file may place one geometry again and again
TEST(MeshFile, RefusesADaeThatGrowsWhenItIsRead) {
  const std::string instance = "<instance_geometry url='#g'/>";
  const auto repeated = [&](int count, const std::string& points) {
    std::string text = dae("Z_UP", "1"), all;
    for (int i = 0; i < count; ++i) all += instance;
    text.replace(text.find(instance), instance.size(), all);
    return text.replace(text.find("0 0 0 100"), 5, points);
  };
  EXPECT_EQ(read_mesh(repeated(1000, "0 0 0"), "a.dae").triangles.size(), 1000U);
  EXPECT_NE(refusal(repeated(1001, "0 0 0"), "a.dae").find("places more than 1000 geometries"),
            std::string::npos);
  std::string many;
  for (int i = 0; i < 3 * 7000; ++i) many += "0 ";
  EXPECT_NE(refusal(repeated(1000, many), "a.dae").find("more than 6000000 points"), std::string::npos);
}

TEST(LinkMeshes, AreReadOnceHoweverManyShapesNameThem) {
  RobotShapes robot;
  for (const char* mesh : {"a.stl", "absent.stl", "damaged.stl"}) {
    for (int i = 0; i < 50; ++i) {
      LinkShape shape;
      shape.link = "link";
      shape.kind = LinkShape::Kind::Mesh;
      shape.mesh = mesh;
      shape.size.x() = 1.0 + i;
      robot.shapes.push_back(shape);
    }
  }
  int opened = 0;
  const OpenMesh open = [&](const std::string& name) -> std::optional<std::string> {
    ++opened;
    if (name == "absent.stl") return std::nullopt;
    return name == "a.stl" ? binary_stl(pyramid()) : "no mesh";
  };
  const LinkMeshes found = read_link_meshes(robot, open, [](const LinkShape&) { return true; });
  EXPECT_EQ(opened, 3);
  ASSERT_EQ(found.meshes.size(), 50U);
  EXPECT_FLOAT_EQ(found.meshes[49].mesh.points[1].x(), 50.0F * found.meshes[0].mesh.points[1].x())
      << "each of its own scale";
  EXPECT_EQ(found.missing, std::vector<std::string>{"absent.stl"});
  EXPECT_EQ(found.notes.size(), 1U) << "the damaged one, once";
}

TEST(MeshFile, SurvivesDamageOfEveryKind) {
  for (const auto& [bytes, name] : {std::pair<std::string, std::string>{binary_stl(pyramid()), "a.stl"},
                                    {ascii_stl(pyramid()), "a.stl"},
                                    {kObj, "a.obj"},
                                    {dae("Y_UP", "1"), "a.dae"}}) {
    const auto parse = [&, extension = name](std::string_view text) {
      const TriangleMesh mesh = read_mesh(text, extension);
      for (const auto& triangle : mesh.triangles)
        for (const std::uint32_t i : triangle) ASSERT_LT(i, mesh.points.size());
      for (const Eigen::Vector3f& p : mesh.points) ASSERT_TRUE(p.allFinite());
    };
    test::CorruptionCount count = test::try_truncations(bytes, 1000, parse);
    count += test::try_corruptions(bytes, 99, parse);
    EXPECT_EQ(count.broken, 0);
    EXPECT_GT(count.refused, 0);
  }
}

TEST(MeshFile, ACoarserMeshKeepsItsSizeAndShape) {
  // a sphere of 200 x 100 patches
  TriangleMesh sphere;
  constexpr int kAround = 200, kRings = 100;
  for (int ring = 0; ring <= kRings; ++ring) {
    for (int i = 0; i < kAround; ++i) {
      const double a = 3.14159265 * ring / kRings, b = 2.0 * 3.14159265 * i / kAround;
      sphere.points.emplace_back(
          Eigen::Vector3d(std::sin(a) * std::cos(b), std::sin(a) * std::sin(b), std::cos(a)).cast<float>());
    }
  }
  for (std::uint32_t ring = 0; ring < kRings; ++ring) {
    for (std::uint32_t i = 0; i < kAround; ++i) {
      const std::uint32_t a = ring * kAround + i, b = ring * kAround + (i + 1) % kAround;
      sphere.triangles.push_back({a, a + kAround, b});
      sphere.triangles.push_back({b, a + kAround, b + kAround});
    }
  }
  EXPECT_EQ(decimated(sphere, 40000).points.size(), sphere.points.size()) << "small enough as it is";
  const TriangleMesh coarse = decimated(sphere, 2000);
  EXPECT_LE(coarse.triangles.size(), 2000U);
  EXPECT_GT(coarse.triangles.size(), 1000U) << "no coarser than it must be";
  for (const Eigen::Vector3f& p : coarse.points) EXPECT_NEAR(p.norm(), 1.0, 0.03);
}

}  // namespace
}  // namespace panto::io
