#include "panto/retarget/robot_judge.hpp"

#include <algorithm>
#include <array>

#include "panto/base/index.hpp"
#include "panto/recording/person_reader.hpp"

namespace panto {
namespace {

using enum HumanSegment::Index;

constexpr double kMeantToTouch = 0.5;  // nearness of a hand to a body part from which on a touch is intended

std::vector<FollowedLink> followed(const robot::Map& map, const std::vector<robot::MapReason>& reasons,
                                   const std::vector<TrackedPair>& pairs, const Model& model) {
  std::vector<FollowedLink> links;
  for (const TrackedPair& pair : pairs) {
    FollowedLink link{pair};
    const auto& all = map.attachments.attachments;
    for (std::size_t i = 0; i < all.size() && i < reasons.size(); ++i) {
      if (all[i].link == model.link_names()[at(pair.link)]) link.follows = reasons[i].follows;
    }
    links.push_back(link);
  }
  return links;
}

std::vector<RobotFoot> feet_of(const robot::Skeleton& skeleton, const PersonFeet& person) {
  std::vector<RobotFoot> feet;
  for (std::size_t i = 0; i < person.sides.size(); ++i) {
    const int side = person.sides[i];
    if (skeleton.sole(side).size() != 2) continue;
    feet.push_back({person.contacts.feet[i].name, skeleton.link_of(side == 0 ? RightFoot : LeftFoot),
                    robot_sole(skeleton, side)});
  }
  return feet;
}

RobotParts parts_of(const Model& model, const robot::Skeleton& skeleton, const PersonFeet& person,
                    const std::vector<std::string>& segments) {
  RobotParts parts;
  parts.feet = feet_of(skeleton, person);
  for (const int hand : {RightHand, LeftHand}) {
    if (skeleton.link_of(hand) >= 0 && entry_of(segments, hand))
      parts.hands.push_back({skeleton.link_of(hand), Eigen::Vector3d::Zero()});
  }
  if (parts.hands.size() != 2) parts.hands.clear();
  for (const int hand : {RightHand, LeftHand}) {
    if (skeleton.link_of(hand) >= 0)
      parts.wrists.push_back({skeleton.link_of(hand), skeleton.joint_of(hand)});
  }
  for (std::size_t part = 0; part < skeleton.body().size(); ++part) {
    const robot::BodyLinePlace& line = skeleton.body()[part];
    if (line.known)
      parts.lines.push_back(
          {std::string(robot::kBodyPartNames[part]), {line.from_link, line.from}, {line.to_link, line.to}});
  }
  std::vector<SegmentLink> links;
  for (int segment = 0; segment < kHumanSegmentCount; ++segment) {
    if (skeleton.link_of(segment) >= 0) links.push_back({segment, skeleton.link_of(segment)});
  }
  parts.body = body_capsules(model, links, parts.feet, model.rest());
  return parts;
}

}  // namespace

RobotJudge::RobotJudge(const Model& model, const robot::Map& map,
                       const std::vector<robot::MapReason>& reasons, const std::vector<TrackedPair>& pairs,
                       const std::vector<std::string>& segments, const robot::Skeleton& skeleton,
                       const PersonFeet& person, const RobotFiguresOptions& options)
    : person_(&person),
      following_(model, followed(map, reasons, pairs, model), options.settle),
      figures_(model, parts_of(model, skeleton, person, segments), options) {
  for (std::size_t i = 0; i < person.sides.size(); ++i) {
    if (skeleton.sole(person.sides[i]).size() == 2) feet_.push_back(i);
  }
  int wrists = 0, lines = 0;
  for (const int side : {0, 1})
    wrist_of_side_[at(side)] = skeleton.link_of(side == 0 ? RightHand : LeftHand) >= 0 ? wrists++ : -1;
  for (std::size_t part = 0; part < skeleton.body().size(); ++part)
    line_of_part_[part] = skeleton.body()[part].known ? lines++ : -1;
  const auto right = entry_of(segments, RightHand), left = entry_of(segments, LeftHand);
  if (right && left && skeleton.link_of(RightHand) >= 0 && skeleton.link_of(LeftHand) >= 0)
    hands_ = {*right, *left};
}

void RobotJudge::add(const SegmentSample& sample, StepStatus status, const State& state,
                     const std::array<robot::HandTouch, 2>& touches, int frame) {
  if (!advanced(status)) return;
  if (sample.cut) figures_.interrupt();
  following_.add(sample, state);
  RobotFrame known;
  for (const std::size_t i : feet_) {
    const FootContacts& foot = person_->contacts.feet[i];
    if (frame < 0 || at(frame) >= foot.heel.size()) break;
    known.contacts.push_back({foot.heel[at(frame)] != 0, foot.ball[at(frame)] != 0});
  }
  if (known.contacts.size() != feet_.size()) known.contacts.clear();
  if (hands_.size() == 2) {
    const SegmentMotion &right = sample.segments[hands_[0]], &left = sample.segments[hands_[1]];
    if (right.has_position && left.has_position) known.hand_distance = (left.p_WS - right.p_WS).norm();
  }
  for (const std::size_t side : {0U, 1U}) {
    const robot::HandTouch& touch = touches[side];
    if (touch.on_part < kMeantToTouch || wrist_of_side_[side] < 0) continue;
    known.touches.push_back(
        {wrist_of_side_[side], line_of_part_[at(touch.part)], touch.share, touch.distance});
  }
  figures_.add(state, known);
}

}  // namespace panto
