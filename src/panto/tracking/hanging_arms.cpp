#include "panto/tracking/hanging_arms.hpp"

#include <algorithm>
#include <array>

#include "panto/base/index.hpp"
#include "panto/math/degrees.hpp"
#include "panto/math/so3.hpp"
#include "panto/model/human.hpp"
#include "panto/targets/measured_joints.hpp"
#include "panto/tracking/segment_tracker.hpp"

namespace panto {
namespace {

using enum HumanSegment::Index;

constexpr double kAway = 12.0 * kDegree;  // of upper arms from the vertical
constexpr double kBent = 15.0 * kDegree;  // elbows
constexpr double kFromLimit = 0.02;       // [rad] of joints at rest

struct Arm {
  int upper, fore, hand;
};
constexpr std::array<Arm, 2> kArms{
    {{RightUpperArm, RightForeArm, RightHand}, {LeftUpperArm, LeftForeArm, LeftHand}}};

// the link that follows a segment; -1: none
int link_of(const Model& model, const AttachmentMap& map, int segment) {
  for (const Attachment& a : map.attachments) {
    if (a.segment == kHumanSegmentNames[at(segment)]) return model.find_link(a.link).value_or(-1);
  }
  return -1;
}

// whether one of the two bodies carries the other
bool in_line(const Tree& tree, int a, int b) {
  for (int body = a; body >= 0; body = tree.parent[at(body)])
    if (body == b) return true;
  for (int body = b; body >= 0; body = tree.parent[at(body)])
    if (body == a) return true;
  return false;
}

// the links of arms that are not measured
std::vector<int> free_arms(const Model& model, const AttachmentMap& map, const std::vector<int>& followed) {
  const auto is_followed = [&](int segment) {
    return std::find(followed.begin(), followed.end(), link_of(model, map, segment)) != followed.end();
  };
  std::vector<int> links;
  for (const Arm& arm : kArms) {
    if (is_followed(arm.upper) || is_followed(arm.fore) || is_followed(arm.hand)) continue;
    for (const int segment : {arm.upper, arm.fore, arm.hand}) {
      if (const int link = link_of(model, map, segment); link >= 0) links.push_back(link);
    }
  }
  return links;
}

}  // namespace

SegmentSample standing_person() {
  SegmentSample person;
  person.segments.resize(at(kHumanSegmentCount));
  for (SegmentMotion& segment : person.segments) {
    segment.R_WS.setIdentity();
    segment.has_orientation = true;
  }
  const auto turn = [&](int segment, const Eigen::Matrix3d& R) { person.segments[at(segment)].R_WS = R; };
  for (const Arm& arm : kArms) {
    const double side = arm.upper == RightUpperArm ? 1.0 : -1.0;
    const Eigen::Matrix3d upper = so3::about_axis(0, side * (90.0 * kDegree - kAway));
    const Eigen::Matrix3d fore = upper * so3::about_axis(2, side * kBent);
    turn(arm.upper, upper);
    turn(arm.fore, fore);
    turn(arm.hand, fore);
  }
  return person;
}

std::optional<Model> with_hanging_arms(const Model& model, const AttachmentMap& map,
                                       const SegmentSample& standing, const std::vector<int>& followed) {
  const std::vector<int> arms = free_arms(model, map, followed);
  if (arms.empty()) return {};
  AttachmentMap turns{map.source, {}};
  for (const Attachment& a : map.attachments) {
    if (!a.orientation) continue;
    turns.attachments.push_back(a);
    turns.attachments.back().position = false;
  }
  if (turns.attachments.empty()) return {};
  SegmentTracker tracker(model, turns, DynamicalOptions{});
  State state = tracker.rest_state();
  if (!advanced(tracker.step(standing, state))) return {};
  const std::vector<unsigned char> measured = joints_between(model, followed);
  const Tree& tree = model.tree();
  ModelSpec spec = model.spec();
  spec.rest = model.rest();
  for (int body = 1; body < tree.size(); ++body) {
    const int i = tree.dof[at(body)];
    const auto carries = [&](int link) { return in_line(tree, body, model.frame(link).body); };
    if (measured[at(i)] != 0 || std::none_of(arms.begin(), arms.end(), carries)) continue;
    const double lower = model.lower()[i] + kFromLimit, upper = model.upper()[i] - kFromLimit;
    if (lower < upper) spec.rest[i] = std::clamp(state.s[i], lower, upper);
  }
  return Model(std::move(spec));
}

std::optional<Model> with_hanging_arms(const Model& human, const std::vector<int>& followed) {
  AttachmentMap map = mvn_attachments();
  std::erase_if(map.attachments, [&](const Attachment& a) { return !human.find_link(a.link); });
  return with_hanging_arms(human, map, standing_person(), followed);
}

Model with_hanging_arms(const Model& human, const std::vector<std::string>& followed) {
  std::vector<int> links;
  for (const std::string& name : followed) {
    if (const auto link = human.find_link(name)) links.push_back(*link);
  }
  return with_hanging_arms(human, links).value_or(human);
}

}  // namespace panto
