// Feet planted live: what `LiveRetargeter` promises, on the bundled walk, on real recordings and on streams
// that misbehave.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "apps/support/allocation_count.hpp"
#include "panto/api/live_retargeter.hpp"
#include "panto/io/open_recording.hpp"
#include "panto/math/directions.hpp"
#include "panto/model/kinematics.hpp"
#include "panto/recording/person_reader.hpp"
#include "tests/support/bundled_walk.hpp"
#include "tests/support/test_data.hpp"

namespace panto {
namespace {

struct Stream {
  std::vector<std::string> names;
  SubjectDimensions person;
  std::vector<SegmentSample> samples;
};

Stream stream_of(Recording& recording) {
  Stream stream;
  std::vector<std::string> notes;
  PersonReader reader(recording);
  stream.names = reader.names();
  stream.person = subject_of(recording.info(), {}, {}, notes);
  for (SegmentSample sample; reader.read(sample) == ReadStatus::Sample;) stream.samples.push_back(sample);
  return stream;
}

RetargetOptions ahead(double look_ahead) {
  RetargetOptions options;
  options.live.look_ahead = look_ahead;
  return options;
}

std::vector<State> followed(LiveRetargeter& live, const Stream& stream) {
  std::vector<State> states;
  State state = live.rest_state();
  for (const SegmentSample& sample : stream.samples)
    if (advanced(live.step(sample, state))) states.push_back(state);
  while (advanced(live.drain(state))) states.push_back(state);
  return states;
}

std::vector<State> followed(const Stream& stream, const RetargetOptions& options) {
  LiveRetargeter live(test::shipped_robot("unitree_g1"), stream.names, stream.person, options);
  return followed(live, stream);
}

std::uint64_t hash_of(const std::vector<State>& states) {
  std::uint64_t hash = 0;
  for (const State& state : states) hash = state_hash(state, hash);
  return hash;
}

// The same motion at another rate and with stamps that jitter.
Stream resampled(const Stream& stream, double rate_hz, double jitter) {
  Stream result{stream.names, stream.person, {}};
  const Time last = stream.samples.back().t;
  double noise = 0.0;
  for (int k = 0; frame_time(k, rate_hz) < last; ++k) {
    const Time t = frame_time(k, rate_hz);
    std::size_t i = 1;
    while (stream.samples[i].t < t) ++i;
    const SegmentSample &a = stream.samples[i - 1], &b = stream.samples[i];
    const double share = to_seconds(t - a.t) / to_seconds(b.t - a.t);
    SegmentSample sample = share < 0.5 ? a : b;
    for (std::size_t s = 0; s < sample.segments.size(); ++s) {
      SegmentMotion& m = sample.segments[s];
      m.p_WS = a.segments[s].p_WS + share * (b.segments[s].p_WS - a.segments[s].p_WS);
      m.R_WS = part_of_turn(a.segments[s].R_WS, b.segments[s].R_WS, share);
    }
    noise = std::fmod(noise + 0.618, 1.0);
    sample.t = t + from_seconds(jitter * (noise - 0.5) / rate_hz);
    result.samples.push_back(sample);
  }
  return result;
}

// Largest acceleration of the base but for the worst 1 % [m/s^2].
double base_acceleration_p99(const std::vector<State>& states) {
  std::vector<double> all;
  for (std::size_t k = 1; k + 1 < states.size(); ++k) {
    const State &a = states[k - 1], &b = states[k], &c = states[k + 1];
    const double before = to_seconds(b.t - a.t), after = to_seconds(c.t - b.t);
    all.push_back(((c.p_WB - b.p_WB) / after - (b.p_WB - a.p_WB) / before).norm() / (0.5 * (before + after)));
  }
  std::sort(all.begin(), all.end());
  return all.empty() ? 0.0 : all[all.size() * 99 / 100];
}

// Median of the slower ankle's speed [mm/s]: one foot is in stance nearly all the time.
double standing_speed(const std::vector<State>& states) {
  const Robot g1 = test::shipped_robot("unitree_g1");
  Kinematics kinematics(g1.model);
  std::vector<double> speeds;
  std::array<Eigen::Vector3d, 2> before;
  for (std::size_t k = 0; k < states.size(); ++k) {
    kinematics.update(states[k]);
    double slowest = kInfinity;
    for (const std::size_t side : {0U, 1U}) {
      const Eigen::Vector3d p =
          kinematics.p_WL(g1.model.link_index(side == 0 ? "right_ankle_roll_link" : "left_ankle_roll_link"));
      if (k > 0)
        slowest = std::min(
            slowest, 1e3 * (p - before[side]).head<2>().norm() / to_seconds(states[k].t - states[k - 1].t));
      before[side] = p;
    }
    if (k > 0) speeds.push_back(slowest);
  }
  std::sort(speeds.begin(), speeds.end());
  return speeds.empty() ? 0.0 : speeds[speeds.size() / 2];
}

TEST(LiveFeet, ComeLateByTheLookAheadAndLoseNoState) {
  const auto walk = test::bundled_walk();
  const Stream stream = stream_of(*walk);
  for (const double look_ahead : {0.0, 0.1, 0.3}) {
    SCOPED_TRACE(look_ahead);
    LiveRetargeter live(test::shipped_robot("unitree_g1"), stream.names, stream.person, ahead(look_ahead));
    State state = live.rest_state();
    std::size_t published = 0;
    for (const SegmentSample& sample : stream.samples) {
      if (!advanced(live.step(sample, state))) continue;
      EXPECT_EQ(state.t, stream.samples[published++].t);
      EXPECT_NEAR(to_seconds(sample.t - state.t), look_ahead, 1.01 / walk->info().rate_hz);
    }
    EXPECT_EQ(live.pending(), stream.samples.size() - published);
    while (advanced(live.drain(state))) EXPECT_EQ(state.t, stream.samples[published++].t);
    EXPECT_EQ(published, stream.samples.size());
    EXPECT_EQ(live.pending(), 0U);
  }
}

TEST(LiveFeet, StandWhereSoftOnesSlideUnderACalmerBase) {
  const auto walk = test::bundled_walk();
  const Stream stream = stream_of(*walk);
  RetargetOptions soft;
  soft.feet = FeetMode::Soft;
  const std::vector<State> slid = followed(stream, soft);
  for (const double look_ahead : {0.0, 0.1, 0.2}) {
    SCOPED_TRACE(look_ahead);
    const std::vector<State> states = followed(stream, ahead(look_ahead));
    EXPECT_LT(standing_speed(states), 30.0);  // the ankle moves over a ball that stays
    EXPECT_LT(standing_speed(states), 0.5 * standing_speed(slid));
    EXPECT_LT(base_acceleration_p99(states), 15.0);  // issue 30 asks this of whole clips
  }
}

TEST(LiveFeet, StandOnRealRecordings) {
  for (const char* file : {"lafan1/dance1_subject2.bvh", "bvh/cmu/007_01.bvh"}) {
    PANTO_NEED_DATA(file);
    SCOPED_TRACE(file);
    const auto recording = io::open_recording(test::data_file(file));
    const Stream stream = stream_of(*recording);
    for (const double look_ahead : {0.0, 0.1}) {
      const std::vector<State> states = followed(stream, ahead(look_ahead));
      EXPECT_EQ(states.size(), stream.samples.size());
      EXPECT_LT(standing_speed(states), 40.0);
      EXPECT_LT(base_acceleration_p99(states), 25.0);  // soft: 21 on the dance, 43 on the walk
    }
  }
}

TEST(LiveFeet, PublishTheDerivativesOfWhatTheyPublish) {
  const auto walk = test::bundled_walk();
  const Stream stream = stream_of(*walk);
  for (const double look_ahead : {0.0, 0.1}) {
    const std::vector<State> states = followed(stream, ahead(look_ahead));
    double rate = 0.0, off = 0.0;
    for (std::size_t k = 1; k + 1 < states.size(); ++k) {
      const State &a = states[k - 1], &c = states[look_ahead > 0.0 ? k + 1 : k];
      const double dt = to_seconds(c.t - a.t);
      rate += states[k].sdot.squaredNorm() + states[k].v_WB.squaredNorm();
      off += (states[k].sdot - (c.s - a.s) / dt).squaredNorm() +
             (states[k].v_WB - (c.p_WB - a.p_WB) / dt).squaredNorm();
    }
    EXPECT_LT(std::sqrt(off / rate), 1e-9);
  }
}

TEST(LiveFeet, NeitherAllocateNorDifferFromRunToRunNorAfterAReset) {
  const auto walk = test::bundled_walk();
  const Stream stream = stream_of(*walk);
  for (const double look_ahead : {0.0, 0.1}) {
    LiveRetargeter live(test::shipped_robot("unitree_g1"), stream.names, stream.person, ahead(look_ahead));
    const std::uint64_t once = hash_of(followed(live, stream));
    live.reset();
    State state = live.rest_state();
    (void)live.step(stream.samples.front(), state);
    const AllocationCount allocations;
    for (const SegmentSample& sample : stream.samples) (void)live.step(sample, state);
    while (advanced(live.drain(state))) {
    }
    const long allocated = allocations.value();
    EXPECT_EQ(allocated, 0);
    live.reset();
    EXPECT_EQ(hash_of(followed(live, stream)), once);
    EXPECT_EQ(hash_of(followed(stream, ahead(look_ahead))), once);
  }
}

TEST(LiveFeet, KeepUpWithAnyRateAndWithStampsThatJitter) {
  const auto walk = test::bundled_walk();
  const Stream stream = stream_of(*walk);
  const Robot g1 = test::shipped_robot("unitree_g1");
  for (const double rate_hz : {30.0, 60.0, 120.0, 240.0}) {
    SCOPED_TRACE(rate_hz);
    const std::vector<State> states = followed(resampled(stream, rate_hz, 0.4), ahead(0.1));
    EXPECT_LT(standing_speed(states), 40.0);
    EXPECT_LT(base_acceleration_p99(states), 40.0);  // jitter moves the person himself
    for (const State& state : states) ASSERT_TRUE(is_valid(state, g1.model));
  }
}

// What a stream that misbehaves must keep: states that are finite, within limits, with stamps that advance.
void expect_sound(const std::vector<State>& states, const Model& model) {
  for (std::size_t k = 0; k < states.size(); ++k) {
    ASSERT_TRUE(is_valid(states[k], model));
    ASSERT_TRUE((states[k].s.array() >= model.lower().array() - 1e-9).all());
    ASSERT_TRUE((states[k].s.array() <= model.upper().array() + 1e-9).all());
    if (k > 0) {
      ASSERT_GT(states[k].t, states[k - 1].t);
    }
  }
}

TEST(LiveFeet, SurviveGapsCutsAndTeleports) {
  const auto walk = test::bundled_walk();
  Stream stream = stream_of(*walk);
  for (std::size_t k = 0; k < stream.samples.size(); ++k) {
    SegmentSample& sample = stream.samples[k];
    if (k >= 40) sample.t += from_seconds(3.0);
    sample.cut = k == 70;
    if (k < 70) continue;
    for (SegmentMotion& m : sample.segments) m.p_WS.x() += 5.0;
  }
  stream.samples.erase(stream.samples.begin() + 50, stream.samples.begin() + 55);
  const Robot g1 = test::shipped_robot("unitree_g1");
  for (const double look_ahead : {0.0, 0.1, 0.3}) expect_sound(followed(stream, ahead(look_ahead)), g1.model);
}

TEST(LiveFeet, LeaveEverythingAloneForASampleThatCannotBeUsed) {
  const auto walk = test::bundled_walk();
  const Stream stream = stream_of(*walk);
  const Robot g1 = test::shipped_robot("unitree_g1");
  LiveRetargeter live(g1, stream.names, stream.person, ahead(0.1));
  std::vector<State> states;
  State state = live.rest_state();
  for (const SegmentSample& sample : stream.samples) {
    if (advanced(live.step(sample, state))) states.push_back(state);
    const std::uint64_t before = state_hash(state);
    SegmentSample wrong = sample;
    EXPECT_EQ(live.step(wrong, state), StepStatus::TimeNotAdvancing);
    wrong.t += 1'000'000;
    wrong.segments[0].p_WS.x() = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(live.step(wrong, state), StepStatus::TargetNotFinite);
    wrong.segments.pop_back();
    EXPECT_EQ(live.step(wrong, state), StepStatus::SizeMismatch);
    EXPECT_EQ(state_hash(state), before);
  }
  while (advanced(live.drain(state))) states.push_back(state);
  EXPECT_EQ(hash_of(states), hash_of(followed(stream, ahead(0.1))));
  State other;
  EXPECT_EQ(live.step(stream.samples.front(), other), StepStatus::SizeMismatch);
}

TEST(LiveFeet, RefuseALookAheadOutOfRangeAndAFloorThatIsNotFinite) {
  const Robot g1 = test::shipped_robot("unitree_g1");
  const auto refused = [&](const RetargetOptions& options) {
    EXPECT_THROW(LiveRetargeter(g1, human_segment_names(), scaled_subject(1.75), options), ConfigError);
  };
  for (const double look_ahead : {-0.01, 0.31, std::nan("")}) refused(ahead(look_ahead));
  RetargetOptions floor;
  floor.live.floor = kInfinity;
  refused(floor);
}

TEST(LiveFeet, AreSoftWithOwnTargetsAndWhereSoftIsAskedFor) {
  const auto walk = test::bundled_walk();
  const Stream stream = stream_of(*walk);
  RetargetOptions soft;
  soft.feet = FeetMode::Soft;
  RetargetOptions hold;
  hold.feet = FeetMode::Hold;
  EXPECT_EQ(hash_of(followed(stream, soft)), hash_of(followed(stream, hold)));
  EXPECT_NE(hash_of(followed(stream, soft)), hash_of(followed(stream, ahead(0.0))));
}

}  // namespace
}  // namespace panto
