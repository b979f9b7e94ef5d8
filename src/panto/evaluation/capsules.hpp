#pragma once
// Models a body as capsules (segments with a radius) to detect limbs that penetrate each other.

#include <Eigen/Core>
#include <string>
#include <utility>
#include <vector>

#include "panto/model/human.hpp"
#include "panto/model/kinematics.hpp"
#include "panto/motion/foot_contacts.hpp"

namespace panto {

/// A point that moves with a link.
struct LinkPoint {
  int link = 0;
  Eigen::Vector3d p_L = Eigen::Vector3d::Zero();  ///< in the link's frame [m]
};

/// All points within `radius` of the segment between two points, which may be on different links.
struct Capsule {
  std::string name;
  LinkPoint from, to;
  double radius = 0.0;  ///< [m], >= 0
};

/// Capsules and the pairs of them that must not overlap, as indices.
struct CapsuleBody {
  std::vector<Capsule> capsules;
  std::vector<std::pair<int, int>> pairs;
  std::vector<std::string> notes;  ///< unchecked pairs and the reason, one sentence each
};

/// A link that follows a segment of the human.
struct SegmentLink {
  int segment = HumanSegment::Pelvis;  ///< HumanSegment
  int link = 0;
};

/// A foot of a robot.
struct RobotFoot {
  std::string name;  ///< for messages and keys: "LeftFoot"
  int link = 0;
  FootSole sole;  ///< in the link's frame
  std::vector<Eigen::Vector3d> corners =
      {};  ///< of the sole, in the link's frame [m]; empty: those of `sole`
};

/// Default radii. Thin on purpose: overlapping capsules really touch.
struct CapsuleOptions {
  double limb_radius = 0.09;   ///< relative to a limb's length, > 0
  double trunk_radius = 0.30;  ///< relative to the distance between the shoulders, > 0
  double foot_radius = 0.15;   ///< relative to the sole's length, > 0
};

/// Builds capsules from hips to shoulders, from each limb's link to the next that follows a segment, and
/// along each sole; the last link of an arm and the head include their descendants. Checks all pairs except
/// neighbours and those that already overlap at `rest` (by State::s). @throws ModelError for unknown links,
/// ConfigError for options out of range.
[[nodiscard]] CapsuleBody body_capsules(const Model& model, const std::vector<SegmentLink>& links,
                                        const std::vector<RobotFoot>& feet, const Eigen::VectorXd& rest,
                                        const CapsuleOptions& options = {});

/// Returns the smallest distance between the segments a0 a1 and b0 b1 [m]; either may be a point.
[[nodiscard]] double segment_distance(const Eigen::Vector3d& a0, const Eigen::Vector3d& a1,
                                      const Eigen::Vector3d& b0, const Eigen::Vector3d& b1) noexcept;

/// Returns the depth of the overlap of two capsules [m]; negative: their distance. `kinematics` must be up to
/// date.
[[nodiscard]] double overlap(const Capsule& a, const Capsule& b, const Kinematics& kinematics) noexcept;

}  // namespace panto
