#include "panto/stream/mxtp_clock.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace panto::stream {
namespace {

// rates of suits and of senders [Hz], 4 % apart or more
constexpr std::array kUsualRates{20.0,  25.0,  30.0,  40.0,  50.0,  60.0,  75.0,  80.0,
                                 90.0,  100.0, 120.0, 150.0, 180.0, 200.0, 240.0, 300.0,
                                 360.0, 400.0, 480.0, 500.0, 600.0, 1000.0};
constexpr double kUsual = 0.005;                // part of the rate; a time code of 1 ms over the span below
constexpr std::int64_t kSpanMs = 250;           // of time code, before a rate is believed
constexpr std::int64_t kReviewMs = 10'000;      // of time code between two looks at a believed rate
constexpr double kWrong = 0.02;                 // part of the rate by which it is then refuted
constexpr double kArrivalSpan = 2.0;            // [s]; bursts of 36 ms are 2 % of it
constexpr double kUsualArrival = 0.03;          // part of the rate
constexpr std::int32_t kTimeCodeBack = -1'000;  // [ms] by which a time code that goes back has restarted
constexpr std::int32_t kTimeCodeAhead = 3'600'000;    // [ms] by which it jumps
constexpr double kLongestGap = 3600.0;                // [s] that counter and time code can tell
constexpr double kSlowest = 10.0, kFastest = 2000.0;  // [Hz] that arrival can tell
constexpr Time kLeastStep = 100'000;                  // [ns]
constexpr double kUnknownPeriod = 0.01;               // [s], after a restart before any rate was known
constexpr double kLongest = 1e6;                      // [s] of silence that arrival can tell

double nearest_rate(double rate_hz) noexcept {
  double nearest = kUsualRates.front();
  for (const double usual : kUsualRates) {
    if (std::abs(usual - rate_hz) < std::abs(nearest - rate_hz)) nearest = usual;
  }
  return nearest;
}

bool within(double rate_hz, double usual, double part) noexcept {
  return std::abs(rate_hz - usual) <= part * usual;
}

double seconds_between(Time from, Time to) noexcept {
  // a date [ns since 1970] as a double has lost its nanoseconds: the difference comes first
  return std::clamp(to_seconds(to - from), 0.0, kLongest);
}

}  // namespace

void MxtpClock::forget_rate() noexcept {
  rate_hz_ = 0.0;
  from_ = MxtpRate::Unknown;
}

Time MxtpClock::period() const noexcept {
  return from_seconds(rate_hz_ > 0.0 ? 1.0 / rate_hz_ : kUnknownPeriod);
}

void MxtpClock::count_from(const MxtpInstant& sample, Time t) noexcept {
  origin_ = sample;
  origin_t_ = t;
  count_ = coded_ms_ = 0;
}

MxtpClock::Stamp MxtpClock::begin(const MxtpInstant& sample, Time t, bool cut) noexcept {
  count_from(sample, t);
  last_ = sample;
  last_t_ = t;
  return {t, cut};
}

MxtpClock::Stamp MxtpClock::next(const MxtpInstant& sample) noexcept {
  if (!started_) {
    started_ = true;
    return begin(sample, 0, false);
  }
  if (restarted_) {
    restarted_ = false;
    const Time t = last_t_ + period();
    forget_rate();
    return begin(sample, t, true);
  }
  const std::uint32_t step = sample.counter - last_.counter;
  const auto coded = static_cast<std::int32_t>(sample.time_code - last_.time_code);
  if (coded < kTimeCodeBack || (!(rate_hz_ > 0.0) && coded > kTimeCodeAhead)) {
    // the counter goes on: how much time passed is known, unless the rate is not
    return begin(sample, last_t_ + (rate_hz_ > 0.0 ? frame_time(step, rate_hz_) : period()), true);
  }
  count_ += step;
  coded_ms_ += coded;
  if (from_ == MxtpRate::Unknown) learn(sample);
  if (from_ == MxtpRate::Counted || from_ == MxtpRate::TimeCode) review(sample);
  last_ = sample;
  last_t_ = std::max(origin_t_ + elapsed(sample), last_t_ + kLeastStep);
  return {last_t_, false};
}

// since the origin
Time MxtpClock::elapsed(const MxtpInstant& sample) const noexcept {
  if (rate_hz_ > 0.0) return frame_time(count_, rate_hz_);
  if (coded_ms_ != 0) return coded_ms_ * 1'000'000;
  return from_seconds(seconds_between(origin_.arrival, sample.arrival));
}

void MxtpClock::learn(const MxtpInstant& sample) noexcept {
  if (coded_ms_ == 0) {
    const double seconds = seconds_between(origin_.arrival, sample.arrival);
    if (seconds < kArrivalSpan) return;
    const double measured = static_cast<double>(count_) / seconds;
    if (!(measured >= kSlowest && measured <= kFastest)) return;
    const double usual = nearest_rate(measured);
    rate_hz_ = within(measured, usual, kUsualArrival) ? usual : measured;
    from_ = MxtpRate::Arrival;
    count_from(sample, last_t_ + frame_time(sample.counter - last_.counter, rate_hz_));
    return;
  }
  if (coded_ms_ < kSpanMs) return;
  const double measured = 1000.0 * static_cast<double>(count_) / static_cast<double>(coded_ms_);
  const double usual = nearest_rate(measured);
  const bool is_usual = within(measured, usual, kUsual);
  rate_hz_ = is_usual ? usual : 0.0;
  from_ = is_usual ? MxtpRate::Counted : MxtpRate::TimeCode;
}

// what a damaged time code taught is learned again
void MxtpClock::review(const MxtpInstant& sample) noexcept {
  if (coded_ms_ < kReviewMs) return;
  const double measured = 1000.0 * static_cast<double>(count_) / static_cast<double>(coded_ms_);
  const bool counted = from_ == MxtpRate::Counted;
  if (counted ? within(measured, rate_hz_, kWrong) : !within(measured, nearest_rate(measured), kUsual))
    return;
  const Time step = counted ? frame_time(sample.counter - last_.counter, rate_hz_) : 0;
  count_from(sample, counted ? last_t_ + step : origin_t_ + elapsed(sample));
  forget_rate();
}

bool MxtpClock::agrees(const MxtpInstant& sample) const noexcept {
  if (!(rate_hz_ > 0.0)) return false;
  const double counted = static_cast<double>(sample.counter - last_.counter) / rate_hz_;
  const double coded = 1e-3 * static_cast<double>(sample.time_code - last_.time_code);
  return counted <= kLongestGap && std::abs(counted - coded) <= 0.1 + 0.05 * counted;
}

std::int64_t StrideCount::missing(std::uint32_t step) noexcept {
  constexpr int kMajority = 8, kMost = 32;
  if (votes_ == 0) usual_ = step;
  const bool known = votes_ >= kMajority;
  votes_ = std::clamp(votes_ + (step == usual_ ? 1 : -1), 0, kMost);
  return known && step % usual_ == 0 ? step / usual_ - 1 : 0;
}

}  // namespace panto::stream
