#pragma once
// What `panto inspect` tells of raw inertial sensors.

#include <string>
#include <vector>

#include "panto/evaluation/imu_check.hpp"
#include "panto/io/open_imu.hpp"

namespace panto {

/// All that is found out about a recording of raw sensors.
struct ImuInspection {
  std::string path, format;
  std::vector<std::string> sensors;
  std::size_t samples = 0;
  double rate_hz = 0.0, duration_s = 0.0;
  std::vector<ImuFigures> figures;  ///< by sensor
  std::vector<ImuFault> faults;
  std::vector<std::string> notes;

  /// Nothing forbids to track it.
  [[nodiscard]] bool trackable() const;
};

/// Reads a recording to its end. @throws FormatError when it cannot be read.
[[nodiscard]] ImuInspection inspect_imu(const std::string& path);

}  // namespace panto
