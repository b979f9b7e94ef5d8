#include "panto/live/stream_watch.hpp"

#include <algorithm>

namespace panto::live {
namespace {

constexpr Time kLate = 50'000'000, kLost = 500'000'000, kMissing = 100'000'000, kFault = 500'000'000;  // [ns]
constexpr double kLatePeriods = 2.0;
constexpr double kTolerance = 0.05;           // of the sender's clock; crystals keep 0.01
constexpr Time kAway = 1'000'000'000;         // [ns] beyond it, which no burst explains
constexpr Time kMostAway = 1'250'000'000;     // [ns] that are remembered
constexpr Time kMostDelayed = 5'000'000'000;  // [ns] that a network may keep and then send at once
constexpr Time kBacklog = 2'000'000'000;      // [ns] that wait at the start, while the follower is set up

Time share_of(Time t, double share) noexcept { return static_cast<Time>(share * static_cast<double>(t)); }

}  // namespace

const char* to_string(StreamState state) noexcept {
  switch (state) {
    case StreamState::Waiting:
      return "waiting";
    case StreamState::Good:
      return "good";
    case StreamState::Late:
      return "late";
    case StreamState::Lost:
      return "lost";
    case StreamState::Returning:
      return "returning";
    case StreamState::Clock:
      return "clock";
    case StreamState::Fault:
      return "fault";
  }
  return "unknown";
}

void StreamWatch::came(Time now, Time t) noexcept {
  if (samples_ == 0) {
    first_stamp_ = t;
    used_at_ = now;
    ahead_ = -kBacklog;
    std::fill(seen_.begin(), seen_.end(), now);
  } else {
    longest_gap_ = std::max(longest_gap_, now - newest_);
    if (now - newest_ > kLost) {  // the gap was the stream's
      used_at_ = now;
      ++losses_;
    }
    compare(now - newest_, t - last_stamp_);
  }
  ++samples_;
  last_stamp_ = t;
  newest_ = std::max(newest_, now);
}

// What waited for this program comes at once, with stamps that lie behind: a lead is what stamps gain beyond
// all that they were late by.
void StreamWatch::compare(Time arrived, Time stamped) noexcept {
  ahead_ = std::clamp(ahead_ + stamped - share_of(arrived, 1.0 + kTolerance), -kMostDelayed, kMostAway);
  if (arrived <= kLost)
    behind_ = std::clamp(behind_ + share_of(arrived, 1.0 - kTolerance) - stamped, -kMostAway, kMostAway);
  fast_ += ahead_ > kAway ? 1 : 0;
  slow_ += behind_ > kAway ? 1 : 0;
}

void StreamWatch::paused(Time now) noexcept {
  if (samples_ == 0 || now <= newest_) return;
  const Time gap = now - newest_;
  ahead_ = std::max(ahead_ - gap, -kMostDelayed);
  newest_ = now;
  used_at_ += gap;
  for (Time& seen : seen_) seen += gap;
}

void StreamWatch::stepped(bool used, bool returning) noexcept {
  if (used) used_at_ = newest_;
  unused_ += used ? 0 : 1;
  returning_ = used && returning;
}

StreamState StreamWatch::at(Time now) const noexcept {
  if (samples_ == 0) return StreamState::Waiting;
  const Time age = now - newest_;
  const double rate = rate_hz();
  const Time late = std::max(kLate, rate > 0.0 ? from_seconds(kLatePeriods / rate) : Time{0});
  if (age > kLost) return StreamState::Lost;
  if (newest_ - used_at_ > kFault) return StreamState::Fault;
  if (age > late) return StreamState::Late;
  if (ahead_ > kAway || behind_ > kAway) return StreamState::Clock;
  return returning_ ? StreamState::Returning : StreamState::Good;
}

bool StreamWatch::is_missing(std::size_t i) const noexcept { return newest_ - seen_[i] > kMissing; }

double StreamWatch::rate_hz() const noexcept {
  const Time span = last_stamp_ - first_stamp_;
  return samples_ < 2 || span <= 0 ? 0.0 : static_cast<double>(samples_ - 1) / to_seconds(span);
}

}  // namespace panto::live
