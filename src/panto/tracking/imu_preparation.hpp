#pragma once
// Prepares a clip of raw sensors and its setup before tracking.

#include <string>
#include <vector>

#include "panto/evaluation/imu_check.hpp"
#include "panto/inertial/sensor_setup.hpp"
#include "panto/model/human.hpp"
#include "panto/recording/imu_recording.hpp"

namespace panto {

/// Checks that a clip has a reading of every sensor for every sample, and that times increase. @throws
/// ConfigError naming what does not fit.
void check_clip(const ImuClip& clip);

/// Checks the recording of the sensors in `mounts`: returns figures by sensor and adds `notes`. Masks the
/// readings of dead or frozen sensors. Reads from the beginning and rewinds. @throws FormatError for
/// impossible units.
[[nodiscard]] std::vector<ImuFigures> check_imu_recording(ImuRecording& recording,
                                                          const std::vector<ImuMount>& mounts,
                                                          std::vector<std::string>& notes);

/// Replaces each sensor's readings by `steadied` ones: removes trembling faster than `window` [s]. @throws
/// ConfigError for a window that is not > 0.
void remove_trembling(ImuClip& clip, double window);

/// When a sensor of a clip measured [s], by the clip's stamps. None if it never did: `from_s` > `to_s`.
struct Presence {
  double from_s = 1.0, to_s = 0.0;
  double gap_s = 0.0, gap_from_s = 0.0;  ///< the longest time between two readings, and its beginning
};
[[nodiscard]] Presence presence_of(const ImuClip& clip, int sensor);

/// Adds notes about mounted sensors that begin late, end early or have gaps, and about gaps of all.
void note_absences(const ImuClip& clip, const std::vector<ImuMount>& mounts, std::vector<std::string>& notes);

/// Tells whether a model has a link for every segment of a human.
[[nodiscard]] bool is_human(const Model& model);

/// Prior deviation of sensors' positions and of lengths where the file gives none [m].
inline constexpr double kUnsure = 0.02;

/// Lets the filter estimate where sensors sit on their segments, if the file does not say what to refine.
/// Places on a person are rarely measured, and a wrong place turns thighs and shanks about their length.
/// Applies to a human with a free base and estimated mountings only.
void learn_places(const Model& model, SensorSetup& sensors);

/// Adds heels and balls of a human's feet with sensors as contact points (`contacts = "soles"`), and sets the
/// initial height of the base for a human of `subject`'s size if `setup` does not: in the start pose, the
/// lowest contact point is on the floor. @throws ConfigError for a model without human feet, or feet without
/// sensors.
void stand_on_soles(const Model& model, const SubjectDimensions& subject, InertialSetup& setup);

}  // namespace panto
