#pragma once
// Frames of the BVH broadcast of Axis Neuron, Axis Studio and others of Noitom's programs: 59 bones with
// Euler angles, as bytes or as text (docs/formats/bvh_stream.md).

#include <Eigen/Core>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "panto/base/index.hpp"
#include "panto/model/human.hpp"

namespace panto::stream {

inline constexpr int kBroadcastBones = 59;          ///< fingers are 38 of them
inline constexpr std::size_t kBroadcastHead = 64;   ///< [bytes] before the numbers of the binary form
inline constexpr std::size_t kBroadcastMost = 360;  ///< numbers: a reference and 59 bones, six each

/// The segment of a bone by its place in the broadcast; -1 for fingers. Parents come first. The toes have no
/// bones.
[[nodiscard]] int broadcast_segment(int bone) noexcept;

/// Which numbers a frame has.
struct BroadcastLayout {
  bool displacements = false;  ///< of all bones; without, the hips' alone
  bool reference = false;      ///< a bone before the hips that is always at the origin
  [[nodiscard]] std::size_t count() const noexcept {
    return (reference ? 6U : 0U) + (displacements ? 6U * kBroadcastBones : 3U + 3U * kBroadcastBones);
  }
};

/// What came: the numbers as they are sent [cm, degrees].
struct BroadcastFrame {
  BroadcastLayout layout;
  std::optional<std::uint32_t> avatar;  ///< unset: a bare line of numbers
  std::optional<std::uint32_t> index;   ///< of the frame; text has none
  std::array<double, kBroadcastMost> values{};
};

/// Returns whether a binary frame begins here.
[[nodiscard]] bool broadcast_begins(std::span<const std::byte> datagram) noexcept;

/// Returns the length of the binary frame that begins here; 0: not one of 59 bones.
[[nodiscard]] std::size_t broadcast_length(std::span<const std::byte> datagram) noexcept;

/// Read a frame. False: damaged, or of another kind.
[[nodiscard]] bool read_broadcast(std::span<const std::byte> bytes, BroadcastFrame& frame) noexcept;
[[nodiscard]] bool read_broadcast_line(std::span<const std::byte> line, BroadcastFrame& frame) noexcept;

/// The bones that are segments, in our axes: in the parent, each.
struct BroadcastPose {
  struct Bone {
    Eigen::Matrix3d R = Eigen::Matrix3d::Identity();
    Eigen::Vector3d p = Eigen::Vector3d::Zero();  ///< [m]; of the pelvis alone without displacements
  };
  std::array<Bone, at(kHumanSegmentCount)> bones;  ///< of the segments
};

/// Turns the numbers into a pose. False for numbers that no person can have.
[[nodiscard]] bool pose_of(const BroadcastFrame& frame, BroadcastPose& pose) noexcept;

/// The way back: the numbers of a pose with displacements, without a reference; fingers are zero.
void put_pose(const BroadcastPose& pose, BroadcastFrame& frame) noexcept;

/// Returns the person whose bones have these displacements; without one, `why` tells the reason.
[[nodiscard]] std::optional<SubjectDimensions> broadcast_person(const BroadcastPose& pose, std::string& why);

}  // namespace panto::stream
