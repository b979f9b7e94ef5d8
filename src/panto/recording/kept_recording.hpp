#pragma once
// A recording that is read once and used several times.

#include <string>
#include <vector>

#include "panto/recording/recording.hpp"

namespace panto {

/// Keeps the samples of a recording in memory, up to a size; of a longer one those up to that size, until
/// `rewind`, after which it reads the recording again.
class KeptRecording final : public Recording {
 public:
  /// Limit on kept samples: 3.5 kB each for a whole body.
  static constexpr std::size_t kMostSamples = 60'000;

  /// Reads `recording` from its current position to its end, or to more than `most` samples. It must outlive
  /// this object.
  explicit KeptRecording(Recording& recording, std::size_t most = kMostSamples);

  /// Returns whether all samples are in memory.
  [[nodiscard]] bool whole() const noexcept { return whole_; }
  [[nodiscard]] const std::vector<std::string>& names() const noexcept override {
    return recording_->names();
  }
  [[nodiscard]] const RecordingInfo& info() const noexcept override { return recording_->info(); }
  [[nodiscard]] const std::string& problem() const noexcept override;
  [[nodiscard]] GivenContacts contacts() const noexcept override;
  [[nodiscard]] ReadStatus read(SegmentSample& sample) noexcept override;
  void rewind() override;

 private:
  Recording* recording_;
  bool whole_ = true;    // all samples are kept
  bool beyond_ = false;  // reads what is not kept
  std::vector<SegmentSample> samples_;
  std::vector<GivenContacts> contacts_;
  ReadStatus end_ = ReadStatus::EndOfMotion;
  std::size_t next_ = 0;
  bool ended_ = false;
  std::string problem_;  // of a sample that could not be copied
};

}  // namespace panto
