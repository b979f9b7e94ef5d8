#include "panto/stream/mxtp_body.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>
#include <vector>

#include "apps/support/allocation_count.hpp"
#include "tests/support/mxtp_sender.hpp"

namespace {

using namespace panto;
using namespace panto::stream;
using panto::test::Bytes;
using panto::test::has_note;
using panto::test::moving_person;
using panto::test::Received;
using panto::test::Sender;

TEST(AnMvnStream, NamesThe23Segments) {
  const MxtpBody body;
  EXPECT_EQ(body.names(), human_segment_names());
  EXPECT_EQ(body.sample().segments.size(), 23U);
}

TEST(AnMvnStream, OfPosesGivesEverySampleAtOnce) {
  Sender sender("02");
  MxtpBody body;
  Received received(body);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(received(sender(i).front()), Brought::Sample) << i;
  EXPECT_EQ(received.stamps[99], frame_time(99, 60.0));
  EXPECT_FALSE(body.sample().segments[0].has_angular_velocity) << "type 02 has none, and none is made up";
  EXPECT_TRUE(has_note(body, "60 Hz"));
}

TEST(AnMvnStream, OfAngularMotionAloneGivesOrientationsAndRates) {
  Sender sender("22");
  MxtpBody body;
  Received received(body);
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(received(sender(i).front()), i == 0 ? Brought::Part : Brought::Sample)
        << "the first only tells that no positions come";
  }
  const SegmentMotion& pelvis = body.sample().segments[0];
  EXPECT_TRUE(pelvis.has_orientation && pelvis.has_angular_velocity);
  EXPECT_FALSE(pelvis.has_position);
  EXPECT_LT((pelvis.w_WS - moving_person(19 / 60.0).segments[0].w_WS).norm(), 1e-3) << "deg/s became rad/s";
  EXPECT_TRUE(has_note(body, "no positions"));
  EXPECT_EQ(body.counts().lost, 0);
}

TEST(AnMvnStream, OfLinearAndAngularMotionJoinsBoth) {
  Sender sender("21 22");
  MxtpBody body;
  Received received(body);
  for (int i = 0; i < 20; ++i) {
    const Datagrams both = sender(i);
    EXPECT_EQ(received(both[0]), Brought::Part);
    EXPECT_EQ(received(both[1]), Brought::Sample);
    for (const SegmentMotion& s : body.sample().segments) {
      EXPECT_TRUE(s.has_orientation && s.has_position && s.has_linear_velocity && s.has_angular_velocity);
    }
  }
}

TEST(AnMvnStream, OfAllTypesCountsNothingAsLateWhenNothingIs) {
  Sender sender("02 21 22");
  MxtpBody body;
  Received received(body);
  for (int i = 0; i < 20; ++i)
    for (const Bytes& datagram : sender(i)) received(datagram);
  EXPECT_EQ(received.stamps.size(), 20U);
  EXPECT_EQ(body.counts().of(Brought::Late), 0) << "the first pose was given before its other types came";
  EXPECT_EQ(body.counts().lost, 0);
}

TEST(AnMvnStream, OfLinearMotionAloneGivesPositions) {
  Sender sender("21");
  MxtpBody body;
  Received received(body);
  for (int i = 0; i < 20; ++i) received(sender(i).front());
  EXPECT_EQ(received.stamps.size(), 19U);
  EXPECT_FALSE(body.sample().segments[0].has_orientation);
  EXPECT_TRUE(has_note(body, "no orientations"));
}

TEST(AnMvnStream, GivesASampleWithoutALostTypeWhenTheNextCounterBegins) {
  Sender sender("02 22");
  MxtpBody body;
  Received received(body);
  for (int i = 0; i < 10; ++i) {
    for (const Bytes& datagram : sender(i)) received(datagram);
  }
  ASSERT_EQ(received.stamps.size(), 10U);
  EXPECT_EQ(received(sender(10)[0]), Brought::Part) << "its type 22 is lost";
  const Datagrams next = sender(11);
  EXPECT_EQ(received(next[0]), Brought::Sample);
  EXPECT_NEAR(to_seconds(body.sample().t), 10 / 60.0, 1e-3);
  EXPECT_TRUE(body.sample().segments[5].has_position);
  EXPECT_FALSE(body.sample().segments[5].has_angular_velocity);
  EXPECT_EQ(received(next[1]), Brought::Sample) << "nothing is held longer";
  EXPECT_TRUE(body.sample().segments[5].has_angular_velocity);
  EXPECT_EQ(body.counts().lost, 0);
}

TEST(AnMvnStream, StopsWaitingForATypeThatIsSwitchedOff) {
  Sender both("02 22"), pose("02", 1472, 0, 20);
  MxtpBody body;
  Received received(body);
  for (int i = 0; i < 20; ++i) {
    for (const Bytes& datagram : both(i)) received(datagram);
  }
  int at_once = 0;
  for (int i = 0; i < 40; ++i) {
    const Bytes datagram = pose(i).front();
    const Time before = body.sample().t;
    received(datagram);
    at_once += std::llround(to_seconds(body.sample().t) * 60.0) == 20 + i ? 1 : 0;
    EXPECT_GE(body.sample().t, before);
  }
  EXPECT_GE(at_once, 40 - 10) << "eight counters without it are enough";
  EXPECT_LE(body.counts().lost, 1);
}

TEST(AnMvnStream, ReassemblesFragmentsInAnyOrder) {
  std::mt19937_64 random(5);
  for (const char* types : {"02", "02 22", "21 22", "02 21 22"}) {
    Sender sender(types, 400);
    MxtpBody body;
    Received received(body);
    std::vector<Bytes> sent;
    for (int i = 0; i < 300; ++i) {
      for (Bytes& datagram : sender(i)) sent.push_back(std::move(datagram));
    }
    const std::size_t per_sample = sent.size() / 300;
    for (std::size_t i = per_sample; i < sent.size(); ++i) {  // none moves more than 8 places; the first stay
      if (random() % 2 == 0)
        std::swap(sent[i], sent[i - random() % std::min<std::size_t>(8, i - per_sample + 1)]);
    }
    for (const Bytes& datagram : sent) {
      received(datagram);
      received(datagram);
      if (received.stamps.empty()) continue;
      const SegmentSample expected = moving_person(std::round(to_seconds(body.sample().t) * 60.0) / 60.0);
      for (std::size_t k = 0; k < 23; ++k) {
        const SegmentMotion& got = body.sample().segments[k];
        if (got.has_orientation) {
          EXPECT_LT(so3::distance(got.R_WS, expected.segments[k].R_WS), 1e-6);
        }
        if (got.has_position) {
          EXPECT_LT((got.p_WS - expected.segments[k].p_WS).norm(), 1e-6) << "no sample is mixed of two";
        }
      }
    }
    EXPECT_GE(received.stamps.size(), 200U) << types;
    EXPECT_LE(received.stamps.size() + static_cast<std::size_t>(body.counts().lost), 301U) << types;
    EXPECT_EQ(body.counts().of(Brought::Refused), 0);
    EXPECT_GE(body.counts().of(Brought::Late), static_cast<std::int64_t>(sent.size()) / 2);
  }
}

TEST(AnMvnStream, KeepsEverySampleOfOneTypeWhateverTheOrder) {
  Sender sender("02", 400);
  MxtpBody body;
  Received received(body);
  for (int i = 0; i < 100; ++i) {
    Datagrams parts = sender(i);
    ASSERT_EQ(parts.size(), 3U);
    std::rotate(parts.begin(), parts.begin() + i % 3, parts.end());
    EXPECT_EQ(received(parts[0]), Brought::Part);
    EXPECT_EQ(received(parts[1]), Brought::Part);
    EXPECT_EQ(received(parts[1]), Brought::Late) << "twice";
    EXPECT_EQ(received(parts[2]), Brought::Sample);
  }
}

TEST(AnMvnStream, CountsWhatIsLost) {
  std::mt19937_64 random(6);
  Sender sender("02", 400);
  MxtpBody body;
  Received received(body);
  int whole = 0;
  for (int i = 0; i < 2000; ++i) {
    bool all = true;
    for (const Bytes& datagram : sender(i)) {
      const bool lost = i > 20 && random() % 100 < 5;
      if (!lost) received(datagram);
      all = all && !lost;
    }
    whole += all ? 1 : 0;
  }
  EXPECT_EQ(received.stamps.size(), static_cast<std::size_t>(whole));
  EXPECT_NEAR(static_cast<double>(body.counts().lost), 2000.0 - whole, 2.0);
  EXPECT_EQ(received.stamps.back(), frame_time(1999, 60.0)) << "losses do not shift time";
}

TEST(AnMvnStream, DoesNotCallDecimationALoss) {
  Sender sender("02");
  MxtpBody body;
  Received received(body);
  for (int i = 0; i < 400; i += 4) received(sender(i).front());
  EXPECT_EQ(body.counts().lost, 0);
  EXPECT_EQ(received.stamps.back(), frame_time(396, 60.0));
}

TEST(AnMvnStream, GoesOnWhenTheSenderRestarts) {
  MxtpBody body;
  Received received(body);
  Sender first("02", 1472, 0, 100'000), second("02");
  for (int i = 0; i < 100; ++i) received(first(i).front());
  const Time before = received.stamps.back();
  for (int i = 0; i < 100; ++i) received(second(i).front());
  EXPECT_EQ(received.stamps.size(), 198U) << "three datagrams in a row convince";
  EXPECT_EQ(std::count(received.cut.begin(), received.cut.end(), true), 1);
  EXPECT_TRUE(received.cut[100]);
  EXPECT_EQ(received.stamps[100], before + from_seconds(1.0 / 60.0));
}

TEST(AnMvnStream, GoesOnWhenAShortRecordingIsPlayedInALoop) {
  MxtpBody body;
  Received received(body);
  for (int round = 0; round < 3; ++round) {
    Sender sender("02");
    for (int i = 0; i < 40; ++i) received(sender(i).front());
  }
  EXPECT_EQ(std::count(received.cut.begin(), received.cut.end(), true), 2);
  EXPECT_GE(received.stamps.size(), 40U + 2 * (40U - 16U)) << "16 counters in a row that are old are new";
}

TEST(AnMvnStream, IsNotMovedByOneDatagramFromElsewhere) {
  Sender sender("02"), stray("02", 1472, 0, 3'000'000'000U);
  MxtpBody body;
  Received received(body);
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(received(sender(i).front()), Brought::Sample);
    if (i % 10 == 9) {
      EXPECT_EQ(received(stray(i).front()), Brought::Late);
    }
  }
  EXPECT_EQ(std::count(received.cut.begin(), received.cut.end(), true), 0);
}

TEST(AnMvnStream, DoesNotCutAtARepeatedSample) {
  Sender sender("02");
  MxtpBody body;
  Received received(body);
  for (int i = 0; i < 10; ++i) received(sender(i).front());
  const Bytes paused = sender(10).front();
  received(paused);
  for (int i = 0; i < 200; ++i) EXPECT_EQ(received(paused), Brought::Late) << "a paused sender";
  EXPECT_EQ(received(sender(11).front()), Brought::Sample);
  EXPECT_FALSE(body.sample().cut);
}

TEST(AnMvnStream, RunsThroughTheWrapOfTheCounter) {
  Sender sender("02 22", 400, 0, 0xffffffceU);
  MxtpBody body;
  Received received(body);
  for (int i = 0; i < 100; ++i) {
    for (const Bytes& datagram : sender(i)) received(datagram);
  }
  EXPECT_EQ(received.stamps.size(), 100U);
  EXPECT_EQ(received.stamps.back(), frame_time(99, 60.0));
  EXPECT_EQ(body.counts().lost, 0);
}

TEST(AnMvnStream, FollowsOneOfTwoCharacters) {
  Sender one("02", 1472, 1), two("02", 1472, 2);
  MxtpBody first, named(2);
  Received received(first);
  for (int i = 0; i < 50; ++i) {
    const Bytes a = one(i).front(), b = two(i + 7).front();
    EXPECT_EQ(received(a), Brought::Sample);
    EXPECT_EQ(received(b), Brought::Ignored);
    EXPECT_EQ(named.take(a, 0), Brought::Ignored);
    EXPECT_EQ(named.take(b, 0), Brought::Sample);
    EXPECT_LT((named.sample().segments[3].p_WS - moving_person((i + 7) / 60.0).segments[3].p_WS).norm(),
              1e-6);
  }
  EXPECT_TRUE(has_note(first, "character 1 is used; the stream has 1 other"));
  EXPECT_TRUE(has_note(named, "character 2 is used"));
}

TEST(AnMvnStream, FollowsAnotherCharacterWhenItsOwnHasLeft) {
  Sender one("02", 1472, 1), two("02", 1472, 2, 5000);
  MxtpBody body, asked(1);
  Received received(body);
  for (int i = 0; i < 10; ++i) {
    received(one(i).front());
    (void)asked.take(one(i).front(), 0);
  }
  for (int i = 0; i < 700; ++i) {
    const Bytes datagram = two(i).front();
    EXPECT_EQ(received(datagram), i < 599 ? Brought::Ignored : Brought::Sample) << i;
    EXPECT_EQ(asked.take(datagram, 0), Brought::Ignored) << "who is asked for stays";
  }
  EXPECT_TRUE(received.cut[10]) << "another person";
  EXPECT_TRUE(has_note(body, "character 2 is used"));
}

TEST(AnMvnStream, KeepsTimeThroughALongOutage) {
  Sender sender("02");
  MxtpBody body;
  Received received(body);
  for (int i = 0; i < 100; ++i) received(sender(i).front());
  EXPECT_EQ(received(sender(36'000).front()), Brought::Sample) << "ten minutes by counter and by time code";
  EXPECT_EQ(received.stamps.back(), frame_time(36'000, 60.0));
  EXPECT_FALSE(body.sample().cut);
}

TEST(AnMvnStream, AllocatesNothing) {
  if (!AllocationCount::available()) GTEST_SKIP() << "the sanitizer owns malloc";
  Sender sender("02 21 22", 400), other("02", 1472, 3), again("02", 1472, 0, 77'000);
  MxtpEncoderOptions options;
  options.person = scaled_subject(1.8);
  std::vector<Bytes> datagrams = MxtpEncoder(human_segment_names(), options).introduction();
  for (int i = 0; i < 50; ++i) {
    for (Bytes& datagram : sender(i)) datagrams.push_back(std::move(datagram));
    datagrams.push_back(other(i).front());
  }
  for (int i = 0; i < 50; ++i) datagrams.push_back(again(i).front());
  datagrams.push_back(Bytes(65507));
  MxtpBody body;
  const AllocationCount count;
  for (const Bytes& datagram : datagrams) (void)body.take(datagram, 0);
  EXPECT_EQ(count.value(), 0);
  EXPECT_GE(body.counts().of(Brought::Sample), 97);
}

}  // namespace
