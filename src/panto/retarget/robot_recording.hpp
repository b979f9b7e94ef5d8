#pragma once
// Reads a person's recording as samples for a robot.

#include <string>
#include <vector>

#include "panto/recording/person_reader.hpp"
#include "panto/retarget/foot_plan.hpp"
#include "panto/robot/skeleton.hpp"

namespace panto {

/// Converts a recording to samples for a robot's map; its attachments are the map's.
class RobotRecording final : public Recording {
 public:
  /// `person`: the recording, at its beginning; it must outlive this object. Removes, with a note,
  /// attachments of the map whose segment the recording lacks. `feet`: poses of the feet instead of the
  /// skeleton's. @throws ConfigError if no attachment remains.
  RobotRecording(Recording& person, const Model& robot, const robot::Map& map,
                 const SubjectDimensions& subject, const robot::SkeletonOptions& options, FootPlan feet);

  [[nodiscard]] const std::vector<std::string>& names() const noexcept override { return reader_.names(); }
  [[nodiscard]] ReadStatus read(SegmentSample& sample) noexcept override;
  [[nodiscard]] const RecordingInfo& info() const noexcept override { return info_; }
  [[nodiscard]] const std::string& problem() const noexcept override { return recording_->problem(); }
  void rewind() override;

  /// Returns whether samples are relative to a base that the solver does not move (`Skeleton::base`), which
  /// is not at the world's origin; false after `show_world`.
  [[nodiscard]] bool carried() const noexcept { return carried_ && !in_world_; }
  /// Makes samples of a carried robot those of the world from now on: for judging, after solving.
  void show_world() noexcept { in_world_ = true; }

  /// Returns the person's sample from which the last sample was made.
  [[nodiscard]] const SegmentSample& person() const noexcept { return person_; }
  [[nodiscard]] const robot::Skeleton& skeleton() const noexcept { return skeleton_; }
  /// Returns the plan of the feet that are held; empty if none are.
  [[nodiscard]] const FootPlan& plan() const noexcept { return feet_; }
  /// Returns whether feet in stance keep their place.
  [[nodiscard]] bool plants_feet() const noexcept { return !feet_entries_.empty(); }
  /// Returns the frame's index among the samples with increasing stamps; -1: before the first.
  [[nodiscard]] int frame() const noexcept { return frame_; }

 private:
  Recording* recording_;
  PersonReader reader_;
  RecordingInfo info_;
  std::size_t notes_taken_ = 0;  // number of the file's own notes that were copied
  robot::Skeleton skeleton_, at_rest_;
  FootPlan feet_;
  std::vector<std::size_t> feet_entries_;  // sample entries of the feet
  std::size_t base_entry_ = 0;
  SegmentSample person_;
  int frame_ = -1;
  Time last_ = 0;
  bool carried_ = false, in_world_ = false;

  void plant(SegmentSample& sample) const noexcept;
};

/// Moves a sample that is relative to a base, or a State of a robot solved there, to the world.
void carry(const robot::Skeleton::BasePose& base, SegmentSample& sample) noexcept;
void carry(const robot::Skeleton::BasePose& base, State& state) noexcept;

}  // namespace panto
