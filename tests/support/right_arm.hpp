#pragma once
// The right arm of models/chains with five sensors: how it moves, what it is told, how well it is followed.

#include <array>
#include <cmath>
#include <functional>
#include <numbers>
#include <string>
#include <vector>

#include "panto/inertial/chain_ekf.hpp"
#include "panto/io/chain_file.hpp"
#include "panto/model/kinematics.hpp"
#include "panto/synthesis/imu_faults.hpp"
#include "panto/synthesis/imu_signals.hpp"
#include "panto/synthesis/random_numbers.hpp"
#include "panto/synthesis/synthesis.hpp"
#include "tests/support/random_model.hpp"

namespace panto::test {

inline constexpr double kDegree = std::numbers::pi / 180.0;

inline DhTree right_arm_tree(const std::string& folder) {
  return io::read_dh_chain(folder + "/right_arm.toml");
}

/// Sternum, shoulder, upper arm, forearm, hand; each somewhere on its segment, turned anyhow.
inline std::vector<ImuMount> right_arm_mounts() {
  return {{"sternum", "thorax", so3::exp({0.2, 1.4, 0.3}), {0.10, -0.05, -0.12}},
          {"shoulder", "clavicle", so3::exp({1.5, 0.2, -0.4}), {-0.05, 0.03, 0.04}},
          {"upper_arm", "upper_arm", so3::exp({-0.6, 0.5, 1.2}), {0.04, 0.12, 0.02}},
          {"forearm", "forearm", so3::exp({0.9, -1.1, 0.2}), {0.02, 0.08, 0.03}},
          {"hand", "hand", so3::exp({-0.3, 0.2, -1.6}), {-0.03, 0.02, 0.02}}};
}

/// Centre and reach of every joint at a whiteboard [deg], in the file's order.
inline constexpr std::array<std::array<double, 2>, 12> kWork{{{0, 8},
                                                              {10, 8},
                                                              {0, 12},
                                                              {0, 10},
                                                              {-5, 8},
                                                              {-25, 20},
                                                              {45, 25},
                                                              {0, 25},
                                                              {70, 35},
                                                              {0, 40},
                                                              {0, 25},
                                                              {-5, 12}}};

/// Work at a whiteboard: every joint three sinusoids of 0.15 to 0.8 Hz, times `tempo`. The model must outlive
/// it.
inline Synthesis arm_at_work(const Model& arm, std::uint64_t seed, double tempo = 1.0) {
  Random random(seed);
  std::vector<Curve> joints;
  for (const auto& [centre, reach] : kWork) {
    Curve curve(centre * kDegree);
    for (int i = 0; i < 3; ++i) {
      const double omega = 2.0 * std::numbers::pi * tempo * uniform(random, 0.15, 0.8);
      const double phase = uniform(random, 0.0, 2.0 * std::numbers::pi), a = reach * kDegree / 3.0;
      curve.add({omega, a * std::cos(phase), a * std::sin(phase)});
    }
    joints.push_back(curve);
  }
  return Synthesis("whiteboard", arm, std::move(joints), {}, 0.0);
}

/// Errors of joint angles from `settle` on.
struct ArmErrors {
  double rmse_deg = 0.0;         ///< over all joints and samples
  double worst_joint_deg = 0.0;  ///< root mean square of the worst joint
  double max_deg = 0.0;
  double tip_m = 0.0;     ///< root mean square of the pen's tip
  double last_deg = 0.0;  ///< root mean square over joints in the last second
  int refused = 0;        ///< samples that came late
  int failed = 0;         ///< samples that gave no number
};

/// One fault, or several: of signals, of what is thought of the body, of how the base stands.
struct ArmFault {
  std::string name;
  std::function<void(ImuSignalOptions&)> signals = [](ImuSignalOptions&) {};
  double lengths = 0.0;  ///< of the true body against the model, standard deviation as part
  double sway = 0.0;     ///< of the pelvis, amplitude at 0.4 Hz [m]
  std::function<void(ChainEkfOptions&)> told = [](ChainEkfOptions&) {};  ///< what a data sheet says of it
};

/// Sensors of a good wireless suit, without other faults.
inline ImuSignalOptions suit_signals(std::uint64_t seed, double duration) {
  ImuSignalOptions o;
  o.duration = duration;
  o.seed = seed;
  add_imu_fault("noise", o);
  return o;
}

inline DhTree with_other_lengths(DhTree tree, double part, std::uint64_t seed) {
  Random random(seed + 77);
  for (DhLink& link : tree.links) {
    link.d *= 1.0 + part * normal(random);
    link.a *= 1.0 + part * normal(random);
  }
  return tree;
}

/// Every kind of fault by itself.
inline std::vector<ArmFault> arm_faults() {
  using O = ImuSignalOptions;
  const double g = 9.80665;
  const auto named = [](const char* name) { return [name](O& o) { add_imu_fault(name, o); }; };
  return {
      {"none"},
      {"low-pass of 45 Hz (lag of 5 ms)", named("low_pass")},
      {"gyroscope 4 times as noisy", [](O& o) { o.gyro.noise_density *= 4.0; }},
      {"accelerometer 4 times as noisy", [](O& o) { o.acc.noise_density *= 4.0; }},
      {"gyroscope's bias at start, 0.2 deg/s", named("gyro_bias")},
      {"gyroscope's bias instability, 10 deg/h", named("gyro_drift")},
      {"accelerometer's bias, 5 mg", named("acc_bias")},
      {"scale and axes, 1 %", named("scale")},
      {"gyroscope feels acceleration, 0.1 deg/s/g", named("g_sensitivity")},
      {"saturation at 100 deg/s and 1.1 g",
       [g](O& o) { o.gyro.range = 100.0 * kDegree, o.acc.range = 1.1 * g; }, 0.0, 0.0,
       [g](ChainEkfOptions& o) { o.gyro_range = 100.0 * kDegree, o.acc_range = 1.1 * g; }},
      {"counts of 10 bits",
       [g](O& o) { o.gyro.count = 4000.0 * kDegree / 1024.0, o.acc.count = 32.0 * g / 1024.0; }},
      {"mounting, 3 deg", named("mounting")},
      {"sensors' places, 1.5 cm", named("places")},
      {"lengths, 2 %", [](O&) {}, 0.02},
      {"flesh that swings at 8 Hz", named("swing")},
      {"flesh that turns, 4 deg over 90", named("flesh")},
      {"magnetometer's offset, 5 %", named("mag_offset")},
      {"magnet 0.5 m from the hand",
       [](O& o) {
         o.dipoles = {{{0.7, -0.6, 0.5}, {0.02, 0.0, 0.02}}};
       }},
      {"steel at the hand for 5 s",
       [](O& o) {
         o.steel = {{"hand", 5.0, 10.0, {0.3, 0.3, 0.0}}};
       }},
      {"1 % of readings lost", named("loss")},
      {"bursts of 5 to 30 lost at the forearm",
       [](O& o) { o.packets.burst = 0.01, o.packets.burst_sensor = "forearm"; }},
      {"arrival up to 20 ms late", [](O& o) { o.packets.delay = 0.02; }},
      {"clock fast by 20 ppm", named("clock")},
      {"pelvis sways by 1.5 cm", [](O&) {}, 0.0, 0.015},
  };
}

/// What the filter is told about the suit above: one setting for all faults.
inline ChainEkfOptions suit_options() {
  ChainEkfOptions o;
  o.gyro = 0.0025;
  o.acc = 0.05;
  o.mag = 0.02;
  o.field_norm = 0.06, o.field_dip = 0.1;  // calibrated magnetometers
  o.start = {0.087, 1.0, 10.0};            // it starts in motion
  return o;
}

/// A fixed base that sways is felt by sensors alone; the model knows nothing of it.
inline MotionLaw swaying(MotionLaw law, double amplitude) {
  return [law = std::move(law), amplitude](Time t, State& state, StateAcceleration& acceleration) {
    law(t, state, acceleration);
    const double w = 2.0 * std::numbers::pi * 0.4, phase = w * to_seconds(t);
    state.p_WB.y() += amplitude * std::sin(phase);
    state.v_WB.y() += amplitude * w * std::cos(phase);
    acceleration.a_WB.y() -= amplitude * w * w * std::sin(phase);
  };
}

/// Follows the arm at work under one fault.
inline ArmErrors follow_arm(const DhTree& tree, const ArmFault& fault, ChainEkfOptions options,
                            std::uint64_t seed, double duration = 20.0, double settle = 1.0) {
  fault.told(options);
  const Model arm = dh_model(tree), body = dh_model(with_other_lengths(tree, fault.lengths, seed));
  const Synthesis truth = arm_at_work(body, seed);
  ImuSignalOptions suit = suit_signals(seed, duration);
  fault.signals(suit);
  const ImuSignals signals =
      imu_signals(body, swaying(motion_law(truth), fault.sway), right_arm_mounts(), suit);
  const ChainLayout layout(arm);
  ChainEkf ekf(ImuModel(layout, right_arm_mounts()),
               std::vector<ChainProcess>(at(layout.unknowns()), ChainProcess{}), options);
  State first = truth.state(0);
  first.sdot.setZero();
  ChainState state = ekf.start(first);
  state.t = -10'000'000;
  State estimate = first;
  Kinematics ours(arm), theirs(body);
  const int pen = arm.link_index("pen");
  ArmErrors errors;
  Eigen::VectorXd squares = Eigen::VectorXd::Zero(arm.dof());
  double tip = 0.0, last = 0.0;
  int count = 0, last_count = 0;
  for (const ImuSample& sample : signals.samples) {
    const StepStatus status = ekf.step(sample, state);
    if (status == StepStatus::TimeNotAdvancing) ++errors.refused;
    if (status == StepStatus::NumericalFailure) ++errors.failed;
    if (status != StepStatus::Solved) continue;
    ekf.read(state, estimate);
    const State now = truth.state(sample.t);
    const Eigen::VectorXd off = (estimate.s - now.s) / kDegree;
    const double seconds = to_seconds(sample.t);
    if (seconds < settle) continue;
    ours.update(estimate);
    theirs.update(now);
    tip += (ours.p_WL(pen) - theirs.p_WL(pen)).squaredNorm();
    squares += off.cwiseAbs2();
    errors.max_deg = std::max(errors.max_deg, off.cwiseAbs().maxCoeff());
    ++count;
    if (seconds > duration - 1.0) last += off.squaredNorm() / static_cast<double>(off.size()), ++last_count;
  }
  squares /= std::max(count, 1);
  errors.rmse_deg = std::sqrt(squares.mean());
  errors.worst_joint_deg = std::sqrt(squares.maxCoeff());
  errors.tip_m = std::sqrt(tip / std::max(count, 1));
  errors.last_deg = std::sqrt(last / std::max(last_count, 1));
  return errors;
}

}  // namespace panto::test
