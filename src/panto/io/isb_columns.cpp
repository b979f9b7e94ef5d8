#include "panto/io/isb_columns.hpp"

namespace panto::io {

IsbColumns::IsbColumns(const Model& model) : kinematics_(model) {
  for (std::size_t i = 0; i < kHumanSegmentCount; ++i) {
    const auto link = model.find_link(kHumanSegmentNames[i]);
    if (!link) {
      throw ConfigError("ISB angles need a human model with the 23 segments as links; model '" +
                        model.name() + "' has no link '" + std::string(kHumanSegmentNames[i]) + "'");
    }
    link_[i] = *link;
  }
}

std::string IsbColumns::joint_name(int index) {
  return std::string(kHumanJointNames[static_cast<std::size_t>(index) + 1].substr(1));
}

std::array<Eigen::Vector3d, kIsbJointCount> IsbColumns::angles(const State& state) noexcept {
  kinematics_.update(state);
  for (std::size_t i = 0; i < kHumanSegmentCount; ++i) R_WS_[i] = kinematics_.R_WL(link_[i]);
  return isb_angles(R_WS_);
}

std::optional<IsbColumns> isb_columns(const Model& model, const StateFileOptions& options) {
  if (options.angles != AngleConvention::Isb) return std::nullopt;
  return IsbColumns(model);
}

}  // namespace panto::io
