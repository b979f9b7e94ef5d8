// panto map: which link of a robot follows which segment of a person, and why. panto check on such a map.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/panto/command_line.hpp"
#include "apps/panto/commands.hpp"
#include "apps/panto/map.hpp"
#include "apps/panto/tracking.hpp"
#include "panto/api/models.hpp"
#include "panto/io/part_file.hpp"
#include "panto/io/robot_map_file.hpp"
#include "panto/io/text_scanner.hpp"
#include "panto/math/so3.hpp"

namespace panto::app {
namespace {

using Json = nlohmann::ordered_json;

struct MapOptions {
  std::string input, output;
  bool json = false;
};

std::string dumped(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

// "x y -", "x~ y z": which turns of the segment the link can follow; ~ in part
std::string follows_text(const Eigen::Vector3d& follows) {
  std::string text;
  for (int i = 0; i < 3; ++i) {
    const char mark = follows[i] > 0.95 ? ' ' : '~';
    text += follows[i] < 0.2 ? "- " : fmt::format("{}{}", "xyz"[i], mark);
  }
  return text;
}

std::string table_text(const robot::MapProposal& proposal) {
  std::string text = fmt::format("{:<14}  {:<28}  {:<7}  {}\n", "segment", "link", "follows", "why");
  const auto& attachments = proposal.map.attachments.attachments;
  for (std::size_t i = 0; i < attachments.size(); ++i) {
    const Attachment& a = attachments[i];
    const robot::MapReason& reason = proposal.reasons[i];
    text += fmt::format("{:<14}  {:<28}  {}{}  {}\n", a.segment, a.link, follows_text(reason.follows),
                        a.position ? "p" : " ", reason.why);
  }
  text +=
      "follows: turns about x forward, y left, z up of the segment in a T-pose; ~ in part, - not; p its "
      "place\n";
  for (const std::string& note : proposal.notes) text += "note: " + note + "\n";
  return text;
}

std::string json_text(const robot::MapProposal& proposal, const std::vector<std::string>& notes) {
  Json segments = Json::array();
  const auto& attachments = proposal.map.attachments.attachments;
  for (std::size_t i = 0; i < attachments.size(); ++i) {
    const Attachment& a = attachments[i];
    const Eigen::Vector3d& f = proposal.reasons[i].follows;
    const Eigen::Vector4d q = so3::to_quaternion_wxyz(a.R_SF);
    Json one = Json::object();
    one["segment"] = a.segment;
    one["link"] = a.link;
    one["offset_wxyz"] = {q[0], q[1], q[2], q[3]};
    one["orientation"] = a.orientation;
    one["position"] = a.position;
    one["follows_xyz"] = {f.x(), f.y(), f.z()};
    one["why"] = proposal.reasons[i].why;
    segments.push_back(std::move(one));
  }
  Json rest = Json::object();
  for (const auto& [joint, value] : proposal.map.rest) rest[joint] = value;
  Json all_notes = notes;
  for (const std::string& note : proposal.notes) all_notes.push_back(note);
  Json all = Json::object();
  all["robot"] = proposal.map.robot;
  all["segments"] = std::move(segments);
  all["rest"] = std::move(rest);
  all["notes"] = std::move(all_notes);
  return dumped(all) + "\n";
}

// how the map names its model: a file as seen from the map's folder, a shipped name as it is
std::string model_for(const MapOptions& options) {
  const std::string extension = io::extension_of(options.input);
  if (extension != ".urdf" && extension != ".toml") return options.input;
  std::error_code unknown;
  const auto folder = std::filesystem::absolute(options.output, unknown).parent_path();
  const auto relative = std::filesystem::relative(options.input, folder, unknown);
  return unknown || relative.empty() ? options.input : relative.generic_string();
}

int map(const MapOptions& options) {
  if (!options.output.empty()) {
    check_outputs({options.output}, {options.input});
    if (io::extension_of(options.output) != ".toml")
      throw ConfigError("output '" + options.output +
                        "': a robot map is written; its name must end in .toml");
  }
  std::vector<std::string> notes;
  const Model model = resolve_model(options.input, scaled_subject(1.75), notes);
  const robot::MapProposal proposal = propose_map(options.input, model);
  if (!options.json) say(notes);
  std::fputs((options.json ? json_text(proposal, notes) : table_text(proposal)).c_str(), stdout);
  if (options.output.empty()) return kGood;
  io::PartFile file(options.output);
  (void)file.write(io::write_robot_map(proposal, model_for(options)));  // a failure is kept for close()
  file.close();
  if (!options.json) std::printf("\nwrote %s\n", printable(options.output).c_str());
  return kGood;
}

}  // namespace

int check_robot_map_file(const std::string& path, bool json) {
  const io::RobotMapFile file = io::read_robot_map(path);
  std::vector<std::string> notes;
  const Model model = model_behind_map(file, path, scaled_subject(1.75), notes);
  const std::vector<robot::MapFault> faults = robot::check_robot_map(file.map, model);
  const bool good = faults.empty() || !faults.front().error;  // errors first
  if (json) {
    Json list = Json::array();
    for (const robot::MapFault& fault : faults) {
      Json one = Json::object();
      one["error"] = fault.error;
      one["text"] = fault.text;
      list.push_back(std::move(one));
    }
    Json all = Json::object();
    all["file"] = path;
    all["model"] = file.model;
    all["passed"] = good;
    all["faults"] = std::move(list);
    all["notes"] = notes;
    std::printf("%s\n", dumped(all).c_str());
    return good ? kGood : kCheckFailed;
  }
  say(notes);
  for (const robot::MapFault& fault : faults)
    std::printf("%s %s\n", fault.error ? "FAILED" : "note  ", printable(fault.text).c_str());
  std::printf("%s: %zu segments onto '%s': %s\n", printable(path).c_str(),
              file.map.attachments.attachments.size(), model.name().c_str(), good ? "usable" : "not usable");
  return good ? kGood : kCheckFailed;
}

void add_map(CLI::App& app, Run& run) {
  auto options = std::make_shared<MapOptions>();
  CLI::App* sub =
      app.add_subcommand("map", "Which link of a robot follows which segment of a person, and why.");
  sub->add_option("robot,-i,--in", options->input, "A robot: a URDF file or a shipped name")
      ->required()
      ->option_text("ROBOT");
  add_file(*sub, "-o,--out", options->output, "MAP.toml", "Write the map, to edit and to give to --robot");
  sub->add_flag("--json", options->json, "One JSON object on stdout instead of the table");
  sub->footer(
      "Examples:\n"
      "  panto map my_robot.urdf\n"
      "  panto map my_robot.urdf -o my_robot.toml\n"
      "  panto check my_robot.toml");
  sub->callback([options, &run] { run = [options] { return map(*options); }; });
}

}  // namespace panto::app
