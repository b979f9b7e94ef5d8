// Robot maps, proposed and checked, in words and as JSON.

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "panto/base/printable.hpp"
#include "panto/math/so3.hpp"
#include "panto/report/check_report.hpp"
#include "panto/report/json.hpp"
#include "panto/report/shared_names.hpp"

namespace panto {
namespace {

using report::Json;

// "x y -", "x~ y z": which turns of the segment the link can follow; ~ in part
std::string follows_text(const Eigen::Vector3d& follows) {
  std::string text;
  for (int i = 0; i < 3; ++i) {
    const char mark = follows[i] > 0.95 ? ' ' : '~';
    text += follows[i] < 0.2 ? "- " : fmt::format("{}{}", "xyz"[i], mark);
  }
  return text;
}

const robot::LinkFit* fit_of(const io::RobotFile& robot, const std::string& link) {
  const auto fit = std::find_if(robot.fits.begin(), robot.fits.end(),
                                [&](const robot::LinkFit& f) { return f.link == link; });
  return fit == robot.fits.end() ? nullptr : &*fit;
}

std::string shapes_text(const io::RobotFile& robot) {
  if (robot.fits.empty()) {
    const auto shaped = std::count_if(robot.model.links().begin(), robot.model.links().end(),
                                      [](const Link& link) { return !link.capsules.empty(); });
    if (shaped > 0) return fmt::format("\nshapes of {} links; capsules: as its table has them\n", shaped);
  }
  std::string text = fmt::format("\n{:<28}  {:>8}  {:>12}  {:>9}\n", "shape of link", "capsules",
                                 "outside [mm]", "gap [mm]");
  const std::size_t head = text.size();
  for (const Link& link : robot.model.links()) {
    if (link.capsules.empty()) continue;
    text += fmt::format("{:<28}  {:>8}", link.name, link.capsules.size());
    if (const robot::LinkFit* fit = fit_of(robot, link.name))
      text += fmt::format("  {:>12.1f}  {:>9.1f}", 1e3 * fit->outside_max, 1e3 * fit->gap_mean);
    text += '\n';
  }
  if (text.size() == head) return "shapes of links are unknown: overlaps are those of a guessed body\n";
  return text +
         "outside: farthest point of the shape from the capsules; gap: mean distance of their surfaces\n";
}

Json shapes_json(const io::RobotFile& robot) {
  Json shapes = Json::array();
  for (const Link& link : robot.model.links()) {
    if (link.capsules.empty()) continue;
    Json one = Json::object();
    one["link"] = link.name;
    one["capsules"] = Json::array();
    for (const LinkCapsule& c : link.capsules)
      one["capsules"].push_back({c.from.x(), c.from.y(), c.from.z(), c.to.x(), c.to.y(), c.to.z(), c.radius});
    const robot::LinkFit* fit = fit_of(robot, link.name);
    one["outside_max_mm"] = fit == nullptr ? Json() : Json(1e3 * fit->outside_max);
    one["excess_max_mm"] = fit == nullptr ? Json() : Json(1e3 * fit->excess_max);
    one["gap_mean_mm"] = fit == nullptr ? Json() : Json(1e3 * fit->gap_mean);
    shapes.push_back(std::move(one));
  }
  return shapes;
}

}  // namespace

std::string to_text(const robot::MapProposal& proposal, const io::RobotFile& robot) {
  std::string text = fmt::format("{:<14}  {:<28}  {:<7}  {}\n", "segment", "link", "follows", "why");
  const auto& attachments = proposal.map.attachments.attachments;
  for (std::size_t i = 0; i < attachments.size(); ++i) {
    const Attachment& a = attachments[i];
    const robot::MapReason& reason = proposal.reasons[i];
    text += fmt::format("{:<14}  {:<28}  {}{}  {}\n", a.segment, a.link, follows_text(reason.follows),
                        a.position ? "p" : " ", reason.why);
  }
  text +=
      "follows: turns about x forward, y left, z up of the segment in a T-pose (~ in part, - not); p: its "
      "position\n";
  for (const std::string& note : proposal.notes)
    text += (note.starts_with("warning: ") ? "" : "note: ") + note + "\n";
  return text + shapes_text(robot);
}

std::string to_json(const robot::MapProposal& proposal, const io::RobotFile& robot) {
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
  Json all_notes = robot.notes;
  for (const std::string& note : proposal.notes) all_notes.push_back(note);
  for (Json& note : all_notes) note = without_folders(note.get<std::string>());
  Json all = Json::object();
  all["robot"] = shared_name(proposal.map.robot);
  all["base"] = std::string(to_string(proposal.map.base.value_or(BaseKind::Floating)));
  all["segments"] = std::move(segments);
  all["rest"] = std::move(rest);
  all["shapes"] = shapes_json(robot);
  all["notes"] = std::move(all_notes);
  return report::dumped(all);
}

std::string to_text(const MapCheck& check, const io::RobotFile& robot) {
  std::string text;
  for (const robot::MapFault& fault : check.faults)
    text += fmt::format("{} {}\n", fault.error ? "error  " : "remark ", printable(fault.text));
  const std::size_t segments = robot.map ? robot.map->attachments.attachments.size() : 0;
  return text + fmt::format("{} segments onto '{}'\n", segments, robot.model.name());
}

std::string to_json(const MapCheck& check, const io::RobotFile& robot) {
  Json list = Json::array();
  for (const robot::MapFault& fault : check.faults) {
    Json one = Json::object();
    one["error"] = fault.error;
    one["text"] = fault.text;
    list.push_back(std::move(one));
  }
  Json all = Json::object();
  all["file"] = shared_name(robot.name);
  all["model"] = robot.model_name;
  all["passed"] = check.usable;
  all["faults"] = std::move(list);
  all["notes"] = without_folders(robot.notes, {robot.name, robot.urdf});
  all["verdict"] = report::verdict_value(verdict_of(check, shared_name(robot.name)));
  return report::dumped(all);
}

}  // namespace panto
