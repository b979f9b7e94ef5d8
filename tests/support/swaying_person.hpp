#pragma once
// A person who sways in every joint, each by itself, with ideal sensors, and the setup that somebody believes
// in. Synthetic.

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "panto/math/so3.hpp"
#include "panto/model/human.hpp"
#include "panto/tracking/inertial_tracker.hpp"
#include "panto/tracking/smoothed_inertial_tracker.hpp"

namespace panto::test {

struct SwayingPerson {
  static constexpr double kRate = 100.0;  // [Hz]
  Model model = human48();
  std::vector<std::string> sensors;
  std::vector<ImuSample> samples;
  InertialSetup setup;

  static std::vector<ImuMount> legs() {
    return {{"pelvis", "Pelvis", so3::about_axis(2, 0.3), {0.0, 0.0, 0.1}},
            {"thigh", "RightUpperLeg", so3::about_axis(0, -0.5), {0.05, 0.0, -0.2}},
            {"shank", "RightLowerLeg", so3::about_axis(1, 1.0), {0.0, 0.0, -0.2}},
            {"left thigh", "LeftUpperLeg", so3::about_axis(2, -0.8), {0.05, 0.0, -0.2}},
            {"left shank", "LeftLowerLeg", so3::about_axis(0, 0.7), {0.0, 0.0, -0.2}}};
  }
  static std::vector<ImuMount> arm() {
    const Eigen::Matrix3d straight = Eigen::Matrix3d::Identity();
    return {{"pelvis", "Pelvis", straight, {-0.1, 0.0, 0.04}},
            {"breastbone", "T8", straight, {0.1, 0.0, 0.08}},
            {"upper arm", "RightUpperArm", straight, {0.0, -0.15, 0.045}},
            {"forearm", "RightForeArm", straight, {0.0, -0.2, 0.03}},
            {"hand", "RightHand", straight, {0.0, -0.05, 0.02}}};
  }

  /// `moves`: which joints do.
  explicit SwayingPerson(
      std::vector<ImuMount> mounts = legs(), double seconds = 3.0,
      const std::function<bool(const std::string&)>& moves = [](const std::string&) { return true; }) {
    setup.mounts = std::move(mounts);
    setup.filter.magnetic = MagneticUse::Vector;
    setup.filter.field_settles = 0.0;
    setup.filter.mounting = setup.filter.wobble = 0.0;
    for (const ImuMount& mount : setup.mounts) sensors.push_back(mount.name);
    const ChainLayout layout(model);
    ImuModel truth(layout, setup.mounts, {}, setup.surroundings);
    State state = rest_state(model);
    for (int k = 0; k < static_cast<int>(seconds * kRate); ++k) {
      const StateAcceleration acceleration = sway(k / kRate, moves, state);
      state.t = frame_time(k, kRate);
      truth.update(layout.motion(state, acceleration));
      ImuSample& sample = samples.emplace_back();
      sample.t = state.t;
      for (std::size_t m = 0; m < sensors.size(); ++m) {
        // no sensor repeats itself to the bit; one that does is not believed
        const Eigen::Matrix<double, 9, 1> y =
            truth.imu(static_cast<int>(m)).y.array() + (k % 2 == 0 ? 1e-9 : -1e-9);
        sample.imus.push_back({y.head<3>(), y.segment<3>(3), y.tail<3>(), true, true, true});
      }
    }
  }

  /// Every joint inside its limits.
  [[nodiscard]] StateAcceleration sway(double t, const std::function<bool(const std::string&)>& moves,
                                       State& state) const {
    StateAcceleration acceleration;
    acceleration.sddot = Eigen::VectorXd::Zero(model.dof());
    for (int i = 0; i < model.dof(); ++i) {
      if (!moves(model.joint_names()[static_cast<std::size_t>(i)])) continue;
      const double w = 2.0 + 0.1 * i, up = model.upper()[i],
                   size = 0.4 * (up > 0.1 ? std::min(up, 1.0) : model.lower()[i]);
      state.s[i] = size * (1.0 - std::cos(w * t));
      state.sdot[i] = size * w * std::sin(w * t);
      acceleration.sddot[i] = size * w * w * std::cos(w * t);
    }
    return acceleration;
  }

  [[nodiscard]] RecordedImuSamples recording() const {
    return {samples.size(), [this](std::size_t index, ImuSample& sample) { sample = samples[index]; }};
  }
};

}  // namespace panto::test
