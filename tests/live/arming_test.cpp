#include "panto/live/arming.hpp"

#include <gtest/gtest.h>

#include "panto/live/wish.hpp"

namespace panto::live {
namespace {

constexpr Time kSecond = 1'000'000'000;

TEST(Arming, IsOffUntilSomebodySaysSo) {
  EXPECT_FALSE(Arming().armed());
  EXPECT_TRUE(Arming(true).armed());
}

TEST(Arming, GoesOnByAWordAndOffByAnyOtherThatIsNoOtherWish) {
  using enum Wish::Kind;
  for (const char* word : {"a", "arm", "  arm \r"}) EXPECT_EQ(parse_wish(word).kind, Arm) << word;
  for (const char* word : {"", "stop", "armed", "A", "no", " ", "d", "arm it", "r it"})
    EXPECT_EQ(parse_wish(word).kind, Disarm) << "'" << word << "'";
  for (const char* word : {"r", "realign\r"}) EXPECT_EQ(parse_wish(word).kind, Align) << word;
  for (const char* word : {"w", "write"}) EXPECT_EQ(parse_wish(word).kind, Record) << word;
  EXPECT_EQ(parse_wish("w it").kind, Disarm);
  EXPECT_EQ(parse_wish("c").kind, Calibrate);
  EXPECT_EQ(parse_wish("calibrate  npose tpose").text, "npose tpose");
  EXPECT_EQ(parse_wish("m").kind, Mark);
  EXPECT_EQ(parse_wish(" mark  left knee \r").text, "left knee");
}

TEST(Arming, GoesOffOnceTheStreamIsLostForTwoSecondsAndStaysOff) {
  Arming arming(true);
  Time now = kSecond;
  EXPECT_FALSE(arming.watch(StreamState::Good, now));
  EXPECT_FALSE(arming.watch(StreamState::Lost, now += kSecond));
  EXPECT_FALSE(arming.watch(StreamState::Fault, now += 19 * kSecond / 10));
  EXPECT_TRUE(arming.armed());
  EXPECT_TRUE(arming.watch(StreamState::Lost, now += kSecond / 10));
  EXPECT_FALSE(arming.armed());
  EXPECT_FALSE(arming.watch(StreamState::Lost, now += kSecond)) << "it is said once";
  EXPECT_FALSE(arming.watch(StreamState::Good, now += kSecond));
  EXPECT_FALSE(arming.armed()) << "only a person arms";
}

TEST(Arming, OutlastsAGapOfLessThanTwoSeconds) {
  Arming arming(true);
  Time now = kSecond;
  for (int gap = 0; gap < 5; ++gap) {
    EXPECT_FALSE(arming.watch(StreamState::Lost, now += kSecond));
    EXPECT_FALSE(arming.watch(StreamState::Returning, now += kSecond));
  }
  EXPECT_TRUE(arming.armed());
}

}  // namespace
}  // namespace panto::live
