#include "panto/live/latency.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace panto::live {
namespace {

TEST(Latencies, HaveQuantilesAtMostAnEighthTooLong) {
  std::mt19937_64 engine(3);
  Latencies latencies;
  std::vector<Time> all;
  for (int i = 0; i < 20000; ++i) {
    const auto duration = static_cast<Time>(engine() >> (engine() % 50 + 14));  // of all sizes
    all.push_back(duration);
    latencies.add(duration);
  }
  std::sort(all.begin(), all.end());
  for (const double share : {0.0, 0.1, 0.5, 0.9, 0.99, 0.9999}) {
    const Time exact = all[static_cast<std::size_t>(share * 20000.0)];
    EXPECT_GE(latencies.quantile(share), exact);
    EXPECT_LE(static_cast<double>(latencies.quantile(share)), 1.125 * static_cast<double>(exact) + 1.0);
  }
  EXPECT_EQ(latencies.quantile(1.0), all.back());
  EXPECT_EQ(latencies.longest(), all.back());
  EXPECT_EQ(latencies.count(), 20000);
}

TEST(Latencies, OfNothingAreZero) {
  EXPECT_EQ(Latencies{}.quantile(0.5), 0);
  EXPECT_EQ(Latencies{}.longest(), 0);
}

}  // namespace
}  // namespace panto::live
