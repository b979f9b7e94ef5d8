#pragma once
// A rig ready for use: every measured segment of the human with its frame in the skeleton's joint, and the
// person's sizes. From bone directions, the hinges of knees and elbows, the rest pose if it is one, and the
// standing feet.

#include <Eigen/Core>
#include <array>
#include <string>
#include <vector>

#include "panto/model/human.hpp"
#include "panto/rig/map.hpp"
#include "panto/sample/segment_sample.hpp"
#include "panto/sample/skeleton.hpp"

namespace panto::rig {

/// How one segment sits on its joint.
struct Offset {
  Eigen::Matrix3d R_JS = Eigen::Matrix3d::Identity();  ///< our segment's frame seen from the joint
  Eigen::Matrix3d R_NS = Eigen::Matrix3d::Identity();  ///< and from `next`, for a spread spine
  Eigen::Vector3d p_JS = Eigen::Vector3d::Zero();  ///< our segment's origin seen from the joint [m]; not zero
                                                   ///< only beside a spread spine
  /// The next segment's joint does not move rigidly with this one's (a neck of several joints): the segment
  /// is turned by the least so that it points at that joint, as `SubjectDimensions::origin` does.
  bool aimed = false;
  bool valid = false;
  double confidence = 0.0;  ///< of its twist, the uncertain part
  std::string reason;       ///< "bone; hinge of the knee over 61 deg"
};

/// What kind of pose all angles zero are.
enum class RestPose : unsigned char { T, A, N, Other };
[[nodiscard]] const char* to_string(RestPose pose) noexcept;

/// The same of any pose of a clip's skeleton, from the places of its joints alone: legs straight down, feet
/// ahead, arms straight and level (T), down and out (A) or hanging (N), within some 20 degrees.
[[nodiscard]] RestPose judge_pose(const SkeletonClip& clip, const Map& map, const SkeletonPose& pose);

struct Rig {
  Map map;
  RestPose rest = RestPose::Other;
  std::array<Offset, kHumanSegmentCount> offsets;  ///< by HumanSegment
  SubjectDimensions subject;                       ///< sizes of the person, from the clip [m]
};

/// Offsets that are already known, from a map file; those not valid are found from the clip.
using Offsets = std::array<Offset, kHumanSegmentCount>;

/// Finds offsets and sizes. @throws FormatError "<clip.name>: ..." when the clip does not determine them.
[[nodiscard]] Rig align_rig(const SkeletonClip& clip, Map map, const Offsets& known = {});

/// A pose of the rig's skeleton as the 23 segments of the human (`human_segment_names()`), in our frames and
/// world axes, metres. Segments that are not measured have no flag set; those spread over a spine have an
/// orientation and no position. Allocates nothing once `segments` has its size.
void rig_segments(const Rig& rig, const SkeletonPose& pose, std::vector<SegmentMotion>& segments);

}  // namespace panto::rig
