// Sessions of several faults at once, drawn at random: what no combination may break.

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "tests/stream/damage.hpp"
#include "tests/support/live_chain.hpp"
#include "tests/support/test_data.hpp"

namespace panto {
namespace {

using test::kMillisecond;

constexpr Time kDamageEnds = 3500 * kMillisecond;  // then 1.4 s to come back in

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed) {}
  double upto(double most) { return std::uniform_real_distribution<double>(0.0, most)(random_); }
  int below(int count) { return static_cast<int>(random_() % static_cast<std::uint64_t>(count)); }
  bool chance(double share) { return upto(1.0) < share; }
  std::mt19937_64& engine() { return random_; }

 private:
  std::mt19937_64 random_;
};

stream::ImpairmentOptions drawn_network(Draw& draw) {
  stream::ImpairmentOptions network;
  network.seed = draw.engine()();
  if (draw.chance(0.6)) network.loss = draw.upto(0.3);
  if (draw.chance(0.3)) network.burst = draw.below(20);
  if (network.burst > 0) network.loss /= 1.0 + network.burst;
  if (draw.chance(0.5)) network.repeated = draw.upto(0.3);
  if (draw.chance(0.5)) network.reorder = draw.below(9);
  if (draw.chance(0.5)) network.jitter = draw.upto(0.02);
  return network;
}

// A clock that jumps once, forwards or back.
std::function<Time(Time)> drawn_clock(Draw& draw, bool steady) {
  if (!draw.chance(0.4)) return {};
  const Time at = from_seconds(0.5 + draw.upto(2.5)), by = from_seconds(draw.upto(steady ? 3600.0 : 10.0));
  const bool back = !steady && draw.chance(0.5);
  return [=](Time t) { return 20'000 * kMillisecond + t + (t < at ? 0 : back ? -by : by); };
}

test::LiveFaults drawn(Draw& draw) {
  test::LiveFaults faults;
  faults.network = drawn_network(draw);
  if (draw.chance(0.5)) {
    const Time begin = from_seconds(0.5 + draw.upto(2.0));
    faults.cut = {begin, std::min(begin + from_seconds(draw.upto(2.0)), kDamageEnds)};
  }
  faults.sender_clock = drawn_clock(draw, false);
  faults.local_clock = drawn_clock(draw, true);
  faults.look_ahead = draw.chance(0.5) ? 0.1 : 0.0;
  const double share = draw.chance(0.7) ? draw.upto(0.3) : 0.0;
  faults.damage = [share, of = Draw(draw.engine()())](std::vector<std::byte>& datagram, Time now) mutable {
    if (now >= kDamageEnds || !of.chance(share)) return;
    datagram = of.chance(0.1) ? test::random_bytes(of.engine(), 1472) : test::damaged(datagram, of.engine());
  };
  return faults;
}

TEST(FaultSessions, OfAnyMixtureKeepTheLimitsAndComeBack) {
  const Robot robot = test::shipped_robot("unitree_g1");
  for (int session = 0; session < test::scaled(3); ++session) {
    Draw draw(static_cast<std::uint64_t>(session) + 1);
    const std::string protocol = std::array{"mvn", "vmc", "bvh+udp"}[at(session % 3)];
    const test::Followed run = test::followed(protocol, robot, drawn(draw));
    const std::string where = protocol + ", session " + std::to_string(session);
    EXPECT_LE(run.fastest, 1.0 + 1e-9) << where;
    EXPECT_EQ(run.invalid, 0) << where;
    EXPECT_LT(run.skewed, 1e-9) << where;
    for (std::size_t k = 1; k < run.stamps.size(); ++k) ASSERT_GT(run.stamps[k], run.stamps[k - 1]) << where;
    ASSERT_FALSE(run.stream.empty());
    EXPECT_FALSE(live::is_bad(run.stream.back())) << where << ": " << live::to_string(run.stream.back());
  }
}

}  // namespace
}  // namespace panto
