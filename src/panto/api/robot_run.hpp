#pragma once
// Common parts of `retarget` and `imitate`. (not installed)

#include <memory>
#include <string>
#include <vector>

#include "panto/api/judged_run.hpp"
#include "panto/api/own_watch.hpp"
#include "panto/api/retarget.hpp"
#include "panto/recording/kept_recording.hpp"
#include "panto/retarget/robot_clip.hpp"
#include "panto/retarget/robot_judge.hpp"
#include "panto/retarget/scaled_clip.hpp"
#include "panto/retarget/solved_clip.hpp"

namespace panto {

/// Refuses own targets that do not fit the robot, the method or other options. @throws as `retarget`.
void check_own(const Robot& robot, const RetargetOptions& options);
/// Returns whether limbs are moved out of the body: not with own targets, which this would move.
[[nodiscard]] bool clears(const RetargetOptions& options) noexcept;
/// Returns the obstacles of the options, then those of the robot's map.
[[nodiscard]] std::vector<Obstacle> obstacles_of(const RetargetOptions& options, const robot::Map& map);
/// Refuses own targets for a robot that is solved relative to its base. @throws ConfigError.
void check_own_carried(const RetargetOptions& options, bool carried);

/// Returns the robot with arms that hang at rest, as far as no segment of a person (`HumanSegment`) moves
/// them; nothing if all are moved.
[[nodiscard]] std::optional<Robot> with_hanging_arms(const Robot& robot,
                                                     const std::vector<std::string>& segments);

/// A robot bound to a recording.
struct RobotRun {
  /// Reads the recording to find its floor and foot contacts. `gestures`: requires arms. Every argument but
  /// `options` must outlive this object. @throws as `retarget`.
  RobotRun(Recording& recording, const Robot& robot, const RetargetOptions& options, bool gestures,
           Notes& notes);

  RetargetOptions options;       ///< with a solver that can follow the robot
  std::optional<Robot> hanging;  ///< the robot, with arms that hang where the recording has none
  const Robot& robot;
  robot::Map map;  ///< changed by the options
  std::vector<TrackedPair> pairs;
  std::unique_ptr<KeptRecording> kept;
  RobotClip clip;
  OwnWatch watch;        ///< of the options' own targets
  OwnTargetsOption own;  ///< those, and the weights of hands that touch
};

/// Sets the part of a person that the recording has, and the robot's joints that it does not measure.
void name_unmeasured(const RobotRun& run, TrackResult& result);

/// Judges the frames of one run, with the facts of each frame from the recording or from a scaled part of it.
void run_solved(RobotRun& run, const SolvedClip& solved, const Observer& observer, Notes& notes,
                RetargetResult& result);
void run_scaled(RobotRun& run, ScaledClip& scaled, const Observer& observer, Notes& notes,
                RetargetResult& result);

/// Solves the recording without limits, for scaling.
[[nodiscard]] std::shared_ptr<const FreeClip> solve_free(RobotRun& run, const Observer& observer,
                                                         Notes& notes);
/// Scales frames `first` to `last` of a clip, with notes about joints that lose motion or slow it down.
[[nodiscard]] std::unique_ptr<ScaledClip> scale_part(const RobotRun& run,
                                                     const std::shared_ptr<const FreeClip>& clip, int first,
                                                     int last, const Observer& observer, Notes& notes);

}  // namespace panto
