#include "panto/recording/imu_recording.hpp"

#include <algorithm>
#include <utility>

namespace panto {

ImuClip imu_clip(const std::string& name, double rate_hz, std::vector<std::string> sensors,
                 const std::vector<ImuSample>& samples) {
  ImuClip clip;
  clip.name = name;
  clip.format = "imu csv";
  clip.sensors = std::move(sensors);
  clip.rate_hz = rate_hz;
  for (const ImuSample& sample : samples) {
    clip.times.push_back(sample.t);
    clip.readings.insert(clip.readings.end(), sample.imus.begin(), sample.imus.end());
  }
  return clip;
}

ReadStatus ImuRecording::read(ImuSample& result) noexcept {
  if (next_ >= clip_.times.size()) return ReadStatus::EndOfMotion;
  sample(next_++, result);
  return ReadStatus::Sample;
}

void ImuRecording::sample(std::size_t index, ImuSample& result) const {
  const auto first = clip_.readings.begin() + static_cast<std::ptrdiff_t>(index * clip_.sensors.size());
  result.t = clip_.times[index];
  result.imus.assign(first, first + static_cast<std::ptrdiff_t>(clip_.sensors.size()));
}

void ImuRecording::mask(const ImuStretch& stretch) noexcept {
  const auto first = std::lower_bound(clip_.times.begin(), clip_.times.end(), stretch.from);
  const auto sensor = static_cast<std::size_t>(stretch.sensor);
  for (auto k = static_cast<std::size_t>(first - clip_.times.begin());
       k < clip_.times.size() && clip_.times[k] <= stretch.to; ++k) {
    ImuReading& reading = clip_.at(k, sensor);
    if (stretch.gyro) reading.has_gyro = false;
    if (stretch.acc) reading.has_acc = false;
    if (stretch.mag) reading.has_mag = false;
    if (stretch.orientation) reading.has_orientation = false;
  }
}

}  // namespace panto
