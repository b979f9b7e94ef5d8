// size: all tests of one header, by the rule of three places
#include "panto/tracking/segment_tracker.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <limits>
#include <numbers>

#include "apps/support/allocation_count.hpp"
#include "panto/model/human.hpp"
#include "panto/synthesis/synthesis.hpp"
#include "tests/support/random_model.hpp"
#include "tests/support/recorded_motion.hpp"
#include "tests/support/test_data.hpp"

namespace panto {
namespace {

using enum HumanSegment::Index;

using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr double kPi = std::numbers::pi;
constexpr double kDegree = kPi / 180.0;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

double worst_angle(const StepReport& report) {
  double worst = 0.0;
  for (const double versine : report.versine) {
    if (std::isfinite(versine)) worst = std::max(worst, std::acos(std::clamp(1.0 - versine, -1.0, 1.0)));
  }
  return worst;
}

// every bit of it: the hash alone would not see a change of sign of zero
void expect_same(const State& a, const State& b, const std::string& where) {
  EXPECT_EQ(state_hash(a), state_hash(b)) << where;
  EXPECT_EQ(a.R_WB, b.R_WB) << where;
  EXPECT_EQ(a.s, b.s) << where;
  EXPECT_EQ(a.sdot, b.sdot) << where;
  EXPECT_EQ(a.t, b.t) << where;
}

class OnHuman : public ::testing::TestWithParam<bool> {
 protected:
  const Model model = GetParam() ? human66() : human48();
  const test::RecordedMotion walk = test::synthetic_motion("walk", model, 2.0, 50.0);
  const AttachmentMap map = mvn_attachments();
  const std::vector<SegmentSample>& samples = walk.samples;
};

INSTANTIATE_TEST_SUITE_P(Humans, OnHuman, ::testing::Values(true, false),
                         [](const auto& human) { return std::string(human.param ? "human66" : "human48"); });

TEST_P(OnHuman, TheFirstSampleAligns) {
  SegmentTracker tracker(model, map, DynamicalOptions{});
  State state = tracker.rest_state();
  SegmentSample sample = samples[30];
  ASSERT_EQ(tracker.step(sample, state), StepStatus::Solved);
  EXPECT_TRUE(tracker.last_report().aligned);
  EXPECT_FALSE(tracker.last_report().clock_gap);
  EXPECT_EQ(state.t, sample.t);
  EXPECT_LT(worst_angle(tracker.last_report()), 1e-6);
  EXPECT_LT((state.v_WB - sample.segments[Pelvis].v_WS).norm(), 1e-9) << "the velocity of its instant";
  EXPECT_LT((state.w_WB - sample.segments[Pelvis].w_WS).norm(), 1e-6);
  // the next one is a step
  ASSERT_TRUE(usable(tracker.step(samples[31], state)));
  EXPECT_FALSE(tracker.last_report().aligned);
}

TEST_P(OnHuman, ASampleAfterALongGapAlignsAnewAndAShortGapDoesNot) {
  SegmentTracker tracker(model, map, DynamicalOptions{});
  State state = tracker.rest_state();
  for (std::size_t i = 0; i < 10; ++i) ASSERT_TRUE(usable(tracker.step(samples[i], state)));
  // 0.1 s is a step still
  ASSERT_TRUE(usable(tracker.step(samples[14], state)));
  EXPECT_FALSE(tracker.last_report().aligned);
  EXPECT_FALSE(tracker.last_report().clock_gap);
  // 0.12 s is not
  ASSERT_EQ(tracker.step(samples[20], state), StepStatus::Solved);
  EXPECT_TRUE(tracker.last_report().aligned);
  EXPECT_TRUE(tracker.last_report().clock_gap);
  EXPECT_EQ(state.t, samples[20].t);
  EXPECT_LT(worst_angle(tracker.last_report()), 1e-6);
  ASSERT_TRUE(usable(tracker.step(samples[21], state)));
  EXPECT_FALSE(tracker.last_report().clock_gap);
}

TEST_P(OnHuman, ACutAlignsAnewAtOnceAndDragsNothing) {
  SegmentTracker tracker(model, map, DynamicalOptions{});
  State state = tracker.rest_state();
  for (std::size_t i = 0; i < 10; ++i) ASSERT_TRUE(usable(tracker.step(samples[i], state)));
  // another place, another pose, one frame later; what a source without rates would give
  SegmentSample after = samples[60];
  after.t = samples[10].t;
  for (SegmentMotion& segment : after.segments) {
    segment.p_WS += Vector3d(5.0, -3.0, 0.0);
    segment.has_angular_velocity = segment.has_linear_velocity = false;
  }
  after.cut = true;
  ASSERT_EQ(tracker.step(after, state), StepStatus::Solved);
  EXPECT_TRUE(tracker.last_report().aligned);
  EXPECT_TRUE(tracker.last_report().clock_gap);
  EXPECT_LT(worst_angle(tracker.last_report()), 1e-6);
  EXPECT_LT((state.p_WB - after.segments[Pelvis].p_WS).norm(), 1e-9);
  EXPECT_LT(state.v_WB.norm(), 1e-9) << "no speed of 300 m/s from a difference across the cut";
  EXPECT_LT(state.sdot.norm(), 1e-9);
}

TEST_P(OnHuman, WhatCannotJumpGoesToThePoseAfterACutNoFasterThanItMay) {
  DynamicalOptions options = robot_options();
  DynamicalOptions standing = options;
  standing.return_speed = 0.0;
  EXPECT_THROW(SegmentTracker(model, map, standing), ConfigError) << "it would never arrive";
  SegmentTracker tracker(model, map, options);
  SegmentTracker jumping(model, map, DynamicalOptions{});
  State state = tracker.rest_state(), jumped = state;
  ASSERT_EQ(tracker.step(samples[0], state), StepStatus::Solved);
  const JointLimits limits(model, options.limits);
  // half a stride and a turn later in the blink of an eye
  int returning = 0, frames = 0;
  for (std::size_t k = 10; k < samples.size(); ++k) {
    SegmentSample sample = samples[k];
    sample.cut = k == 10;
    const Matrix3d turn = so3::exp(Vector3d(0.0, 0.0, 1.5));
    const Vector3d pelvis = sample.segments[Pelvis].p_WS;
    for (SegmentMotion& m : sample.segments) {
      m.R_WS = turn * m.R_WS;
      m.p_WS = pelvis + turn * (m.p_WS - pelvis);
      m.w_WS = turn * m.w_WS;
    }
    const State before = state;
    const StepStatus status = tracker.step(sample, state);
    ASSERT_TRUE(usable(status));
    ASSERT_TRUE(usable(jumping.step(sample, jumped)));
    const double dt = std::min(to_seconds(state.t - before.t), options.max_interval);
    for (int i = 0; i < model.dof(); ++i) {
      const double speed = std::abs(state.s[i] - before.s[i]) / dt;
      ASSERT_LE(speed, limits.speed()[static_cast<std::size_t>(i)] * (1.0 + 1e-12));
      ASSERT_GE(state.s[i], model.lower()[i]);
      ASSERT_LE(state.s[i], model.upper()[i]);
    }
    if (tracker.last_report().returning) {
      // besides the person's own motion
      const SegmentMotion &now = samples[k].segments[Pelvis], &last = samples[k - 1].segments[Pelvis];
      ASSERT_LE((state.p_WB - before.p_WB).norm() / dt,
                options.return_speed + (now.p_WS - last.p_WS).norm() / dt + 0.1);
      ASSERT_LE(so3::log(state.R_WB * before.R_WB.transpose()).norm() / dt,
                options.return_turn + so3::log(now.R_WS * last.R_WS.transpose()).norm() / dt + 0.3);
      EXPECT_TRUE(so3::is_rotation(state.R_WB, 1e-12));
    }
    returning += tracker.last_report().returning ? 1 : 0;
    ++frames;
  }
  // 1.5 rad at 3 rad/s: 0.5 s of which a gap has 0.1 s, and then it is where a jump would have led
  EXPECT_GE(returning, 18);
  EXPECT_LT(returning, frames);
  EXPECT_LT(worst_angle(tracker.last_report()), worst_angle(jumping.last_report()) + 1e-3);
}

TEST_P(OnHuman, WithoutAlignmentTheFirstAndALateSampleHoldThePose) {
  DynamicalOptions options;
  options.align = false;
  SegmentTracker tracker(model, map, options);
  State state = tracker.rest_state();
  state.sdot.setConstant(3.0);
  const State start = state;
  ASSERT_EQ(tracker.step(samples[0], state), StepStatus::Solved);
  EXPECT_FALSE(tracker.last_report().aligned);
  EXPECT_EQ(state.s, start.s);
  EXPECT_EQ(state.p_WB, start.p_WB);
  EXPECT_EQ(state.sdot.norm(), 0.0);
  EXPECT_GT(worst_angle(tracker.last_report()), 30.0 * kDegree);  // the arms hang, the model's are raised
  for (std::size_t i = 1; i < 60; ++i) ASSERT_TRUE(usable(tracker.step(samples[i], state)));
  EXPECT_LT(worst_angle(tracker.last_report()), 1.0 * kDegree);
  const State before = state;
  ASSERT_EQ(tracker.step(samples[70], state), StepStatus::Solved);
  EXPECT_TRUE(tracker.last_report().clock_gap);
  EXPECT_EQ(state.s, before.s);
  EXPECT_EQ(state.R_WB, before.R_WB);
  EXPECT_EQ(state.t, samples[70].t);
}

TEST_P(OnHuman, TimeThatStandsStillOrGoesBackChangesNothing) {
  SegmentTracker tracker(model, map, DynamicalOptions{}), undisturbed(model, map, DynamicalOptions{});
  State state = tracker.rest_state(), expected = state;
  for (std::size_t i = 0; i < 40; ++i) {
    ASSERT_TRUE(usable(tracker.step(samples[i], state)));
    ASSERT_TRUE(usable(undisturbed.step(samples[i], expected)));
    for (const std::size_t old : {i, i / 2, std::size_t{0}}) {
      ASSERT_EQ(tracker.step(samples[old], state), StepStatus::TimeNotAdvancing);
      expect_same(state, expected, "after frame " + std::to_string(i));
    }
  }
}

TEST_P(OnHuman, ASampleThatIsNotANumberLeavesEveryBitOfTheStateAndTheTrackAsItWas) {
  SegmentTracker tracker(model, map, DynamicalOptions{}), undisturbed(model, map, DynamicalOptions{});
  State state = tracker.rest_state(), expected = state;
  std::size_t i = 0;
  const std::array<double, 4> poison{kNan, kInf, -kInf, 1e308};
  for (std::size_t element = 0; element < 18; ++element) {
    for (const double bad : poison) {
      const std::size_t segment = (element * poison.size() + i) % 23;
      if (i % 4 == 0 && i / 4 + 1 < samples.size()) {
        // before the first sample too: nothing has begun
        if (i > 0) {
          ASSERT_TRUE(usable(tracker.step(samples[i / 4 - 1], state)));
          ASSERT_TRUE(usable(undisturbed.step(samples[i / 4 - 1], expected)));
        }
      }
      SegmentSample sample = samples[i / 4 + 1];
      SegmentMotion& m = sample.segments[segment];
      if (element < 9)
        m.R_WS(static_cast<int>(element) / 3, static_cast<int>(element) % 3) = bad;
      else if (element < 12)
        m.p_WS[static_cast<int>(element) - 9] = bad;
      else if (element < 15)
        m.w_WS[static_cast<int>(element) - 12] = bad;
      else
        m.v_WS[static_cast<int>(element) - 15] = bad;
      ASSERT_EQ(tracker.step(sample, state), StepStatus::TargetNotFinite)
          << "element " << element << " of segment " << segment << " = " << bad;
      expect_same(state, expected, "element " + std::to_string(element));
      ++i;
    }
  }
  ASSERT_TRUE(usable(tracker.step(samples[40], state)));
  ASSERT_TRUE(usable(undisturbed.step(samples[40], expected)));
  expect_same(state, expected, "afterwards");
}

TEST_P(OnHuman, RefusesASampleOrStateMadeForAnother) {
  SegmentTracker tracker(model, map, DynamicalOptions{});
  State state = tracker.rest_state();
  SegmentSample sample = samples[0];
  sample.segments.pop_back();
  EXPECT_EQ(tracker.step(sample, state), StepStatus::SizeMismatch);
  State other = state;
  other.s.conservativeResize(3);
  EXPECT_EQ(tracker.step(samples[0], other), StepStatus::SizeMismatch);
  EXPECT_EQ(other.s.size(), 3);
  ASSERT_TRUE(usable(tracker.step(samples[0], state)));
  EXPECT_EQ(tracker.step(samples[1], other), StepStatus::SizeMismatch);
}

TEST_P(OnHuman, LostSegmentsLeaveTheOthersTrackedAndComeBack) {
  SegmentTracker tracker(model, map, DynamicalOptions{});
  State state = tracker.rest_state();
  const int lost = model.link_index("RightHand");
  double worst_kept = 0.0, worst_back = 0.0, largest_step = 0.0;
  Eigen::VectorXd before = state.s;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    SegmentSample sample = samples[i];
    const bool away = i >= 20 && i < 60;
    if (away) {
      sample.segments[RightHand] = {};
      sample.segments[RightHand].p_WS.setConstant(kNan);  // what is not valid may hold anything
    }
    ASSERT_TRUE(usable(tracker.step(sample, state)));
    const StepReport& report = tracker.last_report();
    EXPECT_EQ(std::isnan(report.versine[RightHand]), away);
    for (std::size_t j = 0; j < 23; ++j) {
      const double angle = std::acos(std::clamp(1.0 - report.versine[j], -1.0, 1.0));
      if (i > 5 && static_cast<int>(j) != RightHand) worst_kept = std::max(worst_kept, angle);
      if (i > 75) worst_back = std::max(worst_back, angle);
    }
    if (i > 20) largest_step = std::max(largest_step, (state.s - before).cwiseAbs().maxCoeff());
    before = state.s;
  }
  (void)lost;
  EXPECT_LT(worst_kept, 1.0 * kDegree);
  EXPECT_LT(worst_back, 1.0 * kDegree);
  EXPECT_LT(largest_step, 0.35);  // nothing jumps
}

TEST_P(OnHuman, ASampleWithoutAnythingValidIsNoTarget) {
  SegmentTracker tracker(model, map, DynamicalOptions{});
  State state = tracker.rest_state();
  SegmentSample nothing;
  nothing.t = 5;
  nothing.segments.resize(23);
  const State rest = state;
  EXPECT_EQ(tracker.step(nothing, state), StepStatus::NoTarget);
  expect_same(state, rest, "before the first");
  for (std::size_t i = 0; i < 10; ++i) ASSERT_TRUE(usable(tracker.step(samples[i], state)));
  const State before = state;
  nothing.t = samples[10].t;
  // rates alone are no pose
  for (SegmentMotion& m : nothing.segments) m.has_angular_velocity = m.has_linear_velocity = true;
  EXPECT_EQ(tracker.step(nothing, state), StepStatus::NoTarget);
  expect_same(state, before, "in the motion");
  EXPECT_TRUE(usable(tracker.step(samples[11], state)));
  EXPECT_LT(worst_angle(tracker.last_report()), 1.0 * kDegree);
}

TEST_P(OnHuman, AMotionThatIsCutAndResumedIsTheSameToTheLastBit) {
  for (const std::size_t cut : {std::size_t{1}, std::size_t{17}, std::size_t{55}}) {
    SegmentTracker whole(model, map, DynamicalOptions{});
    State state = whole.rest_state(), checkpoint;
    for (std::size_t i = 0; i < samples.size(); ++i) {
      ASSERT_TRUE(usable(whole.step(samples[i], state)));
      if (i == cut) checkpoint = state;
    }
    SegmentTracker rest(model, map, DynamicalOptions{});
    ASSERT_EQ(rest.resume(samples[cut], checkpoint), StepStatus::Solved);
    for (std::size_t i = cut + 1; i < samples.size(); ++i)
      ASSERT_TRUE(usable(rest.step(samples[i], checkpoint)));
    expect_same(checkpoint, state, "cut at " + std::to_string(cut));
  }
}

TEST_P(OnHuman, ResumeSaysWhatIsWrongWithItsSample) {
  SegmentTracker tracker(model, map, DynamicalOptions{});
  SegmentSample bad = samples[0];
  bad.segments[4].p_WS[0] = kNan;
  EXPECT_EQ(tracker.resume(bad, tracker.rest_state()), StepStatus::TargetNotFinite);
  bad.segments.pop_back();
  EXPECT_EQ(tracker.resume(bad, tracker.rest_state()), StepStatus::SizeMismatch);
}

TEST_P(OnHuman, SegmentsThatGoToLanesAtOnceGiveTheSameBitsAsRows) {
  const AttachmentMap turned = mvn_attachments(MvnArms::Hanging);  // frames of the arms are turned
  const Attachments attachments(turned, model, human_segment_names(), {});
  const std::unique_ptr<Solver> solver =
      make_solver(SolverKind::Dynamical, model, attachments.rows(), SolverOptions{DynamicalOptions{}});
  SegmentTracker tracker(model, turned, DynamicalOptions{});
  ASSERT_FALSE(tracker.targets().by_lane.R.chunk_count() == 0) << "the dynamical method wants lanes";
  Targets rows{0, attachments.rows()};
  State state = tracker.rest_state(), other = state;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    ASSERT_TRUE(usable(tracker.step(samples[i], state)));
    ASSERT_EQ(attachments.apply(samples[i], rows), StepStatus::Solved);
    if (i == 0) {
      solver->prime(rows);
      other = state;
    } else {
      ASSERT_TRUE(usable(solver->step(rows, other)));
    }
    expect_same(state, other, "frame " + std::to_string(i));
  }
}

TEST_P(OnHuman, TwoRunsGiveTheSameBits) {
  std::array<std::uint64_t, 3> hashes{};
  SegmentTracker reused(model, map, DynamicalOptions{});
  for (int run = 0; run < 3; ++run) {
    SegmentTracker fresh(model, map, DynamicalOptions{});
    SegmentTracker& tracker = run == 0 ? fresh : reused;  // the third after `reset`
    tracker.reset();
    State state = tracker.rest_state();
    std::uint64_t hash = state_hash(state);
    for (const SegmentSample& sample : samples) {
      ASSERT_TRUE(usable(tracker.step(sample, state)));
      hash = state_hash(state, hash);
    }
    hashes[static_cast<std::size_t>(run)] = hash;
  }
  EXPECT_EQ(hashes[0], hashes[1]);
  EXPECT_EQ(hashes[0], hashes[2]);
}

TEST_P(OnHuman, NoStepAllocatesNotEvenTheAlignment) {
  if (!AllocationCount::available()) GTEST_SKIP() << "the sanitizer owns malloc";
  SegmentTracker tracker(model, map, DynamicalOptions{});
  State state = tracker.rest_state();
  SegmentSample spoilt = samples[6];
  spoilt.segments[3].R_WS(0, 0) = kNan;
  const AllocationCount count;
  for (std::size_t i = 0; i < samples.size(); i += i == 50 ? 20 : 1) {  // with a gap: aligned twice
    (void)tracker.step(samples[i], state);
    if (i == 5) (void)tracker.step(spoilt, state);
  }
  EXPECT_EQ(count.value(), 0);
}

TEST_P(OnHuman, VariableIntervalsAreTrackedAsWellAsEqualOnes) {
  // 2 to 40 ms at random; stamps decide
  test::Random random(1);
  const Synthesis synthesis = make_synthesis("walk", model);
  LinkSampler sampler(model, measured_links(model));
  SegmentTracker tracker(model, map, DynamicalOptions{});
  State state = tracker.rest_state(), truth = rest_state(model);
  SegmentSample sample;
  double worst = 0.0, t = 0.0;
  while (t < 3.0) {
    synthesis.evaluate(from_seconds(t), truth);
    sampler.sample(truth, sample);
    ASSERT_TRUE(usable(tracker.step(sample, state)));
    ASSERT_FALSE(tracker.last_report().clock_gap);
    worst = std::max(worst, worst_angle(tracker.last_report()));
    t += test::uniform(random, 0.002, 0.04);
  }
  std::printf("dt 2..40 ms: worst %.3f deg\n", worst / kDegree);
  EXPECT_LT(worst, 1.0 * kDegree);
}

// ---- one body ---------------------------------------------------------------------------------------------

Model single_link() {
  ModelSpec spec;
  spec.name = "body";
  spec.links = {{"body"}};
  return Model(spec);
}

AttachmentMap one_attachment(const std::string& link) {
  AttachmentMap map;
  map.attachments.push_back({"seg", link, Matrix3d::Identity(), true, false, {}, {}});
  return map;
}

SegmentSample one_sample(double t, const Matrix3d& R, const Vector3d& w = Vector3d::Zero()) {
  SegmentSample sample;
  sample.t = from_seconds(t);
  sample.segments.resize(1);
  sample.segments[0].R_WS = R;
  sample.segments[0].w_WS = w;
  sample.segments[0].has_orientation = sample.segments[0].has_angular_velocity = true;
  return sample;
}

// worst error [deg] of following 1 rad at 0.5 Hz at 100 Hz, when 2 % of the intervals are 10 to 60 times
// longer
double spike_error(GainLaw law) {
  const Model model = single_link();
  DynamicalOptions options;
  options.gain_law = law;
  options.max_interval = 10.0;  // every spike is a step: what alignment would hide
  options.velocity = VelocitySource::Measured;
  SegmentTracker tracker(model, one_attachment("body"), options, {"seg"});
  State state = tracker.rest_state();
  test::Random random(3);
  double t = 0.0, worst = 0.0;
  for (int k = 0; k < 4000; ++k) {
    // a target at rest, noisy by 1 deg: what a too large gain makes of it is the loop's own doing
    const Matrix3d R = so3::exp(test::random_vector(random, 1.0 * kDegree));
    (void)tracker.step(one_sample(t, R), state);
    worst = std::max(worst, so3::angle(state.R_WB));
    t += 0.01 * (test::chance(random, 0.02) ? test::uniform(random, 10.0, 60.0) : 1.0);
  }
  return worst / kDegree;
}

TEST(SegmentTracker, SpikesOfTheIntervalDoNotThrowItOff) {
  // theory, section 1.3: K_eff = (1 - e^(-K dt))/dt is stable for every dt, a fixed K = 20 is not beyond 0.1
  // s
  const double exponential = spike_error(GainLaw::Exponential), fixed = spike_error(GainLaw::Fixed);
  std::printf("dt spikes: exponential %.2f deg, fixed gain %.1f deg\n", exponential, fixed);
  EXPECT_LT(exponential, 6.0);
  EXPECT_GT(fixed, 30.0);
}

TEST(SegmentTracker, NoiseIsSmoothedAsTheGainSays) {
  // white attitude noise sigma leaves sigma sqrt(g/(2 - g)), g = 1 - e^(-K dt) (theory, section 1.3)
  const Model model = single_link();
  DynamicalOptions options;
  SegmentTracker tracker(model, one_attachment("body"), options, {"seg"});
  State state = tracker.rest_state();
  NoiseOptions noise_options;
  noise_options.attitude_deg_per_axis = 1.0;
  Noise noise(noise_options);
  double sum = 0.0;
  int count = 0;
  for (int k = 0; k < 20000; ++k) {
    SegmentSample sample = one_sample(0.02 * k, Matrix3d::Identity());
    noise.add_to(sample);
    ASSERT_TRUE(usable(tracker.step(sample, state)));
    if (k < 50) continue;
    sum += so3::log(state.R_WB).squaredNorm() / 3.0;
    ++count;
  }
  const double g = 1.0 - std::exp(-20.0 * 0.02);
  EXPECT_NEAR(std::sqrt(sum / count) / kDegree, std::sqrt(g / (2.0 - g)), 0.02);
}

// a base that is told to stay and an arm on a hinge that opens `range` to both sides
Model narrow_hinge(double range) {
  ModelSpec spec;
  spec.name = "narrow";
  spec.floating_base = false;
  spec.links = {{"base"}, {"arm"}};
  Joint joint;
  joint.name = "hinge";
  joint.type = JointType::Revolute;
  joint.parent = "base";
  joint.child = "arm";
  joint.axis = Vector3d::UnitZ();
  joint.lower = -range;
  joint.upper = range;
  spec.joints = {joint};
  return Model(spec);
}

TEST(SegmentTracker, SaysStuckWhenAResidualStaysNearAHalfTurn) {
  const Model model = narrow_hinge(0.05);
  SegmentTracker tracker(model, one_attachment("arm"), DynamicalOptions{}, {"seg"});
  State state = tracker.rest_state();
  const Matrix3d behind = so3::about_axis(2, kPi);
  Time first = -1;
  for (int k = 0; k <= 30; ++k) {
    const StepStatus status = tracker.step(one_sample(0.02 * k, behind), state);
    ASSERT_TRUE(advanced(status));
    if (status == StepStatus::Stuck && first < 0) first = from_seconds(0.02 * k);
    EXPECT_EQ(status == StepStatus::Stuck, first >= 0) << k;
    EXPECT_EQ(state.t, from_seconds(0.02 * k)) << "a stuck state is advanced all the same";
  }
  EXPECT_GT(first, from_seconds(0.2));
  EXPECT_LE(first, from_seconds(0.24));
  EXPECT_FALSE(usable(StepStatus::Stuck));

  // as soon as the target can be had it is usable again
  EXPECT_TRUE(usable(tracker.step(one_sample(0.64, Matrix3d::Identity()), state)));
  EXPECT_TRUE(usable(tracker.step(one_sample(0.66, behind), state)));  // and the clock begins anew
}

TEST(SegmentTracker, IsNotStuckByASweepThroughTheHalfTurn) {
  // 160 ms beyond 170 degrees: passing is not staying
  const Model model = narrow_hinge(0.01);
  SegmentTracker tracker(model, one_attachment("arm"), DynamicalOptions{}, {"seg"});
  State state = tracker.rest_state();
  for (int k = 0; k < 200; ++k) {
    const double angle = 2.2 * 0.02 * k;  // 20 degrees in 0.16 s
    EXPECT_NE(tracker.step(one_sample(0.02 * k, so3::about_axis(2, angle)), state), StepStatus::Stuck) << k;
  }
}

TEST(SegmentTracker, ResidualsOfAHalfTurnAreRecoveredWithoutAlignment) {
  const Model model = single_link();
  DynamicalOptions options;
  options.align = false;
  for (int k = 0; k < 3; ++k) {
    SegmentTracker tracker(model, one_attachment("body"), options, {"seg"});
    State state = tracker.rest_state();
    for (int i = 0; i <= 50; ++i)
      ASSERT_TRUE(usable(tracker.step(one_sample(0.02 * i, so3::about_axis(k, kPi)), state))) << i;
    EXPECT_LT(so3::distance(state.R_WB, so3::about_axis(k, kPi)), 0.01 * kDegree);
  }
}

TEST(SegmentTracker, RefusesAMapOrOptionsThatDoNotFitByName) {
  const Model model = human66();
  AttachmentMap map = mvn_attachments();
  map.attachments[2].link = "L33";
  try {
    const SegmentTracker tracker(model, map, DynamicalOptions{});
    FAIL();
  } catch (const ModelError& error) {
    EXPECT_NE(std::string(error.what()).find("did you mean 'L3'?"), std::string::npos) << error.what();
  }
  DynamicalOptions options;
  options.max_interval = -1.0;
  EXPECT_THROW(SegmentTracker(model, mvn_attachments(), options), ConfigError);
  options = {};
  options.orientation_gain = kNan;
  EXPECT_THROW(SegmentTracker(model, mvn_attachments(), options), ConfigError);
}

}  // namespace
}  // namespace panto
