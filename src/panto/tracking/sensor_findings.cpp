#include "panto/tracking/sensor_findings.hpp"

#include <algorithm>
#include <cmath>

#include "panto/base/index.hpp"

namespace panto {
namespace {

constexpr double kExpected = 3.0;  // expected squared innovation: one per axis
constexpr double kOdd = 2.0;       // multiple of the expected value from which on a sensor disagrees

}  // namespace

std::optional<double> multiple(const std::optional<double>& innovation) {
  if (!innovation) return std::nullopt;
  return std::sqrt(*innovation / kExpected);
}

double worst_innovation(const SensorSummary& sensor) {
  return std::max(
      {sensor.nis_gyro.value_or(0.0), sensor.nis_acc.value_or(0.0), sensor.nis_orientation.value_or(0.0)});
}

double off_by(const SensorSummary& sensor) { return std::sqrt(worst_innovation(sensor) / kExpected); }

bool is_odd(const std::optional<double>& innovation) { return innovation.value_or(0.0) > kOdd * kExpected; }

bool disagrees(const SensorSummary& sensor) { return is_odd(worst_innovation(sensor)); }

bool doubtful(const SensorFindings& found) {
  return !found.swapped.empty() || std::any_of(found.sensors.begin(), found.sensors.end(), disagrees);
}

// most joints between two sensors that these tell apart
constexpr std::size_t kApart = 3;

std::vector<unsigned char> measured_joints(const SensorFindings& found, const Model& model) {
  const Tree& tree = model.tree();
  std::vector<unsigned char> result(at(model.dof()), 0);
  for (const SensorSummary& sensor : found.sensors) {
    if (!sensor.measured()) continue;
    for (int i = model.frame(model.link_index(sensor.link)).body; i > 0; i = tree.parent[at(i)])
      result[at(tree.dof[at(i)])] = 1;
  }
  // a link whose own sensor tells nothing: what its neighbours tell does not part its joints from each other
  const auto body_of = [&](const SensorSummary& sensor) {
    return model.frame(model.link_index(sensor.link)).body;
  };
  std::vector<char> silent(at(tree.size()), 0), tells(at(tree.size()), 0);
  for (const SensorSummary& sensor : found.sensors)
    (sensor.measured() ? tells : silent)[at(body_of(sensor))] = 1;
  for (const SensorSummary& sensor : found.sensors) {
    if (!sensor.measured()) continue;
    std::vector<int> path;
    bool without = false;
    int i = body_of(sensor);
    do {
      path.push_back(i);
      i = tree.parent[at(i)];
      without = without || (i >= 0 && silent[at(i)] != 0 && tells[at(i)] == 0);
    } while (i > 0 && tells[at(i)] == 0);
    const bool based = i != 0 || silent[0] == 0 || tells[0] != 0;
    if (!without || (based && path.size() <= kApart)) continue;
    for (const int joint : path)
      if (joint > 0) result[at(tree.dof[at(joint)])] = 0;
  }
  return result;
}

}  // namespace panto
