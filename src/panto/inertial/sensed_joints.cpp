#include "panto/inertial/sensed_joints.hpp"

#include <algorithm>
#include <cmath>

#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/base/text.hpp"
#include "panto/math/decompositions.hpp"
#include "panto/model/kinematics.hpp"

namespace panto {

using Eigen::Matrix3d;
using Eigen::Vector3d;

namespace {

constexpr double kMeeting = 1e-6;   // [m] tolerance of axes that meet in a point
constexpr double kOtherPose = 0.4;  // [rad] from rest, to test that they meet in every pose
constexpr std::size_t kListed = 8;  // names in a sentence

// returns the link that carries a mount, or the root for the fixed base
int link_of(const Model& model, const std::vector<ImuMount>& mounts, int mount) {
  return mount < 0 ? model.root_link() : model.link_index(mounts[at(mount)].link);
}

// returns the first mount on a body, or -1
int mount_on(const std::vector<int>& bodies, int body) {
  const auto found = std::find(bodies.begin(), bodies.end(), body);
  return found == bodies.end() ? -1 : static_cast<int>(found - bodies.begin());
}

// returns the point nearest to all axes and its distance from them; for a single axis the joint's own point
struct Meeting {
  Vector3d p_W;
  double miss = 0.0;
};
Meeting meeting(const Kinematics& kinematics, const std::vector<int>& bodies) {
  const Vector3d& own = kinematics.body_position()[at(bodies.back())];
  Matrix3d A = 1e-9 * Matrix3d::Identity();
  Vector3d b = 1e-9 * own;
  for (const int body : bodies) {
    const Vector3d& a = kinematics.joint_axis()[at(body)];
    const Matrix3d across = Matrix3d::Identity() - a * a.transpose();
    A += across;
    b += across * kinematics.body_position()[at(body)];
  }
  Meeting result{solve_symmetric(A, b), 0.0};
  for (const int body : bodies) {
    const Vector3d& a = kinematics.joint_axis()[at(body)];
    const Vector3d off = result.p_W - kinematics.body_position()[at(body)];
    result.miss = std::max(result.miss, (off - a * a.dot(off)).norm());
  }
  return result;
}

bool is_centred(const Model& model, const std::vector<int>& bodies) {
  const Tree& tree = model.tree();
  if (std::any_of(bodies.begin(), bodies.end(),
                  [&](int body) { return tree.type[at(body)] != JointType::Revolute; }))
    return false;
  Kinematics kinematics(model);
  State pose = rest_state(model);
  for (int k = 0; k < 2; ++k) {
    kinematics.update(pose);
    if (meeting(kinematics, bodies).miss > kMeeting) return false;
    for (Eigen::Index j = 0; j < pose.s.size(); ++j) pose.s[j] += j % 2 == 0 ? kOtherPose : -kOtherPose;
  }
  return true;
}

// returns the links on the bodies of `from` and further out, for messages
std::vector<std::string> links_behind(const Model& model, int body) {
  std::vector<std::string> names;
  for (int link = 0; link < model.link_count(); ++link) {
    int on = model.frame(link).body;
    while (on > body) on = model.tree().parent[at(on)];
    if (on == body) names.push_back(model.link_names()[at(link)]);
  }
  return names;
}

std::vector<std::string> links_before(const Model& model, int body) {
  std::vector<std::string> names;
  for (int link = 0; link < model.link_count(); ++link) {
    const int on = model.frame(link).body;
    for (int b = model.tree().parent[at(body)]; b >= 0; b = model.tree().parent[at(b)])
      if (b == on) names.push_back(model.link_names()[at(link)]);
  }
  return names;
}

}  // namespace

std::vector<SensedJoint> sensed_joints(const Model& model, const std::vector<ImuMount>& mounts) {
  const Tree& tree = model.tree();
  std::vector<int> bodies;
  bodies.reserve(mounts.size());
  for (const ImuMount& mount : mounts) bodies.push_back(model.frame(model.link_index(mount.link)).body);
  std::vector<SensedJoint> result;
  for (int k = 0; k < static_cast<int>(mounts.size()); ++k) {
    SensedJoint joint;
    joint.behind = k;
    int body = bodies[at(k)];
    do {
      if (body == 0) break;
      joint.bodies.push_back(body);
      body = tree.parent[at(body)];
      joint.before = mount_on(bodies, body);
    } while (joint.before < 0);
    if (joint.bodies.empty() || (joint.before < 0 && model.floating_base())) continue;
    std::reverse(joint.bodies.begin(), joint.bodies.end());
    joint.centred = is_centred(model, joint.bodies);
    result.push_back(std::move(joint));
  }
  return result;
}

int sensed_joint_of(const Model& model, const std::vector<ImuMount>& mounts,
                    const std::vector<SensedJoint>& joints, int dof) {
  const Joint& hinge = model.joint(dof);
  if (hinge.type != JointType::Revolute)
    throw ConfigError("joint '" + hinge.name + "' slides; only a hinge has an axis");
  const Tree& tree = model.tree();
  const auto body = static_cast<int>(std::find(tree.dof.begin(), tree.dof.end(), dof) - tree.dof.begin());
  int best = -1;
  for (int i = 0; i < static_cast<int>(joints.size()); ++i) {
    const std::vector<int>& among = joints[at(i)].bodies;
    if (std::find(among.begin(), among.end(), body) == among.end()) continue;
    if (best < 0 || among.size() < joints[at(best)].bodies.size()) best = i;
  }
  if (best >= 0) return best;
  const std::vector<std::string> behind = links_behind(model, body);
  const bool has_behind = std::any_of(mounts.begin(), mounts.end(), [&](const ImuMount& mount) {
    return std::find(behind.begin(), behind.end(), mount.link) != behind.end();
  });
  throw ConfigError("hinge '" + hinge.name + "' needs a sensor on both sides, but has none " +
                    (has_behind ? "before it: add one on " + listed(links_before(model, body), kListed)
                                : "after it: add one on " + listed(behind, kListed)));
}

std::vector<std::string> joint_names_of(const Model& model, const SensedJoint& joint) {
  std::vector<std::string> names;
  names.reserve(joint.bodies.size());
  for (const int body : joint.bodies) names.push_back(model.joint(model.tree().dof[at(body)]).name);
  return names;
}

SensedAxis axis_between(const Model& model, const std::vector<ImuMount>& mounts, const SensedJoint& joint,
                        int dof, const State& pose) {
  Kinematics kinematics(model);
  kinematics.update(pose);
  const Tree& tree = model.tree();
  const auto own = std::find_if(joint.bodies.begin(), joint.bodies.end(),
                                [&](int body) { return tree.dof[at(body)] == dof; });
  const Vector3d& axis = kinematics.joint_axis()[at(*own)];
  const auto lever = [&](auto from, auto to) {
    double sum = 0.0;
    for (; from != to; ++from)
      if (tree.type[at(*from)] == JointType::Revolute)
        sum += kinematics.joint_axis()[at(*from)].cross(axis).squaredNorm();
    return std::sqrt(sum);
  };
  SensedAxis result;
  result.in_first = kinematics.R_WL(link_of(model, mounts, joint.before)).transpose() * axis;
  result.in_second = kinematics.R_WL(link_of(model, mounts, joint.behind)).transpose() * axis;
  result.first_lever = lever(joint.bodies.begin(), own);
  result.second_lever = lever(own + 1, joint.bodies.end());
  return result;
}

SensedCentre centre_between(const Model& model, const std::vector<ImuMount>& mounts, const SensedJoint& joint,
                            const State& pose) {
  Kinematics kinematics(model);
  kinematics.update(pose);
  const Vector3d p_W = meeting(kinematics, joint.bodies).p_W;
  const int first = link_of(model, mounts, joint.before), second = link_of(model, mounts, joint.behind);
  return {kinematics.R_WL(first).transpose() * (p_W - kinematics.p_WL(first)),
          kinematics.R_WL(second).transpose() * (p_W - kinematics.p_WL(second)),
          kinematics.R_WL(second).transpose() * kinematics.joint_axis()[at(joint.bodies.back())]};
}

}  // namespace panto
