#include "panto/io/isb_columns.hpp"

#include "panto/targets/attachment_map.hpp"

namespace panto::io {

IsbArms isb_arms_of(const std::string& format) {
  return format == "mvnx 3" ? IsbArms::Mvnx3 : IsbArms::Mvnx4;
}

IsbColumns::IsbColumns(const Model& model, IsbArms arms)
    : human_(model, "ISB angles"), R_T_isb_(standard_isb_frames()) {
  if (arms == IsbArms::Mvnx3) {
    // the frames of version 3 are the ISB frames: R_T_isb = R_SF^T
    const AttachmentMap map = mvn_attachments(MvnArms::Hanging);
    for (std::size_t i = 0; i < kHumanSegmentCount; ++i) R_T_isb_[i] = map.attachments[i].R_SF.transpose();
  }
}

std::string IsbColumns::joint_name(int index) {
  return std::string(kHumanJointNames[static_cast<std::size_t>(index) + 1].substr(1));
}

std::array<Eigen::Vector3d, kIsbJointCount> IsbColumns::angles(const State& state) noexcept {
  human_.update(state);
  return isb_angles(human_.R_WS(), R_T_isb_);
}

std::optional<IsbColumns> isb_columns(const Model& model, const StateFileOptions& options) {
  if (options.angles != AngleConvention::Isb) return std::nullopt;
  return IsbColumns(model, options.isb_arms);
}

}  // namespace panto::io
