#pragma once
// What sensors feel along a smooth motion, and a filter of two of them.

#include <algorithm>
#include <cmath>
#include <vector>

#include "panto/inertial/chain_ekf.hpp"
#include "panto/model/human.hpp"
#include "tests/support/random_chain.hpp"

namespace panto::test {

// the shifts of a floating base are tethered; everything else is a joint's
inline std::vector<ChainProcess> processes(const ChainLayout& layout) {
  std::vector<ChainProcess> result(static_cast<std::size_t>(layout.unknowns()), ChainProcess{});
  if (layout.model().floating_base()) {
    std::fill_n(result.begin(), 3, ChainProcess{ChainProcess::Kind::Tethered, 6.0, 0.25});
  }
  return result;
}

// what the model's sensors feel along a smooth motion, with noise
inline ImuSample felt(ImuModel& imus, const State& start, double t, Random& random) {
  State state = start;
  StateAcceleration acceleration;
  acceleration.sddot = Eigen::VectorXd::Zero(start.s.size());
  for (int i = 0; i < start.s.size(); ++i) {
    const double w = 2.0 + 0.05 * i;
    state.s[i] = start.s[i] + 0.3 * std::sin(w * t);
    state.sdot[i] = 0.3 * w * std::cos(w * t);
    acceleration.sddot[i] = -0.3 * w * w * std::sin(w * t);
  }
  state.w_WB = state.v_WB = Eigen::Vector3d::Zero();
  imus.update(imus.layout().motion(state, acceleration));
  ImuSample sample;
  sample.t = from_seconds(t);
  for (int k = 0; k < static_cast<int>(imus.imus().size()); ++k) {
    const auto& y = imus.imu(k).y;
    sample.imus.push_back({y.head<3>() + random_vector(random, 0.01),
                           y.segment<3>(3) + random_vector(random, 0.1),
                           y.tail<3>() + random_vector(random, 0.02), true, true, true});
  }
  return sample;
}

// two sensors on a human, and a filter of their readings
struct FeltArm {
  Model model = human66();
  ChainLayout layout{model};
  ImuModel imus{layout, {{"hand", "RightHand"}, {"head", "Head"}}};
  ChainEkf ekf{imus, processes(layout)};
  State start = rest_state(model);
  Random random{7};
  ChainState state = ekf.start(start);
};

inline bool same(const ChainState& a, const ChainState& b) {
  return a.t == b.t && a.motion.q == b.motion.q && a.motion.qdot == b.motion.qdot && a.bias == b.bias &&
         a.P == b.P;
}

}  // namespace panto::test
