#include "panto/io/joint_orders.hpp"

#include "panto/base/index.hpp"

namespace panto::io {

std::vector<std::int64_t> breadth_first(const Model& model) {
  std::vector<std::int64_t> order;
  for (int body = 1; body < model.tree().size(); ++body) order.push_back(model.tree().dof[at(body)]);
  return order;
}

std::vector<std::int64_t> depth_first(const Model& model) {
  const Tree& tree = model.tree();
  std::vector<std::int64_t> order;
  std::vector<int> open{0};
  while (!open.empty()) {
    const int body = open.back();
    open.pop_back();
    if (body > 0) order.push_back(tree.dof[at(body)]);
    for (int child = tree.size() - 1; child > 0; --child) {
      if (tree.parent[at(child)] == body) open.push_back(child);
    }
  }
  return order;
}

}  // namespace panto::io
