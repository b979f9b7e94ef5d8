#pragma once
// Hands that touch the body: finds the place on a person's own body that a hand touches, and the same place
// on another body (docs/algorithms/robot_skeleton.md). Pure geometry.

#include <Eigen/Core>
#include <array>
#include <string_view>

namespace panto::robot {

/// Body parts that a hand can touch, as lines: head from its joint to its top, trunk from the middle of the
/// hips to the middle of the shoulders, pelvis from hip to hip, thighs from hip to knee.
struct BodyPart {
  enum Index : int { HeadPart, TrunkPart, PelvisPart, RightThighPart, LeftThighPart };
};
inline constexpr int kBodyPartCount = 5;
inline constexpr std::array<std::string_view, kBodyPartCount> kBodyPartNames{"head", "trunk", "pelvis",
                                                                             "right thigh", "left thigh"};

struct BodyLine {
  Eigen::Vector3d from = Eigen::Vector3d::Zero(), to = Eigen::Vector3d::Zero();  ///< [m]
  bool known = false;
};
using BodyLines = std::array<BodyLine, kBodyPartCount>;

/// Returns the point of a line nearest to a place, as a share of the way: 0 `from`, 1 `to`.
[[nodiscard]] double nearest_share(const BodyLine& line, const Eigen::Vector3d& place) noexcept;

/// Returns 1 for `distance` <= `near`, 0 from `apart` on, and a blend with continuous second derivative in
/// between: u^3 (10 - 15 u + 6 u^2) of u = (apart - distance)/(apart - near). near < apart.
[[nodiscard]] double nearness(double distance, double near, double apart) noexcept;

struct BodyTouchOptions {
  /// Distance of a wrist from each part's line when the hand touches it, as a share of the body height: half
  /// the depth of an average adult's part and of a wrist. > 0.
  std::array<double, kBodyPartCount> near{0.090, 0.090, 0.075, 0.065, 0.065};
  double fade = 0.06;  ///< distance over which contact fades out, as a share of the body height, > 0
};

/// Where a hand belongs on another body.
struct HandTouch {
  double touch = 0.0;     ///< 0 .. 1
  int part = -1;          ///< the nearest BodyPart by `nearness`; -1: none
  double on_part = 0.0;   ///< nearness to that part, 0 .. 1
  double share = 0.0;     ///< place on that part's line: 0 its start, 1 its end
  double distance = 0.0;  ///< [m] distance that the hand should keep from that place
  Eigen::Vector3d shift = Eigen::Vector3d::Zero();  ///< from the hand's original position, times `touch` [m]
};

/// Transfers a touch: the position on the body `other`, whose wrist is at `other_hand`, for a person's wrist
/// at `hand` near its own body `person`. The share along every part's line and the direction off it are the
/// same; the distance is in proportion to the lines' lengths. Several parts are weighted by nearness.
/// Continuous with continuous first derivative in both hands, except where the nearest point of a line
/// reaches the line's end. `height` of the person [m].
[[nodiscard]] HandTouch touch_body(const Eigen::Vector3d& hand, const BodyLines& person,
                                   const Eigen::Vector3d& other_hand, const BodyLines& other, double height,
                                   const BodyTouchOptions& options = {}) noexcept;

}  // namespace panto::robot
