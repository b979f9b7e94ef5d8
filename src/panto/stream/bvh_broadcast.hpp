#pragma once
// The BVH broadcast of Noitom's programs as samples, and samples as that broadcast
// (docs/formats/bvh_stream.md).

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "panto/sample/segment_sample.hpp"
#include "panto/stream/bvh_broadcast_frame.hpp"
#include "panto/stream/mxtp_clock.hpp"
#include "panto/stream/sample_stream.hpp"

namespace panto::stream {

/// One body, the character that is asked for or the first that comes, from binary frames in one or more
/// datagrams, or from lines of text in one. A sample has the segments that have bones, in our order: all but
/// the toes. Positions are those of the bones where displacements are sent, else the pelvis' alone.
class BvhBroadcast final : public SampleStream<SegmentSample> {
 public:
  explicit BvhBroadcast(std::optional<int> character = {});

  Brought take(std::span<const std::byte> datagram, Time arrival) noexcept override;
  [[nodiscard]] const SegmentSample& sample() const noexcept override { return sample_; }
  [[nodiscard]] const std::vector<std::string>& names() const noexcept override { return names_; }
  [[nodiscard]] std::optional<SubjectDimensions> person() const override;
  [[nodiscard]] std::vector<std::string> notes() const override;
  [[nodiscard]] const StreamCounts& counts() const noexcept override { return counts_; }

 private:
  Brought collect(std::span<const std::byte> datagram, Time arrival) noexcept;
  Brought deliver(Time arrival) noexcept;
  bool advance(Time arrival) noexcept;
  bool count(std::uint32_t index, Time arrival) noexcept;
  void fill() noexcept;

  SegmentSample sample_;
  std::vector<std::string> names_;
  std::vector<int> segments_;  // of the sample's items
  StreamCounts counts_;

  // a binary frame that is not whole yet
  std::array<std::byte, kBroadcastHead + 4 * kBroadcastMost> collected_{};
  std::size_t have_ = 0, need_ = 0;

  BroadcastFrame frame_;
  BroadcastPose pose_, next_pose_;
  bool any_ = false, lengths_ = false;
  bool asked_;  // for this avatar
  std::optional<std::uint32_t> avatar_;

  // stamps
  MxtpClock clock_;
  StrideCount strides_;
  std::optional<std::uint32_t> last_index_;
  Time clock_t_ = 0, last_arrival_ = 0;
  int still_ = 0;  // frames whose index did not advance

  // notes
  bool others_ = false, restarted_ = false, stood_ = false;
};

/// How the broadcast is sent.
enum class BroadcastForm : std::uint8_t { Binary, Text };

/// Sends a body as Noitom's programs do, with displacements: those of `person`, only the hips' come from the
/// sample. Fingers are straight. A binary frame is two datagrams, neither beyond 1472 bytes.
class BvhBroadcastEncoder final : public SampleEncoder<SegmentSample> {
 public:
  /// `names` of the samples' segments; a segment that is missing or not measured turns with its parent.
  /// @throws ConfigError when the Pelvis or T8 is missing.
  explicit BvhBroadcastEncoder(const std::vector<std::string>& names,
                               const SubjectDimensions& person = scaled_subject(1.75),
                               BroadcastForm form = BroadcastForm::Binary, std::uint32_t character = 0);

  /// Returns nothing: the protocol has no introduction.
  [[nodiscard]] Datagrams introduction() override { return {}; }
  [[nodiscard]] Datagrams encode(const SegmentSample& sample) override;

 private:
  std::array<int, at(kHumanSegmentCount)> item_of_;  // of a segment in the sample
  SubjectDimensions person_;
  BroadcastForm form_;
  std::uint32_t character_, index_ = 0;
};

}  // namespace panto::stream
