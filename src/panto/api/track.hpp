#pragma once
// Tracks a recording of a person with a model of a human.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "panto/evaluation/figures.hpp"
#include "panto/evaluation/findings.hpp"
#include "panto/ik/solver_options.hpp"
#include "panto/model/human.hpp"
#include "panto/motion/motion.hpp"
#include "panto/recording/recording.hpp"
#include "panto/sample/stages.hpp"
#include "panto/targets/own_targets.hpp"
#include "panto/tracking/observer.hpp"

namespace panto {

/// How `track` works.
struct TrackOptions {
  SolverKind solver = SolverKind::Dynamical;  ///< the method
  SolverOptions method;                       ///< its options
  OwnTargetsOption own;                       ///< targets and joint rows besides the recording's
  double settle = 0.5;                        ///< [s] >= 0: start that the statistics leave out
  bool keep_motion = true;                    ///< false: `TrackResult::motion` stays empty
  /// Forwards and backwards where forwards alone gets stuck at joint limits (`TwoWayTracker`): keeps up to
  /// 30 000 samples in memory. No effect on models without limits, longer recordings, and without alignment.
  bool two_way = true;
};

/// A moment at which the motion stays much worse than a pose to which no way was found.
struct StuckMoment {
  Time t = 0;         ///< [ns]
  std::string joint;  ///< of those at a limit the one farthest from that pose
};

/// What tracking a recording yields.
struct TrackResult {
  Motion motion;  ///< the State of every solved frame
  ReportCard card;
  std::vector<TrackedPair> pairs;     ///< which link follows which segment
  std::vector<Finding> findings;      ///< of the recording
  std::vector<std::string> notes;     ///< for people, in order of appearance
  std::optional<std::string> damage;  ///< where and why reading stopped early
  std::int64_t frames_used = 0;       ///< samples read from the recording
  std::vector<Time> rerouted_at;      ///< where the two-way pass chose another pose
  std::vector<StuckMoment> stuck;     ///< where it found no way to a much better pose
  std::string
      part;  ///< which part of a person it is, "upper body only (no legs in the recording)"; empty: all
  /// Joints that only missing segments would determine: they stay at rest and count in no figure of limits.
  std::vector<std::string> unmeasured_joints;
};

/// Tracks `recording`, from its current position to its end, with a model whose links have the names of the
/// recording's segments. Ignores the model's coupled rows, with a note.
/// @throws FormatError for a recording without motion or without a solvable frame; ModelError for a model
/// that lacks a link, own targets that do not fit it, and a method without own targets; ConfigError for
/// options out of range; whatever `own.update` throws; Cancelled.
[[nodiscard]] TrackResult track(Recording& recording, const Model& model, const TrackOptions& options = {},
                                const Observer& observer = {});

/// Makes what tracks one sample at a time, as `track` does without seeing the whole recording. `segments`:
/// names of the samples' segments in their order, each one of `human_segment_names()`, in the human's frames.
/// Begin with a State of `rest_state(model)`. `step` is noexcept and does not allocate; on failure the State
/// is unchanged. Owns all that it needs; one object per thread and person. Of `options` the method and own
/// targets count, whose update must not throw. @throws ConfigError for segments that no human has or none at
/// all, and options out of range; ModelError for a model that lacks a segment's link, and as `track` for own
/// targets.
[[nodiscard]] std::unique_ptr<Tracker<SegmentSample>> live_tracker(
    const Model& model, const std::vector<std::string>& segments = human_segment_names(),
    const TrackOptions& options = {});

/// Returns the person's dimensions: `height` [m] and `mass` [kg] where given, else the recording's, else an
/// average body of 1.75 m. Adds doubts to `notes`.
[[nodiscard]] SubjectDimensions subject_of(const RecordingInfo& info, std::optional<double> height,
                                           std::optional<double> mass, std::vector<std::string>& notes);

/// Returns the pairs of link of `model` and segment that `track` uses for a recording. `called`: the file or
/// name that the user gave for the model, for the message; empty: unknown. @throws ModelError for a link that
/// the model lacks.
[[nodiscard]] std::vector<TrackedPair> followed_pairs(const Recording& recording, const Model& model,
                                                      const std::string& called = {});

/// Returns the pairs of link of `model` and segment of `names` that `map` connects. @throws ModelError for a
/// link that the model lacks, ConfigError for a segment that is not among the names.
[[nodiscard]] std::vector<TrackedPair> tracked_pairs(const AttachmentMap& map,
                                                     const std::vector<std::string>& names,
                                                     const Model& model);

}  // namespace panto
