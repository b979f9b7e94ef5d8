#pragma once
// Plants the feet of a solved motion: plans feet and base over the whole clip, then lets the legs meet the
// plan (docs/algorithms/planned_feet.md).

#include <Eigen/Core>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "panto/model/model.hpp"
#include "panto/motion/motion.hpp"
#include "panto/retarget/foot_plan.hpp"
#include "panto/retarget/planted_leg.hpp"
#include "panto/retarget/robot_recording.hpp"

namespace panto {

/// Reads what base and feet should do, and leaves the recording at its beginning. `floor`: height of the
/// floor under the person [m].
[[nodiscard]] std::vector<BaseWish> base_wishes(RobotRecording& recording, double floor);

/// Contacts and wishes of a motion that shows recorded instants at other stamps, as after scaling in time:
/// frame k is at `t[k]` and shows `recorded[k]`. Contacts are those of the nearest recorded frame, wishes are
/// interpolated.
[[nodiscard]] PersonFeet feet_at(const PersonFeet& person, const std::vector<Time>& recorded,
                                 const std::vector<Time>& t);
[[nodiscard]] std::vector<BaseWish> wishes_at(const std::vector<BaseWish>& wishes,
                                              const std::vector<Time>& recorded, const std::vector<Time>& t);

struct PlantMotionOptions {
  double calm = 0.025;      ///< [s], >= 0: smooths all joints and the base before planting; 0: not at all
  double base_time = 0.06;  ///< [s], > 0: larger: a calmer base, and legs that adapt more
  double pull = 0.005;  ///< > 0: how firmly the base keeps to the person's way, beside 1 for a foot in stance
  double lift = 0.02;   ///< > 0: how firmly the soles keep the person's height
  double speed_limit = kInfinity;  ///< of joints whose model has none [rad/s]
  /// Receives the frames done of every pass; what it throws ends the work. May be empty.
  std::function<void(std::int64_t)> progress = {};
};

struct PlantMotionReport {
  double feet_missed_m = 0.0;       ///< largest distance of a foot in stance from its plan
  std::vector<LinkContacts> still;  ///< frames in which feet stand, or lie still: their legs give no way
};

/// Returns a note about feet in stance that were let go; empty if there are none.
[[nodiscard]] std::string let_go_note(const PlantMotionReport& report);

/// Moves base, legs and arms of a motion whose feet follow orientations alone, so that feet in stance stay
/// where they are and the body stays above the floor z = 0. Positions keep the limits, legs their speeds.
/// Velocities become derivatives, and the motion's contacts those of the plan. `cuts`: frames of the motion
/// that do not continue the one before.
/// @throws ConfigError for options out of range.
PlantMotionReport plant_motion(const Model& model, const robot::Skeleton& skeleton, const PersonFeet& person,
                               const std::vector<BaseWish>& wishes, const PlantMotionOptions& options,
                               const std::vector<int>& cuts, Motion& motion);

}  // namespace panto
