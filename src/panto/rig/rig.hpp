#pragma once
// A rig ready for use: the frame of every measured human segment in its skeleton joint, and the person's
// sizes. Found from bone directions, knee and elbow hinges, the rest pose if it is a known one, and feet in
// stance.

#include <Eigen/Core>
#include <array>
#include <string>
#include <vector>

#include "panto/model/human.hpp"
#include "panto/rig/map.hpp"
#include "panto/sample/segment_sample.hpp"
#include "panto/sample/skeleton.hpp"

namespace panto::rig {

/// Placement of one human segment on its joint.
struct Offset {
  Eigen::Matrix3d R_JS = Eigen::Matrix3d::Identity();  ///< segment frame in the joint's frame
  Eigen::Matrix3d R_NS = Eigen::Matrix3d::Identity();  ///< segment frame in that of `next`, if spread
  Eigen::Vector3d p_JS = Eigen::Vector3d::Zero();  ///< segment origin in the joint's frame [m]; nonzero only
                                                   ///< next to a spread spine
  /// The next segment's joint does not move rigidly with this one (a neck of several joints): the segment is
  /// turned by the smallest rotation that makes it point at that joint, as in `SubjectDimensions::origin`.
  bool aimed = false;
  bool valid = false;
  double confidence = 0.0;  ///< of the twist, which is the uncertain part
  std::string reason;       ///< "bone; hinge of the knee over 61 deg"
};

/// The kind of pose at zero joint angles.
enum class RestPose : unsigned char { T, A, N, Other };
[[nodiscard]] const char* to_string(RestPose pose) noexcept;

/// Judges any pose of a clip's skeleton from joint positions alone: legs straight down, feet forward, arms
/// straight and level (T), down and out (A) or hanging (N), within about 20 degrees.
[[nodiscard]] RestPose judge_pose(const SkeletonClip& clip, const Map& map, const SkeletonPose& pose);

struct Rig {
  Map map;
  RestPose rest = RestPose::Other;
  std::array<Offset, kHumanSegmentCount> offsets;  ///< by HumanSegment
  SubjectDimensions subject;                       ///< body dimensions, from the clip [m]
};

/// Known offsets, from a map file; invalid ones are found from the clip.
using Offsets = std::array<Offset, kHumanSegmentCount>;

/// Finds offsets and body dimensions. @throws FormatError "<clip.name>: ..." if the clip does not determine
/// them.
[[nodiscard]] Rig align_rig(const SkeletonClip& clip, Map map, const Offsets& known = {});

/// Converts a pose of the rig's skeleton to the 23 human segments (`human_segment_names()`), in Panto's
/// segment frames and world axes, metres. Segments that are not measured have no flag set; segments spread
/// over a spine have an orientation and no position. Does not allocate once `segments` has its size.
void rig_segments(const Rig& rig, const SkeletonPose& pose, std::vector<SegmentMotion>& segments);

}  // namespace panto::rig
