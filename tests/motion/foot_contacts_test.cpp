#include "panto/motion/foot_contacts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <numbers>
#include <random>
#include <tuple>

#include "panto/base/error.hpp"
#include "tests/support/foot_tracks.hpp"
#include "tests/support/test_data.hpp"

namespace panto {
namespace {

using Eigen::Vector3d;

struct Pose {
  Vector3d heel, ball;
};

/// A foot that moves as `pose` says, for `seconds` at `rate_hz`.
FootTrack drawn(double seconds, double rate_hz, const std::function<Pose(double)>& pose) {
  FootTrack track;
  track.name = "foot";
  for (int k = 0; k < static_cast<int>(std::lround(seconds * rate_hz)); ++k) {
    track.t.push_back(frame_time(k, rate_hz));
    const Pose now = pose(to_seconds(track.t.back()));
    track.heel.push_back(now.heel);
    track.ball.push_back(now.ball);
  }
  return track;
}

Pose standing_at(double x, double z) { return {{x, 0.1, z}, {x + 0.2, 0.1, z}}; }

/// A smooth way from 0 to 1 in the time from `from` to `to`.
double step(double t, double from, double to) {
  const double u = std::clamp((t - from) / (to - from), 0.0, 1.0);
  return u * u * u * (10.0 - 15.0 * u + 6.0 * u * u);
}

FootContacts contacts_of(const FootTrack& track, const ContactOptions& options = {}) {
  return find_contacts({track}, options).feet.front();
}

double start_of(const FootTrack& track, const PlantedInterval& interval) {
  return to_seconds(track.t[at(interval.first)]);
}
double end_of(const FootTrack& track, const PlantedInterval& interval) {
  return to_seconds(track.t[at(interval.last)]);
}

/// Share of the strides, from one touch-down to the next of the same foot, that the foot stands.
std::vector<double> stance_shares(const test::Walker& walker, std::size_t foot) {
  std::vector<double> shares;
  const auto& planted = walker.contacts.feet[foot].planted;
  const FootTrack& track = walker.tracks[foot];
  for (std::size_t i = 1; i + 1 < planted.size(); ++i) {
    const double stride = start_of(track, planted[i + 1]) - start_of(track, planted[i]);
    const double stance = to_seconds(track.t[at(planted[i].last + 1)]) - start_of(track, planted[i]);
    shares.push_back(stance / stride);
  }
  return shares;
}

/// Touch-downs of both feet in the order of time: 0 left, 1 right.
std::vector<int> touch_downs(const test::Walker& walker) {
  std::vector<std::pair<int, int>> events;
  for (int foot = 0; foot < 2; ++foot)
    for (const PlantedInterval& interval : walker.contacts.feet[at(foot)].planted)
      if (interval.first > 0) events.emplace_back(interval.first, foot);
  std::sort(events.begin(), events.end());
  std::vector<int> feet;
  for (const auto& [frame, foot] : events) feet.push_back(foot);
  return feet;
}

bool alternate(const std::vector<int>& feet) {
  return std::adjacent_find(feet.begin(), feet.end()) == feet.end();
}

/// Frames in which neither foot stands.
double flight_share(const test::Walker& walker) {
  std::vector<int> stands(walker.samples.size(), 0);
  for (const FootContacts& foot : walker.contacts.feet)
    for (const PlantedInterval& interval : foot.planted)
      std::fill(stands.begin() + interval.first, stands.begin() + interval.last + 1, 1);
  return static_cast<double>(std::count(stands.begin(), stands.end(), 0)) /
         static_cast<double>(stands.size());
}

struct Pace {
  const char* name;
  double stride_hz, least_stance, most_stance, least_flight, most_flight;
};

class Gaits : public testing::TestWithParam<std::tuple<Pace, double>> {};

TEST_P(Gaits, StandAsOftenAndAsLongAsTheyShould) {
  const auto& [pace, rate_hz] = GetParam();
  const test::Walker walker = test::synthetic_walker(pace.name, 6.0, rate_hz);
  EXPECT_NEAR(walker.contacts.ground, 0.0, 0.01);
  EXPECT_TRUE(walker.contacts.notes.empty());
  for (std::size_t foot = 0; foot < 2; ++foot) {
    const auto& planted = walker.contacts.feet[foot].planted;
    EXPECT_NEAR(static_cast<double>(planted.size()), 6.0 * pace.stride_hz, 1.5);
    for (const double share : stance_shares(walker, foot)) {
      EXPECT_GE(share, pace.least_stance);
      EXPECT_LE(share, pace.most_stance);
    }
    // the foot of the synthesis comes down at whole strides: the right one at 0, the left half a stride later
    for (std::size_t i = 1; i < planted.size(); ++i) {
      const double strides =
          start_of(walker.tracks[foot], planted[i]) * pace.stride_hz + (foot == 0 ? 0.5 : 0.0);
      EXPECT_NEAR(strides, std::round(strides), 0.08) << "touch-down " << i;
    }
  }
  EXPECT_TRUE(alternate(touch_downs(walker)));
  EXPECT_GE(flight_share(walker), pace.least_flight);
  EXPECT_LE(flight_share(walker), pace.most_flight);
}

// stance of the syntheses: 62, 60 and 37 % of the stride; their soles are slow a little before and after
INSTANTIATE_TEST_SUITE_P(Paces, Gaits,
                         testing::Combine(testing::Values(Pace{"walk", 0.9, 0.55, 0.70, 0.0, 0.0},
                                                          Pace{"fast_walk", 1.05, 0.55, 0.70, 0.0, 0.0},
                                                          Pace{"run", 1.4, 0.35, 0.52, 0.05, 0.30}),
                                          testing::Values(24.0, 50.0, 60.0, 120.0)),
                         [](const auto& chosen) {
                           return std::string(std::get<0>(chosen.param).name) + "_" +
                                  std::to_string(static_cast<int>(std::get<1>(chosen.param))) + "_hz";
                         });

TEST(FootContacts, NoiseMovesTouchDownsByFewFrames) {
  for (const double rate_hz : {60.0, 120.0}) {
    const test::Walker clean = test::synthetic_walker("walk", 6.0, rate_hz);
    const test::Walker noisy = test::synthetic_walker("walk", 6.0, rate_hz, 0.003);
    for (std::size_t foot = 0; foot < 2; ++foot) {
      const auto &a = clean.contacts.feet[foot].planted, &b = noisy.contacts.feet[foot].planted;
      ASSERT_EQ(a.size(), b.size()) << rate_hz;
      for (std::size_t i = 0; i < a.size(); ++i) {
        EXPECT_NEAR(start_of(clean.tracks[foot], a[i]), start_of(clean.tracks[foot], b[i]), 0.07);
        EXPECT_NEAR(end_of(clean.tracks[foot], a[i]), end_of(clean.tracks[foot], b[i]), 0.07);
      }
    }
  }
}

TEST(FootContacts, WhoStandsAllTheClipIsPlantedOnce) {
  for (const double rate_hz : {24.0, 60.0, 120.0}) {
    const test::Walker walker = test::synthetic_walker("tpose", 4.0, rate_hz, 0.001);
    for (const FootContacts& foot : walker.contacts.feet) {
      ASSERT_EQ(foot.planted.size(), 1U);
      EXPECT_EQ(foot.planted[0].first, 0);
      EXPECT_EQ(foot.planted[0].last, static_cast<int>(walker.samples.size()) - 1);
      EXPECT_EQ(foot.stance_share, 1.0);
    }
  }
}

TEST(FootContacts, InAPirouetteTheBallStandsAndTheHeelDoesNot) {
  const FootTrack track = drawn(3.0, 60.0, [](double t) {
    const double angle = 2.0 * std::numbers::pi * step(t, 1.0, 2.0);
    const Vector3d ball(0.2, 0.1, 0.0), back(-0.2 * std::cos(angle), -0.2 * std::sin(angle), 0.0);
    const double lifted = 0.05 * (step(t, 0.9, 1.1) - step(t, 1.9, 2.1));
    return Pose{ball + back + Vector3d(0.0, 0.0, lifted), ball};
  });
  const FootContacts contacts = contacts_of(track);
  ASSERT_EQ(contacts.planted.size(), 1U);
  EXPECT_EQ(contacts.planted[0].first, 0);
  EXPECT_EQ(contacts.planted[0].last, 179);
  EXPECT_EQ(std::count(contacts.ball.begin(), contacts.ball.end(), 1), 180);
  EXPECT_EQ(contacts.heel[at(90)], 0) << "half way round";
  EXPECT_EQ(contacts.heel[at(30)], 1);
  EXPECT_EQ(contacts.heel[at(150)], 1);
}

TEST(FootContacts, AJumpLeavesTheFloorAndComesBack) {
  // 0.3 s in the air, 11 cm high; at the top the foot is slow, but it does not stand there
  const FootTrack track = drawn(2.0, 120.0, [](double t) {
    const double u = std::clamp(t - 0.8, 0.0, 0.3);
    return standing_at(0.0, 0.5 * 9.81 * u * (0.3 - u));
  });
  const FootContacts contacts = contacts_of(track);
  ASSERT_EQ(contacts.planted.size(), 2U);
  EXPECT_NEAR(end_of(track, contacts.planted[0]), 0.8, 0.03);
  EXPECT_NEAR(start_of(track, contacts.planted[1]), 1.1, 0.03);
}

TEST(FootContacts, AFootThatSlidesDoesNotStand) {
  for (const double speed : {0.15, 0.25, 0.35}) {
    const FootTrack track =
        drawn(4.0, 60.0, [&](double t) { return standing_at(speed * std::clamp(t - 1.0, 0.0, 2.0), 0.0); });
    const FootContacts contacts = contacts_of(track);
    EXPECT_EQ(contacts.heel[at(120)], 0) << speed << " m/s, in the middle of the slide";
    EXPECT_EQ(contacts.ball[at(120)], 0);
    EXPECT_EQ(contacts.ball[at(10)], 1) << "and before it, it stands";
    EXPECT_EQ(contacts.ball[at(230)], 1);
  }
}

TEST(FootContacts, AShuffleIsAStandAStepAndAStand) {
  // feet that hardly leave the floor: 30 cm in half a second, 1 cm high
  const FootTrack track = drawn(4.0, 100.0, [](double t) {
    double x = 0.0, z = 0.0;
    for (const double start : {0.75, 1.75, 2.75}) {
      x += 0.3 * step(t, start, start + 0.5);
      z += 0.01 * std::sin(std::numbers::pi * std::clamp((t - start) / 0.5, 0.0, 1.0));
    }
    return standing_at(x, z);
  });
  const FootContacts contacts = contacts_of(track);
  ASSERT_EQ(contacts.planted.size(), 4U);
  for (const PlantedInterval& interval : contacts.planted) {
    const double moved = (track.ball[at(interval.last)] - track.ball[at(interval.first)]).norm();
    EXPECT_LT(moved, 0.06);
    EXPECT_GE(end_of(track, interval) - start_of(track, interval), 0.45);
  }
}

TEST(FootContacts, AFootOnABoxOrHeldUpIsNotedAndNotPlanted) {
  const FootTrack track = drawn(
      4.0, 60.0, [](double t) { return standing_at(0.4 * step(t, 1.0, 1.5), 0.3 * step(t, 1.0, 1.5)); });
  const ClipContacts clip = find_contacts({track});
  ASSERT_EQ(clip.feet[0].planted.size(), 1U);
  EXPECT_NEAR(end_of(track, clip.feet[0].planted[0]), 1.1, 0.1);
  EXPECT_NEAR(clip.feet[0].raised_share, 2.5 / 4.0, 0.05);
  ASSERT_EQ(clip.notes.size(), 1U);
  EXPECT_NE(clip.notes[0].find("motionless above the floor"), std::string::npos) << clip.notes[0];
}

TEST(FootContacts, FloorAndSizeDoNotMatter) {
  const test::Walker walker = test::synthetic_walker("walk", 4.0, 60.0);
  for (const double size : {0.5, 1.0, 2.0}) {
    std::vector<FootTrack> tracks = walker.tracks;
    for (FootTrack& track : tracks)
      for (auto* points : {&track.heel, &track.ball})
        for (Vector3d& p : *points) p = size * p + Vector3d(-5.0, 7.0, 3.0);
    ContactOptions options;
    options.leg_length = size * walker.leg_length;
    const ClipContacts contacts = find_contacts(tracks, options);
    EXPECT_NEAR(contacts.ground, 3.0 + size * walker.contacts.ground, 1e-9);
    for (std::size_t foot = 0; foot < 2; ++foot) {
      EXPECT_EQ(contacts.feet[foot].heel, walker.contacts.feet[foot].heel);
      EXPECT_EQ(contacts.feet[foot].ball, walker.contacts.feet[foot].ball);
    }
  }
}

TEST(FootContacts, TheRecordingsOwnContactsDecideWhereTheMotionLeavesRoom) {
  // never slower than 0.3 m/s: between two steps slow enough to be kept, too fast to begin
  FootTrack track = drawn(
      2.0, 100.0, [](double t) { return standing_at(0.3 * t + step(t, 0.2, 0.9) + step(t, 1.1, 1.8), 0.0); });
  const FootContacts alone = contacts_of(track);
  EXPECT_EQ(std::count(alone.ball.begin(), alone.ball.end(), 1), 0);
  track.ball_given.assign(track.t.size(), -1);
  track.heel_given.assign(track.t.size(), -1);
  EXPECT_EQ(contacts_of(track).ball, alone.ball) << "unknown changes nothing";
  for (int k = 95; k < 105; ++k) track.ball_given[at(k)] = 1;
  const FootContacts told = contacts_of(track);
  EXPECT_EQ(told.ball[at(100)], 1);
  EXPECT_EQ(told.ball[at(50)], 0) << "in the swing";
  EXPECT_EQ(told.heel, alone.heel);

  FootTrack still = drawn(2.0, 100.0, [](double) { return standing_at(0.0, 0.0); });
  still.ball_given.assign(still.t.size(), 1);
  for (int k = 0; k < 40; ++k) still.ball_given[at(k)] = 0;
  EXPECT_EQ(contacts_of(still).ball[at(20)], 0) << "the recording says that it does not stand";
  EXPECT_EQ(contacts_of(still).ball[at(60)], 1);
  EXPECT_EQ(contacts_of(still).heel[at(20)], 1);
  // of 200 frames (201 with the last) it says the same in all but the first 40
  const double told_frames = static_cast<double>(still.t.size());
  EXPECT_NEAR(contacts_of(still).given_agreement.value(), (told_frames - 40.0) / told_frames, 1e-12);
  EXPECT_FALSE(alone.given_agreement.has_value());
}

TEST(FootContacts, ContactsThatAreNeverSetAreIgnoredAndSaid) {
  FootTrack track = drawn(1.0, 60.0, [](double) { return standing_at(0.0, 0.0); });
  track.heel_given.assign(track.t.size(), 0);
  track.ball_given.assign(track.t.size(), 0);
  const ClipContacts clip = find_contacts({track});
  EXPECT_EQ(clip.feet[0].stance_share, 1.0);
  ASSERT_EQ(clip.notes.size(), 1U);
  EXPECT_NE(clip.notes[0].find("never set"), std::string::npos);
}

TEST(FootContacts, ACutOrAGapEndsAStand) {
  FootTrack track = drawn(2.0, 60.0, [](double t) { return standing_at(t < 1.0 ? 0.0 : 5.0, 0.0); });
  track.cuts = {60};
  ASSERT_EQ(contacts_of(track).planted.size(), 2U);
  EXPECT_EQ(contacts_of(track).planted[1].first, 60) << "the jump is no speed";

  FootTrack gap = drawn(2.0, 60.0, [](double) { return standing_at(0.0, 0.0); });
  for (std::size_t k = 60; k < gap.t.size(); ++k) gap.t[k] += 1'000'000'000;
  EXPECT_EQ(contacts_of(gap).planted.size(), 2U);
}

TEST(FootContacts, WhatIsNotMeasuredDoesNotStand) {
  FootTrack track = drawn(2.0, 60.0, [](double) { return standing_at(0.0, 0.0); });
  for (std::size_t k = 40; k < 80; ++k) track.heel[k] = track.ball[k] = Vector3d::Constant(std::nan(""));
  const FootContacts contacts = contacts_of(track);
  ASSERT_EQ(contacts.planted.size(), 2U);
  EXPECT_EQ(contacts.planted[0].last, 39);
  EXPECT_EQ(contacts.planted[1].first, 80);
  EXPECT_EQ(contacts.stance_share, 1.0) << "of what was measured";

  const FootTrack nothing = drawn(1.0, 60.0, [](double) {
    return Pose{Vector3d::Constant(std::nan("")), Vector3d::Constant(std::nan(""))};
  });
  EXPECT_TRUE(contacts_of(nothing).planted.empty());
}

TEST(FootContacts, ClipsOfNoAndOfOneFrameAreNoTrouble) {
  EXPECT_TRUE(find_contacts({}).feet.empty());
  EXPECT_TRUE(contacts_of(drawn(0.0, 60.0, [](double) { return standing_at(0.0, 0.0); })).planted.empty());
  EXPECT_TRUE(contacts_of(drawn(0.02, 60.0, [](double) { return standing_at(0.0, 0.0); })).planted.empty())
      << "one frame tells no speed and is too short to stand";
}

TEST(FootContacts, RefusesOptionsAndTracksThatMakeNoSense) {
  const FootTrack track = drawn(1.0, 60.0, [](double) { return standing_at(0.0, 0.0); });
  const auto with = [&](auto change) {
    ContactOptions options;
    change(options);
    return find_contacts({track}, options);
  };
  EXPECT_THROW(with([](auto& o) { o.leg_length = 0.0; }), ConfigError);
  EXPECT_THROW(with([](auto& o) { o.height_off = 0.01; }), ConfigError);
  EXPECT_THROW(with([](auto& o) { o.speed_on = std::nan(""); }), ConfigError);
  EXPECT_THROW(with([](auto& o) { o.place = 0.0; }), ConfigError);
  EXPECT_THROW(with([](auto& o) { o.window = -1.0; }), ConfigError);
  EXPECT_THROW(with([](auto& o) { o.window = kInfinity; }), ConfigError);
  EXPECT_THROW(with([](auto& o) { o.swing_window = std::nan(""); }), ConfigError);
  FootTrack shorter = track;
  shorter.ball.pop_back();
  EXPECT_THROW((void)find_contacts({shorter}), ConfigError);
  FootTrack backwards = track;
  backwards.t[5] = 0;
  EXPECT_THROW((void)find_contacts({backwards}), ConfigError);
}

TEST(HumanSole, ReachesFromBehindTheAnkleToTheBall) {
  const SubjectDimensions subject = scaled_subject(1.8);
  for (const bool right : {false, true}) {
    const FootSole sole = human_sole(subject, right);
    EXPECT_EQ(sole.ball, subject.origin[right ? HumanSegment::RightToe : HumanSegment::LeftToe]);
    EXPECT_EQ(sole.heel.z(), sole.ball.z());
    EXPECT_NEAR(sole.heel.x(), -0.25 * (0.0861 + 0.0358) * 1.8, 1e-12);
  }
}

class OnRecordings : public testing::TestWithParam<const char*> {};

TEST_P(OnRecordings, AWalkIsStepsOfOneFootAfterTheOther) {
  const std::string clip = std::string("bvh/cmu/") + GetParam() + ".bvh";
  PANTO_NEED_DATA(clip);
  const test::Walker walker = test::recorded_walker(test::data_file(clip));
  EXPECT_TRUE(alternate(touch_downs(walker)));
  EXPECT_LE(flight_share(walker), 0.02) << "the tips of the toes are not judged";
  double stance = 0.0;
  int strides = 0;
  for (std::size_t foot = 0; foot < 2; ++foot) {
    for (const double share : stance_shares(walker, foot)) {
      EXPECT_GE(share, 0.50);
      EXPECT_LE(share, 0.70);
      stance += share;
      ++strides;
    }
  }
  ASSERT_GT(strides, 0);
  // free walking: 60 to 62 % of the stride
  EXPECT_GE(stance / strides, 0.55);
  EXPECT_LE(stance / strides, 0.68);
  const auto steps = touch_downs(walker);
  const double cadence =
      static_cast<double>(steps.size()) / to_seconds(walker.samples.back().t - walker.samples.front().t);
  std::printf("%s: stance %.1f %% of the stride, %.2f steps a second, floor %.3f m\n", GetParam(),
              100.0 * stance / strides, cadence, walker.contacts.ground);
  EXPECT_GE(cadence, 1.1);
  EXPECT_LE(cadence, 2.4);
}

INSTANTIATE_TEST_SUITE_P(Walks, OnRecordings, testing::Values("002_01", "007_01", "007_04"));

TEST(FootContactsOfRecordings, ARunFliesBetweenItsSteps) {
  PANTO_NEED_DATA("bvh/cmu/002_03.bvh");
  const test::Walker walker = test::recorded_walker(test::data_file("bvh/cmu/002_03.bvh"));
  EXPECT_TRUE(alternate(touch_downs(walker)));
  EXPECT_GE(touch_downs(walker).size(), 4U);
  EXPECT_GE(flight_share(walker), 0.2);
  std::printf("002_03: in flight for %.0f %%\n", 100.0 * flight_share(walker));
}

TEST(FootContactsOfRecordings, AJumpHasBothFeetUp) {
  PANTO_NEED_DATA("bvh/cmu/002_04.bvh");
  const test::Walker walker = test::recorded_walker(test::data_file("bvh/cmu/002_04.bvh"));
  const double rate_hz = walker.rate_hz;
  const double flight = flight_share(walker) * static_cast<double>(walker.samples.size()) / rate_hz;
  std::printf("002_04: in the air for %.2f s\n", flight);
  EXPECT_GE(flight, 0.3);
  EXPECT_LE(flight, 0.9);
  for (const FootContacts& foot : walker.contacts.feet) {
    EXPECT_EQ(foot.planted.front().first, 0) << "stands before it";
    EXPECT_EQ(foot.planted.back().last, static_cast<int>(walker.samples.size()) - 1) << "and after it";
  }
}

// A foot that steps slowly, and much later runs.
TEST(FootContacts, OfAStepDoNotDependOnARunLaterInTheClip) {
  const auto slow = [](double t) {
    return standing_at(0.4 * step(t, 1.0, 1.6), 0.05 * step(t, 1.0, 1.3) * (1.0 - step(t, 1.3, 1.6)));
  };
  const FootTrack alone = drawn(4.0, 60.0, slow);
  const FootTrack with_run = drawn(8.0, 60.0, [&](double t) {
    Pose pose = slow(std::min(t, 4.0));
    if (t > 5.0) pose.heel.x() += 8.0 * (t - 5.0), pose.ball.x() += 8.0 * (t - 5.0);
    return pose;
  });
  const FootContacts one = contacts_of(alone), other = contacts_of(with_run);
  for (std::size_t k = 0; k + 60 < one.heel.size(); ++k) {
    EXPECT_EQ(one.heel[k], other.heel[k]) << k;
    EXPECT_EQ(one.ball[k], other.ball[k]) << k;
  }
}

}  // namespace
}  // namespace panto
