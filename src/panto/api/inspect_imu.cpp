#include "panto/api/inspect.hpp"

#include <algorithm>

#include "panto/tracking/imu_preparation.hpp"

namespace panto {

bool ImuInspection::trackable() const {
  const bool usable =
      std::none_of(faults.begin(), faults.end(), [](const ImuFault& fault) { return fault.unusable; });
  return usable &&
         std::any_of(figures.begin(), figures.end(), [](const ImuFigures& f) { return f.readings > 0; });
}

ImuInspection inspect(const ImuClip& clip) {
  check_clip(clip);
  ImuCheck check(clip.sensors);
  ImuSample sample;
  for (std::size_t k = 0; k < clip.times.size(); ++k) {
    const auto first = clip.readings.begin() + static_cast<std::ptrdiff_t>(k * clip.sensors.size());
    sample.t = clip.times[k];
    sample.imus.assign(first, first + std::ssize(clip.sensors));
    check.add(sample);
  }
  ImuInspection result;
  result.path = clip.name;
  result.format = clip.format;
  result.sensors = clip.sensors;
  result.samples = clip.times.size();
  result.rate_hz = clip.rate_hz;
  if (!clip.times.empty()) result.duration_s = to_seconds(clip.times.back() - clip.times.front());
  result.figures = check.figures();
  result.faults = check.faults();
  result.notes = clip.notes;
  return result;
}

}  // namespace panto
