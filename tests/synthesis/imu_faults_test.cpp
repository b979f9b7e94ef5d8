#include "panto/synthesis/imu_faults.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "panto/base/error.hpp"
#include "panto/model/human.hpp"
#include "panto/synthesis/synthesis.hpp"

namespace panto {
namespace {

ImuSignalOptions seconds(double duration) {
  ImuSignalOptions options;
  options.duration = duration;
  return options;
}

std::vector<ImuSample> walk_with(const ImuSignalOptions& options) {
  static const Model human = human48();
  const Synthesis walk = make_synthesis("walk", human);
  const std::vector<ImuMount> mounts{
      {"thigh", "RightUpperLeg", Eigen::Matrix3d::Identity(), {0.0, -0.08, -0.2}},
      {"foot", "RightFoot", Eigen::Matrix3d::Identity(), {0.06, 0.0, -0.02}}};
  return imu_signals(human, motion_law(walk), mounts, options).samples;
}

// largest difference of what is measured in both, and how many readings only one of them has
std::pair<double, int> difference(const std::vector<ImuSample>& a, const std::vector<ImuSample>& b) {
  double most = 0.0;
  int lost = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    for (std::size_t k = 0; k < a[i].imus.size(); ++k) {
      const ImuReading &x = a[i].imus[k], &y = b[i].imus[k];
      if (x.has_gyro != y.has_gyro) ++lost;
      if (x.has_gyro && y.has_gyro)
        most = std::max({most, (x.gyro - y.gyro).norm(), (x.acc - y.acc).norm(), (x.mag - y.mag).norm()});
    }
  return {most, lost};
}

TEST(ImuFaults, EveryOneChangesWhatSensorsMeasure) {
  const std::vector<ImuSample> clean = walk_with(seconds(20.0));
  for (const ImuFaultName& fault : imu_fault_names()) {
    ImuSignalOptions options = seconds(20.0);
    add_imu_fault(fault.name, options);
    const std::vector<ImuSample> samples = walk_with(options);
    const auto [most, lost] = difference(clean, samples);
    const bool late = samples[1000].t != clean[1000].t;
    // the least is a drift of 10 deg/h, 7e-5 rad/s
    EXPECT_TRUE(most > 1e-5 || lost > 0 || late) << fault.name;
    EXPECT_FALSE(fault.description.empty()) << fault.name;
  }
}

TEST(ImuFaults, AllIsEveryOneTogetherInAnyOrder) {
  ImuSignalOptions all = seconds(2.0), one_by_one = seconds(2.0);
  add_imu_fault("all", all);
  const std::vector<ImuFaultName>& names = imu_fault_names();
  for (auto fault = names.rbegin(); fault != names.rend(); ++fault) add_imu_fault(fault->name, one_by_one);
  EXPECT_EQ(difference(walk_with(all), walk_with(one_by_one)), std::pair(0.0, 0));
}

TEST(ImuFaults, ErrorsOfMagnetometersArePartsOfTheField) {
  ImuSignalOptions options = seconds(1.0);
  options.surroundings.field_W = {0.0, 20.0, -44.0};  // uT
  add_imu_fault("mag_offset", options);
  EXPECT_NEAR(options.mag.bias, 0.05 * std::hypot(20.0, 44.0), 1e-12);
}

TEST(ImuFaults, AnUnknownOneIsRefusedWithTheNearest) {
  ImuSignalOptions options;
  try {
    add_imu_fault("gyrobias", options);
    FAIL() << "accepted";
  } catch (const ConfigError& error) {
    EXPECT_NE(std::string(error.what()).find("gyro_bias"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace panto
