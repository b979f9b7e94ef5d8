#pragma once
// Follows a live stream with a robot, a human model, or nothing at all. (not installed)

#include <string>
#include <vector>

#include "panto/api/retarget.hpp"
#include "panto/api/track.hpp"
#include "panto/inertial/sensor_setup.hpp"
#include "panto/sample/imu_sample.hpp"
#include "panto/tracking/live_frame.hpp"

namespace panto {

/// Passes samples on as they are.
[[nodiscard]] LiveFollower<SegmentSample> live_passage(const std::vector<std::string>& segments);

/// A human model: frames hold its State and its 23 segments. @throws as `live_tracker`; ConfigError for a
/// model that is not a human.
[[nodiscard]] LiveFollower<SegmentSample> live_human(const Model& human,
                                                     const std::vector<std::string>& segments,
                                                     const TrackOptions& options = {});

/// A robot: frames hold its State, and the newest sample of the person. @throws as `LiveRetargeter`.
[[nodiscard]] LiveFollower<SegmentSample> live_robot(const Robot& robot,
                                                     const std::vector<std::string>& segments,
                                                     const SubjectDimensions& person,
                                                     const RetargetOptions& options = {});

/// Any model that wears raw sensors; of a human frames hold the 23 segments, too. @throws as `LiveSensors`.
[[nodiscard]] LiveFollower<ImuSample> live_sensors(const Model& model, const SensorSetup& sensors,
                                                   const std::vector<std::string>& names,
                                                   const SubjectDimensions& person = scaled_subject(1.75));

/// A robot that follows the human who wears raw sensors: frames hold the robot's State and the person's
/// segments. @throws as `live_sensors` and `live_robot`.
[[nodiscard]] LiveFollower<ImuSample> live_sensed_robot(const Model& human, const SensorSetup& sensors,
                                                        const std::vector<std::string>& names,
                                                        const SubjectDimensions& person, const Robot& robot,
                                                        const RetargetOptions& options = {});

}  // namespace panto
