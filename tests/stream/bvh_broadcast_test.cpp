#include "panto/stream/bvh_broadcast.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <numbers>
#include <string>

#include "apps/support/allocation_count.hpp"
#include "panto/base/error.hpp"
#include "panto/math/so3.hpp"
#include "tests/stream/damage.hpp"
#include "tests/support/random_model.hpp"

namespace {

using namespace panto::stream;
using namespace panto::test;
using Eigen::Matrix3d;
using Eigen::Vector3d;
using panto::at;
using panto::HumanSegment;
using panto::kHumanSegmentCount;
using panto::SegmentMotion;
using panto::SegmentSample;
using panto::SubjectDimensions;
using panto::Time;

constexpr Time kMs = 1'000'000;

Bytes bytes_of(const std::string& text) {
  const auto from = std::as_bytes(std::span(text));
  return {from.begin(), from.end()};
}

// A binary frame of zeros but for `values`, written byte by byte.
Bytes hand_made(std::uint16_t count, int displacements, int reference, std::uint32_t index,
                const std::vector<std::pair<int, float>>& values = {}, std::uint32_t avatar = 0) {
  Bytes out(64 + 4U * count);
  const auto put = [&](std::size_t place, std::uint32_t value, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i)
      out[place + i] = static_cast<std::byte>((value >> (8 * i)) & 0xffU);
  };
  put(0, 0xddff, 2);
  put(2, 0x01010000, 4);
  put(6, count, 2);
  put(8, static_cast<std::uint32_t>(displacements), 1);
  put(9, static_cast<std::uint32_t>(reference), 1);
  put(10, avatar, 4);
  put(14, 'A', 1);
  put(46, index, 4);
  put(62, 0xeeff, 2);
  for (const auto& [item, value] : values) put(64 + 4 * at(item), std::bit_cast<std::uint32_t>(value), 4);
  return out;
}

std::string line(int count, const std::vector<std::pair<int, std::string>>& values = {}) {
  std::vector<std::string> words(at(count), "0.00");
  for (const auto& [item, value] : values) words[at(item)] = value;
  std::string text;
  for (const std::string& word : words) text += word + " ";
  return text;
}

const SegmentMotion& segment(const BvhBroadcast& body, const std::string& name) {
  for (std::size_t i = 0; i < body.names().size(); ++i)
    if (body.names()[i] == name) return body.sample().segments[i];
  throw panto::ConfigError("no " + name);
}

bool has_note(const BvhBroadcast& body, const std::string& part) {
  for (const std::string& note : body.notes())
    if (note.find(part) != std::string::npos) return true;
  return false;
}

// a person whose segments lie as the dimensions say
SegmentSample random_sample(Random& random, Time t, const SubjectDimensions& person) {
  SegmentSample sample;
  sample.t = t;
  sample.segments.resize(kHumanSegmentCount);
  for (int i = 0; i < kHumanSegmentCount; ++i) {
    SegmentMotion& own = sample.segments[at(i)];
    const int up = panto::kHumanSegmentParent[at(i)];
    own.has_orientation = own.has_position = true;
    own.R_WS = random_rotation(random);
    own.p_WS = random_vector(random, 2.0);
    if (up >= 0)
      own.p_WS = sample.segments[at(up)].p_WS + sample.segments[at(up)].R_WS * person.origin[at(i)];
  }
  return sample;
}

Brought take_all(BvhBroadcast& body, const Datagrams& datagrams, Time arrival) {
  Brought last = Brought::Refused;
  for (const Bytes& datagram : datagrams) last = body.take(datagram, arrival);
  return last;
}

TEST(BvhBroadcast, BytesOfTheLayoutAreWritten) {
  BvhBroadcastEncoder encoder(panto::human_segment_names());
  SegmentSample sample;
  sample.segments.resize(kHumanSegmentCount);
  sample.segments[0].has_position = true;
  sample.segments[0].p_WS = {0.0, 0.0, 1.0};
  (void)encoder.encode(sample);
  const Datagrams parts = encoder.encode(sample);
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(parts[0].size(), 1472U) << "as much as Ethernet carries";
  EXPECT_EQ(parts[1].size(), 8U) << "of 64 + 4 * 354";
  const auto byte = [&](std::size_t i) { return std::to_integer<int>(parts[0][i]); };
  EXPECT_EQ(byte(0), 0xff);
  EXPECT_EQ(byte(1), 0xdd);
  EXPECT_EQ(byte(4), 1) << "version 1.1.0.0";
  EXPECT_EQ(byte(5), 1);
  EXPECT_EQ(byte(6), 0x62) << "354";
  EXPECT_EQ(byte(7), 0x01);
  EXPECT_EQ(byte(8), 1) << "with displacements";
  EXPECT_EQ(byte(9), 0) << "without a reference";
  EXPECT_EQ(byte(14), 'P');
  EXPECT_EQ(byte(46), 1) << "the second frame";
  EXPECT_EQ(byte(62), 0xff);
  EXPECT_EQ(byte(63), 0xee);
  EXPECT_EQ(byte(70), 0xc8) << "y = 100 cm is 00 00 c8 42";
  EXPECT_EQ(byte(71), 0x42);
}

TEST(BvhBroadcast, AHandMadeDatagramIsRead) {
  BvhBroadcast body;
  // hips 0.9 m up, 0.2 m left, 0.1 m ahead, turned by 90 degrees to the left; right thigh 9 cm to the right
  const Bytes datagram =
      hand_made(354, 1, 0, 7, {{0, 20.0F}, {1, 90.0F}, {2, 10.0F}, {3, 90.0F}, {6, -9.0F}});
  ASSERT_EQ(body.take(datagram, 5), Brought::Sample);
  EXPECT_EQ(body.names().size(), 21U) << "23 but for the toes";
  EXPECT_EQ(body.sample().t, 0);
  const SegmentMotion& pelvis = segment(body, "Pelvis");
  EXPECT_LT((pelvis.p_WS - Vector3d(0.1, 0.2, 0.9)).norm(), 1e-7) << "cm in floats";
  EXPECT_LT((pelvis.R_WS - panto::so3::about_axis(2, std::numbers::pi / 2)).norm(), 1e-12);
  EXPECT_LT((segment(body, "RightUpperLeg").p_WS - Vector3d(0.19, 0.2, 0.9)).norm(), 1e-7)
      << "who looks left has his right ahead";
}

TEST(BvhBroadcast, AnglesTurnAboutYThenXThenZ) {
  BvhBroadcast body;
  ASSERT_EQ(body.take(hand_made(354, 1, 0, 1, {{3, 30.0F}, {4, 40.0F}, {5, 50.0F}}), 0), Brought::Sample);
  const double degree = std::numbers::pi / 180.0;
  // y up is our z, x to the left our y, z ahead our x
  const Matrix3d expected = panto::so3::about_axis(2, 30 * degree) * panto::so3::about_axis(1, 40 * degree) *
                            panto::so3::about_axis(0, 50 * degree);
  EXPECT_LT((segment(body, "Pelvis").R_WS - expected).norm(), 1e-12);
}

TEST(BvhBroadcast, EachLayoutHasItsBonesInPlace) {
  // the head is bone 12: turned by 60 degrees to the left; hips 1 m up
  for (const bool displacements : {true, false}) {
    for (const bool reference : {false, true}) {
      const BroadcastLayout layout{displacements, reference};
      const auto count = static_cast<std::uint16_t>(layout.count());
      const int before = reference ? 6 : 0;
      const int head = before + (displacements ? 12 * 6 + 3 : 3 + 12 * 3);
      BvhBroadcast binary, named, bare;
      ASSERT_EQ(binary.take(
                    hand_made(count, displacements, reference, 1, {{before + 1, 100.0F}, {head, 60.0F}}), 0),
                Brought::Sample);
      const std::string numbers = line(count, {{before + 1, "100.0"}, {head, "60.0"}});
      ASSERT_EQ(named.take(bytes_of("0 Char00 " + numbers + "||\n"), 0), Brought::Sample);
      ASSERT_EQ(bare.take(bytes_of(numbers + "\n"), 0), Brought::Sample) << "as a line of a BVH file";
      for (const BvhBroadcast* body : {&binary, &named, &bare}) {
        EXPECT_NEAR(segment(*body, "Pelvis").p_WS.z(), 1.0, 1e-12);
        EXPECT_LT((segment(*body, "Head").R_WS - panto::so3::about_axis(2, std::numbers::pi / 3)).norm(),
                  1e-12);
        EXPECT_EQ(segment(*body, "Neck").R_WS, Matrix3d::Identity());
        EXPECT_EQ(segment(*body, "Head").has_position, displacements);
        EXPECT_EQ(has_note(*body, "average lengths"), !displacements);
      }
      EXPECT_TRUE(has_note(bare, "no time"));
      EXPECT_FALSE(has_note(binary, "no time"));
    }
  }
}

TEST(BvhBroadcast, APlantedPoseLandsOnItsSegmentsWithItsSigns) {
  BvhBroadcast body;
  // bones: right thigh 1, left upper arm 37, head 12; each rotation is y, x, z after three displacements
  const auto bone = [](int index) { return 6 * index + 3; };
  ASSERT_EQ(
      body.take(hand_made(354, 1, 0, 1, {{bone(37) + 2, 80.0F}, {bone(1) + 1, 30.0F}, {bone(12), -45.0F}}),
                0),
      Brought::Sample);
  const double degree = std::numbers::pi / 180.0;
  const Vector3d arm = segment(body, "LeftForeArm").R_WS * Vector3d::UnitY();
  EXPECT_NEAR(arm.z(), std::sin(80 * degree), 1e-12) << "the left arm points up";
  EXPECT_NEAR(arm.y(), std::cos(80 * degree), 1e-12);
  const Vector3d leg = segment(body, "RightFoot").R_WS * -Vector3d::UnitZ();
  EXPECT_NEAR(leg.x(), -std::sin(30 * degree), 1e-12) << "the right leg points back";
  const Vector3d look = segment(body, "Head").R_WS * Vector3d::UnitX();
  EXPECT_NEAR(look.y(), -std::sin(45 * degree), 1e-12) << "the head looks right";
  for (const char* still :
       {"Pelvis", "T8", "Neck", "LeftShoulder", "RightUpperArm", "RightHand", "LeftUpperLeg", "LeftFoot"})
    EXPECT_EQ(segment(body, still).R_WS, Matrix3d::Identity()) << still;
}

TEST(BvhBroadcast, RandomMotionsComeBack) {
  const SubjectDimensions person = panto::scaled_subject(1.82);
  // a float of 180 degrees is 1e-7 rad off, a text of four decimals 1e-6; up to eight turns add up, and a
  // place is off by as much per metre, and by 1e-6 m where cm have four decimals
  for (const auto& [form, turn, place] :
       {std::tuple{BroadcastForm::Binary, 3e-6, 5e-6}, std::tuple{BroadcastForm::Text, 3e-5, 3e-5}}) {
    BvhBroadcastEncoder encoder(panto::human_segment_names(), person, form);
    BvhBroadcast body;
    Random random(2);
    for (int frame = 0; frame < 300; ++frame) {
      const SegmentSample sent = random_sample(random, frame * 10 * kMs, person);
      ASSERT_EQ(take_all(body, encoder.encode(sent), sent.t), Brought::Sample);
      ASSERT_EQ(body.sample().t, sent.t) << "arrivals are exact here";
      for (std::size_t i = 0; i < body.names().size(); ++i) {
        const SegmentMotion& own = sent.segments[at(panto::find_human_segment(body.names()[i]))];
        const SegmentMotion& got = body.sample().segments[i];
        ASSERT_LT(panto::so3::distance(got.R_WS, own.R_WS), turn) << body.names()[i];
        ASSERT_LT((got.p_WS - own.p_WS).norm(), place) << body.names()[i];
      }
    }
    const auto found = body.person();
    ASSERT_TRUE(found.has_value());
    EXPECT_NEAR(found->height, 1.82, 1e-5);
    for (const std::string& name : body.names()) {
      const int i = panto::find_human_segment(name);
      EXPECT_LT((found->origin[at(i)] - person.origin[at(i)]).norm(), 2e-6) << name;
    }
    EXPECT_TRUE(has_note(body, "a person of 1.82 m"));
  }
}

TEST(BvhBroadcast, AnglesComeBackWhereOneOfThemIsARightAngle) {
  BvhBroadcastEncoder encoder(panto::human_segment_names());
  BvhBroadcast body;
  SegmentSample sent;
  sent.segments.resize(kHumanSegmentCount);
  for (const double x : {90.0, -90.0, 89.99999, 90.00001}) {
    const double degree = std::numbers::pi / 180.0;
    for (SegmentMotion& own : sent.segments) {
      own.has_orientation = true;
      own.R_WS = panto::so3::about_axis(2, 0.4) * panto::so3::about_axis(1, x * degree) *
                 panto::so3::about_axis(0, 1.1);
    }
    ASSERT_EQ(take_all(body, encoder.encode(sent), 0), Brought::Sample);
    EXPECT_LT(panto::so3::distance(segment(body, "Head").R_WS, sent.segments[0].R_WS), 1e-6) << x;
  }
}

TEST(BvhBroadcast, StampsCountTheIndexWhenTheRateIsKnown) {
  BvhBroadcast body;
  Random random(4);
  Time before = -1;
  for (int i = 0; i < 600; ++i) {
    if (i == 500) continue;  // lost
    const Time arrival = i * 10 * kMs + static_cast<Time>(uniform(random, 0.0, 4e6));
    ASSERT_EQ(body.take(hand_made(354, 1, 0, static_cast<std::uint32_t>(40 + i)), arrival), Brought::Sample);
    ASSERT_GT(body.sample().t, before);
    // after two seconds 100 Hz is known, and jitter is gone
    if (i > 300) {
      EXPECT_EQ(body.sample().t - before, (i == 501 ? 20 : 10) * kMs) << i;
    }
    before = body.sample().t;
  }
  EXPECT_NEAR(panto::to_seconds(before), 5.99, 0.01) << "two jitters";
  EXPECT_EQ(body.counts().lost, 1);
}

TEST(BvhBroadcast, OlderFramesAreLateAndARestartIsACut) {
  BvhBroadcast body;
  const auto take = [&](std::uint32_t index, Time ms) {
    return body.take(hand_made(354, 1, 0, index), ms * kMs);
  };
  EXPECT_EQ(take(5000, 0), Brought::Sample);
  EXPECT_EQ(take(5002, 20), Brought::Sample);
  EXPECT_EQ(take(5001, 21), Brought::Late);
  EXPECT_EQ(take(5002, 22), Brought::Late) << "twice";
  EXPECT_EQ(take(5003, 30), Brought::Sample);
  EXPECT_FALSE(body.sample().cut);
  EXPECT_EQ(take(1, 40), Brought::Sample);
  EXPECT_TRUE(body.sample().cut);
  EXPECT_EQ(body.sample().t, 40 * kMs);
  EXPECT_EQ(take(2, 50), Brought::Sample);
  EXPECT_FALSE(body.sample().cut);
  EXPECT_TRUE(has_note(body, "jumped"));
  EXPECT_EQ(take(1, 2000), Brought::Sample) << "after a silence of more than a second";
  EXPECT_TRUE(body.sample().cut);
}

TEST(BvhBroadcast, AnIndexThatStandsStillGivesWayToArrival) {
  BvhBroadcast body;
  int samples = 0;
  for (int i = 0; i < 20; ++i)
    samples += body.take(hand_made(354, 1, 0, 0), i * 10 * kMs) == Brought::Sample ? 1 : 0;
  EXPECT_EQ(samples, 18) << "two looked like repetitions";
  EXPECT_EQ(body.sample().t, 190 * kMs);
  EXPECT_TRUE(has_note(body, "stands still"));
}

TEST(BvhBroadcast, OnlyTheFirstCharacterIsFollowed) {
  BvhBroadcast body;
  EXPECT_EQ(body.take(hand_made(354, 1, 0, 1, {}, 3), 0), Brought::Sample);
  EXPECT_EQ(body.take(hand_made(354, 1, 0, 1, {}, 0), 1), Brought::Ignored);
  EXPECT_EQ(body.take(hand_made(354, 1, 0, 2, {}, 3), 2), Brought::Sample);
  EXPECT_TRUE(has_note(body, "only the first"));
}

TEST(BvhBroadcast, TheCharacterThatIsAskedForIsFollowedThoughAnotherComesFirst) {
  BvhBroadcast body(3);
  EXPECT_EQ(body.take(hand_made(354, 1, 0, 1, {}, 0), 0), Brought::Ignored);
  EXPECT_EQ(body.take(hand_made(354, 1, 0, 1, {}, 3), 1), Brought::Sample);
  EXPECT_EQ(body.take(hand_made(354, 1, 0, 2, {}, 0), 2), Brought::Ignored);
  EXPECT_TRUE(has_note(body, "Character 3 is followed"));
}

TEST(BvhBroadcast, ACharacterIsSentByItsNumber) {
  const std::vector<std::string> names = {"Pelvis", "T8"};
  BvhBroadcastEncoder encoder(names, panto::scaled_subject(1.75), BroadcastForm::Binary, 7);
  SegmentSample sample;
  sample.segments.resize(2);
  BvhBroadcast seven(7), first(0);
  Brought last = Brought::Refused;
  for (const auto& datagram : encoder.encode(sample)) {
    last = seven.take(datagram, 0);
    EXPECT_NE(first.take(datagram, 0), Brought::Sample);
  }
  EXPECT_EQ(last, Brought::Sample);
}

TEST(BvhBroadcast, AFrameIsJoinedFromItsParts) {
  const Bytes whole = hand_made(354, 1, 0, 9, {{1, 90.0F}});
  const auto part = [&](std::ptrdiff_t from, std::ptrdiff_t to) {
    return Bytes(whole.begin() + from, whole.begin() + to);
  };
  BvhBroadcast body;
  EXPECT_EQ(body.take(part(0, 700), 0), Brought::Part);
  EXPECT_EQ(body.take(part(700, 1400), 1), Brought::Part);
  EXPECT_EQ(body.take(part(1400, 1480), 2), Brought::Sample);
  EXPECT_NEAR(segment(body, "Pelvis").p_WS.z(), 0.9, 1e-7);
  EXPECT_EQ(body.take(part(1400, 1480), 3), Brought::Refused) << "without its beginning";
  EXPECT_EQ(body.take(part(0, 700), 4), Brought::Part);
  EXPECT_EQ(body.take(whole, 5), Brought::Late) << "a new one begins; it has index 9 again";
  EXPECT_EQ(body.take(part(0, 700), 6), Brought::Part);
  EXPECT_EQ(body.take(Bytes(781), 7), Brought::Refused) << "too long";
}

TEST(BvhBroadcast, WhatIsNoneOfItIsRefused) {
  BvhBroadcast body;
  EXPECT_EQ(body.take({}, 0), Brought::Refused);
  EXPECT_EQ(body.take(hand_made(360, 1, 0, 1), 0), Brought::Refused) << "count against flags";
  EXPECT_EQ(body.take(hand_made(354, 2, 0, 1), 0), Brought::Refused);
  EXPECT_EQ(body.take(hand_made(354, 1, 0, 1, {{1, std::nanf("")}}), 0), Brought::Refused);
  EXPECT_EQ(body.take(hand_made(354, 1, 0, 1, {{1, 2e5F}}), 0), Brought::Refused) << "2 km";
  EXPECT_EQ(body.take(bytes_of(line(353)), 0), Brought::Refused);
  EXPECT_EQ(body.take(bytes_of("x Char " + line(354)), 0), Brought::Refused);
  EXPECT_EQ(body.take(bytes_of(line(354, {{20, "nan"}})), 0), Brought::Refused);
  EXPECT_EQ(body.take(bytes_of(line(354) + std::string(20'000, ' ')), 0), Brought::Refused) << "16 KiB";
  EXPECT_TRUE(body.notes().empty());
  EXPECT_FALSE(body.person().has_value());
}

TEST(BvhBroadcast, AnyDamageLeavesPosesThatAreRotations) {
  const SubjectDimensions person = panto::scaled_subject(1.75);
  Random random(6);
  const SegmentSample sent = random_sample(random, 0, person);
  for (const auto form : {BroadcastForm::Binary, BroadcastForm::Text}) {
    Datagrams good = BvhBroadcastEncoder(panto::human_segment_names(), person, form).encode(sent);
    if (form == BroadcastForm::Binary) good.push_back(hand_made(180, 0, 0, 3));
    BvhBroadcast body;
    Time now = 0, before = -1;
    try_damage(good, 50'000, [&](const Bytes& datagram) {
      if (body.take(datagram, now += kMs) != Brought::Sample) return;
      ASSERT_GT(body.sample().t, before);
      before = body.sample().t;
      for (const SegmentMotion& motion : body.sample().segments) {
        ASSERT_TRUE(panto::so3::is_rotation(motion.R_WS, 1e-9));
        ASSERT_TRUE(motion.p_WS.allFinite());
      }
    });
  }
}

TEST(BvhBroadcast, AllocatesNothingAfterTheFirstSample) {
  if (!panto::AllocationCount::available()) GTEST_SKIP() << "the sanitizer owns malloc";
  const Bytes text = bytes_of("0 Char00 " + line(354) + "||\n");
  std::vector<Bytes> binary;
  for (std::uint32_t i = 0; i < 300; ++i) binary.push_back(hand_made(354, 1, 0, i));
  BvhBroadcast lines, frames;
  ASSERT_EQ(lines.take(text, 0), Brought::Sample);
  ASSERT_EQ(frames.take(binary[0], 0), Brought::Sample);
  const panto::AllocationCount count;
  for (int i = 1; i < 300; ++i) {
    (void)lines.take(text, i * 10 * kMs);
    (void)frames.take(binary[at(i)], i * 10 * kMs);
  }
  EXPECT_EQ(count.value(), 0);
  EXPECT_EQ(frames.counts().of(Brought::Sample), 300);
}

TEST(BvhBroadcastEncoder, NeedsAPelvisAndAChest) {
  EXPECT_THROW(BvhBroadcastEncoder({"T8"}), panto::ConfigError);
  EXPECT_THROW(BvhBroadcastEncoder({"Pelvis", "Head"}), panto::ConfigError);
}

}  // namespace
