#pragma once
// What a person would say about a result: one sentence, and the few figures that it rests on.

#include <optional>
#include <string>
#include <vector>

namespace panto {

class Model;
struct CalibrateResult;
struct CheckReport;
struct ImitateResult;
struct ImuInspection;
struct Inspection;
struct MapCheck;
struct RetargetResult;
struct SensorTrackResult;
struct TrackResult;
struct WrittenSamples;

/// One figure of a result.
struct Figure {
  std::string name;             ///< "feet slide in stance, 95 %"
  std::optional<double> value;  ///< absent: not known
  std::string unit;
  std::optional<double> limit;  ///< above it the verdict is not Good; absent: there is none
  double rounding = 0.0;        ///< smaller values are rounding, and shown as 0
  std::string detail;           ///< whose it is, "left_ankle_roll_joint"; may be empty
};

/// A result in one sentence.
struct Verdict {
  enum class Grade : unsigned char {
    Good,        ///< nothing is wrong that can be seen
    Care,        ///< usable, but parts of it are not as they should be
    Unreliable,  ///< not to be used before the reason is settled
  };
  Grade grade = Grade::Good;
  std::string sentence;         ///< "Good: ...", "Usable with care: ...", "Unreliable: ..."
  std::vector<Figure> figures;  ///< at most five
};
/// "good", "usable_with_care" or "unreliable": stable, for programs.
[[nodiscard]] const char* to_string(Verdict::Grade grade) noexcept;
/// "Good", "Usable with care" or "Unreliable": how sentences begin.
[[nodiscard]] const char* word_of(Verdict::Grade grade) noexcept;

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

/// Returns the verdict on a recording that was tracked.
[[nodiscard]] Verdict verdict_of(const TrackResult& result);
/// Returns the verdict on a motion of a robot. `model`: the robot.
[[nodiscard]] Verdict verdict_of(const RetargetResult& result, const Model& model);
/// Returns the verdict on gestures of a robot: the worst one's.
[[nodiscard]] Verdict verdict_of(const ImitateResult& result, const Model& model);
/// Returns the verdict on raw sensors that were tracked. `model`: what was tracked.
[[nodiscard]] Verdict verdict_of(const SensorTrackResult& result, const Model& model);
/// Returns the verdict on a calibration.
[[nodiscard]] Verdict verdict_of(const CalibrateResult& result);
/// Returns the verdict on a recording that was inspected.
[[nodiscard]] Verdict verdict_of(const Inspection& inspection);
[[nodiscard]] Verdict verdict_of(const ImuInspection& inspection);
/// Returns the verdict on checks. `name`: of what was checked.
[[nodiscard]] Verdict verdict_of(const CheckReport& report, const std::string& name);
[[nodiscard]] Verdict verdict_of(const MapCheck& check, const std::string& name);
/// Returns the verdict on a recording that was written as it was measured.
[[nodiscard]] Verdict verdict_of(const WrittenSamples& written);

/// Writes the figures of a verdict, one a line, at most 80 columns wide where names are short.
[[nodiscard]] std::string figures_text(const Verdict& verdict);

}  // namespace panto
