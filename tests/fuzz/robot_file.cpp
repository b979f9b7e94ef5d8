// Robots with the meshes of their links: capsules that fit, and a page's meshes.

#include <array>
#include <optional>

#include "panto/io/open_model.hpp"
#include "tests/fuzz/models.hpp"
#include "tests/fuzz/seeds.hpp"

namespace panto::fuzz {
namespace {

constexpr std::array kRobotNames{"a.urdf", "a.xml", "a.toml"};

void check_robot(Bytes bytes) {
  Draws draws(bytes);
  const char* const name = kRobotNames.at(draws.below(kRobotNames.size()));
  const std::string mesh(text_of(draws.piece()));
  const io::OpenFile open = [&](const std::string&) { return std::optional(mesh); };
  const io::RobotFile robot = io::open_robot(std::string(text_of(draws.rest())), name, open);
  check_model(robot.model);
  for (const robot::LinkFit& fit : robot.fits) {
    for (const LinkCapsule& capsule : fit.capsules)
      promise(std::isfinite(capsule.radius) && capsule.radius > 0.0, "a capsule has a radius");
  }
  std::vector<std::string> notes;
  for (const io::LinkMesh& shown : io::page_meshes(robot.shapes.get(), robot.model, notes, &open)) {
    for (const Eigen::Vector3f& point : shown.mesh.points)
      promise(point.allFinite(), "shown points are finite");
  }
}

std::string robot_seed(char name, const std::string& mesh, const std::string& text) {
  std::string seed(1, name);
  pack(seed, mesh);
  return seed += text;
}

Seeds seeds_of_robots() {
  const std::string mesh = "v 0 0 0\nv 0.2 0 0\nv 0 0.1 0\nv 0 0 0.3\nf 1 2 3\nf 1 2 4\nf 2 3 4\nf 1 3 4\n";
  return {robot_seed(0, mesh, example("homemade.urdf")),
          robot_seed(0, mesh,
                     "<robot name='r'><link name='a'><visual><geometry><mesh filename='m.obj'/></geometry>"
                     "</visual></link><link name='b'><collision><geometry><box size='1 1 1'/></geometry>"
                     "</collision></link><joint name='j' type='continuous'><parent link='a'/>"
                     "<child link='b'/></joint></robot>"),
          robot_seed(1, mesh,
                     "<mujoco><asset><mesh name='m' file='m.obj'/></asset><worldbody><body name='a'>"
                     "<freejoint/><geom type='mesh' mesh='m'/><body name='b'><joint/><geom size='0.1'/>"
                     "</body></body></worldbody></mujoco>")};
}

const Registered robot_target("robot_file", check_robot, seeds_of_robots);

}  // namespace
}  // namespace panto::fuzz
