#include "panto/model/dh.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "panto/math/so3.hpp"

namespace panto {

using Eigen::Matrix3d;
using Eigen::Vector3d;

namespace {

void require_finite(const DhLink& link) {
  const std::pair<const char*, double> numbers[] = {
      {"theta", link.theta}, {"d", link.d}, {"a", link.a}, {"alpha", link.alpha}};
  for (const auto& [what, value] : numbers) {
    if (!std::isfinite(value)) throw ModelError("link '" + link.name + "': " + what + " is not finite");
  }
}

Joint joint_of(const DhLink& link, const std::string& parent) {
  Joint joint;
  joint.name = link.joint;
  joint.type = link.type;
  joint.parent = parent;
  joint.axis = Vector3d::UnitZ();
  joint.lower = link.lower;
  joint.upper = link.upper;
  joint.velocity = link.velocity;
  return joint;
}

// turns about and shifts along one axis commute, so theta and d may come before or after the variable
void add_classical(const DhLink& link, const std::string& parent, ModelSpec& spec) {
  Joint joint = joint_of(link, parent);
  joint.child = link.name + "_joint";
  Joint end;
  end.name = link.joint + "_end";
  end.parent = joint.child;
  end.child = link.name;
  const Matrix3d turn = so3::about_axis(2, link.theta);
  end.R_PJ = turn * so3::about_axis(0, link.alpha);
  end.p_PJ = turn * Vector3d{link.a, 0.0, link.d};
  spec.links.push_back({.name = joint.child});
  spec.links.push_back({.name = link.name});
  spec.joints.push_back(std::move(joint));
  spec.joints.push_back(std::move(end));
}

void add_modified(const DhLink& link, const std::string& parent, ModelSpec& spec) {
  Joint joint = joint_of(link, parent);
  joint.child = link.name;
  const Matrix3d twist = so3::about_axis(0, link.alpha);
  joint.R_PJ = twist * so3::about_axis(2, link.theta);
  joint.p_PJ = Vector3d{link.a, 0.0, 0.0} + twist * Vector3d{0.0, 0.0, link.d};
  spec.links.push_back({.name = link.name});
  spec.joints.push_back(std::move(joint));
}

}  // namespace

Model dh_model(const DhTree& tree) {
  std::vector<std::string> names{tree.root};
  for (const DhLink& link : tree.links) names.push_back(link.name);
  ModelSpec spec;
  spec.name = tree.name;
  spec.floating_base = tree.floating_base;
  spec.base_known = true;
  spec.links.push_back({.name = tree.root});
  for (const DhLink& link : tree.links) {
    require_finite(link);
    const std::string& parent = link.parent.empty() ? tree.root : link.parent;
    if (std::find(names.begin(), names.end(), parent) == names.end()) {
      throw ModelError("link '" + link.name +
                       "': " + unknown_name("link", parent, "the tree '" + tree.name + "'", names));
    }
    if (tree.convention == DhConvention::Classical) {
      add_classical(link, parent, spec);
    } else {
      add_modified(link, parent, spec);
    }
  }
  return Model{std::move(spec)};
}

}  // namespace panto
