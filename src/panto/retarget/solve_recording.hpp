#pragma once
// Solves a robot's motion for a recording, from the feet to the finished motion.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "panto/ik/make_solver.hpp"
#include "panto/motion/smoothing.hpp"
#include "panto/retarget/clear_motion.hpp"
#include "panto/retarget/robot_clip.hpp"
#include "panto/retarget/solved_clip.hpp"
#include "panto/tracking/observer.hpp"

namespace panto {

/// How a recording is solved for a robot.
struct SolveOptions {
  SolverKind solver = SolverKind::Dynamical;
  SolverOptions method;
  FeetMode feet = FeetMode::Plant;
  std::optional<SmoothingOptions> smooth;
  bool two_way = true;
  OwnTargetsOption own = {};
  std::optional<ClearMotionOptions> clear = {};  ///< unset: overlaps of the body are left
  /// Poses a character instead of solving; null: solves. Then planting calms nothing.
  std::shared_ptr<Tracker<SegmentSample>> posing = nullptr;
};

/// A solved recording, with notes.
struct SolvedRecording {
  SolvedClip clip;
  std::int64_t ambiguous_starts = 0;
  std::vector<Time> rerouted_at;            ///< where the two-way pass chose another pose
  std::vector<TwoWayTracker::Stuck> stuck;  ///< where it found no way to a much better pose
  std::vector<std::string> notes;           ///< for people
};

/// Solves, then smooths, then raises the base where feet would sink into the floor. Leaves `recording` at its
/// beginning. @throws as `SegmentTracker`, `smooth_motion` and `TwoWayTracker`; Cancelled.
[[nodiscard]] SolvedRecording solve_recording(RobotRecording& recording, const Model& model,
                                              const PersonFeet& feet, const SolveOptions& options,
                                              const Observer& observer);

}  // namespace panto
