#pragma once
// How well a live stream arrives: fresh, late, lost, coming back. Pure: local time is an argument.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "panto/base/time.hpp"

namespace panto::live {

enum class StreamState : std::uint8_t {
  Waiting,    ///< no sample yet
  Good,       ///< samples come
  Late,       ///< the newest is older than two periods and 50 ms
  Lost,       ///< ... than 0.5 s
  Returning,  ///< samples come again, and the motion is led back within its limits
  Clock,      ///< the sender's stamps ran more than 1 s away from this computer's clock, by more than 5 %
  Fault,      ///< for 0.5 s no sample could be used
};

[[nodiscard]] const char* to_string(StreamState state) noexcept;
/// Returns whether nothing can be followed.
[[nodiscard]] inline bool is_bad(StreamState state) noexcept {
  return state == StreamState::Lost || state == StreamState::Fault;
}

/// Watches the samples of one stream.
class StreamWatch {
 public:
  /// `items`: in a sample.
  explicit StreamWatch(std::size_t items = 0) : seen_(items, 0) {}

  /// A sample came at `now` [ns] with stamp `t` [ns].
  void came(Time now, Time t) noexcept;
  /// Item `i` of the newest sample is valid.
  void has(std::size_t i) noexcept { seen_[i] = newest_; }
  /// This program did not run until `now`, as after SIGSTOP: what it did not hear is not the stream's fault.
  void paused(Time now) noexcept;
  /// What became of the newest sample. `used`: it advanced the state; `returning`: see `StepReport`.
  void stepped(bool used, bool returning) noexcept;

  /// Returns the state of the stream at `now`.
  [[nodiscard]] StreamState at(Time now) const noexcept;
  /// Returns whether item `i` is missing for more than 0.1 s while samples come.
  [[nodiscard]] bool is_missing(std::size_t i) const noexcept;

  [[nodiscard]] std::size_t items() const noexcept { return seen_.size(); }
  [[nodiscard]] std::int64_t samples() const noexcept { return samples_; }
  [[nodiscard]] std::int64_t unused() const noexcept { return unused_; }    ///< samples that advanced nothing
  [[nodiscard]] std::int64_t losses() const noexcept { return losses_; }    ///< and came back
  [[nodiscard]] std::int64_t fast() const noexcept { return fast_; }        ///< while the clock ran ahead
  [[nodiscard]] std::int64_t slow() const noexcept { return slow_; }        ///< while it fell behind
  [[nodiscard]] Time longest_gap() const noexcept { return longest_gap_; }  ///< between samples [ns]
  /// Returns samples per second by the sender's stamps; 0: too few samples.
  [[nodiscard]] double rate_hz() const noexcept;

 private:
  void compare(Time arrived, Time stamped) noexcept;

  Time newest_ = 0, first_stamp_ = 0, last_stamp_ = 0, used_at_ = 0, longest_gap_ = 0;
  std::vector<Time> seen_;  // when an item was valid last
  std::int64_t samples_ = 0, unused_ = 0, losses_ = 0;
  Time ahead_ = 0, behind_ = 0;  // of the sender's clock, beyond its tolerance [ns]
  std::int64_t fast_ = 0, slow_ = 0;
  bool returning_ = false;
};

}  // namespace panto::live
