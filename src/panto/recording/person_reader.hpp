#pragma once
// A recording as samples of the human's 23 segments.

#include <optional>
#include <string>
#include <vector>

#include "panto/recording/recording.hpp"

namespace panto {

/// Returns where a segment (`HumanSegment`) stands among names; nothing where it does not.
[[nodiscard]] std::optional<std::size_t> entry_of(const std::vector<std::string>& names, int segment);

/// Reads a person in the 23 segments' own frames, whatever the recording calls them.
class PersonReader {
 public:
  /// The recording must outlive it. @throws FormatError as `check_trackable`.
  explicit PersonReader(Recording& recording);

  /// Those of the 23 segments that the recording has, in the samples' order.
  [[nodiscard]] const std::vector<std::string>& names() const noexcept { return names_; }
  [[nodiscard]] ReadStatus read(SegmentSample& person) noexcept;
  /// The recording's own contacts in the last sample.
  [[nodiscard]] GivenContacts contacts() const noexcept { return recording_->contacts(); }

 private:
  struct Part {
    std::size_t from;      // entry of the recording's sample
    Eigen::Matrix3d R_SF;  // the human's frame seen from the recording's
    bool turned;
  };
  Recording* recording_;
  std::vector<std::string> names_;
  std::vector<Part> parts_;
  SegmentSample raw_;
};

}  // namespace panto
