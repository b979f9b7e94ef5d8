#pragma once
// One character of MVN's network stream as samples of the 23 segments (docs/formats/mvn_stream.md).

#include <array>
#include <bitset>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "panto/base/index.hpp"
#include "panto/model/human.hpp"
#include "panto/sample/segment_sample.hpp"
#include "panto/stream/mxtp.hpp"
#include "panto/stream/mxtp_clock.hpp"
#include "panto/stream/mxtp_scale.hpp"
#include "panto/stream/sample_stream.hpp"

namespace panto::stream {

/// Joins types 02 (pose), 21 (linear) and 22 (angular motion) of one counter into one sample, in Panto's
/// world axes. Segments are those of `human_segment_names`, in T-pose frames.
///
/// Which types belong to a sample is learned: a type that came with any of the last eight counters is waited
/// for, but no longer than until the next counter's first datagram. The first sample needs orientations and
/// positions; a stream that has only one of them begins with its second counter.
class MxtpBody final : public SampleStream<SegmentSample> {
 public:
  /// Follows the character with this id; without one the first that sends a pose or dimensions, and when that
  /// is silent for 600 datagrams of others, the next.
  explicit MxtpBody(std::optional<int> character = std::nullopt);

  Brought take(std::span<const std::byte> datagram, Time arrival) noexcept override;
  [[nodiscard]] const SegmentSample& sample() const noexcept override { return sample_; }
  [[nodiscard]] const std::vector<std::string>& names() const noexcept override;
  [[nodiscard]] std::optional<SubjectDimensions> person() const override;
  [[nodiscard]] std::vector<std::string> notes() const override;
  [[nodiscard]] const StreamCounts& counts() const noexcept override { return counts_; }

 private:
  enum Kind : int { Pose, Linear, Angular };
  static constexpr int kKinds = 3;
  static constexpr int kSlots = 8;

  // one type of one counter
  struct Part {
    std::bitset<128> come;  // fragments
    int last = -1;          // index of the last fragment, once it came
    std::uint32_t ids = 0;  // segments seen
    [[nodiscard]] bool whole() const noexcept {
      return ids != 0 && last >= 0 && come.count() == at(last) + 1;
    }
    [[nodiscard]] bool fits(const MxtpHeader& header) const noexcept;
  };

  // one counter that is not yet a sample; values as sent
  struct Slot {
    bool used = false;
    std::uint32_t counter = 0, time_code = 0;
    std::array<Part, kKinds> parts;
    std::array<SegmentMotion, kHumanSegmentCount> segments;
    [[nodiscard]] bool whole(Kind kind) const noexcept { return parts[at(kind)].whole(); }
  };

  enum class Order : std::uint8_t { Newer, Old, Restarted };
  enum class Up : std::uint8_t { Unknown, Z, Y, YOfZFrames };

  static std::optional<Kind> kind_of(MxtpType type) noexcept;
  Brought sort(std::span<const std::byte> datagram, Time arrival) noexcept;
  bool follows(int character) noexcept;
  Brought take_motion(std::span<const std::byte> datagram, const MxtpHeader& header, Kind kind,
                      Time arrival) noexcept;
  Order order(const MxtpHeader& header) noexcept;
  bool in_a_row(std::uint32_t counter, bool old) noexcept;
  void restart() noexcept;
  Slot* slot_of(const MxtpHeader& header) noexcept;
  static int store(std::span<const std::byte> datagram, const MxtpHeader& header, Kind kind,
                   Slot& slot) noexcept;
  [[nodiscard]] bool knows_kinds() const noexcept;
  [[nodiscard]] bool usual(Kind kind) const noexcept;
  [[nodiscard]] bool complete(const Slot& slot) const noexcept;
  [[nodiscard]] bool presentable(const Slot& slot) const noexcept;
  Slot* overtaken() noexcept;
  void note_kinds(const Slot& slot) noexcept;
  Brought yield(Slot& slot, Time arrival) noexcept;
  void find_up(const Slot& slot) noexcept;
  void turn(SegmentMotion& segment) const noexcept;

  bool asked_;  // for this character
  std::optional<int> character_;
  int foreign_ = 0;  // datagrams of others since one of its own
  std::bitset<256> others_;
  SegmentSample sample_;
  StreamCounts counts_;
  MxtpScale scale_;
  MxtpClock clock_;
  StrideCount stride_;

  std::array<Slot, kSlots> slots_;
  std::optional<std::uint32_t> newest_;  // counter of the sample
  std::uint32_t newest_time_code_ = 0;
  bool begun_ = false;                // there is a sample
  std::array<int, kKinds> silent_{};  // counters since a type came last
  int row_ = 0;                       // datagrams in a row that are old or far away
  std::uint32_t row_counter_ = 0;
  Up up_ = Up::Unknown;
  bool turned_ = false;  // the axes changed after the first sample: the next one is cut
  bool euler_ = false, unity_ = false;
  std::int64_t invalid_ = 0;  // orientations and positions that were sent and not usable
};

}  // namespace panto::stream
