#pragma once
// Gesture by gesture: what `imitate` and `retarget --turns` do.

#include "apps/panto/tracking_options.hpp"
#include "panto/motion/segmentation.hpp"

namespace panto::app {

struct GestureOptions {
  TrackingOptions tracking;  ///< with `scale`
  SegmentationOptions segmentation;
  bool json = false;
};

/// Finds the gestures of a recording by how fast the person's hands move and turn, brings each within the
/// robot's limits and writes and judges it by itself: several go to numbered files, "wave_1.csv". Prints; the
/// exit code: no gesture at all is a failed check. @throws Error as Tracking does; ConfigError for several
/// gestures and an address, and for a robot without arms.
[[nodiscard]] int run_gestures(const GestureOptions& options);

}  // namespace panto::app
