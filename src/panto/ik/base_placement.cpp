#include "panto/ik/base_placement.hpp"

#include "panto/base/index.hpp"
#include "panto/math/so3.hpp"

namespace panto {

BasePlacement::BasePlacement(const Model& model, const std::vector<Target>& rows)
    : model_(&model), row_of_body_(at(model.tree().size()), -1) {
  for (std::size_t j = 0; j < rows.size(); ++j) {
    int& row = row_of_body_[at(model.frame(rows[j].link).body)];
    if (rows[j].orientation_weight > 0.0 && row < 0) row = static_cast<int>(j);
  }
}

int BasePlacement::row_index(int body) const noexcept { return row_of_body_[at(body)]; }

const Target* BasePlacement::row_of(const Targets& targets, int body) const noexcept {
  const int j = row_of_body_[at(body)];
  return j >= 0 && targets.rows[at(j)].has_orientation ? &targets.rows[at(j)] : nullptr;
}

void BasePlacement::orient(const Targets& targets, Kinematics& kinematics, State& state) const noexcept {
  if (!model_->floating_base()) return;
  int body = 0;
  while (body < model_->tree().size() && row_of(targets, body) == nullptr) ++body;
  if (body == 0) {
    const Target& row = *row_of(targets, 0);
    state.R_WB = so3::polar_step(row.R_WF * model_->frame(row.link).R_BL.transpose());
  } else if (body < model_->tree().size()) {
    kinematics.update(state);
    const Target& row = *row_of(targets, body);
    state.R_WB = so3::polar_step(row.R_WF * kinematics.R_WL(row.link).transpose() * state.R_WB);
  }
}

bool BasePlacement::move(const Targets& targets, State& state) const noexcept {
  if (!model_->floating_base()) return true;
  Eigen::Vector3d sum = Eigen::Vector3d::Zero();
  double weight = 0.0;
  for (const Target& row : targets.rows) {
    const LinkFrame& frame = model_->frame(row.link);
    if (!row.has_position || !(row.position_weight > 0.0) || frame.body != 0) continue;
    sum += row.position_weight * (row.p_WF - (state.p_WB + state.R_WB * frame.p_BL));
    weight += row.position_weight;
  }
  if (!(weight > 0.0)) return false;
  state.p_WB += sum / weight;
  return true;
}

void BasePlacement::move_by_others(const Targets& targets, Kinematics& kinematics,
                                   State& state) const noexcept {
  Eigen::Vector3d sum = Eigen::Vector3d::Zero();
  double weight = 0.0;
  for (const Target& row : targets.rows) {
    if (!row.has_position || !(row.position_weight > 0.0)) continue;
    sum += row.position_weight * (row.p_WF - kinematics.p_WL(row.link));
    weight += row.position_weight;
  }
  if (!(weight > 0.0)) return;
  state.p_WB += sum / weight;
  kinematics.update(state);
}

}  // namespace panto
