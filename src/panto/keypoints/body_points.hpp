#pragma once
// Computes a body's joint centres from any known points: joint centres as given, skin markers by published
// regressions, marker clusters by their motion.

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

/// Positions by `Landmark` in world axes W [m]; NaN if unknown. HipJoint, KneeJoint, AnkleJoint,
/// ShoulderJoint, ElbowJoint, WristJoint, HipsMiddle and NeckBase are computed if the set lacks them.
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

/// Returns the rotation from clip axes with the given up axis to world axes.
[[nodiscard]] Eigen::Matrix3d world_axes(const KeypointClip& clip, rig::FileAxis up) noexcept;

/// Converts frames of a clip to body points. The clip must outlive it.
class BodyPointFinder {
 public:
  /// Finds names, unit, up axis and all constants that the centres need. @throws FormatError "<clip.name>:
  /// ..." if the points belong to no known body; ConfigError for an impossible hint.
  BodyPointFinder(const KeypointClip& clip, const rig::Hints& hints);

  /// Computes all points of a frame.
  void points(int frame, BodyPoints& points) const;
  /// Computes orientation and origin of the pelvis from its markers: x forward in the plane of the iliac
  /// spines. Returns false without these markers.
  [[nodiscard]] bool pelvis(int frame, RigidPose& pose) const;
  [[nodiscard]] bool has_pelvis() const noexcept { return pelvis_markers_; }

  [[nodiscard]] const LandmarkNames& names() const noexcept { return names_; }
  [[nodiscard]] const Eigen::Matrix3d& R_WF() const noexcept { return R_WF_; }
  [[nodiscard]] double unit() const noexcept { return unit_; }
  /// Returns the body height, from known lengths and average proportions [m].
  [[nodiscard]] double height() const noexcept { return height_; }
  /// Returns true if this landmark is known, measured or computed, in enough frames to rely on.
  [[nodiscard]] bool has(int landmark) const noexcept { return has_[static_cast<std::size_t>(landmark)]; }
  /// Returns the axes of a knee or elbow in every frame, in world axes (see limb_twist.hpp): y for legs, z
  /// for arms.
  [[nodiscard]] const std::vector<Eigen::Vector3d>& hinges(int limb) const {
    return hinges_[static_cast<std::size_t>(limb)];
  }
  /// Returns the frames used to judge the clip: all of them, or a few hundred spread over it.
  [[nodiscard]] const std::vector<int>& sampled() const noexcept { return sampled_; }
  /// Returns true if the set's own model says which pelvis is neutral.
  [[nodiscard]] bool neutral_pelvis() const noexcept { return names_.gait2392 && pelvis_markers_; }
  [[nodiscard]] const std::vector<std::string>& notes() const noexcept { return notes_; }

 private:
  struct Cluster {
    std::vector<int> markers;  // point indices of the clip
    RigidCluster shape;
  };
  struct FunctionalJoint {
    bool used = false;
    Eigen::Vector3d centre;  // in the upper cluster's frame [m]
    Eigen::Vector3d below;   // the same point in the lower cluster's frame [m]; NaN if not used
    Eigen::Vector3d axis;    // pointing left
    Eigen::Vector3d axis_below;
  };
  struct WandTurn;
  enum ClusterOf : int { PelvisCluster, ThighCluster, ShankCluster = 3, FootCluster = 5, ClusterCount = 7 };

  void find_names();
  void find_up(const rig::Hints& hints);
  void find_unit(const rig::Hints& hints);
  [[nodiscard]] double estimated_height() const;
  void set_height(double height);
  void find_clusters();
  void find_hips(double breadth, double depth);
  void find_functional_joints(int side);
  double find_functional_ankle(int side);
  double find_functional_knee(int side);
  void place_pelvis();
  void count_points();
  void tell_head_from_crown();
  void find_hinges();
  void measured_points(int frame, BodyPoints& points) const;
  void complete_trunk(int frame, BodyPoints& points) const;
  void complete_leg(int frame, int side, BodyPoints& points) const;
  void complete_arm(int frame, int side, BodyPoints& points) const;
  [[nodiscard]] Eigen::Vector3d wand(int frame, int side, const BodyPoints& points) const;
  [[nodiscard]] Eigen::Vector3d measured_hinge(int frame, const Limb& limb, const BodyPoints& points) const;
  [[nodiscard]] bool fit(int cluster, int frame, RigidPose& pose) const;
  [[nodiscard]] Eigen::Vector3d functional_point(const FunctionalJoint& joint, int upper, int frame) const;
  [[nodiscard]] std::vector<RigidPose> poses(int cluster) const;
  [[nodiscard]] bool named(int landmark) const noexcept;

  const KeypointClip* clip_;
  LandmarkNames names_;
  std::array<int, kLandmarkCount> point_of_;  // point index in the clip, or -1
  std::vector<int> sampled_;
  Eigen::Matrix3d R_WF_ = Eigen::Matrix3d::Identity();
  double unit_ = 1.0, height_ = 1.75;
  std::array<bool, kLandmarkCount> has_{};
  std::array<Cluster, ClusterCount> clusters_;
  std::array<Eigen::Vector3d, 2> hip_in_pelvis_;
  RigidPose pelvis_in_cluster_;
  bool pelvis_markers_ = false;
  std::vector<RigidPose> placed_;  // the pelvis' markers in every frame, corrected by the thighs; or empty
  std::array<FunctionalJoint, 2> knee_, ankle_;
  std::array<std::optional<double>, 2>
      wand_turn_;                // from thigh markers to the knee's axis, about the bone [rad]
  double pelvis_breadth_ = 0.0;  // between the ASIS [m]
  std::array<std::vector<Eigen::Vector3d>, kLimbCount> hinges_;
  std::vector<std::string> notes_;
};

}  // namespace panto::keypoints
