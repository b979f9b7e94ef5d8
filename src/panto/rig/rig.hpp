#pragma once
// The interpretation of any skeleton: the joint of each human segment, the segment's frame in it, and the
// person's sizes. Found by map_rig (rig/map.hpp) and align_rig (rig/fit.hpp).

#include <Eigen/Core>
#include <array>
#include <string>
#include <vector>

#include "panto/model/human.hpp"

namespace panto::rig {

/// One decision about a rig, for people to read.
struct Decision {
  std::string what;         ///< "up axis", "unit of length", "left and right", "rest pose"
  std::string answer;       ///< "y", "0.01 m", "as named"
  std::string reason;       ///< one clause, with the numbers that decided
  double confidence = 0.0;  ///< 0 .. 1
};

/// The source of one human segment. Spines with fewer joints than L5, L3, T12, T8: the chest joint is T8,
/// each joint ends a group of segments, and the other segments of a group take even shares of the rotation
/// from the joint below. Without collar bones, the shoulder segments follow the chest joint; without a neck,
/// the neck takes half of the rotation from chest to head. Missing hands, feet and toes are not measured.
struct MapEntry {
  int joint = -1;      ///< joint that moves with the segment; -1: not measured
  int next = -1;       ///< spread spine: the segment takes `share` of the rotation from `joint` to `next` ...
  double share = 0.0;  ///< ... 0 .. 1; without `next` it follows `joint`
  double confidence = 0.0;  ///< 0 .. 1
  std::string reason;       ///< one clause: "named LeftUpLeg; long bone below the hips"
};

/// A skeleton with its interpretation. World axes W: z up. The file's horizontal axes keep their cyclic
/// order: (x, y, z)_W = (z, x, y)_F for y-up files, (y, z, x)_F for x-up files. If a negative axis is up,
/// half a turn about x_W follows.
struct Map {
  std::string family;                                  ///< "xsens", "mixamo", ...; "unknown"
  double unit = 1.0;                                   ///< [m per file unit]
  Eigen::Matrix3d R_WF = Eigen::Matrix3d::Identity();  ///< file axes to world axes, a rotation
  std::array<MapEntry, kHumanSegmentCount> segments;   ///< by HumanSegment
  std::vector<int> unmapped;                           ///< joints that move no segment
  std::vector<Decision> decisions;                     ///< in the order in which they were made
  bool names_swapped = false;                          ///< names say left for the body's right side
  double confidence = 0.0;                             ///< of the least certain decision that matters
};

/// Returns how sure it is which way is up, 0 .. 1: under 0.5 it is a guess that the person stands, and who
/// lies is stood up. 1: nothing was in doubt.
[[nodiscard]] inline double sure_of_up(const Map& map) noexcept {
  for (const Decision& decision : map.decisions)
    if (decision.what == "up axis") return decision.confidence;
  return 1.0;
}
inline constexpr double kGuessedUp = 0.5;  ///< of `sure_of_up`

/// What the user knows. Empty fields are found from the clip.
struct Hints {
  std::array<std::string, kHumanSegmentCount> joint;  ///< by HumanSegment: name of the joint
  std::array<std::string, kHumanSegmentCount> next;   ///< with `share`, as in MapEntry
  std::array<double, kHumanSegmentCount> share{};
  double unit = 0.0;      ///< [m per file unit]
  std::string up;         ///< "x", "y", "z", "-x", "-y", "-z"
  bool complete = false;  ///< `joint` is the whole map: segments without a name are not measured
  std::string person;     ///< of several people: name of the topmost joint of the one to read
  bool guess = false;     ///< take the likeliest axis, sides and joints where they are too uncertain to use
};

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

struct Rig {
  Map map;
  RestPose rest = RestPose::Other;
  std::array<Offset, kHumanSegmentCount> offsets;  ///< by HumanSegment
  SubjectDimensions subject;                       ///< body dimensions, from the clip [m]
};

/// Known offsets, from a map file; invalid ones are found from the clip.
using Offsets = std::array<Offset, kHumanSegmentCount>;

}  // namespace panto::rig
