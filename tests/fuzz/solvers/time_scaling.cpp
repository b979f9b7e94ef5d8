// Motions, scaled into the limits of speed and of range: every State fits the model, and no joint is too
// fast.

#include "panto/motion/time_scaling.hpp"

#include <algorithm>
#include <cmath>

#include "panto/motion/range_scaling.hpp"
#include "tests/fuzz/draws.hpp"
#include "tests/support/random_model.hpp"

namespace panto::fuzz {
namespace {

// beyond it velocities between frames overflow: no motion, and refused before
double step(Draws& draws, double usual) { return std::clamp(draws.number(usual), -1e9, 1e9); }

Motion drawn_motion(const Model& model, Draws& draws) {
  Motion motion{model.name(), model.joint_names(), 50.0, {}, {}};
  const auto frames = 2 + static_cast<int>(draws.below(30));
  State state = rest_state(model);
  for (int k = 0; k < frames; ++k) {
    state.t += Time{20'000'000} + static_cast<Time>(draws.below(8) == 0 ? draws.word(4) : 0);
    for (double& position : state.s) position += step(draws, 0.2);
    state.p_WB.x() += step(draws, 0.05);
    state.R_WB = so3::exp(Eigen::Vector3d(0.0, 0.0, step(draws, 1.0)));
    motion.states.push_back(state);
  }
  return motion;
}

void check_scaled(Bytes bytes) {
  Draws draws(bytes);
  const Model model = test::random_model(draws.word(2), {.min_joints = 1, .max_joints = 6});
  TimeScalingOptions options;
  options.law = draws.flag() ? TimeLaw::Optimal : TimeLaw::Uniform;
  options.speed_limit = draws.flag() ? 3.0 : std::abs(draws.number(10.0));
  if (draws.flag()) options.max_acceleration = std::abs(draws.number(100.0));
  const Motion motion = drawn_motion(model, draws);
  const Motion within = scale_range(motion, model).motion;
  for (const State& state : within.states) {
    promise(is_valid(state, model), "a State is one of the model");
    for (int i = 0; i < model.dof(); ++i)
      promise(state.s[i] >= model.lower()[i] - 1e-9 && state.s[i] <= model.upper()[i] + 1e-9,
              "joints keep their limits");
  }
  const TimeScaledMotion scaled = scale_time(within, model, options);
  promise(scaled.from.size() == scaled.motion.states.size(), "a stamp a frame");
  promise(scaled.motion.states.size() <= 1'000'001, "frames are bounded");
  for (const State& state : scaled.motion.states) {
    promise(is_valid(state, model), "a State is one of the model");
    for (int i = 0; i < model.dof(); ++i) {
      const double limit =
          std::isfinite(model.velocity_limit()[i]) ? model.velocity_limit()[i] : options.speed_limit;
      promise(std::abs(state.sdot[i]) <= limit * (1.0 + 1e-6), "joints keep their speeds");
    }
  }
}

Seeds seeds_of_scaled() {
  Seeds seeds;
  test::Random random(3);
  for (int i = 0; i < 5; ++i) {
    std::string seed{static_cast<char>(i), '\0', static_cast<char>(i), '\1', static_cast<char>(i)};
    while (seed.size() < 300) seed += static_cast<char>(1 + test::pick(random, 200));
    seeds.push_back(seed);
  }
  return seeds;
}

const Registered scaled_target("time_scaling", check_scaled, seeds_of_scaled);

}  // namespace
}  // namespace panto::fuzz
