#include "panto/retarget/body_outline.hpp"

#include <algorithm>
#include <utility>

#include "panto/base/index.hpp"
#include "panto/model/link_pairs.hpp"
#include "panto/motion/base_lift.hpp"
#include "panto/retarget/foot_plan.hpp"
#include "panto/retarget/limb_solver.hpp"

namespace panto {
namespace {

using enum HumanSegment::Index;

// Thicker than the capsules that must not overlap: here a body that seems too thick is harmless.
constexpr CapsuleOptions kThick{0.18, 0.4, 0.15, false};
constexpr double kSunk = 0.008;    // [m] of a hand under the floor that is left
constexpr double kRise = 0.1;      // [s] in which a hand rises before it and sinks back after it
constexpr double kHandTurn = 0.3;  // [1/rad^2] weight of a hand's orientation while it rises
constexpr int kRounds = 3;         // a hand that rises also turns

}  // namespace

BodyOutline::BodyOutline(const Model& model, const robot::Skeleton& skeleton)
    : model_(&model), trunk_(skeleton.link_of(T8)) {
  std::vector<SegmentLink> links;
  for (int segment = 0; segment < kHumanSegmentCount; ++segment)
    if (skeleton.link_of(segment) >= 0) links.push_back({segment, skeleton.link_of(segment)});
  for (const int side : {0, 1})
    if (const int link = skeleton.link_of(side == 0 ? RightHand : LeftHand); link >= 0)
      hands_.push_back({link, skeleton.link_of(side == 0 ? RightForeArm : LeftForeArm), {}, false});
  Kinematics kinematics(model);
  State rest = rest_state(model);
  rest.s = model.rest();
  kinematics.update(rest);
  // what is nearer to the foot than to the knee is carried by the foot, or is part of it
  const auto of_foot = [&](const LinkPoint& point) {
    for (const auto& [shank, foot] :
         {std::pair(RightLowerLeg, RightFoot), std::pair(LeftLowerLeg, LeftFoot)}) {
      const int knee = skeleton.link_of(shank), end = skeleton.link_of(foot);
      if (end < 0 ||
          (!is_carried(model, point.link, end) && (knee < 0 || !is_carried(model, point.link, knee))))
        continue;
      const Eigen::Vector3d place = kinematics.p_WL(point.link) + kinematics.R_WL(point.link) * point.p_L;
      if (knee < 0 || (place - kinematics.p_WL(end)).norm() < (place - kinematics.p_WL(knee)).norm())
        return true;
    }
    return false;
  };
  const CapsuleBody body = body_capsules(model, links, {}, model.rest(), kThick);
  for (std::size_t i = 0; i < body.capsules.size(); ++i) {
    const Capsule& capsule = body.capsules[i];
    Part part{{}, capsule.radius};
    for (const LinkPoint& end : {capsule.from, capsule.to})
      if (!of_foot(end)) part.points.push_back(end);
    if (part.points.empty()) continue;
    const auto hand = std::find_if(hands_.begin(), hands_.end(), [&](const Hand& h) {
      // without a wrist the forearm is not part of the hand
      return h.link == capsule.from.link ||
             (move_together(model, capsule.from.link, h.link) && !move_together(model, h.link, h.forearm));
    });
    if (hand != hands_.end() && i < at(body.shapes)) hand->shaped = true;
    (hand != hands_.end() ? hand->parts : body_).push_back(std::move(part));
  }
  for (Hand& hand : hands_) {
    if (hand.shaped) continue;
    Part corners;
    for (const Eigen::Vector3d& corner : link_corners(model, hand.link))
      corners.points.push_back({hand.link, corner});
    hand.parts.push_back(std::move(corners));
  }
}

double BodyOutline::lowest_of(const Part& part, const Kinematics& kinematics) noexcept {
  double lowest = kInfinity;
  for (const LinkPoint& point : part.points)
    lowest = std::min(lowest, (kinematics.p_WL(point.link) + kinematics.R_WL(point.link) * point.p_L).z());
  return lowest - part.radius;
}

double BodyOutline::lowest(const Kinematics& kinematics) const noexcept {
  double lowest = kInfinity;
  for (const Part& part : body_) lowest = std::min(lowest, lowest_of(part, kinematics));
  return lowest;
}

void BodyOutline::raise_hands(Motion& motion, const std::vector<int>& cuts) const {
  for (const Hand& hand : hands_)
    for (int round = 0; round < kRounds && raise(hand, motion, cuts); ++round) {
    }
}

// Raises one hand once; returns false if nothing of it is under the floor.
bool BodyOutline::raise(const Hand& hand, Motion& motion, const std::vector<int>& cuts) const {
  Kinematics kinematics(*model_);
  std::vector<Time> t;
  std::vector<double> depth;
  for (const State& state : motion.states) {
    kinematics.update(state);
    double lowest = kInfinity;
    for (const Part& part : hand.parts) lowest = std::min(lowest, lowest_of(part, kinematics));
    t.push_back(state.t);
    depth.push_back(-lowest);
  }
  if (std::none_of(depth.begin(), depth.end(), [](double d) { return d > kSunk; })) return false;
  const std::vector<double> lift = base_lift(t, depth, {kSunk, kRise}, cuts);
  LimbSolver arm(*model_, {trunk_, hand.forearm, hand.link});
  Eigen::VectorXd like;
  for (std::size_t k = 0; k < t.size(); ++k) {
    if (!(lift[k] > 0.0)) continue;
    State& state = motion.states[k];
    kinematics.update(state);
    LimbWish wish;
    wish.p_WL = kinematics.p_WL(hand.link) + lift[k] * Eigen::Vector3d::UnitZ();
    wish.R_WL = kinematics.R_WL(hand.link);
    wish.orientation = kHandTurn;
    like = state.s;
    arm.solve(wish, like, model_->lower(), model_->upper(), state);
  }
  return true;
}

}  // namespace panto
