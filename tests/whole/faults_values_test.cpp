// Numbers that are none, rotations that are none, quaternions of either sign: faults F01 to F03 of the
// battery (docs/fault_battery.md).

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <random>

#include "panto/math/so3.hpp"
#include "panto/stream/mxtp.hpp"
#include "tests/support/live_chain.hpp"
#include "tests/support/test_data.hpp"
#include "tests/support/upper_body.hpp"

namespace panto {
namespace {

using Eigen::Matrix3d;
using test::followed;
using test::Followed;
using test::kMillisecond;
using Bytes = std::vector<std::byte>;
using Follower = LiveFollower<SegmentSample>;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr int kNumbers = 18;  // of a segment: 9 of its matrix, 3 of place and of each rate

double& number(SegmentMotion& segment, int i) {
  if (i < 9) return segment.R_WS(i / 3, i % 3);
  Eigen::Vector3d* const vectors[] = {&segment.p_WS, &segment.w_WS, &segment.v_WS};
  return (*vectors[i / 3 - 3])[i % 3];
}

struct Walk {
  SubjectDimensions person;
  std::vector<SegmentSample> samples;
};

const Walk& walk() {
  static const Walk kept = [] {
    test::Suit suit("mvn");
    Walk made{suit.motion.subject, {}};
    for (SegmentSample sample; suit.motion.next(sample);) made.samples.push_back(sample);
    return made;
  }();
  return kept;
}

const Robot& g1() {
  static const Robot robot = test::shipped_robot("unitree_g1");
  return robot;
}

const Followed& clean_run() {
  static const Followed run = followed("mvn", g1());
  return run;
}

struct Kind {
  const char* name;
  std::function<Follower()> make;
};

// A human, and robots with planted feet, with soft ones, and on wheels.
const std::vector<Kind>& followers() {
  static const Robot rolls = make_robot(test::upper_body(true));
  const auto robot = [](const Robot& of, FeetMode feet, double look_ahead) {
    RetargetOptions options;
    options.feet = feet;
    options.live.look_ahead = look_ahead;
    return live_robot(of, human_segment_names(), walk().person, options);
  };
  static const std::vector<Kind> all = {
      {"human48", [] { return live_human(human48(walk().person), human_segment_names()); }},
      {"planted", [=] { return robot(g1(), FeetMode::Plant, 0.05); }},
      {"soft", [=] { return robot(g1(), FeetMode::Soft, 0.0); }},
      {"on wheels", [=] { return robot(rolls, FeetMode::Soft, 0.0); }},
  };
  return all;
}

// A run in which samples come that cannot be used, beside one in which they do not.
class Beside {
 public:
  explicit Beside(const Kind& follower)
      : name_(follower.name), disturbed_(follower.make()), alone_(follower.make()) {
    a_ = disturbed_.sized;
    b_ = alone_.sized;
  }
  void disturb(const SegmentSample& sample) {
    const std::uint64_t before = state_hash(a_.state);
    ASSERT_FALSE(disturbed_.step(sample, a_).used) << name_;
    ASSERT_EQ(state_hash(a_.state), before) << name_;
  }
  void step(const SegmentSample& sample) {
    const bool ready = disturbed_.step(sample, a_).ready;
    ASSERT_EQ(alone_.step(sample, b_).ready, ready) << name_;
    ASSERT_EQ(state_hash(a_.state), state_hash(b_.state)) << name_ << " at " << to_seconds(sample.t) << " s";
  }

 private:
  const char* name_;
  Follower disturbed_, alone_;
  LiveFrame a_, b_;
};

constexpr std::array kNone{kNan, kInfinity, -kInfinity, 1e308, -1e308};

TEST(FaultF01, ANumberThatIsNoneChangesNoBitOfWhatFollows) {
  std::mt19937_64 random(1);
  for (const Kind& follower : followers()) {
    Beside runs(follower);
    const auto disturb = [&](SegmentSample sample, std::size_t segment, int i, double value) {
      number(sample.segments[segment], i) = value;
      runs.disturb(sample);
    };
    const std::vector<SegmentSample>& samples = walk().samples;
    // the first sample ever: every number of every segment
    for (std::size_t segment = 0; segment < kHumanSegmentCount; ++segment)
      for (int i = 0; i < kNumbers; ++i)
        for (const double value : kNone) disturb(samples[0], segment, i, value);
    if (HasFatalFailure()) return;
    for (const SegmentSample& sample : samples) {
      for (int k = 0; k < test::scaled(8); ++k)
        disturb(sample, random() % kHumanSegmentCount, static_cast<int>(random() % kNumbers),
                kNone[random() % kNone.size()]);
      runs.step(sample);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(FaultF01, DenormalsAreNumbersAndLeaveAValidState) {
  std::mt19937_64 random(2);
  for (const Kind& follower : followers()) {
    const Follower steps = follower.make();
    LiveFrame frame = steps.sized;
    for (SegmentSample sample : walk().samples) {
      number(sample.segments[random() % kHumanSegmentCount], static_cast<int>(random() % kNumbers)) =
          random() % 2 == 0 ? 5e-324 : -5e-324;
      if (!steps.step(sample, frame).ready) continue;
      ASSERT_TRUE(frame.state.s.allFinite() && frame.state.sdot.allFinite() && frame.state.p_WB.allFinite())
          << follower.name;
      ASSERT_TRUE(so3::is_rotation(frame.state.R_WB, 1e-9)) << follower.name;
    }
  }
}

// One number of a datagram of poses or rates.
void put_number(Bytes& datagram, std::mt19937_64& random, float value) {
  const auto header = stream::read_header(datagram);
  const std::size_t item = header ? stream::mxtp_item_bytes(header->type) : 0;
  if (item == 0) return;
  const std::size_t place = stream::kMxtpHeaderBytes + item * (random() % at(header->items));
  stream::MxtpWriter(datagram).put(place + 4 * (1 + random() % (item / 4 - 1)),
                                   std::bit_cast<std::uint32_t>(value));
}

TEST(FaultF01, DatagramsWithNumbersThatAreNoneCostNoMoreThanThose) {
  constexpr std::array values{std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
                              -std::numeric_limits<float>::infinity(), std::numeric_limits<float>::max()};
  const auto random = std::make_shared<std::mt19937_64>(3);
  const Followed& clean = clean_run();
  const Followed faulty = followed("mvn", g1(), {.damage = [=](Bytes& d, Time) {
                                     put_number(d, *random, values[(*random)() % values.size()]);
                                   }});
  EXPECT_EQ(faulty.samples, clean.samples) << "three numbers of each sample are damaged";
  EXPECT_EQ(faulty.unused, 0);
  EXPECT_EQ(faulty.invalid, 0);
  EXPECT_LE(faulty.fastest, 1.0 + 1e-9);
  EXPECT_EQ(*std::max_element(faulty.missing.begin(), faulty.missing.end()), 0) << "none for 0.1 s";
  // numbers of the sample before, carried on for 4 ms: less than what a loss of 10 % may cost
  EXPECT_LT(test::difference(faulty, clean, 1000, clean.joints.size()), 0.03) << "[rad]";
}

TEST(FaultF01, AStreamOfNothingElseIsCalledAFaultHeldAndFollowedAgain) {
  const auto nothing = [](Bytes& datagram, Time now) {
    if (now < 1500 * kMillisecond || now >= 2500 * kMillisecond) return;
    const auto header = stream::read_header(datagram);
    const std::size_t item = header ? stream::mxtp_item_bytes(header->type) : 0;
    for (std::size_t place = stream::kMxtpHeaderBytes; item > 0 && place < datagram.size(); place += 4)
      if ((place - stream::kMxtpHeaderBytes) % item != 0)  // the id stays
        stream::MxtpWriter(datagram).put(place, std::uint32_t{0x7fc00000});
  };
  for (const double look_ahead : {0.0, 0.1}) {
    const Followed clean = followed("mvn", g1(), {.look_ahead = look_ahead});
    const Followed run = followed("mvn", g1(), {.damage = nothing, .look_ahead = look_ahead});
    EXPECT_EQ(run.missing[1590], 0);
    EXPECT_EQ(run.missing[1610], kHumanSegmentCount) << "each is named within 0.1 s";
    EXPECT_EQ(run.stream[2150], live::StreamState::Fault) << "0.5 s after the last that was carried on";
    double moved = 0.0;
    for (std::size_t k = 2000; k < 2500; ++k)
      moved = std::max(moved, (run.joints[k] - run.joints[2000]).cwiseAbs().maxCoeff());
    EXPECT_LT(moved, 1e-9) << "held";
    EXPECT_LE(run.fastest, 1.0 + 1e-9);
    EXPECT_EQ(run.invalid, 0);
    EXPECT_EQ(run.stream[3500], live::StreamState::Good) << "1 s after it is whole again";
    EXPECT_LT(test::difference(run, clean, 3500, clean.joints.size()), 0.15);
  }
}

// Matrices that are no rotations, and whether they are near enough to be taken for one.
struct Skewed {
  const char* name;
  bool taken;
  std::function<Matrix3d(const Matrix3d&)> damage;
};

std::vector<Skewed> skewed() {
  const auto scaled = [](double by) { return [by](const Matrix3d& R) -> Matrix3d { return by * R; }; };
  const auto sheared = [](double by) {
    return [by](const Matrix3d& R) -> Matrix3d {
      Matrix3d shear = Matrix3d::Identity();
      shear(0, 1) = by;
      return R * shear;
    };
  };
  return {{"zero", false, scaled(0.0)},
          {"half", false, scaled(0.5)},
          {"1 % short", false, scaled(0.99)},
          {"0.4 % short", true, scaled(0.996)},
          {"0.4 % long", true, scaled(1.004)},
          {"1 % long", false, scaled(1.01)},
          {"twice", false, scaled(2.0)},
          {"sheared a little", true, sheared(0.005)},
          {"sheared", false, sheared(0.1)},
          {"left-handed", false, [](const Matrix3d& R) -> Matrix3d { return -R; }},
          {"two axes exchanged", false,
           [](const Matrix3d& R) -> Matrix3d {
             Matrix3d exchanged = R;
             exchanged.col(0).swap(exchanged.col(1));
             return exchanged;
           }},
          {"noise", false, [](const Matrix3d& R) -> Matrix3d { return R.array().sin() * 3.0 - R.array(); }}};
}

TEST(FaultF02, WhatIsNoRotationChangesNoBitOfWhatFollows) {
  for (const Kind& follower : followers()) {
    for (const Skewed& kind : skewed()) {
      if (kind.taken) continue;
      Beside runs(follower);
      std::mt19937_64 random(5);
      for (std::size_t k = 0; k < 80; ++k) {
        SegmentSample bad = walk().samples[k];
        // a sample of which each segment is damaged, or one
        const std::size_t only = k % 2 == 0 ? random() % kHumanSegmentCount : kHumanSegmentCount;
        for (std::size_t i = 0; i < kHumanSegmentCount; ++i)
          if (only == i || only == kHumanSegmentCount)
            bad.segments[i].R_WS = kind.damage(bad.segments[i].R_WS);
        runs.disturb(bad);
        runs.step(walk().samples[k]);
        ASSERT_FALSE(HasFatalFailure()) << kind.name;
      }
    }
  }
}

TEST(FaultF02, WhatIsNearlyARotationIsTakenForItAndTheStateHasOne) {
  for (const Kind& follower : followers()) {
    for (const Skewed& kind : skewed()) {
      if (!kind.taken) continue;
      const Follower near = follower.make(), exact = follower.make();
      LiveFrame a = near.sized, b = exact.sized;
      double most = 0.0;
      for (std::size_t k = 0; k < 240; ++k) {
        SegmentSample sample = walk().samples[k];
        const bool ready = exact.step(sample, b).ready;
        for (SegmentMotion& segment : sample.segments) segment.R_WS = kind.damage(segment.R_WS);
        const LiveStep step = near.step(sample, a);
        ASSERT_TRUE(step.used) << follower.name << ": " << kind.name;
        ASSERT_EQ(step.ready, ready);
        if (!ready) continue;
        ASSERT_TRUE(so3::is_rotation(a.state.R_WB, 1e-9)) << follower.name << ": " << kind.name;
        most = std::max(most, (a.state.s - b.state.s).cwiseAbs().maxCoeff());
      }
      // 0.4 % of a leg are 4 mm under the foot of a robot; a shear of 0.005 turns by half of that
      EXPECT_LT(most, 0.05) << follower.name << ": " << kind.name;
    }
  }
}

TEST(FaultF02, QuaternionsOfAnotherLengthCostTheirSegmentAlone) {
  const auto random = std::make_shared<std::mt19937_64>(6);
  const Followed& clean = clean_run();
  const Followed run = followed(
      "mvn", g1(), {.damage = [=](Bytes& datagram, Time) {
        const auto header = stream::read_header(datagram);
        if (!header || header->type != stream::MxtpType::Pose) return;
        constexpr std::array lengths{0.0, 0.5, 0.98, 0.996, 1.004, 1.02, 2.0};
        const std::size_t place = stream::kMxtpHeaderBytes + 32 * ((*random)() % at(header->items)) + 16;
        const Eigen::Vector4d q = lengths[(*random)() % lengths.size()] *
                                  stream::MxtpReader(std::span(datagram).subspan(place, 16)).reals32<4>();
        for (std::size_t i = 0; i < 4; ++i)
          stream::MxtpWriter(datagram).put(
              place + 4 * i, std::bit_cast<std::uint32_t>(static_cast<float>(q[static_cast<int>(i)])));
      }});
  EXPECT_EQ(run.samples, clean.samples);
  EXPECT_EQ(run.unused, 0);
  EXPECT_LT(run.skewed, 1e-9);
  EXPECT_LE(run.fastest, 1.0 + 1e-9);
  EXPECT_LT(test::difference(run, clean, 1000, clean.joints.size()), 0.03) << "[rad]";
}

TEST(FaultF03, TheSignOfQuaternionsChangesNoBit) {
  const Followed& clean = clean_run();
  const Followed run = followed(
      "mvn", g1(), {.damage = [sample = 0](Bytes& datagram, Time) mutable {
        const auto header = stream::read_header(datagram);
        if (!header || header->type == stream::MxtpType::Linear || stream::mxtp_item_bytes(header->type) == 0)
          return;
        ++sample;
        const bool pose = header->type == stream::MxtpType::Pose;
        for (int i = 0; i < header->items; ++i) {
          if ((i + sample) % 2 == 0) continue;
          const std::size_t item = stream::kMxtpHeaderBytes + at(i) * stream::mxtp_item_bytes(header->type);
          for (std::size_t k = 0; k < 4; ++k) datagram[item + (pose ? 16U : 4U) + 4 * k] ^= std::byte{0x80};
        }
      }});
  ASSERT_EQ(run.joints.size(), clean.joints.size());
  for (std::size_t k = 0; k < run.joints.size(); ++k) ASSERT_EQ(run.joints[k], clean.joints[k]) << k << " ms";
}

}  // namespace
}  // namespace panto
