#pragma once
// A recording without some of its segments: as a suit or a rig without arms, or without legs.

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "panto/recording/recording.hpp"

namespace panto::test {

class PartialRecording final : public Recording {
 public:
  /// Leaves out the segments whose names contain one of `words`.
  PartialRecording(std::unique_ptr<Recording> whole, const std::vector<std::string>& words)
      : whole_(std::move(whole)), info_(whole_->info()) {
    std::erase_if(info_.attachments.attachments, [&](const Attachment& a) {
      return std::any_of(words.begin(), words.end(),
                         [&](const std::string& word) { return a.link.find(word) != std::string::npos; });
    });
  }
  [[nodiscard]] const std::vector<std::string>& names() const noexcept override { return whole_->names(); }
  [[nodiscard]] ReadStatus read(SegmentSample& sample) noexcept override { return whole_->read(sample); }
  [[nodiscard]] const RecordingInfo& info() const noexcept override { return info_; }
  [[nodiscard]] const std::string& problem() const noexcept override { return whole_->problem(); }
  void rewind() override { whole_->rewind(); }

 private:
  std::unique_ptr<Recording> whole_;
  RecordingInfo info_;
};

}  // namespace panto::test
