#pragma once
// Where gestures begin and end: from how fast hands move and turn, a person's or links of a model. For whole
// clips.

#include <Eigen/Core>
#include <string>
#include <vector>

#include "panto/motion/motion.hpp"
#include "panto/motion/passes.hpp"

namespace panto {

/// A hand over a clip, in the frame in which it is still when nobody gestures.
struct PointTrack {
  std::string name;                ///< for sentences: "RightHand"
  std::vector<Eigen::Vector3d> p;  ///< [m]; not finite: not measured
  std::vector<Eigen::Matrix3d> R;  ///< its orientation; not finite: not measured. Empty: never
};

/// Gestures in order; frames that belong to two are none's. Between gestures there is at least one frame,
/// unless a gap parts them. Without frames, points or motion the list is empty; a single frame is no motion.
/// A point's frames that are not measured do not count, short stretches of them go on as they began; frames
/// in which none is are not motion. `cuts`: frames that do not continue the one before, in order; no gesture
/// goes across one.
/// @throws ConfigError for options out of range, stamps that do not increase, tracks of another length, cuts
/// that are no frame behind the first or not in order.
[[nodiscard]] std::vector<Gesture> segment_gestures(const std::vector<Time>& t,
                                                    const std::vector<PointTrack>& points,
                                                    const SegmentationOptions& options = {},
                                                    const std::vector<int>& cuts = {});

/// The same of links of a moving model, as link `relative_to` sees them (so that walking is no
/// gesture); empty: as the world does.
/// @throws ModelError for unknown links and states that do not fit the model or are not finite; ConfigError
/// as above.
[[nodiscard]] std::vector<Gesture> segment_gestures(const Motion& motion, const Model& model,
                                                    const std::vector<std::string>& links,
                                                    const std::string& relative_to = "",
                                                    const SegmentationOptions& options = {});

/// The frames of one gesture as a motion whose stamps begin at zero.
[[nodiscard]] Motion cut_out(const Motion& motion, const Gesture& gesture);

}  // namespace panto
