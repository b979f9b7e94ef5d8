// Does the smoother know how wrong it is, and is it less wrong than the filter? On motions drawn from the
// very process that both believe in, and on an arm at work. [Bar-Shalom, Li, Kirubarajan 2001, section 5.4]

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <array>
#include <cmath>

#include "tests/support/drawn_arm.hpp"
#include "tests/support/smoothed_body.hpp"
#include "tests/support/smoothed_states.hpp"
#include "tests/support/test_data.hpp"

namespace panto {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using test::smoothed, test::vector_of;

// A run of the drawn arm: what the filter left, and the truth
struct Drawing {
  std::vector<ChainState> filtered;
  std::vector<ChainMotion> truth;
  std::vector<VectorXd> bias;
  VectorXd turn;
};

// the arm, its filter, and everything that both are told
struct DrawnArm {
  Model model = dh_model(test::right_arm_tree(PANTO_CHAINS));
  ChainLayout layout{model};
  ChainProcess process{ChainProcess::Kind::Tethered, 10.0, 0.25};
  ChainEkfOptions options;
  ChainEkf ekf;

  explicit DrawnArm(const ChainEkfOptions& told)
      : options(told),
        ekf(ImuModel(layout, test::right_arm_mounts()),
            std::vector<ChainProcess>(at(layout.unknowns()), process), told) {}

  Drawing draw(int run, int steps) {
    std::mt19937_64 random(static_cast<std::uint64_t>(run) + 1);
    test::Drawn truth(layout, process, random);
    test::Sensors sensors(layout, options, options.acc, random);
    ChainState state = ekf.start(rest_state(model));
    state.motion = truth.motion;
    VectorXd error(3 * layout.unknowns());
    for (Eigen::Index i = 0; i < error.size(); ++i) error[i] = std::sqrt(state.P(i, i)) * normal(random);
    test::disturb(layout, error, state.motion);
    Drawing result;
    for (int i = 1; i <= steps; ++i) {
      truth.step();
      EXPECT_EQ(ekf.step(sensors.feel(truth.motion, from_seconds(test::kDrawnInterval * i)), state),
                StepStatus::Solved);
      result.filtered.push_back(state);
      result.truth.push_back(truth.motion);
      result.bias.push_back(sensors.bias);
    }
    result.turn = sensors.turn;
    return result;
  }

  // the truth minus what is known, in the angles of what is known
  VectorXd error(const Drawing& drawing, std::size_t k, const ChainState& known) const {
    VectorXd off(known.bias.size() + known.mounting.size() + 3 * layout.unknowns());
    const VectorXd there = test::seen_from(layout, known.motion, known.motion);
    off.head(there.size()) = test::seen_from(layout, drawing.truth[k], known.motion) - there;
    off.segment(there.size(), known.bias.size()) = drawing.bias[k] - known.bias;
    if (known.mounting.size() > 0) off.tail(known.mounting.size()) = drawing.turn - known.mounting;
    return off;
  }
};

constexpr std::array<std::size_t, 6> kLooked{0, 9, 29, 99, 199, 289};  // samples of 300 that are judged

struct Judged {
  std::array<double, kLooked.size()> nees{}, nees_filtered{};  // means over runs and degrees of freedom
  double angles = 0.0, angles_filtered = 0.0;                  // root mean square errors [rad]
  double dof = 0.0;
};

Judged judge(const ChainEkfOptions& options, int runs) {
  DrawnArm arm(options);
  Judged result;
  double count = 0.0;
  for (int run = 0; run < runs; ++run) {
    const Drawing drawing = arm.draw(run, 300);
    const std::vector<ChainState> ours = smoothed(arm.ekf, drawing.filtered);
    for (std::size_t i = 0; i < kLooked.size(); ++i) {
      const std::size_t k = kLooked[i];
      const VectorXd off = arm.error(drawing, k, ours[k]);
      const VectorXd off_filtered = arm.error(drawing, k, drawing.filtered[k]);
      result.nees[i] += off.dot(ours[k].P.ldlt().solve(off));
      result.nees_filtered[i] += off_filtered.dot(drawing.filtered[k].P.ldlt().solve(off_filtered));
      result.dof = static_cast<double>(off.size());
      for (int u = 0; u < arm.layout.unknowns(); ++u) {
        result.angles += off[3 * u] * off[3 * u];
        result.angles_filtered += off_filtered[3 * u] * off_filtered[3 * u];
        count += 1.0;
      }
    }
  }
  for (double& nees : result.nees) nees /= runs * result.dof;
  for (double& nees : result.nees_filtered) nees /= runs * result.dof;
  result.angles = std::sqrt(result.angles / count);
  result.angles_filtered = std::sqrt(result.angles_filtered / count);
  return result;
}

void expect_errors_as_stated(const Judged& found, int runs) {
  const double low = test::bound(runs * found.dof, -test::kCertain),
               high = test::bound(runs * found.dof, test::kCertain);
  for (std::size_t i = 0; i < kLooked.size(); ++i) {
    std::printf("NEES per degree of freedom at %.2f s: %.4f (filter %.4f), within %.4f .. %.4f\n",
                test::kDrawnInterval * static_cast<double>(kLooked[i] + 1), found.nees[i],
                found.nees_filtered[i], low, high);
    EXPECT_GT(found.nees[i], low) << "sample " << kLooked[i];
    EXPECT_LT(found.nees[i], high) << "sample " << kLooked[i];
  }
  std::printf("joints: %.4f deg smoothed, %.4f deg filtered\n", found.angles / test::kDegree,
              found.angles_filtered / test::kDegree);
}

TEST(ChainSmootherErrors, ErrorsAreAsLargeAsItSaysAndSmallerThanTheFilters) {
  const int runs = test::scaled(5);  // 50 at PANTO_TEST_SCALE=10
  const Judged found = judge(test::matched(), runs);
  expect_errors_as_stated(found, runs);
  EXPECT_LT(found.angles, 0.8 * found.angles_filtered);
}

TEST(ChainSmootherErrors, ErrorsAreAsLargeAsItSaysWithMountsThatAreEstimated) {
  const int runs = test::scaled(5);
  ChainEkfOptions options = test::matched();
  options.mounting = 0.5 * test::kDegree;
  options.mounting_use = MountingUse::Estimate;
  const Judged found = judge(options, runs);
  expect_errors_as_stated(found, runs);
  EXPECT_LT(found.angles, 0.8 * found.angles_filtered);
}

TEST(ChainSmootherErrors, TheBoundsNoticeACovarianceThatIsHalfAsLarge) {
  const Judged found = judge(test::matched(), 5);
  for (const double nees : found.nees) EXPECT_GT(2.0 * nees, test::bound(5 * found.dof, test::kCertain));
}

TEST(ChainSmoother, WhatIsConsideredIsNeverChanged) {
  ChainEkfOptions options = test::matched();
  options.mounting = 0.2 * test::kDegree;
  options.mounting_use = MountingUse::Consider;
  DrawnArm arm(options);
  const Drawing drawing = arm.draw(0, 100);
  const std::vector<ChainState> ours = smoothed(arm.ekf, drawing.filtered);
  const Eigen::Index c = drawing.turn.size();
  for (const ChainState& state : ours) {
    EXPECT_EQ(state.mounting, VectorXd::Zero(c));
    EXPECT_EQ(state.P.bottomRightCorner(c, c), drawing.filtered[0].P.bottomRightCorner(c, c));
  }
}

TEST(ChainSmoother, ConstantsAreKnownEverywhereAsAtTheEnd) {
  ChainEkfOptions options = test::matched();
  options.mounting = 0.5 * test::kDegree;
  DrawnArm arm(options);
  const Drawing drawing = arm.draw(0, 100);
  const std::vector<ChainState> ours = smoothed(arm.ekf, drawing.filtered);
  const Eigen::Index c = drawing.turn.size();
  const ChainState& last = drawing.filtered.back();
  EXPECT_NE(drawing.filtered[0].mounting, last.mounting) << "the filter learned them";
  for (const ChainState& state : ours) {
    EXPECT_EQ(state.mounting, last.mounting);
    EXPECT_EQ(state.P.bottomRightCorner(c, c), last.P.bottomRightCorner(c, c));
  }
}

TEST(ChainSmoother, WithoutCovarianceTheStatesHaveTheSameBits) {
  DrawnArm arm(test::matched());
  const Drawing drawing = arm.draw(3, 50);
  const std::vector<ChainState> with = smoothed(arm.ekf, drawing.filtered);
  const std::vector<ChainState> without = smoothed(arm.ekf, drawing.filtered, false);
  for (std::size_t k = 0; k < with.size(); ++k) {
    EXPECT_EQ(without[k].P.size(), 0);
    EXPECT_EQ(vector_of(arm.ekf, with[k]), vector_of(arm.ekf, without[k]));
    EXPECT_EQ(with[k].motion.reference, without[k].motion.reference);
  }
}

TEST(ChainSmoother, WhereThereIsNoGainTheFiltersStateStands) {
  DrawnArm arm(test::matched());
  Drawing drawing = arm.draw(3, 50);
  // a covariance that is none: two angles that are more alike than the same
  MatrixXd& P = drawing.filtered[20].P;
  P(0, 3) = P(3, 0) = 2.0 * std::sqrt(P(0, 0) * P(3, 3));
  ChainSmoother smoother(arm.ekf);
  smoother.begin(drawing.filtered[49]);
  for (std::size_t k = 49; k-- > 0;) {
    EXPECT_EQ(smoother.step_back(drawing.filtered[k]), k != 20) << k;
    const ChainState& state = smoother.state();
    EXPECT_TRUE(vector_of(arm.ekf, state).allFinite() && state.P.allFinite());
    if (k != 20) continue;
    EXPECT_EQ(state.motion.q, drawing.filtered[k].motion.q);
    EXPECT_EQ(state.motion.qdot, drawing.filtered[k].motion.qdot);
  }
  // the samples before are smoothed by what came up to it
  std::vector<ChainState> until(drawing.filtered.begin(), drawing.filtered.begin() + 20);
  ChainSmoother again(arm.ekf);
  again.begin(drawing.filtered[20]);
  for (std::size_t k = 20; k-- > 0;) EXPECT_TRUE(again.step_back(until[k]));
  EXPECT_EQ(vector_of(arm.ekf, again.state()), vector_of(arm.ekf, smoother.state()));
}

TEST(ChainSmoother, RefusesStatesThatAreNotTheFiltersOrNotEarlier) {
  DrawnArm arm(test::matched());
  const Drawing drawing = arm.draw(3, 3);
  ChainSmoother smoother(arm.ekf);
  EXPECT_THROW((void)smoother.step_back(drawing.filtered[0]), ConfigError) << "nothing was begun";
  EXPECT_THROW(smoother.begin(ChainState{}), ConfigError);
  smoother.begin(drawing.filtered[1]);
  EXPECT_THROW((void)smoother.step_back(drawing.filtered[1]), ConfigError);
  EXPECT_THROW((void)smoother.step_back(drawing.filtered[2]), ConfigError);
  EXPECT_TRUE(smoother.step_back(drawing.filtered[0]));
}

// docs/results/inertial.md has the figures of 30 seeds
TEST(ChainSmootherErrors, IsNearerToAnArmAtWorkThanTheFilter) {
  const Model arm = dh_model(test::right_arm_tree(PANTO_CHAINS));
  for (const ChainEkfOptions& options : {test::suit_options(), test::exact_options()}) {
    double ours = 0.0, theirs = 0.0;
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      const test::FollowedBody found =
          test::follow_body(test::arm_at_work(arm, seed), test::right_arm_mounts(), seed, 10.0, options,
                            test::Followed::Smoothed);
      std::printf("mounting %.3f, seed %d: %.4f deg smoothed, %.4f deg filtered\n", options.mounting,
                  static_cast<int>(seed), found.smoothed.joints, found.filtered.joints);
      EXPECT_LT(found.smoothed.joints, found.filtered.joints) << "seed " << seed;
      EXPECT_EQ(found.counts.kept, 0);
      ours += found.smoothed.joints;
      theirs += found.filtered.joints;
    }
    // told that sensors may be turned, the filter's errors are those of the turns, which stay
    EXPECT_LT(ours, (options.mounting > 0.0 ? 0.9 : 0.7) * theirs);
  }
}

}  // namespace
}  // namespace panto
