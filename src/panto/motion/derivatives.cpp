#include "panto/motion/derivatives.hpp"

#include "panto/base/index.hpp"
#include "panto/math/so3.hpp"
#include "panto/motion/parts.hpp"

namespace panto {

void set_velocities(const State& before, const State& after, State& state) noexcept {
  const double rate = 1.0 / to_seconds(after.t - before.t);
  state.v_WB = rate * (after.p_WB - before.p_WB);
  state.w_WB = rate * so3::log(after.R_WB * before.R_WB.transpose());
  state.sdot = rate * (after.s - before.s);
}

void derive_velocities(Motion& motion, const std::vector<int>& cuts) {
  std::vector<State>& states = motion.states;
  const std::vector<int> part = detail::parts_between(states.size(), cuts);
  for (std::size_t k = 0; k < states.size(); ++k) {
    const std::size_t a = k > 0 && part[k - 1] == part[k] ? k - 1 : k;
    const std::size_t b = k + 1 < states.size() && part[k + 1] == part[k] ? k + 1 : k;
    State& state = states[k];
    if (a == b) {
      state.v_WB.setZero();
      state.w_WB.setZero();
      state.sdot.setZero();
      continue;
    }
    set_velocities(states[a], states[b], state);
  }
}

}  // namespace panto
