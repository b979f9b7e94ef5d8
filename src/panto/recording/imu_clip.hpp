#pragma once
// Recordings of raw inertial sensors in memory.

#include <string>
#include <utility>
#include <vector>

#include "panto/evaluation/imu_check.hpp"
#include "panto/sample/imu_sample.hpp"
#include "panto/sample/source.hpp"

namespace panto {

/// A recording of raw sensors in memory, in SI; magnetic fields in the file's unit. A quantity that a sensor
/// lacks or missed has no flag.
struct ImuClip {
  std::string name;    ///< names the file in messages
  std::string format;  ///< "imu csv", "imu npz", "xsens mt", "apdm csv", "sto", "mvnx"
  std::vector<std::string> sensors;
  std::vector<Time> times;           ///< increasing [ns]
  double rate_hz = 0.0;              ///< nominal; 0: fewer than two samples
  std::vector<ImuReading> readings;  ///< sample by sample; sensors in the order of `sensors`
  std::vector<std::string> notes;    ///< the reader's decisions, for people

  [[nodiscard]] ImuReading& at(std::size_t sample, std::size_t sensor) {
    return readings[sample * sensors.size() + sensor];
  }
  [[nodiscard]] const ImuReading& at(std::size_t sample, std::size_t sensor) const {
    return readings[sample * sensors.size() + sensor];
  }
};

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
