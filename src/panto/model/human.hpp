#pragma once
// The human models: 23 segments joined by 22 joints, of 66 or 48 degrees of freedom, scaled to a subject.
// Segments and joints are those of MVN (its manual, sections 19.5-19.7; MVNX schema).

#include <Eigen/Core>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "panto/model/model.hpp"

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

/// Sizes of one person in the T-pose (x forward, y left, z up in every segment).
struct SubjectDimensions {
  using Points = std::array<Eigen::Vector3d, kHumanSegmentCount>;
  double height = 1.75;  ///< [m], 0.3 .. 3
  double mass = 70.0;    ///< [kg], 2 .. 400
  /// Origin of segment i in its parent segment (`kHumanSegmentParent`) [m]; the pelvis entry is unused.
  Points origin = zeros();
  /// Far end of the segments without children (Head, hands, toes) in their own frame [m]; zero elsewhere.
  Points end = zeros();

 private:
  static Points zeros() {
    Points points;
    points.fill(Eigen::Vector3d::Zero());
    return points;
  }
};

/// Returns average adult proportions scaled to `height` [m]; `mass` [kg]. @throws ModelError outside the
/// ranges above.
[[nodiscard]] SubjectDimensions scaled_subject(double height, double mass = 70.0);

/// Builds the model with 66 revolute joints: every joint turns about x, y, z in this order (`<joint>_rotx`,
/// `_roty`, `_rotz`), without limits.
[[nodiscard]] Model human66(const SubjectDimensions& subject = scaled_subject(1.75));

/// Builds the model with 48 revolute joints within clinical limits.
[[nodiscard]] Model human48(const SubjectDimensions& subject = scaled_subject(1.75));

}  // namespace panto
