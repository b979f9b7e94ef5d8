#pragma once
// A tree of named joints and its poses as stored in a file; the input for understanding a rig. Axes, unit of
// length and names are those of the file.

#include <Eigen/Core>
#include <string>
#include <vector>

namespace panto {

/// One joint of a skeleton. Its body part moves with it.
struct SkeletonJoint {
  std::string name;
  int parent = -1;                    ///< index, smaller than its own; -1 for a root
  std::vector<Eigen::Vector3d> tips;  ///< ends of the part in its own frame, if the file has them [units]
};

/// World poses of all joints at one instant, in the file's axes F and unit of length.
struct SkeletonPose {
  std::vector<Eigen::Matrix3d> R_FJ;  ///< orientation
  std::vector<Eigen::Vector3d> p_FJ;  ///< origin [units]
};

/// A skeleton and selected poses in time order: enough to judge its motion, not the whole clip.
struct SkeletonClip {
  std::string name;                   ///< of the file, for messages
  std::vector<SkeletonJoint> joints;  ///< parents before children
  SkeletonPose rest;                  ///< the pose at zero angles, chosen by the exporter
  std::vector<SkeletonPose> frames;   ///< at least one; an exporter's rest pose is excluded
  std::vector<double> times;          ///< of the frames [s], increasing
};

}  // namespace panto
