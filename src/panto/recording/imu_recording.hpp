#pragma once
// A clip of raw inertial sensors as a source of samples.

#include <string>
#include <utility>
#include <vector>

#include "panto/evaluation/imu_check.hpp"
#include "panto/recording/recording.hpp"
#include "panto/sample/imu_sample.hpp"
#include "panto/sample/stages.hpp"

namespace panto {

/// Returns samples as a clip; `sensors`: the names of their readings, in order.
[[nodiscard]] ImuClip imu_clip(const std::string& name, double rate_hz, std::vector<std::string> sensors,
                               const std::vector<ImuSample>& samples);

/// Reads a clip as a source of samples.
class ImuRecording final : public Source<ImuSample> {
 public:
  explicit ImuRecording(ImuClip clip) : clip_(std::move(clip)) {}

  [[nodiscard]] const std::vector<std::string>& names() const noexcept override { return clip_.sensors; }
  /// Reads the next sample. Allocates for the first sample only.
  [[nodiscard]] ReadStatus read(ImuSample& result) noexcept override;
  /// Reads sample `index` of the clip, independent of the reading position.
  void sample(std::size_t index, ImuSample& result) const;
  /// Starts over: the next sample is the first.
  void rewind() noexcept { next_ = 0; }

  [[nodiscard]] const ImuClip& clip() const noexcept { return clip_; }
  /// Marks a sensor's readings in a stretch as missing.
  void mask(const ImuStretch& stretch) noexcept;

 private:
  ImuClip clip_;
  std::size_t next_ = 0;
};

}  // namespace panto
