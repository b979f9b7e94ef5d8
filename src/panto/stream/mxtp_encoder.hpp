#pragma once
// Samples of the 23 segments as the datagrams of MVN's network stream (docs/formats/mvn_stream.md).

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "panto/model/human.hpp"
#include "panto/sample/segment_sample.hpp"
#include "panto/stream/mxtp.hpp"
#include "panto/stream/sample_stream.hpp"

namespace panto::stream {

struct MxtpEncoderOptions {
  double rate_hz = 60.0;  ///< of the sample counter, > 0
  bool pose = true;       ///< type 02: positions, orientations
  bool linear = false;    ///< type 21: positions, velocities
  bool angular = false;   ///< type 22: orientations, angular velocities
  int character = 0;      ///< 0 .. 255
  std::uint32_t first_counter = 0;
  std::optional<SubjectDimensions> person;  ///< introduced by type 13
  std::size_t largest_bytes = 1472;         ///< of a datagram, >= 128; larger samples are sent in fragments
};

/// Sends as MVN does: all 23 segments, types of one sample one after the other, every type with its own
/// fragments. What a sample lacks is NaN; accelerations are zero.
class MxtpEncoder final : public SampleEncoder<SegmentSample> {
 public:
  /// `names` of the samples' segments, in any order; others than the 23 are not sent. @throws ConfigError if
  /// one of the 23 is missing, or an option is out of range.
  explicit MxtpEncoder(std::span<const std::string> names, const MxtpEncoderOptions& options = {});

  /// Returns type 13: segment origins in the T-pose, then the points; nothing without a person.
  [[nodiscard]] Datagrams introduction() override;
  /// Returns the datagrams of a sample. Its counter is its stamp times the rate, but always larger than the
  /// one before.
  [[nodiscard]] Datagrams encode(const SegmentSample& sample) override;

 private:
  void check() const;
  void add(Datagrams& datagrams, MxtpType type, const SegmentSample& sample) const;

  MxtpEncoderOptions options_;
  std::array<std::size_t, kHumanSegmentCount> index_{};  // of segment i in the samples
  std::uint32_t counter_ = 0, time_code_ = 0;
  bool begun_ = false;
};

}  // namespace panto::stream
