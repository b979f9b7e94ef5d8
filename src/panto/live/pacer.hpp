#pragma once
// Stamps in real time. The one place of the robot link that reads a clock.

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include "panto/base/time.hpp"
#include "panto/motion/resample.hpp"
#include "panto/sample/stages.hpp"

namespace panto::live {

/// A clock that never goes back, and a way to wait for it. Tests bring their own.
struct Clock {
  std::function<Time()> now;              ///< [ns]
  std::function<void(Time)> sleep_until;  ///< returns at that time or later
};

/// The system's monotonic clock.
[[nodiscard]] Clock system_clock();
/// Its time [ns].
[[nodiscard]] Time monotonic_now() noexcept;

/// Waits for stamps: the first is now, each further one as much later as its stamp says. Where the program
/// falls behind by up to 0.5 s it catches up; beyond that (a machine that was suspended) time goes on from
/// there, so that references do not come in a burst.
class Pacer {
 public:
  explicit Pacer(Clock clock = system_clock()) : clock_(std::move(clock)) {}

  /// Returns when it is time for `t`.
  void wait_until(Time t);

  [[nodiscard]] double latest() const noexcept { return to_seconds(latest_); }  ///< largest delay so far [s]
  [[nodiscard]] int restarts() const noexcept { return restarts_; }

 private:
  Clock clock_;
  std::optional<Time> origin_;  // of the stamps on the clock
  Time latest_ = 0;
  int restarts_ = 0;
};

/// States at any rate in; to `inner` go States at `rate_hz`, each at its time. `write` waits, so that whoever
/// computes the States runs in real time too. Nothing is owned.
class PacedSink final : public Sink {
 public:
  /// @throws ConfigError unless rate_hz is finite and > 0.
  PacedSink(Sink& inner, double rate_hz, Clock clock = system_clock());

  /// Dropped: not newer than the last, or one of its references was dropped.
  WriteStatus write(const State& state) noexcept override;

  [[nodiscard]] const Pacer& pacer() const noexcept { return pacer_; }

 private:
  Sink* inner_;
  Resampler resampler_;
  Pacer pacer_;
  State reference_;
};

}  // namespace panto::live
