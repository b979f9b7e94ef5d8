#include "panto/api/felt_clip.hpp"

#include <utility>

#include "panto/base/error.hpp"
#include "panto/base/text.hpp"
#include "panto/base/time.hpp"
#include "panto/recording/imu_recording.hpp"
#include "panto/synthesis/imu_faults.hpp"
#include "panto/synthesis/imu_signals.hpp"

namespace panto {

ImuClip felt_clip(const MotionLaw& law, double duration, const Model& model, const SensorSetup& setup,
                  const FeltOptions& options) {
  ImuSignalOptions signals;
  signals.duration = duration;
  signals.rate_hz = options.rate_hz;
  signals.surroundings = setup.setup.surroundings;
  signals.magnetometers = setup.has_field;
  signals.seed = options.seed;
  for (const std::string& fault : options.faults) add_imu_fault(fault, signals);
  std::vector<std::string> names;
  for (const ImuMount& mount : setup.setup.mounts) names.push_back(mount.name);
  return imu_clip(options.name, options.rate_hz, std::move(names),
                  imu_signals(model, law, setup.setup.mounts, signals).samples);
}

ImuClip felt_clip(const Motion& motion, const Model& model, const SensorSetup& setup,
                  const FeltOptions& options, const std::string& motion_name) {
  if (motion.states.size() < 2) throw FormatError(motion_name + ": a motion needs at least two rows");
  const Time first = motion.states.front().t;
  const double length = to_seconds(motion.states.back().t - first);
  if (options.duration.value_or(length) > length)
    throw ConfigError("--duration " + digits(*options.duration, 6) + " s, but the motion of '" + motion_name +
                      "' ends after " + digits(length, 6) + " s");
  const MotionLaw law = motion_law(motion, model);
  return felt_clip([&law, first](Time t, State& state,
                                 StateAcceleration& acceleration) { law(t + first, state, acceleration); },
                   options.duration.value_or(length), model, setup, options);
}

}  // namespace panto
