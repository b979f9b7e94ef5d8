#pragma once
// A tree of named joints as somebody's file has it, and its poses: what a rig is understood from. Axes, unit
// of length and names are the file's own.

#include <Eigen/Core>
#include <string>
#include <vector>

namespace panto {

/// One joint of a skeleton. The body part behind it moves with it.
struct SkeletonJoint {
  std::string name;
  int parent = -1;                    ///< index, smaller than its own; -1 for a root
  std::vector<Eigen::Vector3d> tips;  ///< ends of the part in its own frame, where the file has them [units]
};

/// World poses of all joints at one instant, in the file's axes F and unit of length.
struct SkeletonPose {
  std::vector<Eigen::Matrix3d> R_FJ;  ///< orientation
  std::vector<Eigen::Vector3d> p_FJ;  ///< origin [units]
};

/// A skeleton and a choice of its poses in time order: enough to judge it by its motion, not the whole clip.
struct SkeletonClip {
  std::string name;                   ///< of the file, for messages
  std::vector<SkeletonJoint> joints;  ///< parents before children
  SkeletonPose rest;                  ///< all angles zero: whatever pose the exporter chose
  std::vector<SkeletonPose> frames;   ///< at least one; an exporter's rest pose is not among them
  std::vector<double> times;          ///< of the frames [s], increasing
};

}  // namespace panto
