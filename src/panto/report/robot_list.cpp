#include "panto/report/robot_list.hpp"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

#include "panto/io/shipped_robots.hpp"

namespace panto::report {
namespace {

struct Description {
  std::string_view robot, sentence;
};

constexpr std::array<Description, 4> kDescriptions{{
    {"icub", "iCub 2.5, the child-sized humanoid of the Istituto Italiano di Tecnologia"},
    {"olivia17",
     "Upper body like the robot Olivia of Tee et al.: torso, head and two arms with six joints each"},
    {"tee7", "One arm with seven joints: pan-tilt shoulder and elbow, spherical wrist"},
    {"unitree_g1", "Unitree G1, 29 joints with three in the waist, rubber hands"},
}};

std::string description_of(std::string_view robot) {
  for (const Description& known : kDescriptions) {
    if (known.robot == robot) return std::string(known.sentence);
  }
  return {};
}

std::vector<std::string> aliases_of(std::string_view robot) {
  std::vector<std::string> aliases;
  for (const io::RobotAlias& known : io::robot_aliases()) {
    if (known.robot == robot) aliases.emplace_back(known.alias);
  }
  return aliases;
}

}  // namespace

std::string robot_list_text() {
  std::string text = fmt::format("{:<12} {:>6}  {}\n", "robot", "joints", "description");
  for (const std::string& name : io::shipped_robots())
    text += fmt::format(
        "{:<12} {:>6}  {}{}\n", name, io::shipped_robot(name).dof(), description_of(name),
        aliases_of(name).empty() ? "" : fmt::format(" (also {})", fmt::join(aliases_of(name), ", ")));
  return text +
         "\nAny other robot works from its URDF or MJCF: panto retarget take.bvh --robot my_robot.urdf\n"
         "`panto map my_robot.urdf` shows which link follows which segment.\n";
}

std::string robot_list_json() {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const std::string& name : io::shipped_robots()) {
    list.push_back({{"name", name},
                    {"joints", io::shipped_robot(name).dof()},
                    {"description", description_of(name)},
                    {"aliases", aliases_of(name)}});
  }
  return nlohmann::ordered_json{{"robots", list}}.dump();
}

}  // namespace panto::report
