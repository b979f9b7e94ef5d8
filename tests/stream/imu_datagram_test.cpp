#include "panto/stream/imu_datagram.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

#include "apps/support/allocation_count.hpp"
#include "panto/base/crc32c.hpp"
#include "panto/base/error.hpp"
#include "panto/math/so3.hpp"
#include "tests/stream/damage.hpp"
#include "tests/support/random_model.hpp"

namespace {

using namespace panto::stream;
using panto::at;
using panto::ImuReading;
using panto::ImuSample;
using panto::Time;
using panto::test::Bytes;
using panto::test::Random;

constexpr Time kMs = 1'000'000;
constexpr std::uint64_t kSession = 0x0102030405060708U;

std::vector<std::string> sensor_names(int count) {
  std::vector<std::string> names;
  for (int i = 0; i < count; ++i) names.push_back("sensor_" + std::to_string(i));
  return names;
}

template <typename Vector>
Vector as_floats(Vector values) {
  for (double& value : values) {
    const volatile float rounded = static_cast<float>(value);  // volatile: GCC 12 leaves pairs as they are
    value = static_cast<double>(rounded);
  }
  return values;
}

Eigen::Vector3d float_vector(Random& random, double size) {
  return as_floats(panto::test::random_vector(random, size));
}

// of numbers that a float holds, so that equal means equal
ImuSample random_sample(Random& random, int sensors, Time t) {
  ImuSample sample;
  sample.t = t;
  sample.imus.resize(at(sensors));
  for (ImuReading& imu : sample.imus) {
    imu.has_gyro = imu.has_acc = imu.has_orientation = true;
    imu.has_mag = panto::test::chance(random, 0.5);
    imu.gyro = float_vector(random, 20.0);
    imu.acc = float_vector(random, 50.0);
    if (imu.has_mag) imu.mag = float_vector(random, 1.0);
    imu.wxyz_GI = as_floats(panto::so3::to_quaternion_wxyz(panto::test::random_rotation(random)));
  }
  return sample;
}

bool equal(const ImuReading& a, const ImuReading& b) {
  return a.has_gyro == b.has_gyro && a.has_acc == b.has_acc && a.has_mag == b.has_mag &&
         a.has_orientation == b.has_orientation && a.gyro == b.gyro && a.acc == b.acc && a.mag == b.mag &&
         a.wxyz_GI == b.wxyz_GI;
}

Brought take_all(ImuStream& stream, const Datagrams& datagrams, Time arrival) {
  Brought last = Brought::Refused;
  for (const Bytes& datagram : datagrams) last = stream.take(datagram, arrival);
  return last;
}

// the checksum made right again, so that what lies behind it is tested
void seal(Bytes& bytes) {
  if (bytes.size() < kImuHeaderBytes) return;
  bytes[6] = static_cast<std::byte>(bytes.size() & 0xffU);
  bytes[7] = static_cast<std::byte>(bytes.size() >> 8U);
  const std::span<const std::byte> all(bytes);
  const std::uint32_t crc = panto::crc32c(all.subspan(32), panto::crc32c(all.first(28)));
  for (std::size_t i = 0; i < 4; ++i) bytes[28 + i] = static_cast<std::byte>((crc >> (8 * i)) & 0xffU);
}

// the bytes of docs/formats/imu_stream.md: a sensor node writes them by these offsets
TEST(ImuDatagram, KeepsItsOffsetsByteByByte) {
  ImuEncoder encoder({"ab", "c"}, kSession);
  ImuSample sample;
  sample.t = -2;
  sample.imus.resize(2);
  sample.imus[1].has_acc = sample.imus[1].has_orientation = true;
  sample.imus[1].acc = {1.0, 2.0, 3.0};
  const Datagrams names = encoder.introduction(), readings = encoder.encode(sample);
  ASSERT_EQ(names.size(), 1U);
  ASSERT_EQ(readings.size(), 1U);
  const auto byte = [](const Bytes& bytes, std::size_t i) { return std::to_integer<unsigned>(bytes.at(i)); };
  const auto number = [&](std::size_t i) {
    unsigned word = 0;
    for (std::size_t k = 0; k < 4; ++k) word |= byte(readings[0], i + k) << (8 * k);
    return std::bit_cast<float>(word);
  };
  for (const Bytes& bytes : {names[0], readings[0]}) {
    EXPECT_EQ(std::string(reinterpret_cast<const char*>(bytes.data()), 4), "PNTI");
    EXPECT_EQ(byte(bytes, 4), 1U) << "version";
    EXPECT_EQ(byte(bytes, 6) + 256 * byte(bytes, 7), bytes.size()) << "length";
    EXPECT_EQ(byte(bytes, 8), 8U) << "session, least byte first";
    EXPECT_EQ(byte(bytes, 15), 1U);
    EXPECT_EQ(byte(bytes, 16), 0U) << "number of the sample";
  }
  EXPECT_EQ(byte(names[0], 5), 1U) << "type: names";
  EXPECT_EQ(byte(names[0], 32), 2U) << "sensors";
  EXPECT_EQ(byte(names[0], 34), 0U) << "first";
  EXPECT_EQ(byte(names[0], 36), 2U) << "names here";
  EXPECT_EQ(byte(names[0], 38), 2U) << "bytes of the first name";
  EXPECT_EQ(byte(names[0], 39), unsigned{'a'});
  EXPECT_EQ(names[0].size(), 43U);
  EXPECT_EQ(byte(readings[0], 5), 2U) << "type: sample";
  EXPECT_EQ(byte(readings[0], 20), 0xfeU) << "stamp, two's complement";
  EXPECT_EQ(byte(readings[0], 27), 0xffU);
  EXPECT_EQ(byte(readings[0], 32), 2U) << "sensors of the session";
  EXPECT_EQ(byte(readings[0], 34), 1U) << "readings here";
  EXPECT_EQ(byte(readings[0], 36), 1U) << "index";
  EXPECT_EQ(byte(readings[0], 38), 2U + 8U) << "flags: acceleration, orientation";
  EXPECT_EQ(number(40), 1.0F) << "acceleration x";
  EXPECT_EQ(number(52), 1.0F) << "quaternion, w first";
  EXPECT_EQ(readings[0].size(), 68U);
}

TEST(ImuStream, SamplesComeBackToTheLastBitOfAFloat) {
  for (const int sensors : {1, 17, 60, kImuMaxSensors}) {
    ImuEncoder encoder(sensor_names(sensors), kSession);
    ImuStream stream;
    Random random(1);
    EXPECT_EQ(take_all(stream, encoder.introduction(), 0), Brought::Part);
    for (int i = 0; i < 50; ++i) {
      const ImuSample sent = random_sample(random, sensors, 5'000'000'000 + i * 10 * kMs);
      const Datagrams datagrams = encoder.encode(sent);
      if (sensors == 17) {
        EXPECT_EQ(datagrams.size(), 1U) << "a whole suit";
      }
      for (const Bytes& datagram : datagrams) EXPECT_LE(datagram.size(), 1472U);
      ASSERT_EQ(take_all(stream, datagrams, i * 10 * kMs), Brought::Sample) << sensors;
      ASSERT_EQ(stream.sample().t, i * 10 * kMs) << "from 0";
      for (int k = 0; k < sensors; ++k) ASSERT_TRUE(equal(stream.sample().imus[at(k)], sent.imus[at(k)]));
    }
    EXPECT_EQ(stream.names(), sensor_names(sensors));
    EXPECT_EQ(stream.counts().lost, 0);
    EXPECT_TRUE(stream.notes().empty());
  }
}

TEST(ImuStream, NamesOfAnyLengthComeInParts) {
  std::vector<std::string> names;
  for (int i = 0; i < 30; ++i) names.push_back(std::string(252, 'n') + std::to_string(100 + i));
  ImuEncoder encoder(names, kSession);
  Datagrams parts = encoder.introduction();
  EXPECT_EQ(parts.size(), 6U) << "five of 256 bytes in each";
  std::reverse(parts.begin(), parts.end());
  ImuStream stream;
  Random random(2);
  const ImuSample sent = random_sample(random, 30, 0);
  for (const Bytes& part : parts) {
    EXPECT_EQ(take_all(stream, encoder.encode(sent), 0), Brought::Part) << "before all names are known";
    EXPECT_EQ(stream.take(part, 0), Brought::Part);
  }
  EXPECT_EQ(take_all(stream, encoder.encode(sent), 0), Brought::Sample);
  EXPECT_EQ(stream.names(), names);
}

TEST(ImuStream, RefusesNamesThatWouldWriteOnATerminal) {
  for (const std::string name : {"a\nb", "\x1b[2J", "tab\tbed", "\x7f", "\r"}) {
    ImuEncoder encoder({"pelvis", name}, kSession);
    ImuStream stream;
    for (const Bytes& part : encoder.introduction())
      EXPECT_EQ(stream.take(part, 0), Brought::Refused) << name;
  }
}

TEST(ImuStream, SensorsThatSendAloneAreJoinedByTheirStamp) {
  ImuEncoder encoder(sensor_names(17), kSession, true);
  ImuStream stream;
  Random random(3);
  std::mt19937_64 order(4);
  take_all(stream, encoder.introduction(), 0);
  for (int i = 0; i < 100; ++i) {
    const ImuSample sent = random_sample(random, 17, i * 10 * kMs);
    Datagrams datagrams = encoder.encode(sent);
    ASSERT_EQ(datagrams.size(), 17U);
    std::shuffle(datagrams.begin(), datagrams.end(), order);
    for (std::size_t k = 0; k < 16; ++k) ASSERT_EQ(stream.take(datagrams[k], i * 10 * kMs), Brought::Part);
    ASSERT_EQ(stream.take(datagrams[3], i * 10 * kMs), Brought::Late) << "twice the same";
    ASSERT_EQ(stream.take(datagrams[16], i * 10 * kMs), Brought::Sample) << "at once with the last";
    ASSERT_EQ(stream.take(datagrams[16], i * 10 * kMs), Brought::Late);
    for (std::size_t k = 0; k < 17; ++k) ASSERT_TRUE(equal(stream.sample().imus[k], sent.imus[k]));
  }
  EXPECT_EQ(stream.counts().lost, 0);
}

TEST(ImuStream, ASampleWithAGapComesWithTheNextStamp) {
  ImuEncoder encoder(sensor_names(3), kSession, true);
  ImuStream stream;
  Random random(5);
  take_all(stream, encoder.introduction(), 0);
  Datagrams first = encoder.encode(random_sample(random, 3, 0)),
            second = encoder.encode(random_sample(random, 3, 10 * kMs));
  EXPECT_EQ(stream.take(first[0], 0), Brought::Part);
  EXPECT_EQ(stream.take(first[2], 0), Brought::Part);
  EXPECT_EQ(stream.take(second[0], 10 * kMs), Brought::Sample) << "the first, without its sensor 1";
  EXPECT_EQ(stream.sample().t, 0);
  EXPECT_FALSE(stream.sample().imus[1].tells_motion());
  EXPECT_TRUE(stream.sample().imus[2].tells_motion());
  EXPECT_EQ(stream.take(first[1], 11 * kMs), Brought::Late);
  EXPECT_EQ(stream.take(second[1], 12 * kMs), Brought::Part);
  EXPECT_EQ(stream.take(second[2], 12 * kMs), Brought::Sample);
  EXPECT_EQ(stream.counts().lost, 1);
}

TEST(ImuStream, ASensorThatIsOffIsNoLongerWaitedFor) {
  ImuEncoder encoder(sensor_names(3), kSession);
  ImuStream stream;
  Random random(6);
  take_all(stream, encoder.introduction(), 0);
  const auto send = [&](int i, bool on) {
    ImuSample sample = random_sample(random, 3, i * 10 * kMs);
    if (!on) sample.imus[1] = {};
    return take_all(stream, encoder.encode(sample), i * 10 * kMs);
  };
  EXPECT_EQ(send(0, true), Brought::Sample);
  EXPECT_EQ(send(1, false), Brought::Part) << "it may still come";
  EXPECT_EQ(send(2, false), Brought::Sample) << "sample 1, late by one";
  EXPECT_EQ(stream.sample().t, 10 * kMs);
  for (int i = 3; i < 10; ++i) {
    EXPECT_EQ(send(i, false), Brought::Sample);
    EXPECT_EQ(stream.sample().t, i * 10 * kMs) << "at once";
  }
  EXPECT_EQ(stream.counts().lost, 2) << "the two that taught it";
  for (int i = 10; i < 20; ++i) EXPECT_EQ(send(i, true), Brought::Sample);
  EXPECT_TRUE(stream.sample().imus[1].tells_motion()) << "it is on again";
}

// radios: each sensor's readings in their order, but some sensors up to two samples behind the others
TEST(ImuStream, SensorsThatComeApartAreCollected) {
  ImuEncoder encoder(sensor_names(5), kSession, true);
  ImuStream stream;
  Random random(16);
  take_all(stream, encoder.introduction(), 0);
  std::vector<Datagrams> sent;
  std::vector<ImuSample> samples;
  for (int i = 0; i < 200; ++i) {
    samples.push_back(random_sample(random, 5, i * 10 * kMs));
    sent.push_back(encoder.encode(samples.back()));
  }
  int given = 0, equal_ones = 0;
  for (int i = 0; i < 200; ++i) {
    for (int k = 0; k < 5; ++k) {
      const int behind = k < 2 ? 0 : k - 2;
      if (i < behind || stream.take(sent[at(i - behind)][at(k)], i * 10 * kMs) != Brought::Sample) continue;
      ++given;
      const ImuSample& own = samples[at(static_cast<int>(stream.sample().t / (10 * kMs)))];
      bool same = true;
      for (std::size_t sensor = 0; sensor < 5; ++sensor)
        same = same && equal(stream.sample().imus[sensor], own.imus[sensor]);
      equal_ones += same ? 1 : 0;
    }
  }
  EXPECT_EQ(given, 198) << "the last two are on their way";
  EXPECT_GE(equal_ones, 190) << "whole, after a few that taught how far apart";
  EXPECT_LE(stream.counts().lost, 8);
  ASSERT_EQ(stream.notes().size(), 1U);
  EXPECT_NE(stream.notes()[0].find("arrive at different times"), std::string::npos);
}

TEST(ImuStream, LossesAreCountedAndWhatIsOvertakenIsLate) {
  ImuEncoder encoder(sensor_names(17), kSession);
  ImuStream stream;
  Random random(7);
  take_all(stream, encoder.introduction(), 0);
  std::vector<Bytes> sent;
  for (int i = 0; i < 1000; ++i)
    sent.push_back(encoder.encode(random_sample(random, 17, i * 10 * kMs)).at(0));
  int samples = 0, dropped = 0;
  Time before = -1;
  for (int i = 0; i < 1000; ++i) {
    if (i > 0 && i < 999 && panto::test::chance(random, 0.3)) {
      ++dropped;
      continue;
    }
    ASSERT_EQ(stream.take(sent[at(i)], i * 10 * kMs), Brought::Sample);
    ++samples;
    ASSERT_GT(stream.sample().t, before);
    before = stream.sample().t;
    for (int back = 0; back < 8; ++back) {
      ASSERT_EQ(stream.take(sent[at(std::max(i - back, 0))], i * 10 * kMs), Brought::Late);
    }
  }
  EXPECT_GT(dropped, 200);
  EXPECT_EQ(stream.counts().lost, dropped);
  EXPECT_EQ(stream.counts().of(Brought::Sample), samples);
  EXPECT_EQ(stream.sample().t, 999 * 10 * kMs) << "stamps keep the gaps";
}

TEST(ImuStream, NumbersWrapAround) {
  ImuStream stream;
  ImuEncoder encoder(sensor_names(1), kSession);
  Random random(8);
  take_all(stream, encoder.introduction(), 0);
  for (int i = 0; i < 4; ++i) {
    Bytes bytes = encoder.encode(random_sample(random, 1, i * kMs)).at(0);
    const std::uint32_t seq = 0xfffffffeU + static_cast<std::uint32_t>(i);
    for (std::size_t k = 0; k < 4; ++k) bytes[16 + k] = static_cast<std::byte>((seq >> (8 * k)) & 0xffU);
    seal(bytes);
    EXPECT_EQ(stream.take(bytes, i * kMs), Brought::Sample);
  }
  EXPECT_EQ(stream.counts().lost, 0);
}

TEST(ImuStream, ARestartedSenderGoesOnWithItsSensorsFoundByName) {
  Random random(9);
  ImuStream stream;
  ImuEncoder first({"a", "b"}, 1), second({"c", "b", "a"}, 2);
  take_all(stream, first.introduction(), 0);
  EXPECT_EQ(take_all(stream, first.encode(random_sample(random, 2, 700 * kMs)), 0), Brought::Sample);
  EXPECT_EQ(take_all(stream, first.encode(random_sample(random, 2, 710 * kMs)), 10 * kMs), Brought::Sample);
  EXPECT_EQ(take_all(stream, second.introduction(), 20 * kMs), Brought::Ignored) << "the first is alive";
  const ImuSample sent = random_sample(random, 3, 5 * kMs);
  EXPECT_EQ(take_all(stream, second.encode(sent), 30 * kMs), Brought::Ignored);
  EXPECT_EQ(take_all(stream, second.introduction(), 600 * kMs), Brought::Part);
  EXPECT_EQ(take_all(stream, second.encode(sent), 610 * kMs), Brought::Sample);
  EXPECT_EQ(stream.names(), (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(equal(stream.sample().imus[0], sent.imus[2]));
  EXPECT_TRUE(equal(stream.sample().imus[1], sent.imus[1]));
  EXPECT_EQ(stream.sample().t, 610 * kMs) << "by arrival";
  EXPECT_EQ(take_all(stream, first.introduction(), 5000 * kMs), Brought::Ignored)
      << "a replay of an ended session";
  EXPECT_EQ(stream.notes().size(), 2U) << "started again; other sensors";
}

TEST(ImuStream, AListOfOtherSensorsIsRefusedAndTheSessionGoesOn) {
  Random random(19);
  ImuStream stream;
  ImuEncoder suit({"a", "b"}, 1), other({"x", "y"}, 2), half({"a", "y"}, 3);
  take_all(stream, suit.introduction(), 0);
  ASSERT_EQ(take_all(stream, suit.encode(random_sample(random, 2, 0)), 0), Brought::Sample);
  EXPECT_EQ(take_all(stream, other.introduction(), 600 * kMs), Brought::Refused) << "the suit was silent";
  EXPECT_EQ(take_all(stream, suit.encode(random_sample(random, 2, 610 * kMs)), 610 * kMs), Brought::Sample);
  // a list that fits by half takes over, but ends nothing until samples follow it
  EXPECT_EQ(take_all(stream, half.introduction(), 1200 * kMs), Brought::Part);
  EXPECT_EQ(take_all(stream, suit.introduction(), 1800 * kMs), Brought::Part);
  EXPECT_EQ(take_all(stream, suit.encode(random_sample(random, 2, 1810 * kMs)), 1810 * kMs), Brought::Sample);
  EXPECT_TRUE(stream.sample().imus[1].has_gyro);
}

TEST(ImuStream, AClockThatIsSetGivesWayToArrival) {
  Random random(10);
  ImuStream stream;
  ImuEncoder encoder({"a"}, 1);
  take_all(stream, encoder.introduction(), 0);
  const Time hour = 3'600'000 * kMs;
  int i = 0;
  for (const Time t : {hour, hour + 10 * kMs, 3 * hour, 3 * hour + 10 * kMs, Time{0}, 10 * kMs}) {
    ASSERT_EQ(take_all(stream, encoder.encode(random_sample(random, 1, t)), i * 10 * kMs), Brought::Sample)
        << i;
    EXPECT_EQ(stream.sample().t, i * 10 * kMs);
    ++i;
  }
  EXPECT_EQ(stream.notes().size(), 1U);
}

TEST(ImuStream, AFaultySensorIsLeftOutAndNamed) {
  Random random(11);
  ImuStream stream;
  ImuEncoder encoder({"a", "b"}, 1);
  take_all(stream, encoder.introduction(), 0);
  int i = 0;
  for (const double bad : {std::nan(""), HUGE_VAL, 2e7}) {
    ImuSample sample = random_sample(random, 2, i * kMs);
    sample.imus[1].gyro.y() = bad;
    ASSERT_EQ(take_all(stream, encoder.encode(sample), i * kMs), Brought::Sample);
    EXPECT_FALSE(stream.sample().imus[1].has_gyro);
    EXPECT_TRUE(stream.sample().imus[1].has_acc && stream.sample().imus[0].has_gyro) << "the others count";
    ++i;
  }
  ImuSample sample = random_sample(random, 2, i * kMs);
  sample.imus[1].wxyz_GI *= 1.02;
  ASSERT_EQ(take_all(stream, encoder.encode(sample), i * kMs), Brought::Sample);
  EXPECT_FALSE(stream.sample().imus[1].has_orientation);
  ASSERT_EQ(stream.notes().size(), 1U);
  EXPECT_NE(stream.notes()[0].find("'b'"), std::string::npos);
}

TEST(ImuStream, DatagramsOfOthersChangeNothing) {
  Random random(12);
  ImuStream stream;
  ImuEncoder encoder(sensor_names(2), kSession);
  take_all(stream, encoder.introduction(), 0);
  const Bytes whole = encoder.encode(random_sample(random, 2, 0)).at(0);
  const auto with = [&](std::size_t place, int value, bool sealed) {
    Bytes changed = whole;
    changed.at(place) = static_cast<std::byte>(value);
    if (sealed) seal(changed);
    return stream.take(changed, 0);
  };
  EXPECT_EQ(with(3, 'L', true), Brought::Refused) << "the robot link's";
  EXPECT_EQ(with(4, 2, true), Brought::Refused) << "another version";
  EXPECT_EQ(with(5, 3, true), Brought::Refused) << "another type";
  EXPECT_EQ(with(5, 1, true), Brought::Refused) << "readings are no names";
  EXPECT_EQ(with(8, 9, true), Brought::Ignored) << "another session";
  EXPECT_EQ(with(27, 0x40, true), Brought::Refused) << "a stamp of 146 years";
  EXPECT_EQ(with(32, 3, true), Brought::Refused) << "three sensors instead of two";
  EXPECT_EQ(with(34, 1, true), Brought::Refused) << "bytes are left over";
  EXPECT_EQ(with(36, 1, true), Brought::Refused) << "sensor 1 twice";
  EXPECT_EQ(with(39, 1, true), Brought::Refused) << "an unknown flag";
  EXPECT_EQ(with(50, 1, false), Brought::Refused) << "damaged";
  EXPECT_EQ(stream.take(Bytes(1473), 0), Brought::Refused);
  EXPECT_EQ(stream.counts().of(Brought::Sample), 0);
  EXPECT_EQ(stream.take(whole, 0), Brought::Sample);
}

TEST(ImuEncoder, SaysWhatItCannotSend) {
  const auto refusal = [](std::vector<std::string> names) -> std::string {
    try {
      ImuEncoder encoder(std::move(names), 1);
    } catch (const panto::ConfigError& error) {
      return error.what();
    }
    return "nothing";
  };
  EXPECT_EQ(refusal(sensor_names(kImuMaxSensors)), "nothing");
  EXPECT_NE(refusal(sensor_names(256)).find("256"), std::string::npos);
  EXPECT_NE(refusal({}).find("none"), std::string::npos);
  EXPECT_NE(refusal({"a", ""}).find("1 to 255 bytes"), std::string::npos);
  EXPECT_NE(refusal({std::string(256, 'x')}).find("xxx"), std::string::npos);
  EXPECT_NE(refusal({"a", "a"}).find("same name"), std::string::npos);
}

TEST(ImuStream, AllocatesNothingOnceTheNamesAreKnown) {
  if (!panto::AllocationCount::available()) GTEST_SKIP() << "the sanitizer owns malloc";
  ImuEncoder encoder(sensor_names(40), kSession), restarted(sensor_names(40), 2);
  ImuStream stream;
  Random random(13);
  take_all(stream, encoder.introduction(), 0);
  const Datagrams names = encoder.introduction(), new_names = restarted.introduction();
  std::vector<Datagrams> samples, new_samples;
  for (int i = 0; i < 50; ++i) {
    samples.push_back(encoder.encode(random_sample(random, 40, i * 10 * kMs)));
    new_samples.push_back(restarted.encode(random_sample(random, 40, i * 10 * kMs)));
  }
  const panto::AllocationCount count;
  for (int i = 0; i < 50; ++i) {
    take_all(stream, samples[at(i)], i * 10 * kMs);
    take_all(stream, names, i * 10 * kMs);
  }
  take_all(stream, new_names, 2000 * kMs);
  for (int i = 0; i < 50; ++i) take_all(stream, new_samples[at(i)], (2000 + i * 10) * kMs);
  EXPECT_EQ(count.value(), 0);
  EXPECT_EQ(stream.counts().of(Brought::Sample), 100);
}

TEST(ImuStream, DamageLeavesFiniteNumbersAndUnitQuaternions) {
  ImuEncoder encoder(sensor_names(5), kSession, false, 300);
  Random random(14);
  std::vector<Bytes> all = encoder.introduction();
  for (int i = 0; i < 6; ++i) {
    for (const Bytes& datagram : encoder.encode(random_sample(random, 5, i * 10 * kMs)))
      all.push_back(datagram);
  }
  ImuStream stream;
  for (const Bytes& datagram : all) (void)stream.take(datagram, 0);
  Time arrival = 0, before = stream.sample().t;
  const auto check = [&](const Bytes& datagram) {
    if (stream.take(datagram, arrival += kMs) != Brought::Sample) return;
    ASSERT_GT(stream.sample().t, before);
    before = stream.sample().t;
    for (const ImuReading& imu : stream.sample().imus) {
      ASSERT_TRUE(imu.gyro.allFinite() && imu.acc.allFinite() && imu.mag.allFinite());
      ASSERT_NEAR(imu.wxyz_GI.norm(), 1.0, 0.0101);
    }
  };
  std::mt19937_64 stamps(15);
  int accepted = 0;
  panto::test::try_damage(all, panto::test::scaled_numerical(100'000), [&](const Bytes& datagram) {
    if (std::find(all.begin(), all.end(), datagram) == all.end()) {
      ASSERT_FALSE(read_imu_header(datagram)) << "the checksum finds it";
    }
    Bytes sealed = datagram;
    if (sealed.size() >= kImuHeaderBytes) {
      std::copy_n(all[1].begin(), stamps() % 3 == 0 ? 4 : 16, sealed.begin());
      for (std::size_t i = 20; i < 25; ++i) sealed[i] = static_cast<std::byte>(stamps() & 0xffU);
    }
    seal(sealed);
    accepted += read_imu_header(sealed) ? 1 : 0;
    check(sealed);
  });
  EXPECT_GT(accepted, 1000);
  EXPECT_GT(stream.counts().of(Brought::Sample), 100) << "the damage goes to every layer";
}

}  // namespace
