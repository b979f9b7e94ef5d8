#pragma once
// Finds where gestures begin and end from the speeds and turn rates of hands: a person's, or links of a
// model. For whole clips.

#include <Eigen/Core>
#include <string>
#include <vector>

#include "panto/motion/motion.hpp"

namespace panto {

/// A hand over a clip, in a frame in which it is still between gestures.
struct PointTrack {
  std::string name;                ///< for messages: "RightHand"
  std::vector<Eigen::Vector3d> p;  ///< [m]; not finite: not measured
  std::vector<Eigen::Matrix3d> R;  ///< orientation; not finite: not measured. Empty: never measured
};

struct SegmentationOptions {
  double speed_on =
      0.15;  ///< speed that a gesture reaches at least once [m/s], >= speed_off. Larger: fewer gestures
  double speed_off = 0.08;  ///< speed of the fastest point below which it ends [m/s], > 0. Larger: shorter
  double turn_on = 1.0;     ///< or the turn rate that it reaches [rad/s], >= turn_off. Larger: fewer gestures
  double turn_off = 0.5;    ///< and the turn rate below which it ends [rad/s], > 0. Larger: shorter
  double window = 0.075;    ///< half width of the line fit that gives speeds [s], >= 0
  double min_duration = 0.2;  ///< shorter gestures are discarded [s], >= 0
  double min_pause = 0.3;     ///< shorter pauses belong to the gesture [s], >= 0
  double pad = 0.15;          ///< longest rest included before and after [s], >= 0
  double longest_gap = 0.25;  ///< longer gaps in measurement or stamps end a gesture [s], > 0
};

/// Why a gesture begins or ends where it does.
enum class GestureEnd : unsigned char {
  Rest,         ///< all points are slow before or after it
  ClipEnd,      ///< the clip begins or ends while points are fast
  NotMeasured,  ///< the fast point is not measured before or after it, whatever the others do
  Cut,          ///< the clip is cut there while points are fast
};

[[nodiscard]] const char* to_string(GestureEnd end) noexcept;

/// One gesture, by frames of the clip.
struct Gesture {
  int first = 0, last = 0;    ///< including the added rest
  int onset = 0, offset = 0;  ///< first and last frame in motion; first <= onset <= offset <= last
  GestureEnd begin = GestureEnd::Rest, end = GestureEnd::Rest;  ///< reasons
  double speed_max = 0.0;                                       ///< [m/s]
  int fastest = 0;                                              ///< the point that reaches it
  double turn_max = 0.0;                                        ///< [rad/s]
  int quickest = 0;                                             ///< the point that reaches it
  std::string reason;  ///< a sentence: which point moves or turns, how fast, and why the gesture begins and
                       ///< ends there
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

/// Returns the frames of one gesture as a motion whose stamps begin at zero.
[[nodiscard]] Motion cut_out(const Motion& motion, const Gesture& gesture);

}  // namespace panto
