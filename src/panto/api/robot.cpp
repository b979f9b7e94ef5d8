// Makes robots: a model and the map by which it follows a person.

#include <algorithm>
#include <utility>

#include "panto/api/retarget.hpp"
#include "panto/base/error.hpp"
#include "panto/ik/solver_options.hpp"
#include "panto/io/open_model.hpp"
#include "panto/io/text_scanner.hpp"
#include "panto/robot/base.hpp"
#include "panto/robot/follows.hpp"
#include "panto/robot/soles.hpp"

namespace panto {
namespace {

// Begins a message about a file; a shipped name stands in it already.
std::string place_of(const std::string& name) { return io::extension_of(name).empty() ? "" : name + ": "; }

// Returns the body of the nearest mapped link towards the base; 0: the base itself.
int body_before(const Model& model, const std::vector<Attachment>& all, const Attachment& a) {
  const auto& parent = model.tree().parent;
  for (int body = model.frame(model.link_index(a.link)).body; body > 0;
       body = parent[static_cast<std::size_t>(body)]) {
    const auto carries = [&](const Attachment& other) {
      return other.link != a.link && model.frame(model.link_index(other.link)).body == body;
    };
    if (std::any_of(all.begin(), all.end(), carries)) return body;
  }
  return 0;
}

// Without a joint that moves a robot follows no motion: the program that exported it lost the limits.
void check_moves(const Model& model) {
  if (model.dof() == 0) return;
  for (int i = 0; i < model.dof(); ++i)
    if (robot::can_move(model, i)) return;
  throw ModelError(model.name() +
                   ": no joint can move: the lower limit of each is its upper limit; export the " +
                   "model with its joint limits");
}

robot::MapProposal check_map(const robot::Map& map, const Model& model, const std::string& source) {
  robot::MapProposal proposal;
  proposal.map = map;
  for (const robot::MapFault& fault : robot::check_robot_map(map, model)) {
    std::string text = source + ": " + fault.text;
    if (!fault.error) {
      proposal.notes.push_back(std::move(text));
      continue;
    }
    throw ModelError(text.append(" (panto check ").append(source).append(" lists all faults)"));
  }
  const auto& all = map.attachments.attachments;
  for (const Attachment& a : all) {
    const LinkFrame& frame = model.frame(model.link_index(a.link));
    const int before = body_before(model, all, a);
    robot::MapReason reason{"given by " + source, Eigen::Vector3d::Ones()};
    if (frame.body != before)
      reason.follows = robot::axes_that_follow(model, before, frame.body, a.R_SF * frame.R_BL.transpose());
    proposal.reasons.push_back(std::move(reason));
  }
  return proposal;
}

robot::BasedProposal with_map(const Model& model, const robot::Map& map, const std::string& source,
                              std::optional<BaseKind> asked) {
  const robot::BaseFinding base = robot::find_base(model, map, asked);
  Model based = base.kind == model.base() ? model : with_base(model, base.kind);
  robot::MapProposal proposal = check_map(map, based, source);
  if (!base.note.empty() && base.kind != model.base()) proposal.notes.push_back(base.note);
  return {std::move(based), std::move(proposal)};
}

void note_guessed_soles(const robot::Map& map, std::vector<std::string>& notes) {
  std::string feet;
  for (const Attachment& a : map.attachments.attachments)
    if ((a.segment == "RightFoot" && !map.soles[0]) || (a.segment == "LeftFoot" && !map.soles[1]))
      feet += (feet.empty() ? "'" : " and '") + a.link + "'";
  if (!feet.empty())
    notes.push_back("the sole of " + feet +
                    " is a guess: shapes of the feet are unknown, so feet may float or sink");
}

}  // namespace

Robot make_robot(const Model& given, const std::optional<robot::Map>& map,
                 std::span<const robot::LinkPoints> shapes, const std::string& map_source,
                 std::optional<BaseKind> base) {
  check_moves(given);
  robot::BasedProposal based =
      map ? with_map(given, *map, map_source, base) : robot::propose_based_map(given, base);
  const Model& model = based.model;
  robot::MapProposal& proposal = based.proposal;
  std::vector<std::string> notes = std::move(proposal.notes);
  std::vector<robot::LinkPoints> surfaces(shapes.begin(), shapes.end());
  for (const Link& link : model.links())
    if (!link.corners.empty()) surfaces.push_back({link.name, link.corners});
  if (!map) robot::level_robot_feet(model, surfaces, proposal.map, notes);
  if (!surfaces.empty()) robot::find_robot_soles(model, surfaces, proposal.map, notes);
  note_guessed_soles(proposal.map, notes);
  ModelSpec spec = model.spec();
  spec.rest = robot::rest_of(proposal.map, model);
  proposal.map.base_height = robot::base_height(model, proposal.map, spec.rest, surfaces);
  for (const auto& [link, capsules] : proposal.map.shapes)
    spec.links[static_cast<std::size_t>(model.link_index(link))].capsules = capsules;
  spec.pair_rules.insert(spec.pair_rules.end(), proposal.map.pair_rules.begin(),
                         proposal.map.pair_rules.end());
  return {Model(std::move(spec)), std::move(proposal.map), std::move(proposal.reasons), std::move(notes)};
}

SolverOptions robot_solver_options() {
  SolverOptions solver;
  solver.dynamical = robot_options();
  solver.instantaneous.limit_speed = solver.pairwise.limit_speed = true;
  return solver;
}

Robot robot_of(const io::RobotFile& file) {
  if (file.map) return make_robot(file.model, file.map, file.feet, file.name, file.base);
  try {
    return make_robot(file.model, {}, file.feet, {}, file.base);
  } catch (const ModelError& error) {
    throw ModelError(place_of(file.name) + error.what());
  }
}

}  // namespace panto
