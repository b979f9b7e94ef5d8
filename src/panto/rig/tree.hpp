#pragma once
// Measures a skeleton clip: lengths between joints, how constant they are, how far joints rotate. All figures
// come from origins, tips and rotations relative to the first frame, so they do not depend on the file's axes
// or on the joints' zero angles.

#include <Eigen/Core>
#include <vector>

#include "panto/base/index.hpp"
#include "panto/sample/skeleton.hpp"

namespace panto::rig {

/// A skeleton as points over time. Points 0 .. joints-1 are the joint origins; the tips follow. The clip must
/// outlive the tree.
class Tree {
 public:
  /// @throws FormatError "<clip.name>: ..." for a clip without joints or frames, with frames of a wrong size,
  /// or with numbers that are not finite.
  explicit Tree(const SkeletonClip& clip);

  [[nodiscard]] int joint_count() const noexcept { return static_cast<int>(clip_.joints.size()); }
  [[nodiscard]] int frame_count() const noexcept { return static_cast<int>(frames_.size()); }
  [[nodiscard]] int point_count() const noexcept { return static_cast<int>(owner_.size()); }
  [[nodiscard]] bool is_tip(int point) const noexcept { return point >= joint_count(); }
  /// Returns the joint that moves the point.
  [[nodiscard]] int owner(int point) const noexcept { return owner_[at(point)]; }
  [[nodiscard]] int parent(int joint) const noexcept { return clip_.joints[at(joint)].parent; }
  [[nodiscard]] const std::vector<int>& children(int joint) const noexcept { return children_[at(joint)]; }
  /// Returns the tips of the joint that lie away from its origin.
  [[nodiscard]] const std::vector<int>& tips(int joint) const noexcept { return tips_[at(joint)]; }
  [[nodiscard]] const SkeletonClip& clip() const noexcept { return clip_; }

  /// Returns the position of a point at frame f (of the frames that the tree keeps) [units].
  [[nodiscard]] const Eigen::Vector3d& p(int point, int f) const noexcept {
    return points_[at(point) * frames_.size() + at(f)];
  }
  /// Returns the orientation of a joint in the file's axes.
  [[nodiscard]] const Eigen::Matrix3d& orientation(int joint, int f) const noexcept {
    return clip_.frames[at(frames_[at(f)])].R_FJ[at(joint)];
  }
  [[nodiscard]] double time(int f) const noexcept { return clip_.times[at(frames_[at(f)])]; }

  /// Returns the mean distance [units].
  [[nodiscard]] double length(int a, int b) const noexcept;
  /// Returns the standard deviation of the distance over its mean; 0 for coincident points.
  [[nodiscard]] double unsteadiness(int a, int b) const noexcept;
  /// Returns the root mean square angle [rad] by which the direction from a joint to a point varies in the
  /// joint's frame: 0 if the point is fixed to the joint.
  [[nodiscard]] double wander(int joint, int point) const noexcept;
  /// Returns the largest rotation [rad] of the joint relative to its parent, against the first frame.
  [[nodiscard]] double turn(int joint) const noexcept { return turn_[at(joint)]; }
  /// Returns the range (largest minus smallest) of the angle [rad] at `middle` between the directions to a
  /// and b.
  [[nodiscard]] double bend_range(int a, int middle, int b) const noexcept;
  /// Returns true if no joint rotates more than half a degree over the clip.
  [[nodiscard]] bool is_still() const noexcept { return still_; }

  /// Returns the length of the longest path from a point down to a leaf, without bones of varying length
  /// [units].
  [[nodiscard]] double reach(int joint) const noexcept { return reach_[at(joint)]; }
  /// Returns the joints of that path from the joint itself, and the tip if the path ends in one.
  [[nodiscard]] std::vector<int> longest_chain(int joint) const;
  [[nodiscard]] bool is_below(int joint, int ancestor) const noexcept;
  /// Returns the joints from a up to the nearest common ancestor and down to b, both included; empty if there
  /// is none.
  [[nodiscard]] std::vector<int> path(int a, int b) const;

 private:
  void check() const;
  void build_points();
  void measure_turns();
  void measure_reach();

  const SkeletonClip& clip_;
  std::vector<int> frames_;  // indices of the frames kept
  std::vector<int> owner_;
  std::vector<std::vector<int>> children_, tips_;
  std::vector<Eigen::Vector3d> points_;  // point after point, all frames of each
  std::vector<double> turn_, reach_;
  std::vector<int> next_;  // first step of the longest path; -1: none
  bool still_ = true;
};

}  // namespace panto::rig
