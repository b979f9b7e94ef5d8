#pragma once
// Finds where gestures begin and end from the speeds and turn rates of hands: a person's, or links of a
// model. For whole clips.

#include <Eigen/Core>
#include <string>
#include <vector>

#include "panto/motion/motion.hpp"
#include "panto/motion/passes.hpp"

namespace panto {

/// A hand over a clip, in a frame in which it is still between gestures.
struct PointTrack {
  std::string name;                ///< for messages: "RightHand"
  std::vector<Eigen::Vector3d> p;  ///< [m]; not finite: not measured
  std::vector<Eigen::Matrix3d> R;  ///< orientation; not finite: not measured. Empty: never measured
};

/// Returns the gestures in order; they do not overlap. At least one frame or a gap separates them. Without
/// frames, points or motion the list is empty; a single frame is no motion. Frames in which a point is not
/// measured do not count for it; short stretches continue as they began; frames without any measured point
/// are not motion. `cuts`: frames that do not continue the one before, in order; no gesture crosses one.
/// @throws ConfigError for options out of range, stamps that do not increase, tracks of another length, cuts
/// that do not increase or lie outside the clip.
[[nodiscard]] std::vector<Gesture> segment_gestures(const std::vector<Time>& t,
                                                    const std::vector<PointTrack>& points,
                                                    const SegmentationOptions& options = {},
                                                    const std::vector<int>& cuts = {});

/// The same for links of a moving model, relative to link `relative_to` (so that walking is no gesture);
/// empty: relative to the world. @throws ModelError for unknown links and states that do not fit the model or
/// are not finite; ConfigError as above.
[[nodiscard]] std::vector<Gesture> segment_gestures(const Motion& motion, const Model& model,
                                                    const std::vector<std::string>& links,
                                                    const std::string& relative_to = "",
                                                    const SegmentationOptions& options = {});

}  // namespace panto
