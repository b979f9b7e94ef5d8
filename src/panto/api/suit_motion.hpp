#pragma once
// A recording as a motion capture suit would stream it. (not installed)

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "panto/model/human.hpp"
#include "panto/recording/recording.hpp"
#include "panto/tracking/observer.hpp"

namespace panto {

/// The 23 segments of `human_segment_names()` with poses and rates, sample by sample.
struct SuitMotion {
  SubjectDimensions subject;
  double rate_hz = 0.0;
  std::function<bool(SegmentSample&)> next;  ///< false: the motion has ended
  std::function<void()> rewind;              ///< the next sample is the first again
  std::vector<std::string> notes;            ///< for people
};

/// Makes a recording stream like a suit. One that has all segments, with poses and rates, passes as it is;
/// another is tracked with a human of 66 joints. `rate_hz`: of the stream; unset: the recording's. `height`:
/// of the person [m]; unset: the recording's. @throws as `track`; ConfigError for a rate outside 1 to 1000
/// Hz.
[[nodiscard]] SuitMotion suit_motion(std::unique_ptr<Recording> recording, std::optional<double> rate_hz = {},
                                     std::optional<double> height = {}, const Observer& observer = {});

}  // namespace panto
