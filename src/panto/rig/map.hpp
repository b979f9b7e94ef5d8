#pragma once
// Which joint of somebody's skeleton is which segment of a human, in which unit and with which axes: from
// names, from the shape of the tree and from geometry and motion. Names propose; bodies decide.

#include <Eigen/Core>
#include <array>
#include <string>
#include <vector>

#include "panto/model/human_segments.hpp"
#include "panto/sample/skeleton.hpp"

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

/// Understands a skeleton. @throws ConfigError for a hint that cannot be met (unknown joint name, with the
/// nearest); FormatError "<clip.name>: ..." when this is no human, or left, right, up or a limb cannot be
/// told with confidence, saying which and what would settle it.
[[nodiscard]] Map map_rig(const SkeletonClip& clip, const Hints& hints = {});

}  // namespace panto::rig
