#pragma once
// Tracks a recording of a person with a model of a human.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "panto/evaluation/recording_health.hpp"
#include "panto/evaluation/report_card.hpp"
#include "panto/ik/make_solver.hpp"
#include "panto/motion/motion.hpp"
#include "panto/recording/recording.hpp"
#include "panto/targets/own_targets.hpp"
#include "panto/tracking/observer.hpp"

namespace panto {

/// How `track` works.
struct TrackOptions {
  SolverKind solver = SolverKind::Dynamical;  ///< the method
  SolverOptions method;                       ///< its options
  OwnTargetsOption own;                       ///< targets and joint rows beside the recording's
  double settle = 0.5;                        ///< [s] >= 0 at the start that the statistics leave out
  bool keep_motion = true;  ///< false: `TrackResult::motion` stays empty, so that memory does not grow
};

/// What tracking a recording yields.
struct TrackResult {
  Motion motion;  ///< the State of every solved frame
  ReportCard card;
  std::vector<TrackedPair> pairs;     ///< which link follows which segment
  std::vector<Finding> findings;      ///< of the recording
  std::vector<std::string> notes;     ///< for people, in the order in which they came up
  std::optional<std::string> damage;  ///< where and why reading stopped early
  std::int64_t frames_used = 0;       ///< samples of the recording that were read
};

/// Tracks `recording`, from where it stands to its end, with a model whose links have the names of the
/// recording's segments. The model's coupled rows are ignored, with a note.
/// @throws FormatError for a recording without motion, or of which no frame can be solved; ModelError for a
/// model that lacks a link, own targets that do not fit it, and a method without own targets; ConfigError for
/// options out of range; what `own.update` throws; Cancelled.
[[nodiscard]] TrackResult track(Recording& recording, const Model& model, const TrackOptions& options = {},
                                const Observer& observer = {});

/// Returns the person's dimensions: `height` [m] and `mass` [kg] where given, else the recording's, else an
/// average body of 1.75 m. Doubts are added to `notes`.
[[nodiscard]] SubjectDimensions subject_of(const RecordingInfo& info, std::optional<double> height,
                                           std::optional<double> mass, std::vector<std::string>& notes);

/// Returns which link of `model` `track` lets follow which segment of a recording. @throws ModelError for a
/// link that the model lacks.
[[nodiscard]] std::vector<TrackedPair> followed_pairs(const Recording& recording, const Model& model);

/// Returns which link of `model` follows which of the segments `names`. @throws ModelError for a link that
/// the model lacks, ConfigError for a segment that is not among the names.
[[nodiscard]] std::vector<TrackedPair> tracked_pairs(const AttachmentMap& map,
                                                     const std::vector<std::string>& names,
                                                     const Model& model);

}  // namespace panto
