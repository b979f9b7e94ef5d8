#pragma once
// Runs gesture by gesture, for `imitate` and `retarget --turns`.

#include "apps/panto/tracking_options.hpp"

namespace panto::app {

struct GestureOptions {
  TrackingOptions tracking;  ///< with `scale`
  SegmentationOptions segmentation;
};

/// Finds the gestures of a recording by the speed and turning rate of the person's hands, scales each into
/// the robot's limits, and writes and judges each separately; several go to numbered files, "wave_1.csv".
/// Prints the result and returns the exit code; no gesture at all is a failed check. @throws Error as
/// `imitate`; ConfigError for several gestures to an address, and for a robot without arms.
[[nodiscard]] int run_gestures(const GestureOptions& options);

}  // namespace panto::app
