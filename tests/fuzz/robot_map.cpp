// Maps of a robot's links, and their check against the robot.

#include "panto/robot/map.hpp"

#include "panto/io/robot_map_file.hpp"
#include "tests/fuzz/models.hpp"
#include "tests/fuzz/seeds.hpp"

namespace panto::fuzz {
namespace {

void check_robot_map_file(Bytes bytes) {
  static const Model robot = io::shipped_robot("nao");
  const io::RobotMapFile file = io::read_robot_map(text_of(bytes), "damaged.toml");
  bool usable = true;
  for (const robot::MapFault& fault : robot::check_robot_map(file.map, robot)) {
    promise(!fault.text.empty(), "a fault has words");
    usable = usable && !fault.error;
  }
  if (!usable) return;
  const Eigen::VectorXd rest = robot::rest_of(file.map, robot);
  promise(rest.size() == robot.dof() && rest.allFinite(), "the rest pose is one of the robot");
}

Seeds seeds_of_robot_maps() {
  return {io::write_robot_map(robot::propose_robot_map(io::shipped_robot("nao")), "nao"),
          io::write_robot_map(robot::propose_robot_map(io::shipped_robot("olivia17")), "olivia17")};
}

const Registered robot_map_target("robot_map", check_robot_map_file, seeds_of_robot_maps);

}  // namespace
}  // namespace panto::fuzz
