#pragma once
// The limits that verdicts and the default thresholds of checks hold results against: docs/command.md.

#include <array>
#include <string_view>

namespace panto {

/// Above `care` a result is usable with care, above `unreliable` it is not usable.
struct VerdictLimit {
  double care, unreliable;
};
/// A limit of a figure of robots, by its key in reports.
struct FigureLimit : VerdictLimit {
  std::string_view key;
};

namespace verdict_limits {
inline constexpr double kNever = 1e300;
inline constexpr VerdictLimit kAngleP99{5.0, 45.0};     ///< [deg] of a human; 5: as `panto check`
inline constexpr VerdictLimit kAngleMax{45.0, kNever};  ///< [deg] of a human
inline constexpr VerdictLimit kUnsolved{0.0, 0.05};     ///< share of frames
inline constexpr VerdictLimit kStuck{0.0, 0.01};        ///< share of frames
inline constexpr VerdictLimit kLimitBroken{0.0, 5.0};   ///< [deg] of a human
inline constexpr VerdictLimit kBaseExcess{1.0, 3.0};    ///< [m/s] faster than the person
inline constexpr VerdictLimit kBaseSpeed{8.0, 13.0};    ///< [m/s] of sensors; a sprinter reaches 12.4
// [m/s^2] of sensors. A pelvis that lands from a jump: 10 g. 50 g: a jump of 5 cm in a frame of 100 Hz.
inline constexpr VerdictLimit kBaseAcceleration{100.0, 500.0};
inline constexpr VerdictLimit kSensorOff{1.4, kNever};  ///< of what is expected, as `disagrees`
inline constexpr VerdictLimit kJointSigma{15.0, 45.0};  ///< [deg] of the least known joint
inline constexpr double kTooWide = 0.5;   ///< readings of all sensors fit better: settings are too wide
inline constexpr double kMissing = 0.05;  ///< share of samples that a sensor may lack
inline constexpr double kResidual = 0.1;  ///< [rad] of a calibration, as CalibrationOptions::residual

// Of robots. "Published" are a dance and a get-up on the G1 as its maker publishes them, and the best open
// retargeter on the same and on clips of the CMU: what people train robots with today.

// Published: 5 to 9 deg mean of the limbs. Twice that shows in every picture.
inline constexpr FigureLimit kFollowableMean{{10.0, 15.0}, "followable_mean_deg"};
// Half a right angle: another posture. A right angle: another motion.
inline constexpr FigureLimit kFollowableP99{{45.0, 90.0}, "followable_p99_deg"};
inline constexpr FigureLimit kCollapsed{{0.0, 0.5}, "collapsed_longest_s"};
// From 60 deg on a limb points elsewhere. People notice 0.25 s; 0.5 s is a gesture of its own.
inline constexpr FigureLimit kLimbLost{{0.25, 0.5}, "limb_over_60_longest_s"};
// Published: none over 1 m/s. No pelvis of a person moves 3 m/s faster than its own: walking and running
// speed.
inline constexpr FigureLimit kBaseFaster{{1.0, 3.0}, "base_speed_excess_max_m_s"};
// Published: 10 to 21 on a dance, most of it the person's own. 2 g more than the person's is a jolt, 10 g a
// jump from frame to frame.
inline constexpr FigureLimit kBaseJolt{{20.0, 100.0}, "base_acceleration_excess_p99_m_s2"};
// The trunk's lean is what balance depends on: within 10 deg in the median.
inline constexpr FigureLimit kTiltMedian{{10.0, 25.0}, "base_tilt_median_deg"};
inline constexpr FigureLimit kTiltMost{{25.0, 60.0}, "base_tilt_p95_deg"};
// Which way the robot faces: people see a body that is turned by 25 deg; at 60 deg it walks sideways.
inline constexpr FigureLimit kHeadingMedian{{25.0, 60.0}, "base_heading_median_deg"};
inline constexpr FigureLimit kHeadingMost{{45.0, 90.0}, "base_heading_p95_deg"};
// Legs carry the body in half of the frames, and yet no foot is found standing.
inline constexpr FigureLimit kUnplanted{{0.5, kNever}, "foot_unplanted_share"};
inline constexpr FigureLimit kUnjudged{{0.0, kNever}, "unjudged"};
// Published: 200 to 230. A foot that slides 100 mm/s moves 5 cm in a step's stance; 1 m/s is a step.
inline constexpr FigureLimit kSkate{{100.0, 1000.0}, "foot_skate_p95_mm_s"};
// A sole's thickness; an ankle's height.
inline constexpr FigureLimit kPenetration{{20.0, 100.0}, "foot_penetration_max_mm"};
// As high over the floor as it may be under it. Feet in stance that float as high as an ankle do not stand.
inline constexpr FigureLimit kFloat{{20.0, 100.0}, "foot_float_median_mm"};
// Published: 5 % on a dance, 33 % on a get-up.
inline constexpr FigureLimit kBodyUnder{{0.05, kNever}, "body_under_10mm_share"};
// Half of an arm is gone; a trunk lies in the ground.
inline constexpr FigureLimit kBodyDeepest{{50.0, 200.0}, "body_under_max_mm"};
// The longest flights of people last 0.9 s: a jump of 1 m.
inline constexpr FigureLimit kBodyFloats{{1.0, kNever}, "body_floating_longest_s"};
// Published: up to 133.
inline constexpr FigureLimit kJointJolt{{150.0, kNever}, "joint_acceleration_rms_rad_s2"};
inline constexpr FigureLimit kOnLimit{{0.25, kNever}, "joint_on_limit_max_share"};
inline constexpr FigureLimit kOverlap{{0.05, kNever}, "overlap_share"};
// What a user calls an obstacle is there: a graze in one of a hundred frames is what smoothing leaves.
inline constexpr FigureLimit kInObstacle{{0.01, kNever}, "obstacle_share"};

inline constexpr std::array kRobotLimits{
    kFollowableMean, kFollowableP99, kCollapsed,     kLimbLost,    kBaseFaster,  kBaseJolt,
    kTiltMedian,     kTiltMost,      kHeadingMedian, kHeadingMost, kUnplanted,   kUnjudged,
    kSkate,          kPenetration,   kFloat,         kBodyUnder,   kBodyDeepest, kBodyFloats,
    kJointJolt,      kOnLimit,       kOverlap,       kInObstacle};
}  // namespace verdict_limits

}  // namespace panto
