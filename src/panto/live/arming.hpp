#pragma once
// Whether a live run may move robots. Safe by default: nothing moves until somebody says so.

#include <atomic>

#include "panto/base/time.hpp"
#include "panto/live/stream_watch.hpp"

namespace panto::live {

/// A switch between a live run and its robots: disarmed, references are sent as invalid or not at all, so
/// that robots hold. `armed` may be called by any thread, the others by one.
class Arming {
 public:
  /// A stream that is lost for this long disarms: whoever wears the suit may by then stand elsewhere [ns].
  static constexpr Time kDeadMan = 2'000'000'000;

  explicit Arming(bool armed = false) noexcept : armed_(armed) {}

  [[nodiscard]] bool armed() const noexcept { return armed_.load(std::memory_order_relaxed); }
  void set(bool armed) noexcept { armed_ = armed; }
  /// Call ten times a second or more, with a steady clock's time. Returns true when it disarms.
  bool watch(StreamState stream, Time now) noexcept;

 private:
  std::atomic<bool> armed_;
  Time lost_since_ = 0;  // 0: the stream comes
};

}  // namespace panto::live
