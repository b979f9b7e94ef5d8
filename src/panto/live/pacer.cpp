#include "panto/live/pacer.hpp"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

namespace panto::live {
namespace {

constexpr Time kLongestDelay = 500'000'000;  // [ns]

using Steady = std::chrono::steady_clock;

}  // namespace

Time monotonic_now() noexcept {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(Steady::now().time_since_epoch()).count();
}

Clock system_clock() {
  return {[] { return monotonic_now(); },
          [](Time t) { std::this_thread::sleep_until(Steady::time_point(std::chrono::nanoseconds(t))); }};
}

void Pacer::wait_until(Time t) {
  const Time now = clock_.now();
  if (!origin_) origin_ = now - t;
  if (now - (*origin_ + t) > kLongestDelay) {
    origin_ = now - t;
    ++restarts_;
  }
  const Time due = *origin_ + t;
  if (now < due) clock_.sleep_until(due);
  latest_ = std::max(latest_, clock_.now() - due);
}

PacedSink::PacedSink(Sink& inner, double rate_hz, Clock clock)
    : inner_(&inner), resampler_(rate_hz), pacer_(std::move(clock)) {}

WriteStatus PacedSink::write(const State& state) noexcept {
  if (!resampler_.push(state)) return WriteStatus::Dropped;
  WriteStatus status = WriteStatus::Written;
  while (resampler_.pop(reference_)) {
    pacer_.wait_until(reference_.t);
    if (inner_->write(reference_) == WriteStatus::Dropped) status = WriteStatus::Dropped;
  }
  return status;
}

}  // namespace panto::live
