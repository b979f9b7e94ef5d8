#pragma once
// Tracks raw inertial sensors with any model, or as a recording of the human who wears them.

#include <memory>
#include <optional>
#include <string>
#include <utility>
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
  bool smooth = false;  ///< estimates every sample from the whole recording; takes two more passes
  /// Keeps standard deviations of the joints in the result. With `smooth` they are computed only then, and
  /// double its time.
  bool deviations = false;
  bool refine = false;      ///< estimates sensor positions and segment lengths, whatever the setup says
  double settle = 0.5;      ///< [s] >= 0: start that the statistics leave out
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
  KnownJoints known;     ///< certainty of the joints; empty when smoothed without `deviations`
  SensorFindings found;  ///< agreement of sensors, possibly swapped ones, what was learnt about the body
  std::vector<PostureFinding> posture;      ///< of a human, between segments with sensors; the worst first
  std::vector<std::string> assumed_mounts;  ///< sensors on a human without a calibrated mounting
  SensorSetup refined;                      ///< the setup with what was learnt; else as given, with biases
  std::optional<SmoothingCounts> smoothed;  ///< with `SensorTrackOptions::smooth`
  std::vector<std::string> notes;           ///< for people, in order of appearance
  /// Joints of which a sensor tells for a part of the run only, and for how long they are held without it
  /// [s].
  std::vector<std::pair<std::string, double>> held_joints;
  std::vector<std::string> unmeasured_joints;  ///< joints of which no sensor tells: they stay at rest
};

/// Tracks raw sensors with any model: filters every sample with the chain filter, or smooths.
/// `Observer::frame` gets a SegmentSample without segments, and `StepRecord::deviation` where deviations are
/// known. Messages use `ImuClip::name` and `SensorSetup::name`.
/// @throws FormatError for implausible units, for sensors that never measure, and without a solvable sample;
/// ConfigError for inconsistent sizes, a sensor that the clip lacks, options out of range; ModelError for a
/// link or joint that the model lacks; Cancelled.
[[nodiscard]] SensorTrackResult track(ImuClip clip, const Model& model, const SensorSetup& sensors,
                                      const SensorTrackOptions& options = {}, const Observer& observer = {});

/// A person who wears sensors, as a recording, and the figures of the sensors.
struct SensedRecording {
  std::unique_ptr<Recording> recording;          ///< 23 segments, for `track` and `retarget`
  std::shared_ptr<const SensedFigures> figures;  ///< complete once the recording has been read to its end
};

/// Makes a recording of the person who wears sensors. `human`: human66 or human48 of `subject`'s size. Uses
/// `note` and `nanoseconds` of `observer`, also later, while the recording is read.
/// @throws as `track`, except for samples, which are solved when they are read; ConfigError for a model that
/// is not a human.
[[nodiscard]] SensedRecording sensed_person(ImuClip clip, const Model& human, const SensorSetup& sensors,
                                            const SubjectDimensions& subject = scaled_subject(1.75),
                                            const Observer& observer = {});

}  // namespace panto
