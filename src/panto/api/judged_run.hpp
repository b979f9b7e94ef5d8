#pragma once
// The last pass over a recording: every frame goes to the report and to who watches. (not installed)

#include <array>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "panto/api/track.hpp"
#include "panto/robot/body_touch.hpp"
#include "panto/tracking/run.hpp"

namespace panto {

/// Collects the notes of a job and passes each on.
class Notes {
 public:
  explicit Notes(const Observer& observer) : observer_(&observer) {}
  void add(std::string note);
  void add(const std::vector<std::string>& notes);
  /// Adds those of a recording that are new.
  void take(const Recording& recording);
  [[nodiscard]] std::vector<std::string> all() && { return std::move(all_); }

 private:
  const Observer* observer_;
  std::vector<std::string> all_;
  std::size_t taken_ = 0;
};

/// What is known of the frame that was just answered, besides what the tracker measured.
struct FrameFacts {
  StepRecord record;
  bool counts = true;                     ///< its step has not been counted before
  const SegmentSample* person = nullptr;  ///< that the recording's figures see; null: none
};

/// A run whose frames are reported.
struct JudgedRun {
  const Model& model;
  Source<SegmentSample>& source;
  Tracker<SegmentSample>& tracker;
  const Recording& recording;             ///< behind the source: its rate, notes and problem
  std::vector<std::string> health_names;  ///< of the samples that the recording's figures see
  std::optional<std::int64_t> frames;     ///< to come, for progress
  double settle = 0.5;                    ///< [s]
  bool keep_motion = true;
  std::function<FrameFacts(const SegmentSample&)> facts;
  std::function<void(const SegmentSample&, StepStatus, const State&)> judge;  ///< may be empty
  std::span<const SegmentSample> persons = {};  ///< that the recording's figures see before the run
};

/// Runs to the end and fills `result`: card, motion, findings, damage, frames used. `pairs` of it are set.
/// @throws FormatError for a source without motion, or of which no frame can be solved; Cancelled.
void run_judged(const JudgedRun& job, const Observer& observer, Notes& notes, TrackResult& result);

}  // namespace panto
