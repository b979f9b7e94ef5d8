#pragma once
// The bones of Unity's humanoid as the VMC protocol sends them, and our segments (docs/formats/vmc.md).

#include <Eigen/Core>
#include <array>
#include <bitset>
#include <optional>
#include <string>
#include <string_view>

#include "panto/base/index.hpp"
#include "panto/model/human.hpp"

namespace panto::stream {

inline constexpr int kVmcBones = 22;  ///< of the body: no fingers, eyes and jaw

struct VmcBone {
  enum Index : int {
    Hips,
    Spine,
    Chest,
    UpperChest,
    Neck,
    Head,
    LeftShoulder,
    LeftUpperArm,
    LeftLowerArm,
    LeftHand,
    RightShoulder,
    RightUpperArm,
    RightLowerArm,
    RightHand,
    LeftUpperLeg,
    LeftLowerLeg,
    LeftFoot,
    LeftToes,
    RightUpperLeg,
    RightLowerLeg,
    RightFoot,
    RightToes,
  };
};

using VmcBones = std::bitset<at(kVmcBones)>;

/// Name in Unity's HumanBodyBones.
[[nodiscard]] std::string_view vmc_bone_name(int bone) noexcept;

/// Returns the index of a bone; -1 when unknown. Capitals do not matter: VRM writes them differently.
[[nodiscard]] int find_vmc_bone(std::string_view name) noexcept;

/// Returns the nearest ancestor that is one of `bones`; -1 for the root. Parents have lower indices.
[[nodiscard]] int vmc_parent(int bone, const VmcBones& bones) noexcept;

/// Returns the bone that each of the human's segments follows, -1 for none. Of the trunk's bones the last is
/// T8, whose children the shoulders and the neck are; before it Spine is L5 and Chest T12. L3 has none.
[[nodiscard]] std::array<int, kHumanSegmentCount> vmc_bones_of_segments(const VmcBones& bones) noexcept;

/// Unity's axes (left-handed, y up, z forward) to ours (z up, x forward), and back.
[[nodiscard]] Eigen::Vector3d from_unity(const Eigen::Vector3d& p) noexcept;
[[nodiscard]] Eigen::Vector3d to_unity(const Eigen::Vector3d& p) noexcept;
/// The same for rotations: Unity's quaternion (x, y, z, w), ours (w, x, y, z).
[[nodiscard]] Eigen::Vector4d wxyz_from_unity(const Eigen::Vector4d& xyzw) noexcept;
[[nodiscard]] Eigen::Vector4d unity_from_wxyz(const Eigen::Vector4d& wxyz) noexcept;

/// Where each bone of a stream begins in its parent, in our axes [m].
struct VmcOffsets {
  VmcBones bones;  ///< those of the stream
  std::array<Eigen::Vector3d, at(kVmcBones)> p{};
};

/// Returns the dimensions of an avatar: origins from the offsets, shared out by average proportions where
/// several segments lie between two bones; height from legs, trunk and neck. Without them, `why` tells what
/// is missing.
[[nodiscard]] std::optional<SubjectDimensions> vmc_person(const VmcOffsets& offsets, std::string& why);

}  // namespace panto::stream
