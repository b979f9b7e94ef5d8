#pragma once
// Characters as robots that are posed instead of solved. (not installed)

#include <memory>

#include "panto/api/retarget.hpp"
#include "panto/retarget/robot_recording.hpp"
#include "panto/sample/stages.hpp"

namespace panto {

/// Returns what poses a character after the samples of `recording`, whose person is that of `source`.
[[nodiscard]] std::shared_ptr<Tracker<SegmentSample>> posing_of(const Robot& character,
                                                                const RecordingInfo& source,
                                                                const RobotRecording& recording);

}  // namespace panto
