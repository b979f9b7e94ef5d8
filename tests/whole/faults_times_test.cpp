// Stamps that lie, datagrams that are lost, repeated and overtaken, clocks that jump: faults F04 to F06 and
// F28 of the battery (docs/fault_battery.md).

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>
#include <random>
#include <string>

#include "panto/math/so3.hpp"
#include "panto/stream/mxtp_body.hpp"
#include "panto/stream/mxtp_encoder.hpp"
#include "tests/support/live_chain.hpp"
#include "tests/support/mxtp_stream.hpp"
#include "tests/support/test_data.hpp"

namespace panto {
namespace {

using test::followed;
using test::Followed;
using test::kMillisecond;
using test::kSuitRate;
using Bytes = std::vector<std::byte>;

constexpr Time kSecond = 1'000'000'000, kHour = 3600 * kSecond, kDay = 24 * kHour;

const Robot& g1() {
  static const Robot robot = test::shipped_robot("unitree_g1");
  return robot;
}

const Followed& clean(const std::string& protocol) {
  static std::map<std::string, Followed> kept;
  const auto found = kept.find(protocol);
  return found != kept.end() ? found->second : kept[protocol] = followed(protocol, g1());
}

// ---- F04: time that goes back, stands still, is 0 or a day ahead
// ----------------------------------------------------------------------------------------------------

// A clock that is wrong for one sample in a hundred.
std::function<Time(Time)> wrong_now_and_then(std::uint64_t seed) {
  return [random = std::mt19937_64(seed), last = Time{0}](Time t) mutable {
    const Time wrong[] = {t - kSecond, last, 0, t + kDay};
    const Time told = t > kSecond && random() % 100 == 0 ? std::max<Time>(wrong[random() % 4], 0) : t;
    last = t;
    return told;
  };
}

TEST(FaultF04, HeadersThatLieAboutTheTimeMoveNothing) {
  const auto random = std::make_shared<std::mt19937_64>(1);
  const auto damage = [=](Bytes& datagram, Time now) {
    if (now < kSecond || (*random)() % 100 != 0) return;
    stream::MxtpWriter header(datagram);
    constexpr std::size_t kCounter = 6, kTimeCode = 12;
    const auto counter = static_cast<std::uint32_t>(std::llround(to_seconds(now) * kSuitRate));
    const auto code = static_cast<std::uint32_t>(now / kMillisecond);
    constexpr auto day = std::uint32_t{24U * 3600U};
    const std::array counters{counter - 240, counter - 1, 0U, counter + day * 240U};
    const std::array codes{code - 1000, code - 4, 0U, code + day * 1000U};
    const auto kind = (*random)() % 4, which = (*random)() % 3;
    if (which != 1) header.put(kCounter, counters[kind]);
    if (which != 0) header.put(kTimeCode, codes[kind]);
  };
  const Followed run = followed("mvn", g1(), {.damage = damage});
  const auto [least, most] = test::steps(run.stamps);
  EXPECT_GT(least, 0.0);
  EXPECT_LE(most, 0.1) << "[s]";
  EXPECT_GT(run.samples, clean("mvn").samples * 9 / 10);
  EXPECT_LE(run.fastest, 1.0 + 1e-9);
  EXPECT_EQ(run.invalid, 0);
  EXPECT_LT(test::difference(run, clean("mvn"), 1000, run.joints.size()), 0.06) << "as if 1 % were lost";
}

TEST(FaultF04, AClockThatIsWrongNowAndThenMovesNoJointFasterThanItMay) {
  for (const std::string protocol : {"mvn", "vmc", "bvh+udp"}) {
    const Followed run = followed(protocol, g1(), {.sender_clock = wrong_now_and_then(2)});
    const auto [least, most] = test::steps(run.stamps);
    EXPECT_GT(least, 0.0) << protocol;
    EXPECT_LE(most, 0.1) << protocol << " [s]";
    EXPECT_GT(run.samples, clean(protocol).samples * 8 / 10) << protocol;
    EXPECT_LE(run.fastest, 1.0 + 1e-9) << protocol;
    EXPECT_EQ(run.invalid, 0) << protocol;
  }
}

TEST(FaultF04, AStampThatIsNotNewerIsRefusedByEveryFollower) {
  test::Suit suit("mvn");
  std::vector<SegmentSample> samples(20);
  for (SegmentSample& sample : samples) ASSERT_TRUE(suit.motion.next(sample));
  const LiveFollower<SegmentSample> followers[] = {
      live_human(human48(suit.motion.subject), human_segment_names()),
      live_robot(g1(), human_segment_names(), suit.motion.subject)};
  for (const auto& follower : followers) {
    LiveFrame frame = follower.sized;
    for (const SegmentSample& sample : samples) ASSERT_TRUE(follower.step(sample, frame).used);
    const std::uint64_t before = state_hash(frame.state);
    for (const Time t : {samples.back().t, samples.back().t - 1, Time{0}, -kDay}) {
      SegmentSample old = samples.back();
      old.t = t;
      EXPECT_FALSE(follower.step(old, frame).used) << t;
    }
    EXPECT_EQ(state_hash(frame.state), before);
  }
}

// ---- F05: lost, repeated, overtaken
// ----------------------------------------------------------------------------------------------------

struct Sent {
  std::vector<SegmentSample> samples;  // by number, as a network without faults brings them
};

Sent through_a_good_network(int count) {
  stream::MxtpEncoder encoder(human_segment_names(), {.rate_hz = kSuitRate, .person = {}});
  stream::MxtpBody body;
  Sent sent;
  for (int k = 0; k < count; ++k) {
    const Time now = frame_time(k, kSuitRate);
    for (const Bytes& datagram : encoder.encode(test::moving_person(to_seconds(now))))
      EXPECT_EQ(body.take(datagram, now), stream::Brought::Sample);
    sent.samples.push_back(body.sample());
  }
  return sent;
}

// Every sample that comes is one that was sent, with its own stamp, in order.
int expect_clean_samples(const Sent& sent, const stream::ImpairmentOptions& faults) {
  stream::MxtpEncoder encoder(human_segment_names(), {.rate_hz = kSuitRate, .person = {}});
  stream::MxtpBody body;
  stream::Impairment network(faults);
  int came = 0;
  Time before = -1;
  const auto receive = [&](Time now) {
    Bytes datagram;
    while (network.receive(now, datagram)) {
      if (body.take(datagram, now) != stream::Brought::Sample) continue;
      ++came;
      const SegmentSample& sample = body.sample();
      EXPECT_GT(sample.t, before);
      before = sample.t;
      const auto number = static_cast<std::size_t>(std::llround(to_seconds(sample.t) * kSuitRate));
      ASSERT_LT(number, sent.samples.size());
      const SegmentSample& as = sent.samples[number];
      // before the rate is known stamps are those of the time code, of whole milliseconds
      EXPECT_NEAR(to_seconds(sample.t), to_seconds(as.t), number < 240 ? 1.1e-3 : 1e-6);
      for (std::size_t i = 0; i < as.segments.size(); ++i)
        ASSERT_TRUE(sample.segments[i].R_WS == as.segments[i].R_WS &&
                    sample.segments[i].p_WS == as.segments[i].p_WS)
            << number;
    }
  };
  for (int k = 0; k < static_cast<int>(sent.samples.size()); ++k) {
    const Time now = frame_time(k, kSuitRate);
    for (const Bytes& datagram : encoder.encode(test::moving_person(to_seconds(now)))) {
      if (k == 0)
        EXPECT_EQ(body.take(datagram, now), stream::Brought::Sample) << "stamps count from it";
      else
        network.send(datagram, now);
    }
    receive(now);
  }
  return came;
}

TEST(FaultF05, WhatComesIsWhatWasSentWithoutWhatWasLost) {
  const int count = test::scaled(2400);
  const Sent sent = through_a_good_network(count);
  EXPECT_EQ(expect_clean_samples(sent, {.repeated = 1.0}), count - 1) << "a repetition is no sample";
  EXPECT_NEAR(expect_clean_samples(sent, {.loss = 0.3, .seed = 2}), 0.7 * count,
              4.0 * std::sqrt(0.21 * count));  // four standard deviations
  EXPECT_GT(expect_clean_samples(sent, {.reorder = 8, .seed = 3}), count / 8) << "the newest wins";
  EXPECT_GT(expect_clean_samples(sent, {.loss = 0.002, .burst = 499, .seed = 4}), 0);
  EXPECT_GT(expect_clean_samples(
                sent, {.loss = 0.05, .repeated = 0.2, .burst = 3, .reorder = 8, .jitter = 0.01, .seed = 5}),
            0);
}

// Root mean square of the joints' distance from where they were to be at the same instant: where a follower
// that hears every sample at once has them, from 1 s on [rad].
double error_of(const Followed& run) {
  const Followed& ideal = clean("mvn");
  double sum = 0.0;
  std::int64_t count = 0;
  std::size_t next = 1;
  for (std::size_t ms = 1000; ms < run.joints.size(); ++ms) {
    const Time now = static_cast<Time>(ms) * kMillisecond;
    while (next < ideal.states.size() && ideal.states[next].t < now) ++next;
    if (next == ideal.states.size()) break;
    const State &a = ideal.states[next - 1], &b = ideal.states[next];
    const double share = to_seconds(now - a.t) / to_seconds(b.t - a.t);
    sum += (run.joints[ms] - (a.s + share * (b.s - a.s))).squaredNorm();
    count += run.joints[ms].size();
  }
  return std::sqrt(sum / static_cast<double>(count));
}

TEST(FaultF05, TheErrorAtTenPercentLossIsLessThanHalfAsMuchAgain) {
  const double whole = error_of(clean("mvn"));
  const struct {
    const char* name;
    stream::ImpairmentOptions network;
  } all[] = {
      {"10 % lost", {.loss = 0.1, .seed = 7}},
      {"10 % lost in bursts, reordered by up to 8", {.loss = 0.1, .burst = 2, .reorder = 8, .seed = 8}}};
  for (const auto& one : all) {
    const Followed run = followed("mvn", g1(), {.network = one.network});
    const double error = error_of(run);
    std::printf("%s: %.4f rad, without %.4f rad\n", one.name, error, whole);
    EXPECT_LT(error, 1.5 * whole) << one.name;
    EXPECT_LE(run.fastest, 1.0 + 1e-9) << one.name;
    EXPECT_EQ(run.invalid, 0) << one.name;
  }
}

// ---- F06: intervals that spike and jitter
// ----------------------------------------------------------------------------------------------------

TEST(FaultF06, AJitterOfHalfAPeriodLosesNothing) {
  const Followed run = followed("mvn", g1(), {.network = {.jitter = 0.5 / kSuitRate, .seed = 9}});
  EXPECT_GE(run.samples, clean("mvn").samples - 1) << "the last may still be on its way";
  EXPECT_LE(run.fastest, 1.0 + 1e-9);
  EXPECT_LT(test::difference(run, clean("mvn"), 1000, run.joints.size()), 0.02) << "[rad]: 2 ms later";
}

TEST(FaultF06, IntervalsOfTenToSixtyPeriodsThrowNoSegmentOver) {
  test::Suit suit("mvn");
  std::vector<SegmentSample> samples;
  for (SegmentSample sample; suit.motion.next(sample);) samples.push_back(sample);
  std::mt19937_64 random(10);
  double worst = 0.0, after = 0.0;
  for (int run = 0; run < test::scaled(10); ++run) {
    const auto follower = live_human(human66(suit.motion.subject), human_segment_names());
    LiveFrame frame = follower.sized;
    int since = 100;  // samples since a spike
    for (std::size_t k = 0; k < samples.size();) {
      ASSERT_TRUE(follower.step(samples[k], frame).used);
      double error = 0.0;
      for (std::size_t i = 0; i < kHumanSegmentCount; ++i)
        error = std::max(error, so3::distance(samples[k].segments[i].R_WS, frame.person.segments[i].R_WS));
      worst = std::max(worst, error);
      if (since == 10) after = std::max(after, error);
      const bool spike = random() % 20 == 0;
      since = spike ? 0 : since + 1;
      k += spike ? 10 + random() % 51 : 1 + random() % 2;  // else one period with a jitter of half of it
    }
  }
  std::printf("intervals of 4 to 250 ms: %.2f deg, 10 samples later %.2f deg\n", worst * 57.29578,
              after * 57.29578);
  EXPECT_LT(worst, 0.105) << "6 degrees";
  EXPECT_LT(after, 0.02) << "what the step left dies out";
}

// ---- F28: clocks that are set, and computers that sleep
// ----------------------------------------------------------------------------------------------------

// A clock that ran away is said for some seconds; the stream is followed meanwhile.
bool good(live::StreamState state) {
  return state == live::StreamState::Good || state == live::StreamState::Clock;
}

TEST(FaultF28, TheSendersClockMayBeSetByAnHour) {
  for (const std::string protocol : {"mvn", "vmc"}) {
    for (const Time by : {kHour, -kHour, kSecond, -kSecond}) {
      const auto set = [by](Time t) { return 5000 * kSecond + t + (t >= 2500 * kMillisecond ? by : 0); };
      const Followed run = followed(protocol, g1(), {.sender_clock = set});
      const auto [least, most] = test::steps(run.states);
      EXPECT_GT(least, 0.0) << protocol;
      EXPECT_LT(most, 0.3) << protocol << ": a burst of 0.25 s is allowed";
      EXPECT_LE(run.fastest, 1.0 + 1e-9) << protocol;
      EXPECT_EQ(run.invalid, 0) << protocol;
      EXPECT_TRUE(good(run.stream.back())) << protocol << " " << live::to_string(run.stream.back());
      EXPECT_LT(test::difference(run, clean(protocol), 3500, run.joints.size()), 0.15) << protocol << by;
    }
  }
}

TEST(FaultF28, ATimeCodeThatIsSetWhileTheCounterGoesOnChangesNoStamp) {
  for (const std::int32_t by : {3'600'000, -3'600'000}) {
    const Followed run = followed("mvn", g1(), {.damage = [by](Bytes& datagram, Time now) {
                                    const auto code =
                                        static_cast<std::uint32_t>(now / kMillisecond + 36'000'000) +
                                        (now >= 2500 * kMillisecond ? static_cast<std::uint32_t>(by) : 0U);
                                    stream::MxtpWriter(datagram).put(12, code);
                                  }});
    const auto [least, most] = test::steps(run.stamps);
    EXPECT_GT(least, 0.0);
    EXPECT_LE(most, 0.1);
    EXPECT_LE(run.fastest, 1.0 + 1e-9);
    EXPECT_EQ(run.samples, clean("mvn").samples);
    EXPECT_LT(test::difference(run, clean("mvn"), 3500, run.joints.size()), 0.06);
  }
}

TEST(FaultF28, AComputerThatSleptMovesNoJointFasterThanItMay) {
  for (const Time slept : {10 * kSecond, 8 * kHour}) {
    const auto on = [slept](Time t) { return t + (t >= 2500 * kMillisecond ? slept : 0); };
    // both clocks ran on; the sender slept, too; our clock stood still meanwhile
    const test::LiveFaults all[] = {
        {.sender_clock = on, .local_clock = on}, {.local_clock = on}, {.sender_clock = on}};
    for (const test::LiveFaults& faults : all) {
      const Followed run = followed("mvn", g1(), faults);
      EXPECT_LE(run.fastest, 1.0 + 1e-9);
      EXPECT_EQ(run.invalid, 0);
      EXPECT_TRUE(good(run.stream.back())) << "at the end: " << live::to_string(run.stream.back());
      EXPECT_LT(test::difference(run, clean("mvn"), 3500, run.joints.size()), 0.15);
    }
  }
}

}  // namespace
}  // namespace panto
