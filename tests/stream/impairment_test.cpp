#include "panto/stream/impairment.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "panto/base/error.hpp"

namespace panto::stream {
namespace {

constexpr Time kMillisecond = 1'000'000;

std::vector<std::byte> numbered(int i) {
  return {static_cast<std::byte>(i & 0xff), static_cast<std::byte>(i >> 8)};
}
int number_of(const std::vector<std::byte>& datagram) {
  return static_cast<int>(datagram[0]) + (static_cast<int>(datagram[1]) << 8);
}

// sends `count` datagrams, one a millisecond, and returns their numbers as they arrive
std::vector<int> through(const ImpairmentOptions& options, int count, std::vector<Time>* arrivals = nullptr) {
  Impairment network(options);
  std::vector<int> arrived;
  std::vector<std::byte> datagram;
  Time now = 0;
  const auto receive = [&] {
    while (network.receive(now, datagram)) {
      arrived.push_back(number_of(datagram));
      if (arrivals != nullptr) arrivals->push_back(now);
    }
  };
  for (int i = 0; i < count; ++i, now += kMillisecond) {
    network.send(numbered(i), now);
    receive();
  }
  network.flush();
  while (network.next()) {
    now = std::max(now, *network.next());
    receive();
  }
  return arrived;
}

TEST(Impairment, ChangesNothingByDefault) {
  std::vector<Time> arrivals;
  const std::vector<int> arrived = through({}, 1000, &arrivals);
  ASSERT_EQ(arrived.size(), 1000U);
  for (int i = 0; i < 1000; ++i) {
    EXPECT_EQ(arrived[static_cast<std::size_t>(i)], i);
    EXPECT_EQ(arrivals[static_cast<std::size_t>(i)], i * kMillisecond);
  }
}

TEST(Impairment, LosesTheShareThatIsAsked) {
  const auto count = static_cast<double>(through({.loss = 0.1}, 20000).size());
  EXPECT_NEAR(count, 18000.0, 4.0 * std::sqrt(20000.0 * 0.1 * 0.9));  // four standard deviations
  EXPECT_TRUE(through({.loss = 1.0}, 100).empty());
}

TEST(Impairment, LosesBurstsWhole) {
  const std::vector<int> arrived = through({.loss = 0.01, .burst = 9}, 20000);
  int gaps = 0;
  for (std::size_t k = 1; k < arrived.size(); ++k) {
    const int missing = arrived[k] - arrived[k - 1] - 1;
    if (missing == 0) continue;
    ++gaps;
    EXPECT_EQ(missing % 10, 0) << "a burst loses ten in a row";
  }
  EXPECT_GT(gaps, 100);
}

TEST(Impairment, ReordersNoFurtherThanAskedAndLosesNothing) {
  const std::vector<int> arrived = through({.reorder = 8}, 5000);
  std::vector<int> sorted = arrived;
  std::sort(sorted.begin(), sorted.end());
  ASSERT_EQ(sorted.size(), 5000U);
  for (int i = 0; i < 5000; ++i) EXPECT_EQ(sorted[static_cast<std::size_t>(i)], i);
  int most = 0;
  for (std::size_t k = 0; k < arrived.size(); ++k) {
    const int overtaken =
        static_cast<int>(std::count_if(arrived.begin(), arrived.begin() + static_cast<std::ptrdiff_t>(k),
                                       [&](int before) { return before > arrived[k]; }));
    most = std::max(most, overtaken);
  }
  EXPECT_LE(most, 8);
  EXPECT_GE(most, 5) << "some of the eight are held back themselves";
}

TEST(Impairment, DelaysWithinTheJitterAndRepeats) {
  std::vector<Time> arrivals;
  const std::vector<int> arrived =
      through({.repeated = 0.5, .delay = 0.010, .jitter = 0.005}, 2000, &arrivals);
  EXPECT_NEAR(static_cast<double>(arrived.size()), 3000.0, 4.0 * std::sqrt(2000.0 * 0.25));
  for (std::size_t k = 0; k < arrived.size(); ++k) {
    const Time delay = arrivals[k] - arrived[k] * kMillisecond;
    EXPECT_GE(delay, 10 * kMillisecond);
    EXPECT_LE(delay, 16 * kMillisecond) << "jitter of 5 ms, looked at every millisecond";
  }
}

TEST(Impairment, DrawsTheSameFaultsFromTheSameSeed) {
  const ImpairmentOptions options{
      .loss = 0.1, .repeated = 0.05, .burst = 3, .reorder = 4, .delay = 0.0, .jitter = 0.01, .seed = 7};
  ImpairmentOptions other = options;
  other.seed = 8;
  EXPECT_EQ(through(options, 3000), through(options, 3000));
  EXPECT_NE(through(options, 3000), through(other, 3000));
}

TEST(Impairment, RefusesWhatCannotBe) {
  EXPECT_THROW(Impairment({.loss = -0.1}), ConfigError);
  EXPECT_THROW(Impairment({.loss = std::nan("")}), ConfigError);
  EXPECT_THROW(Impairment({.repeated = 1.1}), ConfigError);
  EXPECT_THROW(Impairment({.burst = -1}), ConfigError);
  EXPECT_THROW(Impairment({.reorder = 200000}), ConfigError);
  EXPECT_THROW(Impairment({.delay = 11.0}), ConfigError);
}

}  // namespace
}  // namespace panto::stream
