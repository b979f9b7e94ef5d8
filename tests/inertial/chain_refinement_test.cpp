// What the filter learns of a body while it moves: where its sensors sit, how long its segments are.

#include <gtest/gtest.h>

#include <cmath>

#include "apps/support/allocation_count.hpp"
#include "panto/inertial/chain_smoother.hpp"
#include "tests/support/random_chain.hpp"
#include "tests/support/right_arm.hpp"
#include "tests/support/smoothed_states.hpp"
#include "tests/support/test_data.hpp"

namespace panto {
namespace {

using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

// ---- slopes

ChainShape random_shape(const ImuModel& imus, test::Random& random) {
  ChainShape shape{VectorXd(3 * static_cast<Eigen::Index>(imus.imus().size())),
                   VectorXd(static_cast<Eigen::Index>(imus.lengths().size()))};
  for (double& x : shape.place) x = test::uniform(random, -0.03, 0.03);
  for (double& x : shape.length) x = test::uniform(random, -0.01, 0.01);
  return shape;
}

// a motion, and sensors that feel it
struct Moving {
  explicit Moving(int seed)
      : model(test::random_chain(static_cast<std::uint64_t>(seed), seed % 2 == 0)),
        layout(model),
        random(static_cast<std::uint64_t>(seed)),
        imus(test::random_imus(layout, random)),
        motion(layout.motion(test::random_state(model, random), test::random_acceleration(model, random))) {}

  Model model;
  ChainLayout layout;
  test::Random random;
  ImuModel imus;
  ChainMotion motion;
};

int count(const ImuModel& imus) { return static_cast<int>(imus.imus().size()); }

double difference(const MatrixXd& ours, const MatrixXd& theirs) {
  return ours.size() == 0
             ? 0.0
             : (ours - theirs).cwiseAbs().maxCoeff() / std::max(1.0, theirs.cwiseAbs().maxCoeff());
}

TEST(ChainRefinement, APlaceThatIsOffIsWhatAMountThereFeels) {
  for (int seed = 0; seed < test::scaled(50); ++seed) {
    Moving moving(seed);
    const ChainShape shape = random_shape(moving.imus, moving.random);
    std::vector<ImuMount> mounts = moving.imus.imus();
    for (std::size_t k = 0; k < mounts.size(); ++k)
      mounts[k].p_LI += shape.place.segment<3>(3 * static_cast<Eigen::Index>(k));
    ImuModel moved(moving.layout, mounts, {}, moving.imus.surroundings());
    moved.update(moving.motion);
    moving.imus.update(moving.motion, {shape.place, {}});
    for (int k = 0; k < count(moved); ++k) {
      EXPECT_LT(difference(moving.imus.imu(k).y, moved.imu(k).y), 1e-12) << "seed " << seed;
      EXPECT_LT(difference(moving.imus.imu(k).H, moved.imu(k).H), 1e-12) << "seed " << seed;
    }
    // and nothing is left of it afterwards
    ImuModel fresh(moving.layout, moving.imus.imus(), {}, moving.imus.surroundings());
    fresh.update(moving.motion);
    moving.imus.update(moving.motion);
    for (int k = 0; k < count(fresh); ++k) EXPECT_EQ(moving.imus.imu(k).y, fresh.imu(k).y) << "seed " << seed;
  }
}

TEST(ChainRefinement, ALengthThatIsOffIsWhatABodyOfThatLengthFeels) {
  const DhTree tree = test::right_arm_tree(PANTO_CHAINS);
  DhTree longer = tree;
  for (DhLink& link : longer.links) {
    if (link.name == "upper_arm") link.d *= 1.05;
  }
  const Model arm = dh_model(tree), other = dh_model(longer);
  const ChainLayout layout(arm), other_layout(other);
  ImuModel ours(layout, test::right_arm_mounts()), theirs(other_layout, test::right_arm_mounts());
  std::vector<std::string> joints;
  for (const ChainLength& length : ours.lengths()) joints.push_back(length.joint);
  ASSERT_EQ(joints, (std::vector<std::string>{"clavicle_protraction", "shoulder_adduction", "elbow_flexion",
                                              "wrist_flexion"}));
  EXPECT_NEAR(ours.lengths()[2].nominal, 0.30, 1e-15);
  EXPECT_EQ(ours.lengths()[2].link, "upper_arm");
  const Synthesis work = test::arm_at_work(arm, 1);
  State state = rest_state(arm);
  StateAcceleration acceleration;
  motion_law(work)(from_seconds(1.3), state, acceleration);
  ours.update(layout.motion(state, acceleration), {{}, Eigen::Vector4d(0.0, 0.0, 0.05 * 0.30, 0.0)});
  theirs.update(other_layout.motion(state, acceleration));
  // sternum, shoulder, forearm and hand; that of the upper arm is given from its far end
  for (const int k : {0, 1, 3, 4}) EXPECT_LT(difference(ours.imu(k).y, theirs.imu(k).y), 1e-12) << k;
}

TEST(ChainRefinement, SlopesByPlaceAndLengthAreDerivativesOfWhatIsFelt) {
  constexpr double step = 1e-4;  // what is felt is linear in places and lengths: only rounding is left
  for (int seed = 0; seed < test::scaled(30); ++seed) {
    Moving moving(seed);
    const ChainShape shape = random_shape(moving.imus, moving.random);
    moving.imus.update(moving.motion, shape);
    const ImuModel at = moving.imus;
    for (int k = 0; k < count(at); ++k) {
      const auto slopes = [&](bool of_place, int column) {
        Vector3d side[2];
        for (const int i : {0, 1}) {
          ChainShape changed = shape;
          (of_place ? changed.place : changed.length)[column] += (i == 0 ? step : -step);
          moving.imus.update(moving.motion, changed);
          side[i] = moving.imus.imu(k).y.segment<3>(3);
        }
        return Vector3d((side[0] - side[1]) / (2.0 * step));
      };
      for (int axis = 0; axis < 3; ++axis)
        EXPECT_LT(difference(at.imu(k).by_place.col(axis), slopes(true, 3 * k + axis)), 1e-6)
            << "seed " << seed;
      const std::vector<int>& lengths = at.imu_lengths(k);
      for (std::size_t i = 0; i < lengths.size(); ++i)
        EXPECT_LT(
            difference(at.imu(k).by_length.col(static_cast<Eigen::Index>(i)), slopes(false, lengths[i])),
            1e-6)
            << "seed " << seed;
    }
  }
}

// ---- the filter

ChainEkfOptions refining(double interval = ChainRefinement{}.interval) {
  ChainEkfOptions options = test::suit_options();
  options.refine = {0.02, 0.02};
  options.refine.interval = interval;
  return options;
}

// the right arm at work, its sensors centimetres off
struct Refined {
  Refined(std::uint64_t seed, double tempo, double duration, double interval = ChainRefinement{}.interval)
      : tree(test::right_arm_tree(PANTO_CHAINS)),
        arm(dh_model(tree)),
        layout(arm),
        truth(test::arm_at_work(arm, seed, tempo)),
        ekf(ImuModel(layout, test::right_arm_mounts()),
            std::vector<ChainProcess>(at(layout.unknowns()), ChainProcess{}), refining(interval)) {
    ImuSignalOptions suit = test::suit_signals(seed, duration);
    suit.mounting.shift = 0.015;
    signals = imu_signals(arm, motion_law(truth), test::right_arm_mounts(), suit);
    State first = truth.state(0);
    first.sdot.setZero();
    state = ekf.start(first);
    state.t = -10'000'000;
  }

  void follow() {
    for (const ImuSample& sample : signals.samples) ASSERT_EQ(ekf.step(sample, state), StepStatus::Solved);
  }
  // how far the places are off that are taken for the sensors' [m], (15)
  [[nodiscard]] VectorXd off(const ChainShape& shape) const {
    VectorXd result(15);
    for (std::size_t k = 0; k < 5; ++k) {
      const auto row = 3 * static_cast<Eigen::Index>(k);
      result.segment<3>(row) =
          test::right_arm_mounts()[k].p_LI + shape.place.segment<3>(row) - signals.mounts[k].p_LI;
    }
    return result;
  }

  DhTree tree;
  Model arm;
  ChainLayout layout;
  Synthesis truth;
  ChainEkf ekf;
  ImuSignals signals;
  ChainState state;
};

// what is left of places that are 1.5 cm off, as part of that, after 20 s of work
double left_of_places(double interval) {
  double before = 0.0, after = 0.0;
  for (int seed = 1; seed <= test::scaled(4); ++seed) {
    Refined refined(static_cast<std::uint64_t>(seed), 2.0, 20.0, interval);
    before += refined.off(refined.state.shape).squaredNorm();
    refined.follow();
    after += refined.off(refined.state.shape).squaredNorm();
    const ChainShape sigma = refined.ekf.shape_deviation(refined.state);
    // beyond four standard deviations it would believe itself too much
    EXPECT_LT(refined.off(refined.state.shape).cwiseQuotient(sigma.place).cwiseAbs().maxCoeff(), 4.0)
        << "seed " << seed;
    EXPECT_LT(refined.state.shape.length.cwiseQuotient(sigma.length).cwiseAbs().maxCoeff(), 4.0)
        << "seed " << seed << ": the lengths are the model's";
  }
  return std::sqrt(after / before);
}

TEST(ChainRefinement, SensorsThatAreCentimetresOffAreFoundWhileTheArmWorks) {
  // nothing but noise is wrong here, so that every sample may count; the cautious default takes its time
  EXPECT_LT(left_of_places(0.0), 0.5);
  EXPECT_LT(left_of_places(ChainRefinement{}.interval), 0.8);
}

TEST(ChainRefinement, WhoStandsStillTeachesNothing) {
  Refined refined(1, 1e-3, 5.0);
  const ChainState before = refined.state;
  refined.follow();
  EXPECT_EQ(refined.state.shape.place, before.shape.place);
  EXPECT_EQ(refined.state.shape.length, before.shape.length);
  const ChainShape now = refined.ekf.shape_deviation(refined.state),
                   then = refined.ekf.shape_deviation(before);
  EXPECT_EQ(now.place, then.place);
  EXPECT_EQ(now.length, then.length);
}

TEST(ChainRefinement, AMountThatSaysHowUncertainItsPlaceIsBeginsSo) {
  const Model arm = dh_model(test::right_arm_tree(PANTO_CHAINS));
  const ChainLayout layout(arm);
  std::vector<ImuMount> mounts = test::right_arm_mounts();
  mounts[2].position_sigma = 0.004;
  const std::vector<ChainProcess> processes(at(layout.unknowns()), ChainProcess{});
  const ChainEkf ekf(ImuModel(layout, mounts), processes, refining());
  const ChainShape sigma = ekf.shape_deviation(ekf.start(rest_state(arm)));
  ASSERT_EQ(sigma.place.size(), 15);
  ASSERT_EQ(sigma.length.size(), 4);
  EXPECT_DOUBLE_EQ(sigma.place[5], 0.02);
  EXPECT_DOUBLE_EQ(sigma.place[6], 0.004);
  EXPECT_DOUBLE_EQ(sigma.length[3], 0.02);
  ChainEkfOptions wrong = refining();
  wrong.refine.excited = -1.0;
  EXPECT_THROW(ChainEkf(ImuModel(layout, mounts), processes, wrong), ConfigError);
  wrong = refining();
  wrong.mounting_use = MountingUse::Consider;
  EXPECT_THROW(ChainEkf(ImuModel(layout, mounts), processes, wrong), ConfigError);
}

TEST(ChainRefinement, BetweenTheSamplesThatCountTheShapeStays) {
  Refined refined(1, 2.0, 1.0);
  int changes = 0;
  VectorXd before = refined.state.shape.place;
  for (const ImuSample& sample : refined.signals.samples) {
    ASSERT_EQ(refined.ekf.step(sample, refined.state), StepStatus::Solved);
    changes += refined.state.shape.place != before ? 1 : 0;
    before = refined.state.shape.place;
  }
  EXPECT_EQ(changes, 4) << "one in each quarter of a second";
}

TEST(ChainRefinement, WhatWasLearntIsTakenOverByName) {
  Refined refined(2, 2.0, 3.0);
  refined.follow();
  std::vector<ImuMount> mounts = test::right_arm_mounts();
  std::reverse(mounts.begin(), mounts.end());
  mounts.pop_back();  // of the sternum
  const ChainEkf turned(ImuModel(refined.layout, mounts),
                        std::vector<ChainProcess>(at(refined.layout.unknowns()), ChainProcess{}), refining());
  const ChainState taken = turned.take_over(refined.ekf, refined.state);
  EXPECT_EQ(taken.shape.place.head<3>(), refined.state.shape.place.tail<3>()) << "the hand's";
  EXPECT_EQ(taken.shape.length, refined.state.shape.length);
  EXPECT_EQ(turned.shape_deviation(taken).length, refined.ekf.shape_deviation(refined.state).length);
}

TEST(ChainRefinement, StepsAllocateNothingAndACopyGoesOnWithTheSameBits) {
  Refined refined(3, 2.0, 1.0);
  for (std::size_t i = 0; i < 50; ++i)
    ASSERT_EQ(refined.ekf.step(refined.signals.samples[i], refined.state), StepStatus::Solved);
  ChainState copy = refined.state;
  const AllocationCount allocations;
  for (std::size_t i = 50; i < 100; ++i)
    ASSERT_EQ(refined.ekf.step(refined.signals.samples[i], refined.state), StepStatus::Solved);
  EXPECT_EQ(AllocationCount::available() ? allocations.value() : 0, 0);
  Refined twin(3, 2.0, 1.0);
  for (std::size_t i = 50; i < 100; ++i)
    ASSERT_EQ(twin.ekf.step(refined.signals.samples[i], copy), StepStatus::Solved);
  EXPECT_EQ(copy.P, refined.state.P);
  EXPECT_EQ(copy.shape.place, refined.state.shape.place);
  EXPECT_EQ(copy.shape.length, refined.state.shape.length);
  EXPECT_EQ(copy.motion.q, refined.state.motion.q);
}

TEST(ChainRefinement, TheSmootherKnowsTheBodyEverywhereAsAtTheEnd) {
  Refined refined(4, 2.0, 1.0);
  std::vector<ChainState> filtered;
  for (const ImuSample& sample : refined.signals.samples) {
    ASSERT_EQ(refined.ekf.step(sample, refined.state), StepStatus::Solved);
    filtered.push_back(refined.state);
  }
  const std::vector<ChainState> ours = test::smoothed(refined.ekf, filtered);
  EXPECT_NE(filtered[10].shape.place, filtered.back().shape.place) << "the filter learned them";
  for (const ChainState& state : ours) {
    EXPECT_EQ(state.shape.place, filtered.back().shape.place);
    EXPECT_EQ(state.shape.length, filtered.back().shape.length);
  }
}

}  // namespace
}  // namespace panto
