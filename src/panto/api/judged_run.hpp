#pragma once
// The last pass over a recording: passes every frame to the report and to observers. (not installed)

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
  /// Adds the new notes of a recording.
  void take(const Recording& recording);
  [[nodiscard]] std::vector<std::string> all() && { return std::move(all_); }

 private:
  const Observer* observer_;
  std::vector<std::string> all_;
  std::size_t taken_ = 0;
};

/// Returns the option `settle` as a duration. @throws ConfigError unless it is 0 to 1e6 s.
[[nodiscard]] Time settle_time(double seconds);

/// Returns the links of pairs.
[[nodiscard]] std::vector<int> links_of(const std::vector<TrackedPair>& pairs);

/// Facts of the frame just solved, besides what the tracker measured.
struct FrameFacts {
  StepRecord record;
  bool counts = true;                     ///< its step was not counted before
  const SegmentSample* person = nullptr;  ///< the sample for the recording's figures; null: none
  const SegmentSample* shown = nullptr;   ///< whom a robot follows in this frame; null: the sample itself
};

/// A run whose frames are reported.
struct JudgedRun {
  const Model& model;
  Source<SegmentSample>& source;
  Tracker<SegmentSample>& tracker;
  const Recording& recording;             ///< that the source reads: its rate, notes and problem
  std::vector<std::string> health_names;  ///< segments of the samples for the recording's figures
  std::optional<std::int64_t> frames;     ///< to come, for progress
  double settle = 0.5;                    ///< [s]
  bool keep_motion = true;
  std::function<FrameFacts(const SegmentSample&)> facts;
  std::function<void(const SegmentSample&, StepStatus, const State&)> judge;  ///< may be empty
  std::span<const SegmentSample> persons = {};  ///< samples for the recording's figures, added before the run
  std::span<const LinkContacts> contacts = {};  ///< of the robot's feet, by solved frame
};

/// Runs to the end and fills `result`: card, motion, findings, damage, frames used. Its `pairs` must be set.
/// @throws FormatError for a source without motion or without a solvable frame; Cancelled.
void run_judged(const JudgedRun& job, const Observer& observer, Notes& notes, TrackResult& result);

}  // namespace panto
