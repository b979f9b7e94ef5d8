#pragma once
// Converts keypoints to the 23 human segments: each frame on its own, except for the twist of straight limbs.

#include <Eigen/Core>
#include <array>
#include <string>
#include <vector>

#include "panto/keypoints/body_points.hpp"
#include "panto/model/human.hpp"
#include "panto/rig/axes.hpp"
#include "panto/rig/map.hpp"
#include "panto/sample/keypoint_sample.hpp"
#include "panto/sample/segment_sample.hpp"

namespace panto::keypoints {

/// A clip of keypoints, interpreted as a human body.
class KeypointBody {
 public:
  /// Finds names, axes, unit and sizes (docs/algorithms/keypoints.md). Uses only `unit` and `up` of the
  /// hints. @throws FormatError "<clip.name>: ..." if the points do not form a body; ConfigError for an
  /// impossible hint.
  explicit KeypointBody(KeypointClip clip, const rig::Hints& hints = {});
  KeypointBody(const KeypointBody&) = delete;
  KeypointBody& operator=(const KeypointBody&) = delete;

  [[nodiscard]] const KeypointClip& clip() const noexcept { return clip_; }
  [[nodiscard]] const std::string& family() const noexcept { return points_.names().family; }
  /// Returns the file's axis that is up.
  [[nodiscard]] rig::FileAxis up() const noexcept {
    return rig::nearest_axis(points_.R_WF().transpose() * Eigen::Vector3d::UnitZ());
  }
  /// Returns the person's sizes: medians over the clip, averages where nothing was measured [m].
  [[nodiscard]] const SubjectDimensions& subject() const noexcept { return subject_; }
  /// Returns true if the clip determines the orientation of this segment.
  [[nodiscard]] bool measured(int segment) const noexcept {
    return measured_[static_cast<std::size_t>(segment)];
  }
  /// Returns how the clip was interpreted, one sentence each.
  [[nodiscard]] const std::vector<std::string>& notes() const noexcept { return notes_; }

  /// Computes the segments (`human_segment_names()`) of a frame in Panto's segment frames and world axes,
  /// metres. Quantities that this frame does not determine have no flag set. Does not allocate once
  /// `segments` has its size.
  void segments(int frame, std::vector<SegmentMotion>& segments) const;
  /// Computes the joint centres and other points of a frame in world axes [m].
  void points(int frame, BodyPoints& points) const { points_.points(frame, points); }

 private:
  using Frames = std::array<Eigen::Matrix3d, kHumanSegmentCount>;

  void find_given();
  void find_spine();
  void calibrate();
  void calibrate_trunk();
  void calibrate_head();
  void calibrate_foot(int side);
  void calibrate_wrist(int side);
  void measure_subject();
  void measure_segments();
  void measure_offsets(int from, int to);
  void measure_trunk();
  void measure_arm(int side);
  void measure_leg(int side);
  void check_limbs() const;
  void find_measured();
  void describe();
  [[nodiscard]] std::string missing_joints() const;
  [[nodiscard]] std::string missing_parts() const;

  void frames(int frame, const BodyPoints& points, Frames& R) const;
  void follow_spine(const BodyPoints& points, Frames& R) const;
  void trunk_frames(int frame, const BodyPoints& points, Frames& R) const;
  void head_frames(const BodyPoints& points, Frames& R) const;
  void arm_frames(int frame, int side, const BodyPoints& points, Frames& R) const;
  void leg_frames(int frame, int side, const BodyPoints& points, Frames& R) const;
  [[nodiscard]] Eigen::Matrix3d raw_foot(int side, const BodyPoints& points) const;
  [[nodiscard]] Eigen::Matrix3d raw_head(const Eigen::Matrix3d& R_WT, const BodyPoints& points) const;
  [[nodiscard]] Eigen::Vector3d toes(int side, const BodyPoints& points) const;
  static constexpr double kSamePlace = 0.02;  // of the body height: joints this close define no direction
  [[nodiscard]] static int origin_of(int segment) noexcept;
  [[nodiscard]] bool has(int landmark) const noexcept { return points_.has(landmark); }
  [[nodiscard]] bool has_both(Landmark::Index landmark) const noexcept {
    return has(sided(landmark, 0)) && has(sided(landmark, 1));
  }
  template <typename Measure>
  [[nodiscard]] auto over_clip(Measure&& measure) const;

  KeypointClip clip_;
  BodyPointFinder points_;
  std::vector<std::string> notes_;
  std::array<bool, kHumanSegmentCount> measured_{};
  std::array<int, kHumanSegmentCount> given_;  // point whose orientation is the segment's, or -1
  SubjectDimensions subject_;
  bool own_segments_ = false;   // the points are the origins of Panto's segments ...
  bool own_body_ = false;       // ... on a body like ours, not on a renamed skeleton
  bool follows_spine_ = false;  // its joints' offsets are known
  bool high_hips_ = false;      // the root lies above the hips and forms a triangle of the pelvis with them
  Landmark::Index low_spine_ = Landmark::NeckBase;     // the pelvis points up to this landmark
  Landmark::Index high_spine_ = Landmark::HipsMiddle;  // the chest begins at this landmark
  // constant rotations from point frames to segment frames
  Eigen::Matrix3d pelvis_turn_ = Eigen::Matrix3d::Identity();
  Eigen::Matrix3d chest_turn_ = Eigen::Matrix3d::Identity();
  Eigen::Matrix3d neck_turn_ = Eigen::Matrix3d::Identity();
  Eigen::Matrix3d head_turn_ = Eigen::Matrix3d::Identity();
  std::array<Eigen::Matrix3d, 2> foot_turn_;
  std::array<double, 2> thumb_side_{1.0, 1.0};  // -1: the wrist markers are named the other way round
  std::array<Eigen::Vector3d, 2>
      collar_in_chest_;  // from the base of the neck, if the set has no collar joints [m]
};

template <typename Measure>
auto KeypointBody::over_clip(Measure&& measure) const {
  BodyPoints points;
  Frames R;
  std::vector<decltype(measure(0, points, R))> result;
  for (const int frame : points_.sampled()) {
    points_.points(frame, points);
    frames(frame, points, R);
    result.push_back(measure(frame, points, R));
  }
  return result;
}

}  // namespace panto::keypoints
