#include "panto/retarget/robot_binding.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "apps/panto/map.hpp"
#include "panto/api/models.hpp"
#include "panto/api/robot_shapes.hpp"
#include "panto/base/error.hpp"
#include "panto/ik/dynamical_options.hpp"
#include "panto/io/robot_map_file.hpp"
#include "panto/io/text_scanner.hpp"
#include "panto/robot/follows.hpp"

namespace panto {
namespace {

// of feet that stand where they stand: thighs, shanks and pelvis give way
constexpr double kPlantedPosition = 2500.0;   // [1/m^2]: 2 cm count like 1 rad
constexpr double kPlantedOrientation = 20.0;  // [1/rad^2]: 13 deg count like 1 rad
constexpr double kPlantedGain = 100.0;        // [1/s]: what a step leaves is gone before it is a slide

// of hands that touch, at most: as feet that stand
constexpr double kTouchPosition = 2500.0;  // [1/m^2]
constexpr double kTouchGain = 45.0;        // [1/s]

// The map of a file, which must fit, and what it follows.
robot::MapProposal read_map(const io::RobotMapFile& file, const std::string& path, const Model& model,
                            std::vector<std::string>& notes) {
  for (const robot::MapFault& fault : robot::check_robot_map(file.map, model)) {
    if (fault.error) throw ModelError(fmt::format("{0}: {1} (panto check {0} says all)", path, fault.text));
    notes.push_back(path + ": " + fault.text);
  }
  robot::MapProposal proposal;
  proposal.map = file.map;
  for (const Attachment& a : file.map.attachments.attachments) {
    const LinkFrame& frame = model.frame(model.link_index(a.link));
    // the nearest link of the map towards the base
    int before = 0;
    for (int body = frame.body; body > 0; body = model.tree().parent[static_cast<std::size_t>(body)]) {
      const auto carries = [&](const Attachment& other) {
        return other.link != a.link && model.frame(model.link_index(other.link)).body == body;
      };
      const auto& all = file.map.attachments.attachments;
      if (!std::any_of(all.begin(), all.end(), carries)) continue;
      before = body;
      break;
    }
    robot::MapReason reason{"given by " + path, Eigen::Vector3d::Ones()};
    if (frame.body != before)
      reason.follows = robot::axes_that_follow(model, before, frame.body, a.R_SF * frame.R_BL.transpose());
    proposal.reasons.push_back(std::move(reason));
  }
  return proposal;
}

bool is_hand(const Attachment& a) { return a.segment == "RightHand" || a.segment == "LeftHand"; }

// Hands that touch weigh more only where that is asked for: arms that cannot follow would be held back.
robot::Map with_hands(robot::Map map) {
  for (Attachment& a : map.attachments.attachments) {
    if (!is_hand(a) || a.touch_weight) continue;
    const double own = a.position_weight.value_or(DynamicalOptions{}.position_weight);
    a.touch_weight = map.relative.firm ? std::max(kTouchPosition, own) : own;
  }
  return map;
}

// A leg of six joints can put its foot anywhere in any turn; with fewer a foot's turn would drag the body.
bool places_freely(const Model& model, int link) {
  int joints = 0;
  for (int body = model.frame(link).body; body > 0;
       body = model.tree().parent[static_cast<std::size_t>(body)])
    ++joints;
  return joints >= 6;
}

// Feet follow places only where they are asked to; those that stand must not be dragged by the rest.
robot::Map with_feet(robot::Map map, const Model& model, FeetMode mode) {
  for (Attachment& a : map.attachments.attachments) {
    if (a.segment != "RightFoot" && a.segment != "LeftFoot") continue;
    a.position = mode != FeetMode::Off;
    if (mode != FeetMode::Plant) continue;
    if (!a.position_weight) a.position_weight = kPlantedPosition;
    if (!a.gain) a.gain = kPlantedGain;
    if (!a.orientation_weight && places_freely(model, model.link_index(a.link)))
      a.orientation_weight = kPlantedOrientation;
  }
  return map;
}

}  // namespace

NamedRobot resolve_robot(const std::string& name, const SubjectDimensions& subject,
                         std::vector<std::string>& notes) {
  const auto at_rest = [](const Model& model, const robot::Map& map) {
    ModelSpec spec = model.spec();
    spec.rest = robot::rest_of(map, model);
    return Model(std::move(spec));
  };
  if (io::extension_of(name) == ".toml" && is_robot_map_file(name)) {
    const io::RobotMapFile file = io::read_robot_map(name);
    const Model model = model_behind_map(file, name, subject, notes);
    robot::MapProposal proposal = read_map(file, name, model, notes);
    if (const std::string urdf = urdf_behind(name); !urdf.empty())
      take_soles(urdf, model, proposal.map, notes);
    Model rested = at_rest(model, proposal.map);
    return {std::move(rested), std::move(proposal)};
  }
  const Model model = resolve_model(name, subject, notes);
  robot::MapProposal proposal = propose_map(name, model);
  for (const std::string& note : proposal.notes) notes.push_back(note);
  if (const std::string urdf = urdf_behind(name); !urdf.empty()) take_soles(urdf, model, proposal.map, notes);
  Model rested = at_rest(model, proposal.map);
  return {std::move(rested), std::move(proposal)};
}

void hasten_firm_hands(robot::Map& map) {
  if (!map.relative.firm) return;
  const DynamicalOptions usual = robot_options();
  for (Attachment& a : map.attachments.attachments) {
    if (!is_hand(a) || a.gain) continue;
    a.gain = kTouchGain;
    // where a robot comes to rest weight times gain decides
    a.orientation_weight =
        a.orientation_weight.value_or(usual.orientation_weight) * usual.orientation_gain / kTouchGain;
    a.position_weight = a.position_weight.value_or(usual.position_weight) * usual.position_gain / kTouchGain;
  }
}

void check_followed(Recording& file, const std::string& input, const Model& robot, const robot::Map& map,
                    bool gestures) {
  const std::vector<std::string> names = PersonReader(file).names();
  const auto& all = map.attachments.attachments;
  if (all.empty() || std::any_of(all.begin(), all.end(), [&](const Attachment& a) {
        return std::find(names.begin(), names.end(), a.segment) != names.end();
      }))
    return;
  const bool arms = gestures && std::any_of(all.begin(), all.end(), [](const Attachment& a) {
                      return a.segment.find("Arm") != std::string::npos;
                    });
  throw FormatError(input + ": holds no " + (arms ? "arm" : "segment") + " that robot '" + robot.name() +
                    "' could follow" + (arms ? ", and so no gestures; nor anything else that it could" : ""));
}

RobotClip open_robot_clip(std::unique_ptr<Recording> file, const OpenAgain& open_again, const Model& model,
                          const robot::Map& map, const SubjectDimensions& subject, FeetMode feet) {
  RobotClip clip;
  clip.feet = find_person_feet(*open_again(), subject);
  robot::SkeletonOptions skeleton;
  skeleton.keep_hands = map.relative.hands;
  skeleton.keep_body = map.relative.body;
  if (!clip.feet.sides.empty()) skeleton.floor = clip.feet.contacts.ground;
  const robot::Map followed = with_hands(with_feet(map, model, feet));
  FootPlan plan;
  if (feet == FeetMode::Plant && model.floating_base()) {
    const auto again = open_again();
    robot::Skeleton posing(model, followed, subject, PersonReader(*again).names(), skeleton);
    plan = plan_feet(*again, clip.feet, posing);
  }
  clip.again = [&model, followed, subject, skeleton, plan](std::unique_ptr<Recording> person) {
    return std::make_unique<RobotRecording>(std::move(person), model, followed, subject, skeleton, plan);
  };
  clip.recording = clip.again(std::move(file));
  return clip;
}

}  // namespace panto
