#pragma once
// How long a piece of work takes.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <vector>

namespace panto::bench {

/// Durations of one piece of work.
struct Times {
  double p50 = 0.0, p99 = 0.0, max = 0.0;  ///< [s]
};

/// `work` over and over, for a second or so.
template <typename Work>
Times time(const Work& work) {
  std::vector<double> times;
  for (double sum = 0.0; times.size() < 5 || (sum < 1.0 && times.size() < 200);) {
    const auto start = std::chrono::steady_clock::now();
    work();
    times.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    sum += times.back();
  }
  std::sort(times.begin(), times.end());
  const auto at = [&](double share) {
    return times[static_cast<std::size_t>(share * static_cast<double>(times.size() - 1))];
  };
  return {at(0.5), at(0.99), times.back()};
}

}  // namespace panto::bench
