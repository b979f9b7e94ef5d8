#include "panto/robot/base.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "panto/base/index.hpp"
#include "panto/base/text.hpp"
#include "panto/base/words.hpp"
#include "panto/model/kinematics.hpp"
#include "panto/robot/layout_names.hpp"

namespace panto::robot {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr double kFullTurns = 4.0 * std::numbers::pi;  // [rad] a wider range is that of a wheel
constexpr double kLevel = 0.2;                         // cosine with up of a wheel's axis
constexpr double kBottom = 0.12;                       // share of the robot's height in which its wheels are
constexpr double kLeastWheel = 0.01, kLargestWheel = 0.5;  // [m] radius

State pose_at(const Model& model, const Eigen::VectorXd& s) {
  State state = rest_state(model);
  state.s = s;
  return state;
}

// links whose names say it, with the joints before them
std::vector<int> named_wheels(const Model& model) {
  std::vector<int> wheels;
  for (const Joint& joint : model.all_joints()) {
    if (!mentions(joint.name, "wheel") && !mentions(joint.child, "wheel")) continue;
    wheels.push_back(model.link_index(joint.child));
  }
  return wheels;
}

// ends of the tree that turn on and on about a horizontal axis, near the floor
std::vector<int> seen_wheels(const Model& model) {
  const Tree& tree = model.tree();
  Kinematics kinematics(model);
  kinematics.update(pose_at(model, Eigen::VectorXd::Zero(model.dof())));
  double low = kInfinity, high = -kInfinity;
  for (int link = 0; link < model.link_count(); ++link) {
    low = std::min(low, kinematics.p_WL(link).z());
    high = std::max(high, kinematics.p_WL(link).z());
  }
  std::vector<int> wheels;
  for (int body = 1; body < tree.size(); ++body) {
    const Joint& joint = model.joint(tree.dof[at(body)]);
    const bool leaf = std::find(tree.parent.begin(), tree.parent.end(), body) == tree.parent.end();
    if (!leaf || joint.type != JointType::Revolute || !(joint.upper - joint.lower > kFullTurns)) continue;
    if (std::abs(kinematics.joint_axis()[at(body)].z()) > kLevel) continue;
    if (kinematics.body_position()[at(body)].z() > low + kBottom * (high - low)) continue;
    wheels.push_back(model.link_index(joint.child));
  }
  return wheels.size() < 2 ? std::vector<int>() : wheels;
}

bool has_legs(const Map& map) {
  return std::any_of(
      map.attachments.attachments.begin(), map.attachments.attachments.end(),
      [](const Attachment& a) { return a.segment.ends_with("Leg") || a.segment.ends_with("Foot"); });
}

// both sides have joints that are named as a leg's
bool names_legs(const Model& model) {
  int right = 0, left = 0;
  for (const std::string& joint : model.joint_names()) {
    const Name name = read_robot_name(joint);
    if (name.region != NamedRegion::Leg) continue;
    right += name.side == NamedSide::Right ? 1 : 0;
    left += name.side == NamedSide::Left ? 1 : 0;
  }
  return right >= 3 && left >= 3;
}

// axes of the person's segment in those of the root link, as the map's link on the base says
Matrix3d base_axes(const Model& model, const Map& map) {
  for (const Attachment& a : map.attachments.attachments) {
    const auto link = model.find_link(a.link);
    if (link && model.frame(*link).body == 0) return a.R_SF * model.frame(*link).R_BL.transpose();
  }
  return Matrix3d::Identity();
}

// radius of a cylinder with this link's mass and inertia; 0: unknown
double radius_of(const Link& link) {
  if (!(link.mass > 0.0)) return 0.0;
  const double radius = std::sqrt(2.0 * link.inertia.diagonal().maxCoeff() / link.mass);
  return radius > kLeastWheel && radius < kLargestWheel ? radius : 0.0;
}

}  // namespace

std::vector<int> find_wheels(const Model& model) {
  std::vector<int> wheels = named_wheels(model);
  return wheels.empty() ? seen_wheels(model) : wheels;
}

BaseFinding find_base(const Model& model, const Map& map, std::optional<BaseKind> asked) {
  if (!asked) asked = map.base;
  if (asked) return {*asked, {}};
  if (!model.floating_base()) return {model.base(), {}};
  if (has_legs(map)) return {};
  // a free joint only says that the robot is not bolted down: wheels stay on the floor
  if (const std::vector<int> wheels = find_wheels(model); !wheels.empty()) {
    std::vector<std::string> names;
    for (const int link : wheels) names.push_back("'" + model.link_names()[at(link)] + "'");
    return {BaseKind::Rolling,
            "the base rolls on the floor (`base` changes it): no legs, but wheels " + listed(names, 2)};
  }
  if (model.spec().base_known || names_legs(model)) return {};
  return {BaseKind::Fixed, "the base is fixed (`base` changes it): no legs, no wheels"};
}

BasedProposal propose_based_map(const Model& model, std::optional<BaseKind> asked) {
  MapProposal proposal = propose_robot_map(model);
  const BaseFinding base = find_base(model, proposal.map, asked);
  if (base.kind == model.base()) {
    if (base.kind != BaseKind::Floating) proposal.map.base = base.kind;
    return {model, std::move(proposal)};
  }
  Model based = with_base(model, base.kind);
  proposal = propose_robot_map(based);
  if (base.kind != BaseKind::Floating) proposal.map.base = base.kind;
  if (!base.note.empty()) proposal.notes.insert(proposal.notes.begin(), base.note);
  return {std::move(based), std::move(proposal)};
}

double base_height(const Model& model, const Map& map, const Eigen::VectorXd& s,
                   std::span<const LinkPoints> surfaces) {
  const BaseKind kind = model.base();
  if (kind == BaseKind::Floating) return 0.0;
  const Matrix3d R_SB = base_axes(model, map);
  Kinematics kinematics(model);
  kinematics.update(pose_at(model, s));
  double lowest = kInfinity;
  const auto offer = [&](int link, const Vector3d& p_L, double radius) {
    const Vector3d p = kinematics.p_WL(link) + kinematics.R_WL(link) * p_L;
    lowest = std::min(lowest, (R_SB * p).z() - radius);
  };
  const auto offer_surface = [&](int link) {
    for (const LinkPoints& surface : surfaces) {
      if (surface.link != model.link_names()[at(link)]) continue;
      for (const Vector3d& p : surface.points) offer(link, p, 0.0);
    }
    for (const Vector3d& p : model.links()[at(link)].corners) offer(link, p, 0.0);
  };
  if (kind == BaseKind::Fixed) {
    for (const Attachment& a : map.attachments.attachments)
      if (a.segment.ends_with("Foot")) offer_surface(model.link_index(a.link));
    return std::isfinite(lowest) && model.links()[at(model.root_link())].mass > 0.0 ? -lowest : 0.0;
  }
  for (int link = 0; link < model.link_count(); ++link)
    if (mentions(model.link_names()[at(link)], "footprint")) offer(link, Vector3d::Zero(), 0.0);
  if (std::isfinite(lowest)) return -lowest;
  const std::vector<int> wheels = find_wheels(model);
  for (const int link : wheels) offer_surface(link);
  if (std::isfinite(lowest)) return -lowest;
  for (const int link : wheels) {
    if (const double radius = radius_of(model.links()[at(link)]); radius > 0.0)
      offer(link, model.links()[at(link)].com, radius);
  }
  return std::isfinite(lowest) ? -lowest : 0.0;
}

}  // namespace panto::robot
