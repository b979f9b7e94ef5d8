#pragma once
// Raw sensors in memory, spoilt on purpose to see what a filter makes of them.

#include <string>

#include "panto/recording/recording.hpp"

namespace panto {

/// What is changed in the middle third of a recording of raw sensors.
struct SensorEdits {
  std::string lost = {};    ///< sensor that measures nothing; empty: none
  std::string magnet = {};  ///< sensor that carries a magnet; empty: none
  double strength = 2.0;    ///< of the magnet, in median strengths of the sensor's own field, 0 to 100

  [[nodiscard]] bool operator==(const SensorEdits&) const = default;
};

/// Returns the recording with these changes. A magnet adds a field that stays along the sensor's x axis.
/// @throws ConfigError for a sensor that the recording lacks, a magnet at one without a magnetometer, and a
/// strength out of range.
[[nodiscard]] ImuClip edited(ImuClip clip, const SensorEdits& edits);

}  // namespace panto
