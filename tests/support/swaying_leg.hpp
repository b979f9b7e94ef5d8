#pragma once
// Sensors on a leg of a person who sways.

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "panto/math/so3.hpp"
#include "panto/model/human.hpp"
#include "panto/tracking/inertial_tracker.hpp"

namespace panto::test {

inline constexpr double kLegStep = 0.01;  // [s]

/// A person who sways in every joint, and what ideal sensors on the right leg feel. Synthetic.
struct Leg {
  Model model = human66();
  ChainLayout layout{model};
  InertialSetup setup;
  std::vector<std::string> sensors{"nobody's", "shank", "pelvis", "thigh"};
  ImuModel truth;
  State state = rest_state(model);  ///< true

  Leg() : setup(make_setup()), truth(layout, setup.mounts, {}, setup.surroundings) {}

  static InertialSetup make_setup() {
    InertialSetup setup;
    setup.mounts = {{"pelvis", "Pelvis", so3::about_axis(2, 0.3), {0.0, 0.0, 0.1}},
                    {"thigh", "RightUpperLeg", so3::about_axis(0, -0.5), {0.05, 0.0, -0.2}},
                    {"shank", "RightLowerLeg", so3::about_axis(1, 1.0), {0.0, 0.0, -0.2}}};
    setup.filter.magnetic = MagneticUse::Vector;
    setup.filter.field_settles = 0.0;
    setup.filter.mounting = setup.filter.wobble = 0.0;
    return setup;
  }

  /// The sample at step k; `state` is then the truth.
  ImuSample at(int k) {
    const double t = kLegStep * k;
    StateAcceleration acceleration;
    acceleration.sddot = Eigen::VectorXd::Zero(model.dof());
    state.t = frame_time(k, 1.0 / kLegStep);
    for (int i = 0; i < model.dof(); ++i) {
      const double w = 2.0 + 0.02 * i, size = 0.3;
      state.s[i] = size * (1.0 - std::cos(w * t));
      state.sdot[i] = size * w * std::sin(w * t);
      acceleration.sddot[i] = size * w * w * std::cos(w * t);
    }
    truth.update(layout.motion(state, acceleration));
    ImuSample sample{state.t, std::vector<ImuReading>(sensors.size())};
    const std::array<std::size_t, 3> place{2, 3, 1};
    for (int m = 0; m < 3; ++m) {
      // no sensor repeats itself to the bit; one that does is not believed
      const Eigen::Matrix<double, 9, 1> y = truth.imu(m).y.array() + (k % 2 == 0 ? 1e-9 : -1e-9);
      sample.imus[place[static_cast<std::size_t>(m)]] = {
          y.head<3>(), y.segment<3>(3), y.tail<3>(), true, true, true};
    }
    return sample;
  }
};

/// Largest error of the leg's joints [rad]
inline double leg_error(const Leg& leg, const State& state) {
  double worst = 0.0;
  for (const char* joint : {"jRightHip_rotx", "jRightHip_roty", "jRightHip_rotz", "jRightKnee_rotx",
                            "jRightKnee_roty", "jRightKnee_rotz"}) {
    const int i = leg.model.joint_index(joint);
    worst = std::max(worst, std::abs(state.s[i] - leg.state.s[i]));
  }
  return worst;
}

}  // namespace panto::test
