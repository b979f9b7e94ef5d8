#pragma once
// States at any stamps as States at a steady rate.

#include <cstdint>

#include "panto/model/state.hpp"

namespace panto {

/// Between `a` and `b` at time `t` in [a.t, b.t]: joints, base position and all velocities linear, base
/// orientation by the shortest turn. Exact at both ends; inside every limit (boxes, speeds and coupled rows,
/// which are convex) that both keep. The three have the same joints, and b.t > a.t. `out` may be `a`.
void interpolate(const State& a, const State& b, Time t, State& out) noexcept;

/// A stream of States in, a stream at t_0, t_0 + 1/rate, ... out, t_0 the first stamp. What changes faster
/// than half the rate is not filtered out. After the first state nothing is allocated.
///
///   resampler.push(state);
///   while (resampler.pop(reference)) send(reference);
class Resampler {
 public:
  /// @throws ConfigError unless rate_hz is finite and > 0.
  explicit Resampler(double rate_hz);

  /// The next State; false, and nothing happens, where it is not newer than the last or has other joints.
  bool push(const State& state);
  /// The next State of the steady stream that lies at or before the last one pushed; false: push first. Pop
  /// all before pushing again: what is left is lost.
  [[nodiscard]] bool pop(State& state);

 private:
  double rate_hz_;
  std::int64_t next_ = 0;  // index in the steady stream
  Time start_ = 0;
  State before_, last_;
  int count_ = 0;  // of states pushed, up to 2
};

}  // namespace panto
