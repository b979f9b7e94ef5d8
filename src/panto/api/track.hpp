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
#include "panto/tracking/observer.hpp"

namespace panto {

/// How `track` works.
struct TrackOptions {
  SolverKind solver = SolverKind::Dynamical;  ///< the method
  SolverOptions method;                       ///< its options
  double settle = 0.5;                        ///< [s] >= 0: start that the statistics leave out
  bool keep_motion = true;  ///< false: `TrackResult::motion` stays empty, so that memory does not grow
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
};

/// Tracks `recording`, from its current position to its end, with a model whose links have the names of the
/// recording's segments. Ignores the model's coupled rows, with a note.
/// @throws FormatError for a recording without motion or without a solvable frame; ModelError for a model
/// that lacks a link; ConfigError for options out of range; Cancelled.
[[nodiscard]] TrackResult track(Recording& recording, const Model& model, const TrackOptions& options = {},
                                const Observer& observer = {});

/// Returns the person's dimensions: `height` [m] and `mass` [kg] where given, else the recording's, else an
/// average body of 1.75 m. Adds doubts to `notes`.
[[nodiscard]] SubjectDimensions subject_of(const RecordingInfo& info, std::optional<double> height,
                                           std::optional<double> mass, std::vector<std::string>& notes);

/// Returns the pairs of link of `model` and segment that `track` uses for a recording. @throws ModelError for
/// a link that the model lacks.
[[nodiscard]] std::vector<TrackedPair> followed_pairs(const Recording& recording, const Model& model);

/// Returns the pairs of link of `model` and segment of `names` that `map` connects. @throws ModelError for a
/// link that the model lacks, ConfigError for a segment that is not among the names.
[[nodiscard]] std::vector<TrackedPair> tracked_pairs(const AttachmentMap& map,
                                                     const std::vector<std::string>& names,
                                                     const Model& model);

}  // namespace panto
