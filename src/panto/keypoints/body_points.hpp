#pragma once
// The joint centres of a body from whatever points of it are known: joint centres as they are, markers on the
// skin by published regressions, clusters of markers by their motion.

#include <Eigen/Core>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "panto/keypoints/landmarks.hpp"
#include "panto/keypoints/point_geometry.hpp"
#include "panto/rig/axes.hpp"
#include "panto/rig/map.hpp"
#include "panto/sample/keypoint_sample.hpp"

namespace panto::keypoints {

/// Positions by `Landmark` in world axes W [m]; NaN where one is not known. HipJoint, KneeJoint, AnkleJoint,
/// ShoulderJoint, ElbowJoint, WristJoint, HipsMiddle and NeckBase are computed where the set lacks them.
using BodyPoints = std::array<Eigen::Vector3d, kLandmarkCount>;

/// An arm or a leg.
struct Limb {
  Landmark::Index root, middle, end;  ///< its joints
  bool leg;
  int side;  ///< 0 right, 1 left
};
inline constexpr int kLimbCount = 4;
inline constexpr std::array<Limb, kLimbCount> kLimbs{
    {{Landmark::HipJoint, Landmark::KneeJoint, Landmark::AnkleJoint, true, 0},
     {Landmark::HipJoint, Landmark::KneeJoint, Landmark::AnkleJoint, true, 1},
     {Landmark::ShoulderJoint, Landmark::ElbowJoint, Landmark::WristJoint, false, 0},
     {Landmark::ShoulderJoint, Landmark::ElbowJoint, Landmark::WristJoint, false, 1}}};

/// World axes from those of a clip of which that axis is up.
[[nodiscard]] Eigen::Matrix3d world_axes(const KeypointClip& clip, rig::FileAxis up) noexcept;

/// Turns frames of a clip into body points. The clip must outlive it.
class BodyPointFinder {
 public:
  /// Finds names, unit, up axis and every constant that the centres need. @throws FormatError
  /// "<clip.name>: ..." when the points are of no known body; ConfigError for a hint that cannot be met.
  BodyPointFinder(const KeypointClip& clip, const rig::Hints& hints);

  /// All points of a frame.
  void points(int frame, BodyPoints& points) const;
  /// Orientation and origin of the pelvis by its markers: x forward in the plane of the spines. False
  /// without.
  [[nodiscard]] bool pelvis(int frame, RigidPose& pose) const;

  [[nodiscard]] const LandmarkNames& names() const noexcept { return names_; }
  [[nodiscard]] const Eigen::Matrix3d& R_WF() const noexcept { return R_WF_; }
  [[nodiscard]] double unit() const noexcept { return unit_; }
  /// Body height by the lengths of what is known and average proportions [m].
  [[nodiscard]] double height() const noexcept { return height_; }
  /// Is this landmark known, measured or computed, in enough frames to rely on?
  [[nodiscard]] bool has(int landmark) const noexcept { return has_[static_cast<std::size_t>(landmark)]; }
  /// The axes of knees and elbows in every frame, in world axes (see limb_twist.hpp): legs' y, arms' z.
  [[nodiscard]] const std::vector<Eigen::Vector3d>& hinges(int limb) const {
    return hinges_[static_cast<std::size_t>(limb)];
  }
  /// Frames to judge the clip by: all of them, or a few hundred spread over it.
  [[nodiscard]] const std::vector<int>& sampled() const noexcept { return sampled_; }
  [[nodiscard]] const std::vector<std::string>& notes() const noexcept { return notes_; }

 private:
  struct Cluster {
    std::vector<int> markers;  // points of the clip
    RigidCluster shape;
  };
  struct FunctionalJoint {
    bool used = false;
    Eigen::Vector3d centre;  // in the upper cluster's frame [m]
    Eigen::Vector3d axis;    // pointing left
  };
  enum ClusterOf : int { PelvisCluster, ThighCluster, ShankCluster = 3, FootCluster = 5, ClusterCount = 7 };

  void find_names();
  void find_up(const rig::Hints& hints);
  void find_unit(const rig::Hints& hints);
  [[nodiscard]] double estimated_height() const;
  void set_height(double height);
  void find_clusters();
  void find_functional_joints(int side);
  double find_functional_ankle(int side);
  double find_functional_knee(int side);
  void count_points();
  void tell_head_from_crown();
  void find_hinges();
  void measured_points(int frame, BodyPoints& points) const;
  void complete_trunk(int frame, BodyPoints& points) const;
  void complete_leg(int frame, int side, BodyPoints& points) const;
  void complete_arm(int frame, int side, BodyPoints& points) const;
  [[nodiscard]] Eigen::Vector3d measured_hinge(int frame, const Limb& limb, const BodyPoints& points) const;
  [[nodiscard]] bool fit(int cluster, int frame, RigidPose& pose) const;
  [[nodiscard]] std::vector<RigidPose> poses(int cluster) const;
  [[nodiscard]] bool named(int landmark) const noexcept;

  const KeypointClip* clip_;
  LandmarkNames names_;
  std::array<int, kLandmarkCount> point_of_;  // point of the clip, -1
  std::vector<int> sampled_;
  Eigen::Matrix3d R_WF_ = Eigen::Matrix3d::Identity();
  double unit_ = 1.0, height_ = 1.75;
  std::array<bool, kLandmarkCount> has_{};
  std::array<Cluster, ClusterCount> clusters_;
  std::array<Eigen::Vector3d, 2> hip_in_pelvis_;
  RigidPose pelvis_in_cluster_;
  bool pelvis_markers_ = false;
  std::array<FunctionalJoint, 2> knee_, ankle_;
  std::array<std::vector<Eigen::Vector3d>, kLimbCount> hinges_;
  std::vector<std::string> notes_;
};

}  // namespace panto::keypoints
