#include "panto/motion/segmentation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <random>

#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/io/shipped_robots.hpp"
#include "panto/math/so3.hpp"
#include "panto/motion/line_fit.hpp"
#include "tests/support/random_motion.hpp"
#include "tests/support/test_data.hpp"
#include "tests/support/tracked_motion.hpp"

namespace panto {
namespace {

using Eigen::Vector3d;

constexpr double kRate = 80.0;

/// A stroke from rest to rest: distance [m], begin and length [s].
struct Stroke {
  double distance, begin, length;
  [[nodiscard]] double way(double t) const {
    const double u = std::clamp((t - begin) / length, 0.0, 1.0);
    return distance * u * u * u * (10.0 + u * (6.0 * u - 15.0));
  }
  [[nodiscard]] double speed(double t) const {
    const double u = std::clamp((t - begin) / length, 0.0, 1.0);
    return std::abs(distance) / length * 30.0 * u * u * (1.0 - u) * (1.0 - u);
  }
  /// Where the true speed crosses `limit`: first and last time.
  [[nodiscard]] std::pair<double, double> crossings(double limit) const {
    double first = begin + 0.5 * length, last = first;
    while (speed(first) > limit) first -= 1e-4;
    while (speed(last) > limit) last += 1e-4;
    return {first, last};
  }
};

std::vector<Time> stamps(int count) {
  std::vector<Time> t;
  for (int k = 0; k < count; ++k) t.push_back(frame_time(k, kRate));
  return t;
}

/// A hand that makes strokes in a direction of space, with noise [m].
PointTrack hand(const std::vector<Time>& t, const std::vector<Stroke>& strokes, double noise,
                std::uint64_t seed = 1) {
  std::mt19937_64 engine(seed);
  std::normal_distribution<double> normal(0.0, 1.0);
  const Vector3d along = Vector3d(1.0, -2.0, 2.0) / 3.0;
  PointTrack track{"RightHand", {}, {}};
  for (const Time time : t) {
    Vector3d p(0.3, -0.2, 1.0);
    for (const Stroke& stroke : strokes) p += along * stroke.way(to_seconds(time));
    track.p.push_back(p + noise * Vector3d(normal(engine), normal(engine), normal(engine)));
  }
  return track;
}

int frame(double seconds) { return static_cast<int>(std::lround(seconds * kRate)); }

TEST(Segmentation, FindsOnsetsAndOffsetsWithinTwoFramesThroughAMillimetreOfNoise) {
  const std::vector<Time> t = stamps(1200);
  const SegmentationOptions options;
  int worst = 0;
  for (int trial = 0; trial < test::scaled_numerical(200); ++trial) {
    const double scale = 0.6 + 0.02 * (trial % 40);
    const std::vector<Stroke> strokes{
        {0.4 * scale, 1.0, 0.9}, {-0.5, 4.0, 1.0 * scale}, {0.3, 8.0, 0.6}, {0.2, 11.0, 0.5}};
    const auto gestures =
        segment_gestures(t, {hand(t, strokes, 1e-3, static_cast<std::uint64_t>(trial))}, options);
    ASSERT_EQ(gestures.size(), strokes.size()) << trial;
    for (std::size_t i = 0; i < strokes.size(); ++i) {
      const auto [onset, offset] = strokes[i].crossings(options.speed_off);
      worst = std::max(
          {worst, std::abs(gestures[i].onset - frame(onset)), std::abs(gestures[i].offset - frame(offset))});
      EXPECT_EQ(gestures[i].begin, GestureEnd::Rest);
      EXPECT_EQ(gestures[i].end, GestureEnd::Rest);
      // all of the stroke is in it, with some rest
      EXPECT_LE(gestures[i].first, frame(strokes[i].begin) + 2);
      EXPECT_GE(gestures[i].last, frame(strokes[i].begin + strokes[i].length) - 2);
      EXPECT_NEAR(gestures[i].speed_max, 1.875 * std::abs(strokes[i].distance) / strokes[i].length, 0.1);
    }
  }
  EXPECT_LE(worst, 2);
}

TEST(Segmentation, AShortPauseIsPartOfAGestureAndALongOneParts) {
  const std::vector<Time> t = stamps(800);
  const auto count = [&](double pause) {
    return segment_gestures(t, {hand(t, {{0.4, 1.0, 0.8}, {-0.4, 1.8 + pause, 0.8}}, 0.0)}).size();
  };
  EXPECT_EQ(count(0.1), 1U);
  EXPECT_EQ(count(0.5), 2U);
}

TEST(Segmentation, SlowDriftAndShortTwitchesAreNoGestures) {
  const std::vector<Time> t = stamps(800);
  EXPECT_TRUE(segment_gestures(t, {hand(t, {}, 1e-3)}).empty()) << "noise of a still hand";
  EXPECT_TRUE(segment_gestures(t, {hand(t, {{0.3, 0.0, 10.0}}, 1e-3)}).empty()) << "0.06 m/s";
  EXPECT_TRUE(segment_gestures(t, {hand(t, {{0.02, 3.0, 0.12}}, 0.0)}).empty()) << "fast, but over at once";
  SegmentationOptions all;
  all.min_duration = 0.0;
  EXPECT_EQ(segment_gestures(t, {hand(t, {{0.02, 3.0, 0.12}}, 0.0)}, all).size(), 1U);
}

TEST(Segmentation, TheFastestPointCountsAndIsNamed) {
  const std::vector<Time> t = stamps(800);
  PointTrack left = hand(t, {{0.5, 5.0, 1.0}}, 0.0);
  left.name = "LeftHand";
  const auto gestures = segment_gestures(t, {hand(t, {{0.4, 1.0, 1.0}}, 0.0), left});
  ASSERT_EQ(gestures.size(), 2U);
  EXPECT_EQ(gestures[0].fastest, 0);
  EXPECT_EQ(gestures[1].fastest, 1);
  EXPECT_EQ(gestures[1].reason,
            "LeftHand moves at up to 0.93 m/s; begins below 0.08 m/s, ends below 0.08 m/s");
}

TEST(Segmentation, AClipThatBeginsOrEndsInMotionSaysSo) {
  const std::vector<Time> t = stamps(400);
  const auto gestures = segment_gestures(t, {hand(t, {{0.4, -0.5, 1.0}, {0.4, 4.5, 1.0}}, 0.0)});
  ASSERT_EQ(gestures.size(), 2U);
  EXPECT_EQ(gestures[0].begin, GestureEnd::ClipEnd);
  EXPECT_EQ(gestures[0].first, 0);
  EXPECT_EQ(gestures[1].end, GestureEnd::ClipEnd);
  EXPECT_EQ(gestures[1].last, 399);
  EXPECT_NE(gestures[1].reason.find("ends with the clip, still moving"), std::string::npos);
}

TEST(Segmentation, MissingSamplesAreBridgedWhenFewAndEndAGestureWhenMany) {
  const std::vector<Time> t = stamps(800);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  PointTrack track = hand(t, {{0.8, 2.0, 3.0}}, 0.0);
  for (int k = 240; k < 250; ++k) track.p[at(k)].setConstant(nan);
  EXPECT_EQ(segment_gestures(t, {track}).size(), 1U) << "0.14 s";
  for (int k = 240; k < 280; ++k) track.p[at(k)].setConstant(nan);
  const auto gestures = segment_gestures(t, {track});
  ASSERT_EQ(gestures.size(), 2U);
  EXPECT_EQ(gestures[0].end, GestureEnd::NotMeasured);
  EXPECT_EQ(gestures[0].last, 239);
  EXPECT_EQ(gestures[1].begin, GestureEnd::NotMeasured);
  EXPECT_EQ(gestures[1].first, 280);
  // another point that was seen meanwhile
  PointTrack other = hand(t, {{0.8, 2.0, 3.0}}, 0.0);
  EXPECT_EQ(segment_gestures(t, {track, other}).size(), 1U);
  for (Vector3d& p : track.p) p.setConstant(nan);
  EXPECT_TRUE(segment_gestures(t, {track}).empty()) << "nothing was measured";
}

TEST(Segmentation, AHandThatIsNotMeasuredAnyMoreDoesNotRestThoughTheOtherDoes) {
  const std::vector<Time> t = stamps(800);
  PointTrack track = hand(t, {{0.8, 2.0, 3.0}}, 0.0), other = hand(t, {}, 1e-3);
  other.name = "LeftHand";
  const auto lose = [&](int first, int last) {
    for (int k = first; k < last; ++k) track.p[at(k)].setConstant(std::numeric_limits<double>::quiet_NaN());
    return segment_gestures(t, {track, other});
  };
  EXPECT_EQ(lose(240, 250).size(), 1U) << "0.14 s: it goes on as it began";
  const auto gestures = lose(240, 280);
  ASSERT_EQ(gestures.size(), 2U);
  EXPECT_EQ(gestures[0].end, GestureEnd::NotMeasured);
  EXPECT_EQ(gestures[0].last, 239) << "no rest is taken along";
  EXPECT_EQ(gestures[1].begin, GestureEnd::NotMeasured);
  EXPECT_EQ(gestures[1].first, 280);
  EXPECT_NE(gestures[0].reason.find("still moving, RightHand is not measured after"), std::string::npos);
  // shorter than a pause, longer than what is bridged: two all the same
  SegmentationOptions patient;
  patient.min_pause = 2.0;
  EXPECT_EQ(segment_gestures(t, {track, other}, patient).size(), 2U);
}

TEST(Segmentation, AGapOfTheStampsPartsGestures) {
  const std::vector<Time> whole = stamps(400);
  std::vector<Time> t = whole;
  for (int k = 200; k < 400; ++k) t[at(k)] += from_seconds(2.0);
  const PointTrack track = hand(whole, {{2.0, 1.0, 3.0}}, 0.0);
  EXPECT_EQ(segment_gestures(whole, {track}).size(), 1U);
  const auto parted = segment_gestures(t, {track});
  ASSERT_EQ(parted.size(), 2U);
  EXPECT_EQ(parted[0].last, 199);
  EXPECT_EQ(parted[1].first, 200);
  EXPECT_EQ(parted[0].end, GestureEnd::NotMeasured);
}

TEST(Segmentation, NoGestureGoesAcrossACutHoweverTheHandIsMissingThere) {
  const std::vector<Time> t = stamps(400);
  PointTrack track = hand(t, {{2.0, 1.0, 3.0}}, 0.0);
  for (int k = 200; k < 400; ++k) track.p[at(k)] += Vector3d(20.0, 0.0, 0.0);  // it is somewhere else behind
  for (const bool missing : {false, true}) {
    if (missing)  // short enough to be bridged, were there no cut
      for (int k = 196; k < 200; ++k) track.p[at(k)].setConstant(std::nan(""));
    const auto parted = segment_gestures(t, {track}, {}, {200});
    ASSERT_EQ(parted.size(), 2U);
    EXPECT_EQ(parted[0].last, missing ? 195 : 199);
    EXPECT_EQ(parted[1].first, 200);
    EXPECT_EQ(parted[1].begin, GestureEnd::Cut);
    EXPECT_LT(std::max(parted[0].speed_max, parted[1].speed_max), 1.3) << "2 m in 3 s; not 20 m in a frame";
    EXPECT_NE(parted[1].reason.find("begins at a cut, still moving"), std::string::npos) << parted[1].reason;
    EXPECT_EQ(parted[0].end, missing ? GestureEnd::NotMeasured : GestureEnd::Cut);
  }
  for (const std::vector<int>& cuts : {std::vector<int>{0}, {400}, {200, 200}, {200, 100}, {-1}})
    EXPECT_THROW((void)segment_gestures(t, {track}, {}, cuts), ConfigError);
}

/// A hand that stays where it is and turns to and fro about an axis of space, with noise [rad] about each
/// axis.
PointTrack turning_hand(const std::vector<Time>& t, const std::vector<Stroke>& turns, double noise) {
  std::mt19937_64 engine(3);
  std::normal_distribution<double> normal(0.0, noise > 0.0 ? noise : 1.0);
  const Eigen::Matrix3d start = so3::exp(Vector3d(0.4, -1.2, 2.0));
  const Vector3d axis = Vector3d(2.0, 1.0, -2.0) / 3.0;
  PointTrack track = hand(t, {}, 0.0);
  for (const Time time : t) {
    double way = 0.0;
    for (const Stroke& turn : turns) way += turn.way(to_seconds(time));
    Eigen::Matrix3d R = start * so3::exp(way * axis);
    if (noise > 0.0) R = R * so3::exp(Vector3d(normal(engine), normal(engine), normal(engine)));
    track.R.push_back(R);
  }
  return track;
}

TEST(Segmentation, AHandThatTurnsWhereItIsMakesAGestureOfTheTurn) {
  // 4.5 rad in all, more than half a turn from where it began, through 5 mrad of noise
  const std::vector<Time> t = stamps(800);
  const std::vector<Stroke> turns{{1.5, 1.0, 1.0}, {3.0, 4.0, 1.5}};
  const SegmentationOptions options;
  const auto gestures = segment_gestures(t, {turning_hand(t, turns, 5e-3)});
  ASSERT_EQ(gestures.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    const auto [onset, offset] = turns[i].crossings(options.turn_off);
    EXPECT_NEAR(gestures[i].onset, frame(onset), 2);
    EXPECT_NEAR(gestures[i].offset, frame(offset), 2);
    EXPECT_NEAR(gestures[i].turn_max, 1.875 * turns[i].distance / turns[i].length, 0.15);
    EXPECT_LT(gestures[i].speed_max, 1e-12);
  }
  EXPECT_EQ(gestures[0].reason.substr(0, 26), "RightHand turns at up to 2");
  EXPECT_NE(gestures[0].reason.find("rad/s; begins below 0.50 rad/s, ends below 0.50 rad/s"),
            std::string::npos);
  EXPECT_TRUE(segment_gestures(t, {turning_hand(t, {{0.5, 2.0, 1.5}}, 5e-3)}).empty())
      << "0.63 rad/s at most";
  EXPECT_TRUE(segment_gestures(t, {turning_hand(t, {}, 5e-3)}).empty()) << "noise of a still hand";
}

TEST(Segmentation, AHandThatGoesOnTurningGoesOnWithItsGesture) {
  const std::vector<Time> t = stamps(800);
  PointTrack track = turning_hand(t, {{2.0, 1.8, 1.6}}, 0.0);
  track.p = hand(t, {{0.4, 1.0, 1.0}}, 0.0).p;
  const auto gestures = segment_gestures(t, {track});
  ASSERT_EQ(gestures.size(), 1U);
  EXPECT_LE(gestures[0].onset, frame(1.3));
  EXPECT_GE(gestures[0].offset, frame(3.1));
  EXPECT_NE(gestures[0].reason.find("moves at up to"), std::string::npos);
  // what is not measured for long ends it, whichever of the two is not
  for (int k = 0; k < 800; ++k) track.p[at(k)].setConstant(std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(segment_gestures(t, {track}).size(), 1U) << "the turn alone";
  for (int k = 200; k < 224; ++k) track.R[at(k)].setConstant(std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(segment_gestures(t, {track}).size(), 2U);
}

TEST(Segmentation, GesturesAreInOrderAndShareNoFrame) {
  std::mt19937_64 engine(7);
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  const std::vector<Time> t = stamps(800);
  for (int trial = 0; trial < test::scaled_numerical(300); ++trial) {
    std::vector<Stroke> strokes;
    for (double now = uniform(engine); now < 9.0; now += 0.2 + uniform(engine))
      strokes.push_back({0.6 * uniform(engine), now, 0.1 + uniform(engine)});
    PointTrack track = hand(t, strokes, 2e-3 * uniform(engine), engine());
    for (Vector3d& p : track.p)
      if (uniform(engine) < 0.05) p.setConstant(std::numeric_limits<double>::quiet_NaN());
    SegmentationOptions options;
    options.pad = 2.0 * uniform(engine);
    options.min_pause = 0.5 * uniform(engine);
    int last = -1;
    for (const Gesture& g : segment_gestures(t, {track}, options)) {
      EXPECT_GT(g.first, last);
      EXPECT_LE(g.first, g.onset);
      EXPECT_LE(g.onset, g.offset);
      EXPECT_LE(g.offset, g.last);
      EXPECT_LT(g.last, 800);
      EXPECT_GE(g.speed_max, options.speed_on);
      last = g.last;
    }
  }
}

TEST(Segmentation, NothingAndASingleFrameAreClear) {
  EXPECT_TRUE(segment_gestures({}, {}).empty());
  EXPECT_TRUE(segment_gestures({}, {{"RightHand", {}, {}}}).empty());
  EXPECT_TRUE(segment_gestures(stamps(100), {}).empty());
  EXPECT_TRUE(segment_gestures({0}, {{"RightHand", {Vector3d::Zero()}, {}}}).empty());
}

// of a window of seconds at a wrong rate, which would hold the whole clip
TEST(LineFit, LooksAtNoMoreThan2000FramesToEitherSide) {
  std::vector<Time> t;
  std::vector<Eigen::Vector3d> p;
  for (int k = 0; k < 10'000; ++k) {
    t.push_back(k);
    p.emplace_back(k < 7001 ? 1.0 : 5.0, 0.0, 0.0);
  }
  const auto usable = [&](int k) { return k >= 0 && k < 10'000; };
  EXPECT_LT(detail::fit_line(t, p, 5000, 1.0, usable).slope.norm(), 1e-9);
  EXPECT_GT(detail::fit_line(t, p, 5002, 1.0, usable).slope.norm(), 1.0);
}

TEST(Segmentation, RefusesWhatMakesNoSense) {
  const std::vector<Time> t = stamps(10);
  const PointTrack track = hand(t, {}, 0.0);
  const auto with = [&](auto change) {
    SegmentationOptions options;
    change(options);
    return segment_gestures(t, {track}, options);
  };
  EXPECT_THROW(with([](auto& o) { o.speed_off = 0.0; }), ConfigError);
  EXPECT_THROW(with([](auto& o) { o.speed_on = 0.01; }), ConfigError);
  EXPECT_THROW(with([](auto& o) { o.turn_off = 0.0; }), ConfigError);
  EXPECT_THROW(with([](auto& o) { o.turn_on = 0.4; }), ConfigError);
  EXPECT_THROW(with([](auto& o) { o.pad = std::nan(""); }), ConfigError);
  EXPECT_THROW(with([](auto& o) { o.window = kInfinity; }), ConfigError);
  PointTrack few = track;
  few.R.resize(9, Eigen::Matrix3d::Identity());
  EXPECT_THROW((void)segment_gestures(t, {few}), ConfigError);
  EXPECT_THROW((void)segment_gestures(stamps(9), {track}), ConfigError);
  EXPECT_THROW((void)segment_gestures({0, 5, 5}, {hand({0, 5, 5}, {}, 0.0)}), ConfigError);
}

TEST(Segmentation, LinksOfAModelAreSeenFromAnotherLink) {
  const Model model = io::shipped_robot("icub");
  Motion motion = test::random_motion(model, 400, 0.0, 1);
  const int elbow = model.joint_index("r_elbow");
  const Stroke bend{1.0, 2.0, 1.0};
  for (State& state : motion.states) {
    const double now = to_seconds(state.t);
    state.s[elbow] = 0.6 + bend.way(now);
    state.p_WB.x() = 1.2 * now;  // it walks
  }
  const auto gestures = segment_gestures(motion, model, {"r_hand", "l_hand"}, "root_link");
  ASSERT_EQ(gestures.size(), 1U);
  EXPECT_NEAR(gestures[0].onset, frame(2.15), 8);
  EXPECT_NE(gestures[0].reason.find("r_hand"), std::string::npos);
  const auto walking = segment_gestures(motion, model, {"r_hand", "l_hand"});
  ASSERT_EQ(walking.size(), 1U);
  EXPECT_EQ(walking[0].last - walking[0].first, 399) << "in the world the hands never rest";
  EXPECT_THROW((void)segment_gestures(motion, model, {"r_hnd"}), ModelError);
  motion.states[5].s[0] = std::nan("");
  EXPECT_THROW((void)segment_gestures(motion, model, {"r_hand"}), ModelError);
}

// Recordings: within a gesture the hands move, between gestures they do not, by differences over 0.2 s.
void expect_cut_where_hands_rest(const char* recording, std::size_t fewest) {
  const auto file = io::open_recording(test::data_file(recording));
  const test::Tracked clip = test::track(*file);
  const Motion motion{clip.model.name(), clip.model.joint_names(), file->info().rate_hz, clip.states};
  const auto gestures = segment_gestures(motion, clip.model, {"RightHand", "LeftHand"}, "Pelvis");
  const int count = static_cast<int>(motion.states.size());
  const auto seconds = [&](int k) { return to_seconds(motion.states[at(k)].t); };
  for (const Gesture& g : gestures)
    std::printf("%s: frames %d to %d (%.2f to %.2f s of %.2f): %s\n", recording, g.first, g.last,
                seconds(g.first), seconds(g.last), seconds(count - 1), g.reason.c_str());
  EXPECT_GE(gestures.size(), fewest);
  const int reach = static_cast<int>(0.1 * file->info().rate_hz);
  // how fast the faster hand moves and turns, as shares of the limits that end a gesture
  const SegmentationOptions options;
  const auto speed = [&](int k) {
    double fastest = 0.0;
    const double passed = seconds(k + reach) - seconds(k - reach);
    for (const HumanSegment::Index hand : {HumanSegment::RightHand, HumanSegment::LeftHand}) {
      const auto i = static_cast<std::size_t>(hand);
      const auto seen = [&](int j) -> Vector3d {
        return clip.R[at(j)][0].transpose() * (clip.p[at(j)][i] - clip.p[at(j)][0]);
      };
      const auto turned = [&](int j) -> Eigen::Matrix3d {
        return clip.R[at(j)][0].transpose() * clip.R[at(j)][i];
      };
      fastest = std::max({fastest, (seen(k + reach) - seen(k - reach)).norm() / passed / options.speed_off,
                          so3::distance(turned(k + reach), turned(k - reach)) / passed / options.turn_off});
    }
    return fastest;
  };
  int in = 0, slow_in = 0, fast_out = 0;
  for (int k = reach; k + reach < count; ++k) {
    const bool inside = std::any_of(gestures.begin(), gestures.end(),
                                    [&](const Gesture& g) { return g.onset <= k && k <= g.offset; });
    in += static_cast<int>(inside);
    slow_in += static_cast<int>(inside && speed(k) < 0.5);
    fast_out += static_cast<int>(!inside && speed(k) > 2.8);
  }
  EXPECT_EQ(fast_out, 0);
  EXPECT_LT(slow_in, in / 10);
}

TEST(Segmentation, ARecordedDancerIsCutWhereTheHandsRest) {
  PANTO_NEED_DATA("mvnx/blender-mvnx-io_test_mocap.mvnx");
  expect_cut_where_hands_rest("mvnx/blender-mvnx-io_test_mocap.mvnx", 1);
}

TEST(Segmentation, AStyledWalkIsCutWhereTheHandsRest) {
  PANTO_NEED_DATA("bvh/cmu/131_02.bvh");
  expect_cut_where_hands_rest("bvh/cmu/131_02.bvh", 1);
}

}  // namespace
}  // namespace panto
