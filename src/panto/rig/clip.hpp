#pragma once
// A skeleton clip in world axes and metres, seen through a map: the quantities that the alignment measures.

#include <Eigen/Core>
#include <optional>
#include <string>
#include <vector>

#include "panto/rig/rig.hpp"
#include "panto/sample/skeleton.hpp"

namespace panto::rig {

/// Frame index of the rest pose (all joint angles zero).
inline constexpr int kRest = -1;

/// Returns true for segments along a bone: thigh, shank, upper arm, forearm, hand.
[[nodiscard]] bool is_limb(int segment) noexcept;
[[nodiscard]] bool is_right(int segment) noexcept;
/// Returns the direction of a limb in its own frame in the T-pose: legs -z, right arm -y, left arm +y; zero
/// for other segments.
[[nodiscard]] Eigen::Vector3d limb_axis(int segment) noexcept;
/// Returns the hinge axis of knee or elbow in the frame of thigh, shank, upper arm, forearm or hand: +y for
/// legs, +z for arms.
[[nodiscard]] Eigen::Vector3d hinge_axis(int segment) noexcept;
/// Returns the sign of (bone x next bone) along `hinge_axis` in flexion: +1; -1 for the left arm, whose
/// flexion is negative (formats, section 6.3).
[[nodiscard]] double flexion_sign(int segment) noexcept;
/// Returns the segment that begins at the end of `segment`'s bone; -1 for head, hands, toes.
[[nodiscard]] int next_outwards(int segment) noexcept;

/// Returns the rotation R with R a = d and R b as near to v as possible. a, b orthonormal; d a unit vector.
[[nodiscard]] Eigen::Matrix3d frame_from(const Eigen::Vector3d& a, const Eigen::Vector3d& d,
                                         const Eigen::Vector3d& b, const Eigen::Vector3d& v);

/// The kind of the rest pose and the direction it faces.
struct RestJudgement {
  RestPose kind = RestPose::Other;
  Eigen::Matrix3d R_WB = Eigen::Matrix3d::Identity();  ///< body axes: x forward, y left, z up
};

/// Returns whether a joint of that name does not point along its hand or foot: a thumb, a heel, a held
/// object.
[[nodiscard]] bool is_no_direction(const std::string& name);

/// What hangs on a joint.
struct JointEnd {
  int joint = -1;         ///< the joint whose centre or tip it is
  Eigen::Vector3d place;  ///< mean over the clip, in the frame of the joint it hangs on [m]
};

class Clip {
 public:
  /// `clip` and `map` must outlive this object.
  Clip(const SkeletonClip& clip, const Map& map);

  [[nodiscard]] int frame_count() const noexcept { return static_cast<int>(clip_->frames.size()); }
  [[nodiscard]] double time(int frame) const { return clip_->times[static_cast<std::size_t>(frame)]; }
  /// Returns the joint that moves with the segment; -1 if the segment is not measured or spread over two
  /// joints.
  [[nodiscard]] int joint(int segment) const noexcept;
  [[nodiscard]] bool has(int segment) const noexcept { return joint(segment) >= 0; }
  /// Returns the joint at which the segment begins: its own, or the first of the two joints of a spread
  /// segment unless an earlier segment begins there; else -1.
  [[nodiscard]] int start(int segment) const noexcept;
  [[nodiscard]] Eigen::Matrix3d R_WJ(int frame, int joint) const;
  [[nodiscard]] Eigen::Vector3d p_WJ(int frame, int joint) const;  ///< [m]
  [[nodiscard]] Eigen::Vector3d p_WS(int frame, int segment) const { return p_WJ(frame, joint(segment)); }

  /// Returns the mean position over the clip of the centre of `other` in the frame of `joint` [m].
  [[nodiscard]] Eigen::Vector3d seen_from(int joint, int other) const;
  /// Returns the ends of everything that hangs on a joint without being a mapped segment, in the joint's
  /// frame [m]: its tips and the centres of its child joints; the nearest of each branch, or all.
  [[nodiscard]] std::vector<Eigen::Vector3d> ends_beyond(int joint, bool all) const;
  /// Returns the same with the joint that each end belongs to.
  [[nodiscard]] std::vector<JointEnd> joint_ends(int joint, bool all) const;
  /// Returns the far end of a segment in its joint's frame [m]: the next segment's centre, else the mean
  /// of its child joints, without thumb, heel and held objects.
  [[nodiscard]] std::optional<Eigen::Vector3d> far_end(int segment) const;

  /// Returns the vector from the middle of the hips to the neck; zero if the rig lacks one of them.
  [[nodiscard]] Eigen::Vector3d trunk(int frame) const;
  /// Returns the direction from right to left of hips and shoulders, not normalised.
  [[nodiscard]] Eigen::Vector3d leftwards(int frame) const;
  /// Returns the frame with z along `up` and y to the left.
  [[nodiscard]] Eigen::Matrix3d heading(int frame, const Eigen::Vector3d& up) const;
  /// Returns the frame with z along the trunk (world up if there is no trunk) and y to the left.
  [[nodiscard]] Eigen::Matrix3d body(int frame) const;
  /// Returns the weight of a frame as upright standing, > 0.
  [[nodiscard]] double uprightness(int frame) const;

  [[nodiscard]] RestJudgement judge_rest() const;
  [[nodiscard]] const SkeletonClip& skeleton() const noexcept { return *clip_; }
  [[nodiscard]] const Map& map() const noexcept { return *map_; }

 private:
  [[nodiscard]] const SkeletonPose& pose(int frame) const;
  [[nodiscard]] Eigen::Vector3d middle(int frame, int right, int left) const;
  [[nodiscard]] double longest_end(int segment) const;
  [[nodiscard]] bool legs_stand(const Eigen::Matrix3d& R_WB) const;
  [[nodiscard]] RestPose arm_pose(int upper_arm, const Eigen::Matrix3d& R_WB) const;

  const SkeletonClip* clip_;
  const Map* map_;
  std::vector<unsigned char> mapped_;  // by joint
};

}  // namespace panto::rig
