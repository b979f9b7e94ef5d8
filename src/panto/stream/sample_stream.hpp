#pragma once
// What arrives live, datagram by datagram, as samples; and samples as datagrams, to try it without a suit.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "panto/base/index.hpp"
#include "panto/base/time.hpp"
#include "panto/model/human.hpp"

namespace panto::stream {

/// What a datagram brought.
enum class Brought : std::uint8_t {
  Sample,   ///< a whole sample
  Part,     ///< something that is kept: a fragment, dimensions, a heartbeat
  Ignored,  ///< understood, but for somebody else or of a kind that is not used
  Late,     ///< older than the newest sample, or a repetition
  Refused,  ///< not of this protocol, or damaged
};
inline constexpr int kBroughtCount = 5;

/// Counts of datagrams by what they brought, and of samples that never came.
struct StreamCounts {
  std::array<std::int64_t, at(kBroughtCount)> by{};
  std::int64_t lost = 0;  ///< samples that the sender numbered and that did not arrive whole
  [[nodiscard]] std::int64_t of(Brought what) const noexcept { return by[static_cast<std::size_t>(what)]; }
};

/// Turns the datagrams of one protocol into samples of one person. Pure: bytes and local time are arguments.
template <typename Sample>
class SampleStream {
 public:
  SampleStream() = default;
  SampleStream(const SampleStream&) = delete;
  SampleStream& operator=(const SampleStream&) = delete;
  virtual ~SampleStream() = default;

  /// Takes a datagram that arrived at local time `arrival` [ns]. Does not allocate once the first sample came
  /// whole. Anything may be in the datagram; what is damaged changes nothing.
  virtual Brought take(std::span<const std::byte> datagram, Time arrival) noexcept = 0;

  /// The same, from one of several senders; `sender` stands for its address. It is `take` where one sender
  /// makes the stream.
  virtual Brought take_from(std::uint64_t /*sender*/, std::span<const std::byte> datagram,
                            Time arrival) noexcept {
    return take(datagram, arrival);
  }
  /// Returns whether several senders make one stream.
  [[nodiscard]] virtual bool gathers() const noexcept { return false; }
  /// Returns what to answer to the sender of the last datagram, never more bytes than that had; empty:
  /// nothing.
  [[nodiscard]] virtual std::span<const std::byte> reply() const noexcept { return {}; }

  /// Returns the newest sample. Its stamp is 0 for the first and increases always [ns]: by the sender's
  /// counter or clock where it has one, else by arrival. After a restart of the sender `cut` is set where the
  /// sample has it.
  [[nodiscard]] virtual const Sample& sample() const noexcept = 0;
  /// Returns the names of the sample's items in its order; complete from the first sample on.
  [[nodiscard]] virtual const std::vector<std::string>& names() const noexcept = 0;
  /// Returns the person's dimensions, if the stream has told them.
  [[nodiscard]] virtual std::optional<SubjectDimensions> person() const { return std::nullopt; }
  /// Returns what the decoder decided or doubts, one sentence each, for people.
  [[nodiscard]] virtual std::vector<std::string> notes() const { return {}; }
  [[nodiscard]] virtual const StreamCounts& counts() const noexcept = 0;
};

/// Datagrams in the order in which they are sent.
using Datagrams = std::vector<std::vector<std::byte>>;

/// Turns samples into datagrams of one protocol, as a suit would send them.
template <typename Sample>
class SampleEncoder {
 public:
  SampleEncoder() = default;
  SampleEncoder(const SampleEncoder&) = delete;
  SampleEncoder& operator=(const SampleEncoder&) = delete;
  virtual ~SampleEncoder() = default;

  /// Returns what a sender tells before the samples and repeats every second: dimensions, names.
  [[nodiscard]] virtual Datagrams introduction() = 0;
  /// Returns the datagrams of a sample.
  [[nodiscard]] virtual Datagrams encode(const Sample& sample) = 0;
};

}  // namespace panto::stream
