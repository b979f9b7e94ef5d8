// Wavefront OBJ.

#include "tests/fuzz/meshes.hpp"
#include "tests/fuzz/seeds.hpp"

namespace panto::fuzz {
namespace {

void check_obj(Bytes bytes) { check_mesh(bytes, "damaged.obj"); }

Seeds seeds_of_obj() {
  return {
      "# cube\no a\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0 1.0\nv 0 0 1\nvn 0 0 1\nvt 0 0\ng x\ns off\n"
      "f 1 2 3 4\nf 1/1 2/1 5/1\nf -1//1 -2//1 -3//1\nf 1/1/1 2/1/1 3/1/1\nusemtl m\n"};
}

const Registered obj_target("mesh_obj", check_obj, seeds_of_obj);

}  // namespace
}  // namespace panto::fuzz
