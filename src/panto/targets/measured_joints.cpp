#include "panto/targets/measured_joints.hpp"

#include "panto/base/index.hpp"
#include "panto/model/human.hpp"

namespace panto {

std::vector<unsigned char> joints_between(const Model& model, const std::vector<int>& links) {
  const Tree& tree = model.tree();
  std::vector<int> below(at(tree.size()), 0);
  for (const int link : links) ++below[at(model.frame(link).body)];
  for (int body = tree.size() - 1; body > 0; --body) below[at(tree.parent[at(body)])] += below[at(body)];
  std::vector<unsigned char> between(at(model.dof()), 0);
  for (int body = 1; body < tree.size(); ++body) {
    const bool before = !model.floating_base() || below[at(body)] < below[0];
    between[at(tree.dof[at(body)])] = before && below[at(body)] > 0 ? 1 : 0;
  }
  return between;
}

std::vector<int> unmeasured_joints(const Model& model, const std::vector<int>& followed,
                                   const std::vector<int>& all) {
  const std::vector<unsigned char> now = joints_between(model, followed), most = joints_between(model, all);
  std::vector<int> joints;
  for (int i = 0; i < model.dof(); ++i) {
    if (most[at(i)] != 0 && now[at(i)] == 0) joints.push_back(i);
  }
  return joints;
}

std::vector<int> human_links(const Model& model) {
  std::vector<int> links;
  for (const std::string& name : human_segment_names()) {
    if (const auto link = model.find_link(name)) links.push_back(*link);
  }
  return links;
}

std::vector<std::string> names_of_joints(const Model& model, const std::vector<int>& joints) {
  std::vector<std::string> names;
  for (const int joint : joints) names.push_back(model.joint_names()[at(joint)]);
  return names;
}

}  // namespace panto
