// STL, as text and as bytes.

#include "tests/fuzz/meshes.hpp"
#include "tests/fuzz/seeds.hpp"

namespace panto::fuzz {
namespace {

void check_stl(Bytes bytes) { check_mesh(bytes, "damaged.stl"); }

Seeds seeds_of_stl() {
  std::string binary(80, ' ');
  binary += std::string("\2\0\0\0", 4);
  for (int i = 0; i < 2; ++i) {
    for (int word = 0; word < 12; ++word)
      binary += word % 5 == 3 ? std::string("\0\0\x80\x3f", 4) : std::string(4, '\0');
    binary += std::string(2, '\0');
  }
  return {binary,
          "solid s\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\n"
          "endfacet\nfacet normal 0 0 1\nouter loop\nvertex 1 0 0\nvertex 1 1 0\nvertex 0 1 0\nendloop\n"
          "endfacet\nendsolid s\n"};
}

const Registered stl_target("mesh_stl", check_stl, seeds_of_stl);

}  // namespace
}  // namespace panto::fuzz
