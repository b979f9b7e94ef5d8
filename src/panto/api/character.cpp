#include "panto/api/character.hpp"

#include <algorithm>

#include "panto/base/index.hpp"
#include "panto/io/bvh_character.hpp"
#include "panto/motion/foot_contacts.hpp"
#include "panto/recording/joint_motion.hpp"
#include "panto/recording/person_reader.hpp"
#include "panto/retarget/posing_tracker.hpp"
#include "panto/rig/joint_match.hpp"

namespace panto {
namespace {

using enum HumanSegment::Index;

constexpr double kLeastSole = 1e-3;  // [m] of a foot without toes

std::optional<robot::Sole> sole_of(const SubjectDimensions& subject, bool right) {
  const FootSole sole = human_sole(subject, right);
  if (sole.ball.x() < kLeastSole) return {};
  return robot::Sole{-sole.ball.z(), sole.ball.y(), std::array<double, 2>{sole.heel.x(), sole.ball.x()}};
}

// Returns the segments of trunk, neck and head, in whose chains joints between two of them share the turn.
bool is_axial(int segment) { return segment >= Pelvis && segment <= Head; }

class Plan {
 public:
  Plan(const Robot& robot, const RecordingInfo& source, const RobotRecording& recording)
      : own_(robot.character->character), names_(recording.names()), links_(own_.parent.size()) {
    joint_of_.assign(links_.size(), -1);
    for (std::size_t j = 0; j < own_.link.size(); ++j)
      if (own_.link[j] >= 0) joint_of_[at(own_.link[j])] = static_cast<int>(j);
    for (std::size_t i = 0; i < links_.size(); ++i) {
      links_[i].parent = own_.parent[i];
      links_[i].order = own_.order[i];
      links_[i].first_dof = own_.first_dof[i];
      links_[i].R_rest = own_.R_rest[i];
      const int segment = own_.segment[at(joint_of_[i])];
      const auto entry = segment < 0 ? std::nullopt : entry_of(names_, segment);
      if (entry) links_[i].entry = static_cast<int>(*entry);
    }
    if (source.joints && source.rig) take_matches(source);
    for (std::size_t i = 0; i < links_.size(); ++i) share_turns(static_cast<int>(i));
  }

  std::vector<PosedLink> links() && { return std::move(links_); }

 private:
  void take_matches(const RecordingInfo& source) {
    const SkeletonClip& theirs = source.joints->skeleton();
    const std::vector<rig::JointMatch> matches = match_joints(theirs, *source.rig, own_.skeleton, own_.rig);
    for (std::size_t i = 0; i < links_.size(); ++i) {
      const auto joint = at(joint_of_[i]);
      if (matches[joint].source < 0 || links_[i].parent < 0) continue;
      links_[i].joint = matches[joint].source;
      links_[i].joint_parent = theirs.joints[at(links_[i].joint)].parent;
      links_[i].from_joint = own_.R_JL[joint].transpose() * matches[joint].from_source;
    }
  }

  // Joints of trunk or neck between two that follow segments, and that nothing else moves, share the turn.
  void share_turns(int upper) {
    if (links_[at(upper)].entry < 0 || !is_axial(own_.segment[at(joint_of_[at(upper)])])) return;
    std::vector<int> between;
    int lower = links_[at(upper)].parent;
    for (; lower >= 0 && links_[at(lower)].entry < 0 && links_[at(lower)].parent >= 0;
         lower = links_[at(lower)].parent)
      between.push_back(lower);
    if (lower < 0 ||
        std::any_of(between.begin(), between.end(), [&](int i) { return links_[at(i)].joint >= 0; }))
      return;
    const auto count = static_cast<double>(between.size() + 1);
    for (std::size_t k = 0; k < between.size(); ++k) {
      PosedLink& link = links_[at(between[k])];
      link.lower = lower;
      link.upper_entry = links_[at(upper)].entry;
      link.share = (count - 1.0 - static_cast<double>(k)) / count;
    }
  }

  const rig::Character& own_;
  std::vector<std::string> names_;
  std::vector<PosedLink> links_;
  std::vector<int> joint_of_;  // by link
};

}  // namespace

std::shared_ptr<Tracker<SegmentSample>> posing_of(const Robot& character, const RecordingInfo& source,
                                                  const RobotRecording& recording) {
  return std::make_shared<PosingTracker>(Plan(character, source, recording).links(),
                                         recording.skeleton().base_entry(), source.joints, character.model);
}

Robot robot_of(const io::OpenedCharacter& opened) {
  const rig::Character& own = opened.character.character;
  robot::Map map;
  map.robot = opened.model.name();
  map.base = BaseKind::Floating;
  map.rest = opened.rest;
  for (const bool right : {true, false}) map.soles[right ? 0 : 1] = sole_of(own.rig.subject, right);
  std::vector<robot::MapReason> reasons;
  for (std::size_t j = 0; j < own.segment.size(); ++j) {
    if (own.segment[j] < 0 || own.link[j] < 0) continue;
    Attachment a;
    a.segment = kHumanSegmentNames[at(own.segment[j])];
    a.link = opened.model.link_names()[at(own.link[j])];
    a.position = own.segment[j] == Pelvis;
    map.attachments.attachments.push_back(std::move(a));
    reasons.push_back({own.rig.map.segments[at(own.segment[j])].reason, Eigen::Vector3d::Ones()});
  }
  map.attachments.source = opened.model.name();
  ModelSpec spec = opened.model.spec();
  spec.rest = robot::rest_of(map, opened.model);
  return {Model(std::move(spec)), std::move(map), std::move(reasons), opened.notes,
          std::make_shared<const io::BvhCharacter>(opened.character)};
}

}  // namespace panto
