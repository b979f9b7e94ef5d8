#include "panto/recording/edited_sensors.hpp"

#include <algorithm>
#include <vector>

#include "panto/base/error.hpp"

namespace panto {
namespace {

std::size_t sensor_called(const ImuClip& clip, const std::string& name) {
  const auto found = std::find(clip.sensors.begin(), clip.sensors.end(), name);
  if (found == clip.sensors.end()) throw ConfigError(unknown_name("sensor", name, clip.name, clip.sensors));
  return static_cast<std::size_t>(found - clip.sensors.begin());
}

// the median strength of what a sensor's magnetometer reads
double field_of(const ImuClip& clip, std::size_t sensor) {
  std::vector<double> strengths;
  for (std::size_t i = 0; i < clip.times.size(); ++i)
    if (const ImuReading& reading = clip.at(i, sensor); reading.has_mag)
      strengths.push_back(reading.mag.norm());
  if (strengths.empty())
    throw ConfigError("sensor '" + clip.sensors[sensor] +
                      "' has no magnetometer that a magnet could disturb");
  const auto middle = strengths.begin() + static_cast<std::ptrdiff_t>(strengths.size() / 2);
  std::nth_element(strengths.begin(), middle, strengths.end());
  return *middle;
}

}  // namespace

ImuClip edited(ImuClip clip, const SensorEdits& edits) {
  if (!(edits.strength >= 0.0 && edits.strength <= 100.0))
    throw ConfigError("strength of the magnet: " + std::to_string(edits.strength) + " is not from 0 to 100");
  const std::size_t from = clip.times.size() / 3, until = clip.times.size() - from;
  if (!edits.magnet.empty()) {
    const std::size_t sensor = sensor_called(clip, edits.magnet);
    const Eigen::Vector3d field = edits.strength * field_of(clip, sensor) * Eigen::Vector3d::UnitX();
    for (std::size_t i = from; i < until; ++i) clip.at(i, sensor).mag += field;
  }
  if (!edits.lost.empty()) {
    const std::size_t sensor = sensor_called(clip, edits.lost);
    for (std::size_t i = from; i < until; ++i) clip.at(i, sensor) = {};
  }
  return clip;
}

}  // namespace panto
