#pragma once
// What is done to a clip of raw sensors, and to what is known of them, before anything is tracked.

#include <string>
#include <vector>

#include "panto/evaluation/imu_check.hpp"
#include "panto/inertial/sensor_setup.hpp"
#include "panto/model/human.hpp"
#include "panto/recording/imu_recording.hpp"

namespace panto {

/// Checks that a clip has a reading of every sensor for every sample, and stamps that increase.
/// @throws ConfigError naming what does not fit.
void check_clip(const ImuClip& clip);

/// Checks a recording for those who use the sensors of `mounts`: figures by sensor, and `notes`. What dead or
/// frozen sensors say is masked. Reads it from its beginning, and leaves it there.
/// @throws FormatError for units that cannot be right.
[[nodiscard]] std::vector<ImuFigures> check_imu_recording(ImuRecording& recording,
                                                          const std::vector<ImuMount>& mounts,
                                                          std::vector<std::string>& notes);

/// Replaces the readings of each sensor by `steadied` ones: trembling faster than `window` [s] is taken out.
/// @throws ConfigError for a window that is not > 0.
void remove_trembling(ImuClip& clip, double window);

/// Adds heels and balls of a human's feet that carry sensors as points of contact (`contacts = "soles"`), and
/// how high the base of a human of `subject`'s size begins, where `setup` does not say it: in the start's
/// pose the lowest of them is on the floor. @throws ConfigError for a model without human feet, or feet
/// without sensors.
void stand_on_soles(const Model& model, const SubjectDimensions& subject, InertialSetup& setup);

}  // namespace panto
