// A calibration, in words and as JSON.

#include "panto/report/report.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "panto/base/text.hpp"
#include "panto/math/degrees.hpp"
#include "panto/math/so3.hpp"
#include "panto/report/json.hpp"
#include "panto/report/shared_names.hpp"

namespace panto {
namespace {

using report::Json;

constexpr double kOdd = 2.0;  // standard deviations by which a length that is proposed is off

const char* unit_of(const JointFinding& found) {
  return found.kind == JointFinding::Kind::Axis ? "deg" : "cm";
}

double in_unit(const JointFinding& found, double value) {
  return value * (found.kind == JointFinding::Kind::Axis ? kToDegrees : 100.0);
}

std::string verdict(const JointFinding& found) {
  if (!found.good) return "REPEAT: " + found.advice;
  return found.advice.empty() ? "good" : "good; " + found.advice;
}

std::string joints_text(const MotionCalibration& found) {
  std::string text = fmt::format("{:<32} {:<24} {:>7} {:>9} {:>8} {:>8}\n", "joint", "between", "samples",
                                 "residual", "sigma", "off");
  for (const JointFinding& joint : found.joints) {
    const bool axis = joint.kind == JointFinding::Kind::Axis;
    text += fmt::format("{:<32} {:<24} {:>7} {:>9} {:>8} {:>8}  {}\n",
                        (axis ? "axis of " : "centre of ") + joint.joints.back(),
                        (joint.first.empty() ? "base" : joint.first) + ", " + joint.second, joint.samples,
                        decimals(joint.residual, 2) + (axis ? " rad/s" : " m/s2"),
                        decimals(in_unit(joint, joint.sigma), 1) + " " + unit_of(joint),
                        decimals(in_unit(joint, joint.off), 1) + " " + unit_of(joint), verdict(joint));
  }
  return text;
}

std::string lengths_text(const MotionCalibration& found) {
  std::string text;
  for (const SegmentLength& length : found.lengths) {
    text += fmt::format("'{}' from {} to {}: {:.1f} cm +- {:.1f}, model {:.1f} cm", length.link, length.near,
                        length.far, 100.0 * length.found, 100.0 * length.sigma, 100.0 * length.model);
    if (std::abs(length.found - length.model) > kOdd * length.sigma)
      text += "; the model fits better with " + decimals(100.0 * length.found, 1);
    text += '\n';
  }
  return text;
}

// sensor, link, residual, turn against the nominal mount, what to do
std::string line_of(const CalibratedSensor& sensor, const ImuMount& nominal) {
  const double turned = so3::distance(nominal.R_LI, sensor.mount.R_LI) * kToDegrees;
  return fmt::format("{:<16} {:<16} {:>8.1f} {:>8.1f} {:>9.2f}  {}", sensor.mount.name, sensor.mount.link,
                     sensor.residual * kToDegrees, turned, sensor.gyro_bias.norm() * kToDegrees,
                     sensor.good ? "good" : "REPEAT: " + sensor.advice);
}

// the same with what motion adds: how certain, how far its place moved
std::string moved_line_of(const CalibratedSensor& sensor, const ImuMount& nominal) {
  const double turned = so3::distance(nominal.R_LI, sensor.mount.R_LI) * kToDegrees;
  const auto figure = [](const std::optional<double>& value, double unit) {
    return value ? decimals(*value * unit, 1) : std::string("-");
  };
  return fmt::format(
      "{:<16} {:<16} {:>8.1f} {:>8.1f} {:>8} {:>8.1f} {:>8} {:>9.2f}  {}", sensor.mount.name,
      sensor.mount.link, sensor.residual * kToDegrees, turned, figure(sensor.mount.turn_sigma, kToDegrees),
      100.0 * (sensor.mount.p_LI - nominal.p_LI).norm(), figure(sensor.mount.position_sigma, 100.0),
      sensor.gyro_bias.norm() * kToDegrees, sensor.good ? "good" : "REPEAT: " + sensor.advice);
}

std::string sensors_text(const CalibrateResult& result) {
  const bool moved = !result.motion.sensors.empty();
  std::string text;
  if (moved) {
    constexpr const char* kRow = "{:<16} {:<16} {:>8} {:>8} {:>8} {:>8} {:>8} {:>9}\n";
    text += fmt::format(kRow, "sensor", "link", "residual", "turned", "sigma", "moved", "sigma", "bias");
    text += fmt::format(kRow, "", "", "deg", "deg", "deg", "cm", "cm", "deg/s");
  } else {
    constexpr const char* kRow = "{:<16} {:<16} {:>8} {:>8} {:>9}\n";
    text += fmt::format(kRow, "sensor", "link", "residual", "turned", "bias");
    text += fmt::format(kRow, "", "", "deg", "deg", "deg/s");
  }
  for (std::size_t k = 0; k < result.found.size(); ++k) {
    const ImuMount& nominal = result.nominal[k];
    text += (moved ? moved_line_of(result.found[k], nominal) : line_of(result.found[k], nominal)) + "\n";
  }
  return text;
}

Json joints_json(const MotionCalibration& found) {
  Json list = Json::array();
  for (const JointFinding& joint : found.joints) {
    const bool axis = joint.kind == JointFinding::Kind::Axis;
    Json one{{"found", axis ? "axis" : "centre"}, {"joints", joint.joints}};
    one["before"] = joint.first.empty() ? Json(nullptr) : Json(joint.first);
    one["behind"] = joint.second;
    one["samples"] = joint.samples;
    one[axis ? "residual_rad_s" : "residual_m_s2"] = joint.residual;
    one[axis ? "sigma_deg" : "sigma_m"] = joint.sigma * (axis ? kToDegrees : 1.0);
    one[axis ? "off_deg" : "off_m"] = joint.off * (axis ? kToDegrees : 1.0);
    one["good"] = joint.good;
    one["advice"] = joint.advice;
    list.push_back(std::move(one));
  }
  return list;
}

Json lengths_json(const MotionCalibration& found) {
  Json list = Json::array();
  for (const SegmentLength& length : found.lengths)
    list.push_back({{"link", length.link},
                    {"from", length.near},
                    {"to", length.far},
                    {"model_m", length.model},
                    {"found_m", length.found},
                    {"sigma_m", length.sigma}});
  return list;
}

Json sensor_json(const CalibratedSensor& sensor, const ImuMount& nominal, const MovedSensor* moved) {
  const auto list = [](const Eigen::Vector3d& v) { return Json{v.x(), v.y(), v.z()}; };
  Json one{{"name", sensor.mount.name},
           {"link", sensor.mount.link},
           {"good", sensor.good},
           {"residual_deg", sensor.residual * kToDegrees},
           {"turned_deg", so3::distance(nominal.R_LI, sensor.mount.R_LI) * kToDegrees},
           {"gyro_bias_rad_s", list(sensor.gyro_bias)},
           {"advice", sensor.advice}};
  if (moved == nullptr) return one;
  const auto figure = [](const std::optional<double>& value, double unit) {
    return value ? Json(*value * unit) : Json(nullptr);
  };
  one["directions"] = moved->directions;
  one["centres"] = moved->centres;
  one["sigma_deg"] = figure(sensor.mount.turn_sigma, kToDegrees);
  one["position_m"] = list(sensor.mount.p_LI);
  one["position_sigma_m"] = figure(sensor.mount.position_sigma, 1.0);
  one["moved_m"] = (sensor.mount.p_LI - nominal.p_LI).norm();
  return one;
}

}  // namespace

std::string to_text(const CalibrateResult& result) {
  std::string text;
  for (const FoundPose& pose : result.poses)
    text += fmt::format("{}: held from {:.1f} to {:.1f} s\n", pose.pose, pose.held.from, pose.held.to);
  if (!result.motion.sensors.empty()) {
    text += (result.poses.empty() ? "" : "\n") + joints_text(result.motion);
  }
  text += "\n" + sensors_text(result);
  if (!result.motion.lengths.empty()) text += "\n" + lengths_text(result.motion);
  return text;
}

std::string advice_text(const CalibrateResult& result) {
  constexpr std::size_t shown = 8;
  struct Advice {
    bool good;
    std::string text, names;
  };
  std::vector<Advice> all;
  const auto add = [&](const std::string& name, bool good, const std::string& text) {
    if (text.empty()) return;
    const auto same = std::find_if(all.begin(), all.end(),
                                   [&](const Advice& a) { return a.good == good && a.text == text; });
    if (same == all.end())
      all.push_back({good, text, name});
    else
      same->names += ", " + name;
  };
  for (const CalibratedSensor& sensor : result.found) add(sensor.mount.name, sensor.good, sensor.advice);
  for (const JointFinding& joint : result.motion.joints)
    add((joint.kind == JointFinding::Kind::Axis ? "axis of " : "centre of ") + joint.joints.back(),
        joint.good, joint.advice);
  std::stable_partition(all.begin(), all.end(), [](const Advice& a) { return !a.good; });
  std::string text;
  for (std::size_t i = 0; i < std::min(all.size(), shown); ++i)
    text += fmt::format("  {} {}: {}\n", all[i].good ? "note  " : "REPEAT", all[i].names, all[i].text);
  if (all.size() > shown) text += fmt::format("  and {} more; --verbose lists all\n", all.size() - shown);
  if (!result.motion.lengths.empty()) text += lengths_text(result.motion);
  return text.empty() ? text : "\n" + text;
}

std::string to_json(const CalibrateResult& result, const std::string& recording, const std::string& model) {
  const bool moved = !result.motion.sensors.empty();
  Json poses = Json::array(), list = Json::array();
  for (const FoundPose& pose : result.poses)
    poses.push_back({{"pose", pose.pose}, {"from_s", pose.held.from}, {"to_s", pose.held.to}});
  for (std::size_t k = 0; k < result.found.size(); ++k)
    list.push_back(
        sensor_json(result.found[k], result.nominal[k], moved ? &result.motion.sensors[k] : nullptr));
  Json json{{"recording", shared_name(recording)}, {"model", model}, {"poses", poses}, {"sensors", list}};
  if (moved) {
    json["joints"] = joints_json(result.motion);
    json["lengths"] = lengths_json(result.motion);
  }
  json["verdict"] = report::verdict_value(verdict_of(result));
  return report::dumped(json);
}

}  // namespace panto
