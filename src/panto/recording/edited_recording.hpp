#pragma once
// A person in memory: a part of a recording, spoilt on purpose to see what a method makes of it.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "panto/recording/recording.hpp"

namespace panto {

/// What is changed in a recording.
struct RecordingEdits {
  double dropped_share = 0.0;  ///< of the samples that are left out at random, 0 to 0.9
  double turned_s = 0.0;       ///< so long the person faces backwards at the start [s], >= 0
  double left_leg = 1.0;       ///< factor on the length of the left leg, 0.5 to 1.5
  std::string lost_segment;    ///< not measured in the middle third; empty: none
  std::uint64_t seed = 1;      ///< of the samples that are left out

  [[nodiscard]] bool operator==(const RecordingEdits&) const = default;
};

/// Samples of the 23 human segments from a recording that is read once. Each `rewind` starts at its first
/// sample.
class EditedRecording final : public Recording {
 public:
  /// Reads `recording` from its current position to its end; does not need it afterwards.
  /// @throws FormatError for a recording that cannot be put onto a body, or without samples.
  explicit EditedRecording(Recording& recording);

  /// Returns the stamps of all samples [ns], whatever the edits.
  [[nodiscard]] const std::vector<Time>& stamps() const noexcept { return stamps_; }
  /// Changes what the next samples are and starts over. `from` and `until` [ns], included, cut the part that
  /// is read. @throws ConfigError for edits out of range, an unknown segment, and a part without samples.
  void edit(const RecordingEdits& edits, std::optional<Time> from = {}, std::optional<Time> until = {});

  [[nodiscard]] const std::vector<std::string>& names() const noexcept override { return names_; }
  [[nodiscard]] const RecordingInfo& info() const noexcept override { return info_; }
  [[nodiscard]] const std::string& problem() const noexcept override { return problem_; }
  [[nodiscard]] GivenContacts contacts() const noexcept override;
  [[nodiscard]] ReadStatus read(SegmentSample& sample) noexcept override;
  void rewind() override { next_ = 0; }

 private:
  void spoil(std::size_t index, SegmentSample& sample) const noexcept;

  std::vector<std::string> names_;
  RecordingInfo info_;
  std::string problem_;
  std::vector<SegmentSample> samples_;
  std::vector<GivenContacts> contacts_;
  std::vector<Time> stamps_;
  RecordingEdits edits_;
  std::optional<std::size_t> lost_;
  std::vector<std::size_t> order_;  // samples that are read
  std::size_t next_ = 0;
};

}  // namespace panto
