#pragma once
// What a run is judged by, as plain values: the report card, how well a robot follows and moves, how surely
// joints are known. Collected by report_card.hpp, following.hpp, robot_figures.hpp, limb_directions.hpp and
// joint_deviations.hpp.

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "panto/base/status.hpp"

namespace panto {

/// One link that is judged against one segment.
struct TrackedPair {
  int segment = 0;  ///< position in SegmentSample::segments
  int link = 0;     ///< of the model
  Eigen::Matrix3d R_SF =
      Eigen::Matrix3d::Identity();  ///< link frame seen from the segment (Attachment::R_SF)
  bool orientation = true;          ///< its orientation and angular velocity count
  bool position = false;            ///< its position counts in `position_rmse_m`
};

/// What one step said of itself.
struct StepRecord {
  StepStatus status = StepStatus::Solved;
  int fallback_level = 0;                        ///< 0: none was needed
  std::optional<std::int64_t> duration_ns = {};  ///< of the step alone
  std::optional<std::int64_t> allocations = {};  ///< inside the step
  int active_bounds = 0;                         ///< joints held by a bound
  int solves = 0;                                ///< sweeps of the solver
  int clamped = 0;                               ///< joints that integration moved back to a limit
  /// Standard deviations of the joints, State::s order [rad] or [m]; empty: not known.
  Eigen::VectorXd deviation = {};
  /// By joint: 1 where no sensor tells of it in this frame, though one does in others; empty: none.
  std::vector<unsigned char> held = {};
};

/// The figures of a run. Field names are the keys of its JSON form and stable:
/// `<quantity>_<statistic>_<unit>`. What is not known is absent, never zero. The first block and `limit_*`,
/// `allocations`, `*_counts` and `state_hash` are over the whole run; the statistics leave out the first
/// `settle` seconds.
struct ReportCard {
  std::int64_t frames = 0;                        ///< frames given, answered or not
  std::optional<double> rate_hz;                  ///< mean rate of their stamps
  std::optional<double> duration_s;               ///< from the first stamp to the last
  std::optional<std::int64_t> recording_faults;   ///< findings that spoil the result (RecordingHealth) ...
  std::optional<std::int64_t> recording_remarks;  ///< ... and lighter ones; absent if not checked

  std::optional<double> mnte_mean;       ///< mean of 1 - cos(theta) over targets and frames, 0 .. 2
  std::optional<double> angle_mean_deg;  ///< orientation error
  std::optional<double> angle_p99_deg;
  std::optional<double> angle_max_deg;
  std::optional<double> omega_rmse_rad_s;  ///< sqrt(mean |dw|^2 / 3) [Rapetti 2020] Eq. (15)
  std::optional<double> position_rmse_m;   ///< sqrt(mean |dp|^2) of the links that follow a position
  std::optional<double> origin_mean_m;     ///< distance of link and segment origin, all pairs
  std::optional<double> origin_max_m;
  std::int64_t limit_violations = 0;      ///< joints outside their limits by more than 1e-9, over all frames
  double limit_violation_max_rad = 0.0;   ///< revolute joints
  std::optional<double> saturated_share;  ///< of the answered frames, those held by a limit
  std::optional<double> step_p50_us;
  std::optional<double> step_p99_us;
  std::optional<double> step_max_us;
  std::optional<std::int64_t> allocations;                     ///< inside step()
  std::array<std::int64_t, kStepStatusCount> status_counts{};  ///< by StepStatus
  std::vector<std::int64_t> fallback_counts;                   ///< by level, up to the highest that occurred
  std::optional<double> jerk_rms_rad_s3;                       ///< revolute joints, third differences
  std::optional<std::uint64_t> state_hash;                     ///< chained over the answered frames

  // For the verdict; not in the JSON form.
  std::optional<double> base_speed_max_m_s;          ///< of the base, from frame to frame
  std::optional<double> base_acceleration_max_m_s2;  ///< of three frames in a row
  std::optional<double> base_excess_max_m_s;  ///< of the first link that follows a position: how much faster
                                              ///< it moves than its segment, from frame to frame
};

/// How well a robot follows in the directions in which its joints can turn.
struct FollowingFigures {
  /// Angle between target and link in the directions that the link can turn in.
  std::optional<double> followable_mean_deg, followable_p99_deg, followable_max_deg;
  std::string worst_link;  ///< of `followable_max_deg`
  /// Longest time without a break in which a link that can turn in every direction was off by over 90 deg.
  double collapsed_longest_s = 0.0;
  std::string collapsed_link;  ///< empty: none ever was
};

/// How the base of a robot moves beside the person's pelvis in the robot's size. `_at_s`: when, here and
/// below.
struct BaseFigures {
  /// Speed and acceleration above the person's; negative: slower.
  std::optional<double> base_speed_excess_p99_m_s, base_speed_excess_max_m_s, base_speed_excess_max_at_s;
  std::optional<double> base_acceleration_p99_m_s2;  ///< of the base alone
  std::optional<double> base_acceleration_excess_p99_m_s2, base_acceleration_excess_max_m_s2,
      base_acceleration_excess_max_at_s;
  /// Angle between the base's up direction and the one that it should have.
  std::optional<double> base_tilt_median_deg, base_tilt_p95_deg, base_tilt_max_deg, base_tilt_max_at_s;
  /// Turn about the vertical between the base and the orientation that it should have.
  std::optional<double> base_heading_median_deg, base_heading_p95_deg, base_heading_max_deg,
      base_heading_max_at_s;
};

/// Angle between the direction of a limb from joint to joint and the person's, of the limbs that can follow
/// any direction.
struct LimbFigures {
  std::optional<double> limb_direction_mean_deg, limb_direction_p95_deg, limb_direction_max_deg,
      limb_direction_max_at_s;
  std::string limb_direction_max_limb;  ///< "left thigh"
  /// Longest time without a break in which a limb was over 60 deg off, and when it began.
  std::optional<double> limb_over_60_longest_s, limb_over_60_longest_at_s;
  std::string limb_over_60_longest_limb;
};

/// How deep any part of the body is under the floor, and how long all of it is over it.
struct FloorFigures {
  std::optional<double> body_under_10mm_share;  ///< of the frames, those with a part deeper than 10 mm
  std::optional<double> body_under_max_mm, body_under_max_at_s;
  std::string body_under_max_part;  ///< "left forearm"
  /// Longest time without a break in which no part was nearer to the floor than 50 mm, and when it began.
  std::optional<double> body_floating_longest_s, body_floating_longest_at_s;
};

/// The figures of a motion. Field names are keys of the JSON form and stable; what is not known is absent.
/// Limits and overlaps are over all frames, all else leaves out the first `settle` seconds.
struct RobotFigures {
  std::int64_t frames = 0;

  BaseFigures base;
  LimbFigures limbs;
  FloorFigures floor;

  /// Horizontal speed of the points of the soles that stand, from frame to frame.
  std::optional<double> foot_skate_median_mm_s, foot_skate_p95_mm_s, foot_skate_max_mm_s;
  /// Depth of the lowest corner of a sole under the floor, over the frames and feet where it is there.
  std::optional<double> foot_penetration_mean_mm, foot_penetration_max_mm;
  std::optional<double> foot_penetration_share;  ///< of frames and feet, those under the floor (> 1e-6 m)
  std::optional<double> foot_under_5mm_share;    ///< of frames, those with a sole deeper than 5 mm
  /// Height of the lowest corner of a sole above the floor while it stands; negative: below.
  std::optional<double> foot_float_median_mm, foot_float_max_mm;
  std::optional<double> stance_share;  ///< of frames and feet, those that stand
  /// Of frames and feet, those whose sole is within 20 mm of the floor.
  std::optional<double> foot_near_floor_share;
  /// Of frames, those in which a sole is as near and slower than 1 m/s, the base not low and no foot stands:
  /// soles that nothing judges.
  std::optional<double> foot_unplanted_share;
  std::int64_t unjudged = 0;  ///< facts that the figures leave out

  /// |distance of the hands - the one that they should have|.
  std::optional<double> hand_distance_error_mean_mm, hand_distance_error_max_mm;
  std::optional<double> hand_distance_close_max_mm;  ///< the same where they are meant to touch

  /// Of wrists that are meant to touch the body: |distance from their place on it - the one that they should
  /// have|, over frames and wrists; all together and by line.
  struct Touch {
    std::string name;
    std::int64_t frames = 0;
    double mean_mm = 0.0, max_mm = 0.0;
  };
  std::int64_t hand_body_frames = 0;  ///< frames and wrists that are meant to touch
  std::optional<double> hand_body_error_mean_mm, hand_body_error_max_mm;
  std::vector<Touch> hand_body;  ///< of the lines that are touched at all

  std::optional<double> jerk_rms_rad_s3, jerk_max_rad_s3;  ///< revolute joints, third differences
  /// Revolute joints, second differences; and which joint is fastest to change its speed.
  std::optional<double> joint_acceleration_rms_rad_s2, joint_acceleration_max_rad_s2,
      joint_acceleration_max_at_s;
  std::string joint_acceleration_max_joint;
  std::optional<double> touch_down_acceleration_max_rad_s2;  ///< the same where a foot comes down

  std::int64_t limit_violations = 0;  ///< joints outside their position limits by more than 1e-9, all frames
  double limit_violation_max_rad = 0.0;  ///< revolute joints
  std::int64_t velocity_violations = 0;  ///< joints faster than their limit by more than 1e-9: the velocity
                                         ///< that the state says, or the difference to the frame before
  double velocity_violation_max_rad_s = 0.0;       ///< revolute joints
  std::int64_t row_violations = 0;                 ///< coupled rows broken by more than 1e-9
  double row_violation_max = 0.0;                  ///< in the unit of the row
  std::optional<double> on_limit_share;            ///< of the frames, those with a joint on a limit
  std::vector<double> joint_on_limit_share;        ///< the same of every joint, by State::s
  std::optional<double> joint_on_limit_max_share;  ///< the largest of those joints that move at all
  std::string joint_on_limit_max_joint;
  std::vector<unsigned char> joint_moved;  ///< by State::s, 1: it moved at all; not in the JSON form

  struct Overlap {
    std::string name;         ///< "LeftForeArm - Trunk"
    std::int64_t frames = 0;  ///< in which they overlap
    double max_mm = 0.0;
  };
  std::vector<Overlap> overlaps;        ///< pairs that do, deepest first
  std::int64_t overlap_frames = 0;      ///< frames with at least one
  std::optional<double> overlap_share;  ///< of all frames; absent when no pair is watched
  double overlap_max_mm = 0.0;
  std::optional<double> obstacle_share;  ///< of all frames, those in an obstacle; absent without obstacles
  std::optional<double> obstacle_max_mm;
  std::string obstacle_max_pair;  ///< "bar and head_link"
};

/// Angle between a segment and the link that follows it, over all frames.
struct LimbDirection {
  std::string segment;                                 ///< "RightUpperArm"
  std::optional<double> median_deg, p95_deg, max_deg;  ///< empty: never measured
};

/// By joint the root mean square over frames of its standard deviation: as large as the root mean square of
/// its error, where the tracker's model of its sensors is right.
struct KnownJoints {
  std::vector<std::optional<double>> deviation;  ///< State::s order [rad] or [m]
  std::optional<double> median_deg, max_deg;     ///< of the joints that turn and are measured
  int least_known = -1;                          ///< the joint of `max_deg`
  int unmeasured = 0;                            ///< joints of which no sensor tells
};

/// One figure of a report by its full key, "angle_p99_deg", "status_counts.solved", "fallback_counts[1]".
struct ReportValue {
  std::string key;
  std::optional<double> number;     ///< true and false are texts
  std::optional<std::string> text;  ///< of a text such as state_hash; neither: not known
};

/// All figures by key: for JSON and thresholds.
[[nodiscard]] std::vector<ReportValue> report_values(const FollowingFigures& figures);

/// All single figures by key, in order: for JSON and thresholds. Those of joints and pairs are not among
/// them.
[[nodiscard]] std::vector<ReportValue> report_values(const RobotFigures& figures);

}  // namespace panto
