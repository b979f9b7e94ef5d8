#pragma once
// A recording of a person, read as what a robot should do.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "panto/retarget/foot_plan.hpp"
#include "panto/io/open_recording.hpp"
#include "panto/robot/skeleton.hpp"

namespace panto {

/// Where a segment (`HumanSegment`) stands among names; nothing where it does not.
[[nodiscard]] std::optional<std::size_t> entry_of(const std::vector<std::string>& names, int segment);

/// Samples of a person in the 23 segments' own frames, whatever the recording calls them.
class PersonReader {
 public:
  /// The file must outlive it. @throws FormatError when the recording cannot be put onto a body.
  explicit PersonReader(Recording& file);

  /// Those of the 23 segments that the recording has, in the samples' order.
  [[nodiscard]] const std::vector<std::string>& names() const noexcept { return names_; }
  [[nodiscard]] ReadStatus read(SegmentSample& person) noexcept;
  /// The recording's own contacts in the last sample.
  [[nodiscard]] GivenContacts contacts() const noexcept { return file_->contacts(); }

 private:
  struct Part {
    std::size_t from;      // entry of the recording's sample
    Eigen::Matrix3d R_SF;  // the human's frame seen from the recording's
    bool turned;
  };
  Recording* file_;
  std::vector<std::string> names_;
  std::vector<Part> parts_;
  SegmentSample raw_;
};

/// The recording as samples for a robot's map: its attachments are the map's.
class RobotRecording final : public Recording {
 public:
  /// Robot and map as they are; `person`: the recording, from its beginning. Segments of the map that the
  /// recording has not are left out and noted. @throws ConfigError when none is left.
  /// `feet`: poses that feet get instead of those of the skeleton.
  RobotRecording(std::unique_ptr<Recording> person, const Model& robot, const robot::Map& map,
                 const SubjectDimensions& subject, const robot::SkeletonOptions& options, FootPlan feet);

  [[nodiscard]] const std::vector<std::string>& names() const noexcept override { return reader_.names(); }
  [[nodiscard]] ReadStatus read(SegmentSample& sample) noexcept override;
  [[nodiscard]] const RecordingInfo& info() const noexcept override { return info_; }
  [[nodiscard]] const std::string& problem() const noexcept override { return file_->problem(); }

  /// What the last sample was made from.
  [[nodiscard]] const SegmentSample& person() const noexcept { return person_; }
  [[nodiscard]] const robot::Skeleton& skeleton() const noexcept { return skeleton_; }
  /// Whether feet that stand keep their place.
  [[nodiscard]] bool plants_feet() const noexcept { return !feet_entries_.empty(); }
  /// Its place among the samples with stamps that increase; -1: before the first.
  [[nodiscard]] int frame() const noexcept { return frame_; }

 private:
  std::unique_ptr<Recording> file_;
  PersonReader reader_;
  RecordingInfo info_;
  std::size_t notes_taken_ = 0;  // of the file's own
  robot::Skeleton skeleton_;
  FootPlan feet_;
  std::vector<std::size_t> feet_entries_;  // of the samples
  std::size_t base_entry_ = 0;
  SegmentSample person_;
  int frame_ = -1;
  Time last_ = 0;

  void plant(SegmentSample& sample) const noexcept;
};

}  // namespace panto
