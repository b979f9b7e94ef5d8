#include "panto/retarget/robot_judge.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "panto/base/index.hpp"
#include "panto/model/link_pairs.hpp"
#include "panto/recording/person_reader.hpp"

namespace panto {
namespace {

using enum HumanSegment::Index;

// As thick as the links of most robots: thicker than the capsules that must not overlap.
constexpr CapsuleOptions kSeen{0.13, 0.3, 0.15, false};
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

std::vector<RobotFoot> feet_of(const Model& model, const robot::Skeleton& skeleton,
                               const PersonFeet& person) {
  std::vector<RobotFoot> feet;
  for (std::size_t i = 0; i < person.sides.size(); ++i) {
    const int side = person.sides[i];
    if (skeleton.sole(side).size() != 2) continue;
    const int link = skeleton.link_of(side == 0 ? RightFoot : LeftFoot);
    feet.push_back({person.contacts.feet[i].name, link, robot_sole(skeleton, side),
                    foot_corners(model, skeleton, side)});
  }
  return feet;
}

// Returns what must not be under the floor: limbs and trunk as capsules; soles by their corners, and hands
// without a known shape.
std::vector<Capsule> outline_of(const Model& model, const std::vector<SegmentLink>& links,
                                const robot::Skeleton& skeleton, const std::vector<RobotFoot>& feet) {
  std::vector<Capsule> outline;
  CapsuleBody body = body_capsules(model, links, {}, model.rest(), kSeen);
  for (std::size_t i = 0; i < body.capsules.size(); ++i) {
    Capsule& capsule = body.capsules[i];
    capsule.name = plain_name(capsule.name);
    const int end = capsule.to.link;
    if (move_together(model, end, skeleton.link_of(RightFoot)) ||
        move_together(model, end, skeleton.link_of(LeftFoot))) {
      if (i < at(body.shapes)) continue;
      // an ankle may be nearer to the floor than a shank is thick: feet have their corners
      capsule.to = capsule.from;
    }
    outline.push_back(std::move(capsule));
  }
  const auto add_corners = [&](const std::string& name, int link,
                               const std::vector<Eigen::Vector3d>& corners) {
    for (const Eigen::Vector3d& corner : corners)
      outline.push_back({plain_name(name), {link, corner}, {link, corner}, 0.0});
  };
  for (const RobotFoot& foot : feet) add_corners(foot.name, foot.link, foot.corners);
  for (const int hand : {RightHand, LeftHand}) {
    const int link = skeleton.link_of(hand);
    const bool shaped =
        std::any_of(body.capsules.begin(), body.capsules.begin() + body.shapes,
                    [&](const Capsule& capsule) { return move_together(model, capsule.from.link, link); });
    if (link >= 0 && !shaped)
      add_corners(std::string(kHumanSegmentNames[at(hand)]), link, link_corners(model, link));
  }
  return outline;
}

// A limb of the human: its segments from the trunk outwards, its long axis in their frames.
struct Limb {
  std::array<int, 3> segments;
  Eigen::Vector3d along;
};
const std::array<Limb, 4> kLimbs{{{{RightUpperLeg, RightLowerLeg, RightFoot}, {0.0, 0.0, -1.0}},
                                  {{LeftUpperLeg, LeftLowerLeg, LeftFoot}, {0.0, 0.0, -1.0}},
                                  {{RightUpperArm, RightForeArm, RightHand}, {0.0, -1.0, 0.0}},
                                  {{LeftUpperArm, LeftForeArm, LeftHand}, {0.0, 1.0, 0.0}}}};

// Returns whether a limb's upper (0) or lower (1) part can point anywhere. `follows`: by segment.
bool points_freely(const Limb& limb, std::size_t part,
                   const std::array<Eigen::Vector3d, kHumanSegmentCount>& follows) {
  const Eigen::Vector3d& upper = follows[at(limb.segments[0])];
  const Eigen::Vector3d& lower = follows[at(limb.segments[1])];
  const Eigen::Vector3d across = Eigen::Vector3d::Ones() - limb.along.cwiseAbs(),
                        along = limb.along.cwiseAbs();
  // two turns reach every direction, also where one of them is along the limb in the T-pose
  const bool swings = (upper.array() >= FollowingBuilder::kFollows).count() >= 2;
  const bool bends = lower.cwiseProduct(across).maxCoeff() >= FollowingBuilder::kFollows;
  const bool rolls = std::max(upper.dot(along), lower.dot(along)) >= FollowingBuilder::kFollows;
  return swings && (part == 0 || (bends && rolls));
}

// Marks joints that move no followed link: grippers, a screen, wheels. Coupled joints move together.
std::vector<bool> idle_joints(const Model& model, const std::vector<TrackedPair>& pairs) {
  std::vector<bool> idle(at(model.dof()), true);
  for (const TrackedPair& pair : pairs) {
    for (int body = model.frame(pair.link).body; body > 0; body = model.tree().parent[at(body)])
      idle[at(model.tree().dof[at(body)])] = false;
  }
  for (std::size_t pass = 0; pass < model.rows().size(); ++pass) {
    bool changed = false;
    for (const CoupledRow& row : model.rows()) {
      const auto is_idle = [&](const CoupledRow::Term& term) {
        return idle[at(model.joint_index(term.joint))];
      };
      if (std::all_of(row.terms.begin(), row.terms.end(), is_idle)) continue;
      for (const CoupledRow::Term& term : row.terms) {
        changed = changed || is_idle(term);
        idle[at(model.joint_index(term.joint))] = false;
      }
    }
    if (!changed) break;
  }
  return idle;
}

}  // namespace

RobotParts robot_parts(const Model& model, const std::vector<TrackedPair>& pairs,
                       const robot::Skeleton& skeleton, const PersonFeet& person,
                       const std::vector<std::string>& segments) {
  RobotParts parts;
  parts.idle = idle_joints(model, pairs);
  parts.feet = feet_of(model, skeleton, person);
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
  if (model.base() == BaseKind::Fixed) parts.feet.clear();  // it hangs: its feet stand nowhere
  if (model.floating_base()) {
    parts.base = skeleton.link_of(Pelvis);
    // a robot without feet has no floor
    if (!parts.feet.empty()) parts.outline = outline_of(model, links, skeleton, parts.feet);
  }
  return parts;
}

std::vector<std::string> not_judged(const Model& model, const robot::Skeleton& skeleton,
                                    const RobotParts& parts) {
  const bool legs = skeleton.link_of(RightLowerLeg) >= 0 || skeleton.link_of(LeftLowerLeg) >= 0;
  if (model.base() == BaseKind::Fixed || parts.base < 0 || !parts.feet.empty() || !legs) return {};
  return {
      "the soles are unknown (no link follows the person's feet): no foot is planted, and how the body "
      "stands "
      "on the floor is not judged"};
}

std::vector<RobotJudge::LimbTarget> RobotJudge::limbs_of(const robot::Map& map,
                                                         const std::vector<robot::MapReason>& reasons,
                                                         const std::vector<std::string>& segments,
                                                         const robot::Skeleton& skeleton, RobotParts& parts) {
  std::array<Eigen::Vector3d, kHumanSegmentCount> follows;
  follows.fill(Eigen::Vector3d::Ones());
  const auto& all = map.attachments.attachments;
  for (std::size_t i = 0; i < all.size() && i < reasons.size(); ++i) {
    const auto segment = std::find(kHumanSegmentNames.begin(), kHumanSegmentNames.end(), all[i].segment);
    if (segment != kHumanSegmentNames.end())
      follows[at(static_cast<int>(segment - kHumanSegmentNames.begin()))] = reasons[i].follows;
  }
  std::vector<LimbTarget> targets;
  for (const Limb& limb : kLimbs) {
    for (const std::size_t part : {0U, 1U}) {
      const int from = limb.segments[part], to = limb.segments[part + 1];
      const auto entry = entry_of(segments, from);
      if (skeleton.link_of(limb.segments[0]) < 0 || skeleton.link_of(from) < 0 || skeleton.link_of(to) < 0 ||
          !entry || !points_freely(limb, part, follows))
        continue;
      parts.limbs.push_back({plain_name(std::string(kHumanSegmentNames[at(from)])),
                             {skeleton.link_of(from), skeleton.joint_of(from)},
                             {skeleton.link_of(to), skeleton.joint_of(to)}});
      targets.push_back({*entry, limb.along});
    }
  }
  return targets;
}

RobotJudge::RobotJudge(const Model& model, const robot::Map& map,
                       const std::vector<robot::MapReason>& reasons, const std::vector<TrackedPair>& pairs,
                       const std::vector<std::string>& segments, const robot::Skeleton& skeleton,
                       const PersonFeet& person, const RobotFiguresOptions& options,
                       std::vector<Obstacle> obstacles)
    : person_(&person),
      following_(model, followed(map, reasons, pairs, model), options.settle),
      scale_(skeleton.scale()),
      R_pelvis_(skeleton.offset(Pelvis)),
      pelvis_(entry_of(segments, Pelvis)),
      parts_(robot_parts(model, pairs, skeleton, person, segments)),
      limbs_(limbs_of(map, reasons, segments, skeleton, parts_)),
      figures_(model, parts_, options) {
  if (!person.sides.empty()) notes_ = not_judged(model, skeleton, parts_);
  if (!obstacles.empty()) obstacles_.emplace(model, std::move(obstacles));
  for (std::size_t i = 0; i < person.sides.size() && !parts_.feet.empty(); ++i) {
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
                     const std::array<robot::HandTouch, 2>& touches, int frame,
                     const std::optional<Eigen::Vector3d>& pelvis) {
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
  if (pelvis && pelvis_ && sample.segments[*pelvis_].has_orientation)
    known.base = PersonBase{scale_ * *pelvis, sample.segments[*pelvis_].R_WS * R_pelvis_};
  for (const LimbTarget& limb : limbs_) {
    const SegmentMotion& segment = sample.segments[limb.entry];
    known.limbs.push_back(segment.has_orientation ? Eigen::Vector3d(segment.R_WS * limb.along)
                                                  : Eigen::Vector3d::Zero());
  }
  if (obstacles_) known.obstacle = obstacles_->deepest(state);
  figures_.add(state, known);
}

ObstacleDepth::ObstacleDepth(const Model& model, std::vector<Obstacle> obstacles)
    : gaps_(model, link_body(model, model.rest(), false), std::move(obstacles)), kinematics_(model) {}

InObstacle ObstacleDepth::deepest(const State& state) {
  kinematics_.update(state);
  InObstacle deepest;
  for (const BodyGap& gap : gaps_.find(kinematics_, 0.0)) {
    if (!(-gap.distance > deepest.depth)) continue;
    auto [pair, second] = gaps_.names(gap);
    pair.append(" and ").append(second);
    deepest = {-gap.distance, std::move(pair)};
  }
  return deepest;
}

}  // namespace panto
