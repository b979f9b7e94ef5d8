#include "panto/live/robot_link.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "panto/base/crc32c.hpp"
#include "panto/base/error.hpp"
#include "panto/math/so3.hpp"
#include "tests/support/corruption.hpp"
#include "tests/support/link_model.hpp"
#include "tests/support/random_model.hpp"

namespace {

using namespace panto::live;
using panto::State;
using panto::test::Random;
using Bytes = std::vector<std::byte>;

Bytes bytes_of(const Datagram& datagram, std::size_t size) {
  return {datagram.begin(), datagram.begin() + static_cast<std::ptrdiff_t>(size)};
}

Bytes motion_bytes(const PacketHeader& header, const State& state, bool valid = true) {
  Datagram datagram;
  return bytes_of(datagram, write_motion(header, state, valid, datagram));
}

std::vector<Bytes> hello_bytes(const LinkHello& hello) {
  std::vector<Bytes> parts;
  Datagram datagram;
  for (int first = 0; first < static_cast<int>(hello.joints.size());) {
    const PacketHeader header{PacketType::Hello, 9, static_cast<std::uint32_t>(parts.size()), 0};
    const int before = first;
    parts.push_back(bytes_of(datagram, write_hello(header, hello, first, datagram)));
    if (first == before) throw std::logic_error("a part without a name");
  }
  return parts;
}

// what a receiver makes of a datagram, all layers
PacketFault read_all(std::span<const std::byte> bytes) {
  PacketHeader header;
  const PacketFault fault = read_header(bytes, header);
  if (fault != PacketFault::None || header.type == PacketType::Bye) return fault;
  HelloPart part;
  LinkMotion motion;
  LinkProof proof;
  if (header.type == PacketType::Welcome) return read_welcome(bytes, proof);
  return header.type == PacketType::Hello ? read_hello(bytes, part) : read_motion(bytes, motion);
}

// the checksum made right again, so that what lies behind it is tested
void seal(Bytes& bytes) {
  const std::span<const std::byte> all(bytes);
  const std::uint32_t crc = panto::crc32c(all.subspan(32), panto::crc32c(all.first(28)));
  for (std::size_t i = 0; i < 4; ++i) bytes[28 + i] = static_cast<std::byte>((crc >> (8 * i)) & 0xffU);
}

State sample_state(int joints, std::uint64_t seed = 1) {
  const panto::Model model = panto::test::chain_model(joints);
  Random random(seed);
  State state = panto::test::random_state(model, random);
  state.t = 1'234'567'890'123;
  return state;
}

LinkHello sample_hello(int joints) {
  return {"chain", panto::test::chain_model(joints).joint_names(), 50.0, {}};
}

std::vector<Bytes> one_of_each() {
  std::vector<Bytes> all = hello_bytes(sample_hello(29));
  all.push_back(motion_bytes({PacketType::Reference, 7, 1, 0}, sample_state(29)));
  all.push_back(motion_bytes({PacketType::Measured, 7, 1, 0}, sample_state(5), false));
  Datagram datagram;
  all.push_back(bytes_of(datagram, write_bye({PacketType::Bye, 7, 2, 5}, datagram)));
  all.push_back(bytes_of(datagram, write_welcome({PacketType::Welcome, 7, 0, 5}, {std::byte{9}}, datagram)));
  return all;
}

TEST(RobotLink, CarriesAStateToTheLastBit) {
  for (const int joints : {1, 7, 29, kLinkMaxJoints}) {
    const State state = sample_state(joints);
    const PacketHeader sent{PacketType::Reference, 0xfedcba9876543210U, 0xffffffffU, state.t};
    const Bytes bytes = motion_bytes(sent, state);
    EXPECT_EQ(bytes.size(), 32U + 4U + 8U * (13U + 2U * static_cast<std::size_t>(joints)));
    EXPECT_LE(bytes.size(), kLinkMaxContent);
    PacketHeader header;
    ASSERT_EQ(read_header(bytes, header), PacketFault::None);
    EXPECT_EQ(header.type, PacketType::Reference);
    EXPECT_EQ(header.session, sent.session);
    EXPECT_EQ(header.seq, sent.seq);
    EXPECT_EQ(header.t, state.t);
    LinkMotion motion;
    ASSERT_EQ(read_motion(bytes, motion), PacketFault::None);
    EXPECT_TRUE(motion.valid);
    ASSERT_EQ(motion.joints, joints);
    EXPECT_EQ(motion.p_WB, state.p_WB);
    EXPECT_EQ(motion.v_WB, state.v_WB);
    EXPECT_EQ(motion.w_WB, state.w_WB);
    EXPECT_LT(panto::so3::distance(motion.R_WB, state.R_WB), 1e-15);
    EXPECT_TRUE(std::equal(state.s.begin(), state.s.end(), motion.s.begin()));
    EXPECT_TRUE(std::equal(state.sdot.begin(), state.sdot.end(), motion.sdot.begin()));
  }
}

// the bytes of docs/formats/robot_link.md: a program in another language reads them by these offsets
TEST(RobotLink, KeepsItsOffsetsByteByByte) {
  State state;
  state.s = Eigen::VectorXd::Constant(1, 0.5);
  state.sdot = Eigen::VectorXd::Constant(1, -1.0);
  state.p_WB = {1.0, 2.0, 3.0};
  const Bytes bytes = motion_bytes({PacketType::Measured, 0x0102030405060708U, 0x0a0b0c0dU, -2}, state);
  const auto byte = [&](std::size_t i) { return std::to_integer<int>(bytes.at(i)); };
  const auto number = [&](std::size_t i) {
    std::uint64_t word = 0;
    for (std::size_t k = 0; k < 8; ++k) word |= static_cast<std::uint64_t>(byte(i + k)) << (8 * k);
    return std::bit_cast<double>(word);
  };
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(bytes.data()), 4), "PNTL");
  EXPECT_EQ(byte(4), 2) << "version";
  EXPECT_EQ(byte(5), 3) << "type: measured";
  EXPECT_EQ(byte(6) + 256 * byte(7), 156) << "length";
  EXPECT_EQ(byte(8), 8) << "session, least byte first";
  EXPECT_EQ(byte(15), 1);
  EXPECT_EQ(byte(16), 0x0d) << "sequence";
  EXPECT_EQ(byte(20), 0xfe) << "stamp, two's complement";
  EXPECT_EQ(byte(27), 0xff);
  EXPECT_EQ(byte(32) + 256 * byte(33), 1) << "flags";
  EXPECT_EQ(byte(34) + 256 * byte(35), 1) << "joints";
  EXPECT_EQ(number(36), 1.0) << "base position";
  EXPECT_EQ(number(60), 1.0) << "quaternion, w first";
  EXPECT_EQ(number(140), 0.5) << "s";
  EXPECT_EQ(number(148), -1.0) << "sdot";
}

TEST(RobotLink, NamesAllJointsInAsManyPartsAsItTakes) {
  LinkHello hello = sample_hello(kLinkMaxJoints);
  hello.proof = {std::byte{1}, std::byte{2}};
  for (std::string& name : hello.joints) name += std::string(60, '_');
  const auto parts = hello_bytes(hello);
  EXPECT_GT(parts.size(), 3U);
  std::vector<std::string> names;
  for (const Bytes& bytes : parts) {
    EXPECT_LE(bytes.size(), kLinkMaxContent);
    HelloPart part;
    ASSERT_EQ(read_all(bytes), PacketFault::None);
    ASSERT_EQ(read_hello(bytes, part), PacketFault::None);
    EXPECT_EQ(part.robot, "chain");
    EXPECT_EQ(part.rate_hz, 50.0);
    EXPECT_EQ(part.proof, hello.proof);
    EXPECT_EQ(part.total, kLinkMaxJoints);
    EXPECT_EQ(part.first, static_cast<int>(names.size()));
    for (int i = 0; i < part.count; ++i) names.emplace_back(part.names[static_cast<std::size_t>(i)]);
  }
  EXPECT_EQ(names, hello.joints);
  EXPECT_EQ(hello_bytes(sample_hello(29)).size(), 1U) << "a usual robot needs one";
}

TEST(RobotLink, CarriesTheLongestNames) {
  LinkHello hello = sample_hello(3);
  hello.robot = std::string(255, 'r');
  for (std::string& name : hello.joints) name = std::string(255, name.back());
  check_hello(hello);
  for (const Bytes& bytes : hello_bytes(hello)) EXPECT_EQ(read_all(bytes), PacketFault::None);
}

TEST(RobotLink, SaysWhatItCannotCarry) {
  const auto refusal = [](const LinkHello& hello) -> std::string {
    try {
      check_hello(hello);
    } catch (const panto::ConfigError& error) {
      return error.what();
    }
    return "nothing";
  };
  EXPECT_EQ(refusal(sample_hello(kLinkMaxJoints)), "nothing");
  EXPECT_NE(refusal(sample_hello(83)).find("83 joints"), std::string::npos);
  EXPECT_NE(refusal({"chain", {}, 50.0, {}}).find("no movable joint"), std::string::npos);
  EXPECT_NE(refusal({"chain", {std::string(256, 'x')}, 50.0, {}}).find("xxx"), std::string::npos);
  EXPECT_NE(refusal({"", {"a"}, 50.0, {}}).find("name"), std::string::npos);
  EXPECT_NE(refusal({"chain", {"a"}, 0.0, {}}).find("must be above 0"), std::string::npos);
  EXPECT_NE(refusal({"chain", {"a"}, std::nan(""), {}}).find("must be above 0"), std::string::npos);
}

TEST(RobotLink, RefusesEveryTruncation) {
  for (const Bytes& whole : one_of_each()) {
    for (std::size_t length = 0; length < whole.size(); ++length) {
      EXPECT_NE(read_all(std::span(whole).first(length)), PacketFault::None) << length;
      // and when the length and checksum are made to fit
      if (length < kLinkHeaderBytes) continue;
      Bytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length));
      cut[6] = static_cast<std::byte>(length & 0xffU);
      cut[7] = static_cast<std::byte>(length >> 8U);
      seal(cut);
      EXPECT_EQ(read_all(cut), PacketFault::Content) << length;
    }
    EXPECT_EQ(read_all(whole), PacketFault::None);
  }
}

TEST(RobotLink, RefusesWhatIsNotOneOfOurs) {
  const Bytes whole = motion_bytes({PacketType::Reference, 7, 1, 0}, sample_state(3));
  const auto with = [&](std::size_t place, int value, bool sealed) {
    Bytes changed = whole;
    changed.at(place) = static_cast<std::byte>(value);
    if (sealed) seal(changed);
    return read_all(changed);
  };
  EXPECT_EQ(with(0, 'X', true), PacketFault::Magic);
  EXPECT_EQ(with(4, 1, true), PacketFault::Version);
  EXPECT_EQ(with(4, 0, true), PacketFault::Version);
  EXPECT_EQ(with(5, 0, true), PacketFault::Type);
  EXPECT_EQ(with(5, 6, true), PacketFault::Type);
  EXPECT_EQ(with(5, 2 + 128, true), PacketFault::Type) << "sealed";
  EXPECT_EQ(with(5, 5, true), PacketFault::Content) << "numbers are no proof";
  EXPECT_EQ(with(5, 1, true), PacketFault::Content) << "numbers are no names";
  EXPECT_EQ(with(6, 0, true), PacketFault::Length);
  EXPECT_EQ(with(28, 0, false), PacketFault::Checksum);
  EXPECT_EQ(with(32, 3, true), PacketFault::Content) << "an unknown flag";
  EXPECT_EQ(with(34, 2, true), PacketFault::Content) << "fewer joints than numbers";
  EXPECT_EQ(with(35, 255, true), PacketFault::Content) << "65283 joints";
}

TEST(RobotLink, RefusesEmptyAndLargestDatagrams) {
  EXPECT_EQ(read_all({}), PacketFault::Length);
  for (const std::size_t size : {std::size_t{1457}, std::size_t{1473}, std::size_t{65507}}) {
    Bytes large = motion_bytes({PacketType::Reference, 7, 1, 0}, sample_state(3));
    large.resize(size);
    large[6] = static_cast<std::byte>(size & 0xffU);
    large[7] = static_cast<std::byte>(size >> 8U);
    seal(large);
    EXPECT_EQ(read_all(large), PacketFault::Length) << size;
  }
}

TEST(RobotLink, RefusesNumbersThatAreNone) {
  const State state = sample_state(3);
  const double bad[] = {std::nan(""), HUGE_VAL, -HUGE_VAL, 1.1e6, -1.797e308};
  const Bytes whole = motion_bytes({PacketType::Reference, 7, 1, 0}, state);
  for (std::size_t place = 36; place < whole.size(); place += 8) {
    for (const double value : bad) {
      Bytes changed = whole;
      const auto word = std::bit_cast<std::array<std::byte, 8>>(value);
      std::copy(word.begin(), word.end(), changed.begin() + static_cast<std::ptrdiff_t>(place));
      seal(changed);
      EXPECT_EQ(read_all(changed), PacketFault::NotFinite) << place << ": " << value;
    }
  }
  for (const double scale : {0.0, 0.9, 1.1}) {
    Bytes changed = whole;
    const Eigen::Vector4d q = scale * panto::so3::to_quaternion_wxyz(state.R_WB);
    for (std::size_t i = 0; i < 4; ++i) {
      const auto word = std::bit_cast<std::array<std::byte, 8>>(q[static_cast<int>(i)]);
      std::copy(word.begin(), word.end(), changed.begin() + static_cast<std::ptrdiff_t>(60 + 8 * i));
    }
    seal(changed);
    EXPECT_EQ(read_all(changed), PacketFault::NotFinite) << scale;
  }
}

// Damage of every kind: never taken by chance where the checksum is left as it was, never a crash or a value
// that is not finite where it is made right again.
TEST(RobotLink, SurvivesRandomDamage) {
  std::mt19937_64 random(11);
  std::set<PacketFault> seen;
  for (const Bytes& whole : one_of_each()) {
    const std::string text(reinterpret_cast<const char*>(whole.data()), whole.size());
    for (int run = 0; run < panto::test::scaled(4000); ++run) {
      const std::string damaged = panto::test::corrupted(text, random);
      // a block of its own size, so that the address sanitizer sees a read beyond it
      Bytes bytes(damaged.size());
      std::transform(damaged.begin(), damaged.end(), bytes.begin(),
                     [](char c) { return static_cast<std::byte>(c); });
      if (damaged != text) {
        EXPECT_NE(read_all(bytes), PacketFault::None);
      }
      if (bytes.size() < kLinkHeaderBytes) continue;
      std::copy_n(whole.begin(), 6, bytes.begin());
      bytes[6] = static_cast<std::byte>(bytes.size() & 0xffU);
      bytes[7] = static_cast<std::byte>(bytes.size() >> 8U);
      seal(bytes);
      seen.insert(read_all(bytes));
      LinkMotion motion;
      PacketHeader header;
      if (read_header(bytes, header) == PacketFault::None && header.type == PacketType::Reference &&
          read_motion(bytes, motion) == PacketFault::None) {
        EXPECT_TRUE(motion.p_WB.allFinite() && panto::so3::is_rotation(motion.R_WB, 1e-12));
        EXPECT_LE(motion.joints, kLinkMaxJoints);
        for (int i = 0; i < motion.joints; ++i)
          EXPECT_TRUE(std::isfinite(motion.s[static_cast<std::size_t>(i)]));
      }
    }
  }
  for (const PacketFault fault : {PacketFault::None, PacketFault::Content, PacketFault::NotFinite}) {
    EXPECT_TRUE(seen.count(fault) != 0) << "the damage reaches every layer: " << to_string(fault);
  }
}

TEST(RobotLink, RefusesRandomBytes) {
  std::mt19937_64 random(12);
  for (int run = 0; run < panto::test::scaled(20000); ++run) {
    Bytes bytes(random() % 1600);
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random() & 0xffU);
    EXPECT_NE(read_all(bytes), PacketFault::None);
  }
}

}  // namespace
