#include "panto/model/model.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <deque>
#include <numeric>

#include "panto/base/index.hpp"
#include "panto/base/printable.hpp"
#include "panto/base/text.hpp"
#include "panto/math/so3.hpp"
#include "panto/math/vector_math.hpp"

namespace panto {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr double kCoincident = 1e-9;     // [m] joint origins closer than this are one point
constexpr double kPerpendicular = 1e-9;  // |cos| of the angle between perpendicular axes

std::string in_quotes(const std::string& name) { return "'" + name.substr(0, 80) + "'"; }

// a line break or tab in a name would break the tables whose columns it heads
void check_characters(const std::string& name, const char* kind) {
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  if (std::any_of(name.begin(), name.end(), is_control))
    throw ModelError(std::string(kind) + " '" + printable_name(name.substr(0, 80)) +
                     "': its name holds a control character, such as a line break or a tab; rename it");
}

// returns the indices of `names`, sorted by name. @throws ModelError for an empty or duplicate name, or one
// with control characters
std::vector<int> sorted_by_name(const std::vector<std::string>& names, const char* kind) {
  std::vector<int> order(names.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int a, int b) { return names[at(a)] < names[at(b)]; });
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (names[at(order[i])].empty()) throw ModelError(std::string(kind) + " without a name");
    check_characters(names[at(order[i])], kind);
    if (i > 0 && names[at(order[i])] == names[at(order[i - 1])]) {
      throw ModelError("two " + std::string(kind) + "s are named " + in_quotes(names[at(order[i])]));
    }
  }
  return order;
}

std::optional<int> find_in(const std::vector<int>& sorted, const std::vector<std::string>& names,
                           std::string_view name) noexcept {
  const auto found = std::lower_bound(sorted.begin(), sorted.end(), name,
                                      [&](int i, std::string_view wanted) { return names[at(i)] < wanted; });
  if (found == sorted.end() || names[at(*found)] != name) return std::nullopt;
  return *found;
}

void check_link(const Link& link) {
  if (!(std::isfinite(link.mass) && link.mass >= 0.0)) {
    throw ModelError("link " + in_quotes(link.name) + ": mass " + std::to_string(link.mass) +
                     " is not a number >= 0 [kg]");
  }
  if (!link.com.allFinite() || !link.inertia.allFinite()) {
    throw ModelError("link " + in_quotes(link.name) + ": centre of mass or inertia is not finite");
  }
}

void check_joint(const Joint& joint) {
  const std::string who = "joint " + in_quotes(joint.name) + ": ";
  if (!joint.p_PJ.allFinite()) throw ModelError(who + "origin is not finite");
  if (!so3::is_rotation(joint.R_PJ, 1e-6)) throw ModelError(who + "origin's orientation is not a rotation");
  if (joint.type == JointType::Fixed) return;
  if (!joint.axis.allFinite() || std::abs(joint.axis.norm() - 1.0) > 1e-6) {
    throw ModelError(who + "axis is not a unit vector");
  }
  if (!(joint.lower <= joint.upper)) {
    throw ModelError(who + "lower limit " + std::to_string(joint.lower) + " is not below the upper " +
                     std::to_string(joint.upper));
  }
  if (joint.lower == kInfinity || joint.upper == -kInfinity)
    throw ModelError(who + "limits leave no admissible value");
  if (!(joint.velocity > 0.0)) {
    throw ModelError(who + "speed limit " + std::to_string(joint.velocity) + " is not > 0");
  }
}

signed char axis_code(const Vector3d& axis) {
  for (int k = 0; k < 3; ++k) {
    if (std::abs(axis[k]) == 1.0) return static_cast<signed char>(axis[k] > 0.0 ? k + 1 : -(k + 1));
  }
  return 0;
}

// finds Davenport's form of three axes through one point, or marks the group as not spherical
void recognise_spherical(const Tree& tree, JointGroup& group) {
  if (group.count != 3) return;
  const auto b = [&](int k) { return at(group.body[at(k)]); };
  const Matrix3d R2 = tree.R_PJ[b(1)], R3 = tree.R_PJ[b(2)];
  const Vector3d e1 = tree.axis[b(0)], e2 = R2 * tree.axis[b(1)], e3 = R2 * R3 * tree.axis[b(2)];
  if (std::abs(e1.dot(e2)) > kPerpendicular || std::abs(e2.dot(e3)) > kPerpendicular) return;
  Matrix3d E;
  E << e1, e2, e1.cross(e2);
  group.spherical = true;
  group.mu = atan2(e3.dot(e1), e3.dot(E.col(2)));
  group.A = E.transpose() * tree.R_PJ[b(0)].transpose();
  group.B = (R2 * R3).transpose() * E * so3::about_axis(1, group.mu);
  group.plain = group.mu == 0.0 && group.A.isIdentity(0.0) && group.B.isIdentity(0.0);
}

void find_only_children(Tree& tree) {
  std::vector<int> children(at(tree.size()), 0);
  tree.only_child.assign(at(tree.size()), -1);
  for (int i = 1; i < tree.size(); ++i) {
    const std::size_t parent = at(tree.parent[at(i)]);
    tree.only_child[parent] = ++children[parent] == 1 ? i : -1;
  }
}

void find_groups(Tree& tree) {
  const int n = tree.size();
  tree.group.assign(at(n), -1);
  for (int i = 1; i < n; ++i) {
    if (tree.group[at(i)] >= 0) continue;
    JointGroup group;
    group.body[0] = i;
    for (int last = i; group.count < 3 && tree.type[at(last)] == JointType::Revolute; ++group.count) {
      const int next = tree.only_child[at(last)];
      if (next < 0 || tree.type[at(next)] != JointType::Revolute || tree.p_PJ[at(next)].norm() > kCoincident)
        break;
      group.body[at(group.count)] = last = next;
    }
    recognise_spherical(tree, group);
    for (int k = 0; k < group.count; ++k)
      tree.group[at(group.body[at(k)])] = static_cast<int>(tree.groups.size());
    tree.groups.push_back(group);
  }
}

}  // namespace

const char* to_string(JointType type) noexcept {
  switch (type) {
    case JointType::Fixed:
      return "fixed";
    case JointType::Revolute:
      return "revolute";
    case JointType::Prismatic:
      return "prismatic";
  }
  return "unknown";
}

namespace {

// groups joints by parent link and checks that every link but one has exactly one parent joint
struct Topology {
  std::vector<std::vector<int>> child_joints;  // by link
  std::vector<int> child_link;                 // by joint
  int root = -1;
};

Topology link_topology(const ModelSpec& spec, const std::vector<std::string>& link_names,
                       const std::vector<int>& sorted) {
  Topology topology;
  topology.child_joints.resize(spec.links.size());
  std::vector<int> parent_joint(spec.links.size(), -1);
  for (std::size_t j = 0; j < spec.joints.size(); ++j) {
    const Joint& joint = spec.joints[j];
    const auto parent = find_in(sorted, link_names, joint.parent),
               child = find_in(sorted, link_names, joint.child);
    for (const auto& [end, name] : {std::pair{parent, &joint.parent}, std::pair{child, &joint.child}}) {
      if (!end)
        throw ModelError("joint " + in_quotes(joint.name) + ": " +
                         unknown_name("link", *name, "model " + in_quotes(spec.name), link_names, 12));
    }
    if (parent_joint[at(*child)] >= 0) {
      throw ModelError("link " + in_quotes(joint.child) + " has two parents, by joints " +
                       in_quotes(spec.joints[at(parent_joint[at(*child)])].name) + " and " +
                       in_quotes(joint.name));
    }
    parent_joint[at(*child)] = static_cast<int>(j);
    topology.child_joints[at(*parent)].push_back(static_cast<int>(j));
    topology.child_link.push_back(*child);
  }
  for (std::size_t i = 0; i < spec.links.size(); ++i) {
    if (parent_joint[i] >= 0) continue;
    if (topology.root >= 0) {
      throw ModelError("two roots: links " + in_quotes(link_names[at(topology.root)]) + " and " +
                       in_quotes(link_names[i]) + " both have no parent joint");
    }
    topology.root = static_cast<int>(i);
  }
  if (topology.root < 0)
    throw ModelError("the joints of model " + in_quotes(spec.name) + " form a cycle: no link is a root");
  return topology;
}

// the moving bodies, and the pose of every link on one
struct Bodies {
  Tree tree;
  std::vector<LinkFrame> frames;  // by link
};

int add_body(Tree& tree, int parent, const Joint& joint, int dof_index, const LinkFrame& on_parent) {
  tree.parent.push_back(parent);
  tree.level.push_back(parent < 0 ? 0 : tree.level[at(parent)] + 1);
  tree.dof.push_back(dof_index);
  tree.type.push_back(joint.type);
  tree.R_PJ.push_back(on_parent.R_BL * joint.R_PJ);
  tree.p_PJ.push_back(on_parent.p_BL + on_parent.R_BL * joint.p_PJ);
  tree.axis.push_back(joint.axis);
  tree.axis_code.push_back(axis_code(joint.axis));
  tree.aligned.push_back(tree.R_PJ.back().isIdentity(0.0) ? 1 : 0);
  tree.coincident.push_back(tree.p_PJ.back().isZero(0.0) ? 1 : 0);
  return tree.size() - 1;
}

// bodies in level order: links after a fixed joint stay on the body, at the front of the queue
Bodies bodies_of(const ModelSpec& spec, const Topology& topology, const std::vector<int>& dof_of_joint) {
  Bodies bodies;
  bodies.frames.resize(spec.links.size());
  add_body(bodies.tree, -1, Joint{}, -1, LinkFrame{});
  std::deque<int> queue{topology.root};
  std::size_t reached = 0;
  while (!queue.empty()) {
    const int link = queue.front();
    queue.pop_front();
    ++reached;
    const LinkFrame frame = bodies.frames[at(link)];
    for (const int j : topology.child_joints[at(link)]) {
      const Joint& joint = spec.joints[at(j)];
      LinkFrame& child = bodies.frames[at(topology.child_link[at(j)])];
      if (joint.type == JointType::Fixed) {
        child = {frame.body, frame.R_BL * joint.R_PJ, frame.p_BL + frame.R_BL * joint.p_PJ, false};
        queue.push_front(topology.child_link[at(j)]);
      } else {
        child = {add_body(bodies.tree, frame.body, joint, dof_of_joint[at(j)], frame), Matrix3d::Identity(),
                 Vector3d::Zero(), true};
        queue.push_back(topology.child_link[at(j)]);
      }
    }
  }
  if (reached != spec.links.size())
    throw ModelError("model " + in_quotes(spec.name) + ": " + std::to_string(spec.links.size() - reached) +
                     " links form a cycle apart from the root");
  find_only_children(bodies.tree);
  find_groups(bodies.tree);
  return bodies;
}

// @throws ModelError for a rest pose of another size, or one that is not finite
void check_rest(const ModelSpec& spec, const std::vector<std::string>& joint_names) {
  const auto dof = static_cast<int>(joint_names.size());
  if (spec.rest.size() != 0 && spec.rest.size() != dof) {
    throw ModelError("model " + in_quotes(spec.name) + ": the rest pose needs " + std::to_string(dof) +
                     " values, not " + std::to_string(spec.rest.size()));
  }
  for (int i = 0; i < static_cast<int>(spec.rest.size()); ++i) {
    if (!std::isfinite(spec.rest[i]))
      throw ModelError("model " + in_quotes(spec.name) + ": the rest pose of joint " +
                       in_quotes(joint_names[at(i)]) + " is not finite");
  }
}

void check_pair_rules(const ModelSpec& spec, const std::vector<std::string>& link_names,
                      const std::vector<int>& sorted) {
  for (const LinkPairRule& rule : spec.pair_rules) {
    for (const std::string& name : {rule.first, rule.second})
      if (!find_in(sorted, link_names, name))
        throw ModelError("a pair of links that keep apart or may touch: " +
                         unknown_name("link", name, "model " + in_quotes(spec.name), link_names, 12));
    if (rule.first == rule.second)
      throw ModelError("link " + in_quotes(rule.first) + " cannot keep apart from itself, or touch itself");
  }
}

// coupled rows, mimics as equalities
std::vector<CoupledRow> rows_of(const ModelSpec& spec) {
  std::vector<CoupledRow> rows = spec.rows;
  for (const Mimic& mimic : spec.mimics) {
    rows.push_back({"mimic " + mimic.joint,
                    {{mimic.joint, 1.0}, {mimic.source, -mimic.multiplier}},
                    mimic.offset,
                    mimic.offset});
  }
  return rows;
}

}  // namespace

Model::Model(ModelSpec spec) : spec_(std::move(spec)) {
  if (spec_.links.empty()) throw ModelError("model " + in_quotes(spec_.name) + " has no links");
  if (spec_.floating_base && spec_.rolling_base)
    throw ModelError("model " + in_quotes(spec_.name) + ": a base that rolls does not float");

  // names and plain values
  std::vector<std::string> all_joint_names;
  for (const Link& link : spec_.links) link_names_.push_back(link.name);
  for (const Joint& joint : spec_.joints) all_joint_names.push_back(joint.name);
  links_by_name_ = sorted_by_name(link_names_, "link");
  (void)sorted_by_name(all_joint_names, "joint");
  for (const Link& link : spec_.links) check_link(link);
  for (Joint& joint : spec_.joints) {
    check_joint(joint);
    joint.R_PJ = so3::project(joint.R_PJ);
    if (joint.type != JointType::Fixed) joint.axis.normalize();
  }
  const Topology topology = link_topology(spec_, link_names_, links_by_name_);
  root_ = topology.root;

  // movable joints keep the file's order
  std::vector<int> dof_of_joint(spec_.joints.size(), -1);
  for (std::size_t j = 0; j < spec_.joints.size(); ++j) {
    if (spec_.joints[j].type == JointType::Fixed) continue;
    dof_of_joint[j] = dof();
    movable_.push_back(static_cast<int>(j));
    joint_names_.push_back(spec_.joints[j].name);
  }
  joints_by_name_ = sorted_by_name(joint_names_, "joint");
  Bodies bodies = bodies_of(spec_, topology, dof_of_joint);
  tree_ = std::move(bodies.tree);
  frames_ = std::move(bodies.frames);

  // limits, the rest pose, coupled rows
  lower_.resize(dof());
  upper_.resize(dof());
  velocity_.resize(dof());
  for (int i = 0; i < dof(); ++i) {
    lower_[i] = joint(i).lower;
    upper_[i] = joint(i).upper;
    velocity_[i] = joint(i).velocity;
  }
  check_rest(spec_, joint_names_);
  check_pair_rules(spec_, link_names_, links_by_name_);
  rest_ = spec_.rest.size() == 0 ? Eigen::VectorXd::Zero(dof()) : spec_.rest;
  rest_ = rest_.cwiseMax(lower_).cwiseMin(upper_);
  rows_ = rows_of(spec_);
  for (const CoupledRow& row : rows_) check(row);
}

void Model::check(const CoupledRow& row) const {
  if (row.terms.empty()) throw ModelError("coupled row " + in_quotes(row.name) + " has no terms");
  if (!(row.lower <= row.upper))
    throw ModelError("coupled row " + in_quotes(row.name) + ": lower bound is not below the upper");
  for (const CoupledRow::Term& term : row.terms) {
    (void)joint_index(term.joint);
    if (!std::isfinite(term.coefficient))
      throw ModelError("coupled row " + in_quotes(row.name) + ": coefficient of " + in_quotes(term.joint) +
                       " is not finite");
  }
  check_reach(row);
}

// Checks that joints within their ranges can meet a row.
void Model::check_reach(const CoupledRow& row) const {
  constexpr double kSlack = 1e-6;
  double least = 0.0, most = 0.0;
  for (const CoupledRow::Term& term : row.terms) {
    if (term.coefficient == 0.0) continue;
    const int dof = joint_index(term.joint);
    const double a = term.coefficient * lower_[dof], b = term.coefficient * upper_[dof];
    least += std::min(a, b);
    most += std::max(a, b);
  }
  if (least <= row.upper + kSlack && most >= row.lower - kSlack) return;
  const auto range = [](double from, double to) {
    return from == to ? digits(from, 4) : "from " + digits(from, 4) + " to " + digits(to, 4);
  };
  throw ModelError("coupled row " + in_quotes(row.name) + ": must be " + range(row.lower, row.upper) +
                   ", but the ranges of its joints give values " + range(least, most) +
                   ": no pose can meet it");
}

std::optional<int> Model::find_link(std::string_view name) const noexcept {
  return find_in(links_by_name_, link_names_, name);
}

std::optional<int> Model::find_joint(std::string_view name) const noexcept {
  return find_in(joints_by_name_, joint_names_, name);
}

int Model::link_index(std::string_view name) const {
  if (const auto found = find_link(name)) return *found;
  throw ModelError(unknown_name("link", name, "model " + in_quotes(spec_.name), link_names_));
}

int Model::joint_index(std::string_view name) const {
  if (const auto found = find_joint(name)) return *found;
  throw ModelError(unknown_name("joint", name, "model " + in_quotes(spec_.name), joint_names_));
}

double Model::total_mass() const noexcept {
  return std::accumulate(spec_.links.begin(), spec_.links.end(), 0.0,
                         [](double sum, const Link& link) { return sum + link.mass; });
}

std::string_view to_string(BaseKind base) noexcept {
  return base == BaseKind::Floating ? "floating" : base == BaseKind::Fixed ? "fixed" : "rolling";
}

Model with_base(const Model& model, BaseKind base) {
  ModelSpec spec = model.spec();
  spec.floating_base = base == BaseKind::Floating;
  spec.rolling_base = base == BaseKind::Rolling;
  spec.base_known = true;
  return Model(std::move(spec));
}

}  // namespace panto
