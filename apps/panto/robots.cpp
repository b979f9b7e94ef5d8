// panto robots, panto version, panto help: lists what ships with the command.

#include <CLI/CLI.hpp>
#include <array>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/panto/command_line.hpp"
#include "apps/panto/self_commands.hpp"
#include "panto/io/shipped_robots.hpp"

namespace panto::app {
namespace {

struct Description {
  std::string_view robot, sentence;
};

constexpr std::array<Description, 4> kDescriptions{{
    {"icub", "iCub 2.5, the child-sized humanoid of the Istituto Italiano di Tecnologia"},
    {"olivia17", "Upper body like Olivia: torso, head and two arms with six joints each"},
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

int list_robots(bool json) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  if (!json) std::printf("%-12s %6s  %s\n", "robot", "joints", "description");
  for (const std::string& name : io::shipped_robots()) {
    const int joints = io::shipped_robot(name).dof();
    if (!json) std::printf("%-12s %6d  %s\n", name.c_str(), joints, description_of(name).c_str());
    list.push_back({{"name", name},
                    {"joints", joints},
                    {"description", description_of(name)},
                    {"aliases", aliases_of(name)}});
  }
  if (json) {
    std::printf("%s\n", nlohmann::ordered_json{{"robots", list}}.dump().c_str());
  } else {
    std::printf(
        "\nAny other robot works from its URDF: panto retarget take.bvh --robot my_robot.urdf\n"
        "`panto map my_robot.urdf` shows which link follows which segment.\n");
  }
  return kGood;
}

}  // namespace

void add_robots(CLI::App& app, Run& run) {
  CLI::App* sub = app.add_subcommand("robots", "List the robots that ship with Panto.");
  const auto json = std::make_shared<bool>(false);
  sub->add_flag("--json", *json, "Print one JSON object instead of the table");
  sub->footer("Examples:\n  panto robots\n  panto robots --json");
  sub->callback([json, &run] { run = [json] { return list_robots(*json); }; });
}

void add_help(CLI::App& app, Run& run) {
  CLI::App* help = app.add_subcommand("help", "Explain a command: panto help track.");
  // `parse` turns it into --help; this lists it in the help
  help->add_option("command", "Command to explain (default panto itself)")->expected(0, 1);
  CLI::App* version = app.add_subcommand("version", "Print the version.");
  version->callback([&run] {
    run = [] {
      std::printf("panto %s\n", PANTO_VERSION);
      return kGood;
    };
  });
}

}  // namespace panto::app
