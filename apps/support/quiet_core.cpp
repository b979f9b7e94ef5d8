#include "apps/support/quiet_core.hpp"

#include <chrono>

#include "panto/evaluation/metrics.hpp"

#if defined(__linux__)
#include <sched.h>
#endif

namespace panto {

std::optional<int> stay_on_one_core() noexcept {
#if defined(__linux__)
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return std::nullopt;
  for (int core = CPU_SETSIZE - 1; core >= 0; --core) {
    if (!CPU_ISSET(static_cast<unsigned>(core), &allowed)) continue;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<unsigned>(core), &one);
    return sched_setaffinity(0, sizeof one, &one) == 0 ? std::optional<int>(core) : std::nullopt;
  }
#endif
  return std::nullopt;
}

double clock_cost_ns() {
  using Clock = std::chrono::steady_clock;
  constexpr int kReadings = 20001;
  SampleStatistics cost(kReadings);
  for (int i = 0; i < kReadings; ++i) {
    const Clock::time_point start = Clock::now();
    const Clock::time_point end = Clock::now();
    cost.add(std::chrono::duration<double, std::nano>(end - start).count());
  }
  return cost.percentile(0.5).value_or(0.0);
}

}  // namespace panto
