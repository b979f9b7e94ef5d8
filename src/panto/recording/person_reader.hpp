#pragma once
// Reads a recording as samples of the 23 human segments.

#include <optional>
#include <string>
#include <vector>

#include "panto/recording/recording.hpp"

namespace panto {

/// Returns the index of a segment (`HumanSegment`) among names; empty if it is missing.
[[nodiscard]] std::optional<std::size_t> entry_of(const std::vector<std::string>& names, int segment);

/// Reads a person in the frames of the 23 segments, whatever names the recording uses.
class PersonReader {
 public:
  /// The recording must outlive this object. @throws FormatError as `check_trackable`.
  explicit PersonReader(Recording& recording);

  /// Returns the human segments that the recording has, in the samples' order.
  [[nodiscard]] const std::vector<std::string>& names() const noexcept { return names_; }
  [[nodiscard]] ReadStatus read(SegmentSample& person) noexcept;
  /// Returns the recording's own contacts of the last sample.
  [[nodiscard]] GivenContacts contacts() const noexcept { return recording_->contacts(); }

 private:
  struct Part {
    std::size_t from;      // index in the recording's sample
    Eigen::Matrix3d R_SF;  // the human segment's frame in the recording's frame
    bool turned;
  };
  Recording* recording_;
  std::vector<std::string> names_;
  std::vector<Part> parts_;
  SegmentSample raw_;
};

}  // namespace panto
