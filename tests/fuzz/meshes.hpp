#pragma once
// What every reader of meshes promises.

#include "panto/io/mesh_file.hpp"
#include "tests/fuzz/target.hpp"

namespace panto::fuzz {

inline void check_mesh(Bytes bytes, const char* name) {
  const io::TriangleMesh mesh = io::read_mesh(text_of(bytes), name);
  promise(mesh.triangles.size() <= io::kMeshMaxTriangles, "triangles are bounded");
  for (const Eigen::Vector3f& point : mesh.points) promise(point.allFinite(), "points are finite");
  for (const auto& triangle : mesh.triangles) {
    for (const std::uint32_t corner : triangle) promise(corner < mesh.points.size(), "corners are points");
  }
  promise(io::decimated(mesh, 10).triangles.size() <= 10, "a coarser mesh has no more than asked for");
}

}  // namespace panto::fuzz
