// What remains between targets and model, from where the modules have been placed.

#include <algorithm>
#include <limits>

#include "panto/base/index.hpp"
#include "panto/ik/modular.hpp"
#include "panto/math/vector_math.hpp"
#include "panto/model/joint_rotation.hpp"

namespace panto {

// `report_residuals` from where the modules have been placed.
void ModularSolver::report_here(const Targets& targets) noexcept {
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  const Tree& tree = model_->tree();
  for (const int body : between_) {
    const SinCos turn = sincos(next_.s[tree.dof[at(body)]]);
    const std::size_t i = at(body), before = at(tree.parent[i]);
    R_[i] = rotated(R_[before] * tree.R_PJ[i], tree.axis_code[i], tree.axis[i], turn.sin, turn.cos);
  }
  for (std::size_t j = 0; j < targets.rows.size(); ++j) {
    const Target& row = targets.rows[j];
    const LinkFrame& frame = model_->frame(row.link);
    const std::size_t body = at(frame.body);
    report_.versine[j] = report_.origin_error[j] = unknown;
    if (row.has_orientation) {
      const double trace = frame.at_body ? row.R_WF.cwiseProduct(R_[body]).sum()
                                         : row.R_WF.cwiseProduct(R_[body] * frame.R_BL).sum();
      report_.versine[j] = std::max(0.0, 0.5 * (3.0 - trace));
    }
    if (row.has_position && row.position_weight > 0.0)
      report_.origin_error[j] = (row.p_WF - p_[body] - R_[body] * frame.p_BL).norm();
  }
}

// Bodies between the joints of a module that a row sits on, and whether all places that rows ask for are
// known.
void ModularSolver::plan_report(const std::vector<Target>& rows) {
  std::vector<unsigned char> placed(R_.size(), 0), last(R_.size(), 0);
  placed[0] = last[0] = 1;
  for (const Module& module : modules_) {
    placed[at(module.last)] = placed[at(module.parent)] != 0 && module.one_point ? 1 : 0;
    last[at(module.last)] = 1;
  }
  const Tree& tree = model_->tree();
  for (const Target& row : rows) {
    if (row.position_weight > 0.0 && placed[at(model_->frame(row.link).body)] == 0) places_known_ = false;
    for (int body = model_->frame(row.link).body; last[at(body)] == 0; body = tree.parent[at(body)])
      between_.push_back(body);
  }
  std::sort(between_.begin(), between_.end());
  between_.erase(std::unique(between_.begin(), between_.end()), between_.end());
}

}  // namespace panto
