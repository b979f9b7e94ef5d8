#pragma once
// Recordings of raw inertial sensors in memory.

#include <string>
#include <utility>
#include <vector>

#include "panto/evaluation/imu_check.hpp"
#include "panto/sample/imu_sample.hpp"
#include "panto/sample/source.hpp"

namespace panto {

/// A recording of raw sensors in memory, in SI; fields in the file's unit. What a sensor does not have, or
/// missed, has no flag.
struct ImuClip {
  std::string name;    ///< stands for the file in messages
  std::string format;  ///< "imu csv", "imu npz", "xsens mt", "apdm csv", "sto", "mvnx"
  std::vector<std::string> sensors;
  std::vector<Time> times;           ///< increasing [ns]
  double rate_hz = 0.0;              ///< nominal; 0: fewer than two samples
  std::vector<ImuReading> readings;  ///< sample by sample, sensors in their order
  std::vector<std::string> notes;    ///< decisions of the reader, for people

  [[nodiscard]] ImuReading& at(std::size_t sample, std::size_t sensor) {
    return readings[sample * sensors.size() + sensor];
  }
  [[nodiscard]] const ImuReading& at(std::size_t sample, std::size_t sensor) const {
    return readings[sample * sensors.size() + sensor];
  }
};

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
