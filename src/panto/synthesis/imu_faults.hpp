#pragma once
// Typical faults of a good wireless suit's sensors, by name and with usual size, to be enabled one by one.
// docs/algorithms/imu_signals.md

#include <string_view>
#include <vector>

#include "panto/synthesis/imu_signals.hpp"

namespace panto {

/// A fault that `add_imu_fault` knows.
struct ImuFaultName {
  std::string_view name;
  std::string_view description;  ///< one line, for people
};

/// Returns noise, low_pass, gyro_bias, gyro_drift, acc_bias, scale, g_sensitivity, counts, mounting, places,
/// swing, flesh, mag_offset, loss, bursts, clock.
[[nodiscard]] const std::vector<ImuFaultName>& imu_fault_names();

/// Adds one fault to `options`; errors of magnetometers are relative to the field of `options.surroundings`.
/// `all`: every fault. @throws ConfigError for an unknown name, listing the valid ones.
void add_imu_fault(std::string_view name, ImuSignalOptions& options);

}  // namespace panto
