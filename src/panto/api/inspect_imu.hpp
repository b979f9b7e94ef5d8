#pragma once
// Inspects recordings of raw inertial sensors.

#include <string>
#include <vector>

#include "panto/evaluation/imu_check.hpp"
#include "panto/recording/imu_clip.hpp"

namespace panto {

/// Everything found about a recording of raw sensors.
struct ImuInspection {
  std::string path, format;  ///< name and format of the clip
  std::vector<std::string> sensors;
  std::size_t samples = 0;
  double rate_hz = 0.0;             ///< nominal [Hz]; 0: fewer than two samples
  double duration_s = 0.0;          ///< from the first stamp to the last
  std::vector<ImuFigures> figures;  ///< by sensor
  std::vector<ImuFault> faults;
  std::vector<std::string> notes;  ///< of the reader, for people

  /// Returns whether it can be tracked: it has readings, and no fault makes them unusable.
  [[nodiscard]] bool trackable() const;
};

/// Inspects every sample of a clip: units, dead and frozen sensors, gaps.
/// @throws ConfigError for a clip with inconsistent sizes, or with stamps that do not increase.
[[nodiscard]] ImuInspection inspect(const ImuClip& clip);

}  // namespace panto
