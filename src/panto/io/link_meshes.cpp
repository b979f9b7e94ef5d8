#include "panto/io/link_meshes.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "panto/base/error.hpp"
#include "panto/math/vector_math.hpp"

namespace panto::io {
namespace {

using Eigen::Vector3d;

constexpr std::uint32_t kAround = 24;  // corners of a circle
constexpr std::size_t kAllMaxTriangles = 2 * kMeshMaxTriangles;
constexpr std::uint32_t kRings = 12;  // of a sphere, from pole to pole

TriangleMesh box(const Vector3d& size) {
  TriangleMesh mesh;
  for (int i = 0; i < 8; ++i) {
    const Vector3d sign((i & 1) != 0 ? 0.5 : -0.5, (i & 2) != 0 ? 0.5 : -0.5, (i & 4) != 0 ? 0.5 : -0.5);
    mesh.points.push_back(size.cwiseProduct(sign).cast<float>());
  }
  mesh.triangles = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                    {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  return mesh;
}

// Builds a surface of revolution about z: rings of radius and height, joined from the first (lowest) to the
// last.
TriangleMesh turned(const std::vector<std::array<double, 2>>& rings) {
  TriangleMesh mesh;
  for (const auto& [radius, height] : rings) {
    for (std::uint32_t i = 0; i < kAround; ++i) {
      const auto [sin, cos] = sincos(2.0 * std::numbers::pi * i / kAround);
      mesh.points.push_back(Vector3d(radius * cos, radius * sin, height).cast<float>());
    }
  }
  for (std::uint32_t ring = 0; ring + 1 < rings.size(); ++ring) {
    for (std::uint32_t i = 0; i < kAround; ++i) {
      const std::uint32_t a = ring * kAround + i, b = ring * kAround + (i + 1) % kAround;
      mesh.triangles.push_back({a, b, b + kAround});
      mesh.triangles.push_back({a, b + kAround, a + kAround});
    }
  }
  return mesh;
}

// a ball whose halves are `apart`
TriangleMesh capsule(double radius, double apart) {
  std::vector<std::array<double, 2>> rings;
  for (std::uint32_t i = 0; i <= kRings; ++i) {
    const auto [sin, cos] = sincos(std::numbers::pi * (static_cast<double>(i) / kRings - 0.5));
    if (i == kRings / 2 && apart > 0.0) rings.push_back({radius, -0.5 * apart});
    rings.push_back({radius * cos, radius * sin + (2 * i < kRings ? -0.5 : 0.5) * apart});
  }
  return turned(rings);
}

TriangleMesh ellipsoid(const Vector3d& half) {
  TriangleMesh mesh = capsule(1.0, 0.0);
  for (Eigen::Vector3f& p : mesh.points) p = p.cwiseProduct(half.cast<float>());
  return mesh;
}

TriangleMesh cylinder(double radius, double length) {
  const double end = 0.5 * length;
  return turned({{0.0, -end}, {radius, -end}, {radius, end}, {0.0, end}});
}

TriangleMesh primitive(const LinkShape& shape) {
  switch (shape.kind) {
    case LinkShape::Kind::Box:
      return box(shape.size);
    case LinkShape::Kind::Sphere:
      return capsule(shape.size.x(), 0.0);
    case LinkShape::Kind::Cylinder:
      return cylinder(shape.size.x(), shape.size.y());
    case LinkShape::Kind::Capsule:
      return capsule(shape.size.x(), shape.size.y());
    case LinkShape::Kind::Ellipsoid:
      return ellipsoid(shape.size);
    case LinkShape::Kind::Mesh:
      break;
  }
  return {};
}

// Transforms into the link's frame; a mirror reverses the triangles.
void place(const LinkShape& shape, TriangleMesh& mesh) {
  const bool scaled = shape.kind == LinkShape::Kind::Mesh;
  for (Eigen::Vector3f& p : mesh.points) {
    Vector3d q = p.cast<double>();
    if (scaled) q = q.cwiseProduct(shape.size);
    p = (shape.R_LG * q + shape.p_LG).cast<float>();
  }
  if (!scaled || !(shape.size.prod() < 0.0)) return;
  for (auto& triangle : mesh.triangles) std::swap(triangle[1], triangle[2]);
}

using ReadMesh = std::function<std::optional<TriangleMesh>(const std::string&)>;

// The meshes of one robot, each read once however many shapes name it.
class MeshShelf {
 public:
  MeshShelf(const ReadMesh& read, std::size_t most, LinkMeshes& result)
      : read_(&read), most_(most), result_(&result) {}

  // Finds the mesh of a shape and makes it coarser; null, with a note for the result, when it cannot.
  const TriangleMesh* find(const std::string& name) {
    if (result_->triangles > kAllMaxTriangles) return nullptr;
    const auto known = meshes_.find(name);
    const bool first = known == meshes_.end();
    const std::optional<TriangleMesh>& mesh =
        first ? meshes_.emplace(name, read(name)).first->second : known->second;
    if (!mesh) return nullptr;
    if (!first) count(name, mesh->triangles.size());
    return &*mesh;
  }

 private:
  std::optional<TriangleMesh> read(const std::string& name) {
    try {
      std::optional<TriangleMesh> whole = (*read_)(name);
      if (!whole) {
        result_->missing.push_back(name);
        return std::nullopt;
      }
      count(name, whole->triangles.size());
      return whole->triangles.size() > most_ ? decimated(*whole, most_) : std::move(*whole);
    } catch (const FormatError& error) {
      result_->notes.emplace_back(error.what());
      return std::nullopt;
    }
  }

  void count(const std::string& name, std::size_t triangles) {
    result_->triangles += triangles;
    if (result_->triangles > kAllMaxTriangles)
      result_->notes.push_back(name + ": the robot has more than " + std::to_string(kAllMaxTriangles) +
                               " triangles: meshes after this one are ignored");
  }

  const ReadMesh* read_;
  std::size_t most_;
  LinkMeshes* result_;
  std::map<std::string, std::optional<TriangleMesh>> meshes_;  // empty: missing or damaged
};

LinkMeshes meshes_of(const std::vector<LinkShape>& shapes, const ReadMesh& read,
                     const std::function<bool(const LinkShape&)>& wanted, std::size_t most,
                     std::vector<std::string> notes) {
  LinkMeshes result;
  MeshShelf shelf(read, most, result);
  result.notes = std::move(notes);
  for (const LinkShape& shape : shapes) {
    if (!wanted(shape)) continue;
    LinkMesh own{shape.link, shape.collision, shape.rgba, {}};
    if (shape.kind == LinkShape::Kind::Mesh) {
      const TriangleMesh* const mesh = shelf.find(shape.mesh);
      if (mesh == nullptr) continue;
      own.mesh = *mesh;
    } else {
      own.mesh = primitive(shape);
    }
    place(shape, own.mesh);
    result.meshes.push_back(std::move(own));
  }
  return result;
}

}  // namespace

LinkMeshes read_link_meshes(const RobotShapes& robot, const OpenMesh& open_mesh,
                            const std::function<bool(const LinkShape&)>& wanted, std::size_t most) {
  const ReadMesh read = [&](const std::string& mesh) -> std::optional<TriangleMesh> {
    const std::optional<std::string> bytes = open_mesh ? open_mesh(mesh) : std::nullopt;
    return bytes ? std::optional(read_mesh(std::string_view(*bytes), mesh)) : std::nullopt;
  };
  return meshes_of(robot.shapes, read, wanted, most, robot.notes);
}

LinkMeshes read_link_meshes(const RobotShapes& robot, const std::function<bool(const LinkShape&)>& wanted,
                            std::size_t most) {
  const MeshSearch search = mesh_search(robot);
  const ReadMesh read = [&](const std::string& mesh) -> std::optional<TriangleMesh> {
    const std::string file = find_mesh_file(mesh, search);
    return file.empty() ? std::nullopt : std::optional(read_mesh(file));
  };
  return meshes_of(robot.shapes, read, wanted, most, robot.notes);
}

}  // namespace panto::io
