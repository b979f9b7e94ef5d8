// Sensors on chains of free balls, with the settings of a file that sets nothing: one carried by hand, two
// that hang.

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "panto/io/open_model.hpp"
#include "panto/math/so3.hpp"
#include "panto/model/kinematics.hpp"
#include "panto/synthesis/random_numbers.hpp"
#include "panto/tracking/inertial_tracker.hpp"

namespace panto {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr double kDegree = std::numbers::pi / 180.0, kRate = 200.0;
const Vector3d kField{0.0, 18.0, -41.0};

const char* const kCarried = R"(kind = "dh chain"
version = 1
name = "carried"
convention = "classical"
base = "fixed"
root = "room"
links = [
  { name = "up", parent = "room", joint = "shift_z", type = "prismatic", alpha_deg = 90 },
  { name = "back", parent = "up", joint = "shift_y", type = "prismatic", alpha_deg = 90, theta_deg = 90 },
  { name = "side", parent = "back", joint = "shift_x", type = "prismatic" },
  { name = "ball_1", parent = "side", joint = "turn_1", alpha_deg = 90 },
  { name = "ball_2", parent = "ball_1", joint = "turn_2", alpha_deg = 90, theta_deg = 90 },
  { name = "hand", parent = "ball_2", joint = "turn_3" },
]
)";

Model open(const std::string& text, const std::string& name) {
  std::vector<std::string> notes;
  return io::open_model(text, name, notes);
}

// three sinusoids about each axis, rms `turning` [rad/s], after `rest` [s]
struct Turning {
  double turning = 1.0, rest = 10.0, phase = 0.0;
  [[nodiscard]] std::pair<Vector3d, Vector3d> at(double t) const {
    Vector3d w = Vector3d::Zero(), alpha = Vector3d::Zero();
    if (t < rest) return {w, alpha};
    for (int axis = 0; axis < 3; ++axis) {
      for (int k = 0; k < 3; ++k) {
        const double omega = 1.3 + 1.7 * k + 0.9 * axis, a = turning * std::sqrt(2.0 / 3.0);
        w[axis] += a * std::sin(omega * (t - rest)) * std::cos(phase + axis);
        alpha[axis] += a * omega * std::cos(omega * (t - rest)) * std::cos(phase + axis);
      }
    }
    return {w, alpha};
  }
};

struct Carried {
  Turning turning;
  double seconds = 60.0, shaking = 0.0;  // [m/s^2] of a vibration that goes round
  bool magnetometer = true;
  Vector3d bias{0.004, -0.003, 0.002};
  std::function<Vector3d(double)> field = [](double) { return kField; };  // in W

  struct Result {
    double worst_deg = 0.0, worst_late_deg = 0.0;  // of the heading; after three quarters
    double rms_deg = 0.0;                          // of the whole angle, in motion
    double heading_deviation_deg = 0.0;            // at the end
    double used_late = 0.0;                        // share of the last quarter in which the field led
    double nis_gyro = 0.0;
    int failed = 0;
  };

  // size: one loop that moves, measures, tracks and judges
  [[nodiscard]] Result follow() const {
    const Model model = open(kCarried, "carried.toml");
    InertialSetup setup;
    setup.mounts = {{"imu", "hand", Matrix3d::Identity(), Vector3d::Zero()}};
    setup.surroundings.field_W = kField;
    setup.filter.magnetic = magnetometer ? MagneticUse::Heading : MagneticUse::Off;
    InertialTracker tracker(model, setup, {"imu"});
    State state = tracker.start_state();
    Kinematics kinematics(model);
    kinematics.update(state);
    const int hand = model.link_index("hand");
    Matrix3d R = kinematics.R_WL(hand);
    std::mt19937_64 random(7);
    Result result;
    ImuSample sample;
    sample.imus.resize(1);
    const int count = static_cast<int>(seconds * kRate), late = 3 * count / 4;
    double squares = 0.0;
    int moving = 0;
    for (int k = 0; k < count; ++k) {
      const double t = k / kRate;
      const Vector3d w = turning.at(t).first;
      for (int part = 0; k > 0 && part < 10; ++part)
        R = R * so3::exp(turning.at(t - (9.5 - part) / (10.0 * kRate)).first / (10.0 * kRate));
      const double angle = 2.0 * std::numbers::pi * 37.0 * t;
      const double hand_shakes = t > turning.rest ? 2.0 * turning.turning * std::sin(7.0 * t) : 0.0;
      const Vector3d a = shaking * Vector3d(std::cos(angle), std::sin(angle), 0.3 * std::cos(angle)) +
                         Vector3d(hand_shakes, 0.6 * hand_shakes, 0.0);
      ImuReading& reading = sample.imus[0];
      reading = {};
      const auto noise = [&](double sigma) {
        return Vector3d(sigma * normal(random), sigma * normal(random), sigma * normal(random));
      };
      reading.gyro = w + bias + noise(0.002);
      reading.acc = R.transpose() * (a + Vector3d(0.0, 0.0, 9.80665)) + noise(0.05);
      reading.mag = R.transpose() * field(t) + noise(0.3);
      reading.has_gyro = reading.has_acc = reading.has_mag = true;
      sample.t = from_seconds(t);
      if (!advanced(tracker.step(sample, state))) ++result.failed;
      kinematics.update(state);
      const Matrix3d off = kinematics.R_WL(hand) * R.transpose();
      const double heading = std::abs(std::atan2(off(1, 0) - off(0, 1), off(0, 0) + off(1, 1))) / kDegree;
      result.worst_deg = std::max(result.worst_deg, heading);
      if (t > turning.rest) squares += std::pow(so3::log(off).norm() / kDegree, 2), ++moving;
      if (k >= late) {
        result.worst_late_deg = std::max(result.worst_late_deg, heading);
        result.used_late += tracker.health()[0].heading_used ? tracker.health()[0].field_share : 0.0;
      }
      result.nis_gyro += tracker.health()[0].nis_gyro / count;
    }
    result.rms_deg = std::sqrt(squares / std::max(moving, 1));
    result.used_late /= (count - late) * 20.0 / kRate;  // of the headings that are due
    const ImuModel& imus = tracker.filter().model();
    double variance = 0.0;
    for (std::size_t i = 3; i < 6; ++i)
      for (std::size_t j = 3; j < 6; ++j)
        variance += imus.imu(0).heading[static_cast<Eigen::Index>(i)] *
                    imus.imu(0).heading[static_cast<Eigen::Index>(j)] *
                    tracker.chain().P(3 * static_cast<Eigen::Index>(i), 3 * static_cast<Eigen::Index>(j));
    result.heading_deviation_deg = std::sqrt(variance) / kDegree;
    return result;
  }
};

TEST(FreeSensors, AHeadingThatNothingMeasuresStaysAsUncertainAsItWas) {
  for (const double shaking : {0.0, 5.0}) {
    Carried carried;
    carried.magnetometer = false;
    carried.shaking = shaking;
    carried.turning.turning = 1.0;
    const Carried::Result found = carried.follow();
    EXPECT_EQ(found.failed, 0);
    EXPECT_GT(found.heading_deviation_deg, 4.5) << "5 deg at the start; vibration " << shaking;
    EXPECT_LT(found.worst_deg, 3.0 * found.heading_deviation_deg) << "vibration " << shaking;
  }
}

TEST(FreeSensors, TheSameSettingsFollowAHandAndASlowTrunk) {
  for (const double turning : {0.05, 0.3, 1.0}) {
    Carried carried;
    carried.turning.turning = turning;
    const Carried::Result found = carried.follow();
    EXPECT_EQ(found.failed, 0);
    EXPECT_LT(found.rms_deg, 1.5) << turning << " rad/s";
    // the process is as strong as the motion: innovations are neither surprising nor far below what is
    // expected
    EXPECT_GT(found.nis_gyro, 0.5) << turning;
    EXPECT_LT(found.nis_gyro, 6.0) << turning;
  }
}

TEST(FreeSensors, ADisturbanceThatEndsLeavesNoTrace) {
  Carried carried;
  carried.field = [](double t) {
    const bool disturbed = t > 20.0 && t < 35.0;
    return disturbed ? Vector3d(1.4 * so3::exp({0.3, 0.0, 1.0}) * kField) : kField;
  };
  const Carried::Result found = carried.follow();
  EXPECT_LT(found.worst_deg, 5.0) << "15 s without a field: the bias is known to 0.1 deg/s";
  EXPECT_LT(found.worst_late_deg, 3.0);
  EXPECT_GT(found.used_late, 0.5);
}

TEST(FreeSensors, AFieldThatStaysTheSameInMotionIsLearntAndHoldsTheHeading) {
  Carried carried;
  carried.seconds = 120.0;
  carried.field = [](double t) {
    return t > 25.0 ? Vector3d(1.4 * so3::exp({0.3, 0.0, 0.8}) * kField) : kField;
  };
  const Carried::Result found = carried.follow();
  EXPECT_GT(found.used_late, 0.2) << "the new field counts";
  EXPECT_LT(found.worst_late_deg, 6.0) << "its heading is that which the filter held";
}

TEST(FreeSensors, AFieldThatTurnsFartherThanItsGyroscopeIsFollowed) {
  Carried carried;
  carried.turning.turning = 0.5;
  carried.bias = Vector3d(0.0, 0.0, 0.03);  // a tenth of a turn in 20 s, were it believed
  carried.turning.rest = 0.5;               // no rest that shows it
  const Carried::Result found = carried.follow();
  EXPECT_LT(found.worst_late_deg, 8.0);
}

const char* const kPendulum = R"(<robot name="pendulum"><link name="world"/>
<joint name="ax" type="continuous"><parent link="world"/><child link="a1"/><axis xyz="1 0 0"/></joint><link name="a1"/>
<joint name="ay" type="continuous"><parent link="a1"/><child link="a2"/><axis xyz="0 1 0"/></joint><link name="a2"/>
<joint name="az" type="continuous"><parent link="a2"/><child link="upper"/><axis xyz="0 0 1"/></joint><link name="upper"/>
<joint name="bx" type="continuous"><parent link="upper"/><child link="b1"/><origin xyz="0 0 -0.3"/><axis xyz="1 0 0"/></joint><link name="b1"/>
<joint name="by" type="continuous"><parent link="b1"/><child link="b2"/><axis xyz="0 1 0"/></joint><link name="b2"/>
<joint name="bz" type="continuous"><parent link="b2"/><child link="lower"/><axis xyz="0 0 1"/></joint><link name="lower"/>
</robot>)";

TEST(FreeSensors, TwoBallsThatHangAreFollowedWithoutMagnetometer) {
  const Model model = open(kPendulum, "pendulum.urdf");
  InertialSetup setup;
  const Vector3d place{0.0, 0.0, -0.15}, joint{0.0, 0.0, -0.3};
  setup.mounts = {{"upper", "upper", Matrix3d::Identity(), place},
                  {"lower", "lower", Matrix3d::Identity(), place}};
  setup.filter.magnetic = MagneticUse::Off;
  InertialTracker tracker(model, setup, {"upper", "lower"});
  State state = tracker.start_state();
  Kinematics kinematics(model);
  const std::array<Turning, 2> turning{Turning{1.5, 3.0, 0.0}, Turning{2.5, 3.0, 0.7}};
  std::array<Matrix3d, 2> R{Matrix3d::Identity(), Matrix3d::Identity()};
  std::mt19937_64 random(3);
  double squares = 0.0;
  int count = 0;
  for (int k = 0; k < 40 * 200; ++k) {
    const double t = k / kRate;
    std::array<Matrix3d, 2> lever;
    ImuSample sample;
    sample.t = from_seconds(t);
    sample.imus.resize(2);
    for (std::size_t i = 0; i < 2; ++i) {
      if (k > 0) R[i] = R[i] * so3::exp(turning[i].at(t - 0.5 / kRate).first / kRate);
      const auto [w, alpha] = turning[i].at(t);
      lever[i] = R[i] * (so3::hat(alpha) + so3::hat(w) * so3::hat(w));
      const Vector3d a =
          lever[i] * place + (i == 1 ? Vector3d(lever[0] * joint) : Vector3d(Vector3d::Zero()));
      ImuReading& reading = sample.imus[i];
      const auto noise = [&](double sigma) {
        return Vector3d(sigma * normal(random), sigma * normal(random), sigma * normal(random));
      };
      reading.gyro = w + Vector3d(0.003, -0.002, 0.004) + noise(0.002);
      reading.acc = R[i].transpose() * (a + Vector3d(0.0, 0.0, 9.80665)) + noise(0.05);
      reading.has_gyro = reading.has_acc = true;
    }
    ASSERT_TRUE(advanced(tracker.step(sample, state))) << t;
    kinematics.update(state);
    if (t < 3.0) continue;
    const Matrix3d relative = R[0].transpose() * R[1];
    const Matrix3d found =
        kinematics.R_WL(model.link_index("upper")).transpose() * kinematics.R_WL(model.link_index("lower"));
    squares += std::pow(so3::distance(relative, found) / kDegree, 2), ++count;
  }
  EXPECT_LT(std::sqrt(squares / count), 1.5) << "the joint between them, heading included";
}

}  // namespace
}  // namespace panto
