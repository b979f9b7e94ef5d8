#include "panto/report/robot_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "panto/io/shipped_robots.hpp"
#include "panto/robot/map.hpp"

namespace panto::report {
namespace {

struct Description {
  std::string_view robot, sentence;
};

constexpr std::array<Description, 10> kDescriptions{{
    {"booster_t1", "Booster T1, 1.2 m: two joints in the neck, one in the waist, no wrists"},
    {"fourier_gr1", "Fourier GR-1 (T1) without hands: three joints each in waist and neck"},
    {"icub", "iCub 2.5, the child-sized humanoid of the Istituto Italiano di Tecnologia"},
    {"nao", "Aldebaran NAO 5.0, 0.58 m: one motor yaws both hips"},
    {"olivia17",
     "Upper body like the robot Olivia of Tee et al.: torso, head and two arms with six joints each"},
    {"talos", "PAL Robotics TALOS: two joints each in waist and neck, grippers closed"},
    {"tee7", "One arm with seven joints: pan-tilt shoulder and elbow, spherical wrist"},
    {"unitree_g1", "Unitree G1, 29 joints with three in the waist, rubber hands"},
    {"unitree_h1", "Unitree H1: one joint in the waist, no neck, no wrists"},
    {"unitree_h1_2", "Unitree H1-2 without hands: one joint in the waist, no neck"},
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

// what of a person the robot follows: "trunk, head, arms, legs"
std::string follows_of(const Model& model) {
  const robot::Map map = robot::propose_robot_map(model).map;
  const auto any = [&](std::string_view end) {
    return std::any_of(map.attachments.attachments.begin(), map.attachments.attachments.end(),
                       [&](const Attachment& a) { return a.segment.ends_with(end); });
  };
  std::vector<std::string_view> parts;
  if (any("T8")) parts.emplace_back("trunk");
  if (any("Head")) parts.emplace_back("head");
  if (any("Arm")) parts.emplace_back(any("Hand") ? "arms with hands" : "arms");
  if (any("Leg")) parts.emplace_back("legs");
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace

std::string robot_list_text() {
  std::string text = fmt::format("{:<12} {:>6}  {:<34}  {}\n", "robot", "joints", "follows", "description");
  for (const std::string& name : io::shipped_robots()) {
    const Model model = io::shipped_robot(name);
    text += fmt::format(
        "{:<12} {:>6}  {:<34}  {}{}\n{:>22}{}\n", name, model.dof(), follows_of(model), description_of(name),
        aliases_of(name).empty() ? "" : fmt::format(" (also {})", fmt::join(aliases_of(name), ", ")), "",
        "from " + io::shipped_robot_source(name));
  }
  return text +
         "\nAny other robot works from its URDF or MJCF: panto retarget take.bvh --robot my_robot.urdf\n"
         "`panto map my_robot.urdf` shows which link follows which segment.\n";
}

std::string robot_list_json() {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const std::string& name : io::shipped_robots()) {
    const Model model = io::shipped_robot(name);
    list.push_back({{"name", name},
                    {"joints", model.dof()},
                    {"base", std::string(to_string(model.base()))},
                    {"follows", follows_of(model)},
                    {"source", io::shipped_robot_source(name)},
                    {"description", description_of(name)},
                    {"aliases", aliases_of(name)}});
  }
  return nlohmann::ordered_json{{"robots", list}}.dump();
}

}  // namespace panto::report
