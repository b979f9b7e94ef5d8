#include "panto/robot/layout_bodies.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "panto/base/index.hpp"
#include "panto/math/vector_math.hpp"
#include "panto/model/kinematics.hpp"

namespace panto::robot {
namespace {

constexpr int kFewestJoints = 3;          // of a limb
constexpr double kMirrorAngle = 0.26;     // [rad] between an axis and its twin's image
constexpr double kMirrorDistance = 0.08;  // between an axis and its twin's image, of the chain's length
constexpr double kMirrorSlack = 0.005;    // [m] on top of that
constexpr double kShortLimb = 0.1;  // of the distance from the base to the farthest leaf; fingers are shorter
constexpr double kLongBranch = 0.2;    // of everything beyond the branch: a neck next to an arm
constexpr double kSmallBranch = 0.35;  // of the chain before the branch: fingers on a hand

// the chain from `first` outwards, up to where only small chains branch off
Chain chain_from(const Bodies& bodies, int first) {
  Chain chain{bodies[first].parent, {first}};
  double length = 0.0;
  for (int body = first;;) {
    const std::vector<int>& children = bodies[body].children;
    if (children.empty()) return chain;
    const int next = *std::max_element(children.begin(), children.end(), [&](int i, int k) {
      const Body &x = bodies[i], &y = bodies[k];
      return x.reach != y.reach ? x.reach < y.reach : x.depth < y.depth;
    });
    if (children.size() > 1 && bodies[next].reach < kSmallBranch * length) return chain;
    length += (bodies[next].p_WB - bodies[body].p_WB).norm();
    chain.bodies.push_back(next);
    body = next;
  }
}

double length_of(const Bodies& bodies, const Chain& chain) {
  double length = 0.0;
  for (std::size_t i = 1; i < chain.bodies.size(); ++i)
    length += (bodies[chain.bodies[i]].p_WB - bodies[chain.bodies[i - 1]].p_WB).norm();
  return length;
}

// deviation of the axes of b from the mirror image of those of a, as a share of the tolerance
double mirror_misfit(const Bodies& bodies, Twins& twins) {
  const std::size_t n = std::min(twins.a.bodies.size(), twins.b.bodies.size());
  Eigen::Vector3d sum = Eigen::Vector3d::Zero();
  for (std::size_t i = 0; i < n; ++i) sum += bodies[twins.a.bodies[i]].p_WB - bodies[twins.b.bodies[i]].p_WB;
  const double length = std::max(length_of(bodies, twins.a), length_of(bodies, twins.b));
  if (!(sum.norm() > 1e-6) || !(length > 1e-6)) return kInfinity;
  const Eigen::Vector3d normal = sum.normalized();
  const Eigen::Matrix3d mirror = Eigen::Matrix3d::Identity() - 2.0 * normal * normal.transpose();
  const Eigen::Vector3d middle =
      0.5 * (bodies[twins.a.bodies.front()].p_WB + bodies[twins.b.bodies.front()].p_WB);
  double worst = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    const Body &x = bodies[twins.a.bodies[i]], &y = bodies[twins.b.bodies[i]];
    if (x.turns != y.turns) return kInfinity;
    const Eigen::Vector3d axis = mirror * x.axis, point = middle + mirror * (x.p_WB - middle);
    const double angle = asin(axis.cross(y.axis).norm());
    const double distance = (point - y.p_WB).cross(y.axis).norm();
    worst = std::max({worst, angle / kMirrorAngle, distance / (kMirrorDistance * length + kMirrorSlack)});
  }
  twins.across = normal;
  twins.middle = middle;
  return worst;
}

// a chain up to its last branching point, such as a hand without the finger that happens to be the longest
bool cut_at_branch(const Bodies& bodies, Chain& chain) {
  for (std::size_t n = chain.bodies.size(); n-- > kFewestJoints;) {
    if (bodies[chain.bodies[n - 1]].children.size() < 2) continue;
    chain.bodies.resize(n);
    return true;
  }
  return false;
}

// two chains as twins; if they do not mirror each other, then without what is beyond their last branches:
// fingers of the two hands need not
Twins as_twins(const Bodies& bodies, const Chain& a, const Chain& b) {
  Twins twins{a, b, {}, {}, kInfinity};
  for (;;) {
    const std::size_t n = twins.a.bodies.size(), m = twins.b.bodies.size();
    if (std::max(n, m) - std::min(n, m) <= 2) twins.misfit = mirror_misfit(bodies, twins);
    if (twins.misfit <= 1.0) return twins;
    const bool cut_a = n >= m && cut_at_branch(bodies, twins.a);
    const bool cut_b = m >= n && cut_at_branch(bodies, twins.b);
    if (!cut_a && !cut_b) return twins;
  }
}

// twins on one body, best first
std::vector<Twins> twins_on(const Bodies& bodies, int body) {
  std::vector<Chain> chains;
  for (const int child : bodies[body].children) {
    Chain chain = chain_from(bodies, child);
    if (static_cast<int>(chain.bodies.size()) < kFewestJoints) continue;
    if (length_of(bodies, chain) < kShortLimb * bodies[0].reach) continue;
    chains.push_back(std::move(chain));
  }
  std::vector<Twins> found;
  for (std::size_t i = 0; i < chains.size(); ++i) {
    for (std::size_t k = i + 1; k < chains.size(); ++k) {
      Twins twins = as_twins(bodies, chains[i], chains[k]);
      if (twins.misfit <= 1.0) found.push_back(std::move(twins));
    }
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Twins& x, const Twins& y) { return x.misfit < y.misfit; });
  std::vector<Twins> kept;
  for (Twins& twins : found) {
    const bool taken = std::any_of(kept.begin(), kept.end(), [&](const Twins& k) {
      const std::array<int, 2> mine{twins.a.bodies.front(), twins.b.bodies.front()};
      return std::find(mine.begin(), mine.end(), k.a.bodies.front()) != mine.end() ||
             std::find(mine.begin(), mine.end(), k.b.bodies.front()) != mine.end();
    });
    if (!taken) kept.push_back(std::move(twins));
  }
  return kept;
}

void search(const Bodies& bodies, int body, Chains& chains) {
  std::vector<Twins> twins = twins_on(bodies, body);
  std::vector<int> taken;
  for (Twins& t : twins) {
    taken.push_back(t.a.bodies.front());
    taken.push_back(t.b.bodies.front());
    chains.twins.push_back(std::move(t));
  }
  for (const int child : bodies[body].children) {
    if (std::find(taken.begin(), taken.end(), child) != taken.end()) continue;
    const std::size_t before = chains.twins.size();
    // along the trunk to its branching point
    int end = child;
    while (bodies[end].children.size() == 1) end = bodies[end].children.front();
    search(bodies, end, chains);
    if (chains.twins.size() == before) chains.singles.push_back(chain_from(bodies, child));
  }
}

bool is_within(const Bodies& bodies, int body, int ancestor) {
  for (; body >= 0; body = bodies[body].parent)
    if (body == ancestor) return true;
  return false;
}

// A subtree without twins has the chain from the trunk and the chains after its branches. Keeps the former
// unless two long ones branch off: arm and neck on a waist, but not fingers on a hand.
void drop_nested(const Bodies& bodies, Chains& chains) {
  const auto forks = [&](const Chain& outer) {
    int count = 0;
    for (const Chain& inner : chains.singles) {
      const int first = inner.bodies.front();
      if (first == outer.bodies.front() || !is_within(bodies, first, outer.bodies.front())) continue;
      count += bodies[first].reach > kLongBranch * bodies[outer.bodies.front()].reach ? 1 : 0;
    }
    return count > 1;
  };
  std::vector<Chain> kept;
  for (const Chain& chain : chains.singles) {
    const bool nested = std::any_of(chains.singles.begin(), chains.singles.end(), [&](const Chain& o) {
      return o.bodies.front() != chain.bodies.front() &&
             is_within(bodies, chain.bodies.front(), o.bodies.front()) && !forks(o);
    });
    if (!nested && !forks(chain)) kept.push_back(chain);
  }
  chains.singles = std::move(kept);
}

}  // namespace

Bodies::Bodies(const Model& model) : model_(&model) {
  const Tree& tree = model.tree();
  Kinematics kinematics(model);
  State zero = rest_state(model);
  zero.s.setZero();
  kinematics.update(zero);
  bodies_.resize(at(tree.size()));
  for (int i = 0; i < tree.size(); ++i) {
    Body& body = bodies_[at(i)];
    body.parent = tree.parent[at(i)];
    body.dof = tree.dof[at(i)];
    body.R_WB = kinematics.body_rotation()[at(i)];
    body.p_WB = kinematics.body_position()[at(i)];
    if (i == 0) {
      body.distal_link = model.root_link();
      continue;
    }
    bodies_[at(body.parent)].children.push_back(i);
    const Joint& joint = model.joint(body.dof);
    body.turns = joint.type == JointType::Revolute;
    body.lower = joint.lower;
    body.upper = joint.upper;
    body.axis = kinematics.joint_axis()[at(i)];
    body.proximal_link = model.link_index(joint.parent);
    body.distal_link = model.link_index(joint.child);
  }
  for (int link = 0; link < model.link_count(); ++link) {
    Body& body = bodies_[at(model.frame(link).body)];
    const Link& l = model.links()[at(link)];
    body.links.push_back(link);
    body.mass += l.mass;
    body.com += l.mass * (p_WL(link) + R_WL(link) * l.com);
  }
  for (int i = tree.size() - 1; i >= 0; --i) {
    Body& body = bodies_[at(i)];
    if (body.mass > 0.0) body.com /= body.mass;
    for (const int child : body.children) {
      body.depth = std::max(body.depth, bodies_[at(child)].depth);
      body.reach = std::max(body.reach, bodies_[at(child)].reach);
    }
    if (i == 0) continue;
    body.depth += 1;
    body.reach += (body.p_WB - bodies_[at(body.parent)].p_WB).norm();
  }
  read_names();
}

// the joint's name has priority, then its child link, then the links fixed to it
void Bodies::read_names() {
  for (Body& body : bodies_) {
    std::vector<Name> names;
    if (body.dof >= 0) names.push_back(read_robot_name(model_->joint(body.dof).name));
    names.push_back(read_robot_name(model_->links()[at(body.distal_link)].name));
    for (const int link : body.links) names.push_back(read_robot_name(model_->links()[at(link)].name));
    for (const Name& name : names) {
      if (body.name.side == NamedSide::None) body.name.side = name.side;
      if (body.name.region == NamedRegion::Unknown) body.name.region = name.region;
    }
    body.name.middle = body.dof >= 0 && names.front().middle;
  }
}

Eigen::Matrix3d Bodies::R_WL(int link) const {
  const LinkFrame& frame = model_->frame(link);
  return bodies_[at(frame.body)].R_WB * frame.R_BL;
}

Eigen::Vector3d Bodies::p_WL(int link) const {
  const LinkFrame& frame = model_->frame(link);
  const Body& body = bodies_[at(frame.body)];
  return body.p_WB + body.R_WB * frame.p_BL;
}

std::vector<int> Bodies::joints_between(int from, int to) const {
  std::vector<int> up, down;
  // level order: the deeper body has the larger index
  while (from != to) {
    if (from > to) {
      up.push_back(from);
      from = (*this)[from].parent;
    } else {
      down.push_back(to);
      to = (*this)[to].parent;
    }
  }
  up.insert(up.end(), down.rbegin(), down.rend());
  return up;
}

Chains find_chains(const Bodies& bodies) {
  Chains chains;
  search(bodies, 0, chains);
  drop_nested(bodies, chains);
  return chains;
}

}  // namespace panto::robot
