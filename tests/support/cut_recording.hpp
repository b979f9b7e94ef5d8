#pragma once
// Some frames of a recording as a recording of their own: a cut of a clip, or a clip played to and fro.

#include <string>
#include <utility>
#include <vector>

#include "panto/recording/recording.hpp"

namespace panto::test {

/// A recording in memory that is interpreted as the one it was taken from.
class CutRecording final : public Recording {
 public:
  /// Reads `recording` to its end.
  explicit CutRecording(Recording& recording) : info_(recording.info()), names_(recording.names()) {
    SegmentSample sample;
    while (recording.read(sample) == ReadStatus::Sample) samples_.push_back(sample);
    info_.frames = static_cast<std::int64_t>(samples_.size());
  }
  CutRecording(const CutRecording& whole, std::vector<SegmentSample> samples)
      : info_(whole.info_), names_(whole.names_), samples_(std::move(samples)) {
    info_.frames = static_cast<std::int64_t>(samples_.size());
  }

  /// Returns `count` frames from `first` on.
  [[nodiscard]] CutRecording cut(std::size_t first, std::size_t count) const {
    const auto from = samples_.begin() + static_cast<std::ptrdiff_t>(first);
    return {*this, {from, from + static_cast<std::ptrdiff_t>(count)}};
  }
  /// Returns the frames in order, then in reverse order; measured velocities are left out.
  [[nodiscard]] CutRecording to_and_fro() const {
    std::vector<SegmentSample> frames = samples_;
    frames.insert(frames.end(), samples_.rbegin(), samples_.rend());
    const Time step = samples_.size() > 1 ? samples_[1].t - samples_[0].t : 0;
    for (std::size_t k = 0; k < frames.size(); ++k) {
      frames[k].t = samples_[0].t + static_cast<Time>(k) * step;
      for (SegmentMotion& segment : frames[k].segments)
        segment.has_angular_velocity = segment.has_linear_velocity = false;
    }
    return {*this, std::move(frames)};
  }

  [[nodiscard]] const std::vector<SegmentSample>& samples() const noexcept { return samples_; }
  [[nodiscard]] const std::vector<std::string>& names() const noexcept override { return names_; }
  [[nodiscard]] const RecordingInfo& info() const noexcept override { return info_; }
  [[nodiscard]] const std::string& problem() const noexcept override { return problem_; }
  [[nodiscard]] ReadStatus read(SegmentSample& sample) noexcept override {
    if (next_ >= samples_.size()) return ReadStatus::EndOfMotion;
    sample = samples_[next_++];
    return ReadStatus::Sample;
  }
  void rewind() override { next_ = 0; }

 private:
  RecordingInfo info_;
  std::vector<std::string> names_;
  std::vector<SegmentSample> samples_;
  std::string problem_;
  std::size_t next_ = 0;
};

}  // namespace panto::test
