// Residuals between targets and model, from the placed modules.

#include <algorithm>
#include <limits>

#include "panto/base/index.hpp"
#include "panto/ik/modular.hpp"
#include "panto/math/so3.hpp"

namespace panto {

// `report_residuals`, from the placed modules.
PANTO_FOUR_WIDE void ModularSolver::report_here(const Targets& targets) noexcept {
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t j = 0; j < targets.rows.size(); ++j) {
    const Target& row = targets.rows[j];
    const Seen& seen = seen_[j];
    const FourWide& N = N_[seen.body];
    report_.versine[j] = report_.origin_error[j] = unknown;
    if (row.has_orientation) {
      const FourWide R = seen.turned ? times(N, seen.Q_F.data()) : N;
      const double trace = trace_of_difference(R, row.R_WF.data());
      report_.versine[j] = std::max(0.0, 0.5 * (3.0 - trace));
    }
    if (row.has_position && row.position_weight > 0.0)
      report_.origin_error[j] = (row.p_WF - p_[seen.body] - times(N, seen.p)).norm();
  }
}

// Q of the module that ends at each body is included in everything after it.
void ModularSolver::plan_places() {
  std::vector<const Module*> ending(N_.size(), nullptr);
  for (const Module& module : modules_) ending[at(module.last)] = &module;
  for (const Module& module : modules_) {
    const Module* before = ending[at(module.parent)];
    const Eigen::Matrix3d Q = before == nullptr ? Eigen::Matrix3d::Identity() : before->Q;
    places_.push_back({Q * module.P, Q * module.centre_P, module.Q * module.centre_B});
    points_matter_ = points_matter_ || module.direction.to >= 0;
  }
}

// For the body that joint k of a module moves: the constant rotation from N_ to the body.
Eigen::Matrix3d ModularSolver::turn_behind(const Module& module, std::size_t k) const {
  if (module.body[k] == module.last) return module.Q;
  Eigen::Matrix3d R = module.P.transpose();
  if (k == 1) R = so3::about_axis(1, -module.mu) * R;
  for (std::size_t j = 0; j <= k; ++j) R *= model_->tree().R_PJ[at(module.body[j])];
  return R;
}

// Finds what each row is compared with, and whether all positions that rows need are known.
void ModularSolver::plan_report(const std::vector<Target>& rows) {
  std::vector<unsigned char> placed(N_.size(), 0);
  std::vector<Eigen::Matrix3d> Q(N_.size(), Eigen::Matrix3d::Identity());
  placed[0] = 1;
  for (const Module& module : modules_) {
    placed[at(module.last)] = placed[at(module.parent)] != 0 && module.one_point ? 1 : 0;
    for (auto [k, end] = span_of(module); k < end; ++k) Q[at(module.body[k])] = turn_behind(module, k);
  }
  for (const Target& row : rows) {
    const LinkFrame& frame = model_->frame(row.link);
    const std::size_t body = at(frame.body);
    const Eigen::Matrix3d Q_F = Q[body] * frame.R_BL;
    seen_.push_back({body, !Q_F.isIdentity(0.0), Q_F, Q[body] * frame.p_BL});
    if (!(row.position_weight > 0.0)) continue;
    points_matter_ = points_matter_ || body != 0;
    if (placed[body] == 0) places_known_ = false;
  }
}

}  // namespace panto
