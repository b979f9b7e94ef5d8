#include "panto/pipeline/swapped_sensors.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "panto/base/error.hpp"
#include "panto/math/so3.hpp"
#include "panto/model/human.hpp"

namespace panto {
namespace {

// Three seconds of a person who sways in every joint, five ideal sensors on pelvis and legs, and the setup
// that somebody believes in. Synthetic.
struct Recorded {
  static constexpr double kRate = 100.0;  // [Hz]
  Model model = human48();
  std::vector<std::string> sensors;
  std::vector<ImuSample> samples;
  InertialSetup setup;

  Recorded() {
    setup.mounts = {{"pelvis", "Pelvis", so3::about_axis(2, 0.3), {0.0, 0.0, 0.1}},
                    {"thigh", "RightUpperLeg", so3::about_axis(0, -0.5), {0.05, 0.0, -0.2}},
                    {"shank", "RightLowerLeg", so3::about_axis(1, 1.0), {0.0, 0.0, -0.2}},
                    {"left thigh", "LeftUpperLeg", so3::about_axis(2, -0.8), {0.05, 0.0, -0.2}},
                    {"left shank", "LeftLowerLeg", so3::about_axis(0, 0.7), {0.0, 0.0, -0.2}}};
    setup.filter.magnetic = MagneticUse::Vector;
    setup.filter.field_settles = 0.0;
    setup.filter.mounting = setup.filter.wobble = 0.0;
    for (const ImuMount& mount : setup.mounts) sensors.push_back(mount.name);
    const ChainLayout layout(model);
    ImuModel truth(layout, setup.mounts, {}, setup.surroundings);
    State state = rest_state(model);
    for (int k = 0; k < 300; ++k) {
      const StateAcceleration acceleration = sway(k / kRate, state);
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

  // Every joint inside its limits, each by itself.
  [[nodiscard]] StateAcceleration sway(double t, State& state) const {
    StateAcceleration acceleration;
    acceleration.sddot = Eigen::VectorXd::Zero(model.dof());
    for (int i = 0; i < model.dof(); ++i) {
      const double w = 2.0 + 0.1 * i, up = model.upper()[i],
                   size = 0.4 * (up > 0.1 ? std::min(up, 1.0) : model.lower()[i]);
      state.s[i] = size * (1.0 - std::cos(w * t));
      state.sdot[i] = size * w * std::sin(w * t);
      acceleration.sddot[i] = size * w * w * std::cos(w * t);
    }
    return acceleration;
  }

  [[nodiscard]] std::vector<SwappedSensors> search(const SwapSearchOptions& options = {}) const {
    const auto read = [this](std::size_t index, ImuSample& sample) { sample = samples[index]; };
    return find_swapped_sensors(model, setup, sensors, {samples.size(), read}, options);
  }
};

TEST(SwappedSensors, SensorsThatSitWhereTheyShouldAreNotSuspected) {
  EXPECT_TRUE(Recorded().search().empty());
}

TEST(SwappedSensors, NamesThatWereChangedOverAreFound) {
  for (const auto& [a, b] : {std::pair<std::size_t, std::size_t>{0, 1}, {1, 2}, {1, 3}, {2, 4}}) {
    Recorded recorded;
    auto& mounts = recorded.setup.mounts;
    const std::string in_truth = mounts[a].name;
    std::swap(mounts[a].name, mounts[b].name);
    const auto found = recorded.search();
    ASSERT_EQ(found.size(), 1U) << in_truth;
    EXPECT_EQ(found[0].one, mounts[a].name);
    EXPECT_EQ(found[0].other, in_truth);
    EXPECT_EQ(found[0].other_link, mounts[b].link);
    EXPECT_FALSE(found[0].calibrated) << "their turns are the links' own";
    EXPECT_GT(found[0].before, 3.0);
    EXPECT_LT(found[0].after, 1.0) << "3 is expected of sensors as noisy as the options say; these are exact";
  }
}

// Who calibrates by a pose gets turns that are right for gravity in that pose, on whatever segment.
TEST(SwappedSensors, SensorsThatWereCalibratedOnEachOthersSegmentsAreFoundAndSaidToBe) {
  Recorded recorded;
  auto& mounts = recorded.setup.mounts;
  std::swap(mounts[1].link, mounts[2].link);
  std::swap(mounts[1].p_LI, mounts[2].p_LI);
  const auto found = recorded.search();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_TRUE(found[0].calibrated);
  EXPECT_EQ(found[0].one, "thigh");
  EXPECT_EQ(found[0].one_link, "RightLowerLeg") << "where the setup has it";
  EXPECT_LT(found[0].after, 1.0);
}

TEST(SwappedSensors, ThreeThatWerePassedRoundTakeTwoChanges) {
  Recorded recorded;
  auto& mounts = recorded.setup.mounts;
  const std::string last = mounts[2].name;
  mounts[2].name = mounts[1].name;
  mounts[1].name = mounts[0].name;
  mounts[0].name = last;
  SwapSearchOptions options;
  options.better = 0.95;  // one change alone puts one of three right
  const auto found = recorded.search(options);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_LT(found[1].after, 1.0);
}

TEST(SwappedSensors, WhatNoChangeExplainsIsNotBlamedOnOne) {
  Recorded recorded;
  recorded.setup.mounts[2].R_LI *= so3::about_axis(0, 1.2);  // badly mounted, in its own place
  EXPECT_TRUE(recorded.search().empty());
}

TEST(SwappedSensors, NothingMeasuredMakesNoSuspicion) {
  Recorded recorded;
  const std::vector<ImuSample> whole = std::exchange(recorded.samples, {});
  EXPECT_TRUE(recorded.search().empty());
  recorded.samples = whole;
  for (ImuSample& sample : recorded.samples)
    for (ImuReading& reading : sample.imus) {
      reading.gyro.setConstant(std::numeric_limits<double>::quiet_NaN());
      reading.has_gyro = reading.has_acc = reading.has_mag = false;
    }
  EXPECT_TRUE(recorded.search().empty());
}

TEST(SwappedSensors, OptionsOutOfRangeAreRefusedByName) {
  const Recorded recorded;
  const auto refused = [&](const SwapSearchOptions& options, const std::string& name) {
    try {
      (void)recorded.search(options);
      FAIL() << name;
    } catch (const ConfigError& error) {
      EXPECT_NE(std::string(error.what()).find("'swaps." + name + "'"), std::string::npos) << error.what();
    }
  };
  SwapSearchOptions options;
  options.better = 1.0;
  refused(options, "better");
  options = {};
  options.disagreement = 0;
  refused(options, "disagreement");
  options = {};
  options.longest = 0;
  refused(options, "longest");
  options = {};
  options.reach = -1;
  refused(options, "reach");
  options = {};
  options.most = -1;
  refused(options, "most");
  options = {};
  options.disagreeing = std::numeric_limits<double>::quiet_NaN();
  refused(options, "disagreeing");
}

}  // namespace
}  // namespace panto
