#include "panto/inertial/swing_calibration.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "panto/base/error.hpp"
#include "panto/base/finite_options.hpp"
#include "panto/math/decompositions.hpp"
#include "panto/math/degrees.hpp"
#include "panto/math/directions.hpp"
#include "panto/math/elementary.hpp"
#include "panto/model/kinematics.hpp"

namespace panto {

using Eigen::Matrix2d;
using Eigen::Matrix3d;
using Eigen::Vector2d;
using Eigen::Vector3d;

namespace {

// A nominal mount this far off [rad] cannot distinguish an axis from its opposite.
constexpr double kAmbiguous = std::numbers::pi / 3.0;

struct Rate {
  double t = 0.0;  // [s]
  Vector3d w = Vector3d::Zero();
};

void require_options(const SwingOptions& options) {
  check_finite("swing", {{"smooth", options.smooth},
                         {"moving", options.moving},
                         {"across", options.across},
                         {"residual", options.residual},
                         {"least", options.least}});
  if (options.smooth > 0.0 && options.moving > 0.0 && options.across > 0.0 && options.residual > 0.0 &&
      options.least > 0.0)
    return;
  throw ConfigError("swing: `smooth`, `moving`, `across`, `residual` and `least` must be > 0");
}

std::vector<Rate> rates_of(std::span<const ImuSample> walk, std::size_t imu, const Vector3d& bias) {
  std::vector<Rate> rates;
  rates.reserve(walk.size());
  for (const ImuSample& sample : walk) {
    if (imu >= sample.imus.size())
      throw ConfigError("swing: the samples have " + std::to_string(sample.imus.size()) +
                        " sensors; there is no sensor " + std::to_string(imu));
    const ImuReading& reading = sample.imus[imu];
    if (reading.has_gyro) rates.push_back({to_seconds(sample.t - walk.front().t), reading.gyro - bias});
  }
  return rates;
}

// computes means over windows of `span` around every rate
std::vector<Rate> smoothed(const std::vector<Rate>& rates, double span) {
  std::vector<Rate> result;
  result.reserve(rates.size());
  Vector3d sum = Vector3d::Zero();
  std::size_t first = 0, end = 0;  // the window [first, end)
  for (const Rate& rate : rates) {
    while (end < rates.size() && rates[end].t <= rate.t + 0.5 * span) sum += rates[end++].w;
    while (rates[first].t < rate.t - 0.5 * span) sum -= rates[first++].w;
    result.push_back({rate.t, sum / static_cast<double>(end - first)});
  }
  return result;
}

// squares of the rates about two directions across up
struct Spread {
  Matrix2d squares = Matrix2d::Zero();
  int count = 0;

  void add(const Vector2d& w) {
    squares += w * w.transpose();
    ++count;
  }
  // the direction of most rotation, in the plane
  [[nodiscard]] Vector2d axis() const { return symmetric_eigen(Eigen::MatrixXd(squares)).vectors.col(1); }
};

std::string whole_degrees(double radians) {
  return std::to_string(static_cast<int>(std::lround(in_degrees(radians)))) + " deg";
}

// returns the objection to a swing, or nothing
std::string doubt(const SwingAxis& swing, double off_nominal, double seconds, const SwingOptions& options) {
  if (seconds < options.least) return "the walk is too short: walk straight ahead for 10 s";
  if (swing.rate < options.moving || swing.across > options.across) {
    return "it does not swing about one axis while walking, so its heading is taken from the nominal mount: "
           "give that mount exactly";
  }
  if (swing.residual > options.residual) {
    return "the two halves of the walk disagree by " + whole_degrees(swing.residual) +
           ": walk straight ahead, without turns";
  }
  if (off_nominal > kAmbiguous) {
    return "its swing axis is " + whole_degrees(off_nominal) +
           " from that of the nominal mount, so left and right are ambiguous: give the nominal mount better";
  }
  return "";
}

// Finds the axis in the plane of e1 and e2, the sensor's turning about and across it, and the angle between
// the axes of the two halves.
Vector2d fill(const std::vector<Rate>& rates, const Vector3d& e1, const Vector3d& e2, double seconds,
              SwingAxis& swing) {
  Spread all;
  std::array<Spread, 2> halves;
  const double middle = rates.front().t + 0.5 * seconds;
  for (const Rate& rate : rates) {
    const Vector2d w(e1.dot(rate.w), e2.dot(rate.w));
    all.add(w);
    halves[rate.t < middle ? 0 : 1].add(w);
  }
  const Vector2d squares = symmetric_eigen(Eigen::MatrixXd(all.squares)).values / all.count;
  swing.rate = std::sqrt(std::max(squares[1], 0.0));
  if (squares[1] > 0.0) swing.across = std::sqrt(std::max(squares[0], 0.0) / squares[1]);
  const double apart = std::abs(halves[0].axis().dot(halves[1].axis()));
  swing.residual = acos(apart);
  return all.axis();
}

}  // namespace

SwingAxis find_swing_axis(std::span<const ImuSample> walk, std::size_t imu, const Vector3d& bias,
                          const Vector3d& up_I, const Vector3d& near_I, const SwingOptions& options) {
  require_options(options);
  if (!(up_I.norm() > 0.0) || !(near_I.norm() > 0.0) || !up_I.allFinite() || !near_I.allFinite())
    throw ConfigError("swing: `up_I` and `near_I` must be finite and not zero");
  const std::vector<Rate> rates = smoothed(rates_of(walk, imu, bias), options.smooth);
  SwingAxis swing;
  const Vector3d up = up_I.normalized(), e1 = across(up), e2 = up.cross(e1);
  swing.axis = e1;
  const double seconds = rates.empty() ? 0.0 : rates.back().t - rates.front().t;
  if (seconds < options.least) {
    swing.advice = doubt(swing, 0.0, seconds, options);
    return swing;
  }

  const Vector2d axis = fill(rates, e1, e2, seconds, swing);
  // the end of the axis nearer to the expected one, perpendicular to the vertical
  swing.axis = axis[0] * e1 + axis[1] * e2;
  const Vector3d near = near_I - up * up.dot(near_I);
  if (swing.axis.dot(near) < 0.0) swing.axis = -swing.axis;
  swing.advice = doubt(swing, angle_between(swing.axis, near), seconds, options);
  swing.good = swing.advice.empty();
  return swing;
}

std::vector<CalibratedSensor> calibrate_walk(const Model& model, const std::vector<ImuMount>& mounts,
                                             const HeldPose& held, std::span<const ImuSample> walk,
                                             const CalibrationOptions& options, const SwingOptions& swing) {
  Surroundings no_field;
  no_field.field_W.setZero();
  std::vector<CalibratedSensor> sensors = calibrate_pose(model, mounts, held, no_field, options);
  Kinematics kinematics(model);
  kinematics.update(held.pose);
  for (std::size_t k = 0; k < mounts.size(); ++k) {
    CalibratedSensor& sensor = sensors[k];
    const StillReading& reading = held.readings[k];
    const Matrix3d R_LW = kinematics.R_WL(model.link_index(mounts[k].link)).transpose();
    const Vector3d up_L = R_LW.col(2), left_L = R_LW.col(1);
    const SwingAxis found =
        find_swing_axis(walk, k, reading.gyro, reading.acc, sensor.mount.R_LI.transpose() * left_L, swing);
    sensor.advice = unrest(reading, options);
    if (found.good) {
      const std::array<DirectionPair, 2> pairs{DirectionPair{up_L, reading.acc},
                                               DirectionPair{left_L, found.axis}};
      sensor.mount.R_LI = fit_mounting(pairs).R_LI;
      sensor.residual = found.residual;
    } else if (sensor.advice.empty()) {
      sensor.advice = found.advice;
    }
    sensor.good = sensor.advice.empty();
  }
  return sensors;
}

}  // namespace panto
