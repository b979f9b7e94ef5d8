#include "panto/api/moved_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "apps/panto/command_line.hpp"
#include "panto/base/error.hpp"
#include "panto/base/text.hpp"
#include "panto/inertial/calibration.hpp"
#include "panto/inertial/still_parts.hpp"

namespace panto {

std::span<const ImuSample> part_of(const std::string& option, const std::string& word,
                                   std::span<const ImuSample> samples, const std::string& input) {
  constexpr double longest = 1e7;  // [s]
  if (word == "all") return samples;
  const std::size_t dots = word.find("..");
  if (dots == std::string::npos)
    throw ConfigError(option + " '" + word + "': a part is FROM..TO in seconds, such as 12..20, or all");
  const double from = number_between(option, word.substr(0, dots), 0.0, longest, "s");
  const double to = number_between(option, word.substr(dots + 2), 0.0, longest, "s");
  if (!(from < to)) throw ConfigError(option + " '" + word + "': ends before it begins; a part is FROM..TO");
  const Time begin = samples.front().t;
  const double length = to_seconds(samples.back().t - begin);
  if (from >= length || to > length + 1.0)
    throw ConfigError(option + " '" + word + "': '" + input + "' lasts from 0 to " + decimals(length, 1) +
                      " s");
  const auto at_second = [&](double second) {
    return std::partition_point(samples.begin(), samples.end(), [&](const ImuSample& sample) {
      return to_seconds(sample.t - begin) < second;
    });
  };
  return {at_second(from), at_second(to)};
}

namespace {

using Json = nlohmann::ordered_json;
using Samples = std::span<const ImuSample>;

constexpr double kDegrees = 180.0 / std::numbers::pi;
constexpr double kOdd = 2.0;  // standard deviations by which a length that is proposed is off

MovedHinge hinge_of(const std::string& word, const Model& model, Samples samples, const std::string& input) {
  const std::size_t sign = word.rfind('=');
  const std::string name = word.substr(0, sign);
  if (!model.find_joint(name))
    throw ConfigError("--hinge: " +
                      unknown_name("joint", name, "model '" + model.name() + "'", model.joint_names()));
  if (sign == std::string::npos) return {name, samples};
  return {name, part_of("--hinge", word.substr(sign + 1), samples, input)};
}

// biases from all parts in which every sensor is still
std::vector<Eigen::Vector3d> still_biases(Samples samples, const SensorSetup& file,
                                          std::vector<std::string>& notes) {
  const std::size_t imus = file.setup.mounts.size();
  std::vector<Eigen::Vector3d> sums(imus, Eigen::Vector3d::Zero());
  std::vector<int> counts(imus, 0);
  for (const StillPart& part : still_parts(samples)) {
    const std::vector<StillReading> still =
        still_readings(samples.subspan(part.first, part.last - part.first + 1), imus);
    for (std::size_t k = 0; k < imus; ++k) {
      sums[k] += still[k].readings * still[k].gyro;
      counts[k] += still[k].readings;
    }
  }
  std::vector<std::string> without;
  for (std::size_t k = 0; k < imus; ++k) {
    if (counts[k] > 0) sums[k] /= counts[k];
    if (counts[k] == 0 && k < file.setup.gyro_bias.size()) sums[k] = file.setup.gyro_bias[k];
    if (counts[k] == 0) without.push_back(file.setup.mounts[k].name);
  }
  if (!without.empty())
    notes.push_back(
        "nowhere are all sensors still for a second, so that the gyroscopes' biases are those of "
        "the file of sensors, or zero: " +
        listed(without, 20));
  return sums;
}

const char* unit_of(const JointFinding& found) {
  return found.kind == JointFinding::Kind::Axis ? "deg" : "cm";
}

double in_unit(const JointFinding& found, double value) {
  return value * (found.kind == JointFinding::Kind::Axis ? kDegrees : 100.0);
}

std::string verdict(const JointFinding& found) {
  if (!found.good) return "REPEAT: " + found.advice;
  return found.advice.empty() ? "good" : "good; " + found.advice;
}

}  // namespace

MotionCalibration calibrate_moved(const MovedWords& words, const std::string& input, const Model& model,
                                  const SensorSetup& file, Samples samples, std::vector<KnownDirection> known,
                                  std::vector<Eigen::Vector3d>& gyro_bias, std::vector<std::string>& notes) {
  if (samples.size() < 2) throw FormatError(input + ": a recording of one sample shows no motion");
  if (gyro_bias.empty()) gyro_bias = still_biases(samples, file, notes);
  MovedSession session;
  session.mounts = file.setup.mounts;
  session.gyro_bias = gyro_bias;
  session.known = std::move(known);
  session.held = start_of(model, file.setup);
  session.gravity_W = file.setup.surroundings.gravity_W;
  for (const std::string& word : words.hinges)
    session.hinges.push_back(hinge_of(word, model, samples, input));
  for (const std::string& word : words.motions)
    session.free.push_back(part_of("--motion", word, samples, input));
  MotionCalibrationOptions options;
  if (file.setup.filter.mounting > 0.0) options.mounting = file.setup.filter.mounting;
  return calibrate_motion(model, session, options);
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
    text += fmt::format("'{}' from {} to {}: {:.1f} cm +- {:.1f}, the model's is {:.1f}", length.link,
                        length.near, length.far, 100.0 * length.found, 100.0 * length.sigma,
                        100.0 * length.model);
    if (std::abs(length.found - length.model) > kOdd * length.sigma)
      text += "; the model fits better with " + decimals(100.0 * length.found, 1);
    text += '\n';
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
    one[axis ? "sigma_deg" : "sigma_m"] = joint.sigma * (axis ? kDegrees : 1.0);
    one[axis ? "off_deg" : "off_m"] = joint.off * (axis ? kDegrees : 1.0);
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

}  // namespace panto
