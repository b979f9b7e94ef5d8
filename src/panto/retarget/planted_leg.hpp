#pragma once
// What planting over a clip and live planting share: the rules of stances, wishes, and a leg that meets its
// plan.

#include <Eigen/Core>
#include <array>
#include <optional>
#include <span>

#include "panto/base/time.hpp"
#include "panto/model/model.hpp"
#include "panto/model/state.hpp"
#include "panto/retarget/limb_solver.hpp"
#include "panto/robot/skeleton.hpp"

namespace panto {

/// What a person's sample asks of base and feet.
struct BaseWish {
  Time t = 0;
  Eigen::Vector3d person = Eigen::Vector3d::Zero();  ///< the person's root, scaled; z above the floor [m]
  double on_soles = 0.0;  ///< height of the base at which the soles are as high as the person's, scaled [m]
  /// Orientations of the feet's links, right and left; unset: not measured.
  std::array<std::optional<Eigen::Matrix3d>, 2> foot = {};
};

/// Returns the wish of a sample and of what `skeleton` made of it; unset if the root is not measured.
/// `entries`: of the feet, right and left. `floor`: height of the floor under the person [m].
[[nodiscard]] std::optional<BaseWish> base_wish(const SegmentSample& person, const SegmentSample& posed,
                                                const robot::Skeleton& skeleton,
                                                const std::array<std::optional<std::size_t>, 2>& entries,
                                                double floor) noexcept;

namespace plant_rules {
inline constexpr std::array<int, 2> kFoot{HumanSegment::RightFoot, HumanSegment::LeftFoot};
inline constexpr double kOnFloor = 0.005;  ///< [m] nearer to the floor, the body lifts the base
inline constexpr double kBodyLift = 4.0;   ///< weight of the body's height then
inline constexpr double kCarried = 0.06;   ///< [m] a body this near to the floor is not carried by its feet
inline constexpr double kFirmTime = 0.2;   ///< [s] in which a foot's orientation gains or loses its weight
inline constexpr double kMissed = 0.02;    ///< [m] of a foot in stance that counts as let go
inline constexpr double kBelowSpeed = 0.999;  ///< share of the speed limit that a leg uses
}  // namespace plant_rules

/// Returns the solver of a leg, right (0) or left (1), which leaves links that carry both legs alone.
[[nodiscard]] LimbSolver leg_solver(const Model& model, const robot::Skeleton& skeleton, int side);

/// Returns the weight of a foot's orientation [1/rad^2] at a time from the nearest stance [s].
[[nodiscard]] double foot_firmness(double away) noexcept;

/// Bounds of joint positions (State::s order).
struct JointBounds {
  const Eigen::VectorXd &lower, &upper;
};

/// Moves a leg to its plan, as near to `like` as that leaves open. Where the ankle cannot turn as planned,
/// the foot rises, smoothly as its sole's lowest corner sinks, so that about 1 mm stays under the floor z = 0
/// at most. Returns the way from the foot to its plan [m].
Eigen::Vector3d meet_plan(LimbSolver& leg, LimbWish wish, std::span<const Eigen::Vector3d> corners,
                          const Eigen::VectorXd& like, const JointBounds& bounds, State& state) noexcept;

}  // namespace panto
