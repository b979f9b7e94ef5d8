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

// Families whose joints have no published frames, or the file's own at rest. T-pose at rest where the up axis
// is known, but for Xsens (N-pose as an option).
constexpr std::array<Family, 14> kUpOnly{{
    {"xsens", "y", "Xsens MVN's BVH export", {}},  // frames at rest: Alignment::has_exact_rest
    {"cmu", "y", "mocap.cs.cmu.edu as BVH", {}},   // unit inches / 0.45 (rig/axes)
    {"cgspeed", "y", "cgspeed.com, the CMU collection by B. Hahne", {}},  // the same unit
    {"asf", "y", "mocap.cs.cmu.edu as ASF and AMC", {}},
    {"mixamo", "y", "mixamo.com", {}},
    {"vrm", "y", "VRM 1.0 (github.com/vrm-c/vrm-specification) on glTF 2.0", {}},
    {"reallusion", "y", "Reallusion iClone", {}},
    {"rokoko", "y", "Rokoko Studio, the skeleton called Newton", {}},
    {"optitrack", "y", "OptiTrack Motive (docs.optitrack.com)", {}},
    {"slimevr", "y", "SlimeVR's BVH export", {}},
    {"noitom", "", "Axis Neuron", {}},                // the two clips of tests/support/rig_clips.hpp are z up
    {"biped", "", "3ds Max Biped", {}},               // z up in Max, y up in its BVH
    {"unreal", "", "Unreal Engine's mannequin", {}},  // z up there, y up in its FBX
    // camera axes, y down, or an exporter's; learn.microsoft.com/azure/kinect-dk/body-joints
    {"kinect", "", "Azure Kinect body tracking", {}},
}};

}  // namespace

const Family* find_family(std::string_view name) noexcept {
  for (const Family* family : {&kLafanFamily, &kSomaFamily, &kSmplFamily}) {
    if (family->name == name) return family;
  }
  for (const Family& family : kUpOnly) {
    if (family.name == name) return &family;
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
