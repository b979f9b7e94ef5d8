#pragma once
// Hands that touch the body: which place of its own body a person's hand is at, and the same place on another
// body (docs/algorithms/robot_skeleton.md). Pure geometry.

#include <Eigen/Core>
#include <array>
#include <string_view>

namespace panto::robot {

/// What of a body a hand can touch, as lines: head from its joint to its top, trunk from between the hips to
/// between the shoulders, pelvis from hip to hip, thighs from hip to knee.
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

/// The point of a line that is nearest to a place, as share of the way: 0 `from`, 1 `to`.
[[nodiscard]] double nearest_share(const BodyLine& line, const Eigen::Vector3d& place) noexcept;

/// 1 where `distance` <= `near`, 0 from `apart` on, between them with continuous second derivative:
/// u^3 (10 - 15 u + 6 u^2) of u = (apart - distance)/(apart - near). near < apart.
[[nodiscard]] double nearness(double distance, double near, double apart) noexcept;

struct BodyTouchOptions {
  /// Of a wrist from the line of each part where the hand lies on it, as share of the person's height: half
  /// the depth of an average adult's part and half that of a wrist. > 0.
  std::array<double, kBodyPartCount> near{0.090, 0.090, 0.075, 0.065, 0.065};
  double fade = 0.06;  ///< over which contact ends, as share of the height, > 0
};

/// Where a hand of another body belongs.
struct HandTouch {
  double touch = 0.0;     ///< 0 .. 1
  int part = -1;          ///< BodyPart that it is nearest to, by `nearness`; -1: none
  double on_part = 0.0;   ///< nearness to that part, 0 .. 1
  double share = 0.0;     ///< place on that part's line: 0 its begin, 1 its end
  double distance = 0.0;  ///< [m] that the hand should have from that place
  Eigen::Vector3d shift = Eigen::Vector3d::Zero();  ///< from where the hand was, times `touch` [m]
};

/// Where a person's wrist at `hand` near its own body `person` belongs on the body `other`, whose wrist is at
/// `other_hand`: at the same share of every part's line, as far off it in the same direction, in proportion
/// to the lines' lengths. Several parts are weighed by how near they are. Continuous with continuous first
/// derivative in both hands, but where the nearest point of a line comes to its end. `height` of the person
/// [m].
[[nodiscard]] HandTouch touch_body(const Eigen::Vector3d& hand, const BodyLines& person,
                                   const Eigen::Vector3d& other_hand, const BodyLines& other, double height,
                                   const BodyTouchOptions& options = {}) noexcept;

}  // namespace panto::robot
