#include "panto/synthesis/played_motion.hpp"

#include "panto/base/error.hpp"
#include "panto/base/text.hpp"
#include "panto/base/time.hpp"

namespace panto {

PlayedMotion::PlayedMotion(const Motion& motion, const Model& model, const std::string& name,
                           std::optional<double> duration) {
  if (motion.states.size() < 2) throw FormatError(name + ": a motion needs at least two rows");
  const Time first = motion.states.front().t;
  const double length = to_seconds(motion.states.back().t - first);
  if (duration.value_or(length) > length)
    throw ConfigError("a duration of " + digits(*duration, 6) + " s, but the motion of '" + name +
                      "' ends after " + digits(length, 6) + " s");
  duration_ = duration.value_or(length);
  law_ = [law = motion_law(motion, model), first](Time t, State& state, StateAcceleration& acceleration) {
    law(t + first, state, acceleration);
  };
}

}  // namespace panto
