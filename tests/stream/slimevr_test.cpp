#include "panto/stream/slimevr.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "apps/support/allocation_count.hpp"
#include "panto/base/error.hpp"
#include "panto/math/so3.hpp"
#include "panto/stream/byte_io.hpp"
#include "tests/stream/damage.hpp"
#include "tests/support/random_model.hpp"

namespace {

using namespace panto::stream;
using Eigen::Vector3d;
using Eigen::Vector4d;
using panto::at;
using panto::ImuReading;
using panto::ImuSample;
using panto::Time;
using panto::test::Bytes;
using panto::test::Random;
using Writer = ByteWriter<std::endian::big>;

constexpr Time kMs = 1'000'000, kSecond = 1000 * kMs;

Bytes packet(std::uint32_t type, std::uint64_t number) {
  Bytes out;
  Writer writer(out);
  writer.word(type);
  writer.word(number);
  return out;
}

// of a tracker whose MAC ends in `mac`
Bytes handshake(unsigned mac) {
  Bytes out = packet(3, 0);
  Writer writer(out);
  for (int i = 0; i < 7; ++i) writer.word(std::uint32_t{0});
  writer.word(std::uint8_t{3});
  writer.letters("1.0");
  for (const unsigned byte : {0xaaU, 0xbbU, 0xccU, 0U, 1U, mac}) writer.word(static_cast<std::uint8_t>(byte));
  writer.letters("more, which newer trackers send");
  return out;
}

Bytes rotation(std::uint64_t number, unsigned sensor, const Vector4d& wxyz = {1.0, 0.0, 0.0, 0.0},
               unsigned kind = 1) {
  Bytes out = packet(17, number);
  Writer writer(out);
  writer.word(static_cast<std::uint8_t>(sensor));
  writer.word(static_cast<std::uint8_t>(kind));
  for (const int i : {1, 2, 3, 0}) writer.real32(wxyz[i]);
  writer.word(std::uint8_t{0});
  return out;
}

Bytes acceleration(std::uint64_t number, unsigned sensor, const Vector3d& acc) {
  Bytes out = packet(4, number);
  Writer writer(out);
  for (const double value : acc) writer.real32(value);
  writer.word(static_cast<std::uint8_t>(sensor));
  return out;
}

ImuSample random_sample(Random& random, int sensors, Time t) {
  ImuSample sample;
  sample.t = t;
  sample.imus.resize(at(sensors));
  for (ImuReading& imu : sample.imus) {
    imu.has_acc = imu.has_orientation = true;
    imu.acc = panto::test::random_vector(random, 50.0);
    imu.wxyz_GI = panto::so3::to_quaternion_wxyz(panto::test::random_rotation(random));
  }
  return sample;
}

std::string text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// two trackers at their own addresses, names complete, no sample yet
void start(SlimeTrackers& trackers) {
  for (const std::uint64_t peer : {1U, 2U}) {
    ASSERT_EQ(trackers.take_from(peer, handshake(static_cast<unsigned>(peer)), 0), Brought::Part);
    ASSERT_EQ(trackers.take_from(peer, rotation(1, 0), kMs), Brought::Part);
  }
}

TEST(SlimeTrackers, MotionsOfOneTrackerWithExtensionsComeBack) {
  SlimeEncoder encoder(6);
  SlimeTrackers trackers(kSecond);
  Random random(1);
  for (const Bytes& datagram : encoder.introduction()) EXPECT_EQ(trackers.take(datagram, 0), Brought::Part);
  int samples = 0;
  for (int i = 0; i < 300; ++i) {
    const ImuSample sent = random_sample(random, 6, i * 10 * kMs);
    const Datagrams datagrams = encoder.encode(sent);
    ASSERT_EQ(datagrams.size(), 1U);
    if (trackers.take(datagrams[0], sent.t) != Brought::Sample) continue;
    ++samples;
    for (std::size_t k = 0; k < 6; ++k) {
      const ImuReading& got = trackers.sample().imus[k];
      ASSERT_TRUE(got.has_orientation && got.has_acc && !got.has_gyro && !got.has_mag);
      ASSERT_LT((got.wxyz_GI - sent.imus[k].wxyz_GI).norm(), 1e-6) << "floats";
      ASSERT_LT((got.acc - sent.imus[k].acc).norm(), 2e-5) << "gravity taken out and put in again";
    }
  }
  EXPECT_EQ(samples, 199) << "one second for the names, then every datagram";
  EXPECT_EQ(trackers.sample().t, 1980 * kMs);
  ASSERT_EQ(trackers.names().size(), 6U);
  EXPECT_EQ(trackers.names()[5], "02:00:00:00:00:01/5");
}

// at rest an accelerometer feels the ground push it upward; the firmware sends what is left without that
TEST(SlimeTrackers, GravityIsPutBackIntoTheAcceleration) {
  SlimeTrackers trackers(0);
  (void)trackers.take(handshake(1), 0);
  const double h = std::sqrt(0.5);
  for (std::uint64_t i = 1; i < 5; ++i) {
    (void)trackers.take(acceleration(2 * i, 0, Vector3d::Zero()), static_cast<Time>(i) * kMs);
    (void)trackers.take(rotation(2 * i + 1, 0, {h, h, 0.0, 0.0}), static_cast<Time>(i) * kMs);
  }
  ASSERT_EQ(trackers.sample().imus.size(), 1U);
  ASSERT_TRUE(trackers.sample().imus[0].has_acc);
  // turned by 90 deg about x the sensor's y points up
  EXPECT_LT((trackers.sample().imus[0].acc - Vector3d(0.0, 9.80665, 0.0)).norm(), 1e-6);
}

TEST(SlimeTrackers, EachTrackerIsKnownByItsAddress) {
  SlimeTrackers trackers(kSecond);
  start(trackers);
  const Vector4d one{0.0, 1.0, 0.0, 0.0}, two{0.0, 0.0, 1.0, 0.0};
  ASSERT_EQ(trackers.take_from(2, rotation(2, 0, two), 2 * kSecond), Brought::Part);
  ASSERT_EQ(trackers.take_from(1, rotation(2, 0, one), 2 * kSecond), Brought::Sample);
  EXPECT_EQ(trackers.names(), (std::vector<std::string>{"AA:BB:CC:00:01:01/0", "AA:BB:CC:00:01:02/0"}));
  EXPECT_EQ(trackers.sample().imus[0].wxyz_GI, one);
  EXPECT_EQ(trackers.sample().imus[1].wxyz_GI, two);
  EXPECT_EQ(trackers.take_from(3, rotation(2, 0), 2 * kSecond), Brought::Ignored) << "no handshake";
  // tracker 2 has a new address
  EXPECT_EQ(trackers.take_from(9, handshake(2), 3 * kSecond), Brought::Part);
  EXPECT_EQ(trackers.take_from(9, rotation(1, 0, one), 3 * kSecond), Brought::Part);
  EXPECT_EQ(trackers.take_from(2, rotation(3, 0, one), 3 * kSecond), Brought::Ignored);
  EXPECT_EQ(trackers.take_from(1, rotation(3, 0, one), 3 * kSecond), Brought::Sample);
  EXPECT_EQ(trackers.sample().imus[1].wxyz_GI, one);
  EXPECT_EQ(trackers.sample().t, kSecond);
}

TEST(SlimeTrackers, ATrackerThatIsOffIsNoLongerWaitedFor) {
  SlimeTrackers trackers(kSecond);
  start(trackers);
  Time t = 2 * kSecond;
  EXPECT_EQ(trackers.take_from(1, rotation(2, 0), t), Brought::Part);
  EXPECT_EQ(trackers.take_from(1, rotation(3, 0), t += 10 * kMs), Brought::Sample) << "tracker 1 came twice";
  EXPECT_FALSE(trackers.sample().imus[1].has_orientation);
  EXPECT_EQ(trackers.take_from(1, rotation(4, 0), t += 10 * kMs), Brought::Sample);
  for (std::uint64_t i = 5; i < 20; ++i) {
    EXPECT_EQ(trackers.take_from(1, rotation(i, 0), t += 10 * kMs), Brought::Sample) << "at once";
  }
  for (std::uint64_t i = 20; i < 30; ++i) {
    (void)trackers.take_from(2, rotation(i, 0), t += 5 * kMs);
    (void)trackers.take_from(1, rotation(i, 0), t += 5 * kMs);
  }
  EXPECT_TRUE(trackers.sample().imus[1].has_orientation) << "it is on again";
}

TEST(SlimeTrackers, AnswersAsTheServerDoes) {
  SlimeTrackers trackers;
  (void)trackers.take(handshake(1), 0);
  EXPECT_EQ(text(trackers.reply()), "\3Hey OVR =D 5");
  (void)trackers.take(rotation(1, 0), 100 * kMs);
  EXPECT_TRUE(trackers.reply().empty()) << "answered 0.1 s ago";
  (void)trackers.take(rotation(2, 0), 600 * kMs);
  EXPECT_EQ(text(trackers.reply()), std::string("\0\0\0\1\0\0\0\0\0\0\0\0", 12))
      << "a heartbeat, or it gives up";
  Bytes info = packet(15, 3);
  info.insert(info.end(), {std::byte{2}, std::byte{1}, std::byte{8}});
  EXPECT_EQ(trackers.take(info, 700 * kMs), Brought::Part);
  EXPECT_EQ(text(trackers.reply()), std::string("\0\0\0\x0f\2\1", 6)) << "sensor 2 is acknowledged";
  EXPECT_EQ(trackers.take_from(5, rotation(1, 0), 9 * kSecond), Brought::Ignored);
  EXPECT_TRUE(trackers.reply().empty()) << "a stranger";
  EXPECT_EQ(trackers.take_from(5, packet(3, 0), 9 * kSecond), Brought::Part);
  EXPECT_LE(trackers.reply().size(), 12U) << "never more than was sent";
}

TEST(SlimeTrackers, PacketsOutOfOrderAreLate) {
  SlimeTrackers trackers(0);
  (void)trackers.take(handshake(1), 0);
  EXPECT_EQ(trackers.take(rotation(5, 0), 0), Brought::Part);
  EXPECT_EQ(trackers.take(rotation(5, 0), kMs), Brought::Late);
  EXPECT_EQ(trackers.take(rotation(4, 0), kMs), Brought::Late);
  EXPECT_EQ(trackers.take(rotation(6, 0), kMs), Brought::Sample);
  (void)trackers.take(handshake(1), 2 * kMs);
  EXPECT_EQ(trackers.take(rotation(1, 0), 3 * kMs), Brought::Sample) << "it started again";
  EXPECT_EQ(trackers.sample().t, 2 * kMs);
}

TEST(SlimeTrackers, EveryFormOfARotationIsRead) {
  const double h = std::sqrt(0.5);
  const Vector4d turned{h, 0.0, 0.0, h};
  Bytes old = packet(1, 10), second = packet(16, 11), both = packet(23, 12), bundle = packet(100, 13),
        compact = packet(101, 14);
  for (Bytes* out : {&old, &second}) {
    for (const int i : {1, 2, 3, 0}) Writer(*out).real32(turned[i]);
  }
  Writer shorts(both);
  shorts.word(std::uint8_t{0});
  for (const int i : {1, 2, 3, 0}) shorts.word(static_cast<std::uint16_t>(std::lround(turned[i] * 32768.0)));
  for (const int value : {128, 0, -256}) shorts.word(static_cast<std::uint16_t>(value));
  const Bytes body = rotation(0, 0, turned);
  Writer(bundle).word(static_cast<std::uint16_t>(body.size() - 8));
  Writer(bundle).word(std::uint32_t{17});
  Writer(compact).word(static_cast<std::uint8_t>(body.size() - 11));
  Writer(compact).word(std::uint8_t{17});
  for (Bytes* out : {&bundle, &compact}) out->insert(out->end(), body.begin() + 12, body.end());
  for (const Bytes& datagram : {old, both, bundle, compact}) {
    SlimeTrackers trackers(0);
    (void)trackers.take(handshake(1), 0);
    (void)trackers.take(rotation(1, 0), kMs);
    ASSERT_EQ(trackers.take(datagram, 2 * kMs), Brought::Sample);
    EXPECT_LT((trackers.sample().imus[0].wxyz_GI - turned).norm(), 1e-4) << "16 bits";
    if (datagram == both) {
      EXPECT_LT((trackers.sample().imus[0].acc - Vector3d(1.0, 0.0, 7.80665)).norm(), 1e-2)
          << "1, 0, -2 and gravity";
    }
  }
  SlimeTrackers trackers(0);
  (void)trackers.take(handshake(1), 0);
  EXPECT_EQ(trackers.take(second, kMs), Brought::Part);
  Bytes again = second;
  again[11] = std::byte{99};
  EXPECT_EQ(trackers.take(again, 2 * kMs), Brought::Sample);
  EXPECT_EQ(trackers.names(), std::vector<std::string>{"AA:BB:CC:00:01:01/1"});
  EXPECT_EQ(trackers.take(rotation(200, 1, turned, 2), 3 * kMs), Brought::Ignored)
      << "a correction, not a rotation";
}

TEST(SlimeTrackers, WhatComesTooLateOrIsNoNumberIsLeftOutWithANote) {
  SlimeTrackers trackers(0);
  (void)trackers.take(handshake(1), 0);
  (void)trackers.take(rotation(1, 0), 0);
  ASSERT_EQ(trackers.take(rotation(2, 0), kMs), Brought::Sample);
  EXPECT_TRUE(trackers.notes().empty());
  EXPECT_EQ(trackers.take(rotation(3, 7), kMs), Brought::Part);
  EXPECT_EQ(trackers.take_from(4, handshake(9), kMs), Brought::Ignored);
  EXPECT_EQ(trackers.names().size(), 1U);
  EXPECT_EQ(trackers.notes().size(), 1U);
  EXPECT_EQ(trackers.take(rotation(4, 0, {std::nan(""), 0.0, 0.0, 0.0}), 2 * kMs), Brought::Part);
  EXPECT_EQ(trackers.take(rotation(5, 0, {0.0, 0.0, 0.0, 0.0}), 2 * kMs), Brought::Part);
  EXPECT_EQ(trackers.notes().size(), 2U);
}

TEST(SlimeEncoder, SaysWhatItCannotSend) {
  EXPECT_NO_THROW(SlimeEncoder{kSlimeMaxSensors});
  EXPECT_THROW(SlimeEncoder{0}, panto::ConfigError);
  EXPECT_THROW(SlimeEncoder{65}, panto::ConfigError);
}

TEST(SlimeTrackers, AllocatesNothingOnceTheNamesAreKnown) {
  if (!panto::AllocationCount::available()) GTEST_SKIP() << "the sanitizer owns malloc";
  SlimeEncoder encoder(17);
  SlimeTrackers trackers(0);
  Random random(2);
  const Datagrams names = encoder.introduction();
  for (const Bytes& datagram : names) (void)trackers.take(datagram, 0);
  std::vector<Datagrams> samples;
  for (int i = 0; i < 50; ++i) samples.push_back(encoder.encode(random_sample(random, 17, 0)));
  (void)trackers.take(samples[0][0], 0);
  ASSERT_EQ(trackers.take(samples[1][0], kMs), Brought::Sample);
  const panto::AllocationCount count;
  for (int i = 2; i < 50; ++i) {
    for (const Bytes& datagram : samples[at(i)]) (void)trackers.take(datagram, i * 10 * kMs);
    (void)trackers.take(names[0], i * 10 * kMs);
  }
  EXPECT_EQ(count.value(), 0);
  EXPECT_EQ(trackers.counts().of(Brought::Sample), 49);
}

TEST(SlimeTrackers, DamageLeavesFiniteNumbersAndUnitQuaternions) {
  SlimeEncoder encoder(5);
  Random random(3);
  std::vector<Bytes> all = encoder.introduction();
  for (int i = 0; i < 6; ++i) {
    for (const Bytes& datagram : encoder.encode(random_sample(random, 5, 0))) all.push_back(datagram);
    all.push_back(rotation(1000, 1));
  }
  SlimeTrackers trackers(10 * kMs);
  Time arrival = 0, before = -1;
  panto::test::try_damage(all, panto::test::scaled_numerical(100'000), [&](const Bytes& datagram) {
    Bytes renumbered = datagram;
    arrival += kMs;
    if (renumbered.size() >= 12) {  // else the first great number would make all others late
      for (std::size_t i = 0; i < 8; ++i) {
        renumbered[4 + i] =
            static_cast<std::byte>((static_cast<std::uint64_t>(arrival) >> (8 * (7 - i))) & 0xffU);
      }
    }
    const Brought brought = trackers.take(renumbered, arrival);
    ASSERT_LE(trackers.reply().size(), renumbered.size());
    if (brought != Brought::Sample) return;
    ASSERT_GT(trackers.sample().t, before);
    before = trackers.sample().t;
    for (const ImuReading& imu : trackers.sample().imus) {
      ASSERT_TRUE(imu.acc.allFinite());
      ASSERT_NEAR(imu.wxyz_GI.norm(), 1.0, 0.0101);
    }
  });
  EXPECT_GT(trackers.counts().of(Brought::Sample), 100) << "the damage goes to every layer";
  EXPECT_GT(trackers.counts().of(Brought::Refused), 1000);
}

}  // namespace
