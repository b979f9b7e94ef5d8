// Synthetic motions with known truth: the figures of theory, sections 1.1 to 1.4 and 4. Everything
// here is synthesised; recordings are in recording_test.cpp.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>

#include "panto/evaluation/metrics.hpp"
#include "panto/math/so3.hpp"
#include "panto/model/human.hpp"
#include "panto/tracking/segment_tracker.hpp"
#include "tests/support/recorded_motion.hpp"
#include "tests/support/test_data.hpp"

namespace panto {
namespace {

constexpr double kDegree = std::numbers::pi / 180.0;
constexpr double kRate = 50.0;                  // [Hz]
constexpr Time kSettle = 500'000'000;           // what statistics leave out at the start
const double kDuration = 10.0 * test::scale();  // [s]

struct Tracked {
  double mnte_measured = 0.0, mnte_truth = 0.0, outside = 0.0;
};

// MNTE against what was measured and against the truth behind it, and the farthest that a joint was outside
Tracked track(const test::RecordedMotion& motion, const Model& source, const Model& model,
              const DynamicalOptions& options) {
  SegmentTracker tracker(model, mvn_attachments(), options);
  State state = tracker.rest_state();
  Kinematics kinematics(model), truth(source);
  OrientationError measured_error(motion.samples.size() * 23), truth_error(motion.samples.size() * 23);
  Tracked result;
  for (std::size_t i = 0; i < motion.samples.size(); ++i) {
    EXPECT_TRUE(usable(tracker.step(motion.samples[i], state))) << i;
    for (int j = 0; j < model.dof(); ++j)
      result.outside =
          std::max({result.outside, state.s[j] - model.upper()[j], model.lower()[j] - state.s[j]});
    if (state.t < kSettle) continue;
    kinematics.update(state);
    truth.update(motion.truth[i]);
    for (int k = 0; k < kHumanSegmentCount; ++k) {
      const std::string name(kHumanSegmentNames[static_cast<std::size_t>(k)]);
      const Eigen::Matrix3d R = kinematics.R_WL(model.link_index(name));
      measured_error.add(motion.samples[i].segments[static_cast<std::size_t>(k)].R_WS, R);
      truth_error.add(truth.R_WL(source.link_index(name)), R);
    }
  }
  result.mnte_measured = measured_error.mnte().value_or(9.0);
  result.mnte_truth = truth_error.mnte().value_or(9.0);
  return result;
}

TEST(SyntheticTracking, Human66FollowsCleanMotionAt50Hz) {
  const Model model = human66();
  for (const auto& [motion, bound] : {std::pair{"walk", 1e-5}, {"run", 5e-4}}) {
    const Tracked result =
        track(test::synthetic_motion(motion, model, kDuration, kRate), model, model, DynamicalOptions{});
    std::printf("human66 %s, 50 Hz, clean, measured rates: MNTE %.2e\n", motion, result.mnte_truth);
    EXPECT_LE(result.mnte_truth, bound);
  }
}

TEST(SyntheticTracking, DifferencedRatesFollowCleanMotionExactly) {
  const Model model = human66();
  DynamicalOptions options;
  options.velocity = VelocitySource::Differenced;
  const Tracked result = track(test::synthetic_motion("run", model, kDuration, kRate), model, model, options);
  EXPECT_LE(result.mnte_truth, 1e-14);
}

TEST(SyntheticTracking, Human66ComesNearerToTheTruthThanItsNoisyMeasurements) {
  const Model model = human66();
  NoiseOptions noise;
  noise.attitude_deg_per_axis = 1.0;
  const Tracked result =
      track(test::synthetic_motion("run", model, kDuration, kRate, noise), model, model, DynamicalOptions{});
  std::printf("human66 run, 1 deg per axis: MNTE %.2e against the truth, %.2e against the measurements\n",
              result.mnte_truth, result.mnte_measured);
  EXPECT_LE(result.mnte_truth, 6e-4);
  // noise itself is sigma^2 3/2 = 4.6e-4
  EXPECT_LT(result.mnte_truth, result.mnte_measured);
}

TEST(SyntheticTracking, Human48NeverLeavesItsLimits) {
  const Model model = human48();
  // the gaits fit both; random motion of the free human is mostly out of the limited one's reach
  for (const char* motion : {"walk", "run", "reach", "random"}) {
    for (const bool own : {true, false}) {
      const Model source = own ? human48() : human66();
      for (const VelocitySource velocity : {VelocitySource::Measured, VelocitySource::Differenced}) {
        DynamicalOptions options;
        options.velocity = velocity;
        const Tracked result =
            track(test::synthetic_motion(motion, source, 4.0 * test::scale(), kRate), source, model, options);
        std::printf("human48 on %s of %s: MNTE %.2e, outside by %.1e\n", motion, own ? "itself" : "human66",
                    result.mnte_truth, result.outside);
        EXPECT_LE(result.outside, 1e-9) << motion;
        EXPECT_LE(result.mnte_truth, own ? 5e-4 : 2.0) << motion;
      }
    }
  }
}

TEST(SyntheticTracking, WalkAndRunOfTheLimitedHumanAreFollowedUnderEveryLimitLaw) {
  const Model model = human48();
  for (const LimitLaw law : {LimitLaw::Exact, LimitLaw::Tanh, LimitLaw::Braking}) {
    DynamicalOptions options;
    options.limits.law = law;
    const Tracked result = track(test::synthetic_motion("run", model, 3.0, kRate), model, model, options);
    EXPECT_LE(result.outside, 1e-9) << static_cast<int>(law);
  }
}

// ---- the printed method, for comparison (theory, sections 1.1 and 1.3) ------------------------------------

// from the T-pose to a static N-pose, 300 steps of 20 ms
double static_mnte(double gain, const DynamicalOptions& base) {
  const Model model = human66();
  DynamicalOptions options = base;
  options.orientation_gain = options.position_gain = gain;
  options.align = false;
  const test::RecordedMotion npose = test::synthetic_motion("npose", model, 6.0, kRate);
  SegmentTracker tracker(model, mvn_attachments(), options);
  State state = tracker.rest_state();
  for (const SegmentSample& sample : npose.samples) (void)tracker.step(sample, state);
  const std::vector<double>& versine = tracker.last_report().versine;
  double sum = 0.0;
  for (const double v : versine) sum += v;
  return sum / static_cast<double>(versine.size());
}

TEST(GainMap, ThePrintedGainConvergesOnlyWhereKTimesDtIsBelowTwo) {
  for (const double gain : {5.0, 20.0, 50.0, 90.0}) EXPECT_LT(static_mnte(gain, paper_mode()), 1e-6) << gain;
  // its speed limit of 10 rad/s bounds the swing to 0.2 rad a step; without it the swing is in the open
  DynamicalOptions unlimited = paper_mode();
  unlimited.limits = LimitOptions{};
  unlimited.limits.law = LimitLaw::None;
  const double beyond = static_mnte(101.0, unlimited), far = static_mnte(120.0, unlimited);
  EXPECT_GT(static_mnte(101.0, paper_mode()), 1e-3);
  std::printf("paper mode, K dt = 2.02: MNTE %.1e; 2.4: %.1e\n", beyond, far);
  EXPECT_GT(beyond, 1e-3);
  EXPECT_GT(far, 0.1);
}

TEST(GainMap, TheEffectiveGainConvergesForEveryK) {
  for (const double gain : {5.0, 20.0, 101.0, 120.0, 1e3, 1e6})
    EXPECT_LT(static_mnte(gain, DynamicalOptions{}), 1e-6) << gain;
}

TEST(GainMap, GainZeroStandsStill) {
  const double start = static_mnte(0.0, DynamicalOptions{});
  EXPECT_NEAR(start, 6.0 / 23.0, 1e-6);  // six links at 90 degrees
}

// worst error [deg] of one body that turns at 5 rad/s, after it has settled
double lead(double gain, const DynamicalOptions& base) {
  ModelSpec spec;
  spec.name = "body";
  spec.links = {{"body"}};
  const Model model(spec);
  AttachmentMap map;
  map.attachments.push_back({"seg", "body", Eigen::Matrix3d::Identity(), true, false, {}, {}});
  DynamicalOptions options = base;
  options.orientation_gain = gain;
  options.integration = Integration::SO3;  // of its own the printed integration drifts
  SegmentTracker tracker(model, map, options, {"seg"});
  State state = tracker.rest_state();
  const Eigen::Vector3d w = 5.0 * Eigen::Vector3d(1.0, 2.0, -2.0) / 3.0;
  SegmentSample sample;
  sample.segments.resize(1);
  sample.segments[0].has_orientation = sample.segments[0].has_angular_velocity = true;
  sample.segments[0].w_WS = w;
  for (int k = 0; k <= 500; ++k) {
    sample.t = from_seconds(0.02 * k);
    sample.segments[0].R_WS = so3::exp(0.02 * k * w);
    EXPECT_TRUE(usable(tracker.step(sample, state)));
  }
  return so3::distance(sample.segments[0].R_WS, state.R_WB) / kDegree;
}

TEST(Pairing, ThePrintedOneLeadsByOneSampleForEveryGain) {
  // e = -v dt: 5 rad/s times 20 ms = 5.73 deg (theory, section 1.1)
  for (const double gain : {5.0, 10.0, 20.0, 50.0}) EXPECT_NEAR(lead(gain, paper_mode()), 5.73, 0.02) << gain;
}

TEST(Pairing, OfTheSameIntervalDoesNotLead) {
  for (const double gain : {5.0, 10.0, 20.0, 50.0}) EXPECT_LT(lead(gain, DynamicalOptions{}), 1e-4) << gain;
}

}  // namespace
}  // namespace panto
