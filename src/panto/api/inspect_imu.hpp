#pragma once
// Inspects recordings of raw inertial sensors.

#include <string>
#include <vector>

#include "panto/evaluation/imu_check.hpp"
#include "panto/recording/imu_clip.hpp"

namespace panto {

/// All that is found out about a recording of raw sensors.
struct ImuInspection {
  std::string path, format;  ///< name and format of the clip
  std::vector<std::string> sensors;
  std::size_t samples = 0;
  double rate_hz = 0.0;             ///< nominal [Hz]; 0: fewer than two samples
  double duration_s = 0.0;          ///< from the first stamp to the last
  std::vector<ImuFigures> figures;  ///< by sensor
  std::vector<ImuFault> faults;
  std::vector<std::string> notes;  ///< of the reader, for people

  /// Returns whether nothing forbids to track it.
  [[nodiscard]] bool trackable() const;
};

/// Inspects every sample of a clip: units, dead and frozen sensors, gaps.
/// @throws ConfigError for a clip whose sizes do not fit, or whose stamps do not increase.
[[nodiscard]] ImuInspection inspect(const ImuClip& clip);

}  // namespace panto
