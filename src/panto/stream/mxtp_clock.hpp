#pragma once
// Turns MVN's sample counters and time codes into stamps, and counts the counters that are missing.

#include <cstdint>

#include "panto/base/time.hpp"

namespace panto::stream {

/// What a sample's header and arrival tell about its time.
struct MxtpInstant {
  std::uint32_t counter = 0;
  std::uint32_t time_code = 0;  ///< [ms]
  Time arrival = 0;             ///< local clock [ns]
};

/// Where the rate of the counter comes from.
enum class MxtpRate : std::uint8_t {
  Unknown,   ///< too early; stamps follow the time code
  Counted,   ///< time code against counter, a usual rate within 0.5 %
  TimeCode,  ///< no usual rate: stamps follow the time code
  Arrival,   ///< the time code stands still: by arrival over two seconds, once
};

/// Stamps of samples whose counters increase, modulo 2^32. The first is 0; each is at least 0.1 ms later than
/// the one before. Once the rate is known, stamp differences are counter differences over the rate.
class MxtpClock {
 public:
  struct Stamp {
    Time t = 0;
    bool cut = false;  ///< the sender restarted
  };

  /// Returns the stamp of the next sample.
  Stamp next(const MxtpInstant& sample) noexcept;

  /// Makes the next sample the first of a restarted sender: one period later, whatever its counter.
  void restart() noexcept { restarted_ = started_; }

  /// Returns true if the time code moved on by what the counter says, since the newest sample.
  [[nodiscard]] bool agrees(const MxtpInstant& sample) const noexcept;

  [[nodiscard]] double rate_hz() const noexcept { return rate_hz_; }  ///< 0 while unknown
  [[nodiscard]] MxtpRate rate_from() const noexcept { return from_; }

 private:
  Stamp begin(const MxtpInstant& sample, Time t, bool cut) noexcept;
  void count_from(const MxtpInstant& sample, Time t) noexcept;
  void forget_rate() noexcept;
  void learn(const MxtpInstant& sample) noexcept;
  void review(const MxtpInstant& sample) noexcept;
  [[nodiscard]] Time elapsed(const MxtpInstant& sample) const noexcept;
  [[nodiscard]] Time period() const noexcept;

  bool started_ = false, restarted_ = false;
  MxtpInstant origin_, last_;
  Time origin_t_ = 0, last_t_ = 0;  // [ns]
  std::int64_t count_ = 0;          // of counters since the origin
  std::int64_t coded_ms_ = 0;       // of time code since the origin
  double rate_hz_ = 0.0;
  MxtpRate from_ = MxtpRate::Unknown;
};

/// Learns by how much a sender's counter usually steps, and counts the samples that are missing in larger
/// steps. A sender may skip counters regularly or not; only a step that most steps share is called usual, and
/// only whole multiples of it are counted.
class StrideCount {
 public:
  /// Returns how many samples are missing before one whose counter is `step` > 0 ahead of the last.
  std::int64_t missing(std::uint32_t step) noexcept;
  void restart() noexcept { votes_ = 0; }

 private:
  std::uint32_t usual_ = 0;
  int votes_ = 0;
};

}  // namespace panto::stream
