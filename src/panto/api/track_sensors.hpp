#pragma once
// Tracks raw inertial sensors with any model, or with the human who wears them.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "panto/evaluation/figures.hpp"
#include "panto/evaluation/findings.hpp"
#include "panto/inertial/sensor_setup.hpp"
#include "panto/model/human.hpp"
#include "panto/motion/motion.hpp"
#include "panto/recording/recording.hpp"
#include "panto/tracking/observer.hpp"

namespace panto {

/// How `track` works on raw sensors.
struct SensorTrackOptions {
  bool smooth = false;  ///< every sample is estimated from the whole recording; takes two more passes
  /// Standard deviations of the joints are kept in the result. With `smooth` they are not computed otherwise,
  /// and double its time.
  bool deviations = false;
  bool refine = false;      ///< sensor positions and segment lengths are estimated, whatever the setup says
  double settle = 0.5;      ///< [s] >= 0 at the start that the statistics leave out
  bool keep_motion = true;  ///< false: `motion` and `deviation` stay empty, so that memory does not grow
  SubjectDimensions subject = scaled_subject(1.75);  ///< size of a human, for `SensorSetup::soles`
};

/// What tracking raw sensors yields.
struct SensorTrackResult {
  Motion motion;  ///< the State of every solved sample
  /// By frame of `motion`: standard deviation of every joint, State::s order [rad] or [m]. Empty unless
  /// `SensorTrackOptions::deviations`.
  std::vector<Eigen::VectorXd> deviation;
  ReportCard card;
  KnownJoints known;     ///< how surely; nothing where it was smoothed without `deviations`
  SensorFindings found;  ///< how sensors agreed, which may be swapped, what was learnt of the body
  SensorSetup refined;   ///< the setup with what was learnt; as it was given, with biases, where nothing is
  std::optional<SmoothingCounts> smoothed;  ///< with `SensorTrackOptions::smooth`
  std::vector<std::string> notes;           ///< for people, in the order in which they came up
};

/// Tracks raw sensors with any model: every sample by the chain filter, or smoothed. `Observer::frame` gets a
/// SegmentSample without segments, and `StepRecord::deviation` where deviations are known.
/// `ImuClip::name` and `SensorSetup::name` stand for the two in messages.
/// @throws FormatError for units that cannot be right, for sensors that never measure, and where no sample
/// can be followed; ConfigError for sizes that do not fit, a sensor that the clip lacks, options out of
/// range; ModelError for a link or joint that the model lacks; Cancelled.
[[nodiscard]] SensorTrackResult track(ImuClip clip, const Model& model, const SensorSetup& sensors,
                                      const SensorTrackOptions& options = {}, const Observer& observer = {});

/// A person who wears sensors, as a recording, and how the sensors fared.
struct SensedRecording {
  std::unique_ptr<Recording> recording;          ///< 23 segments, for `track` and `retarget`
  std::shared_ptr<const SensedFigures> figures;  ///< complete once the recording was read to its end
};

/// Makes a recording of the person who wears sensors. `human`: human66 or human48 of `subject`'s size. Of
/// `observer`, `note` and `nanoseconds` are used, also later, while the recording is read.
/// @throws as `track` does, but for the samples, which are followed when they are read; ConfigError for a
/// model that is no human.
[[nodiscard]] SensedRecording sensed_person(ImuClip clip, const Model& human, const SensorSetup& sensors,
                                            const SubjectDimensions& subject = scaled_subject(1.75),
                                            const Observer& observer = {});

}  // namespace panto
