#pragma once
// The bytes of a headset's stream: poses of one XR frame (docs/formats/webxr_stream.md).

#include <Eigen/Core>
#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "panto/base/index.hpp"
#include "panto/base/time.hpp"

namespace panto::stream {

/// What a pose belongs to; for the right side see `webxr_arm` and the like.
struct WebxrPlace {
  enum Index : int {
    Hips = 0,
    SpineMiddle = 2,
    SpineUpper = 3,
    Neck = 5,
    Head = 6,
    LeftCollar = 7,  ///< `left-shoulder`
    LeftArmUpper = 9,
    LeftArmLower = 10,
    LeftWrist = 18,
    LeftIndex = 24,   ///< the knuckle, `index-phalanx-proximal`
    LeftMiddle = 29,  ///< the same of the middle finger
    LeftLittle = 39,  ///< the same of the little finger
    LeftUpperLeg = 69,
    LeftLowerLeg = 70,
    LeftAnkle = 72,
    LeftSubtalar = 73,
    LeftBall = 75,
    Viewer = 83,
    LeftGrip = 84,
  };
};
inline constexpr int kWebxrPlaces = 86;
/// Return the place of a side (0 right, 1 left) from the left one: of an arm, a hand, a leg, a grip.
[[nodiscard]] constexpr int webxr_arm(int left, int side) noexcept { return side == 1 ? left : left + 5; }
[[nodiscard]] constexpr int webxr_hand(int left, int side) noexcept { return side == 1 ? left : left + 26; }
[[nodiscard]] constexpr int webxr_leg(int left, int side) noexcept { return side == 1 ? left : left + 7; }
[[nodiscard]] constexpr int webxr_grip(int side) noexcept {
  return side == 1 ? WebxrPlace::LeftGrip : WebxrPlace::LeftGrip + 1;
}
inline constexpr std::size_t kWebxrHead = 32, kWebxrPoseBytes = 30;

/// Position and orientation in our axes (x forward, y left, z up; z = 0 is the floor) of a pose's own axes as
/// WebXR has them (x right, y up, z backward).
struct WebxrPose {
  Eigen::Matrix3d R = Eigen::Matrix3d::Identity();
  Eigen::Vector3d p = Eigen::Vector3d::Zero();  ///< [m]
};

/// One frame of an XR session.
struct WebxrFrame {
  bool breaks = false;        ///< does not continue the frame before
  std::uint64_t session = 0;  ///< random, chosen when an XR session begins
  Time t = 0;                 ///< by the browser's clock [ns]
  std::uint32_t number = 0;
  std::bitset<at(kWebxrPlaces)> has;
  std::array<WebxrPose, at(kWebxrPlaces)> pose;
};

/// Returns the orientation of the head as a human's segment, from the viewer's pose.
[[nodiscard]] Eigen::Matrix3d webxr_head(const WebxrFrame& frame) noexcept;

/// Returns whether a message begins like a frame and has its length.
[[nodiscard]] bool is_webxr(std::span<const std::byte> message) noexcept;

/// Reads a message. Returns false, with any content in `frame`, for what is damaged, too long, beyond 1 km,
/// or has a quaternion whose norm is not 1 within 0.01.
[[nodiscard]] bool read_webxr(std::span<const std::byte> message, WebxrFrame& frame) noexcept;

/// Returns the message of a frame.
[[nodiscard]] std::vector<std::byte> webxr_bytes(const WebxrFrame& frame);

}  // namespace panto::stream
