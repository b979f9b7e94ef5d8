#include "panto/stream/mxtp_body.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "apps/support/allocation_count.hpp"
#include "panto/stream/mxtp_encoder.hpp"
#include "panto/stream/y_up.hpp"
#include "tests/support/mxtp_stream.hpp"

namespace {

using namespace panto;
using namespace panto::stream;
using panto::test::Bytes;
using panto::test::moving_person;
using panto::test::mxtp_datagram;

constexpr Time kMs = 1'000'000;

// a sender of the moving person at 60 Hz
struct Sender {
  explicit Sender(const char* types = "02", std::size_t largest = 1472, int character = 0,
                  std::uint32_t first = 0)
      : encoder(human_segment_names(), options(types, largest, character, first)) {}

  static MxtpEncoderOptions options(const std::string& types, std::size_t largest, int character,
                                    std::uint32_t first) {
    MxtpEncoderOptions made;
    made.pose = types.find("02") != std::string::npos;
    made.linear = types.find("21") != std::string::npos;
    made.angular = types.find("22") != std::string::npos;
    made.largest_bytes = largest;
    made.character = character;
    made.first_counter = first;
    return made;
  }
  Datagrams operator()(int i) { return encoder.encode(moving_person(i / 60.0)); }

  MxtpEncoder encoder;
};

// what a body gave, datagram by datagram
struct Received {
  std::vector<Time> stamps;
  std::vector<bool> cut;
  explicit Received(MxtpBody& to) : body(&to) {}
  Brought operator()(const Bytes& datagram, Time arrival = 0) {
    const Brought what = body->take(datagram, arrival);
    if (what != Brought::Sample) return what;
    if (!stamps.empty()) {
      EXPECT_GT(body->sample().t, stamps.back());
    }
    stamps.push_back(body->sample().t);
    cut.push_back(body->sample().cut);
    return what;
  }
  MxtpBody* body;
};

bool has_note(const MxtpBody& body, std::string_view part) {
  const auto notes = body.notes();
  return std::any_of(notes.begin(), notes.end(),
                     [part](const std::string& note) { return note.find(part) != std::string::npos; });
}

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

// the sample in a world with y up, its segments' own axes turned as well or not
SegmentSample y_up(const SegmentSample& sample, bool frames_too) {
  const Eigen::Matrix3d C = z_up_from_y_up();
  SegmentSample turned = sample;
  for (SegmentMotion& s : turned.segments) {
    s.R_WS = C.transpose() * s.R_WS;
    if (frames_too) s.R_WS = s.R_WS * C;
    for (Eigen::Vector3d* v : {&s.p_WS, &s.v_WS, &s.w_WS}) *v = C.transpose() * *v;
  }
  return turned;
}

// the person with the lower foot on the floor
SegmentSample standing_person(double t) {
  SegmentSample sample = moving_person(t);
  double floor = sample.segments[0].p_WS.z();
  for (const SegmentMotion& s : sample.segments) floor = std::min(floor, s.p_WS.z());
  for (SegmentMotion& s : sample.segments) s.p_WS.z() -= floor;
  return sample;
}

TEST(AnMvnStream, ThatIsYUpIsTurned) {
  for (const bool frames_too : {true, false}) {
    MxtpEncoderOptions options;
    options.angular = true;
    MxtpEncoder encoder(human_segment_names(), options);
    MxtpBody body;
    Received received(body);
    for (int i = 0; i < 20; ++i) {
      const SegmentSample sample = standing_person(i / 60.0);
      for (const Bytes& datagram : encoder.encode(y_up(sample, frames_too))) received(datagram);
      for (std::size_t k = 0; k < 23; ++k) {
        EXPECT_LT(so3::distance(body.sample().segments[k].R_WS, sample.segments[k].R_WS), 1e-6);
        EXPECT_LT((body.sample().segments[k].p_WS - sample.segments[k].p_WS).norm(), 1e-6);
        if (i > 0) {
          EXPECT_LT((body.sample().segments[k].w_WS - sample.segments[k].w_WS).norm(), 1e-3);
        }
      }
    }
    EXPECT_TRUE(has_note(body, "y up"));
    EXPECT_EQ(std::count(received.cut.begin(), received.cut.end(), true), 0) << "told by the first sample";
  }
}

TEST(AnMvnStream, OfALyingPersonIsNotTurned) {
  const Eigen::Matrix3d lying = so3::about_axis(0, -std::numbers::pi / 2);  // on the back, head along +y
  SegmentSample sample = moving_person(0.2);
  for (SegmentMotion& s : sample.segments) {
    s.R_WS = lying * s.R_WS;
    s.p_WS = lying * s.p_WS +
             Eigen::Vector3d(0.0, 0.5, 0.0);  // feet on the line y = 0 would be taken for standing
  }
  MxtpEncoder encoder(human_segment_names());
  MxtpBody body;
  ASSERT_EQ(body.take(encoder.encode(sample).front(), 0), Brought::Sample);
  EXPECT_LT(so3::distance(body.sample().segments[0].R_WS, sample.segments[0].R_WS), 1e-6);
  EXPECT_FALSE(has_note(body, "y up"));
}

// a pose datagram of these items: id, position, quaternion
Bytes pose(std::uint32_t counter, const std::vector<MxtpPose>& items) {
  return mxtp_datagram({"02", counter, 0x80, static_cast<int>(items.size())}, [&](BigEndianWriter& w) {
    for (const MxtpPose& item : items) {
      w.word(static_cast<std::uint32_t>(item.segment));
      w.numbers(item.p_WS);
      w.numbers(item.q_WS);
    }
  });
}

TEST(AnMvnStream, UsesNoValueThatIsNoPosition) {
  const double nan = std::nan(""), inf = std::numeric_limits<double>::infinity();
  const Eigen::Vector4d one(1, 0, 0, 0);
  MxtpBody body;
  ASSERT_EQ(body.take(pose(1, {{1, {0, 0, 1}, {1.009, 0, 0, 0}},
                               {2, {0, 0, 1}, {1.011, 0, 0, 0}},
                               {3, {nan, 0, 1}, one},
                               {4, {0, inf, 1}, one},
                               {5, {0, 0, 1.1e6}, one},
                               {6, {0, 0, 0.9e6}, {0, 0, 0, 0}},
                               {7, {0, 0, 1}, {nan, 0, 0, 0}}}),
                      0),
            Brought::Sample);
  const auto& s = body.sample().segments;
  EXPECT_TRUE(s[0].has_orientation) << "normalised within 1e-2";
  EXPECT_TRUE(so3::is_rotation(s[0].R_WS, 1e-12));
  EXPECT_FALSE(s[1].has_orientation);
  EXPECT_FALSE(s[2].has_position || s[3].has_position || s[4].has_position);
  EXPECT_TRUE(s[2].has_orientation && s[5].has_position);
  EXPECT_FALSE(s[5].has_orientation || s[6].has_orientation);
  for (const SegmentMotion& segment : s) EXPECT_TRUE(segment.R_WS.allFinite() && segment.p_WS.allFinite());
  EXPECT_FALSE(s[10].has_orientation) << "not sent";
  EXPECT_TRUE(has_note(body, "could not be used"));
}

TEST(AnMvnStream, DropsPropsFingersAndRepeatedIds) {
  const Eigen::Vector4d one(1, 0, 0, 0);
  MxtpBody body;
  ASSERT_EQ(body.take(pose(1, {{1, {1, 0, 1}, one},
                               {24, {2, 0, 1}, one},
                               {1, {3, 0, 1}, one},
                               {-7, {4, 0, 1}, one},
                               {0, {5, 0, 1}, one}}),
                      0),
            Brought::Sample);
  EXPECT_EQ(body.sample().segments[0].p_WS.x(), 1.0) << "the first of its id";
  EXPECT_EQ(body.take(pose(2, {{24, {2, 0, 1}, one}}), 0), Brought::Part) << "a prop alone is no sample";
}

TEST(AnMvnStream, NamesTypesThatItCannotUse) {
  const auto of = [](const char* digits) {
    return mxtp_datagram({digits}, [](BigEndianWriter& w) {
      for (int i = 0; i < 11; ++i) w.number(0.0);
    });
  };
  MxtpBody body;
  for (const char* digits : {"01", "05", "03", "12", "20", "24", "25", "3f"}) {
    EXPECT_EQ(body.take(of(digits), 0), Brought::Ignored) << digits;
  }
  EXPECT_TRUE(has_note(body, "type 01"));
  EXPECT_TRUE(has_note(body, "type 05"));
  EXPECT_TRUE(has_note(body, "switch on the pose with quaternions (type 02)"));
  EXPECT_EQ(body.take(test::hex("7b 22 74 22 7d"), 0), Brought::Ignored) << "a JSON text";
  EXPECT_EQ(body.take(test::hex("00 01"), 0), Brought::Refused);
  EXPECT_EQ(body.take({}, 0), Brought::Refused);
  EXPECT_EQ(body.counts().of(Brought::Ignored), 9);
  EXPECT_EQ(body.counts().of(Brought::Refused), 2);
}

TEST(AnMvnStream, SaysWhichDimensionsAreMissing) {
  MxtpEncoderOptions options;
  options.person = scaled_subject(1.8);
  options.largest_bytes = 300;
  MxtpEncoder encoder(human_segment_names(), options);
  const Datagrams introduction = encoder.introduction();
  MxtpBody body;
  EXPECT_EQ(body.take(introduction[0], 0), Brought::Part);
  EXPECT_FALSE(body.person());
  EXPECT_TRUE(has_note(body, "(type 13) lack"));
  for (const Bytes& datagram : introduction) {
    const bool segments = datagram[27] != std::byte{0};  // their number
    if (segments) (void)body.take(datagram, 0);
  }
  ASSERT_TRUE(body.person()) << "without points";
  EXPECT_NEAR(body.person()->height, 1.8, 1e-6) << "by the span from ankle to head";
  EXPECT_EQ(body.take(std::span(introduction[0]).first(60), 0), Brought::Refused);
  EXPECT_TRUE(body.person()) << "damage changes nothing";
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
