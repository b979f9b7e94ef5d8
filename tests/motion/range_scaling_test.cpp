// size: all tests of one header, by the rule of three places
#include "panto/motion/range_scaling.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <numbers>
#include <random>

#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/io/shipped_robots.hpp"
#include "tests/support/random_motion.hpp"
#include "tests/support/random_profile.hpp"
#include "tests/support/test_data.hpp"
#include "tests/support/tracked_motion.hpp"

namespace panto {
namespace {

using test::kDegree;
using test::random_motion;
using test::random_profile;

constexpr double kRate = 80.0;

std::vector<Time> stamps(std::size_t count, double rate = kRate) {
  std::vector<Time> t;
  for (std::size_t k = 0; k < count; ++k) t.push_back(frame_time(static_cast<std::int64_t>(k), rate));
  return t;
}

std::vector<double> samples(int count, const std::function<double(double)>& q) {
  std::vector<double> values;
  for (int k = 0; k < count; ++k) values.push_back(q(k / kRate));
  return values;
}

ScaledRange scale(const std::vector<double>& q, double lower, double upper,
                  const RangeScalingOptions& options = {}) {
  return scale_range(stamps(q.size()), q, lower, upper, options);
}

double correlation(const std::vector<double>& a, const std::vector<double>& b) {
  const double ma = test::mean(a), mb = test::mean(b);
  double ab = 0.0, aa = 0.0, bb = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    ab += (a[k] - ma) * (b[k] - mb);
    aa += (a[k] - ma) * (a[k] - ma);
    bb += (b[k] - mb) * (b[k] - mb);
  }
  return ab / std::sqrt(aa * bb);
}

double largest_difference(const std::vector<double>& q, int order) {
  std::vector<double> d = q;
  for (int i = 0; i < order; ++i)
    for (std::size_t k = d.size() - 1; k > at(i); --k) d[k] -= d[k - 1];
  double largest = 0.0;
  for (std::size_t k = at(order); k < d.size(); ++k) largest = std::max(largest, std::abs(d[k]));
  return largest;
}

/// Everything that is promised whatever the samples. True: it holds.
bool holds(const std::vector<double>& q, const ScaledRange& scaled, double lower, double upper) {
  const std::vector<double>& m = scaled.q;
  if (m.size() != q.size() || scaled.factor.size() != q.size()) return false;
  std::vector<bool> touched(q.size(), false);
  int last = 0;
  for (const ScaledSwing& s : scaled.swings) {
    if (s.first > s.extremum || s.extremum > s.last || s.extremum < last) return false;
    if (!(s.scale_before >= 0.0 && s.scale_before <= 1.0 && s.scale_behind >= 0.0 && s.scale_behind <= 1.0))
      return false;
    if (m[at(s.extremum)] != s.after || q[at(s.extremum)] != s.before) return false;
    if (s.after != lower && s.after != upper) return false;
    last = s.extremum;
    for (int k = s.first; k <= s.last; ++k) touched[at(k)] = true;
  }
  for (std::size_t k = 0; k < q.size(); ++k) {
    const double rounding = 4e-15 * (1.0 + std::abs(q[k]));
    if (m[k] < lower - 1e-12 || m[k] > upper + 1e-12) return false;
    if (!touched[k] && (m[k] != q[k] || scaled.factor[k] != 1.0)) return false;
    if (!(scaled.factor[k] >= 0.0 && scaled.factor[k] <= 1.0)) return false;
    if (k == 0) continue;
    const double dq = q[k] - q[k - 1], dm = m[k] - m[k - 1];
    if (std::abs(dm) > std::abs(dq) + rounding) return false;  // so no jump either, wherever swings meet
    if (dq * dm < 0.0 && std::abs(dm) > rounding) return false;
  }
  return true;
}

TEST(RangeScaling, KeepsItsPromisesOnRandomProfiles) {
  std::mt19937_64 engine(11);
  int scaled_at_all = 0, several = 0, starts_outside = 0, all_outside = 0;
  const int trials = test::scaled_numerical(100000);
  for (int trial = 0; trial < trials; ++trial) {
    const test::RangeCase drawn = test::random_range_case(trial, engine);
    const std::vector<double>& q = drawn.q;
    const double lower = drawn.lower, upper = drawn.upper;
    const ScaledRange result = scale(q, lower, upper, drawn.options);
    ASSERT_TRUE(holds(q, result, lower, upper)) << "trial " << trial;
    const auto outside = [&](double value) { return value < lower || value > upper; };
    scaled_at_all += static_cast<int>(!result.swings.empty());
    several += static_cast<int>(result.swings.size() > 2);
    starts_outside += static_cast<int>(outside(q.front()));
    all_outside += static_cast<int>(std::all_of(q.begin(), q.end(), outside));
    EXPECT_EQ(result.swings.empty(), std::none_of(q.begin(), q.end(), outside)) << "trial " << trial;
  }
  // the generator makes what it says
  EXPECT_GT(scaled_at_all, trials / 2);
  EXPECT_GT(several, trials / 50);
  EXPECT_GT(starts_outside, trials / 10);
  EXPECT_GT(all_outside, trials / 100);
}

TEST(RangeScaling, AnElbowThatBendsTooFarStopsAt80DegreesAndKeepsItsShape) {
  // two bends, to 115 and 95 degrees, and one that was possible
  const auto bump = [](double t, double from, double length) {
    const double u = (t - from) / length;
    return u <= 0.0 || u >= 1.0 ? 0.0 : 0.5 - 0.5 * std::cos(2.0 * std::numbers::pi * u);
  };
  const std::vector<double> q = samples(800, [&](double t) {
    return (10.0 + 105.0 * bump(t, 0.5, 3.0) + 85.0 * bump(t, 3.5, 2.5) + 50.0 * bump(t, 6.0, 3.0)) * kDegree;
  });
  for (const RangeMap map : {RangeMap::Linear, RangeMap::Smooth}) {
    RangeScalingOptions options;
    options.map = map;
    const ScaledRange scaled = scale(q, 0.0, 80.0 * kDegree, options);
    EXPECT_NEAR(*std::max_element(scaled.q.begin(), scaled.q.end()) / kDegree, 80.0, 1e-9);
    EXPECT_GT(correlation(q, scaled.q), 0.95);
    ASSERT_EQ(scaled.swings.size(), 2U);
    EXPECT_NEAR(scaled.swings[0].before / kDegree, 115.0, 0.01);
    EXPECT_NEAR(scaled.swings[0].scale_before, 70.0 / 105.0, 1e-3);
    EXPECT_NEAR(scaled.swings[1].scale_behind, 70.0 / 85.0, 1e-3);
    for (std::size_t k = 480; k < 800; ++k) EXPECT_EQ(scaled.q[k], q[k]) << "the third bend was possible";
    EXPECT_TRUE(holds(q, scaled, 0.0, 80.0 * kDegree));
  }
}

// theory 2.5: a lower excursion with an inner wiggle, then an upper one. Printed, the segments overlap: a
// jump of 0.129 rad where the original's largest step is 0.018.
TEST(RangeScaling, NothingJumpsWhereALowerAndAnUpperSwingMeet) {
  const auto swing = [](double t, double from, double to, double begin, double length) {
    const double u = std::clamp((t - begin) / length, 0.0, 1.0);
    return from + (to - from) * u * u * u * (10.0 + u * (6.0 * u - 15.0));
  };
  const std::vector<double> q = samples(800, [&](double t) {
    if (t < 2.0) return swing(t, 0.0, -1.6, 0.0, 2.0);
    if (t < 3.0) return swing(t, -1.6, -1.1, 2.0, 1.0);
    if (t < 4.0) return swing(t, -1.1, -1.5, 3.0, 1.0);
    if (t < 7.0) return swing(t, -1.5, 1.4, 4.0, 3.0);
    return swing(t, 1.4, 0.0, 7.0, 2.5);
  });
  const double before = largest_difference(q, 1);
  EXPECT_NEAR(before, 0.022, 0.004) << "as in the theory's example";
  const ScaledRange scaled = scale(q, -1.0, 1.0);
  ASSERT_EQ(scaled.swings.size(), 2U);
  EXPECT_LT(largest_difference(scaled.q, 1), before);
  EXPECT_DOUBLE_EQ(*std::min_element(scaled.q.begin(), scaled.q.end()), -1.0);
  EXPECT_DOUBLE_EQ(*std::max_element(scaled.q.begin(), scaled.q.end()), 1.0);
  EXPECT_EQ(scaled.swings[0].last, scaled.swings[1].extremum) << "they share the way from peak to peak";
  EXPECT_TRUE(holds(q, scaled, -1.0, 1.0));
}

TEST(RangeScaling, HumpsOfOneExcursionAreScaledByTheHighest) {
  const std::vector<double> q =
      samples(800, [](double t) { return 1.2 * std::sin(0.6 * t) + 0.15 * std::sin(4.0 * t); });
  const ScaledRange scaled = scale(q, -10.0, 0.8);
  ASSERT_EQ(scaled.swings.size(), 1U);
  int humps = 0;
  for (std::size_t k = 1; k + 1 < q.size(); ++k)
    if (q[k] > 0.8 && q[k] > q[k - 1] && q[k] >= q[k + 1]) {
      ++humps;
      EXPECT_GE(scaled.q[k], scaled.q[k - 1]) << "each is still one";
      EXPECT_GE(scaled.q[k], scaled.q[k + 1]);
    }
  EXPECT_GE(humps, 2);
  EXPECT_EQ(std::count(scaled.q.begin(), scaled.q.end(), 0.8), 1) << "only the highest touches the limit";
}

TEST(RangeScaling, APlateauBecomesAPlateauAtTheLimit) {
  const std::vector<double> q =
      samples(400, [](double t) { return std::clamp(1.6 - std::abs(t - 2.5), 0.0, 1.2); });
  for (const RangeMap map : {RangeMap::Linear, RangeMap::Smooth}) {
    RangeScalingOptions options;
    options.map = map;
    const ScaledRange scaled = scale(q, -1.0, 1.0, options);
    for (std::size_t k = 0; k < q.size(); ++k) {
      if (q[k] == 1.2) {
        EXPECT_DOUBLE_EQ(scaled.q[k], 1.0);
      } else {
        EXPECT_LT(scaled.q[k], 1.0);
      }
    }
  }
}

TEST(RangeScaling, AConstantOutsideGoesToTheLimitAndOneInsideStays) {
  for (const double value : {1.7, -3.0, 0.4}) {
    const std::vector<double> q(50, value);
    const ScaledRange scaled = scale(q, -1.0, 1.0);
    for (const double m : scaled.q) EXPECT_DOUBLE_EQ(m, std::clamp(value, -1.0, 1.0));
    EXPECT_EQ(scaled.swings.size(), value == 0.4 ? 0U : 1U);
  }
}

TEST(RangeScaling, AClipThatIsOutsideThroughoutIsMovedAndKeepsItsShape) {
  const std::vector<double> q = samples(400, [](double t) { return 1.6 + 0.2 * std::cos(2.0 * t); });
  const ScaledRange scaled = scale(q, -1.0, 1.0);
  for (std::size_t k = 0; k < q.size(); ++k) EXPECT_NEAR(scaled.q[k], q[k] - 0.8, 1e-12);
  const ScaledRange narrow = scale(q, 0.9, 1.0);
  EXPECT_NEAR(*std::min_element(narrow.q.begin(), narrow.q.end()), 0.9, 1e-3);
  EXPECT_GT(correlation(q, narrow.q), 1.0 - 1e-9);
}

TEST(RangeScaling, ASwingThatTheClipBeginsInKeepsTheFactorOfItsEnd) {
  const std::vector<double> q = samples(400, [](double t) { return 1.5 * std::cos(std::min(t, 3.1)); });
  const ScaledRange scaled = scale(q, -2.0, 1.0);
  ASSERT_EQ(scaled.swings.size(), 1U);
  EXPECT_EQ(scaled.swings[0].first, 0);
  EXPECT_DOUBLE_EQ(scaled.q[0], 1.0);
  EXPECT_TRUE(holds(q, scaled, -2.0, 1.0));
}

TEST(RangeScaling, EqualLimitsHoldTheJointStill) {
  const std::vector<double> q = samples(400, [](double t) { return std::sin(t); });
  for (const RangeMap map : {RangeMap::Linear, RangeMap::Smooth}) {
    RangeScalingOptions options;
    options.map = map;
    for (const double m : scale(q, 0.3, 0.3, options).q) EXPECT_EQ(m, 0.3);
  }
}

TEST(RangeScaling, InfiniteLimitsChangeNothing) {
  const std::vector<double> q = samples(400, [](double t) { return 9.0 * std::sin(t); });
  EXPECT_EQ(scale(q, -kInfinity, kInfinity).q, q);
  EXPECT_EQ(scale(q, -9.0, 9.0).q, q) << "nor do limits that are just reached";
}

// theory 2.5: with |q'| < eps for a turning point, 1e-3 rad of noise leave 1.15 where the limit is 1
TEST(RangeScaling, NoiseDoesNotHideTurningPointsOrMakeThem) {
  std::mt19937_64 engine(3);
  std::normal_distribution<double> noise(0.0, 1e-3);
  const std::vector<double> clean = samples(800, [](double t) { return 1.3 * std::sin(1.2 * t); });
  std::vector<double> q = clean;
  for (double& value : q) value += noise(engine);
  const ScaledRange scaled = scale(q, -1.0, 1.0), truth = scale(clean, -1.0, 1.0);
  ASSERT_EQ(scaled.swings.size(), truth.swings.size());
  EXPECT_TRUE(holds(q, scaled, -1.0, 1.0));
  for (std::size_t i = 0; i < scaled.swings.size(); ++i)
    EXPECT_NEAR(scaled.swings[i].scale_before, truth.swings[i].scale_before, 0.02);
  for (std::size_t k = 0; k < q.size(); ++k) EXPECT_NEAR(scaled.q[k], truth.q[k], 0.015);
}

// The theory's battery: 9 rad/s^2 against 170 for clipping.
TEST(RangeScaling, PeakAccelerationIsFarBelowThatOfClipping) {
  // from rest to rest, up to 1.4 and down to -1.3
  const std::vector<double> q = samples(670, [](double t) {
    return 0.05 + (t < 2.0 * std::numbers::pi ? 0.675 : 0.0) * (1.0 - std::cos(t)) -
           (t < 2.0 * std::numbers::pi ? 0.0 : 0.675) * (1.0 - std::cos(3.0 * t));
  });
  std::vector<double> clipped = q;
  for (double& value : clipped) value = std::clamp(value, -1.0, 1.0);
  const auto acceleration = [](const std::vector<double>& x) {
    return largest_difference(x, 2) * kRate * kRate;
  };
  RangeScalingOptions options;
  const double linear = acceleration(scale(q, -1.0, 1.0, options).q);
  options.map = RangeMap::Smooth;
  const double smooth = acceleration(scale(q, -1.0, 1.0, options).q);
  std::printf("peak acceleration: original %.1f, scaled %.1f, smoothly %.1f, clipped %.1f rad/s^2\n",
              acceleration(q), linear, smooth, acceleration(clipped));
  EXPECT_LE(linear, acceleration(q));
  EXPECT_LT(smooth, 2.0 * acceleration(q));
  EXPECT_GT(acceleration(clipped), 10.0 * linear);
}

/// Largest change of acceleration between neighbouring frames.
double acceleration_jump(RangeMap map, double rate) {
  std::vector<double> q;
  for (int k = 0; k < static_cast<int>(5.0 * rate); ++k) {
    // swings of several heights up and down, the factors before and behind a peak differ
    const double t = k / rate;
    q.push_back(-0.05 - 0.6 * std::cos(2.0 * t) - 0.4 * std::cos(t) - 0.1 * std::sin(0.5 * t));
  }
  RangeScalingOptions options;
  options.map = map;
  const ScaledRange scaled = scale_range(stamps(q.size(), rate), q, -0.7, 0.35, options);
  EXPECT_GE(scaled.swings.size(), 2U);
  EXPECT_TRUE(holds(q, scaled, -0.7, 0.35));
  double worst = 0.0;
  for (std::size_t k = 3; k < q.size(); ++k) {
    const auto second = [&](std::size_t i) {
      return (scaled.q[i] - 2.0 * scaled.q[i - 1] + scaled.q[i - 2]) * rate * rate;
    };
    worst = std::max(worst, std::abs(second(k) - second(k - 1)));
  }
  return worst;
}

// A continuous acceleration changes half as much between frames that are twice as dense; a jump stays.
TEST(RangeScaling, TheSmoothMapsAccelerationsAreContinuousAndTheLinearOnesJump) {
  const double smooth = acceleration_jump(RangeMap::Smooth, 1000.0);
  EXPECT_NEAR(acceleration_jump(RangeMap::Smooth, 2000.0) / smooth, 0.5, 0.05);
  EXPECT_NEAR(acceleration_jump(RangeMap::Smooth, 4000.0) / smooth, 0.25, 0.03);
  const double linear = acceleration_jump(RangeMap::Linear, 1000.0);
  EXPECT_GT(acceleration_jump(RangeMap::Linear, 4000.0) / linear, 0.9);
}

TEST(RangeScaling, FactorsAreTheDerivativeOfTheMap) {
  std::vector<double> q, dq;
  const double rate = 2000.0;
  for (int k = 0; k < 10000; ++k) {
    q.push_back(1.4 * std::sin(1.5 * k / rate));
    dq.push_back(1.4 * 1.5 * std::cos(1.5 * k / rate));
  }
  for (const RangeMap map : {RangeMap::Linear, RangeMap::Smooth}) {
    RangeScalingOptions options;
    options.map = map;
    const ScaledRange scaled = scale_range(stamps(q.size(), rate), q, -1.0, 1.0, options);
    for (std::size_t k = 1; k + 1 < q.size(); ++k)
      EXPECT_NEAR(scaled.factor[k] * dq[k], (scaled.q[k + 1] - scaled.q[k - 1]) * rate / 2.0, 2e-3) << k;
  }
}

TEST(RangeScaling, TheSpeedAtTheEndsOfTheClipStays) {
  const std::vector<double> q = samples(240, [](double t) { return std::sin(t + 0.2); });
  const double before = q[1] - q[0];
  for (const RangeMap map : {RangeMap::Linear, RangeMap::Smooth}) {
    RangeScalingOptions options;
    options.map = map;
    const ScaledRange scaled = scale(q, -2.0, 0.7, options);
    EXPECT_NEAR((scaled.q[1] - scaled.q[0]) / before, 1.0, 0.03);
    EXPECT_EQ(scaled.factor.front(), 1.0);
  }
  RangeScalingOptions abrupt;
  abrupt.end_blend = 0.0;
  EXPECT_LT((scale(q, -2.0, 0.7, abrupt).q[1] - q[0]) / before, 0.7);
}

TEST(RangeScaling, UnevenStampsAreNoTrouble) {
  std::mt19937_64 engine(2);
  std::uniform_real_distribution<double> uniform(0.002, 0.03);
  std::vector<Time> t;
  std::vector<double> q;
  for (double now = 0.0; now < 8.0; now += uniform(engine)) {
    t.push_back(from_seconds(now));
    q.push_back(1.3 * std::sin(1.2 * now));
  }
  const ScaledRange scaled = scale_range(t, q, -1.0, 1.0);
  EXPECT_EQ(scaled.swings.size(), 3U);
  EXPECT_TRUE(holds(q, scaled, -1.0, 1.0));
}

TEST(RangeScaling, EmptyAndSingleFramesAreClear) {
  EXPECT_TRUE(scale({}, -1.0, 1.0).q.empty());
  EXPECT_EQ(scale({1.5}, -1.0, 1.0).q, std::vector<double>{1.0});
  EXPECT_EQ(scale({0.5}, -1.0, 1.0).q, std::vector<double>{0.5});
  EXPECT_EQ(scale({0.5, 1.5}, -1.0, 1.0).q[1], 1.0);
}

template <typename Call>
std::string reason(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

void expect_says(const std::string& text, const char* part) {
  EXPECT_NE(text.find(part), std::string::npos) << text;
}

TEST(RangeScaling, RefusesWhatMakesNoSense) {
  const std::vector<double> q(10, 0.0);
  const double nan = std::nan("");
  expect_says(reason([&] { (void)scale(q, 1.0, -1.0); }), "the limits are 1 and -1");
  expect_says(reason([&] { (void)scale(q, nan, 1.0); }), "the limits are nan");
  expect_says(reason([&] { (void)scale(q, kInfinity, kInfinity); }), "no value is inside");
  std::vector<double> holed = q;
  holed[7] = nan;
  expect_says(reason([&] { (void)scale(holed, -1.0, 1.0); }), "frame 7 is not finite");
  holed[7] = -3e274;
  expect_says(reason([&] { (void)scale(holed, -1.0, 1.0); }), "frame 7 is not finite, or beyond 1e9");
  std::vector<Time> t = stamps(q.size());
  t[4] = t[3];
  expect_says(reason([&] { (void)scale_range(t, q, -1.0, 1.0); }), "the stamp of frame 4");
  t.pop_back();
  expect_says(reason([&] { (void)scale_range(t, q, -1.0, 1.0); }), "9 stamps for 10 samples");
  RangeScalingOptions options;
  options.prominence = 0.0;
  expect_says(reason([&] { (void)scale(q, -1.0, 1.0, options); }), "prominence");
  options = {};
  options.turning_cutoff_hz = nan;
  expect_says(reason([&] { (void)scale(q, -1.0, 1.0, options); }), "cut-off");
  options = {};
  options.end_blend = -0.1;
  expect_says(reason([&] { (void)scale(q, -1.0, 1.0, options); }), "blends");
}

double row_violation(const Model& model, const Eigen::VectorXd& s) {
  double worst = 0.0;
  for (const CoupledRow& row : model.rows()) {
    double sum = 0.0;
    for (const CoupledRow::Term& term : row.terms) sum += term.coefficient * s[model.joint_index(term.joint)];
    worst = std::max({worst, row.lower - sum, sum - row.upper});
  }
  return worst;
}

void expect_inside(const Motion& motion, const Model& model) {
  for (const State& state : motion.states) {
    ASSERT_TRUE(is_valid(state, model));
    for (int i = 0; i < model.dof(); ++i) {
      ASSERT_GE(state.s[i], model.lower()[i] - 1e-12) << model.joint_names()[at(i)];
      ASSERT_LE(state.s[i], model.upper()[i] + 1e-12) << model.joint_names()[at(i)];
    }
    ASSERT_LE(row_violation(model, state.s), 1e-8);
  }
}

TEST(RangeScaling, AMotionsJointsAreScaledEachWithinItsLimitsAndReported) {
  const Model model = io::shipped_robot("olivia17");
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Motion motion = random_motion(model, 400, 1.4, seed);
    RangeScalingOptions options;
    options.map = seed % 2 == 0 ? RangeMap::Linear : RangeMap::Smooth;
    const RangeScaledMotion scaled = scale_range(motion, model, options);
    expect_inside(scaled.motion, model);
    EXPECT_FALSE(scaled.report.swings.empty());
    double largest = 0.0;
    for (int i = 0; i < model.dof(); ++i) {
      std::vector<double> q;
      for (const State& s : motion.states) q.push_back(s.s[i]);
      const ScaledRange alone = scale(q, model.lower()[i], model.upper()[i], options);
      for (std::size_t k = 0; k < q.size(); ++k) {
        EXPECT_EQ(scaled.motion.states[k].s[i], alone.q[k]);
        EXPECT_EQ(scaled.motion.states[k].sdot[i], alone.factor[k] * motion.states[k].sdot[i]);
        largest = std::max(largest, std::abs(alone.q[k] - q[k]));
      }
    }
    EXPECT_EQ(scaled.report.change_max, largest);
    EXPECT_GT(scaled.report.scaled_share, 0.0);
    for (const JointSwing& swing : scaled.report.swings) {
      EXPECT_EQ(motion.states[at(swing.extremum)].s[swing.joint], swing.before);
      EXPECT_EQ(scaled.motion.states[at(swing.extremum)].s[swing.joint], swing.after);
    }
  }
}

TEST(RangeScaling, OnlyTheJointsThatAreAskedForAreScaled) {
  const Model model = io::shipped_robot("olivia17");
  const Motion motion = random_motion(model, 400, 1.6, 3);
  const RangeScaledMotion scaled = scale_range(motion, model, {}, {"right_elbow"});
  const int elbow = model.joint_index("right_elbow");
  for (std::size_t k = 0; k < motion.states.size(); ++k)
    for (int i = 0; i < model.dof(); ++i)
      EXPECT_TRUE(i == elbow || scaled.motion.states[k].s[i] == motion.states[k].s[i]);
  for (const JointSwing& swing : scaled.report.swings) EXPECT_EQ(swing.joint, elbow);
  expect_says(reason([&] { (void)scale_range(motion, model, {}, {"right_elbo"}); }), "did you mean");
}

// iCub's arms: seven rows each, a corner of the shoulder's is its rest pose's neighbour.
TEST(RangeScaling, CoupledRowsHoldAfterwardsAndThePoseTakesNoLongerSteps) {
  const Model model = io::shipped_robot("icub");
  int scaled_rows = 0, pulled = 0;
  const int trials = test::scaled_numerical(40);
  for (int trial = 0; trial < trials; ++trial) {
    const Motion motion =
        random_motion(model, 320, 0.7 + 0.02 * (trial % 40), static_cast<std::uint64_t>(trial));
    const RangeScaledMotion scaled = scale_range(motion, model);
    expect_inside(scaled.motion, model);
    scaled_rows += static_cast<int>(scaled.report.rows.size());
    pulled += static_cast<int>(scaled.report.pulled.size());
    if (!scaled.report.pulled.empty()) continue;
    for (std::size_t k = 1; k < motion.states.size(); ++k)
      EXPECT_LE((scaled.motion.states[k].s - scaled.motion.states[k - 1].s).norm(),
                (motion.states[k].s - motion.states[k - 1].s).norm() + 1e-12);
  }
  std::printf("icub: %d swings of rows in %d motions, %d pulled\n", scaled_rows, trials, pulled);
  EXPECT_GT(scaled_rows, trials >= 40 ? trials : 0) << "otherwise the rows were never tested";
}

TEST(RangeScaling, ReportedVelocitiesAreThoseOfTheScaledMotionAlsoWithRows) {
  const Model model = io::shipped_robot("icub");
  const Motion motion = random_motion(model, 320, 1.2, 6);
  RangeScalingOptions options;
  options.map = RangeMap::Smooth;
  const RangeScaledMotion scaled = scale_range(motion, model, options);
  ASSERT_FALSE(scaled.report.rows.empty());
  double sum = 0.0, off = 0.0;
  for (std::size_t k = 1; k + 1 < motion.states.size(); ++k) {
    const Eigen::VectorXd central =
        0.5 * kRate * (scaled.motion.states[k + 1].s - scaled.motion.states[k - 1].s);
    sum += central.squaredNorm();
    off += (scaled.motion.states[k].sdot - central).squaredNorm();
  }
  EXPECT_LT(std::sqrt(off / sum), 0.02);
}

/// Two hinges that share rows, and a third that mimics the first or does not; `rest` of all.
Model coupled(std::vector<CoupledRow> rows, double rest, bool mimic) {
  ModelSpec spec;
  spec.name = "coupled";
  spec.links.emplace_back();
  spec.links.back().name = "base";
  for (const char* name : {"a", "b", "c"}) {
    const std::string parent = spec.links.back().name;
    spec.links.emplace_back();
    spec.links.back().name = std::string("link_") + name;
    Joint joint;
    joint.name = name;
    joint.type = JointType::Revolute;
    joint.parent = parent;
    joint.child = spec.links.back().name;
    joint.lower = -1.0;
    joint.upper = 1.0;
    spec.joints.push_back(joint);
  }
  spec.rows = std::move(rows);
  if (mimic) spec.mimics.push_back({"c", "a", -2.0, 0.1});
  spec.rest = Eigen::VectorXd::Constant(3, rest);
  return Model(std::move(spec));
}

CoupledRow sum_row(double lower, double upper) { return {"sum", {{"a", 1.0}, {"b", 1.0}}, lower, upper}; }

TEST(RangeScaling, AMimicGoesAsItsSourceWithinTheLimitsOfBoth) {
  const Model model = coupled({sum_row(-kInfinity, 0.9)}, 0.0, true);
  const RangeScaledMotion scaled = scale_range(random_motion(model, 400, 1.5, 2), model);
  expect_inside(scaled.motion, model);
  for (const State& state : scaled.motion.states) {
    EXPECT_NEAR(state.s[2], -2.0 * state.s[0] + 0.1, 1e-9);
    EXPECT_NEAR(state.sdot[2], -2.0 * state.sdot[0], 1e-9);
  }
  EXPECT_FALSE(scaled.report.rows.empty());
}

// a wedge so thin that going from row to row takes very many rounds to get into it
TEST(RangeScaling, WhatRowsLeaveInACornerIsPulledInsideSmoothly) {
  const Model model = coupled({{"over", {{"a", 1.0}, {"b", -1.0}}, -kInfinity, 0.0},
                               {"under", {{"a", -1.0}, {"b", 1.02}}, -kInfinity, 0.005}},
                              -0.5, false);
  int pulled = 0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const Motion motion = random_motion(model, 400, 0.9, seed);
    const RangeScaledMotion scaled = scale_range(motion, model);
    expect_inside(scaled.motion, model);
    pulled += static_cast<int>(scaled.report.pulled.size());
    for (const PulledJoints& stretch : scaled.report.pulled) {
      EXPECT_EQ(stretch.joints, (std::vector<int>{0, 1}));
      EXPECT_GE(stretch.factor, 0.0);
      EXPECT_LT(stretch.factor, 1.0);
    }
    for (std::size_t k = 1; k < motion.states.size(); ++k)
      EXPECT_LT((scaled.motion.states[k].s - scaled.motion.states[k - 1].s).norm(), 0.15) << "no jump";
  }
  EXPECT_GT(pulled, 5);
}

TEST(RangeScaling, RowsThatCannotBeKeptAreRefusedWithTheReason) {
  // the row asks for less than the two lower limits allow
  const Model impossible = coupled({sum_row(-kInfinity, -1.7)}, 0.0, true);
  expect_says(reason([&] { (void)scale_range(random_motion(impossible, 100, 0.5, 1), impossible); }),
              "violates row 'sum'");
  const Model fixed = coupled({sum_row(0.5, 0.5)}, 0.0, false);
  expect_says(reason([&] { (void)scale_range(random_motion(fixed, 100, 0.5, 1), fixed); }),
              "row 'sum' fixes a sum of joints, and the sum is wrong in frame 0; solve with limits on");
}

TEST(RangeScaling, AMotionWithoutFramesOrWithOneIsClear) {
  const Model model = io::shipped_robot("olivia17");
  for (const int frames : {0, 1}) {
    const Motion motion = random_motion(model, frames, 2.5, 1);
    expect_inside(scale_range(motion, model).motion, model);
  }
  Motion motion = random_motion(model, 5, 1.0, 1);
  motion.states[3].s[2] = std::nan("");
  expect_says(reason([&] { (void)scale_range(motion, model); }), "the state of frame 3");
  motion = random_motion(model, 5, 1.0, 1);
  motion.states[2].t = motion.states[1].t;
  expect_says(reason([&] { (void)scale_range(motion, model); }),
              "joint 'waist_pan': range scaling: the stamp of frame 2");
}

}  // namespace
}  // namespace panto
