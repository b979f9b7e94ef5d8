#pragma once
// The limits that verdicts hold results against: docs/command.md. Used inside this room.

namespace panto {

/// Limits of verdicts. Above `care` a result is usable with care, above `unreliable` it is unreliable.
struct VerdictLimit {
  double care, unreliable;
};
namespace verdict_limits {
inline constexpr double kNever = 1e300;
inline constexpr VerdictLimit kAngleP99{5.0, 45.0};         ///< [deg] of a human; 5: as `panto check`
inline constexpr VerdictLimit kAngleMax{45.0, kNever};      ///< [deg] of a human
inline constexpr VerdictLimit kUnsolved{0.0, 0.05};         ///< share of frames
inline constexpr VerdictLimit kStuck{0.0, 0.01};            ///< share of frames
inline constexpr VerdictLimit kLimitBroken{0.0, 5.0};       ///< [deg] of a human
inline constexpr VerdictLimit kBaseExcess{1.0, 3.0};        ///< [m/s] faster than the person
inline constexpr VerdictLimit kBaseSpeed{8.0, 13.0};        ///< [m/s] of sensors; a sprinter reaches 12.4
inline constexpr VerdictLimit kFollowableMean{10.0, 15.0};  ///< [deg] of a robot
inline constexpr VerdictLimit kFollowableP99{45.0, 90.0};   ///< [deg] of a robot
inline constexpr VerdictLimit kCollapsed{0.0, 0.5};         ///< [s] with a link over 90 deg off
inline constexpr VerdictLimit kSkate{100.0, 1000.0};        ///< [mm/s] of feet in stance, 95 %
inline constexpr VerdictLimit kPenetration{20.0, 100.0};    ///< [mm] of soles under the floor
inline constexpr VerdictLimit kOnLimit{25.0, kNever};       ///< [%] of frames with one joint on its limit
inline constexpr VerdictLimit kOverlap{5.0, kNever};        ///< [%] of frames with limbs in each other
inline constexpr VerdictLimit kSensorOff{1.4, kNever};      ///< of what is expected, as `disagrees`
inline constexpr VerdictLimit kJointSigma{15.0, 45.0};      ///< [deg] of the least known joint
inline constexpr double kTooWide = 0.5;   ///< readings of all sensors fit better: settings are too wide
inline constexpr double kMissing = 0.05;  ///< share of samples that a sensor may lack
inline constexpr double kResidual = 0.1;  ///< [rad] of a calibration, as CalibrationOptions::residual
}  // namespace verdict_limits

}  // namespace panto
