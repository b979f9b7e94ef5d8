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

/// A clip as a source of samples.
class ImuRecording final : public Source<ImuSample> {
 public:
  explicit ImuRecording(ImuClip clip) : clip_(std::move(clip)) {}

  [[nodiscard]] const std::vector<std::string>& names() const noexcept override { return clip_.sensors; }
  /// Allocates for the first sample only.
  [[nodiscard]] ReadStatus read(ImuSample& result) noexcept override;
  /// Sample `index` of the clip, wherever reading has got to.
  void sample(std::size_t index, ImuSample& result) const;
  /// The next sample is the first again.
  void rewind() noexcept { next_ = 0; }

  [[nodiscard]] const ImuClip& clip() const noexcept { return clip_; }
  /// Takes what a sensor said in a stretch for missing.
  void mask(const ImuStretch& stretch) noexcept;

 private:
  ImuClip clip_;
  std::size_t next_ = 0;
};

}  // namespace panto
