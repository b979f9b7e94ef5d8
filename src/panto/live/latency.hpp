#pragma once
// Durations, counted so that quantiles cost no memory.

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "panto/base/time.hpp"

namespace panto::live {

/// Counts durations in bins that are an eighth of their size wide.
class Latencies {
 public:
  void add(Time duration) noexcept {
    ++bins_[bin_of(std::max<Time>(duration, 0))];
    ++count_;
    longest_ = std::max(longest_, duration);
  }
  /// Returns the duration that a `share` of all does not exceed [ns], up to an eighth too long; 0: none.
  [[nodiscard]] Time quantile(double share) const noexcept {
    std::int64_t left = static_cast<std::int64_t>(share * static_cast<double>(count_));
    for (std::size_t i = 0; i < bins_.size(); ++i) {
      left -= bins_[i];
      if (left < 0) return std::min(end_of(i), longest_);
    }
    return longest_;
  }
  [[nodiscard]] std::int64_t count() const noexcept { return count_; }
  [[nodiscard]] Time longest() const noexcept { return longest_; }

 private:
  static std::size_t bin_of(Time duration) noexcept {
    const auto d = static_cast<std::uint64_t>(duration);
    if (d < 8) return d;
    const int shift = static_cast<int>(std::bit_width(d)) - 4;
    return static_cast<std::size_t>(8 * shift) + (d >> shift);
  }
  static Time end_of(std::size_t bin) noexcept {
    if (bin < 8) return static_cast<Time>(bin);
    const std::size_t shift = bin / 8 - 1;
    return static_cast<Time>((((bin % 8) + 9) << shift) - 1);
  }

  std::array<std::int64_t, 496> bins_{};
  std::int64_t count_ = 0;
  Time longest_ = 0;
};

}  // namespace panto::live
