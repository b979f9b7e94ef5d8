#pragma once
// Resamples States at any stamps to a steady rate.

#include <cstdint>

#include "panto/motion/motion.hpp"

namespace panto {

/// Interpolates between `a` and `b` at time `t` in [a.t, b.t]: joints, base position and all velocities
/// linearly, base orientation along the shortest turn. Exact at both ends; keeps every limit (boxes, speeds
/// and coupled rows, which are convex) that both keep. The three have the same joints, and b.t > a.t. `out`
/// may be `a`.
void interpolate(const State& a, const State& b, Time t, State& out) noexcept;

/// Turns a stream of States into one at t_0, t_0 + 1/rate, ..., where t_0 is the first stamp. Changes faster
/// than half the rate are not filtered out. After the first state nothing is allocated.
///
///   resampler.push(state);
///   while (resampler.pop(reference)) send(reference);
class Resampler {
 public:
  /// @throws ConfigError unless rate_hz is finite and > 0.
  explicit Resampler(double rate_hz);

  /// Adds the next State. Returns false and ignores it when it is not newer than the last or has other
  /// joints.
  bool push(const State& state);
  /// Returns the next State of the steady stream at or before the last one pushed; false: push first. Pop all
  /// before pushing again: the rest is lost.
  [[nodiscard]] bool pop(State& state);

 private:
  double rate_hz_;
  std::int64_t next_ = 0;  // index in the steady stream
  Time start_ = 0;
  State before_, last_;
  int count_ = 0;  // of states pushed, up to 2
};

/// Returns a motion at a steady rate; one that has it already keeps its States. Velocities of new States are
/// derivatives, contacts those of the frame then or the next. @throws ConfigError as `Resampler`.
[[nodiscard]] Motion resampled(Motion motion, double rate_hz);

}  // namespace panto
