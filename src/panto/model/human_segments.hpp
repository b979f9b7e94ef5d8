#pragma once
// The 23 body segments of MVN and the 22 joints between them. Facts of the MVN format (its manual,
// sections 19.5-19.7; MVNX schema).

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace panto {

inline constexpr int kHumanSegmentCount = 23;

/// Index of a segment in `kHumanSegmentNames`; MVN's id minus one.
struct HumanSegment {
  enum Index : int {
    Pelvis,
    L5,
    L3,
    T12,
    T8,
    Neck,
    Head,
    RightShoulder,
    RightUpperArm,
    RightForeArm,
    RightHand,
    LeftShoulder,
    LeftUpperArm,
    LeftForeArm,
    LeftHand,
    RightUpperLeg,
    RightLowerLeg,
    RightFoot,
    RightToe,
    LeftUpperLeg,
    LeftLowerLeg,
    LeftFoot,
    LeftToe,
  };
};

inline constexpr std::array<std::string_view, kHumanSegmentCount> kHumanSegmentNames{"Pelvis",
                                                                                     "L5",
                                                                                     "L3",
                                                                                     "T12",
                                                                                     "T8",
                                                                                     "Neck",
                                                                                     "Head",
                                                                                     "RightShoulder",
                                                                                     "RightUpperArm",
                                                                                     "RightForeArm",
                                                                                     "RightHand",
                                                                                     "LeftShoulder",
                                                                                     "LeftUpperArm",
                                                                                     "LeftForeArm",
                                                                                     "LeftHand",
                                                                                     "RightUpperLeg",
                                                                                     "RightLowerLeg",
                                                                                     "RightFoot",
                                                                                     "RightToe",
                                                                                     "LeftUpperLeg",
                                                                                     "LeftLowerLeg",
                                                                                     "LeftFoot",
                                                                                     "LeftToe"};

/// Parent segment; -1 for the pelvis.
inline constexpr std::array<int, kHumanSegmentCount> kHumanSegmentParent{-1,
                                                                         HumanSegment::Pelvis,
                                                                         HumanSegment::L5,
                                                                         HumanSegment::L3,
                                                                         HumanSegment::T12,
                                                                         HumanSegment::T8,
                                                                         HumanSegment::Neck,
                                                                         HumanSegment::T8,
                                                                         HumanSegment::RightShoulder,
                                                                         HumanSegment::RightUpperArm,
                                                                         HumanSegment::RightForeArm,
                                                                         HumanSegment::T8,
                                                                         HumanSegment::LeftShoulder,
                                                                         HumanSegment::LeftUpperArm,
                                                                         HumanSegment::LeftForeArm,
                                                                         HumanSegment::Pelvis,
                                                                         HumanSegment::RightUpperLeg,
                                                                         HumanSegment::RightLowerLeg,
                                                                         HumanSegment::RightFoot,
                                                                         HumanSegment::Pelvis,
                                                                         HumanSegment::LeftUpperLeg,
                                                                         HumanSegment::LeftLowerLeg,
                                                                         HumanSegment::LeftFoot};

/// MVNX (version 4) label of the joint between a segment and its parent; empty for the pelvis.
inline constexpr std::array<std::string_view, kHumanSegmentCount> kHumanJointNames{"",
                                                                                   "jL5S1",
                                                                                   "jL4L3",
                                                                                   "jL1T12",
                                                                                   "jT9T8",
                                                                                   "jT1C7",
                                                                                   "jC1Head",
                                                                                   "jRightT4Shoulder",
                                                                                   "jRightShoulder",
                                                                                   "jRightElbow",
                                                                                   "jRightWrist",
                                                                                   "jLeftT4Shoulder",
                                                                                   "jLeftShoulder",
                                                                                   "jLeftElbow",
                                                                                   "jLeftWrist",
                                                                                   "jRightHip",
                                                                                   "jRightKnee",
                                                                                   "jRightAnkle",
                                                                                   "jRightBallFoot",
                                                                                   "jLeftHip",
                                                                                   "jLeftKnee",
                                                                                   "jLeftAnkle",
                                                                                   "jLeftBallFoot"};

/// The names above as strings, for interfaces that take a vector.
[[nodiscard]] const std::vector<std::string>& human_segment_names();

/// Returns the index of a segment by name; -1 when unknown.
[[nodiscard]] int find_human_segment(std::string_view name) noexcept;

}  // namespace panto
