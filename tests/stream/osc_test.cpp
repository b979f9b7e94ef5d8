#include "panto/stream/osc.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "apps/support/allocation_count.hpp"
#include "tests/stream/damage.hpp"

namespace {

using namespace panto::stream;
using panto::test::Bytes;

Bytes bytes_of(std::string_view text) {
  Bytes out(text.size());
  std::transform(text.begin(), text.end(), out.begin(), [](char c) { return static_cast<std::byte>(c); });
  return out;
}

std::vector<std::string> addresses(const Bytes& packet) {
  std::vector<std::string> found;
  OscReader reader(packet);
  for (OscMessage message; reader.next(message);) found.emplace_back(message.address());
  return found;
}

Bytes message(std::string_view address) { return osc_message(address, {}); }

// a bundle within a bundle, and so on
Bytes nested(std::size_t depth) {
  Bytes inner = message("/a");
  for (std::size_t i = 0; i < depth; ++i) {
    Bytes outer = osc_bundle();
    osc_append(outer, inner);
    inner = outer;
  }
  return inner;
}

// the example of the OSC 1.0 specification, "/foo" with 1000, -1, "hello", 1.234, 5.678
TEST(Osc, ExampleOfTheSpecificationIsReadAndWritten) {
  const Bytes expected = bytes_of(std::string_view(
      "/foo\0\0\0\0,iisff\0\0\0\0\x03\xe8\xff\xff\xff\xffhello\0\0\0\x3f\x9d\xf3\xb6\x40\xb5\xb2\x2d", 40));
  const std::vector<OscArgument> arguments{OscArgument::of(1000), OscArgument::of(-1),
                                           OscArgument::of(std::string_view("hello")),
                                           OscArgument::of(1.234F), OscArgument::of(5.678F)};
  EXPECT_EQ(osc_message("/foo", arguments), expected);

  OscReader reader(expected);
  OscMessage read;
  ASSERT_TRUE(reader.next(read));
  EXPECT_EQ(read.address(), "/foo");
  EXPECT_EQ(read.tags(), "iisff");
  std::vector<OscArgument> found;
  for (OscArgument argument; read.next(argument);) found.push_back(argument);
  ASSERT_EQ(found.size(), 5U);
  EXPECT_EQ(found[0].integer, 1000);
  EXPECT_EQ(found[1].integer, -1);
  EXPECT_EQ(found[2].text, "hello");
  EXPECT_EQ(found[3].real, static_cast<double>(1.234F));
  EXPECT_EQ(found[4].real, static_cast<double>(5.678F));
  EXPECT_FALSE(reader.next(read));
  EXPECT_FALSE(reader.damaged());
}

TEST(Osc, EveryTypeComesBack) {
  const Bytes blob = bytes_of("12345");
  const std::vector<OscArgument> arguments{{.tag = 'h', .integer = std::numeric_limits<std::int64_t>::min()},
                                           {.tag = 'd', .real = 0.1},
                                           {.tag = 'b', .blob = blob},
                                           {.tag = 'T'},
                                           {.tag = 'F'},
                                           {.tag = 'N'},
                                           {.tag = 'I'},
                                           {.tag = 's', .text = "four"},
                                           {.tag = 'i', .integer = 7}};
  const Bytes packet = osc_message("/all", arguments);
  EXPECT_EQ(packet.size() % 4, 0U);
  OscReader reader(packet);
  OscMessage read;
  ASSERT_TRUE(reader.next(read));
  std::vector<OscArgument> found;
  for (OscArgument argument; read.next(argument);) found.push_back(argument);
  ASSERT_EQ(found.size(), arguments.size());
  EXPECT_EQ(found[0].integer, std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(found[1].real, 0.1);
  EXPECT_EQ(Bytes(found[2].blob.begin(), found[2].blob.end()), blob);
  EXPECT_EQ(found[3].integer, 1) << "true";
  EXPECT_EQ(found[4].integer, 0) << "false";
  EXPECT_EQ(found[7].text, "four");
  EXPECT_EQ(found[8].integer, 7) << "the number after all the others";
}

TEST(Osc, BundlesAreOpenedInTheirOrder) {
  Bytes inner = osc_bundle(), outer = osc_bundle();
  osc_append(inner, message("/2"));
  osc_append(inner, message("/3"));
  osc_append(outer, message("/1"));
  osc_append(outer, inner);
  osc_append(outer, osc_bundle());
  osc_append(outer, message("/4"));
  EXPECT_EQ(addresses(outer), (std::vector<std::string>{"/1", "/2", "/3", "/4"}));
  EXPECT_TRUE(osc_is_whole(outer));
  EXPECT_TRUE(osc_is_whole(osc_bundle())) << "nothing in it";
}

TEST(Osc, BundlesNestedTooDeepAreRefused) {
  EXPECT_EQ(addresses(nested(kOscMaxDepth)), std::vector<std::string>{"/a"});
  EXPECT_FALSE(osc_is_whole(nested(kOscMaxDepth + 1)));
  EXPECT_FALSE(osc_is_whole(nested(1000)));
}

// Max/MSP leaves the type tags out; some libraries pad with whatever is in memory, or not at the end
TEST(Osc, HabitsOfSendersAreAccepted) {
  EXPECT_EQ(addresses(bytes_of(std::string_view("/a\0\0", 4))), std::vector<std::string>{"/a"})
      << "no types, no values";
  EXPECT_TRUE(osc_is_whole(bytes_of(std::string_view("/a\0x,i\0y\0\0\0\1", 12))))
      << "padding that is not zero";
  EXPECT_TRUE(osc_is_whole(bytes_of(std::string_view("/a\0\0,s\0\0hello\0", 14))))
      << "the last padding is missing";
}

TEST(Osc, MessageOfAnUnknownTypeIsLeftOut) {
  Bytes bundle = osc_bundle();
  osc_append(bundle, bytes_of(std::string_view("/a\0\0,x\0\0\0\0\0\1", 12)));
  osc_append(bundle, bytes_of(std::string_view("/old\0\0\0\0\0\0\0\1", 12)));
  osc_append(bundle, message("/b"));
  OscReader reader(bundle);
  OscMessage read;
  ASSERT_TRUE(reader.next(read));
  EXPECT_EQ(read.address(), "/b");
  EXPECT_FALSE(reader.next(read));
  EXPECT_EQ(reader.left_out(), 2) << "one of type x, one without types";
  EXPECT_FALSE(reader.damaged());
}

TEST(Osc, SizesBeyondTheirPlaceAreRefused) {
  EXPECT_FALSE(osc_is_whole({}));
  EXPECT_FALSE(osc_is_whole(bytes_of("a"))) << "no slash, no end";
  EXPECT_FALSE(osc_is_whole(bytes_of(std::string_view("/a\0\0,i\0\0\0\0\0", 11)))) << "three bytes of four";
  EXPECT_FALSE(osc_is_whole(bytes_of(std::string_view("/a\0\0,b\0\0\xff\xff\xff\xff", 12))))
      << "4 GB of blob";
  EXPECT_FALSE(osc_is_whole(bytes_of(std::string_view("#bundle\0\0\0\0\0\0\0\0", 15)))) << "half a time tag";
  for (const std::string_view size : {std::string_view("\0\0\0\0", 4), std::string_view("\0\0\0\x05", 4),
                                      std::string_view("\xff\xff\xff\xfc", 4)}) {
    Bytes bundle = osc_bundle();
    for (const std::byte byte : bytes_of(size)) bundle.push_back(byte);
    for (const std::byte byte : bytes_of(std::string_view("/a\0\0", 4))) bundle.push_back(byte);
    EXPECT_FALSE(osc_is_whole(bundle));
  }
}

TEST(Osc, DamageIsSurvivedAndViewsLieWithinThePacket) {
  const Bytes blob = osc_bundle();
  Bytes bundle = blob;
  const std::vector<OscArgument> arguments{
      OscArgument::of(std::string_view("Hips")), OscArgument::of(0.5F), {.tag = 'b', .blob = blob}};
  osc_append(bundle, osc_message("/VMC/Ext/Bone/Pos", arguments));
  osc_append(bundle, nested(2));
  int whole = 0, damaged = 0;
  panto::test::try_damage(
      {bundle, osc_message("/x", arguments)}, panto::test::scaled(100'000), [&](const Bytes& packet) {
        const auto inside = [&](const void* begin, std::size_t size) {
          const auto* from = static_cast<const std::byte*>(begin);
          return size == 0 || (from >= packet.data() && from + size <= packet.data() + packet.size());
        };
        OscReader reader(packet);
        int argument_count = 0;
        for (OscMessage read; reader.next(read);) {
          const std::size_t tags = read.tags().size();
          std::size_t taken = 0;
          for (OscArgument argument; read.next(argument); ++taken, ++argument_count) {
            ASSERT_TRUE(inside(argument.text.data(), argument.text.size()));
            ASSERT_TRUE(inside(argument.blob.data(), argument.blob.size()));
          }
          ASSERT_EQ(taken, tags) << "an argument for each tag";
        }
        ++(reader.damaged() ? damaged : whole);
      });
  EXPECT_GT(whole, 1000) << "the damage goes to every layer";
  EXPECT_GT(damaged, 1000);
}

TEST(Osc, ReadingAllocatesNothing) {
  if (!panto::AllocationCount::available()) GTEST_SKIP() << "the sanitizer owns malloc";
  const Bytes packet = nested(3);
  const panto::AllocationCount count;
  for (int i = 0; i < 1000; ++i) EXPECT_TRUE(osc_is_whole(packet));
  EXPECT_EQ(count.value(), 0);
}

}  // namespace
