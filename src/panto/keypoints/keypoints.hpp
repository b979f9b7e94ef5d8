#pragma once
// Keypoints as the 23 segments of the human: every frame on its own, but for the twist of straight limbs.

#include <Eigen/Core>
#include <array>
#include <string>
#include <vector>

#include "panto/keypoints/body_points.hpp"
#include "panto/model/human.hpp"
#include "panto/rig/map.hpp"
#include "panto/sample/keypoint_sample.hpp"
#include "panto/sample/segment_sample.hpp"

namespace panto::keypoints {

/// A clip of keypoints understood as a human body.
class KeypointBody {
 public:
  /// Understands names, axes, unit and sizes (docs/algorithms/keypoints.md). Of the hints, `unit` and `up`
  /// count. @throws FormatError "<clip.name>: ..." when the points do not make a body; ConfigError for a hint
  /// that cannot be met.
  explicit KeypointBody(KeypointClip clip, const rig::Hints& hints = {});
  KeypointBody(const KeypointBody&) = delete;
  KeypointBody& operator=(const KeypointBody&) = delete;

  [[nodiscard]] const KeypointClip& clip() const noexcept { return clip_; }
  [[nodiscard]] const std::string& family() const noexcept { return points_.names().family; }
  /// The person's sizes: medians over the clip, average where nothing was measured [m].
  [[nodiscard]] const SubjectDimensions& subject() const noexcept { return subject_; }
  /// Does the clip determine the orientation of this segment?
  [[nodiscard]] bool measured(int segment) const noexcept {
    return measured_[static_cast<std::size_t>(segment)];
  }
  /// What was understood, one sentence each.
  [[nodiscard]] const std::vector<std::string>& notes() const noexcept { return notes_; }

  /// The segments (`human_segment_names()`) of a frame in our frames and world axes, metres. What cannot be
  /// told in this frame has no flag set. Allocates nothing once `segments` has its size.
  void segments(int frame, std::vector<SegmentMotion>& segments) const;
  /// The joint centres and other points of a frame in world axes [m].
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

  void frames(int frame, const BodyPoints& points, Frames& R) const;
  void follow_spine(const BodyPoints& points, Frames& R) const;
  void trunk_frames(int frame, const BodyPoints& points, Frames& R) const;
  void head_frames(const BodyPoints& points, Frames& R) const;
  void arm_frames(int frame, int side, const BodyPoints& points, Frames& R) const;
  void leg_frames(int frame, int side, const BodyPoints& points, Frames& R) const;
  [[nodiscard]] Eigen::Matrix3d raw_foot(int side, const BodyPoints& points) const;
  [[nodiscard]] Eigen::Matrix3d raw_head(const Eigen::Matrix3d& R_WT, const BodyPoints& points) const;
  [[nodiscard]] Eigen::Vector3d toes(int side, const BodyPoints& points) const;
  static constexpr double kSamePlace = 0.02;  // of the height: joints that near give no direction
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
  bool own_segments_ = false;   // the points are the origins of our own segments ...
  bool own_body_ = false;       // ... on a body like ours, not on a skeleton that was renamed
  bool follows_spine_ = false;  // its joints' offsets are known
  bool high_hips_ = false;      // the root lies above the hips, with them a triangle of the pelvis
  Landmark::Index low_spine_ = Landmark::NeckBase;     // where the pelvis points up to
  Landmark::Index high_spine_ = Landmark::HipsMiddle;  // where the chest begins
  // constant turns from the frames that points make to ours
  Eigen::Matrix3d pelvis_turn_ = Eigen::Matrix3d::Identity();
  Eigen::Matrix3d chest_turn_ = Eigen::Matrix3d::Identity();
  Eigen::Matrix3d neck_turn_ = Eigen::Matrix3d::Identity();
  Eigen::Matrix3d head_turn_ = Eigen::Matrix3d::Identity();
  std::array<Eigen::Matrix3d, 2> foot_turn_;
  std::array<double, 2> thumb_side_{1.0, 1.0};  // -1: the wrist's markers are named the other way round
  std::array<Eigen::Vector3d, 2>
      collar_in_chest_;  // from the base of the neck, where the set has no collars [m]
};

}  // namespace panto::keypoints
