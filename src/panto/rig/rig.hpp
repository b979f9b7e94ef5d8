#pragma once
// Somebody's skeleton understood: which joint is which segment of a human, how the segment's frame sits in
// the joint, and the person's sizes. How it is found: map_rig (rig/map.hpp), align_rig (rig/fit.hpp).

#include <Eigen/Core>
#include <array>
#include <string>
#include <vector>

#include "panto/model/human.hpp"

namespace panto::rig {

/// One decision about a rig, for people.
struct Decision {
  std::string what;         ///< "up axis", "unit of length", "left and right", "rest pose"
  std::string answer;       ///< "y", "0.01 m", "as named"
  std::string reason;       ///< one clause, with the numbers that decided
  double confidence = 0.0;  ///< 0 .. 1
};

/// Where one segment of the human comes from. Spines of fewer joints than our L5, L3, T12, T8: the chest
/// joint is T8, every joint ends a group of our segments, and the others of the group turn even shares from
/// the joint below. Without collar bones the shoulder segments follow the chest joint; without a neck it goes
/// half of the way from chest to head. Missing hands, feet and toes are not measured.
struct MapEntry {
  int joint = -1;           ///< joint that moves with the segment; -1: not measured
  int next = -1;            ///< spread spine: the segment turns `share` of the way from `joint` to `next` ...
  double share = 0.0;       ///< ... 0 .. 1; without a `next` it is `joint` itself
  double confidence = 0.0;  ///< 0 .. 1
  std::string reason;       ///< one clause: "named LeftUpLeg; long bone below the hips"
};

/// A skeleton understood. World axes W: z up; the file's horizontal axes keep their cyclic order, so that
/// y-up files turn by (x, y, z)_W = (z, x, y)_F and x-up files by (y, z, x)_F. Where a negative axis is up,
/// half a turn about x_W follows.
struct Map {
  std::string family;                                  ///< "xsens", "mixamo", ...; "unknown"
  double unit = 1.0;                                   ///< [m per file unit]
  Eigen::Matrix3d R_WF = Eigen::Matrix3d::Identity();  ///< file axes to world axes, a rotation
  std::array<MapEntry, kHumanSegmentCount> segments;   ///< by HumanSegment
  std::vector<int> unmapped;                           ///< joints that no segment follows
  std::vector<Decision> decisions;                     ///< in the order in which they were taken
  bool names_swapped = false;                          ///< the names say left where the body is right
  double confidence = 0.0;                             ///< of the least certain decision that matters
};

/// What the user knows better. Empty fields are found from the clip.
struct Hints {
  std::array<std::string, kHumanSegmentCount> joint;  ///< by HumanSegment: name of the joint
  std::array<std::string, kHumanSegmentCount> next;   ///< with `share`, as in MapEntry
  std::array<double, kHumanSegmentCount> share{};
  double unit = 0.0;      ///< [m per file unit]
  std::string up;         ///< "x", "y", "z", "-x", "-y", "-z"
  bool complete = false;  ///< `joint` is the whole map: segments without a name are not measured
};

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

struct Rig {
  Map map;
  RestPose rest = RestPose::Other;
  std::array<Offset, kHumanSegmentCount> offsets;  ///< by HumanSegment
  SubjectDimensions subject;                       ///< sizes of the person, from the clip [m]
};

/// Offsets that are already known, from a map file; those not valid are found from the clip.
using Offsets = std::array<Offset, kHumanSegmentCount>;

}  // namespace panto::rig
