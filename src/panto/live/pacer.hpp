#pragma once
// Paces States in real time. Only this part of the robot link reads a clock.

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include "panto/base/time.hpp"
#include "panto/motion/resample.hpp"
#include "panto/sample/stages.hpp"

namespace panto::live {

/// A monotonic clock and a way to wait for it. Tests bring their own.
struct Clock {
  std::function<Time()> now;              ///< [ns]
  std::function<void(Time)> sleep_until;  ///< returns at that time or later
};

/// Returns the system's monotonic clock.
[[nodiscard]] Clock system_clock();
/// Returns its time [ns].
[[nodiscard]] Time monotonic_now() noexcept;

/// Waits for stamps: the first is due now, each further one later by the difference of their stamps. Catches
/// up with delays of up to 0.5 s; after longer ones (a suspended machine) it restarts from now, so that
/// references do not come in a burst.
class Pacer {
 public:
  explicit Pacer(Clock clock = system_clock()) : clock_(std::move(clock)) {}

  /// Waits until `t` is due.
  void wait_until(Time t);

  [[nodiscard]] double latest() const noexcept { return to_seconds(latest_); }  ///< largest delay so far [s]
  [[nodiscard]] int restarts() const noexcept { return restarts_; }

 private:
  Clock clock_;
  std::optional<Time> origin_;  // of the stamps on the clock
  Time latest_ = 0;
  int restarts_ = 0;
};

/// Takes States at any rate and writes States at `rate_hz` to `inner`, each when it is due. `write` waits, so
/// that the code that computes the States runs in real time too. Owns nothing.
class PacedSink final : public Sink {
 public:
  /// @throws ConfigError unless rate_hz is finite and > 0.
  PacedSink(Sink& inner, double rate_hz, Clock clock = system_clock());

  /// Returns Dropped for a state not newer than the last, or when one of its references was dropped.
  WriteStatus write(const State& state) noexcept override;

  [[nodiscard]] const Pacer& pacer() const noexcept { return pacer_; }

 private:
  Sink* inner_;
  Resampler resampler_;
  Pacer pacer_;
  State reference_;
};

}  // namespace panto::live
