#include "panto/inertial/calibration.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/math/degrees.hpp"
#include "panto/math/directions.hpp"
#include "panto/math/elementary.hpp"
#include "panto/math/so3.hpp"
#include "panto/math/vector_math.hpp"
#include "panto/model/kinematics.hpp"

namespace panto {

using Eigen::Matrix3d;
using Eigen::Vector3d;

namespace {

constexpr double kGravity = 9.80665;  // [m/s^2]
const Vector3d kUp = Vector3d::UnitZ();

std::string degrees(double radians) {
  return std::to_string(static_cast<int>(std::lround(in_degrees(radians)))) + " deg";
}

void require_sizes(const std::vector<ImuMount>& mounts, const HeldPose& held) {
  if (held.readings.size() != mounts.size()) {
    throw ConfigError("calibration: " + std::to_string(held.readings.size()) + " readings for " +
                      std::to_string(mounts.size()) + " sensors");
  }
  for (std::size_t k = 0; k < mounts.size(); ++k) {
    if (held.readings[k].readings == 0 || !(held.readings[k].acc.norm() > 0.1 * kGravity)) {
      throw ConfigError("calibration: sensor '" + mounts[k].name +
                        "' measured no gravity; it needs readings with acceleration in m/s^2");
    }
  }
}

void require_orientations(const std::vector<ImuMount>& mounts, const HeldPose& held) {
  if (held.readings.size() != mounts.size()) {
    throw ConfigError("calibration: " + std::to_string(held.readings.size()) + " readings for " +
                      std::to_string(mounts.size()) + " sensors");
  }
  for (std::size_t k = 0; k < mounts.size(); ++k) {
    if (!held.readings[k].has_orientation)
      throw ConfigError("calibration: sensor '" + mounts[k].name +
                        "' has no orientation, or has rates too; in one file either all sensors deliver "
                        "orientations or none does");
  }
}

std::size_t position_of(const std::string& sensor, const std::vector<ImuMount>& mounts) {
  std::vector<std::string> names;
  names.reserve(mounts.size());
  for (const ImuMount& mount : mounts) names.push_back(mount.name);
  const auto found = std::find(names.begin(), names.end(), sensor);
  if (found == names.end()) throw ConfigError(unknown_name("sensor", sensor, "the calibration", names));
  return static_cast<std::size_t>(found - names.begin());
}

void judge(const std::string& against, CalibratedSensor& sensor) {
  if (sensor.advice.empty()) sensor.advice = against;
  sensor.good = sensor.advice.empty();
}

// R_LI from gravity alone: the shortest turn between both directions of up keeps the heading nearest to the
// nominal one
Matrix3d mount_by_nominal_heading(const Matrix3d& R_WL, const Matrix3d& nominal, const Vector3d& up_I) {
  const Matrix3d R_WI = R_WL * nominal;
  return R_WL.transpose() * least_turn(R_WI * up_I, kUp) * R_WI;
}

}  // namespace

namespace {

// averages a sensor's fused orientations
void read_orientations(std::span<const ImuSample> samples, std::size_t k, StillReading& still) {
  Matrix3d sum = Matrix3d::Zero();
  int count = 0;
  for (const ImuSample& sample : samples) {
    if (!sample.imus[k].has_orientation) continue;
    sum += so3::from_quaternion_wxyz(sample.imus[k].wxyz_GI);
    ++count;
  }
  if (count == 0) return;
  still.readings = count;
  still.has_orientation = true;
  still.R_GI = nearest_rotation(sum);
  // rotations by small angles about their mean make |mean|^2 = 3 - 2 (mean square angle)
  still.wandering = std::sqrt(std::max(0.0, 0.5 * (3.0 - (sum / count).squaredNorm())));
}

}  // namespace

std::vector<StillReading> still_readings(std::span<const ImuSample> samples, std::size_t imus) {
  std::vector<StillReading> result(imus);
  for (std::size_t k = 0; k < imus; ++k) {
    StillReading& still = result[k];
    int mags = 0;
    double gyro2 = 0.0, acc2 = 0.0;
    for (const ImuSample& sample : samples) {
      const ImuReading& reading = sample.imus[k];
      if (!reading.has_gyro || !reading.has_acc) continue;
      ++still.readings;
      still.gyro += reading.gyro;
      still.acc += reading.acc;
      gyro2 += reading.gyro.squaredNorm();
      acc2 += reading.acc.squaredNorm();
      if (reading.has_mag) ++mags, still.mag += reading.mag;
    }
    if (still.readings == 0) {
      read_orientations(samples, k, still);
      continue;
    }
    still.has_gravity = true;
    still.gyro /= still.readings;
    still.acc /= still.readings;
    still.turning = std::sqrt(std::max(0.0, gyro2 / still.readings - still.gyro.squaredNorm()));
    still.shaking = std::sqrt(std::max(0.0, acc2 / still.readings - still.acc.squaredNorm()));
    still.has_mag = mags > 0;
    if (mags > 0) still.mag /= mags;
  }
  return result;
}

std::vector<CalibratedSensor> calibrate_oriented(const Model& model, const std::vector<ImuMount>& mounts,
                                                 std::span<const HeldPose> held, const Matrix3d& R_WG,
                                                 const CalibrationOptions& options) {
  if (held.empty()) throw ConfigError("calibration by orientations needs at least one pose");
  for (const HeldPose& pose : held) require_orientations(mounts, pose);
  Kinematics kinematics(model);
  std::vector<CalibratedSensor> result;
  for (std::size_t k = 0; k < mounts.size(); ++k) {
    CalibratedSensor sensor;
    sensor.mount = mounts[k];
    std::vector<Matrix3d> found;
    Matrix3d sum = Matrix3d::Zero();
    for (const HeldPose& pose : held) {
      const StillReading& reading = pose.readings[k];
      kinematics.update(pose.pose);
      found.emplace_back(kinematics.R_WL(model.link_index(mounts[k].link)).transpose() * R_WG * reading.R_GI);
      sum += found.back();
      sensor.residual = std::max(sensor.residual, reading.wandering);
    }
    sensor.mount.R_LI = nearest_rotation(sum);
    const bool wandered = sensor.residual > options.wandering;
    double squares = 0.0;
    for (const Matrix3d& R_LI : found) squares += power(so3::distance(R_LI, sensor.mount.R_LI), 2);
    if (found.size() > 1) sensor.residual = std::sqrt(squares / static_cast<double>(found.size()));
    judge(wandered ? "it turned; hold the pose still for 3 s and repeat it"
          : sensor.residual > options.residual
              ? "the poses disagree by " + degrees(sensor.residual) + ": repeat them as described"
              : "",
          sensor);
    result.push_back(std::move(sensor));
  }
  return result;
}

Matrix3d world_from_pose(const Model& model, const std::vector<ImuMount>& mounts, const HeldPose& held,
                         const std::string& trusted) {
  require_orientations(mounts, held);
  const std::size_t k = position_of(trusted, mounts);
  Kinematics kinematics(model);
  kinematics.update(held.pose);
  // the turn about the vertical between its expected and its stated orientation
  const Matrix3d R =
      kinematics.R_WL(model.link_index(mounts[k].link)) * mounts[k].R_LI * held.readings[k].R_GI.transpose();
  return so3::about_axis(2, atan2(R(1, 0) - R(0, 1), R(0, 0) + R(1, 1)));
}

std::string unrest(const StillReading& reading, const CalibrationOptions& options) {
  if (reading.turning > options.turning) return "it turned; hold the pose still for 3 s and repeat it";
  if (std::abs(reading.acc.norm() - kGravity) > options.gravity) {
    return "its accelerometer shows " + std::to_string(reading.acc.norm()) +
           " m/s^2 at rest, 9.81 expected: hold still and repeat, or calibrate it";
  }
  return "";
}

State calibration_pose(const Model& human, std::string_view name) {
  constexpr double quarter = 0.5 * std::numbers::pi;
  State pose = rest_state(human);
  const auto set = [&](const std::string& joint, double angle) {
    const int j = human.joint_index(joint);
    pose.s[j] = std::min(std::max(angle, human.lower()[j]), human.upper()[j]);
  };
  const std::vector<std::string> names{"npose", "tpose", "chair"};
  if (std::find(names.begin(), names.end(), name) == names.end())
    throw ConfigError(unknown_name("pose", name, "the calibration", names));
  try {
    const double hang = name == "tpose" ? 0.0 : quarter;
    set("jRightShoulder_rotx", hang);
    set("jLeftShoulder_rotx", -hang);
    const double sit = name == "chair" ? quarter : 0.0;
    for (const char* side : {"Right", "Left"}) {
      set(std::string("j") + side + "Hip_roty", -sit);
      set(std::string("j") + side + "Knee_roty", sit);
    }
  } catch (const ModelError& error) {
    throw ConfigError("pose '" + std::string(name) + "' needs a human model: " + error.what());
  }
  return pose;
}

MountingFit fit_mounting(std::span<const DirectionPair> pairs) {
  if (pairs.empty()) throw ConfigError("a mounting needs at least one direction");
  Matrix3d B = Matrix3d::Zero();
  MountingFit fit;
  for (const DirectionPair& pair : pairs) {
    const double length = pair.in_link.norm() * pair.in_sensor.norm();
    if (!(length > 0.0 && std::isfinite(length) && pair.weight > 0.0))
      throw ConfigError("directions of a mounting must be finite and not zero, with weights above 0");
    B += pair.weight * pair.in_link.normalized() * pair.in_sensor.normalized().transpose();
    for (const DirectionPair& other : pairs) {
      const double angle = angle_between(pair.in_sensor, other.in_sensor);
      fit.spread = std::max(fit.spread, std::min(angle, std::numbers::pi - angle));
    }
  }
  fit.R_LI = nearest_rotation(B);
  double sum = 0.0;
  for (const DirectionPair& pair : pairs)
    sum += power(angle_between(pair.in_link, fit.R_LI * pair.in_sensor), 2);
  fit.residual = std::sqrt(sum / static_cast<double>(pairs.size()));
  return fit;
}

std::vector<CalibratedSensor> calibrate_pose(const Model& model, const std::vector<ImuMount>& mounts,
                                             const HeldPose& held, const Surroundings& surroundings,
                                             const CalibrationOptions& options) {
  require_sizes(mounts, held);
  Kinematics kinematics(model);
  kinematics.update(held.pose);
  const Vector3d& field = surroundings.field_W;
  const Vector3d east = field.cross(kUp);
  std::vector<CalibratedSensor> result;
  for (std::size_t k = 0; k < mounts.size(); ++k) {
    const StillReading& reading = held.readings[k];
    CalibratedSensor sensor{mounts[k], reading.gyro, 0.0, false, unrest(reading, options)};
    const Matrix3d R_WL = kinematics.R_WL(model.link_index(mounts[k].link)), R_LW = R_WL.transpose();
    const Vector3d east_I = reading.mag.cross(reading.acc);
    if (!reading.has_mag || !(east_I.norm() > 0.0) || !(east.norm() > 0.0)) {
      sensor.mount.R_LI = mount_by_nominal_heading(R_WL, mounts[k].R_LI, reading.acc.normalized());
      judge(
          "heading unknown (taken from the nominal mount): add a pose in which this "
          "segment is inclined differently",
          sensor);
    } else {
      const std::array<DirectionPair, 2> pairs{DirectionPair{R_LW * kUp, reading.acc},
                                               DirectionPair{R_LW * east, east_I}};
      sensor.mount.R_LI = fit_mounting(pairs).R_LI;
      sensor.residual = std::abs(angle_between(reading.acc, reading.mag) - angle_between(kUp, field));
      const double norm = std::abs(reading.mag.norm() / field.norm() - 1.0);
      const bool disturbed = sensor.residual > options.residual || norm > options.field;
      judge(disturbed ? "its magnetic field is disturbed (dip off by " + degrees(sensor.residual) +
                            "): repeat the pose away from steel and magnets"
                      : "",
            sensor);
    }
    result.push_back(std::move(sensor));
  }
  return result;
}

namespace {

// mounts one sensor by the directions of gravity in several poses
void fit_sensor(const std::vector<DirectionPair>& pairs, const CalibrationOptions& options,
                CalibratedSensor& sensor) {
  const MountingFit fit = fit_mounting(pairs);
  sensor.residual = fit.residual;
  if (fit.spread >= options.spread) {
    sensor.mount.R_LI = fit.R_LI;
    judge(fit.residual > options.residual
              ? "the poses disagree by " + degrees(fit.residual) + ": repeat them as described"
              : "",
          sensor);
    return;
  }
  sensor.mount.R_LI = mount_by_nominal_heading(least_turn(pairs[0].in_link, kUp), sensor.mount.R_LI,
                                               pairs[0].in_sensor.normalized());
  judge("gravity turned by only " + degrees(fit.spread) +
            " in this segment, so its heading is taken from the nominal mount: add a pose in which it is "
            "inclined differently, or use one pose alone with the magnetic field or a walk",
        sensor);
}

}  // namespace

std::vector<CalibratedSensor> calibrate_poses(const Model& model, const std::vector<ImuMount>& mounts,
                                              std::span<const HeldPose> held,
                                              const CalibrationOptions& options) {
  if (held.size() < 2) throw ConfigError("calibration by gravity alone needs at least two poses");
  for (const HeldPose& pose : held) require_sizes(mounts, pose);
  Kinematics kinematics(model);
  std::vector<CalibratedSensor> result;
  for (std::size_t k = 0; k < mounts.size(); ++k) {
    CalibratedSensor sensor;
    sensor.mount = mounts[k];
    std::vector<DirectionPair> pairs;
    int readings = 0;
    for (const HeldPose& pose : held) {
      const StillReading& reading = pose.readings[k];
      kinematics.update(pose.pose);
      const Matrix3d R_WL = kinematics.R_WL(model.link_index(mounts[k].link));
      pairs.push_back({R_WL.transpose() * kUp, reading.acc});
      sensor.gyro_bias += reading.readings * reading.gyro;
      readings += reading.readings;
      if (sensor.advice.empty()) sensor.advice = unrest(reading, options);
    }
    sensor.gyro_bias /= readings;
    fit_sensor(pairs, options, sensor);
    result.push_back(std::move(sensor));
  }
  return result;
}

Vector3d field_from_pose(const Model& model, const std::vector<ImuMount>& mounts, const HeldPose& held,
                         const std::string& trusted) {
  require_sizes(mounts, held);
  const std::size_t k = position_of(trusted, mounts);
  double norm = 0.0, upright = 0.0;
  int count = 0;
  for (const StillReading& reading : held.readings) {
    if (!reading.has_mag || !(reading.mag.norm() > 0.0)) continue;
    norm += reading.mag.norm();
    upright += reading.mag.dot(reading.acc.normalized()) / reading.mag.norm();
    ++count;
  }
  const StillReading& reading = held.readings[k];
  if (count == 0 || !reading.has_mag)
    throw ConfigError("the field's heading needs a magnetometer in sensor '" + trusted + "'");
  Kinematics kinematics(model);
  kinematics.update(held.pose);
  const Matrix3d R_WL = kinematics.R_WL(model.link_index(mounts[k].link));
  const Vector3d up = reading.acc.normalized();
  const Matrix3d R_LI = mount_by_nominal_heading(R_WL, mounts[k].R_LI, up);
  const Vector3d m = R_WL * R_LI * reading.mag;
  norm /= count;
  upright /= count;
  const double level = std::sqrt(std::max(0.0, 1.0 - upright * upright)) * norm;
  const double flat = m.head<2>().norm();
  if (!(flat > 0.0))
    throw ConfigError("the magnetic field at sensor '" + trusted + "' is vertical and gives no heading");
  return {level * m.x() / flat, level * m.y() / flat, upright * norm};
}

}  // namespace panto
