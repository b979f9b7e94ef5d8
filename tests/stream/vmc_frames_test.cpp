#include "panto/stream/vmc.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "panto/math/so3.hpp"
#include "tests/stream/vmc_frames.hpp"

namespace {

using namespace panto::test;
using panto::at;
using panto::SegmentMotion;
using panto::SegmentSample;
using panto::SubjectDimensions;
using panto::Time;

using Layout = std::vector<Bytes> (*)(double);

std::vector<std::pair<std::string, Layout>> layouts() {
  const Bytes h = bone_message("Hips"), s = bone_message("Spine"), e = bone_message("Head"),
              f = bone_message("LeftIndexDistal");
  static std::vector<Bytes> bones;
  bones = {h, s, e, f};
  return {
      {"one bundle",
       [](double t) {
         return std::vector<Bytes>{
             bundle_of({time_message(t), status_message(1), bones[0], bones[1], bones[2], bones[3]})};
       }},
      {"as VirtualMotionCapture",
       [](double t) {
         return std::vector<Bytes>{
             bundle_of({bones[0], bones[1], bones[2]}), bundle_of({bones[3]}),
             real_message("/VMC/Ext/Blend/Apply", 0.0),
             bundle_of({root_message(), bundle_of({bones[3]}), real_message("/VMC/Ext/Cam", 0.0),
                        status_message(1), time_message(t)})};
       }},
      {"time first, bones in two bundles",
       [](double t) {
         return std::vector<Bytes>{bundle_of({time_message(t), bones[0]}), bundle_of({bones[1], bones[2]})};
       }},
      {"bones in two bundles, then the time",
       [](double t) {
         return std::vector<Bytes>{bundle_of({bones[0], bones[1]}), bundle_of({bones[2]}),
                                   bundle_of({status_message(1), time_message(t)})};
       }},
      {"every message alone, time last",
       [](double t) {
         return std::vector<Bytes>{bones[0], bones[1], bones[2], bones[3], time_message(t)};
       }},
      {"every message alone, time first",
       [](double t) {
         return std::vector<Bytes>{time_message(t), bones[0], bones[1], bones[2], bones[3]};
       }},
      {"time and status in every bundle",
       [](double t) {
         return std::vector<Bytes>{bundle_of({status_message(1), time_message(t), bones[0], bones[1]}),
                                   bundle_of({status_message(1), time_message(t), bones[2]})};
       }},
      {"status only",
       [](double) {
         return std::vector<Bytes>{bundle_of({status_message(1), bones[0], bones[1]}), bones[2]};
       }},
      {"no time", [](double) {
         return std::vector<Bytes>{bones[0], bones[1], bones[2]};
       }}};
}

// How senders lay their frames out: each line is one frame's datagrams; the number of samples is exact
TEST(VmcBody, FramesEndAsTheSenderLaysThemOut) {
  for (const auto& [name, layout] : layouts()) {
    VmcBody body;
    int samples = 0;
    Time longest = 0, before = -1;
    for (int frame = 0; frame < 100; ++frame) {
      const Time start = frame * 10 * kMs;
      Time arrival = start;
      for (const Bytes& datagram : layout(1.0 + 0.01 * frame)) {
        if (body.take(datagram, arrival) == Brought::Sample) {
          ++samples;
          EXPECT_GT(body.sample().t, before) << name;
          before = body.sample().t;
          if (frame > 3) longest = std::max(longest, arrival - start);
          for (const SegmentMotion& segment : body.sample().segments)
            EXPECT_TRUE(segment.has_orientation) << name;
        }
        arrival += kMs / 10;
      }
    }
    EXPECT_GE(samples, 98) << name;
    EXPECT_LE(samples, 99) << name << ": the first frame only teaches";
    EXPECT_LT(longest, kMs) << name << ": no frame waits for the next";
    EXPECT_NEAR(panto::to_seconds(before), 0.01 * (samples - 1), 2e-3) << name;
  }
}

TEST(VmcBody, ALostBoneTakesOnlyItsChildrenAlong) {
  VmcBody body;
  start(body);
  EXPECT_EQ(body.take(small_frame(0.02, {"Hips", "Head"}), 20 * kMs), Brought::Part);
  ASSERT_EQ(body.take(small_frame(0.03), 30 * kMs), Brought::Sample)
      << "the next frame ends it, and is whole itself";
  EXPECT_EQ(body.sample().t, 20 * kMs) << "three frames, the second without Spine";
  (void)body.take(small_frame(0.04, {"Hips", "Head"}), 40 * kMs);
  ASSERT_EQ(body.take(time_message(0.05), 50 * kMs), Brought::Sample);
  EXPECT_TRUE(body.sample().segments[item(body, "Pelvis")].has_orientation);
  EXPECT_FALSE(body.sample().segments[item(body, "T8")].has_orientation);
  EXPECT_FALSE(body.sample().segments[item(body, "Head")].has_orientation)
      << "turns with a bone that is not known";
}

// one datagram in eight lost, never two in a row; one in eight comes twice
TEST(VmcBody, LossesNeverMakeAWrongPose) {
  const SubjectDimensions person = panto::scaled_subject(1.75);
  VmcEncoder encoder(panto::human_segment_names(), person);
  VmcBody body;
  Random random(7);
  std::vector<SegmentSample> sent;
  int given = 0, invalid = 0, lost = 0;
  bool lost_last = true;
  for (int frame = 0; frame < 1000; ++frame) {
    sent.push_back(random_sample(random, frame * 10 * kMs, person));
    for (const Bytes& datagram : encoder.encode(sent.back())) {
      lost_last = !lost_last && frame > 1 && panto::test::chance(random, 0.125);
      lost += lost_last ? 1 : 0;
      for (int copies = lost_last ? 0 : (frame > 1 && panto::test::chance(random, 0.125) ? 2 : 1); copies > 0;
           --copies) {
        if (body.take(datagram, frame * 10 * kMs) != Brought::Sample) continue;
        ++given;
        const auto own =
            static_cast<std::size_t>(std::llround(panto::to_seconds(body.sample().t) * 100.0)) + 1;
        ASSERT_LT(own, sent.size());
        for (std::size_t i = 0; i < body.names().size(); ++i) {
          const SegmentMotion& segment = body.sample().segments[i];
          invalid += segment.has_orientation ? 0 : 1;
          if (!segment.has_orientation) continue;
          const SegmentMotion& truth = sent[own].segments[at(panto::find_human_segment(body.names()[i]))];
          ASSERT_LT(panto::so3::distance(segment.R_WS, truth.R_WS), 1e-6) << frame << ": " << body.names()[i];
        }
      }
    }
  }
  EXPECT_GT(lost, 150);
  EXPECT_GT(invalid, 0) << "frames of which a part is missing are used";
  EXPECT_GT(given, 1000 - lost) << "a lost datagram costs at most its frame";
}

TEST(VmcBody, NothingComesFromASenderWithoutAnAvatar) {
  VmcBody body;
  start(body);
  const auto frame = [](double t, std::int32_t loaded) {
    return bundle_of({time_message(t), status_message(loaded), bone_message("Hips"), bone_message("Spine"),
                      bone_message("Head")});
  };
  EXPECT_EQ(body.take(frame(0.02, 0), 20 * kMs), Brought::Ignored);
  EXPECT_EQ(body.take(frame(0.03, 0), 30 * kMs), Brought::Ignored);
  EXPECT_TRUE(has_note(body, "no avatar"));
  EXPECT_EQ(body.take(frame(0.04, 1), 40 * kMs), Brought::Sample);
  EXPECT_TRUE(body.sample().cut) << "the avatar may be another";
  EXPECT_EQ(body.take(frame(0.05, 1), 50 * kMs), Brought::Sample);
  EXPECT_FALSE(body.sample().cut);
}

TEST(VmcBody, LateFramesAreDroppedAndARestartCuts) {
  VmcBody body;
  start(body);
  ASSERT_EQ(body.take(small_frame(0.05), 20 * kMs), Brought::Sample);
  EXPECT_NEAR(panto::to_seconds(body.sample().t), 0.04, 1e-8) << "the sender's clock counts, not the arrival";
  EXPECT_EQ(body.take(small_frame(0.05), 21 * kMs), Brought::Late) << "twice the same";
  EXPECT_EQ(body.take(small_frame(0.04), 22 * kMs), Brought::Late) << "overtaken";
  ASSERT_EQ(body.take(small_frame(100.0), 40 * kMs), Brought::Sample);
  EXPECT_TRUE(body.sample().cut) << "100 s in 20 ms";
  const Time t = body.sample().t;
  ASSERT_EQ(body.take(small_frame(0.0), 60 * kMs), Brought::Sample) << "a new start";
  EXPECT_TRUE(body.sample().cut);
  EXPECT_EQ(body.sample().t, t + 20 * kMs) << "stamps go on by arrival";
  EXPECT_TRUE(has_note(body, "clock jumped"));
  EXPECT_EQ(body.counts().of(Brought::Late), 2);
}

TEST(VmcBody, ClocksThatAreTooCoarseOrStandStillGiveWayToArrival) {
  VmcBody hours, still;
  for (int i = 0; i < 1000; ++i) {
    // at 3e5 s a float steps by 31 ms
    const double t = 3e5 + 0.01 * i;
    (void)hours.take(small_frame(t), i * 10 * kMs);
    EXPECT_FALSE(hours.sample().cut);
    (void)still.take(small_frame(0.0), i * 10 * kMs);
  }
  EXPECT_EQ(hours.counts().of(Brought::Sample), 999);
  EXPECT_EQ(hours.sample().t, 998 * 10 * kMs);
  EXPECT_TRUE(has_note(hours, "too coarse"));
  EXPECT_EQ(still.counts().of(Brought::Sample), 997) << "two frames to notice";
  EXPECT_TRUE(has_note(still, "stands still"));
}

TEST(VmcBody, ABoneThatComesLaterTurnsItsChildren) {
  VmcBody body;
  start(body);
  const double h = std::sqrt(0.5);
  const Bytes frame =
      bundle_of({time_message(0.02), bone_message("Hips"), bone_message("Spine"),
                 bone_message("Neck", {0.0, 0.1, 0.0}, {0.0, h, 0.0, h}), bone_message("Head")});
  ASSERT_EQ(body.take(frame, 20 * kMs), Brought::Sample);
  EXPECT_EQ(body.names().size(), 3U) << "as before";
  EXPECT_TRUE(body.sample().cut);
  EXPECT_TRUE(has_note(body, "came later"));
  EXPECT_NEAR(panto::so3::angle(body.sample().segments[item(body, "Head")].R_WS), M_PI / 2, 1e-6);
}

}  // namespace
