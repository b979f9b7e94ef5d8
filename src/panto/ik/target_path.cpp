#include "panto/ik/target_path.hpp"

#include <algorithm>
#include <numeric>

#include "panto/base/index.hpp"
#include "panto/math/so3.hpp"

namespace panto {

TargetPath::TargetPath(const Model& model, const std::vector<Target>& rows)
    : before_(rows.size(), -1),
      order_(rows.size()),
      targets_{0, rows},
      R_start_(rows.size(), Eigen::Matrix3d::Identity()),
      turn_(rows.size(), Eigen::Vector3d::Zero()),
      start_(turn_),
      way_(turn_) {
  const Tree& tree = model.tree();
  std::vector<int> row_of_body(at(tree.size()), -1);
  const auto body = [&](std::size_t row) { return model.frame(rows[row].link).body; };
  for (std::size_t j = rows.size(); j-- > 0;) {
    if (rows[j].orientation_weight > 0.0) row_of_body[at(body(j))] = static_cast<int>(j);
  }
  for (std::size_t j = 0; j < rows.size(); ++j) {
    for (int b = body(j); b > 0 && before_[j] < 0;) {
      b = tree.parent[at(b)];
      before_[j] = row_of_body[at(b)];
    }
  }
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  // bodies are numbered outwards
  std::stable_sort(order_.begin(), order_.end(),
                   [&](std::size_t one, std::size_t other) { return body(one) < body(other); });
}

int TargetPath::valid_before(std::size_t row) const noexcept {
  int before = before_[row];
  while (before >= 0 && !targets_.rows[at(before)].has_orientation) before = before_[at(before)];
  return before;
}

void TargetPath::set_ends(const Kinematics& from, const Targets& goal) noexcept {
  targets_.t = goal.t;
  std::copy(goal.rows.begin(), goal.rows.end(), targets_.rows.begin());
  for (std::size_t j = 0; j < goal.rows.size(); ++j) {
    const Target& row = goal.rows[j];
    const int before = valid_before(j);
    Eigen::Matrix3d R_start = from.R_WL(row.link), R_goal = row.R_WF;
    if (before >= 0) {
      const Target& other = goal.rows[at(before)];
      R_start = from.R_WL(other.link).transpose() * R_start;
      R_goal = other.R_WF.transpose() * R_goal;
    }
    R_start_[j] = R_start;
    if (row.has_orientation) turn_[j] = so3::log(R_start.transpose() * R_goal);
    start_[j] = from.p_WL(row.link);
    if (row.has_position) way_[j] = row.p_WF - start_[j];
  }
}

const Targets& TargetPath::at_share(double share) noexcept {
  for (const std::size_t j : order_) {
    Target& row = targets_.rows[j];
    if (row.has_orientation) {
      row.R_WF = R_start_[j] * so3::exp(share * turn_[j]);
      if (const int before = valid_before(j); before >= 0)
        row.R_WF = targets_.rows[at(before)].R_WF * row.R_WF;
    }
    if (row.has_position) row.p_WF = start_[j] + share * way_[j];
  }
  return targets_;
}

}  // namespace panto
