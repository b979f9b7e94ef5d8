#pragma once
// Smooth random motions of any model, as wide as wanted.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "panto/base/index.hpp"
#include "panto/motion/motion.hpp"

namespace panto::test {

/// Two sines a joint about the middle of its limits, `beyond` times as wide as they are (2 rad where there
/// are none); mimics follow. `at_rest`: it begins and ends at rest, by a smooth change of pace. `rate` in Hz.
inline Motion random_motion(const Model& model, int frames, double beyond, std::uint64_t seed,
                            bool at_rest = false, double rate = 80.0) {
  std::mt19937_64 engine(seed);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  Motion motion{model.name(), model.joint_names(), rate, {}};
  State state = rest_state(model);
  std::vector<std::array<double, 5>> waves(at(model.dof()));
  for (auto& wave : waves)
    for (double& value : wave) value = uniform(engine);
  const double duration = std::max(1, frames - 1) / rate;
  for (int k = 0; k < frames; ++k) {
    state.t = frame_time(k, rate);
    double t = to_seconds(state.t), pace = 1.0;
    if (at_rest) {
      const double u = t / duration;
      t = duration * u * u * u * (10.0 + u * (6.0 * u - 15.0));
      pace = 30.0 * u * u * (1.0 - u) * (1.0 - u);
    }
    for (int i = 0; i < model.dof(); ++i) {
      const double low = std::max(model.lower()[i], -2.0), high = std::min(model.upper()[i], 2.0);
      const double size = beyond * 0.5 * (high - low);
      const auto& w = waves[at(i)];
      const double slow = 2.0 + w[1], fast = 4.0 + 2.0 * w[3], phase = slow * t + 6.0 * w[2];
      state.s[i] = 0.5 * (low + high) + size * (w[0] * std::sin(phase) + 0.4 * w[4] * std::sin(fast * t));
      state.sdot[i] = pace * size * (w[0] * slow * std::cos(phase) + 0.4 * w[4] * fast * std::cos(fast * t));
    }
    for (const Mimic& mimic : model.spec().mimics) {
      const int joint = model.joint_index(mimic.joint), source = model.joint_index(mimic.source);
      state.s[joint] = mimic.multiplier * state.s[source] + mimic.offset;
      state.sdot[joint] = mimic.multiplier * state.sdot[source];
    }
    motion.states.push_back(state);
  }
  return motion;
}

}  // namespace panto::test
