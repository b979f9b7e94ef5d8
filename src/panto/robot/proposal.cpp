// Builds the map of links and segments from the robot's body layout.

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/base/text.hpp"
#include "panto/math/degrees.hpp"
#include "panto/math/directions.hpp"
#include "panto/model/human.hpp"
#include "panto/robot/follows.hpp"
#include "panto/robot/layout.hpp"
#include "panto/robot/map.hpp"

namespace panto::robot {
namespace {

using enum HumanSegment::Index;
using enum RobotSide::Index;

using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr double kLimb = 0.25;  // of the robot's reach: shorter chains are fingers, an eye, a jaw

std::string side_name(RobotSide::Index side) { return side == LeftSide ? "left" : "right"; }

class Proposal {
 public:
  explicit Proposal(const Model& model)
      : model_(model), bodies_(model), layout_(find_robot_layout(bodies_)), R_WS_(layout_.R_WS()) {}

  MapProposal make() {
    out_.map.robot = model_.name();
    out_.map.attachments.source = "human";
    add_trunk();
    for (const RobotSide::Index side : {RightSide, LeftSide})
      if (layout_.arm[at(side)]) add_arm(*layout_.arm[at(side)], side);
    for (const RobotSide::Index side : {RightSide, LeftSide})
      if (layout_.leg[at(side)]) add_leg(*layout_.leg[at(side)], side);
    add_rest();
    note_locked();
    note_unmapped();
    out_.notes = layout_.notes;
    if (!layout_.forward_reason.empty())
      out_.notes.insert(out_.notes.begin(), "forward direction found from: " + layout_.forward_reason);
    return std::move(out_);
  }

 private:
  const std::string& link_name(int link) const { return model_.links()[at(link)].name; }

  // `R_WS`: the segment's axes with all joints at zero
  void add(HumanSegment::Index segment, int link, const Matrix3d& R_WS, std::string why,
           bool position = false) {
    Attachment a;
    a.segment = std::string(kHumanSegmentNames[at(segment)]);
    a.link = link_name(link);
    a.R_SF = R_WS.transpose() * bodies_.R_WL(link);
    a.position = position;
    const int body = model_.frame(link).body;
    MapReason reason{std::move(why), Vector3d::Ones()};
    const bool first = mapped_.empty();
    if (!first || !model_.floating_base()) {
      const Matrix3d R_SB = R_WS.transpose() * bodies_[body].R_WB;
      reason.follows = axes_that_follow(model_, first ? 0 : before(body), body, R_SB);
    }
    mapped_.push_back(body);
    out_.map.attachments.attachments.push_back(std::move(a));
    out_.reasons.push_back(std::move(reason));
  }

  // the nearest mapped body towards the base; the first of the map if there is none
  int before(int body) const {
    for (int b = bodies_[body].parent; b >= 0; b = bodies_[b].parent)
      if (std::find(mapped_.begin(), mapped_.end(), b) != mapped_.end()) return b;
    return mapped_.front();
  }

  // the link that carries both limbs, else the body's own
  int carrier_link(int body, const std::array<std::optional<Limb>, 2>& limbs) const {
    int link = -1;
    for (const auto& limb : limbs) {
      if (!limb) continue;
      const int own = bodies_[limb->body(0)].proximal_link;
      if (link >= 0 && own != link) return bodies_[body].distal_link;
      link = own;
    }
    return link >= 0 ? link : bodies_[body].distal_link;
  }

  void add_trunk() {
    if (!layout_.has_directions) return;
    const bool arms = layout_.arm[0] || layout_.arm[1], legs = layout_.leg[0].has_value();
    if (layout_.pelvis >= 0) {
      const bool both = legs && arms && layout_.chest < 0;
      add(Pelvis, carrier_link(layout_.pelvis, layout_.leg), R_WS_,
          !legs  ? "the base"
          : both ? "carries both legs and both arms; no joint in between, so no link follows T8"
                 : "carries both legs",
          true);
    }
    if (layout_.chest >= 0)
      add(T8, carrier_link(layout_.chest, layout_.arm), R_WS_, "carries both arms", layout_.pelvis < 0);
    if (layout_.neck) {
      const int last = layout_.neck->bodies.back();
      add(Head, bodies_[last].distal_link, R_WS_,
          "end of a chain of " + counted(static_cast<std::int64_t>(layout_.neck->bodies.size()), "joint") +
              " above the arms");
    }
  }

  std::string hinge_text(const Limb& limb) const {
    const Body& hinge = bodies_[limb.body(limb.hinge)];
    const double sign = limb.flexion;
    const double a = sign * (hinge.lower - limb.straight), b = sign * (hinge.upper - limb.straight);
    std::string text = model_.joint(hinge.dof).name;
    if (std::isfinite(a) && std::isfinite(b))
      text += ", bend range " + decimals(std::min(a, b) * kToDegrees, 0) + " to " +
              decimals(std::max(a, b) * kToDegrees, 0) + " deg";
    return text;
  }

  // a body's link that is named hand or foot and has mass, else the joint's child
  int end_link(int body) const {
    for (const int link : bodies_[body].links) {
      if (model_.links()[at(link)].mass > 0.0 && read_robot_name(link_name(link)).end) return link;
    }
    return bodies_[body].distal_link;
  }

  // the link before a joint, or the last body's own at the chain's end
  int link_before(const Limb& limb, int joint) const {
    return joint < limb.size() ? bodies_[limb.body(joint)].proximal_link
                               : bodies_[limb.body(joint - 1)].distal_link;
  }

  std::string limb_name(const char* kind, RobotSide::Index side) const {
    return "the " + side_name(side) + " " + kind;
  }

  // x, y, z of a bone's segment: arms lie along y and bend about z, legs lie along z and bend about y
  Matrix3d arm_axes(const Limb& limb, const Vector3d& bone, RobotSide::Index side) const {
    const double sign = side == LeftSide ? 1.0 : -1.0;
    const Vector3d y = sign * bone, z = -sign * limb.flexion * limb.axis;
    return (Matrix3d() << y.cross(z), y, z).finished();
  }
  // A shoulder of two joints points the arm and cannot also turn it about its length: where its elbow bends
  // says nothing of a person's, and would turn the trunk. The arm has the axes of a T-pose, turned to where
  // it is.
  Matrix3d pointed_axes(const Vector3d& bone, RobotSide::Index side) const {
    return least_turn((side == LeftSide ? 1.0 : -1.0) * R_WS_.col(1), bone) * R_WS_;
  }
  Matrix3d leg_axes(const Limb& limb, const Vector3d& bone) const {
    const Vector3d z = -bone, y = limb.flexion * limb.axis;
    return (Matrix3d() << y.cross(z), y, z).finished();
  }

  void note_tip(const Limb& limb, const std::string& who, const char* joint) {
    if (!limb.from_tip) return;
    layout_.notes.push_back(who + " has no " + joint + ": its direction is taken " +
                            "from the last link's farthest point, frame or centre of mass");
  }

  void add_arm(const Limb& arm, RobotSide::Index side) {
    const bool left = side == LeftSide;
    const std::string who = limb_name("arm", side);
    if (arm.girdle_end > 0) {
      add(left ? LeftShoulder : RightShoulder, link_before(arm, arm.girdle_end), R_WS_,
          "between the chest and the shoulder of " + who);
    }
    const bool points = arm.hinge_begin - arm.girdle_end < 3;
    const auto axes = [&](const Vector3d& bone) {
      return points ? pointed_axes(bone, side) : arm_axes(arm, bone, side);
    };
    const bool hand = arm.end_end > arm.end_begin;
    add(left ? LeftUpperArm : RightUpperArm, link_before(arm, arm.hinge_begin), axes(arm.upper),
        "before the elbow of " + who + ": " + hinge_text(arm));
    add(left ? LeftForeArm : RightForeArm, link_before(arm, arm.end_begin), axes(arm.lower),
        hand ? "before the wrist of " + who : "end of " + who, !hand);
    if (hand)
      add(left ? LeftHand : RightHand, end_link(arm.body(arm.end_end - 1)), axes(arm.hand), "end of " + who,
          true);
    if (!hand) note_tip(arm, who, "wrist");
  }

  void add_leg(const Limb& leg, RobotSide::Index side) {
    const bool left = side == LeftSide;
    const std::string who = limb_name("leg", side);
    const bool foot = leg.end_end > leg.end_begin, toe = foot && leg.end_end < leg.size();
    add(left ? LeftUpperLeg : RightUpperLeg, link_before(leg, leg.hinge_begin), leg_axes(leg, leg.upper),
        "before the knee of " + who + ": " + hinge_text(leg));
    add(left ? LeftLowerLeg : RightLowerLeg, link_before(leg, leg.end_begin), leg_axes(leg, leg.lower),
        foot ? "before the ankle of " + who : "end of " + who, !foot);
    if (foot) {
      const int link = toe ? link_before(leg, leg.end_end) : end_link(leg.body(leg.end_end - 1));
      add(left ? LeftFoot : RightFoot, link, R_WS_, "after the ankle of " + who, true);
    } else {
      note_tip(leg, who, "ankle");
    }
    if (toe) {
      // joints at the same place count as one
      int last = leg.end_end;
      const auto place = [&](int joint) { return bodies_[leg.body(joint)].p_WB; };
      while (last + 1 < leg.size() && (place(last + 1) - place(leg.end_end)).norm() < 0.02 * leg.length)
        ++last;
      add(left ? LeftToe : RightToe, bodies_[leg.body(last)].distal_link, R_WS_, "before the foot of " + who);
    }
  }

  // zero if the limits allow it, else the nearest limit
  void add_rest() {
    for (int i = 0; i < model_.dof(); ++i) {
      const double value = std::clamp(0.0, model_.lower()[i], model_.upper()[i]);
      if (value != 0.0) out_.map.rest.emplace_back(model_.joint(i).name, value);
    }
  }

  // bodies on the way to a mapped one
  std::vector<bool> on_the_way() const {
    std::vector<bool> way(at(bodies_.size()), false);
    way[0] = true;
    for (const int mapped : mapped_)
      for (int body = mapped; body > 0; body = bodies_[body].parent) way[at(body)] = true;
    return way;
  }

  // names joints whose limits coincide; those that mapped links need first
  void note_locked() {
    const std::vector<bool> way = on_the_way();
    std::vector<std::string> locked;
    std::ptrdiff_t needed = 0;
    for (int body = 1; body < bodies_.size(); ++body) {
      if (can_move(model_, bodies_[body].dof)) continue;
      const auto place = way[at(body)] ? locked.begin() + needed++ : locked.end();
      locked.insert(place, "'" + model_.joint(bodies_[body].dof).name + "'");
    }
    if (locked.empty()) return;
    layout_.notes.push_back((needed > 0 ? "warning: " : "") +
                            counted(static_cast<std::int64_t>(locked.size()), "joint") +
                            " cannot move, as both limits are equal: " + listed(locked, 4));
  }

  // names limbs that no segment moves
  void note_unmapped() {
    const std::vector<bool> way = on_the_way();
    for (int body = 1; body < bodies_.size(); ++body) {
      const Body& first = bodies_[body];
      if (way[at(body)] || !way[at(first.parent)]) continue;
      if (first.depth < 3 || first.reach < kLimb * bodies_[0].reach ||
          first.name.region == NamedRegion::Finger)
        continue;
      const bool other = first.name.region == NamedRegion::Leg || first.name.region == NamedRegion::Trunk;
      layout_.notes.push_back((other ? "" : "warning: ") + std::string("no segment moves joint '") +
                              model_.joint(first.dof).name + "' and those after it (" +
                              std::to_string(first.depth) + " in a row): no limb was recognised there; " +
                              "to add them, write the map with panto map -o and name their links in it");
    }
  }

  const Model& model_;
  Bodies bodies_;
  Layout layout_;
  Matrix3d R_WS_;
  std::vector<int> mapped_;  // bodies, in the order of the map
  MapProposal out_;
};

}  // namespace

MapProposal propose_robot_map(const Model& model) { return Proposal(model).make(); }

}  // namespace panto::robot
