#include "panto/live/session_window.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace {

using namespace panto::live;
using panto::Time;

constexpr Time kMs = 1'000'000;

PacketHeader hello(std::uint64_t session, std::uint32_t seq = 0, Time t = 0) {
  return {PacketType::Hello, session, seq, t};
}
PacketHeader state(std::uint64_t session, std::uint32_t seq, Time t) {
  return {PacketType::Reference, session, seq, t};
}
PacketHeader bye(std::uint64_t session, std::uint32_t seq, Time t) {
  return {PacketType::Bye, session, seq, t};
}

// a session that has begun: sequence `seq` and stamp `t` are the last taken
SessionWindow window_at(std::uint32_t seq, Time t) {
  SessionWindow window;
  EXPECT_EQ(window.admit(hello(1, seq - 1, t - 1), 0), Admission::NewSession);
  EXPECT_EQ(window.admit(state(1, seq, t), 0), Admission::Taken);
  return window;
}

TEST(SessionWindow, BeginsWithAHello) {
  SessionWindow window;
  EXPECT_EQ(window.admit(state(1, 0, 0), 0), Admission::NoSession);
  EXPECT_EQ(window.admit(bye(1, 0, 0), 0), Admission::NoSession);
  EXPECT_EQ(window.admit(hello(1), 0), Admission::NewSession);
  EXPECT_EQ(window.admit(state(1, 1, 0), 0), Admission::Taken);
}

TEST(SessionWindow, TakesEachPacketOnceAndInOrder) {
  SessionWindow window = window_at(10, 100 * kMs);
  EXPECT_EQ(window.admit(state(1, 10, 100 * kMs), 0), Admission::Old) << "the same again";
  EXPECT_EQ(window.admit(state(1, 13, 160 * kMs), 0), Admission::Taken) << "two were lost";
  EXPECT_EQ(window.admit(state(1, 12, 140 * kMs), 0), Admission::Old) << "one of them, late";
  EXPECT_EQ(window.admit(state(1, 14, 160 * kMs), 0), Admission::Old) << "the stamp stands still";
  EXPECT_EQ(window.admit(state(1, 14, 150 * kMs), 0), Admission::Old) << "the stamp goes back";
  EXPECT_EQ(window.admit(hello(1, 14, 160 * kMs), 0), Admission::Taken)
      << "a hello has the stamp of the last state";
  EXPECT_EQ(window.admit(state(1, 15, 180 * kMs), 0), Admission::Taken);
}

TEST(SessionWindow, GoesOnWhereTheSequenceWrapsAround) {
  SessionWindow window = window_at(0xfffffffdU, 0);
  Time t = 0;
  for (const std::uint32_t seq : {0xfffffffeU, 0xffffffffU, 0U, 1U, 5U}) {
    EXPECT_EQ(window.admit(state(1, seq, t += 20 * kMs), 0), Admission::Taken) << seq;
  }
  EXPECT_EQ(window.admit(state(1, 0xffffffffU, t + 20 * kMs), 0), Admission::Jump) << "behind, by sequence";
}

TEST(SessionWindow, TakesAJumpWhenThreeInARowAgree) {
  SessionWindow window = window_at(10, 0);
  EXPECT_EQ(window.admit(state(1, 10 + 32767, 20 * kMs), 0), Admission::Taken) << "the widest step";
  EXPECT_EQ(window.admit(state(1, 10 + 32767 + 32768, 40 * kMs), 0), Admission::Jump);
  EXPECT_EQ(window.admit(state(1, 10 + 32767 + 32769, 60 * kMs), 0), Admission::Jump);
  EXPECT_EQ(window.admit(state(1, 10 + 32767 + 32770, 80 * kMs), 0), Admission::Taken);
  EXPECT_EQ(window.admit(state(1, 10 + 32767 + 32771, 100 * kMs), 0), Admission::Taken);
}

TEST(SessionWindow, IsNotMovedByOneForgedPacket) {
  SessionWindow window = window_at(10, 0);
  std::uint32_t seq = 10;
  Time t = 0;
  // every second packet is forged, far ahead by sequence or by stamp
  for (int i = 0; i < 100; ++i) {
    const PacketHeader forged = i % 4 < 2 ? state(1, seq + 1'000'000'000U, t + 20 * kMs)
                                          : state(1, seq + 1, std::numeric_limits<Time>::max());
    EXPECT_EQ(window.admit(forged, 0), Admission::Jump);
    EXPECT_EQ(window.admit(state(1, ++seq, t += 20 * kMs), 0), Admission::Taken) << i;
  }
}

TEST(SessionWindow, TreatsAStampFarAheadAsAJump) {
  SessionWindow window = window_at(10, 0);
  EXPECT_EQ(window.admit(state(1, 11, kStampJump), 0), Admission::Taken);
  const Time gap = 10 * kStampJump;
  EXPECT_EQ(window.admit(state(1, 12, gap), 0), Admission::Jump);
  EXPECT_EQ(window.admit(state(1, 13, gap + 20 * kMs), 0), Admission::Jump);
  EXPECT_EQ(window.admit(state(1, 14, gap + 40 * kMs), 0), Admission::Taken) << "a recording with a gap";
}

TEST(SessionWindow, AGapIsPassedThoughEveryPacketComesTwice) {
  SessionWindow window = window_at(10, 0);
  Time t = 10 * kStampJump;
  for (std::uint32_t seq = 11; seq < 14; ++seq, t += 20 * kMs) {
    const bool last = seq == 13;
    EXPECT_EQ(window.admit(state(1, seq, t), t), last ? Admission::Taken : Admission::Jump) << seq;
    EXPECT_EQ(window.admit(state(1, seq, t), t), last ? Admission::Old : Admission::Jump) << seq << ", again";
  }
  // a forged packet far ahead holds the next row up for a tenth of a second
  t += 10 * kStampJump;
  EXPECT_EQ(window.admit(state(1, 14, t + 1'000'000 * kMs), t), Admission::Jump);
  int refused = 0;
  for (std::uint32_t seq = 14; window.admit(state(1, seq, t), t) != Admission::Taken; ++seq, t += 20 * kMs)
    ASSERT_LT(++refused, 10);
  EXPECT_EQ(refused, 8) << "100 ms, and the row";
}

TEST(SessionWindow, IsNotKeptAliveByHellosOfOneStamp) {
  SessionWindow window = window_at(10, 100 * kMs);
  for (const std::uint32_t seq : {11U, 12U, 13U, 14U})
    EXPECT_EQ(window.admit(hello(1, seq, 100 * kMs), 0), Admission::Taken);
  for (int k = 0; k < 10; ++k) {
    for (const std::uint32_t seq : {11U, 12U, 13U, 14U})
      EXPECT_EQ(window.admit(hello(1, seq, 100 * kMs), k * 100 * kMs), Admission::Old);
  }
  EXPECT_TRUE(window.may_begin(2, 501 * kMs));
}

TEST(SessionWindow, StandsAnyStamp) {
  constexpr Time lowest = std::numeric_limits<Time>::min(), highest = std::numeric_limits<Time>::max();
  SessionWindow window;
  EXPECT_EQ(window.admit(hello(1, 0, lowest), lowest), Admission::NewSession);
  EXPECT_EQ(window.admit(state(1, 1, highest), highest), Admission::Jump);
  EXPECT_EQ(window.admit(state(1, 1, lowest), highest), Admission::Taken);
}

TEST(SessionWindow, KeepsALiveSessionFromStrangers) {
  SessionWindow window = window_at(10, 0);
  EXPECT_EQ(window.admit(hello(2), 100 * kMs), Admission::OtherSession);
  EXPECT_EQ(window.admit(state(2, 11, 20 * kMs), 100 * kMs), Admission::OtherSession);
  EXPECT_EQ(window.admit(bye(2, 11, 20 * kMs), 100 * kMs), Admission::OtherSession);
  EXPECT_EQ(window.admit(state(1, 11, 20 * kMs), 400 * kMs), Admission::Taken);
  EXPECT_EQ(window.admit(hello(2), 900 * kMs), Admission::OtherSession) << "500 ms since the last";
  EXPECT_EQ(window.admit(hello(2), 901 * kMs), Admission::NewSession) << "more than that: lost";
  EXPECT_EQ(window.admit(state(1, 12, 40 * kMs), 902 * kMs), Admission::OtherSession);
}

TEST(SessionWindow, GoesOnAfterSilenceIfNobodyTookOver) {
  SessionWindow window = window_at(10, 0);
  EXPECT_EQ(window.admit(state(1, 11, 20 * kMs), 60'000 * kMs), Admission::Taken);
}

TEST(SessionWindow, RefusesAReplayOfWhatIsOver) {
  SessionWindow window = window_at(10, 0);
  EXPECT_EQ(window.admit(bye(1, 11, 0), 0), Admission::Taken);
  EXPECT_TRUE(window.ended());
  EXPECT_EQ(window.admit(state(1, 12, 20 * kMs), 0), Admission::PastSession);
  EXPECT_EQ(window.admit(hello(1, 13, 20 * kMs), 0), Admission::PastSession);
  EXPECT_EQ(window.admit(hello(2), 0), Admission::NewSession) << "after bye at once";
  EXPECT_EQ(window.admit(bye(2, 1, 0), 0), Admission::Taken);
  EXPECT_EQ(window.admit(state(1, 14, 30 * kMs), 10'000 * kMs), Admission::OtherSession);
}

TEST(SessionWindow, SaysWhetherAHelloWouldBeginItsSession) {
  SessionWindow window;
  EXPECT_TRUE(window.may_begin(1, 0));
  window = window_at(10, 0);
  EXPECT_FALSE(window.may_begin(1, 0)) << "it has begun";
  EXPECT_FALSE(window.may_begin(2, 500 * kMs)) << "another one is alive";
  EXPECT_TRUE(window.may_begin(2, 501 * kMs)) << "the other one is lost";
  EXPECT_FALSE(window.may_begin(1, 501 * kMs)) << "it only goes on";
  EXPECT_EQ(window.admit(bye(1, 11, 0), 0), Admission::Taken);
  EXPECT_TRUE(window.may_begin(2, 0)) << "after bye at once";
  EXPECT_FALSE(window.may_begin(1, 0)) << "not the same again";
}

TEST(SessionWindow, TakesTheAnswersOfASessionItExpects) {
  SessionWindow window;
  window.expect(5, 0);
  EXPECT_EQ(window.admit({PacketType::Measured, 4, 0, 0}, 0), Admission::OtherSession);
  EXPECT_EQ(window.admit({PacketType::Measured, 5, 1000, 0}, 0), Admission::Taken) << "any first number";
  EXPECT_EQ(window.admit({PacketType::Measured, 5, 1000, 0}, 0), Admission::Old);
  EXPECT_EQ(window.admit({PacketType::Measured, 5, 1001, 1}, 0), Admission::Taken);
}

}  // namespace
