// Model files of bodies: joints of a person, or a refusal.

#include "panto/io/body_shape.hpp"

#include <array>
#include <cmath>

#include "tests/fuzz/seeds.hpp"

namespace panto::fuzz {
namespace {

void check_shape(Bytes bytes) {
  const io::BodyShape shape = io::read_body_shape(archive_of(bytes), "damaged.npz", {0.5, -1.0});
  for (const Eigen::Vector3d& joint : shape.joints) promise(joint.allFinite(), "joints are finite");
  promise(std::isfinite(shape.height) && shape.height > 0.0, "a person has a height");
}

// 24 joints, each at one vertex, 1.7 m apart from foot to head
Seeds seeds_of_shapes() {
  constexpr std::size_t kJoints = 24;
  constexpr std::array<std::int64_t, 22> parents{4294967295, 0, 0, 0, 1,  2,  3,  4,  5,  6,  7,
                                                 8,          9, 9, 9, 12, 13, 14, 16, 17, 18, 19};
  std::vector<double> vertices, regressor(kJoints * kJoints, 0.0), shapes(kJoints * 3 * 2, 0.01);
  std::vector<std::int64_t> tree(parents.begin(), parents.end());
  tree.insert(tree.end(), {20, 20});
  for (std::size_t j = 0; j < kJoints; ++j) {
    const auto place = static_cast<double>(j);
    for (const double x : {0.1 * place, 1.7 * place / 23.0, 0.01 * place}) vertices.push_back(x);
    regressor[j * kJoints + j] = 1.0;
    tree.push_back(static_cast<std::int64_t>(j));
  }
  return {members_in_a_row({{"J_regressor.npy", io::npy(regressor, "24, 24")},
                            {"v_template.npy", io::npy(vertices, "24, 3")},
                            {"shapedirs.npy", io::npy(shapes, "24, 3, 2")},
                            {"kintree_table.npy", io::npy(tree, "2, 24")}})};
}

const Registered shape_target("body_shape", check_shape, seeds_of_shapes);

}  // namespace
}  // namespace panto::fuzz
