#include "panto/api/inspect_imu.hpp"

#include <algorithm>

#include "panto/base/time.hpp"

namespace panto {
bool ImuInspection::trackable() const {
  const bool usable =
      std::none_of(faults.begin(), faults.end(), [](const ImuFault& fault) { return fault.unusable; });
  return usable &&
         std::any_of(figures.begin(), figures.end(), [](const ImuFigures& f) { return f.readings > 0; });
}

ImuInspection inspect_imu(const std::string& path) {
  ImuRecording recording(io::open_imu(path));
  const ImuClip& clip = recording.clip();
  ImuCheck check(clip.sensors);
  ImuSample sample;
  while (recording.read(sample) == ReadStatus::Sample) check.add(sample);
  ImuInspection result;
  result.path = path;
  result.format = clip.format;
  result.sensors = clip.sensors;
  result.samples = clip.times.size();
  result.rate_hz = clip.rate_hz;
  result.duration_s = to_seconds(clip.times.back() - clip.times.front());
  result.figures = check.figures();
  result.faults = check.faults();
  result.notes = clip.notes;
  return result;
}

}  // namespace panto
