#pragma once
// Transfers a person's gestures to a robot one by one, each within the robot's range and speed.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "panto/api/retarget.hpp"
#include "panto/evaluation/figures.hpp"
#include "panto/motion/passes.hpp"

namespace panto {

/// A gesture as recorded.
struct RecordedGesture {
  Gesture gesture;                   ///< frames of the solved recording
  std::size_t number = 0;            ///< from 1 ...
  std::size_t of = 0;                ///< ... to the number of gestures
  Time first = 0, last = 0;          ///< stamps of its frames [ns]
  Time onset = 0, offset = 0;        ///< stamps of its first and last frame in motion [ns]
  std::vector<LimbDirection> limbs;  ///< direction errors of the arms after solving, before scaling
};

/// One gesture on a robot.
struct GestureResult {
  RecordedGesture recorded;
  RetargetResult result;
};

/// What imitating a recording yields.
struct ImitateResult {
  std::vector<GestureResult> gestures;      ///< empty: nothing moved
  std::vector<Time> stamps;                 ///< of the solved frames [ns]
  double seconds = 0.0;                     ///< solving time; 0 without a clock
  SolverKind solver = SolverKind::Modular;  ///< the method used
  std::vector<std::string> notes;           ///< of the recording as a whole
  std::optional<std::string> damage;        ///< where and why reading stopped early
};

/// Returns the options that suit gestures: modular solver, feet off, scaled into the robot's limits.
[[nodiscard]] RetargetOptions imitate_options();

/// Watches one gesture.
struct GestureWatch {
  Observer observer;
  std::function<void(const RetargetResult&)> done;  ///< gets the result when it is complete; may be empty
};
/// Called before a gesture is delivered; returns what watches it.
using WatchGesture = std::function<GestureWatch(const RecordedGesture&, const std::vector<Time>& stamps)>;

/// Finds gestures by the speed and turning rate of the person's hands, and scales each into the robot's
/// limits separately. `options.scale` must be set. `observer` gets notes and progress of the whole recording,
/// `watch` those of each gesture; may be empty.
/// @throws as `retarget`; ConfigError for a robot without arms, options without `scale`, and start thresholds
/// below the end thresholds.
[[nodiscard]] ImitateResult imitate(Recording& recording, const Robot& robot,
                                    const RetargetOptions& options = imitate_options(),
                                    const SegmentationOptions& segmentation = {},
                                    const Observer& observer = {}, const WatchGesture& watch = {});

/// Returns whether frames are too far apart to know any speed between them.
[[nodiscard]] bool too_sparse(const std::vector<Time>& stamps, const SegmentationOptions& options);

}  // namespace panto
