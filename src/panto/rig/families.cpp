#include "panto/rig/families.hpp"

#include <array>

#include "panto/math/degrees.hpp"
#include "panto/math/so3.hpp"

namespace panto::rig {
namespace {

Eigen::Vector3d axis(std::string_view name) noexcept {
  Eigen::Vector3d v = Eigen::Vector3d::Zero();
  v[name[1] - 'x'] = name[0] == '-' ? -1.0 : 1.0;
  return v;
}

}  // namespace

const Family* find_family(std::string_view name) noexcept {
  static const std::array<const Family*, 9> families{&kLafanFamily,  &kSomaFamily,    &kXsensFamily,
                                                     &kCmuFamily,    &kCgspeedFamily, &kMixamoFamily,
                                                     &kNoitomFamily, &kVrmFamily,     &kReallusionFamily};
  for (const Family* family : families) {
    if (family->name == name) return family;
  }
  return nullptr;
}

const FamilyFrame* find_frame(const Family* family, int segment) noexcept {
  if (family == nullptr) return nullptr;
  for (const FamilyFrame& frame : family->frames) {
    if (frame.segment == segment) return &frame;
  }
  return nullptr;
}

Eigen::Matrix3d rotation_of(const FamilyFrame& frame) noexcept {
  Eigen::Matrix3d R_JS;
  R_JS << axis(frame.forward), axis(frame.left), axis(frame.up);
  if (frame.raised_deg != 0.0) R_JS = R_JS * so3::exp(Eigen::Vector3d(0.0, -frame.raised_deg * kDegree, 0.0));
  return R_JS;
}

}  // namespace panto::rig
