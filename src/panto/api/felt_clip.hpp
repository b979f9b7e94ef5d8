#pragma once
// What inertial sensors on a body would measure while it moves. (not installed)

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "panto/inertial/sensor_setup.hpp"
#include "panto/motion/motion.hpp"
#include "panto/recording/recording.hpp"
#include "panto/synthesis/motion_law.hpp"

namespace panto {

/// How sensors feel.
struct FeltOptions {
  std::string name;                               ///< of the clip, for messages
  double rate_hz = 60.0;                          ///< > 0
  std::optional<double> duration = std::nullopt;  ///< [s]; unset: the whole motion
  std::uint64_t seed = 1;                         ///< of noise and faults
  std::vector<std::string> faults = {};           ///< names of `imu_fault_names`
};

/// Returns what the sensors of `setup` measure while a model moves by `law` for `duration` [s]; magnetometers
/// where the setup has a field. @throws ConfigError for an unknown fault; ModelError for a link that the
/// model lacks.
[[nodiscard]] ImuClip felt_clip(const MotionLaw& law, double duration, const Model& model,
                                const SensorSetup& setup, const FeltOptions& options);
/// The same along curves through the States of a motion. `motion_name`: for messages. @throws FormatError for
/// fewer than two States; ConfigError for a duration beyond their end.
[[nodiscard]] ImuClip felt_clip(const Motion& motion, const Model& model, const SensorSetup& setup,
                                const FeltOptions& options, const std::string& motion_name);

}  // namespace panto
