#include "panto/io/isb_columns.hpp"

#include "panto/targets/attachment_map.hpp"

namespace panto::io {

IsbArms isb_arms_of(const std::string& format) {
  return format == "mvnx 3" ? IsbArms::Mvnx3 : IsbArms::Mvnx4;
}

IsbColumns::IsbColumns(const Model& model, IsbArms arms)
    : kinematics_(model), R_T_isb_(standard_isb_frames()) {
  if (arms == IsbArms::Mvnx3) {
    // the frames of version 3 are the ISB frames: R_T_isb = R_SF^T
    const AttachmentMap map = mvn_attachments(MvnArms::Hanging);
    for (std::size_t i = 0; i < kHumanSegmentCount; ++i) R_T_isb_[i] = map.attachments[i].R_SF.transpose();
  }
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
  return isb_angles(R_WS_, R_T_isb_);
}

std::optional<IsbColumns> isb_columns(const Model& model, const StateFileOptions& options) {
  if (options.angles != AngleConvention::Isb) return std::nullopt;
  return IsbColumns(model, options.isb_arms);
}

}  // namespace panto::io
