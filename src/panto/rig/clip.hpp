#pragma once
// A clip of somebody's skeleton in world axes and metres, seen through a map: what the alignment measures.

#include <Eigen/Core>
#include <optional>
#include <vector>

#include "panto/rig/rig.hpp"

namespace panto::rig {

/// Stands for a frame's index: the pose with all angles zero.
inline constexpr int kRest = -1;

/// True for the thigh, shank, upper arm, forearm and hand: a segment along a bone.
[[nodiscard]] bool is_limb(int segment) noexcept;
[[nodiscard]] bool is_right(int segment) noexcept;
/// Direction of a limb in its own frame in the T-pose: legs -z, right arm -y, left arm +y; zero for others.
[[nodiscard]] Eigen::Vector3d limb_axis(int segment) noexcept;
/// The hinge of knee and elbow in thigh, shank, upper arm, forearm and hand: +y of the legs, +z of the arms.
[[nodiscard]] Eigen::Vector3d hinge_axis(int segment) noexcept;
/// u x f (bone, next bone) along `hinge_axis` when the joint bends: +1; -1 for the left arm, whose flexion
/// is negative (formats, section 6.3).
[[nodiscard]] double flexion_sign(int segment) noexcept;
/// The segment that the bone of `segment` ends at; -1 for head, hands, toes.
[[nodiscard]] int next_outwards(int segment) noexcept;

/// Rotation with R a = d and R b as near to v as can be. a, b orthonormal; d a unit vector.
[[nodiscard]] Eigen::Matrix3d frame_from(const Eigen::Vector3d& a, const Eigen::Vector3d& d,
                                         const Eigen::Vector3d& b, const Eigen::Vector3d& v);

/// What kind of pose the rest pose is, and where it looks.
struct RestJudgement {
  RestPose kind = RestPose::Other;
  Eigen::Matrix3d R_WB = Eigen::Matrix3d::Identity();  ///< x forward, y left, z up of the body
};

class Clip {
 public:
  /// Both must outlive it.
  Clip(const SkeletonClip& clip, const Map& map);

  [[nodiscard]] int frame_count() const noexcept { return static_cast<int>(clip_->frames.size()); }
  [[nodiscard]] double time(int frame) const { return clip_->times[static_cast<std::size_t>(frame)]; }
  /// Joint that moves with the segment; -1 where it is not measured or spread over two joints.
  [[nodiscard]] int joint(int segment) const noexcept;
  [[nodiscard]] bool has(int segment) const noexcept { return joint(segment) >= 0; }
  /// Joint at which the segment begins: its own, or the first of the two of a spread one where no segment
  /// before it begins there; else -1.
  [[nodiscard]] int start(int segment) const noexcept;
  [[nodiscard]] Eigen::Matrix3d R_WJ(int frame, int joint) const;
  [[nodiscard]] Eigen::Vector3d p_WJ(int frame, int joint) const;  ///< [m]
  [[nodiscard]] Eigen::Vector3d p_WS(int frame, int segment) const { return p_WJ(frame, joint(segment)); }

  /// Mean over the clip of the centre of `other` in the frame of `joint` [m].
  [[nodiscard]] Eigen::Vector3d seen_from(int joint, int other) const;
  /// Ends of what hangs on a joint and is no segment of its own, in its frame [m]: its tips and the centres
  /// of its joints, the nearest ones of each branch or all of them.
  [[nodiscard]] std::vector<Eigen::Vector3d> ends_beyond(int joint, bool all) const;
  /// Far end of a segment in the frame of its joint [m]: the next segment's centre, else what is beyond.
  [[nodiscard]] std::optional<Eigen::Vector3d> far_end(int segment) const;

  /// From the middle of the hips to the neck; zero where the rig has not both ends.
  [[nodiscard]] Eigen::Vector3d trunk(int frame) const;
  /// From right to left, hips and shoulders, not normalised.
  [[nodiscard]] Eigen::Vector3d leftwards(int frame) const;
  /// z along `up`, y to the left.
  [[nodiscard]] Eigen::Matrix3d heading(int frame, const Eigen::Vector3d& up) const;
  /// z along the trunk (world up where it has none), y to the left.
  [[nodiscard]] Eigen::Matrix3d body(int frame) const;
  /// How much a frame counts as upright standing, > 0.
  [[nodiscard]] double uprightness(int frame) const;

  [[nodiscard]] RestJudgement judge_rest() const;
  [[nodiscard]] const SkeletonClip& skeleton() const noexcept { return *clip_; }
  [[nodiscard]] const Map& map() const noexcept { return *map_; }

 private:
  [[nodiscard]] const SkeletonPose& pose(int frame) const;
  [[nodiscard]] Eigen::Vector3d middle(int frame, int right, int left) const;
  [[nodiscard]] bool legs_stand(const Eigen::Matrix3d& R_WB) const;
  [[nodiscard]] RestPose arm_pose(int upper_arm, const Eigen::Matrix3d& R_WB) const;

  const SkeletonClip* clip_;
  const Map* map_;
  std::vector<unsigned char> mapped_;  // by joint
};

}  // namespace panto::rig
