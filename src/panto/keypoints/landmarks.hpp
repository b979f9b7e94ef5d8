#pragma once
// Finds the body point that a name means: joint centres of common keypoint sets, markers of common marker
// sets.

#include <string>
#include <string_view>
#include <vector>

namespace panto::keypoints {

/// A point of the body. Sided values mean the right side; the left one is `kSidedLandmarks` later.
struct Landmark {
  enum Index : int {
    // joint centres and points in the middle
    HipsMiddle,   ///< between the hip joints
    SpineLow,     ///< the lowest joint of the spine ...
    SpineMiddle,  ///< ... and further up ...
    SpineHigh,    ///< ...
    SpineTop,     ///< ... at the chest
    NeckBase,     ///< C7, or between the shoulders
    HeadJoint,    ///< where the head turns on the neck
    HeadTop,      ///< crown
    Nose,
    // markers in the middle
    SacrumMarker,  ///< between the rear spines of the pelvis
    C7Marker,
    T10Marker,
    JugularMarker,  ///< notch at the top of the breast bone
    SternumMarker,  ///< lower end of the breast bone
                    // sided
    FirstSided,
    EyePoint = FirstSided,
    EarPoint,
    HeadFrontMarker,  ///< forehead or temple
    HeadBackMarker,
    CollarJoint,  ///< where the shoulder girdle turns on the chest
    ShoulderJoint,
    AcromionMarker,  ///< top of the shoulder
    ElbowJoint,
    ElbowOuterMarker,  ///< lateral epicondyle
    ElbowInnerMarker,
    WristJoint,
    WristRadialMarker,  ///< thumb side
    WristUlnarMarker,
    HandPoint,    ///< knuckle or tip of the middle finger, or the middle of the hand
    IndexPoint,   ///< knuckle or tip of the index finger
    LittlePoint,  ///< of the little finger
    AsisMarker,   ///< front spine of the pelvis
    PsisMarker,   ///< rear spine of the pelvis
    HipJoint,
    KneeJoint,
    KneeOuterMarker,  ///< lateral epicondyle
    KneeInnerMarker,
    AnkleJoint,
    AnkleOuterMarker,  ///< lateral malleolus
    AnkleInnerMarker,
    HeelPoint,
    BallPoint,  ///< joint between foot and toes
    ToeTipPoint,
    SmallToePoint,  ///< outer edge of the fore-foot
    BigToePoint,    ///< inner edge of the fore-foot
    ThighMarker,    ///< anywhere on the thigh: several points may have this meaning
    ShankMarker,    ///< anywhere on the shank: several points may
    FootMarker,     ///< anywhere on the foot: several points may
    LastRight,
  };
};

inline constexpr int kSidedLandmarks = Landmark::LastRight - Landmark::FirstSided;
inline constexpr int kLandmarkCount = Landmark::LastRight + kSidedLandmarks;

/// Returns the landmark of one side: 0 right, 1 left.
[[nodiscard]] constexpr int sided(Landmark::Index right, int side) noexcept {
  return static_cast<int>(right) + side * kSidedLandmarks;
}

/// Returns the landmark of one side as `sided`, or the landmark itself if it has no side.
[[nodiscard]] constexpr int on_side(Landmark::Index landmark, int side) noexcept {
  if (landmark < Landmark::FirstSided) return static_cast<int>(landmark);
  return sided(landmark, side);
}

/// The meaning of a set's names. Entries are `Landmark` values (left ones included) or -1.
struct LandmarkNames {
  std::string family;         ///< "coco 17", "human segments", "plug-in gait"; "by words" for other sets
  std::vector<int> landmark;  ///< by point
  bool gait2392 = false;      ///< the markers of OpenSim's gait2354 and gait2392 models
};

/// Reads names: words, sides (left, right, l, r, at the begin or end) and the abbreviations of marker sets.
/// Ignores prefixes such as "Subject:", and case where words remain separable.
[[nodiscard]] LandmarkNames read_landmark_names(const std::vector<std::string>& names);

/// Returns a name for messages: "right knee".
[[nodiscard]] std::string landmark_name(int landmark);

}  // namespace panto::keypoints
